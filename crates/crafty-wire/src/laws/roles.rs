//! What the roles of layers promise to those who ask a [`PacketView`].

use std::string::String;
use std::vec::Vec;

use super::{Dice, bytes, named, uint};
use crate::protocols::tcp::{self, TcpSegment};
use crate::{Decoded, Header, Layer, LayerRole, NextLayer, PacketView, all, decode, encode};

/// Layers that may carry a link header or a network header.
const CARRIERS: [LayerRole; 7] = [
    LayerRole::Link,
    LayerRole::Network,
    LayerRole::Extension,
    LayerRole::Authentication,
    LayerRole::Transport,
    LayerRole::Tunnel,
    LayerRole::Control,
];

/// A role says where addresses and ports are, what may be below, and what a capture begins with.
#[test]
fn a_role_is_what_the_table_says() {
    for layer in all() {
        let has = |name: &str| layer.field(name).is_some();
        let network = layer.role == LayerRole::Network;
        assert_eq!(network, !layer.pseudo.is_empty(), "{}", layer.name);
        assert!(
            !matches!(layer.role, LayerRole::Network | LayerRole::Transport)
                || (has("src") && has("dst")),
            "{}",
            layer.name
        );
        assert_eq!(
            layer.role == LayerRole::Control,
            layer.quotes.is_some(),
            "{}",
            layer.name
        );
        assert!(
            layer.link_types.is_empty() || CARRIERS.contains(&layer.role),
            "{}",
            layer.name
        );
        assert!(
            layer.network_id.is_none_or(has),
            "{}: the network's number is a field",
            layer.name
        );
    }
}

/// Whatever carries link or network headers has a role that says so: a new tunnel is one.
#[test]
fn a_carrier_has_the_role_of_one() {
    let carried = |layer: &Layer| matches!(layer.role, LayerRole::Link | LayerRole::Network);
    for child in all().iter().filter(|layer| carried(layer)) {
        for row in child.under {
            let parent = named(row.parent);
            assert!(
                CARRIERS.contains(&parent.role),
                "{} carries {}: give it `role: LayerRole::Tunnel`",
                parent.name,
                child.name
            );
        }
    }
    for layer in all() {
        if let NextLayer::Always(next) = layer.next {
            assert!(
                !carried(next) || CARRIERS.contains(&layer.role),
                "{} carries {}: give it `role: LayerRole::Tunnel`",
                layer.name,
                next.name
            );
        }
    }
}

fn addressed(layer: &str, dice: &mut Dice) -> Header {
    let mut header = Header::new(named(layer));
    for (index, field) in header.layer().fields.iter().enumerate() {
        // A port of UDP tells what it carries.
        let told = matches!(header.layer().role, LayerRole::Network) || layer == "TCP";
        if told && matches!(field.name, "src" | "dst") {
            let value = match field.kind {
                crate::FieldKind::Ip6 => crate::FieldValue::Wide(u128::from(dice.roll()) << 64 | 1),
                _ => crate::FieldValue::Uint(dice.roll() & 0xffff),
            };
            header.set(index, value).expect("an address or a port");
        }
    }
    header
}

/// The addresses of the innermost network header, as text.
fn built_addresses(network: &Header) -> [Option<String>; 2] {
    ["src", "dst"].map(|name| {
        Some(match network.value(name)? {
            crate::FieldValue::Wide(six) => {
                std::format!("{}", core::net::Ipv6Addr::from_bits(*six))
            }
            other => std::format!(
                "{}",
                core::net::Ipv4Addr::from_bits(other.as_uint().unwrap_or(0) as u32)
            ),
        })
    })
}

/// What a segment was built with is what its reader finds, below every kind of carrier, whole and
/// cut.
#[test]
fn a_segment_is_read_as_it_was_built() {
    let mut dice = Dice(23);
    let carriers: [&[&str]; 6] = [
        &["Eth", "IP"],
        &["Eth", "VLAN", "IP6"],
        &["IP6", "HopByHop", "DestOpts"],
        &["IP", "GRE", "IP"],
        &["Eth", "IP", "UDP", "VXLAN", "Eth", "IP6"],
        &["IP", "AH"],
    ];
    for names in carriers {
        for _ in 0..50 {
            let data = dice.octets(1 + dice.0 as usize % 64);
            let mut stack: Vec<Header> = names
                .iter()
                .map(|name| addressed(name, &mut dice))
                .collect();
            let (seq, flags, ack) = (dice.roll() as u32, dice.roll() & 0x1ff, dice.roll() as u32);
            let tcp = uint(addressed("TCP", &mut dice), "seq", seq.into());
            let tcp = uint(uint(tcp, "flags", flags), "ack", ack.into());
            let network = stack
                .iter()
                .rposition(|it| it.layer().role == LayerRole::Network);
            let below = stack[network.expect("a network header")].clone();
            stack.extend([tcp.clone(), bytes(&data)]);
            let (mut frame, mut decoded) = (Vec::new(), Decoded::new());
            encode(&stack, &mut frame);
            let cut = dice.below(data.len());
            decode(
                stack[0].layer(),
                &frame[..frame.len() - cut],
                frame.len(),
                &mut decoded,
            );
            let view = PacketView::new(&frame[..frame.len() - cut], &decoded);
            let segment = TcpSegment::innermost(view).expect("a segment");
            assert_eq!((segment.seq, segment.ack), (seq, ack), "{names:?}");
            assert_eq!(segment.flags, flags, "{names:?}");
            assert_eq!(segment.data, &data[..data.len() - cut], "{names:?}");
            assert_eq!(segment.missing, cut as u64, "{names:?}");
            let ports = [segment.source.port(), segment.destination.port()];
            for (port, name) in ports.into_iter().zip(["src", "dst"]) {
                assert_eq!(tcp.uint(name), Some(port.into()), "{names:?}");
            }
            let addresses = [segment.source.ip(), segment.destination.ip()];
            let addresses = addresses.map(|address| Some(std::format!("{address}")));
            assert_eq!(built_addresses(&below), addresses, "{names:?}");
            let upper = view.upper_layer(view.network().expect("a network header"));
            assert_eq!(view.layer(upper), Some(&tcp::LAYER), "{names:?}");
        }
    }
}
