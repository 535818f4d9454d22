use super::*;
use crate::configuration::read_configuration;
use crate::filter::{FilterError, PacketFilter};
use crate::option::OPTIONS;

fn given(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter()
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect()
}

#[track_caller]
fn refused(rows: &[(&str, &str)], wanted: &str) {
    let error = EndpointOptions::new(&given(rows)).expect_err(wanted);
    assert!(
        error.to_string().contains(wanted) && !error.fix.is_empty(),
        "{error}"
    );
}

#[test]
fn nothing_given_means_the_documented_defaults() {
    let options = EndpointOptions::new(&[]).expect("defaults");
    assert_eq!(
        options.near(),
        [("10.7.0.1".parse().expect("an address"), 24)]
    );
    let shown = (
        options.mode.name(),
        options.mtu,
        options.packet_filter.to_string(),
        options.llm_escalation.name(),
        options.llm_max_per_minute,
    );
    assert_eq!(shown, ("tun", 1500, "icmp".into(), "unhandled", 6));
    let names: std::collections::BTreeSet<_> = OPTIONS.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), OPTIONS.len());
    assert!(
        OPTIONS
            .iter()
            .all(|row| !row.doc.is_empty() && !row.doc.ends_with('.'))
    );
}

#[test]
fn values_outside_their_range_and_options_that_contradict_each_other_are_refused() {
    refused(&[("mode", "l2")], "`mode`: `l2` is not a value of it");
    refused(&[("mtu", "575")], "`mtu`: `575`");
    refused(&[("mtu", "65536")], "`mtu`: `65536`");
    refused(
        &[("mode", "tap"), ("mtu", "65535")],
        "`mtu`: an Ethernet header",
    );
    refused(
        &[("address", "fd00::1"), ("mtu", "1279")],
        "`mtu`: IPv6 needs",
    );
    refused(&[("llm_max_per_minute", "3601")], "`llm_max_per_minute`");
    refused(&[("llm_escalation", "always")], "`llm_escalation`");
    refused(&[("netmask", "255.0.255.0")], "`netmask`");
    refused(
        &[("netmask", "255.255.0.0"), ("address", "10.7.0.1/24")],
        "`netmask`: an address has another",
    );
    for address in [
        "10.7.0",
        "127.0.0.1",
        "224.0.0.1",
        "0.0.0.0",
        "::1",
        "10.7.0.0/24",
        "10.7.0.255",
        "10.7.0.1/33",
        "10.7.0.1/0",
    ] {
        refused(&[("address", address)], "`address`");
    }
    for name in ["", "a/b", "a b", "..", "sixteen_letters_", "tün"] {
        refused(&[("interface_name", name)], "`interface_name`");
    }
    refused(&[("packet_information", "macos_utun")], "this is Linux");
    refused(&[("mtu", "1500"), ("mtu", "1400")], "more than once");
    refused(&[("mut", "1500")], "`mut`: there is no such option");
    refused(
        &[("model_url", "127.0.0.1:11434"), ("model_name", "m")],
        "`model_url`",
    );
    refused(
        &[("model_url", "http://me:secret@h"), ("model_name", "m")],
        "`model_url`",
    );
    refused(
        &[("model_url", "http://h")],
        "`model_url`: nobody knows which model",
    );
    refused(&[("power", "magic")], "`power`");
    refused(&[("param", "a=1")], "`param`: there is no program");
}

#[test]
fn a_file_has_the_same_names() {
    let text = "mode = \"tap\"\nmtu = 1400\naddress = [\"10.9.0.1/16\", \"fd00::1\"]\npacket_filter = \"tcp:80\"\n";
    let options =
        EndpointOptions::new(&read_configuration(text).expect("a file")).expect("options");
    assert_eq!(
        (options.mtu, options.near().len(), options.near()[0].1),
        (1400, 2, 16)
    );
    for (text, wanted) in [
        ("mode = ", "it is not TOML"),
        ("mtu = 1.5", "of the type float"),
        ("mtu = [1, 2]", "of the type array"),
    ] {
        let error = read_configuration(text).expect_err(wanted);
        assert!(error.to_string().contains(wanted), "{error}");
    }
}

#[test]
fn a_filter_names_the_term_that_is_wrong() {
    let rows = [
        ("icmp,", "`` is empty"),
        ("icpm", "`icpm` is unknown"),
        ("tcp:http", "`tcp:http` has no port"),
        ("udp:65536", "`udp:65536` has no port"),
        ("ip-proto-256", "`ip-proto-256` has no protocol"),
        ("v4+from:10.0.0.0/33", "`from:10.0.0.0/33` has no address"),
        ("all,icmp", "`all` stands alone"),
        ("tcp,icmp+to:host", "`to:host` has no address"),
    ];
    for (text, wanted) in rows {
        let error = PacketFilter::parse(text).expect_err(text).to_string();
        assert!(error.contains(wanted), "{error}");
    }
    assert!(FilterError::fix().contains("tcp-syn"));
}

#[test]
fn each_term_holds_for_its_packets_alone() {
    let tcp = |flags: Value| {
        packet(
            "tun",
            json!({ "type": "send_packet", "source": "10.7.0.1", "destination": "10.7.0.2", "protocol": "tcp",
        "source_port": 40000, "destination_port": 80, "flags": flags }),
        )
    };
    let packets = [
        ping("tun", "10.7.0.2", 1),
        ping("tun", "fd00:7::2", 1),
        tcp(json!(["syn"])),
        tcp(json!(["syn", "ack"])),
        packet(
            "tun",
            json!({ "type": "send_packet", "source": "10.7.0.1", "destination": "10.7.0.3", "protocol": "udp", "source_port": 53, "destination_port": 9 }),
        ),
        packet(
            "tun",
            json!({ "type": "send_packet", "source": "10.7.0.1", "destination": "10.7.0.2", "protocol": 89, "payload": "x" }),
        ),
    ];
    let rows = [
        ("all", "012345"),
        ("none", ""),
        ("v4", "02345"),
        ("v6", "1"),
        ("icmp", "0"),
        ("icmp,icmpv6", "01"),
        ("tcp", "23"),
        ("tcp:80", "23"),
        ("tcp:40000", "23"),
        ("udp:80", ""),
        ("port:53", "4"),
        ("port:80,port:9", "234"),
        ("tcp-syn", "2"),
        ("ospf", "5"),
        ("ip-proto-89", "5"),
        ("to:10.7.0.2", "0235"),
        ("to:10.7.0.2+v4+tcp-syn, icmpv6", "12"),
        ("from:10.7.0.0/24", "02345"),
        ("from:10.7.0.2", ""),
        ("host:fd00:7::2", "1"),
        ("host:10.7.0.3", "4"),
    ];
    for (text, wanted) in rows {
        let filter = PacketFilter::parse(text).expect(text);
        let mut reader = crate::heard::PacketReader::default();
        let passes: String = (0..packets.len())
            .filter(|n| {
                let bytes = &packets[*n];
                let first = crate::heard::network_layer(bytes).expect("IP");
                filter.passes(&reader.read(first, bytes).expect("a packet"))
            })
            .map(|n| n.to_string())
            .collect();
        assert_eq!(passes, wanted, "{text}");
    }
}
