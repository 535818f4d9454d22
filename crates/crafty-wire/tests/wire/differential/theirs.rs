//! Where another tool differs and ours stays as it is: a row each, with the reason and the section
//! that gives it. The page `book/disagreements.md` is this table; a row that nothing meets any more
//! fails the long form of the test.

use crafty_wire::{DecodeWarning, Decoded};

use super::cases::Case;

/// Who differs, in what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// tshark, reading.
    Tshark,
    /// Scapy, reading.
    ScapyReads,
    /// Scapy, building.
    ScapyBuilds,
}

/// A disagreement.
pub struct Theirs {
    /// Who.
    pub tool: Tool,
    /// What meets it.
    pub packet: &'static str,
    /// What it does there.
    pub does: &'static str,
    /// Why ours does otherwise.
    pub why: &'static str,
    /// Who says so.
    pub source: &'static str,
    /// Whether a difference is this one.
    pub is: fn(&Difference) -> bool,
}

/// A difference that was met.
pub struct Difference<'a> {
    /// The packet.
    pub case: &'a Case,
    /// As ours reads it.
    pub decoded: &'a Decoded,
    /// Names of our layers, in their words.
    pub ours: &'a [&'static str],
    /// Theirs.
    pub theirs: &'a [&'static str],
    /// Their field whose values differ; empty where the layers do.
    pub field: &'a str,
}

impl Difference<'_> {
    fn layers(&self) -> bool {
        self.field.is_empty()
    }

    fn of(&self, protocol: &str) -> bool {
        self.field.split('.').next() == Some(protocol)
    }

    fn warned(&self, layer: &str, is: fn(&DecodeWarning) -> bool) -> bool {
        let mut warnings = self.decoded.all_warnings();
        warnings.any(|(i, warning)| {
            self.decoded
                .layers
                .get(i)
                .is_some_and(|found| found.layer.name == layer)
                && is(&warning)
        })
    }

    /// Whether theirs end behind a layer called so, where ours continue.
    fn theirs_end_at(&self, protocol: &str) -> bool {
        self.layers()
            && self.ours.len() > self.theirs.len()
            && self.ours.starts_with(self.theirs)
            && self.theirs.last() == Some(&protocol)
    }

    /// Whether theirs have one layer more behind the one called so: this one.
    fn one_more(&self, behind: &str, more: &str) -> bool {
        let same = self
            .theirs
            .split_last()
            .is_some_and(|(last, rest)| *last == more && rest == self.ours);
        self.layers() && same && self.ours.last() == Some(&behind)
    }

    /// Bytes that our innermost layer called so carries.
    fn carried(&self, layer: &str) -> Option<usize> {
        let found = self
            .decoded
            .layers
            .iter()
            .rfind(|found| found.layer.name == layer)?;
        Some(found.trailer - found.payload)
    }

    /// What our field of the innermost layer called so says.
    fn says(&self, layer: &str, field: &str) -> Option<u128> {
        let i = self
            .decoded
            .layers
            .iter()
            .rposition(|found| found.layer.name == layer)?;
        super::read(&self.case.octets, self.decoded, i, field)
    }
}

/// The row that a difference is, by its position.
pub fn known(tool: Tool, difference: &Difference) -> Option<usize> {
    THEIRS
        .iter()
        .position(|row| row.tool == tool && (row.is)(difference))
}

/// All of them.
pub const THEIRS: &[Theirs] = &[
    Theirs {
        tool: Tool::Tshark,
        packet: "a layer without any bytes",
        does: "names the layer",
        why: "what is not there is not shown",
        source: "a choice",
        is: |d| {
            d.layers()
                && d.theirs.len() == d.ours.len() + 1
                && d.theirs.starts_with(d.ours)
                && nothing_behind(d)
        },
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "IPv4 with a header length under five words",
        does: "shows no field and reads no further",
        why: "it is impossible: the fixed fields are read, the rest is bytes, with a warning",
        source: "RFC 791 §3.1",
        is: |d| {
            (d.of("ip") || d.theirs_end_at("ip"))
                && d.warned("IP", |warning| {
                    matches!(warning, DecodeWarning::HeaderLengthLies { .. })
                })
        },
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "a version of IP that differs from what the layer below says",
        does: "reads no further, or reads that version",
        why: "the type of the frame decides; the version gets a warning",
        source: "RFC 894, RFC 791 §3.1",
        is: |d| {
            ["IP", "IP6"].iter().any(|layer| {
                d.warned(layer, |warning| {
                    matches!(warning, DecodeWarning::Malformed { .. })
                })
            })
        },
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "IPv4 with a total length shorter than its header",
        does: "shows no field after the length",
        why: "the header is there; what it carries is unknown: bytes, with a warning",
        source: "RFC 791 §3.1",
        is: |d| {
            (d.of("ip") || d.theirs_end_at("ip"))
                && d.warned("IP", |warning| {
                    matches!(warning, DecodeWarning::LengthLies { said: 0..=59, .. })
                })
        },
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "IPv4 with a total length of zero",
        does: "shows the actual length as the value of the field",
        why: "a field shows what is on the wire",
        source: "RFC 791 §3.1",
        is: |d| {
            d.field == "ip.len"
                && d.warned("IP", |warning| matches!(warning, DecodeWarning::LengthZero))
        },
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "IPv6 with a payload length of zero and no jumbo option",
        does: "reads nothing after the header",
        why: "segmentation offload causes it; all bytes that are there are used, with a warning",
        source: "RFC 2675 §3, a choice",
        is: |d| {
            d.warned("IP6", |warning| {
                matches!(warning, DecodeWarning::LengthZero)
            })
        },
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "UDP with a length of less than eight",
        does: "shows no checksum and reads no further",
        why: "the header is there regardless of the length",
        source: "RFC 768",
        is: |d| {
            (d.of("udp") || d.theirs_end_at("udp"))
                && d.warned("UDP", |warning| {
                    matches!(
                        warning,
                        DecodeWarning::LengthZero | DecodeWarning::LengthLies { said: 0..=7, .. }
                    )
                })
        },
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "TCP with a data offset of less than five words",
        does: "shows only the ports",
        why: "the fixed part of the header is there regardless of the offset",
        source: "RFC 9293 §3.1",
        is: |d| {
            d.of("tcp")
                && d.warned("TCP", |warning| {
                    matches!(warning, DecodeWarning::HeaderLengthLies { .. })
                })
        },
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "an extension header or AH that claims more bytes than there are",
        does: "reads no further",
        why: "the shortest possible length is used, with a warning",
        source: "RFC 8200 §4, RFC 4302 §2.2",
        is: |d| {
            let ended = ["ah", "ipv6.hopopts", "ipv6.dstopts"]
                .iter()
                .any(|name| d.theirs_end_at(name));
            ended
                && ["AH", "HopByHop", "DestOpts"].iter().any(|name| {
                    d.warned(name, |warning| {
                        matches!(warning, DecodeWarning::HeaderLengthLies { .. })
                    })
                })
        },
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "IPv6 options that extend beyond their header",
        does: "reads no further",
        why: "the header's length says where the next one starts; the option gets a warning",
        source: "RFC 8200 §4.2",
        is: |d| {
            let ended = ["ipv6.hopopts", "ipv6.dstopts"]
                .iter()
                .any(|name| d.theirs_end_at(name));
            ended
                && ["HopByHop", "DestOpts"].iter().any(|name| {
                    d.warned(name, |warning| {
                        matches!(warning, DecodeWarning::OptionOverrun { .. })
                    })
                })
        },
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "RADIUS with a length of less than twenty or beyond the end, or an unknown code",
        does: "does not read it",
        why: "the port identifies it; the length gets a warning",
        source: "RFC 2865 §3",
        is: |d| {
            let known = d
                .says("RADIUS", "code")
                .is_some_and(|code| (1..=5).contains(&code) || code == 11);
            d.theirs_end_at("udp")
                && d.ours.last() == Some(&"radius")
                && (!known || d.says("RADIUS", "len") != Some(20))
        },
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "a PPPoE session with a code other than zero",
        does: "reads PPP anyway",
        why: "only code zero carries PPP, the others carry tags",
        source: "RFC 2516 §4",
        is: |d| d.layers() && d.says("PPPoE", "code").is_some_and(|code| code != 0),
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "AH with a length of eight bytes",
        does: "reads eight bytes, without a sequence number",
        why: "the fixed part has twelve; the length gets a warning",
        source: "RFC 4302 §2",
        is: |d| {
            d.warned("AH", |warning| {
                matches!(warning, DecodeWarning::HeaderLengthLies { .. })
            })
        },
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "UDP with a known protocol on both ports",
        does: "reads the protocol of the lower port",
        why: "the destination port decides first: the datagram is for it",
        source: "RFC 6335 §6, a choice",
        is: |d| {
            d.layers()
                && ported(d.ours)
                    .is_some_and(|ours| ported(d.theirs).is_some_and(|theirs| ours != theirs))
        },
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "BFD with a version other than 1",
        does: "shows other fields, or none",
        why: "the version is shown with the fields of the only version that is specified",
        source: "RFC 5880 §4.1",
        is: |d| d.of("bfd") && d.says("BFD", "version") != Some(1),
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "LLC with a control field of two bytes",
        does: "shows them as one number, with the second byte as the higher one",
        why: "the first byte gives the format, the second is a separate field",
        source: "IEEE 802.2 §5.2",
        is: |d| {
            d.field == "llc.control"
                && d.says("LLC", "control")
                    .is_some_and(|control| control & 3 != 3)
        },
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "LLC that is not unnumbered information",
        does: "does not read what it carries",
        why: "the service access point identifies it",
        source: "IEEE 802.2 §5.2, a choice",
        is: |d| d.theirs_end_at("llc") && d.says("LLC", "control") != Some(3),
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "DHCP with a number of seconds whose lower byte is zero",
        does: "swaps the bytes of `secs`, as some systems send them",
        why: "the most significant byte comes first",
        source: "RFC 2131 §2",
        is: |d| {
            d.field == "dhcp.secs" && d.says("DHCP", "secs").is_some_and(|secs| secs & 0xff == 0)
        },
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "GRE with the routing bit",
        does: "reads the routing entries",
        why: "not supported here, with a warning: routers that do not support them drop the packet",
        source: "RFC 1701, RFC 2784 §2.3.1",
        is: |d| {
            d.warned("GRE", |warning| {
                matches!(warning, DecodeWarning::Malformed { .. })
            })
        },
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "HSRP that is not sent to its group",
        does: "does not read it",
        why: "the port says what it is",
        source: "RFC 2281 §5",
        is: |d| d.theirs_end_at("udp") && d.ours.last() == Some(&"hsrp"),
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "IGMP of an unknown type",
        does: "shows no field",
        why: "all messages start with type, checksum and group",
        source: "RFC 2236 §2",
        is: |d| {
            d.of("igmp")
                && d.says("IGMP", "type")
                    .is_some_and(|kind| ![0x11, 0x12, 0x16, 0x17, 0x22].contains(&kind))
        },
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "UDP to or from a DNS port, with fewer bytes than a DNS header",
        does: "reads a truncated message",
        why: "the port alone does not make it a DNS message",
        source: "RFC 1035 §4.1.1, a choice",
        is: |d| d.one_more("udp", "dns") && d.carried("UDP").is_some_and(|octets| octets < 12),
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "OSPF on IPv4 with a version other than 2",
        does: "names the layer",
        why: "its fields are unknown: it is bytes",
        source: "RFC 2328 §A.3.1",
        is: |d| d.one_more("ip", "ospf"),
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "ARP for addresses other than Ethernet and IPv4",
        does: "reads it",
        why: "not supported here: the fields are those of Ethernet and IPv4, others are bytes",
        source: "RFC 826",
        is: |d| d.one_more("eth", "arp") || d.one_more("vlan", "arp"),
    },
    Theirs {
        tool: Tool::Tshark,
        packet: "ARP of other address types in fields of six and four bytes",
        does: "does not show them as Ethernet and IPv4 addresses",
        why: "the lengths decide; the types are shown too",
        source: "RFC 826",
        is: |d| {
            d.of("arp")
                && (d.says("ARP", "ptype") != Some(0x0800) || d.says("ARP", "htype") != Some(1))
        },
    },
    Theirs {
        tool: Tool::ScapyBuilds,
        packet: "VXLAN",
        does: "sets the bit and the number of a next protocol",
        why: "both are reserved in VXLAN and zero on the wire; they belong to VXLAN-GPE",
        source: "RFC 7348 §5",
        is: |d| d.case.names.contains(&"VXLAN"),
    },
    Theirs {
        tool: Tool::ScapyBuilds,
        packet: "PPP in PPPoE",
        does: "writes the protocol number in one byte",
        why: "that has to be negotiated first, and must not be with PPPoE",
        source: "RFC 1661 §6.5, RFC 2516 §7",
        is: |d| d.case.names.contains(&"PPP"),
    },
    Theirs {
        tool: Tool::ScapyBuilds,
        packet: "AH",
        does: "leaves next header, length, and the checksum after it zero",
        why: "what is not set is computed",
        source: "RFC 4302 §2.1, §2.2",
        is: |d| d.case.names.contains(&"AH"),
    },
];

/// The protocol that the ports of the outermost UDP chose.
fn ported<'a>(names: &[&'a str]) -> Option<&'a str> {
    names
        .get(names.iter().position(|name| *name == "udp")? + 1)
        .copied()
}

/// Whether our last layer is followed by nothing.
fn nothing_behind(difference: &Difference) -> bool {
    difference
        .decoded
        .layers
        .last()
        .is_none_or(|found| found.layer.name != "Bytes" && found.payload >= found.trailer)
}

/// The page of the book.
pub fn page() -> String {
    let mut page = String::from(HEAD);
    for (tool, title) in [
        (Tool::Tshark, "tshark 4.0, reading"),
        (Tool::ScapyReads, "Scapy 2.5, reading"),
        (Tool::ScapyBuilds, "Scapy 2.5, building"),
    ] {
        if THEIRS.iter().all(|row| row.tool != tool) {
            page +=
                &format!("\n## {title}\n\nNothing is known to differ as far as no length lies.\n");
            continue;
        }
        page += &format!(
            "\n## {title}\n\n| packet | what it does | why Crafty does otherwise | source |\n|---|---|---|---|\n"
        );
        for row in THEIRS.iter().filter(|row| row.tool == tool) {
            page += &format!(
                "| {} | {} | {} | {} |\n",
                row.packet, row.does, row.why, row.source
            );
        }
    }
    page
}

const HEAD: &str = "# Where other tools read or build packets differently

Each run of the tests compares thousands of packets with tshark and with Scapy: random values in all fields, then flipped bits, cut-off ends, wrong lengths. Differences are fixed here or listed on this page, which is the table of
[theirs.rs](../crates/crafty-wire/tests/wire/differential/theirs.rs): a difference without a row fails the tests, and so, in their long form, does a row that no packet needs.
";
