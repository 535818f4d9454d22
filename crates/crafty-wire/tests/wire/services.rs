//! What is read of services, as they are on the wire and as hostile peers might send them.

use crafty_wire::{Decoded, FieldValue, Header, decode, encode, layer};

use crate::reading::check;

#[test]
fn tls_tells_names_and_never_guesses() {
    let hello = "/TLS(sni=\"example.com\", alpn=\"h2 http/1.1\", versions=\"tls1_3 tls1_2\", ciphers=\"1301 c02f\")";
    check(
        hello,
        999,
        &[
            ("TLS.handshake", "1"),
            ("TLS.sni", "\"example.com\""),
            ("TLS.alpn", "\"h2 http/1.1\""),
            ("TLS.versions", "\"tls1_3 tls1_2\""),
            ("TLS.ciphers", "\"1301 c02f\""),
            ("TLS.cipher", "absent"),
        ],
    );
    // A hello that goes on in the next segment: what is there is read.
    check(
        hello,
        80,
        &[
            ("TLS.handshake", "1"),
            ("TLS.sni", "\"example.com\""),
            ("TLS.alpn", "absent"),
        ],
    );
    let answer = &format!("TLS {ANSWER}");
    check(
        answer,
        9999,
        &[
            ("TLS.handshake", "2"),
            ("TLS.cipher", "49199"),
            ("TLS.cert_names", "\"www.example.com *.example.org\""),
        ],
    );
    check(
        answer,
        300,
        &[("TLS.handshake", "2"), ("TLS.cert_names", "absent")],
    );
    // Encrypted handshake: no message of that kind can be so long.
    check(
        "TLS 16030300080214a1b2c3d4e5f6",
        999,
        &[("TLS.handshake", "absent"), ("TLS.hello_version", "absent")],
    );
    check(
        "TLS 15030300020228",
        999,
        &[
            ("TLS.alert_level", "2"),
            ("TLS.alert", "40"),
            ("TLS.handshake", "absent"),
        ],
    );
    check("TLS 17030300020228", 999, &[("TLS.alert", "absent")]);
}

#[test]
fn bgp_reads_both_sizes_of_numbers() {
    let marker = "BGP ffffffffffffffffffffffffffffffff";
    let two = format!("{marker}002f020000001440010100400206020201f40208400304c0000201180a0000");
    check(
        &two,
        999,
        &[
            ("BGP.as_path", "\"500 520\""),
            ("BGP.origin", "0"),
            ("BGP.nlri", "\"10.0.0.0/24\""),
            ("oddities", ""),
        ],
    );
    let set = "/BGP(type=update, as_path=\"65001\", nlri=\"0.0.0.0/0\")";
    check(
        set,
        999,
        &[
            ("BGP.as_path", "\"65001\""),
            ("BGP.nlri", "\"0.0.0.0/0\""),
            ("BGP.next_hop", "absent"),
            ("BGP.withdrawn", "\"\""),
        ],
    );
    // A prefix longer than an address, and attributes that run over the end.
    check(
        &format!("{marker}0019020000000021ff"),
        999,
        &[("BGP.nlri", "absent")],
    );
    check(
        &format!("{marker}00170200000009"),
        999,
        &[("BGP.nlri", "absent"), ("BGP.origin", "absent")],
    );
    check(
        "/BGP(type=open, as4=4200000001)",
        999,
        &[("BGP.as4", "4200000001"), ("BGP.capabilities", "\"65\"")],
    );
}

#[test]
fn snmp_reads_what_is_there() {
    let response = "SNMP 302d02010104067075626c6963a2200202ff7f02010002010030143012060a2b06010201010300aa7f4304ffffffff";
    check(
        response,
        999,
        &[
            ("SNMP.community", "\"public\""),
            ("SNMP.pdu", "2"),
            ("SNMP.request_id", "4294967167"),
        ],
    );
    check(
        "/SNMP(oid=\"1.3.6.1.4.1.4294967295\")",
        999,
        &[
            ("SNMP.oid", "\"1.3.6.1.4.1.4294967295\""),
            ("SNMP.value", "#"),
            ("SNMP.value_type", "5"),
        ],
    );
    check(
        "/SNMP(version=v3)",
        999,
        &[("SNMP.version", "3"), ("SNMP.community", "absent")],
    );
    check(
        "SNMP 3084ffffffff0201",
        999,
        &[("SNMP.version", "absent"), ("SNMP.oids", "absent")],
    );
    check("SNMP 308000", 999, &[("SNMP.version", "absent")]);
}

#[test]
fn heads_of_text_protocols() {
    let answer =
        "/HTTP(status=404, reason=\"Not Found\", server=\"s\", headers=\"X-A: 1\")/Bytes(\"body\")";
    check(
        answer,
        999,
        &[
            ("HTTP.status", "404"),
            ("HTTP.reason", "\"Not Found\""),
            ("HTTP.method", "absent"),
            ("HTTP.server", "\"s\""),
            ("HTTP.headers", "\"Server: s\\r\\nX-A: 1\""),
            ("Bytes.data", "#626f6479"),
        ],
    );
    check(
        "/SIP(call_id=\"1\")",
        999,
        &[
            ("SIP.method", "\"OPTIONS\""),
            ("SIP.call_id", "\"1\""),
            ("SIP.from", "absent"),
        ],
    );
    check(
        "/Syslog(facility=23, severity=debug, message=\"x\")",
        999,
        &[
            ("Syslog.facility", "23"),
            ("Syslog.severity", "7"),
            ("Syslog.version", "absent"),
            ("Syslog.message", "\"x\""),
        ],
    );
    // No priority is invented.
    check(
        "/UDP(src=1, dst=514)/Bytes(\"<192>x\")",
        999,
        &[("layers", "UDP Bytes")],
    );
    check(
        "/TCP(src=1, dst=80)/Bytes(\"just data\")",
        999,
        &[("layers", "TCP Bytes")],
    );
}

#[test]
fn lists_that_lie_end() {
    for stack in [
        "STUN 000100082112a442000102030405060708090a0b8022ffff00240004",
        "LLDP 02ff0700",
        "DHCP6 0100000100010000",
    ] {
        let layer = stack.split(' ').next().expect("a layer");
        check(stack, 999, &[("layers", layer)]);
    }
    check(
        "CDP 02b4000000010000",
        999,
        &[("CDP.tlvs", "raw(#00010000)")],
    );
    check(
        "RADIUS 01010016000102030405060708090a0b0c0d0e0f0100",
        999,
        &[("RADIUS.attributes", "raw(#0100)")],
    );
    check(
        "SCTP 0001000200000000000000000100000300",
        999,
        &[("SCTP.chunks", "raw(#0100000300)")],
    );
    check(
        "GTPU 34ff000000000007000000850000",
        999,
        &[("layers", "GTPU"), ("GTPU.qfi", "absent")],
    );
    // A record with auxiliary data is kept whole, and the next one is found.
    let report = "/IGMP(type=v3_report, count=2, records=[raw(#01010000ef010101aabbccdd), to_exclude(239.1.1.2)])";
    check(
        report,
        999,
        &[(
            "IGMP.records",
            "raw(#01010000ef010101aabbccdd) to_exclude(4009820418)",
        )],
    );
}

#[test]
fn checksums_follow_the_header() {
    let inner = "/IP(src=10.0.0.1, dst=10.0.0.2, id=2)/UDP(src=7, dst=9)/Bytes(\"data\")";
    check(
        &format!("/IP(src=192.0.2.1, dst=192.0.2.2)/PIM(type=register){inner}"),
        999,
        &[
            ("layers", "IP PIM IP UDP Bytes"),
            ("oddities", ""),
            ("PIM.checksum", "57087"),
        ],
    );
    check(
        "/IP6(src=fe80::1, dst=ff02::d)/PIM(type=hello, options=[holdtime(105)])",
        999,
        &[("oddities", "")],
    );
    check(
        "/IP/SCTP(checksum=1, chunks=[cookie_ack(0)])",
        999,
        &[("oddities", "SCTP.checksum bad, 0x2ae78c11 is right")],
    );
    check(
        "/IP/OSPF(type=hello, auth_type=digest, auth=#0000011000000001)/Bytes(#00112233445566778899aabbccddeeff)",
        999,
        &[("OSPF.checksum", "0")],
    );
}

#[test]
fn quic_tells_what_is_not_enciphered() {
    let offer = "QUIC 8a0000000008010203040506070800000000016b3343cf";
    let asks = [
        ("QUIC.version", "0"),
        ("QUIC.dcid", "#0102030405060708"),
        ("QUIC.versions", "\"00000001 6b3343cf\""),
        ("QUIC.token", "absent"),
    ];
    check(offer, 999, &asks);
    check(
        "QUIC 4f01020304",
        999,
        &[("layers", "QUIC Bytes"), ("QUIC.version", "absent")],
    );
    check(
        "QUIC c300000001ff00",
        999,
        &[("QUIC.version", "absent"), ("QUIC.dcid", "absent")],
    );
    check(
        "QUIC c3000000010000ff",
        999,
        &[
            ("QUIC.version", "1"),
            ("QUIC.token", "absent"),
            ("QUIC.length", "absent"),
        ],
    );
}

#[test]
fn quic_opens_what_a_client_sends_first() {
    let built = "/QUIC(dcid=#0011223344556677, sni=\"example.com\", alpn=\"h3\", number=7)";
    let reads = [
        ("QUIC.number", "7"),
        ("QUIC.sni", "\"example.com\""),
        ("QUIC.alpn", "\"h3\""),
        ("QUIC.ciphers", "\"1301 1302 1303 c02b c02f c02c c030\""),
        ("QUIC.extensions", "\"0000 0010 000a 000d 002b 0033 0039\""),
        ("QUIC.listed", "\"crypto(0, 165) padding(993)\""),
    ];
    check(built, 1200, &reads);
    // Cut short it cannot be verified, so not be read.
    check(
        built,
        1100,
        &[
            ("QUIC.dcid", "#0011223344556677"),
            ("QUIC.sni", "absent"),
            ("QUIC.number", "absent"),
        ],
    );
    check(
        &built.replace("QUIC(", "QUIC(version=v2, "),
        1200,
        &reads[..4],
    );
    // A packet of the server does not tell whose answer it is.
    check(
        "/QUIC(origin=#0011223344556677, frames=#01)",
        999,
        &[("QUIC.frames", "absent"), ("QUIC.type", "0")],
    );
    // Pieces in any order, one twice, then a gap.
    let pieces = "/QUIC(dcid=#0011223344556677, frames=#060403616263060003414243060203434461060801ff0200000000)";
    check(
        pieces,
        999,
        &[("QUIC.crypto", "#41424344616263"), ("QUIC.sni", "absent")],
    );
    check(
        "/QUIC(dcid=#0011223344556677, frames=#1c410a06026e6f1f00)",
        999,
        &[("QUIC.listed", "\"close(0x10a, no)\"")],
    );
    let two = "/QUIC(type=handshake, dcid=#01, payload=#00)/QUIC(long=0, low=3)/Bytes(#0102)";
    check(
        two,
        999,
        &[
            ("layers", "QUIC QUIC Bytes"),
            ("QUIC.spin", "absent"),
            ("QUIC.length", "1"),
        ],
    );
    check(
        "/QUIC(type=handshake, dcid=#01, payload=#00)/Bytes(#00000000)",
        999,
        &[("layers", "QUIC Bytes")],
    );
}

#[test]
fn dns_shows_records_as_zone_files_do() {
    for (kind, data, shown) in [
        (
            "0006",
            "0161000162000000000500000001000000020000000300000 00a",
            "soa a b 5 1 2 3 10",
        ),
        (
            "0023",
            "00010002 0153 075349502b443255 00 016100",
            "naptr 1 2 \"S\" \"SIP+D2U\" \"\" a",
        ),
        ("002b", "00050d02aabb", "ds 5 13 2 aabb"),
        (
            "002e",
            "00010d02 0000003c 00000002 00000001 0005 016100 ffff01",
            "rrsig a 13 2 60 2 1 5 a //8B",
        ),
        ("002f", "016100 0006 400000000003", "nsec a a rrsig nsec"),
        ("0030", "01010308aabbcc", "dnskey 257 3 8 qrvM"),
        (
            "0032",
            "01010000 00 05 aabbccddee 0001 40",
            "nsec3 1 1 0 - latspnfe a",
        ),
        ("0034", "030101aabb", "tlsa 3 1 1 aabb"),
        (
            "0041",
            "0001 00 0001 0006 026832026833 0004 0004 c0000209",
            "https 1 . alpn=h2,h3 ipv4hint=192.0.2.9",
        ),
        (
            "0101",
            "00 05 6973737565 63612e6578616d706c65",
            "caa 0 issue \"ca.example\"",
        ),
        ("0063", "0102", "type99 #0102"),
        // Broken ones stay bytes: a name that runs on, a bit map that is cut off.
        ("0006", "0161", "soa #0161"),
        ("002f", "016100 00ff40", "nsec #01610000ff40"),
    ] {
        let len = data.replace(' ', "").len() / 2;
        let message =
            format!("DNS 0007 8000 0000 0001 0000 0000 00 {kind} 0001 0000003c {len:04x} {data}");
        check(
            &message,
            9999,
            &[("DNS.answers", &format!("{:?}", format!(". 60 {shown}")))],
        );
    }
    let asked = "DNS 0007 0100 0000 0000 0000 0001 00 0029 04d0 01008000 0011 0008 0007 0001 18 00 c00002 000f 0002 0012";
    let reads = [
        ("DNS.edns_options", "\"subnet=192.0.2.0/24/0 error=18,\""),
        ("DNS.edns_rcode", "16"),
        ("DNS.edns_do", "1"),
        ("DNS.additional", "\"\""),
    ];
    check(asked, 999, &reads);
}

#[test]
fn snmp_shows_variables_of_all_types() {
    let values = concat!(
        "1.3.6.1.2.1.1.5.0=string:\"r1\\x00\\x3b\"; 1.3.6.1.2.1.1.3.0=ticks:4294967295; 1.3.6.1.4.1.9=integer:-129; ",
        "1.3.6.1.4.1.10=name:1.3.6.1; 1.3.6.1.4.1.11=address:192.0.2.1; 1.3.6.1.4.1.12=counter64:18446744073709551615; ",
        "1.3.6.1.4.1.13=no_such_object; 1.3.6.1.4.1.14=0x44:#9f7804; 1.3.6.1.4.1.15=null"
    );
    let (mut octets, mut decoded) = (Vec::new(), Decoded::new());
    let header = Header::new(layer("SNMP").expect("a layer"))
        .with("variables", FieldValue::Text(values.into()))
        .expect("text");
    encode(&[header], &mut octets);
    decode(
        layer("SNMP").expect("a layer"),
        &octets,
        octets.len(),
        &mut decoded,
    );
    let index = decoded.layers[0]
        .layer
        .field("variables")
        .expect("a field")
        .0;
    assert_eq!(
        decoded.read(&octets, 0, index),
        Some(FieldValue::Text(values.into()))
    );
    let trap = "/SNMP(pdu=trap_v1, enterprise=\"1.3.6.1.4.1.9\", agent=192.0.2.7, generic=6, specific=5, uptime=70000, oid=\"1.3.6.1\")";
    let reads = [
        ("SNMP.version", "0"),
        ("SNMP.enterprise", "\"1.3.6.1.4.1.9\""),
        ("SNMP.agent", "3221225991"),
        ("SNMP.specific", "5"),
        ("SNMP.uptime", "70000"),
        ("SNMP.variables", "\"1.3.6.1=null\""),
        ("SNMP.request_id", "absent"),
    ];
    check(trap, 999, &reads);
}

#[test]
fn stun_shows_addresses_without_their_mask() {
    let head = "STUN 0101 0000 2112a442 b7e7a701bc34d686fa87dfae";
    let four = "STUN 0101000c2112a442b7e7a701bc34d686fa87dfae 0020 0008 0001a147e112a643";
    check(
        four,
        999,
        &[
            ("STUN.mapped", "\"192.0.2.1:32853\""),
            ("STUN.peer", "absent"),
        ],
    );
    let six = "STUN 010100182112a442b7e7a701bc34d686fa87dfae 0020 0014 0002a1470113a9faa5d3f179bc25f4b5bed2b9d9";
    check(
        six,
        999,
        &[(
            "STUN.mapped",
            "\"[2001:db8:1234:5678:11:2233:4455:6677]:32853\"",
        )],
    );
    check(
        "STUN 0101000c2112a442b7e7a701bc34d686fa87dfae 0020 0008 0003a147e112a643",
        999,
        &[("STUN.mapped", "absent")],
    );
    check(head, 999, &[("STUN.mapped", "absent")]);
}

#[test]
fn source_routes_are_told_as_addresses() {
    let two = "20010db8000000000000000000000001 20010db8000000000000000000000002";
    let segments = format!("Routing 3b 05 04 01 01 00 0000 {two} 0402000000000000");
    check(
        &segments,
        999,
        &[
            ("Routing.path", "\"2001:db8::1 2001:db8::2\""),
            ("Routing.tag", "0"),
        ],
    );
    check(
        &format!("Routing 3b 04 00 01 00000000 {two}"),
        999,
        &[("Routing.path", "\"2001:db8::1 2001:db8::2\"")],
    );
    check(
        "Routing 3b 00 03 00 00000000",
        999,
        &[("Routing.path", "absent")],
    );
}

/// A hello and a certificate of a server in one record.
const ANSWER: &str = concat!(
    "160303020e020000280303000000000000000000000000000000000000000000000000000000000000000000c02f0000000b0001de0001db0001d8308201d430",
    "82017aa00302010202142195299cd652222116c295f3db860d47fed21df5300a06082a8648ce3d0403023026310a3008060355040a0c01583118301606035504",
    "030c0f7777772e6578616d706c652e636f6d301e170d3236313132393139333933325a170d3336313132363139333933325a3026310a3008060355040a0c0158",
    "3118301606035504030c0f7777772e6578616d706c652e636f6d3059301306072a8648ce3d020106082a8648ce3d03010703420004d223667336b4b75c25ef54",
    "544df48d667e8d835860d8542e86e18e67ed621fa2ba9d948f94caceab1396de28a29dbd554ab01e8b4ca1dc3e25707ee5a51c59a1a38185308182301d060355",
    "1d0e04160414988b8afcb1ae8f1acc3c09081e7c279ff504bd5a301f0603551d23041830168014988b8afcb1ae8f1acc3c09081e7c279ff504bd5a300f060355",
    "1d130101ff040530030101ff302f0603551d1104283026820f7777772e6578616d706c652e636f6d820d2a2e6578616d706c652e6f72678704c0000201300a06",
    "082a8648ce3d0403020348003045022066b66b50094f4c796ec71914e81067ace9648da90506555789f2ca58dbbd357a022100efa44d982a688bfb9800cc5ec1",
    "876de62ad2e5bdfc1754f8cf139151c8d534de",
);
