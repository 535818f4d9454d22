//! Bytes as the language sees them: layers by the codec's tables, fields as values. Reading never
//! fails; it may find nothing.

use crate::api::Link;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use core::ops::Range;
use crafty_lang::eval::Raise;
use crafty_lang::ir::{DrivenKind, ErrorKind, FieldRef};
use crafty_value::{Mac, Value};
use crafty_wire::{
    ChecksumStatus, Decoded, Field, FieldValue, Found, Kind, Layer, Opt, OptionValue, decode,
};
use std::sync::OnceLock;

/// Link layers, which a pattern skips unless it names them.
const LINK: &[&str] = &["Eth", "VLAN", "SLL", "SLL2", "Loop", "Null", "LLC", "SNAP"];
/// Extension headers of IPv6, likewise.
const EXTENSIONS: &[&str] = &["HopByHop", "DestOpts", "Routing", "Fragment"];

/// Bytes with the layers that are in them, found when first asked for.
#[derive(Debug)]
pub(crate) struct DecodedPacket {
    pub octets: Vec<u8>,
    wire_len: usize,
    first: &'static Layer,
    decoded: OnceLock<Decoded>,
}

impl DecodedPacket {
    /// A frame of an interface.
    pub fn of_frame(link: Link, octets: Vec<u8>, wire_len: usize) -> DecodedPacket {
        match link {
            Link::RawIp => DecodedPacket {
                wire_len,
                ..DecodedPacket::of_datagram(octets)
            },
            Link::Ethernet | Link::Loopback => DecodedPacket {
                octets,
                wire_len,
                first: layer_named("Eth"),
                decoded: OnceLock::new(),
            },
        }
    }

    /// A datagram without link header.
    pub fn of_datagram(octets: Vec<u8>) -> DecodedPacket {
        let first = match octets.first().map(|o| o >> 4) {
            Some(6) => layer_named("IP6"),
            Some(4) => layer_named("IP"),
            _ => bytes_layer(),
        };
        DecodedPacket {
            wire_len: octets.len(),
            octets,
            first,
            decoded: OnceLock::new(),
        }
    }

    /// A message of a stream, of which this layer is the first.
    pub fn of_message(first: &'static Layer, octets: Vec<u8>) -> DecodedPacket {
        DecodedPacket {
            wire_len: octets.len(),
            octets,
            first,
            decoded: OnceLock::new(),
        }
    }

    fn decoded(&self) -> &Decoded {
        self.decoded.get_or_init(|| {
            let mut decoded = Decoded::new();
            decode(self.first, &self.octets, self.wire_len, &mut decoded);
            decoded
        })
    }

    fn found(&self, at: usize) -> Option<&Found> {
        self.decoded().layers.get(at)
    }

    /// How many layers there are.
    pub fn layers(&self) -> usize {
        self.decoded().layers.len()
    }

    /// One of them; `Bytes` where there is none.
    pub fn layer(&self, at: usize) -> &'static Layer {
        self.found(at).map_or(bytes_layer(), |f| f.layer)
    }

    /// The first layer that is no link layer.
    pub fn first_network(&self) -> usize {
        self.decoded()
            .layers
            .iter()
            .take_while(|f| is_link(f.layer))
            .count()
    }

    /// The first layer from `at` on that is no extension header.
    pub fn after_extensions(&self, at: usize) -> usize {
        at + self
            .decoded()
            .layers
            .iter()
            .skip(at)
            .take_while(|f| is_extension(f.layer))
            .count()
    }

    /// The bytes that are left where layer `at` is or would be; never padding.
    pub fn left_at(&self, at: usize) -> Range<usize> {
        match at.checked_sub(1).and_then(|below| self.found(below)) {
            Some(below) => below.payload..below.trailer,
            None => 0..self.octets.len(),
        }
    }

    /// From the outermost IP header on, without padding behind it.
    pub fn network_bytes(&self) -> Option<&[u8]> {
        let found = self.decoded().layers.iter().find(|f| is_ip(f.layer))?;
        self.octets.get(found.start..found.end)
    }

    /// Where layer `at` begins.
    pub fn start_of(&self, at: usize) -> Option<usize> {
        self.found(at).map(|f| f.start)
    }

    /// The value of a field as the tables have it.
    pub fn value(&self, at: usize, field: usize) -> Option<FieldValue> {
        self.decoded().read(&self.octets, at, field)
    }

    /// Other bytes that begin with the same layer.
    pub fn beginning_alike(&self, octets: Vec<u8>) -> DecodedPacket {
        DecodedPacket {
            wire_len: octets.len(),
            octets,
            first: self.first,
            decoded: OnceLock::new(),
        }
    }

    /// From layer `at` on, without padding behind it.
    pub fn bytes_from(&self, at: usize) -> &[u8] {
        self.found(at)
            .and_then(|f| self.octets.get(f.start..f.end))
            .unwrap_or_default()
    }

    /// Bytes that the outermost transport carries.
    pub fn transport_payload(&self) -> i64 {
        let at = (0..self.layers()).find(|i| matches!(self.layer(*i).name, "UDP" | "TCP"));
        at.map_or(0, |at| {
            i64::try_from(self.left_at(at + 1).len()).unwrap_or(i64::MAX)
        })
    }

    /// What the outermost UDP carries.
    pub fn datagram_payload(&self) -> Option<&[u8]> {
        let at = (0..self.layers()).find(|i| self.layer(*i).name == "UDP")?;
        self.octets.get(self.left_at(at + 1))
    }

    /// Where the innermost `Bytes` lies: what no layer explains.
    pub fn innermost_bytes(&self) -> Option<Range<usize>> {
        let last = self.decoded().layers.last().filter(|f| is_bytes(f.layer))?;
        Some(last.start..last.end)
    }

    /// The layer that `p[Layer, nth]` means, from outside, or from inside if `nth` is negative.
    pub fn find(&self, layer: &Layer, nth: i64, field: &FieldRef) -> Option<usize> {
        let either = matches!(field, FieldRef::Either { .. });
        let fits = |i: &usize| {
            if either {
                is_ip(self.layer(*i))
            } else {
                *self.layer(*i) == *layer
            }
        };
        let count = usize::try_from(nth.checked_abs()?).ok()?;
        match nth {
            0.. => (0..self.layers()).filter(fits).nth(count),
            _ => (0..self.layers()).rev().filter(fits).nth(count - 1),
        }
    }

    /// A field of layer `at`.
    pub fn read(&self, at: usize, field: &FieldRef) -> Option<Value> {
        let layer = self.layer(at);
        let index = match field {
            FieldRef::Wire { field, .. } => *field,
            FieldRef::Either { v4, v6, .. } => {
                if layer.name == "IP6" {
                    *v6
                } else {
                    *v4
                }
            }
            FieldRef::Option {
                field,
                option,
                part,
                inner,
                ..
            } => return self.read_option(at, *field, (option, *part), inner),
            FieldRef::Meta(_) => return None,
        };
        let row = layer.fields.get(index)?;
        match row.kind {
            Kind::Options(_) => self.raw_options(at, index),
            _ => from_wire(row, self.decoded().read(&self.octets, at, index)?),
        }
    }

    /// Whether a list has an option.
    pub fn has_option(&self, at: usize, field: usize, name: &str) -> bool {
        self.decoded()
            .option(&self.octets, at, field, name)
            .is_some()
    }

    /// An option's field, or that of an option in it; of an option without fields, that it is
    /// there.
    fn read_option(
        &self,
        at: usize,
        field: usize,
        first: (&str, Option<&str>),
        inner: &[(&'static str, Option<&'static str>)],
    ) -> Option<Value> {
        let mut option = self.decoded().option(&self.octets, at, field, first.0)?;
        let mut part = first.1;
        for (name, within) in inner {
            let (_, FieldValue::Options(list)) = part_of(option, part)? else {
                return None;
            };
            option = list
                .into_iter()
                .find(|option| option.name() == Some(name))?;
            part = *within;
        }
        match &option {
            OptionValue::Named { values, .. } if values.is_empty() && part.is_none() => {
                Some(Value::Bool(true))
            }
            _ => part_of(option, part).and_then(|(field, value)| from_wire(field, value)),
        }
    }

    /// The bytes of a list of options.
    fn raw_options(&self, at: usize, field: usize) -> Option<Value> {
        self.decoded()
            .read_bytes(&self.octets, at, field)
            .map(|o| Value::bytes(o.to_vec()))
    }

    fn named(&self, at: usize, name: &str) -> Option<FieldValue> {
        let (index, _) = self.layer(at).field(name)?;
        self.decoded().read(&self.octets, at, index)
    }

    /// An address field.
    pub fn address(&self, at: usize, name: &str) -> Option<IpAddr> {
        match (is_ip(self.layer(at)), self.named(at, name)?) {
            (true, FieldValue::Uint(n)) => {
                Some(IpAddr::V4(Ipv4Addr::from_bits(u32::try_from(n).ok()?)))
            }
            (true, FieldValue::Wide(n)) => Some(IpAddr::V6(Ipv6Addr::from_bits(n))),
            _ => None,
        }
    }

    /// A port field.
    pub fn port(&self, at: usize, name: &str) -> Option<u16> {
        if let FieldValue::Uint(n) = self.named(at, name)? {
            u16::try_from(n).ok()
        } else {
            None
        }
    }

    /// Whether the checksum of layer `at` is wrong.
    pub fn is_corrupt(&self, at: usize, ready: bool) -> bool {
        let checksum = self
            .layer(at)
            .field("checksum")
            .and_then(|(index, _)| self.checksum(at, index, ready));
        checksum == Some("bad")
    }

    /// What a checksum was found to be; nothing if the layer has none.
    pub fn checksum(&self, at: usize, field: usize, ready: bool) -> Option<&'static str> {
        if !ready {
            return Some("not_computed");
        }
        Some(match self.decoded().checksum(&self.octets, at, field) {
            ChecksumStatus::Good => "good",
            ChecksumStatus::Bad { .. } => "bad",
            ChecksumStatus::Absent => "absent",
            ChecksumStatus::NotComputed => "not_computed",
            ChecksumStatus::NotVerifiable => "not_verifiable",
        })
    }
}

/// Whether it is a link layer.
pub(crate) fn is_link(layer: &Layer) -> bool {
    LINK.contains(&layer.name)
}

/// Whether it is an extension header of IPv6.
pub(crate) fn is_extension(layer: &Layer) -> bool {
    EXTENSIONS.contains(&layer.name)
}

/// Whether it is IP of either family.
pub(crate) fn is_ip(layer: &Layer) -> bool {
    matches!(layer.name, "IP" | "IP6")
}

/// Whether it is `Bytes`.
pub(crate) fn is_bytes(layer: &Layer) -> bool {
    layer.name == "Bytes"
}

/// Whether a driven layer of this kind is it on the wire.
pub(crate) fn is_driven(layer: &Layer, kind: DrivenKind) -> bool {
    match kind {
        DrivenKind::Ip => is_ip(layer),
        DrivenKind::Udp => layer.name == "UDP",
        DrivenKind::Tcp => layer.name == "TCP",
        DrivenKind::Tls => layer.name == "TLS",
        DrivenKind::Http => layer.name == "HTTP",
        DrivenKind::Dns => layer.name == "DNS",
    }
}

/// `Bytes`.
pub(crate) fn bytes_layer() -> &'static Layer {
    layer_named("Bytes")
}

/// A layer that the tables always have.
pub(crate) fn layer_named(name: &str) -> &'static Layer {
    crafty_wire::layer(name).unwrap_or(crafty_wire::all()[0])
}

/// Bytes of a header that stands before the network layer: of a link, or of a label between it and
/// IP.
pub(crate) fn link_len(layer: &Layer) -> Option<usize> {
    (is_link(layer) || layer.name == "MPLS").then_some(layer.fixed_len)
}

/// The bit of a flag.
pub(crate) fn flag_bit(field: &Field, flag: &str) -> Option<u64> {
    field.named(flag)
}

/// An address as the tables have it.
pub(crate) fn address_to_wire(address: IpAddr) -> FieldValue {
    match address {
        IpAddr::V4(a) => FieldValue::Uint(a.to_bits().into()),
        IpAddr::V6(a) => FieldValue::Wide(a.to_bits()),
    }
}

/// A link address as the tables have it.
pub(crate) fn mac_to_wire(mac: Mac) -> FieldValue {
    let [a, b, c, d, e, f] = mac.0;
    FieldValue::Uint(u64::from_be_bytes([0, 0, a, b, c, d, e, f]))
}

/// What a field on the wire is in the language.
pub(crate) fn from_wire(field: &Field, value: FieldValue) -> Option<Value> {
    Some(match (&field.kind, value) {
        (Kind::Ip4, FieldValue::Uint(n)) => {
            Value::Ip(IpAddr::V4(Ipv4Addr::from_bits(u32::try_from(n).ok()?)))
        }
        (Kind::Ip6, FieldValue::Wide(n)) => Value::Ip(IpAddr::V6(Ipv6Addr::from_bits(n))),
        (Kind::Mac, FieldValue::Uint(n)) => {
            let [_, _, a, b, c, d, e, f] = n.to_be_bytes();
            Value::Mac(Mac([a, b, c, d, e, f]))
        }
        (Kind::Flags(names), FieldValue::Uint(n)) => Value::Flags(n, names),
        // A number of 64 bits above what an int holds is shown as the negative one of the same
        // bits.
        (_, FieldValue::Uint(n)) => Value::Int(n as i64),
        (_, FieldValue::Wide(n)) => Value::bytes(n.to_be_bytes().to_vec()),
        (_, FieldValue::Bytes(octets)) => Value::bytes(octets),
        (_, FieldValue::Text(text)) => Value::text(text),
        (Kind::Options(tlv), FieldValue::Options(list)) => {
            let mut octets = Vec::new();
            crafty_wire::encode_options(tlv, &list, &mut octets);
            Value::bytes(octets)
        }
        (_, FieldValue::Options(_)) => return None,
    })
}

/// The field of an option called so, or its first one.
fn part_of(option: OptionValue, part: Option<&str>) -> Option<(&'static Field, FieldValue)> {
    let OptionValue::Named {
        option: row,
        values,
    } = option
    else {
        return None;
    };
    row.shape
        .fields()
        .zip(values)
        .find(|(field, _)| part.is_none_or(|part| part == field.name))
}

/// The row of an option by its name.
pub(crate) fn option_row(field: &Field, name: &str) -> Result<&'static Opt, Raise> {
    let Kind::Options(tlv) = field.kind else {
        return Err(no_option(field, name));
    };
    tlv.named(name).ok_or_else(|| no_option(field, name))
}

fn no_option(field: &Field, name: &str) -> Raise {
    Raise::new(
        ErrorKind::Range,
        format!("`{}` has no option `{name}`", field.name),
    )
}

/// The field of value number `i` of an option.
pub(crate) fn option_part(option: &'static Opt, i: usize) -> Result<&'static Field, Raise> {
    option.field(i).ok_or_else(|| {
        Raise::new(
            ErrorKind::Range,
            format!("the option `{}` has no value number {}", option.name, i + 1),
        )
    })
}

/// An option that is written as bytes.
pub(crate) fn raw_option(value: &Value) -> Result<OptionValue, Raise> {
    match value {
        Value::Bytes(octets) => Ok(OptionValue::Raw(octets.to_vec())),
        _ => Err(Raise::new(
            ErrorKind::Range,
            "`raw` takes bytes".to_string(),
        )),
    }
}

/// An option of a layer by its name, with numbers.
pub(crate) fn option_of(layer: &str, name: &str, numbers: &[u64]) -> Option<OptionValue> {
    let (_, field) = layer_named(layer).field("options")?;
    let Kind::Options(tlv) = field.kind else {
        return None;
    };
    let values = numbers.iter().map(|n| FieldValue::Uint(*n)).collect();
    Some(OptionValue::Named {
        option: tlv.named(name)?,
        values,
    })
}

/// What a value of the language is in a field.
pub(crate) fn to_wire(field: &Field, value: &Value) -> Result<FieldValue, Raise> {
    let width = u32::from(field.width());
    let wide = |n: i64| {
        Raise::new(
            ErrorKind::Range,
            format!("`{}` holds {width} bits, {n} does not fit", field.name),
        )
    };
    match (value, &field.kind) {
        (Value::Int(n), _) if field.modular => Ok(FieldValue::Uint(
            *n as u64 & (u64::MAX >> (64 - width.clamp(1, 64))),
        )),
        (Value::Int(n), _) => match u64::try_from(*n) {
            Ok(bits) if width >= 64 || bits >> width == 0 => Ok(FieldValue::Uint(bits)),
            _ => Err(wide(*n)),
        },
        (Value::Bool(b), _) => Ok(FieldValue::Uint((*b).into())),
        (Value::Flags(bits, _), _) => Ok(FieldValue::Uint(*bits)),
        (Value::Ip(IpAddr::V4(_)), Kind::Ip6) | (Value::Ip(IpAddr::V6(_)), Kind::Ip4) => {
            Err(Raise::new(
                ErrorKind::Range,
                format!("`{}` takes an address of the other family", field.name),
            ))
        }
        (Value::Ip(address), _) => Ok(address_to_wire(*address)),
        (Value::Mac(mac), _) => Ok(mac_to_wire(*mac)),
        (Value::Bytes(octets), _) => Ok(FieldValue::Bytes(octets.to_vec())),
        (Value::Str(text), Kind::Text) => Ok(FieldValue::Text(text.to_string())),
        (Value::Str(text), _) => Ok(FieldValue::Bytes(text.as_bytes().to_vec())),
        _ => Err(Raise::new(
            ErrorKind::Range,
            format!("`{}` cannot be set to this", field.name),
        )),
    }
}
