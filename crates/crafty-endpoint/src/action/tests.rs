use super::*;
use crate::far_end::FarEnd;
use crate::heard::{PacketReader, ethernet, network_layer};
use crate::option::EndpointOptions;
use crafty_wire::ChecksumStatus;
use serde_json::json;

const ECHO: &str = r#"{"type":"send_packet","source":"10.7.0.2","destination":"10.7.0.1","protocol":"icmp","icmp_type":"echo_reply","icmp_id":4660,"icmp_sequence":1,"payload":"netget"}"#;

/// The echo reply with some fields replaced; null takes one away.
fn with(changes: Value) -> Value {
    let mut action: Value = serde_json::from_str(ECHO).expect("an action");
    for (name, value) in changes.as_object().expect("fields") {
        action[name] = value.clone();
    }
    action
}

fn far(mode: &str, more: &[(&str, &str)]) -> FarEnd {
    let given = [
        &[
            ("mode", mode),
            ("address", "10.7.0.1"),
            ("address", "fd00:7::1/64"),
        ],
        more,
    ]
    .concat();
    let given: Vec<(String, String)> = given
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect();
    let options = EndpointOptions::new(&given).expect("options");
    FarEnd::new(
        &options,
        "far0",
        Some(crafty_value::Mac([2, 0, 0, 0, 0, 1])),
    )
}

#[track_caller]
fn refused(link: AnswerLink, action: Value, wanted: &str) {
    let error = read_answer(&action, link)
        .expect_err("a mistake")
        .to_string();
    assert!(error.starts_with(wanted), "{action}: {error}");
}

#[test]
fn every_field_rule_refuses_what_breaks_it() {
    let rows = [
        (json!({"source": null}), "`source` is required"),
        (
            json!({"source": "10.7.0"}),
            "`source` `10.7.0` is not an address",
        ),
        (
            json!({"destination": "fd00:7::1"}),
            "`destination` is of another family",
        ),
        (
            json!({"ip_version": 6}),
            "`ip_version` is 6, and the addresses are of IPv4",
        ),
        (
            json!({"ip_version": 7}),
            "`ip_version` is not a whole number from 0 to 6",
        ),
        (json!({"protocol": null}), "`protocol` is required"),
        (json!({"protocol": "icpm"}), "`protocol` is neither"),
        (json!({"protocol": 256}), "`protocol` is neither"),
        (
            json!({"protocol": "icmpv6"}),
            "`protocol` is `icmpv6`, and IPv4 has `icmp`",
        ),
        (
            json!({"ttl": 256}),
            "`ttl` is not a whole number from 0 to 255",
        ),
        (json!({"ttl": -1}), "`ttl` is not"),
        (json!({"ttl": 1.5}), "`ttl` is not"),
        (json!({"ttl": "64"}), "`ttl` is not"),
        (
            json!({"ttl": 3, "hop_limit": 4}),
            "`hop_limit` contradicts `ttl`",
        ),
        (json!({"identification": 65536}), "`identification` is not"),
        (json!({"source_port": 7}), "`source_port` has no place"),
        (json!({"flags": ["ack"]}), "`flags` has no place"),
        (json!({"protocol": "tcp"}), "`source_port` is required"),
        (
            json!({"protocol": "udp", "source_port": 7, "icmp_type": null}),
            "`destination_port` is required",
        ),
        (
            json!({"protocol": "tcp", "source_port": 7, "destination_port": 9}),
            "`icmp_type` has no place",
        ),
        (json!({"icmp_type": null}), "`icmp_type` is required"),
        (json!({"icmp_type": "echo"}), "`icmp_type` is neither"),
        (
            json!({"icmp_type": "time_exceeded"}),
            "`icmp_id` has no place",
        ),
        (json!({"icmp_code": 256}), "`icmp_code` is not"),
        (json!({"icmp_id": 65536}), "`icmp_id` is not"),
        (
            json!({"payload_encoding": "hex"}),
            "`payload` is not pairs of hex digits",
        ),
        (
            json!({"payload": "abc", "payload_encoding": "hex"}),
            "`payload` is not pairs of hex digits",
        ),
        (
            json!({"payload_encoding": "base64"}),
            "`payload_encoding` is `base64`",
        ),
        (json!({"payload": 7}), "`payload` is a text"),
        (
            json!({"checksum": 7}),
            "this action has no field `checksum`",
        ),
        (json!({"type": "reply"}), "`reply` is not a type of action"),
        (json!({"type": null}), "an action has a `type`"),
        (
            json!({"type": "drop_packet"}),
            "this action has no field `source`",
        ),
    ];
    for (changes, wanted) in rows {
        refused(AnswerLink::Packets, with(changes), wanted);
    }
    let macs = json!({"source_mac": "02:00:00:00:00:02", "destination_mac": "02:00:00:00:00:01"});
    refused(
        AnswerLink::Packets,
        with(macs),
        "`source_mac` and `destination_mac` are for TAP only",
    );
    let half = json!({"source_mac": "02:00:00:00:00:02"});
    refused(
        AnswerLink::Frames,
        with(half),
        "`source_mac` and `destination_mac` are given together",
    );
    let bad = json!({"source_mac": "02:00:00:00:00:02", "destination_mac": "2:0:0:0:0:1"});
    refused(
        AnswerLink::Frames,
        with(bad),
        "`destination_mac` `2:0:0:0:0:1` is not written",
    );
    let flags = json!({"protocol": "tcp", "source_port": 7, "destination_port": 9, "flags": ["syn", "xmas"],
        "icmp_type": null, "icmp_id": null, "icmp_sequence": null});
    refused(
        AnswerLink::Packets,
        with(flags),
        "`flags` has `xmas`, which is none of fin, syn",
    );
    refused(AnswerLink::Packets, json!("send"), "an answer is an action");
    refused(
        AnswerLink::Packets,
        json!(vec![json!({"type": "no_response"}); 17]),
        "an answer has at most 16",
    );
    refused(
        AnswerLink::Packets,
        json!({"actions": [], "type": "no_response"}),
        "`actions` stands alone",
    );
}

/// Builds an action, and reads back what it says.
#[track_caller]
fn built(mode: &str, action: Value, wanted: Value) {
    let far = far(mode, &[]);
    let (link, layer): (_, fn(&[u8]) -> _) = match mode {
        "tun" => (AnswerLink::Packets, |bytes| {
            network_layer(bytes).expect("IP")
        }),
        _ => (AnswerLink::Frames, |_| ethernet()),
    };
    let actions = read_answer(&action, link).expect("an action");
    let [EndpointAction::SendPacket(packet)] = actions.as_slice() else {
        panic!("{actions:?}");
    };
    let bytes = build(packet, &far).expect("a packet");
    let mut reader = PacketReader::default();
    let heard = reader.read(layer(&bytes), &bytes).expect("an IP packet");
    let view = reader.view(&bytes);
    for at in 0..view.layers().len() {
        let status = view.checksum(at);
        assert!(
            matches!(status, None | Some(ChecksumStatus::Good)),
            "{action}: layer {at} {status:?}"
        );
        assert_eq!(view.decoded.warnings(at).count(), 0, "{action}: layer {at}");
    }
    let event = crate::event::packet_received(1, &heard, &view);
    for (name, value) in wanted.as_object().expect("fields") {
        assert_eq!(&event[name], value, "{name} of {event}");
    }
}

#[test]
fn what_is_built_says_what_was_named_and_documented_defaults() {
    built(
        "tun",
        with(json!({})),
        json!({"source": "10.7.0.2", "destination": "10.7.0.1", "ttl": 64, "icmp_type": "echo_reply",
        "icmp_code": 0, "icmp_id": 4660, "icmp_sequence": 1, "payload_preview": "netget", "total_length": 34}),
    );
    let tcp = json!({"type": "send_packet", "source": "10.7.0.2", "destination": "10.7.0.1", "protocol": "tcp",
        "source_port": 80, "destination_port": 40000});
    built(
        "tun",
        tcp.clone(),
        json!({"tcp_flags": ["ack"], "seq": 0, "ack": 0, "window": 65535, "payload_length": 0, "source_port": 80}),
    );
    let mut syn = tcp;
    syn["flags"] = json!(["syn", "ack"]);
    syn["seq"] = json!(u32::MAX);
    syn["payload"] = json!("6869");
    syn["payload_encoding"] = json!("hex");
    built(
        "tun",
        syn,
        json!({"tcp_flags": ["syn", "ack"], "seq": u32::MAX, "payload_preview": "hi"}),
    );
    let six = json!({"type": "send_packet", "source": "fd00:7::2", "destination": "fd00:7::1", "protocol": "icmpv6", "ip_version": 6,
        "icmp_type": "neighbor_advertisement", "payload": "fd000007000000000000000000000002", "payload_encoding": "hex", "hop_limit": 255});
    built(
        "tap",
        six,
        json!({"icmp_type": "neighbor_advertisement", "hop_limit": 255, "payload_length": 0}),
    );
    let udp = json!({"type": "send_packet", "source": "fd00:7::2", "destination": "fd00:7::1", "protocol": 17,
        "source_port": 53, "destination_port": 40000, "payload": "odd"});
    built(
        "tap",
        udp,
        json!({"protocol": "udp", "hop_limit": 64, "payload_preview": "odd",
        "ethernet": {"source_mac": "02:63:72:66:74:79", "destination_mac": "02:00:00:00:00:01", "ethertype": 0x86dd}}),
    );
    let gre = json!({"type": "send_packet", "source": "10.7.0.2", "destination": "10.7.0.1", "protocol": "200", "payload": "x"});
    built(
        "tun",
        gre,
        json!({"protocol": "unknown", "protocol_number": 200, "payload_preview": "x"}),
    );
    let exceeded = with(
        json!({"icmp_type": "destination_unreachable", "icmp_code": 1, "icmp_id": null, "icmp_sequence": null, "payload": null}),
    );
    built(
        "tun",
        exceeded,
        json!({"icmp_type": "dest_unreachable", "icmp_code": 1}),
    );
}

#[test]
fn a_packet_longer_than_the_mtu_is_not_built() {
    let far = far("tun", &[("mtu", "1280")]);
    let long = |len: usize| {
        let action = with(json!({"payload": "x".repeat(len)}));
        let actions = read_answer(&action, AnswerLink::Packets).expect("an action");
        let [EndpointAction::SendPacket(packet)] = actions.as_slice() else {
            panic!("{actions:?}");
        };
        build(packet, &far).map(|bytes| bytes.len())
    };
    assert_eq!((long(1252), long(1253)), (Some(1280), None));
    assert_eq!(long(200_000), None);
}
