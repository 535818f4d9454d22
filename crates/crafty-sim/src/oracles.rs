//! For each kind of fault a program that finds it, and says nothing when it is not there.
//!
//! A program prints a line that begins with `FOUND` or `CLEAR`, with its evidence. It is run in the
//! healthy network, where it must not find the fault, and in the one with the fault, where it must;
//! and while the fault is there, a path that it does not touch must work.

macro_rules! programs {
    ($($name:literal)*) => {
        /// Programs by name.
        static PROGRAMS: &[(&str, &str)] = &[$(
            ($name, include_str!(concat!("../oracles/", $name, ".crafty")))
        ),*];
    };
}

programs! {
    "bursts"
    "control"
    "copies"
    "dhcp"
    "echoes"
    "flows"
    "fragments"
    "fragments_by_port"
    "gap"
    "half_of_a_net"
    "handshake"
    "hash"
    "hello"
    "idle"
    "line_rate"
    "listen_far"
    "load"
    "loss_pattern"
    "many_syns"
    "mtu"
    "names"
    "neighbours"
    "overhear"
    "path"
    "path_changes"
    "probe_far"
    "rate_of_errors"
    "reset"
    "services"
    "sizes"
    "transfer"
    "ttl"
    "udp_idle"
    "udp_idle_far"
    "upload"
    "windows"
}

/// How a kind of fault is found.
#[derive(Debug)]
pub struct Oracle {
    /// Name of the fault.
    pub fault: &'static str,
    /// Name of the network.
    pub network: &'static str,
    /// The fault as it is planted for it: strong enough to be told from chance, at a place that
    /// the portals see.
    pub planting: &'static str,
    /// Programs by name, each with the portal it stands at.
    pub programs: &'static [(&'static str, &'static str)],
    /// A param of the programs: what they look for.
    pub word: Option<&'static str>,
    /// Address of a host whose path the fault does not touch, seen from the first portal; none for
    /// a fault that leaves nothing alone.
    pub control: Option<&'static str>,
}

/// The text of a program of the table.
pub fn oracle_program(name: &str) -> Option<&'static str> {
    PROGRAMS.iter().find(|it| it.0 == name).map(|it| it.1)
}

/// How each kind of fault is found, by the names of the faults.
pub fn oracles() -> &'static [Oracle] {
    ORACLES
}

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

/// The same, where the fault touches the host next to the portal.
const fn beyond(oracle: Oracle) -> Oracle {
    Oracle {
        control: Some(TARGET),
        ..oracle
    }
}

static ORACLES: &[Oracle] = &[
    west(
        "ack_thinning",
        "ack_thinning",
        &[("upload", "west")],
        Some("look_for=few acknowledgements"),
    ),
    west(
        "asymmetric_state",
        "asymmetric_state",
        &[("services", "west")],
        Some("look_for=state lost"),
    ),
    west(
        "backlog_full",
        "backlog_full@web",
        &[("many_syns", "west")],
        None,
    ),
    west(
        "bad_mtu_told",
        "bad_mtu_told",
        &[("mtu", "west")],
        Some("look_for=bad word"),
    ),
    west(
        "bad_offload",
        "bad_offload",
        &[("echoes", "west")],
        Some("look_for=damage"),
    ),
    west("bit_errors", "bit_errors", &[("sizes", "west")], None),
    west(
        "bleach_dscp",
        "bleach_dscp",
        &[("path", "west")],
        Some("look_for=class lost"),
    ),
    west(
        "bufferbloat",
        "bufferbloat",
        &[("load", "west")],
        Some("look_for=long queue"),
    ),
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
    west(
        "delay",
        "delay",
        &[("echoes", "west")],
        Some("look_for=distance"),
    ),
    beyond(west("dhcp_rogue", "dhcp_rogue", &[("dhcp", "west")], None)),
    west(
        "dns_tcp_blocked",
        "dns_tcp_blocked",
        &[("names", "west")],
        Some("look_for=no TCP"),
    ),
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
    west(
        "echo_blocked",
        "echo_blocked",
        &[("services", "west")],
        Some("look_for=no echo"),
    ),
    west(
        "ecn_blackhole",
        "ecn_blackhole",
        &[("handshake", "west")],
        Some("look_for=ECN"),
    ),
    west(
        "ecn_bleach",
        "ecn_bleach",
        &[("path", "west")],
        Some("look_for=marks lost"),
    ),
    west(
        "expedited_dropped",
        "expedited_dropped",
        &[("services", "west")],
        Some("look_for=expedited lost"),
    ),
    west(
        "extra_hops",
        "extra_hops",
        &[("path", "west")],
        Some("look_for=hidden hops"),
    ),
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
    west(
        "half_open",
        "half_open",
        &[("idle", "west")],
        Some("silence=6s"),
    ),
    west(
        "icmp_blocked",
        "icmp_blocked",
        &[("services", "west")],
        Some("look_for=no echo"),
    ),
    west(
        "jitter",
        "jitter",
        &[("echoes", "west")],
        Some("look_for=spread"),
    ),
    west(
        "large_dns_lost",
        "large_dns_lost",
        &[("names", "west")],
        Some("look_for=large lost"),
    ),
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
    west(
        "micro_loop",
        "micro_loop",
        &[("path_changes", "west")],
        Some("look_for=loops"),
    ),
    west(
        "misleading_source",
        "misleading_source",
        &[("path", "west")],
        Some("look_for=foreign source"),
    ),
    west(
        "missing_return",
        "missing_return",
        &[("probe_far", "west"), ("listen_far", "east")],
        Some("look_for=one way"),
    ),
    west(
        "missing_route",
        "missing_route",
        &[("path", "west")],
        Some("look_for=no route"),
    ),
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
    west(
        "mss_rewritten",
        "mss_rewritten",
        &[("handshake", "west")],
        Some("look_for=small MSS"),
    ),
    west(
        "mtu_hole",
        "mtu_hole",
        &[("mtu", "west")],
        Some("look_for=silent"),
    ),
    west("nat_idle", "nat_idle", &[("idle", "west")], None),
    west(
        "no_sack",
        "no_sack@web",
        &[("handshake", "west")],
        Some("look_for=no SACK"),
    ),
    west(
        "null_route",
        "null_route",
        &[("path", "west")],
        Some("look_for=black hole"),
    ),
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
    west(
        "overloaded_host",
        "overloaded_host",
        &[("echoes", "west")],
        Some("look_for=spread"),
    ),
    west(
        "packet_ecmp",
        "packet_ecmp@r2",
        &[("echoes", "west")],
        Some("look_for=disorder"),
    ),
    west(
        "path_mtu_blackhole",
        "path_mtu_blackhole",
        &[("mtu", "west")],
        Some("look_for=black hole"),
    ),
    west(
        "policer",
        "policer",
        &[("load", "west")],
        Some("look_for=policer"),
    ),
    west(
        "policy_route",
        "policy_route",
        &[("hash", "west")],
        Some("look_for=port"),
    ),
    west(
        "port_filter",
        "port_filter",
        &[("services", "west")],
        Some("look_for=port lost"),
    ),
    west(
        "prohibited_port",
        "prohibited_port",
        &[("services", "west")],
        Some("look_for=port prohibited"),
    ),
    west(
        "protocol_block",
        "protocol_block=99",
        &[("services", "west")],
        Some("look_for=protocol lost"),
    ),
    beyond(west(
        "proxy_arp",
        "proxy_arp",
        &[("neighbours", "west")],
        Some("look_for=answers for nobody"),
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
    west(
        "route_flap",
        "route_flap",
        &[("path_changes", "west")],
        Some("look_for=steps"),
    ),
    west("rst_injection", "rst_injection", &[("reset", "west")], None),
    west(
        "sequence_shifted",
        "sequence_shifted",
        &[("probe_far", "west"), ("listen_far", "east")],
        Some("look_for=shifted"),
    ),
    west(
        "shaper",
        "shaper",
        &[("load", "west")],
        Some("look_for=shaper"),
    ),
    west(
        "silent_corruption",
        "silent_corruption=10",
        &[("echoes", "west")],
        Some("look_for=altered"),
    ),
    west(
        "silent_router",
        "silent_router",
        &[("path", "west")],
        Some("look_for=silent hops"),
    ),
    west(
        "slow_control_plane",
        "slow_control_plane",
        &[("path", "west")],
        Some("look_for=slow answers"),
    ),
    west(
        "slow_reader",
        "slow_reader",
        &[("upload", "west")],
        Some("look_for=closed window"),
    ),
    west(
        "slow_server",
        "slow_server@web",
        &[("transfer", "west")],
        None,
    ),
    west(
        "small_mtu_member",
        "small_mtu_member",
        &[("flows", "west")],
        Some("size=1440"),
    ),
    west(
        "small_window",
        "small_window",
        &[("upload", "west")],
        Some("look_for=small window"),
    ),
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
    west(
        "syn_proxy",
        "syn_proxy",
        &[("handshake", "west")],
        Some("look_for=accepts for nobody"),
    ),
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
    west(
        "ttl_in_hash",
        "ttl_in_hash",
        &[("hash", "west")],
        Some("look_for=time to live"),
    ),
    west(
        "ttl_loop",
        "ttl_loop",
        &[("path", "west")],
        Some("look_for=loop"),
    ),
    west(
        "udp_idle",
        "udp_idle",
        &[("udp_idle", "west"), ("udp_idle_far", "east")],
        None,
    ),
    west(
        "window_scale_one_way",
        "window_scale_one_way",
        &[("handshake", "west")],
        Some("look_for=no scale"),
    ),
    west(
        "window_untracked",
        "window_untracked",
        &[("windows", "west")],
        None,
    ),
    west("wrong_speed", "wrong_speed", &[("line_rate", "west")], None),
];
