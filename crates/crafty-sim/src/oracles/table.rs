//! The table of oracles: a row for each kind of fault, by its name.

use super::Oracle;

/// The host next to the western portal of the demo network, and one beyond its provider.
const DESK: &str = "10.20.4.20";
const TARGET: &str = "192.0.2.1";

/// A row for the demo network, seen from the west.
const fn west(
    fault: &'static str,
    planting: &'static str,
    programs: &'static [(&'static str, &'static str)],
    word: Option<&'static str>,
) -> Oracle {
    Oracle {
        fault,
        network: "demo",
        planting,
        programs,
        word,
        control: Some(DESK),
    }
}

/// A fault at its usual place and strength, found by one program that knows what to look for.
macro_rules! finds {
    ($fault:literal, $program:literal, $word:literal $(,)?) => {
        west($fault, $fault, &[($program, "west")], Some($word))
    };
}

/// A row for a fault that touches the host next to the portal.
const fn beyond(oracle: Oracle) -> Oracle {
    Oracle {
        control: Some(TARGET),
        ..oracle
    }
}

pub(super) static ORACLES: &[Oracle] = &[
    finds!("ack_thinning", "upload", "look_for=few acknowledgements"),
    finds!("asymmetric_state", "services", "look_for=state lost"),
    west(
        "backlog_full",
        "backlog_full@web",
        &[("many_syns", "west")],
        None,
    ),
    finds!("bad_mtu_told", "mtu", "look_for=bad word"),
    finds!("bad_offload", "echoes", "look_for=damage"),
    west("bit_errors", "bit_errors", &[("sizes", "west")], None),
    finds!("bleach_dscp", "path", "look_for=class lost"),
    finds!("bufferbloat", "load", "look_for=long queue"),
    west(
        "bursty_loss",
        "bursty_loss=1",
        &[("loss_pattern", "west")],
        Some("pattern=bursts"),
    ),
    west(
        "corrupt_in_device",
        "corrupt_in_device=10",
        &[("echoes", "west")],
        Some("look_for=damage"),
    ),
    west("dead_member", "dead_member", &[("flows", "west")], None),
    west(
        "dead_resolver",
        "dead_resolver@dns",
        &[("names", "west")],
        Some("look_for=no answer"),
    ),
    finds!("delay", "echoes", "look_for=distance"),
    beyond(west("dhcp_rogue", "dhcp_rogue", &[("dhcp", "west")], None)),
    finds!("dns_tcp_blocked", "names", "look_for=no TCP"),
    west(
        "duplicate",
        "duplicate=10",
        &[("echoes", "west")],
        Some("look_for=duplicates"),
    ),
    beyond(west(
        "duplicate_address",
        "duplicate_address@desk",
        &[("neighbours", "west")],
        Some("look_for=two answers"),
    )),
    west(
        "early_drops",
        "early_drops",
        &[("probe_far", "west"), ("listen_far", "east")],
        Some("look_for=marks"),
    ),
    finds!("echo_blocked", "services", "look_for=no echo"),
    finds!("ecn_blackhole", "handshake", "look_for=ECN"),
    finds!("ecn_bleach", "path", "look_for=marks lost"),
    finds!("expedited_dropped", "services", "look_for=expedited lost"),
    finds!("extra_hops", "path", "look_for=hidden hops"),
    west(
        "fragment_drop",
        "fragment_drop",
        &[("fragments", "west")],
        None,
    ),
    west(
        "fragments_apart",
        "fragments_apart",
        &[("fragments_by_port", "west")],
        None,
    ),
    finds!("half_open", "idle", "silence=6s"),
    finds!("icmp_blocked", "services", "look_for=no echo"),
    finds!("jitter", "echoes", "look_for=spread"),
    finds!("large_dns_lost", "names", "look_for=large lost"),
    Oracle {
        fault: "layer2_loop",
        network: "campus",
        planting: "layer2_loop",
        programs: &[("copies", "north")],
        word: None,
        control: None,
    },
    west(
        "loss",
        "loss=5",
        &[("loss_pattern", "west")],
        Some("pattern=random"),
    ),
    beyond(west("low_ttl", "low_ttl", &[("ttl", "servers")], None)),
    finds!("micro_loop", "path_changes", "look_for=loops"),
    finds!("misleading_source", "path", "look_for=foreign source"),
    west(
        "missing_return",
        "missing_return",
        &[("probe_far", "west"), ("listen_far", "east")],
        Some("look_for=one way"),
    ),
    finds!("missing_route", "path", "look_for=no route"),
    west(
        "more_specific",
        "more_specific",
        &[("half_of_a_net", "west")],
        None,
    ),
    west(
        "mss_clamped_one_way",
        "mss_clamped_one_way",
        &[("probe_far", "west"), ("listen_far", "east")],
        Some("look_for=small MSS"),
    ),
    finds!("mss_rewritten", "handshake", "look_for=small MSS"),
    finds!("mtu_hole", "mtu", "look_for=silent"),
    west("nat_idle", "nat_idle", &[("idle", "west")], None),
    west(
        "no_sack",
        "no_sack@web",
        &[("handshake", "west")],
        Some("look_for=no SACK"),
    ),
    finds!("null_route", "path", "look_for=black hole"),
    west(
        "one_way",
        "one_way",
        &[("probe_far", "west"), ("listen_far", "east")],
        Some("look_for=one way"),
    ),
    west(
        "outage",
        "outage=1s;period=4s",
        &[("loss_pattern", "west")],
        Some("pattern=gaps"),
    ),
    finds!("overloaded_host", "echoes", "look_for=spread"),
    west(
        "packet_ecmp",
        "packet_ecmp@r2",
        &[("echoes", "west")],
        Some("look_for=disorder"),
    ),
    finds!("path_mtu_blackhole", "mtu", "look_for=black hole"),
    finds!("policer", "load", "look_for=policer"),
    finds!("policy_route", "hash", "look_for=port"),
    finds!("port_filter", "services", "look_for=port lost"),
    finds!("prohibited_port", "services", "look_for=port prohibited"),
    west(
        "protocol_block",
        "protocol_block=99",
        &[("services", "west")],
        Some("look_for=protocol lost"),
    ),
    beyond(finds!(
        "proxy_arp",
        "neighbours",
        "look_for=answers for nobody",
    )),
    west(
        "rate_limit_icmp",
        "rate_limit_icmp",
        &[("rate_of_errors", "west")],
        None,
    ),
    west(
        "reorder",
        "reorder=10",
        &[("echoes", "west")],
        Some("look_for=disorder"),
    ),
    finds!("route_flap", "path_changes", "look_for=steps"),
    west("rst_injection", "rst_injection", &[("reset", "west")], None),
    west(
        "sequence_shifted",
        "sequence_shifted",
        &[("probe_far", "west"), ("listen_far", "east")],
        Some("look_for=shifted"),
    ),
    finds!("shaper", "load", "look_for=shaper"),
    west(
        "silent_corruption",
        "silent_corruption=10",
        &[("echoes", "west")],
        Some("look_for=altered"),
    ),
    finds!("silent_router", "path", "look_for=silent hops"),
    finds!("slow_control_plane", "path", "look_for=slow answers"),
    finds!("slow_reader", "upload", "look_for=closed window"),
    west(
        "slow_server",
        "slow_server@web",
        &[("transfer", "west")],
        None,
    ),
    finds!("small_mtu_member", "flows", "size=1440"),
    finds!("small_window", "upload", "look_for=small window"),
    west(
        "split_hello_dropped",
        "split_hello_dropped",
        &[("hello", "west")],
        None,
    ),
    beyond(west(
        "stale_neighbour",
        "stale_neighbour",
        &[("overhear", "east")],
        None,
    )),
    west(
        "starved_buffer",
        "starved_buffer",
        &[("bursts", "west")],
        None,
    ),
    west(
        "state_exhausted",
        "state_exhausted",
        &[("many_syns", "west")],
        None,
    ),
    beyond(west(
        "storm_control",
        "storm_control@west/desk",
        &[("neighbours", "west")],
        Some("look_for=questions lost"),
    )),
    west(
        "strict_reverse_path",
        "strict_reverse_path",
        &[("probe_far", "west"), ("listen_far", "east")],
        Some("look_for=source dropped"),
    ),
    west(
        "strip_option",
        "strip_option",
        &[("probe_far", "west"), ("listen_far", "east")],
        Some("look_for=no scale"),
    ),
    finds!("syn_proxy", "handshake", "look_for=accepts for nobody"),
    west(
        "timestamps_per_address",
        "timestamps_per_address@web",
        &[("handshake", "west")],
        Some("look_for=old stamps"),
    ),
    Oracle {
        fault: "topology_change",
        network: "campus",
        planting: "topology_change@sw-labs",
        programs: &[("gap", "north")],
        word: None,
        control: Some("10.30.10.20"),
    },
    finds!("ttl_in_hash", "hash", "look_for=time to live"),
    finds!("ttl_loop", "path", "look_for=loop"),
    west(
        "udp_idle",
        "udp_idle",
        &[("udp_idle", "west"), ("udp_idle_far", "east")],
        None,
    ),
    finds!("window_scale_one_way", "handshake", "look_for=no scale"),
    west(
        "window_untracked",
        "window_untracked",
        &[("windows", "west")],
        None,
    ),
    west("wrong_speed", "wrong_speed", &[("line_rate", "west")], None),
];
