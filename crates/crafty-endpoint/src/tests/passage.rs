use super::*;
use crate::decision::Decision::*;

const ALL: (&str, &str) = ("packet_filter", "all");

fn with_answers() -> Handlers {
    Handlers {
        fixed: Some(ping_answers()),
        ..Handlers::default()
    }
}

#[test]
fn pings_of_both_families_are_answered_on_both_layers() {
    for mode in ["tun", "tap"] {
        for (address, reply) in [("10.7.0.9", 0), ("fd00:7::9", 129)] {
            let mut played = Played::new(
                &[("mode", mode), ALL],
                &Policy::builtin(),
                with_answers(),
                None,
            );
            played.hear(&ping(mode, address, 3));
            played.fates(&[(HandlerSend, 1)]);
            let [sent] = played.sent().try_into().expect("one packet");
            let asked = ping(mode, address, 3);
            assert_eq!(sent.len(), asked.len());
            let at = sent.len() - 16;
            assert_eq!(
                (sent[at], &sent[at + 4..]),
                (reply, &asked[at + 4..]),
                "id, sequence and payload come back"
            );
        }
    }
}

#[test]
fn forty_packets_reach_the_model_as_often_as_its_ceiling_allows() {
    let say = r#"{"actions":[{"type":"drop_packet","reason":"no service"}]}"#;
    for (most, calls) in [("6", 6), ("0", 0), ("3600", 16)] {
        let parrot = Arc::new(Parrot(say.into(), AtomicUsize::new(0)));
        let mut played = Played::new(
            &[("model_name", "m"), ("llm_max_per_minute", most)],
            &Policy::builtin(),
            Handlers::default(),
            Some(parrot.clone()),
        );
        let mut waiting = played.seen.waiting.lock().expect("a lock");
        waiting.extend((0..40).map(|n| ping("tun", "10.7.0.2", n)));
        drop(waiting);
        played.until_told(40);
        // All at once: no more than 16 are on their way.
        assert_eq!(parrot.1.load(Ordering::Relaxed), calls);
        assert_eq!(played.medium.totals.model_calls, calls as u64);
        match calls {
            0 => played.fates(&[(ModelDisabled, 40)]),
            _ => played.fates(&[(ModelDrop, calls as u64), (RateLimited, 40 - calls as u64)]),
        }
        assert!(played.sent().is_empty());
    }
}

#[test]
fn without_escalation_nobody_asks_the_model() {
    let parrot = Arc::new(Parrot("[]".into(), AtomicUsize::new(0)));
    let mut played = Played::new(
        &[("model_name", "m"), ("llm_escalation", "never")],
        &Policy::builtin(),
        Handlers::default(),
        Some(parrot.clone()),
    );
    played.hear(&ping("tun", "10.7.0.2", 1));
    played.fates(&[(ModelDisabled, 1)]);
    assert_eq!(parrot.1.load(Ordering::Relaxed), 0);
}

/// What a model says to a ping, and what becomes of it.
#[track_caller]
fn said(mode: &str, say: Value, wanted: Decision, sent: usize) -> String {
    let parrot = Arc::new(Parrot(
        json!({ "actions": say }).to_string(),
        AtomicUsize::new(0),
    ));
    let mut played = Played::new(
        &[
            ("mode", mode),
            ("model_name", "m"),
            ("packet_filter", "icmp,icmpv6"),
        ],
        &Policy::builtin(),
        Handlers::default(),
        Some(parrot),
    );
    played.hear(&ping(mode, "10.7.0.2", 1));
    played.until_told(1);
    played.fates(&[(wanted, 1)]);
    assert_eq!(played.sent().len(), sent, "{:?}", played.log());
    played.log().join("\n")
}

fn reply(changes: Value) -> Value {
    let mut action = json!({ "type": "send_packet", "source": "10.7.0.2", "destination": "10.7.0.1", "protocol": "icmp",
        "icmp_type": "echo_reply", "icmp_id": 7, "icmp_sequence": 1 });
    for (name, value) in changes.as_object().expect("fields") {
        action[name] = value.clone();
    }
    action
}

#[test]
fn each_answer_of_the_model_has_its_decision() {
    said("tun", json!([reply(json!({}))]), ModelSend, 1);
    said(
        "tun",
        json!([reply(json!({})), reply(json!({}))]),
        ModelSend,
        2,
    );
    said(
        "tun",
        json!([{ "type": "drop_packet", "reason": "no" }]),
        ModelDrop,
        0,
    );
    said("tun", json!([{ "type": "no_response" }]), ModelSilent, 0);
    said("tun", json!([]), ModelSilent, 0);
    said("tun", json!([reply(json!({ "ttl": 256 }))]), BuildError, 0);
    said(
        "tun",
        json!([reply(json!({})), reply(json!({ "icmp_type": "nonsense" }))]),
        BuildError,
        0,
    );
    said(
        "tun",
        json!([reply(json!({ "payload": "x".repeat(1500) }))]),
        BuildError,
        0,
    );
}

/// What the permissions do not grant is not sent, whatever is asked for with it.
#[test]
fn what_the_gate_refuses_is_not_written() {
    let denied = |changes| {
        said(
            "tun",
            json!([reply(json!({})), reply(changes)]),
            Permission,
            0,
        )
    };
    assert!(denied(json!({ "destination": "10.7.0.77" })).contains("did not ask"));
    assert!(denied(json!({ "source": "192.0.2.1" })).contains("(source)"));
    assert!(denied(json!({ "source": "10.7.0.1" })).contains("(source)"));
    denied(json!({ "source": "127.0.0.1" }));
    denied(json!({ "destination": "169.254.169.254" }));
    denied(json!({ "destination": "10.7.0.255" }));
    denied(json!({ "destination": "255.255.255.255" }));
    assert!(
        denied(
            json!({ "icmp_type": "router_advertisement", "icmp_id": null, "icmp_sequence": null })
        )
        .contains("(infrastructure)")
    );
    assert!(
        denied(json!({ "icmp_type": "dest_unreachable", "icmp_id": null, "icmp_sequence": null }))
            .contains("(foreign_quote)")
    );
    assert!(
        denied(
            json!({ "protocol": "gre", "icmp_type": null, "icmp_id": null, "icmp_sequence": null })
        )
        .len()
            > 1
    );
    let dhcp = json!({ "protocol": "udp", "source_port": 67, "destination_port": 68, "icmp_type": null, "icmp_id": null, "icmp_sequence": null });
    assert!(denied(dhcp).contains("(infrastructure)"));
    let mac = json!({ "source_mac": "02:00:00:00:00:77", "destination_mac": NEAR_MAC.to_string() });
    assert!(said("tap", json!([reply(mac)]), Permission, 0).contains("(source_mac)"));
    let mac = json!({ "source_mac": crate::far_end::FAR_MAC.to_string(), "destination_mac": "ff:ff:ff:ff:ff:ff" });
    said("tap", json!([reply(mac)]), Permission, 0);
}

/// The operator's limits narrow what actions may do.
#[test]
fn a_full_budget_sends_nothing_and_says_so() {
    let mut operator = Policy::builtin();
    operator.budget.max_packets = 3;
    let mut played = Played::new(&[], &operator, with_answers(), None);
    for n in 0..5 {
        played.hear(&ping("tun", "10.7.0.2", n));
    }
    played.fates(&[(HandlerSend, 3), (Budget, 2)]);
    assert_eq!(played.sent().len(), 3);
    assert!(
        played.log()[4].contains("max_packets"),
        "{:?}",
        played.log()
    );
    let mut nobody = Policy::builtin();
    nobody
        .destinations
        .deny(crafty_value::Net::host([10, 7, 0, 1].into()));
    let mut played = Played::new(&[], &nobody, with_answers(), None);
    played.hear(&ping("tun", "10.7.0.2", 1));
    played.fates(&[(Permission, 1)]);
}

#[test]
fn neighbours_are_answered_for_every_address_but_the_hosts() {
    for (asked, answered) in [
        ("10.7.0.2", true),
        ("10.7.0.200", true),
        ("10.7.0.1", false),
        ("10.7.0.255", false),
        ("10.8.0.2", false),
    ] {
        let mut played = Played::new(
            &[("mode", "tap"), ALL],
            &Policy::builtin(),
            Handlers::default(),
            None,
        );
        let target: std::net::Ipv4Addr = asked.parse().expect("an address");
        let mut arp = [
            &[0xff; 6][..],
            &NEAR_MAC.0,
            &[8, 6, 0, 1, 8, 0, 6, 4, 0, 1],
            &NEAR_MAC.0,
            &[10, 7, 0, 1],
            &[0; 6],
        ]
        .concat();
        arp.extend_from_slice(&target.octets());
        played.hear(&arp);
        match answered {
            true => {
                played.fates(&[(LinkAnswered, 1)]);
                let sent = &played.sent()[0];
                assert_eq!(
                    (&sent[..6], &sent[6..12]),
                    (&NEAR_MAC.0[..], &crate::far_end::FAR_MAC.0[..])
                );
                assert_eq!(
                    (&sent[20..22], &sent[28..32]),
                    (&[0, 2][..], &target.octets()[..])
                );
            }
            false => {
                played.fates(&[(Unreadable, 1)]);
                assert!(played.sent().is_empty());
            }
        }
    }
}

#[test]
fn what_a_filter_stops_is_counted_and_told_once() {
    let mut played = Played::new(
        &[("packet_filter", "icmp+to:10.7.0.2")],
        &Policy::builtin(),
        with_answers(),
        None,
    );
    played.hear(&ping("tun", "10.7.0.2", 1));
    played.hear(&ping("tun", "10.7.0.3", 1));
    played.hear(&ping("tun", "10.7.0.3", 2));
    played.fates(&[(Filtered, 2), (HandlerSend, 1)]);
    let warnings = played
        .log()
        .iter()
        .filter(|line| line.starts_with("warning: "))
        .count();
    assert_eq!((warnings, played.medium.totals.escalated), (1, 1));
}

/// Writes a fate's line into the same room each time, and has no events.
struct Quiet(String);

impl EndpointObserver for Quiet {
    fn event(&mut self, line: &str) {
        panic!("{line}");
    }

    fn fate(&mut self, fate: &Fate<'_>) {
        use std::fmt::Write;
        self.0.clear();
        write!(self.0, "{fate}").expect("a text");
    }

    fn warning(&mut self, _text: &str) {}
}

#[test]
fn a_filtered_packet_allocates_nothing() {
    for mode in ["tun", "tap"] {
        let mut played = Played::new(
            &[
                ("mode", mode),
                ("packet_filter", "tcp:80+from:10.7.0.0/24,udp:53,gre"),
            ],
            &Policy::builtin(),
            with_answers(),
            None,
        );
        played.medium.observer = Box::new(Quiet(String::with_capacity(1_000)));
        let packets = [ping(mode, "10.7.0.2", 1), ping(mode, "fd00:7::2", 1)];
        let pass =
            |played: &mut Played| packets.iter().for_each(|packet| played.medium.take(packet));
        pass(&mut played);
        let counted = allocation_counter::measure(|| (0..1_000).for_each(|_| pass(&mut played)));
        assert_eq!(counted.count_total, 0, "{mode}");
        assert_eq!(played.medium.totals.of(Filtered), 2_002);
    }
}

/// Where an operator approves or counts what is sent, nobody may answer whose answers cannot be: no
/// interface is made.
#[test]
fn what_cannot_be_approved_does_not_answer_where_approval_is_demanded() {
    let name = format!("crafty-answers-{}.json", std::process::id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, r#"[{"type": "no_response"}]"#).expect("a file");
    let given = options(&[("static_handler", &file.to_string_lossy())]);
    let mut counting = Policy::builtin();
    counting.host_quotas = crafty_policy::HostQuotas {
        hour: crafty_policy::Quota::NOTHING,
        ..counting.host_quotas
    };
    let mut approving = Policy::builtin();
    approving.require_approval = Some(Default::default());
    for operator in [&counting, &approving] {
        for given in [&given, &options(&[])] {
            let open = crate::Endpoint::open(given, operator, None, Box::new(Seen::default()), 1);
            let error = open.err().expect("it is refused").to_string();
            assert!(error.contains("approves or counts"), "{error}");
        }
    }
    std::fs::remove_file(&file).expect("the file");
}
