//! Packets that are tried: stacks with random fields, and what becomes of them when bits flip, ends
//! are cut off and lengths lie.

use crafty_wire::{
    Auto, DecodeWarning, Decoded, FieldKind, FieldValue, Header, decode, encode, layer, patch,
};

use super::table::{Names, STACKS, Vary, row};
use crate::dice::{Dice, rounds};

/// A packet.
#[derive(Clone)]
pub struct Case {
    /// Its layers as they were built.
    pub names: &'static [&'static str],
    /// Bytes after the last header.
    pub data: Vec<u8>,
    /// All of it.
    pub octets: Vec<u8>,
    /// Bytes that a capture says were on the wire.
    pub wire_len: usize,
    /// What was done to it.
    pub harm: String,
}

/// Every stack, so often, with random fields.
pub fn whole(times: usize) -> Vec<Case> {
    let mut dice = Dice(0x5eed_0001);
    (0..rounds(times))
        .flat_map(|_| STACKS)
        .map(|(names, data)| built(names, *data, &mut dice))
        .collect()
}

/// The same packets, each harmed in some way.
pub fn broken(times: usize) -> Vec<Case> {
    let mut dice = Dice(0x5eed_0002);
    (0..rounds(times))
        .flat_map(|_| STACKS)
        .map(|(names, data)| harmed(built(names, *data, &mut dice), &mut dice))
        .collect()
}

fn built(stack: &'static [&'static str], data: usize, dice: &mut Dice) -> Case {
    let mut headers = Vec::new();
    for name in stack {
        let layer = layer(name).unwrap_or_else(|| panic!("no layer `{name}`"));
        let mut header = Header::new(layer);
        for names in row(name)
            .unwrap_or_else(|| panic!("no row for `{name}`"))
            .fields
        {
            let (index, field) = layer
                .field(names.0)
                .unwrap_or_else(|| panic!("no field `{name}.{}`", names.0));
            let value = match names.3 {
                Vary::Any => dice.wide() & mask(field.width()),
                Vary::Among(some) => some[dice.below(some.len())].into(),
                Vary::Keep if names.0 == "dst" && name == stack.last().expect("layers") => {
                    u128::from(PLAIN + dice.roll() % 1_000)
                }
                Vary::Keep => continue,
            };
            let wide = matches!(field.kind, FieldKind::Ip6);
            header
                .set(
                    index,
                    if wide {
                        FieldValue::Wide(value)
                    } else {
                        FieldValue::Uint(value as u64)
                    },
                )
                .expect("it fits");
        }
        headers.push(header);
    }
    let data: Vec<u8> = (0..data).map(|_| dice.roll() as u8).collect();
    let behind = Header::new(layer("Bytes").expect("a layer"))
        .with("data", FieldValue::Bytes(data.clone()))
        .expect("bytes");
    let mut octets = Vec::new();
    encode(
        &headers.into_iter().chain([behind]).collect::<Vec<_>>(),
        &mut octets,
    );
    Case {
        names: stack,
        data,
        wire_len: octets.len(),
        octets,
        harm: String::new(),
    }
}

/// The first of a thousand ports that nobody listens on.
const PLAIN: u64 = 58_000;

fn mask(width: u16) -> u128 {
    u128::MAX.checked_shr(128 - u32::from(width)).unwrap_or(0)
}

fn harmed(mut case: Case, dice: &mut Dice) -> Case {
    match dice.below(4) {
        0 => {
            let keep = 14 + dice.below(case.octets.len() - 14);
            case.octets.truncate(keep);
            case.harm = format!("snapped at {keep}");
        }
        1 => {
            let keep = 14 + dice.below(case.octets.len() - 14);
            case.octets.truncate(keep);
            case.wire_len = keep;
            case.harm = format!("cut at {keep}");
        }
        2 => lie(&mut case, dice),
        _ => {
            for _ in 0..1 + dice.below(2) {
                let (at, bit) = (
                    12 + dice.below(case.octets.len() - case.data.len() - 12),
                    dice.below(8),
                );
                case.octets[at] ^= 1 << bit;
                case.harm += &format!("bit {bit} of byte {at} flipped ");
            }
        }
    }
    case
}

/// Sets one of the lengths to something else; the checksums are corrected, so that they alone do
/// not tell.
fn lie(case: &mut Case, dice: &mut Dice) {
    let decoded = case.decoded();
    let lengths: Vec<(usize, usize)> = decoded
        .layers
        .iter()
        .enumerate()
        .flat_map(|(i, found)| {
            let fields = found.layer.fields.iter().enumerate();
            fields
                .filter(|(_, field)| matches!(field.auto, Auto::Length { .. }))
                .map(move |(index, _)| (i, index))
        })
        .collect();
    if lengths.is_empty() {
        return;
    }
    let (i, index) = lengths[dice.below(lengths.len())];
    let Some(was) = decoded.read_uint(&case.octets, i, index) else {
        return;
    };
    let field = &decoded.layers[i].layer.fields[index];
    let all = mask(field.width()) as u64;
    let value = [
        0,
        1,
        was.wrapping_sub(1),
        was + 1,
        was + 4,
        was.wrapping_sub(4),
        all,
        dice.roll(),
    ][dice.below(8)]
        & all;
    let patched = patch(&mut case.octets, &decoded, i, index, value);
    case.harm = format!(
        "{}.{} {was} -> {value} {patched:?}",
        decoded.layers[i].layer.name, field.name
    );
}

impl Case {
    /// The layers that are found.
    pub fn decoded(&self) -> Decoded {
        let mut decoded = Decoded::new();
        decode(
            layer("Eth").expect("a layer"),
            &self.octets,
            self.wire_len,
            &mut decoded,
        );
        decoded
    }

    /// Whether Scapy has a class for every layer.
    pub fn known_to_scapy(&self) -> bool {
        self.names
            .iter()
            .all(|name| row(name).is_some_and(|row| !row.scapy.is_empty()))
    }

    /// Whether the rows name all that Scapy writes too: not times, and bodies of messages.
    pub fn built_by_scapy(&self) -> bool {
        let decoded = self.decoded();
        let as_built = decoded
            .layers
            .iter()
            .zip(self.names)
            .all(|(found, name)| found.layer.name == *name);
        as_built
            && self.known_to_scapy()
            && !self
                .names
                .iter()
                .any(|name| matches!(*name, "NTP" | "OSPF" | "RADIUS"))
    }

    /// The same named fields for Scapy.
    pub fn for_scapy(&self) -> String {
        let (mut layers, decoded) = (Vec::new(), self.decoded());
        for (i, name) in self.names.iter().enumerate() {
            let row = row(name).expect("a row");
            let told = row
                .fields
                .iter()
                .filter(|names| !names.1.is_empty() && told(name, names));
            let words = told.filter_map(|names| {
                let value = super::read(&self.octets, &decoded, i, names.0)?;
                let kind = decoded.layers[i].layer.field(names.0)?.1.kind;
                Some(format!(" {}={}", names.1, spelt(kind, value)))
            });
            layers.push(row.scapy.to_string() + &words.collect::<String>());
        }
        if !self.data.is_empty() {
            layers.push(format!("#{}", crate::notation::show(&self.data)));
        }
        layers.join(" / ")
    }

    /// Layers from the outside in whose beginning no lie in a length moves: what a tool that trusts
    /// no length must find too.
    pub fn certain(&self, decoded: &Decoded) -> usize {
        let odd = |i: usize| {
            decoded
                .warnings(i)
                .any(|warning| !matches!(warning, DecodeWarning::Snapped { .. }))
        };
        (0..decoded.layers.len())
            .find(|i| odd(*i))
            .unwrap_or(decoded.layers.len())
    }

    /// What it is, for whoever reads that it differs.
    pub fn tell(&self) -> String {
        format!(
            "{:?} {} {} of {}",
            self.names,
            self.harm,
            crate::notation::show(&self.octets),
            self.wire_len
        )
    }
}

/// Whether a field is given to Scapy: not what each tool is to compute by itself.
fn told(name: &str, names: &Names) -> bool {
    let auto = layer(name)
        .and_then(|layer| layer.field(names.0))
        .map(|(_, field)| field.auto);
    matches!(auto, Some(Auto::Default(_))) || names.0 == "dst"
}

fn spelt(kind: FieldKind, value: u128) -> String {
    match kind {
        FieldKind::Ip4 => std::net::Ipv4Addr::from_bits(value as u32).to_string(),
        FieldKind::Ip6 => std::net::Ipv6Addr::from_bits(value).to_string(),
        FieldKind::Mac => value.to_be_bytes()[10..]
            .iter()
            .map(|octet| format!("{octet:02x}"))
            .collect::<Vec<_>>()
            .join(":"),
        _ => value.to_string(),
    }
}
