//! Bytes as the language sees them: layers by the codec's tables, fields as values. Reading never
//! fails; it may find nothing.

use crate::api::LinkLayer;
use crate::receiving::{field_values, layers, option_text};
use core::net::IpAddr;
use core::ops::Range;
use crafty_lang::ir::{FieldRef, OptionQuestion};
use crafty_value::Value;
use crafty_wire::{
    ChecksumStatus, Decoded, FieldKind, FieldValue, FoundLayer, Layer, LayerRole, OptionValue,
    PacketView, decode,
};
use std::sync::OnceLock;

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
    pub fn of_frame(link: LinkLayer, octets: Vec<u8>, wire_len: usize) -> DecodedPacket {
        match link {
            LinkLayer::RawIp => DecodedPacket {
                wire_len,
                ..DecodedPacket::of_datagram(octets)
            },
            LinkLayer::Ethernet | LinkLayer::Loopback => DecodedPacket {
                octets,
                wire_len,
                first: layers::layer_named("Eth"),
                decoded: OnceLock::new(),
            },
        }
    }

    /// A datagram without link header.
    pub fn of_datagram(octets: Vec<u8>) -> DecodedPacket {
        let first = match octets.first().map(|o| o >> 4) {
            Some(6) => layers::layer_named("IP6"),
            Some(4) => layers::layer_named("IP"),
            _ => layers::bytes_layer(),
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

    fn found(&self, at: usize) -> Option<&FoundLayer> {
        self.decoded().layers.get(at)
    }

    /// How many layers there are.
    pub fn layers(&self) -> usize {
        self.decoded().layers.len()
    }

    /// One of them; `Bytes` where there is none.
    pub fn layer(&self, at: usize) -> &'static Layer {
        self.found(at).map_or(layers::bytes_layer(), |f| f.layer)
    }

    /// The first layer that is not a link layer.
    pub fn first_network(&self) -> usize {
        self.decoded()
            .layers
            .iter()
            .take_while(|f| layers::is_link(f.layer))
            .count()
    }

    /// The first layer from `at` on that is not an extension header.
    pub fn after_extensions(&self, at: usize) -> usize {
        at + self
            .decoded()
            .layers
            .iter()
            .skip(at)
            .take_while(|f| layers::is_extension(f.layer))
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
        let found = self
            .decoded()
            .layers
            .iter()
            .find(|f| layers::is_ip(f.layer))?;
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
        let at = (0..self.layers()).find(|i| self.layer(*i).role == LayerRole::Transport);
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
        let last = self
            .decoded()
            .layers
            .last()
            .filter(|f| layers::is_bytes(f.layer))?;
        Some(last.start..last.end)
    }

    /// The layer that `p[Layer, nth]` means, from outside, or from inside if `nth` is negative.
    pub fn find(&self, layer: &Layer, nth: i64, field: &FieldRef) -> Option<usize> {
        let either = matches!(field, FieldRef::Either { .. });
        let fits = |i: &usize| {
            if either {
                layers::is_ip(self.layer(*i))
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
            FieldRef::OptionList {
                field, question, ..
            } => return self.of_options(at, *field, *question),
            FieldRef::Meta(_) => return None,
        };
        let row = layer.fields.get(index)?;
        match row.kind {
            FieldKind::Options(_) => self.raw_options(at, index),
            _ => field_values::from_wire(row, self.decoded().read(&self.octets, at, index)?),
        }
    }

    /// What a list of options says as a whole.
    fn of_options(&self, at: usize, field: usize, question: OptionQuestion) -> Option<Value> {
        let list = self.decoded().read(&self.octets, at, field)?;
        match (question, list) {
            (OptionQuestion::Has(name), _) => Some(Value::Bool(self.has_option(at, field, name))),
            (OptionQuestion::Shown, FieldValue::Options(list)) => {
                Some(Value::text(option_text::list(&list)))
            }
            (OptionQuestion::Shown, _) => self.raw_options(at, field),
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
            let (_, FieldValue::Options(list)) = field_values::part_of(option, part)? else {
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
            _ => field_values::part_of(option, part)
                .and_then(|(field, value)| field_values::from_wire(field, value)),
        }
    }

    /// The bytes of a list of options.
    fn raw_options(&self, at: usize, field: usize) -> Option<Value> {
        self.decoded()
            .read_bytes(&self.octets, at, field)
            .map(|o| Value::bytes(o.to_vec()))
    }

    /// This packet, asked by roles and names.
    pub fn packet(&self) -> PacketView<'_, '_> {
        PacketView::new(&self.octets, self.decoded())
    }

    /// An address field of a network header.
    pub fn address(&self, at: usize, name: &str) -> Option<IpAddr> {
        let view = self.packet();
        (view.role(at) == Some(LayerRole::Network))
            .then(|| view.address(at, name))
            .flatten()
    }

    /// A port field.
    pub fn port(&self, at: usize, name: &str) -> Option<u16> {
        u16::try_from(self.packet().uint(at, name)?).ok()
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
