//! What is read of packets that are cut, broken or lie: what is there, and nothing else.

use crafty_wire::{
    ChecksumStatus, Decoded, FieldValue, Header, OptionValue, SetError, decode, encode, layer,
    patch,
};

use crate::notation::{Text, hex, show};

/// Builds `stack` (or takes hex digits after the name of the first layer), cuts it to `keep` bytes,
/// and asks.
pub fn check(stack: &str, keep: usize, asks: &[(&str, &str)]) {
    let (octets, wire_len, first) = frame(stack);
    let kept = &octets[..keep.min(octets.len())];
    let mut decoded = Decoded::new();
    decode(
        layer(&first).expect("a layer"),
        kept,
        wire_len,
        &mut decoded,
    );
    for (ask, expected) in asks {
        assert_eq!(
            answer(kept, &decoded, ask),
            *expected,
            "{ask} of {stack}\n{decoded:#?}"
        );
    }
}

fn frame(stack: &str) -> (Vec<u8>, usize, String) {
    let mut octets = Vec::new();
    if let Some((first, digits)) = stack.split_once(' ').filter(|_| !stack.starts_with('/')) {
        octets = hex(digits);
        return (octets.clone(), octets.len(), first.into());
    }
    let headers = Text(stack).stack();
    encode(&headers, &mut octets);
    let len = octets.len();
    (octets, len, headers[0].layer().name.into())
}

fn answer(octets: &[u8], decoded: &Decoded, ask: &str) -> String {
    if ask == "layers" {
        return decoded
            .layers
            .iter()
            .map(|found| found.layer.name)
            .collect::<Vec<_>>()
            .join(" ");
    }
    if ask == "oddities" {
        return crate::golden::oddities(octets, decoded).join("; ");
    }
    let mut words = ask.split('.');
    let name = words.next().expect("a layer");
    let number = usize::from(name.ends_with('\''));
    let Some(i) = decoded.position(layer(name.trim_end_matches('\'')).expect("a layer"), number)
    else {
        return "no layer".into();
    };
    let (index, _) = decoded.layers[i]
        .layer
        .field(words.next().expect("a field"))
        .expect("a field of the layer");
    let value = match (words.next(), words.next()) {
        (None, _) => decoded.read(octets, i, index),
        (Some(option), None) => {
            return decoded
                .option(octets, i, index, option)
                .map_or("absent".into(), |option| text_of(&option));
        }
        (Some(option), Some(part)) => decoded.option_field(octets, i, index, option, part),
    };
    value.map_or("absent".into(), |value| text(&value))
}

fn text(value: &FieldValue) -> String {
    match value {
        FieldValue::Uint(value) => value.to_string(),
        FieldValue::Wide(value) => std::net::Ipv6Addr::from_bits(*value).to_string(),
        FieldValue::Bytes(octets) => format!("#{}", show(octets)),
        FieldValue::Text(text) => format!("{text:?}"),
        FieldValue::Options(list) => list.iter().map(text_of).collect::<Vec<_>>().join(" "),
    }
}

fn text_of(option: &OptionValue) -> String {
    match option {
        OptionValue::Named { option, values } => format!(
            "{}({})",
            option.name,
            values.iter().map(text).collect::<Vec<_>>().join(",")
        ),
        OptionValue::Raw(octets) => format!("raw(#{})", show(octets)),
    }
}

const QUOTE: &str = "/IP(src=192.0.2.1, dst=192.0.2.2)/ICMP(type=time_exceeded)/IP(src=192.0.2.2, dst=203.0.113.1)/TCP(src=1, dst=81, seq=7)";

#[test]
fn a_quote_has_what_was_quoted() {
    let asks = [
        ("layers", "IP ICMP IP TCP"),
        ("IP'.dst", "3405803777"),
        ("TCP.seq", "7"),
        ("TCP.ack", "absent"),
        ("TCP.flags", "absent"),
        ("TCP.options", "absent"),
        ("ICMP.length", "0"),
        ("ICMP.id", "absent"),
        ("ICMP.ext", "absent"),
    ];
    check(
        &QUOTE
            .replace("/TCP(src=1, dst=81, seq=7)", "/Bytes(#0001005100000007)")
            .replace("dst=203.0.113.1", "dst=203.0.113.1, proto=tcp"),
        999,
        &asks,
    );
}

#[test]
fn a_cut_capture_says_so() {
    let tcp = "/Eth/IP(src=192.0.2.1, dst=192.0.2.2)/TCP(src=1, dst=81, seq=7, options=[mss(1400)])/Bytes(\"abcdef\")";
    check(
        tcp,
        999,
        &[("oddities", ""), ("TCP.options.mss", "mss(1400)")],
    );
    check(
        tcp,
        61,
        &[
            ("layers", "Eth IP TCP Bytes"),
            (
                "oddities",
                "TCP.checksum NotVerifiable; Bytes: the capture kept 61 of 64 bytes",
            ),
            ("Bytes.data", "#616263"),
        ],
    );
    check(
        tcp,
        56,
        &[
            ("layers", "Eth IP TCP"),
            ("TCP.window", "65535"),
            ("TCP.options", "raw(#0204)"),
            ("TCP.options.mss", "absent"),
            (
                "oddities",
                "TCP: truncated: 22 of 24 bytes; TCP: the capture kept 56 of 64 bytes; TCP.checksum NotVerifiable",
            ),
        ],
    );
    check(
        tcp,
        40,
        &[
            ("layers", "Eth IP TCP"),
            ("TCP.dst", "81"),
            ("TCP.seq", "absent"),
            ("TCP.options.mss.size", "absent"),
        ],
    );
    check(
        tcp,
        13,
        &[
            ("layers", "Eth"),
            ("Eth.type", "absent"),
            (
                "oddities",
                "Eth: truncated: 13 of 14 bytes; Eth: the capture kept 13 of 64 bytes",
            ),
        ],
    );
    check(tcp, 0, &[("layers", "")]);
}

#[test]
fn options_are_read_by_name() {
    let tcp =
        "/IP/TCP(dst=81, options=[mss(1460), nop, wscale(7), sack(1, 2, 3, 4), raw(#fd041234)])";
    check(
        tcp,
        999,
        &[
            ("TCP.options.mss.size", "1460"),
            ("TCP.options.wscale", "wscale(7)"),
            ("TCP.options.sack.right", "2"),
            ("TCP.options.ts", "absent"),
            (
                "TCP.options",
                "mss(1460) nop() wscale(7) sack(1,2,3,4) raw(#fd041234) eol()",
            ),
        ],
    );
    // A length that does not fit its kind is no such option.
    check(
        "/IP/TCP(dst=81, options=[raw(#02060102030400000000)])",
        999,
        &[("TCP.options.mss", "absent")],
    );
}

#[test]
fn overlays_follow_the_type() {
    check(
        "/IP/ICMP(type=redirect, gateway=192.0.2.9)",
        999,
        &[
            ("ICMP.gateway", "3221225993"),
            ("ICMP.id", "absent"),
            ("ICMP.mtu", "absent"),
        ],
    );
    // A meaning that the type does not have is written anyway.
    check(
        "/IP/ICMP(type=echo_request, gateway=1.2.3.4)",
        999,
        &[
            ("ICMP.id", "258"),
            ("ICMP.seq", "772"),
            ("ICMP.gateway", "absent"),
        ],
    );
    check(
        "/IP6/ICMP6(type=50)/Bytes(#01)",
        999,
        &[("layers", "IP6 ICMP6 Bytes"), ("ICMP6.id", "absent")],
    );
}

#[test]
fn optional_parts_follow_their_flags() {
    check(
        "/IP/GRE(seq=5)/Eth(type=0x88b5)/Bytes(\"x\")",
        999,
        &[
            ("GRE.flags", "2"),
            ("GRE.seq", "5"),
            ("GRE.key", "absent"),
            ("layers", "IP GRE Eth Bytes"),
        ],
    );
    check(
        "/IP/GRE(flags=key+seq, seq=5)/Bytes(\"x\")",
        999,
        &[
            ("GRE.key", "0"),
            ("GRE.seq", "5"),
            ("GRE.checksum", "absent"),
        ],
    );
    // A part that is set is there, whatever the flags say; then it reads as what is carried.
    check(
        "/IP/GRE(flags=0, key=5)/Bytes(\"x\")",
        999,
        &[("GRE.key", "absent"), ("Bytes.data", "#0000000578")],
    );
}

#[test]
fn lengths_bound_what_is_read() {
    check(
        "Eth ffffffffffff020000000001 0006 0102030405060000",
        999,
        &[
            ("layers", "Eth LLC Bytes"),
            ("Bytes.data", "#040506"),
            ("oddities", "Eth: 2 bytes of padding"),
        ],
    );
    check(
        "/IP/UDP(src=1, dst=2, len=10)/Bytes(\"abcd\")",
        999,
        &[("Bytes.data", "#6162")],
    );
    check(
        "/IP/UDP(src=1, dst=2, len=3, checksum=0)/Bytes(\"abcd\")",
        999,
        &[
            ("Bytes.data", "#61626364"),
            ("oddities", "UDP: the length says 3 bytes, but there are 12"),
        ],
    );
    check(
        "/IP6(len=0)/TCP(dst=81)",
        999,
        &[
            ("layers", "IP6 TCP"),
            (
                "oddities",
                "IP6: the length is zero (segmentation offload or a jumbogram)",
            ),
        ],
    );
    check(
        "/IP6(len=0, next=none)/Bytes(#0000)",
        999,
        &[("layers", "IP6"), ("oddities", "IP6: 2 bytes of padding")],
    );
}

#[test]
fn no_layer_is_guessed() {
    check(
        "/Eth/ARP(plen=8)",
        999,
        &[
            ("layers", "Eth Bytes"),
            (
                "oddities",
                "Bytes: these bytes are not a supported form of `ARP`",
            ),
        ],
    );
    check(
        "/IP/UDP(src=5353, dst=5353)/Bytes(#01020304)",
        999,
        &[("layers", "IP UDP Bytes")],
    );
    check(
        "/IP(frag=1)/UDP(src=1, dst=2)",
        999,
        &[("layers", "IP Bytes")],
    );
    check("/IP(proto=200)/Bytes(#01)", 999, &[("layers", "IP Bytes")]);
    check(
        "/Null(family=7)/Bytes(#45)",
        999,
        &[("layers", "Null Bytes")],
    );
}

#[test]
fn a_layer_chosen_by_its_port_is_marked() {
    let (octets, len, _) = frame("/IP/UDP(src=53, dst=40000)/DNS(qname=\"a\")");
    let mut decoded = Decoded::new();
    decode(layer("IP").expect("it is"), &octets, len, &mut decoded);
    let marks: Vec<_> = decoded
        .layers
        .iter()
        .map(|found| (found.layer.name, found.guessed))
        .collect();
    assert_eq!(marks, [("IP", false), ("UDP", false), ("DNS", true)]);
}

const ANSWER: &str =
    "DNS 0007 8180 0001 0003 0000 0001 03777777 07 6578616d706c65 03636f6d 00 0001 0001
    c00c 0005 0001 0000003c 0007 04686f7374 c010
    c02d 0001 0001 0000012c 0004 c0000250
    c02d 001c 0001 0000012c 0010 20010db8000000000000000000000080
    00 0029 04d0 00008000 0000";

#[test]
fn names_are_followed_back() {
    check(
        ANSWER,
        999,
        &[
            ("DNS.qname", "\"www.example.com\""),
            ("DNS.qtype", "1"),
            ("DNS.cname", "\"host.example.com\""),
            ("DNS.ttl", "60"),
            ("DNS.address", "3221226064"),
            ("DNS.address6", "2001:db8::80"),
            ("DNS.edns_size", "1232"),
            ("DNS.edns_do", "1"),
            (
                "DNS.answers",
                "\"www.example.com 60 cname host.example.com; host.example.com 300 a 192.0.2.80; host.example.com 300 aaaa 2001:db8::80\"",
            ),
        ],
    );
    check(
        ANSWER,
        60,
        &[
            ("DNS.qname", "\"www.example.com\""),
            ("DNS.address", "absent"),
            (
                "DNS.answers",
                "\"www.example.com 60 cname host.example.com\"",
            ),
        ],
    );
    // Pointers to themselves, forward, and in a circle.
    for name in [
        "c00c",
        "c00e 00",
        "0161 c00c",
        "c012 0000 0000 c00c",
        "80",
        "3f61",
        "c0",
    ] {
        check(
            &format!("DNS 0001 0000 0001 0000 0000 0000 {name}"),
            999,
            &[("DNS.qname", "absent"), ("DNS.qtype", "absent")],
        );
    }
    check(
        "DNS 0001 0000 ffff ffff ffff ffff",
        999,
        &[
            ("DNS.qname", "absent"),
            ("DNS.answers", "\"\""),
            ("DNS.edns_size", "absent"),
        ],
    );
    check(
        "/IP/UDP(dst=53)/DNS(qname=\"a\\.b.c\\007\")",
        999,
        &[
            ("DNS.qname", "\"a\\\\.b.c\\\\007\""),
            ("DNS.qdcount", "1"),
            ("DNS.rd", "1"),
        ],
    );
}

#[test]
fn an_offloaded_checksum_is_not_called_bad() {
    let (octets, len, _) = frame("/IP/UDP(src=1, dst=2, checksum=7)/Bytes(\"x\")");
    let mut decoded = Decoded::new();
    decode(layer("IP").expect("it is"), &octets, len, &mut decoded);
    assert!(matches!(
        decoded.checksum(&octets, 1, 3),
        ChecksumStatus::Bad { .. }
    ));
    decoded.checksums_pending = true;
    assert_eq!(
        (
            decoded.checksum(&octets, 1, 3),
            decoded.checksum(&octets, 0, 10)
        ),
        (ChecksumStatus::NotComputed, ChecksumStatus::Good)
    );
}

#[test]
fn a_field_takes_what_fits() {
    let set = |name: &str, field: &str, value| {
        Header::new(layer(name).expect("it is"))
            .with(field, value)
            .map(|_| ())
    };
    let rows = [
        (set("IP", "ttl", FieldValue::Uint(255)), Ok(())),
        (
            set("IP", "ttl", FieldValue::Uint(256)),
            Err(SetError::TooWide { bits: 8 }),
        ),
        (set("IP", "id", FieldValue::Uint(0x1_0001)), Ok(())),
        (set("TCP", "seq", FieldValue::Uint(u64::MAX)), Ok(())),
        (
            set("IP", "ttl", FieldValue::Bytes(vec![1])),
            Err(SetError::WrongKind),
        ),
        (
            set("IP", "hops", FieldValue::Uint(1)),
            Err(SetError::NoSuchField),
        ),
        (
            set("SLL", "address", FieldValue::Bytes(vec![0; 9])),
            Err(SetError::TooWide { bits: 64 }),
        ),
        (set("IP6", "src", FieldValue::Wide(1)), Ok(())),
        (set("TCP", "options", FieldValue::Bytes(vec![1, 1])), Ok(())),
    ];
    rows.iter()
        .for_each(|(found, expected)| assert_eq!(found, expected));
}

#[test]
fn a_patched_frame_keeps_its_checksums() {
    let (mut octets, len, _) =
        frame("/Eth/IP(src=192.0.2.1, dst=192.0.2.2)/TCP(dst=81)/Bytes(\"abc\")");
    let mut decoded = Decoded::new();
    for (i, name, value) in [
        (1, "ttl", 7),
        (1, "src", 0x0102_0304),
        (1, "dscp", 46),
        (2, "src", 9999),
        (2, "flags", 0x10),
    ] {
        decode(layer("Eth").expect("it is"), &octets, len, &mut decoded);
        let (field, _) = decoded.layers[i].layer.field(name).expect("a field");
        assert_eq!(patch(&mut octets, &decoded, i, field, value), Ok(()));
        assert_eq!(decoded.read_uint(&octets, i, field), Some(value));
        assert_eq!(crate::golden::oddities(&octets, &decoded), [""; 0]);
    }
    assert_eq!(
        patch(&mut octets, &decoded, 1, 8, 256),
        Err(SetError::TooWide { bits: 8 })
    );
}
