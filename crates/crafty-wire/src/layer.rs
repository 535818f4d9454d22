//! What a protocol layer is: a table. Nothing here touches a packet.

use core::fmt;
use core::ops::Range;

use crate::auto::Of;
use crate::field::{Field, FieldKind, ReadView, same};
use crate::layout::Measure;
use crate::slot::Slot;
use crate::stream::{Framer, MessageTurn};
use crate::tlv::OptionLength;

/// One protocol layer, written once, as data. All else is derived from it.
#[derive(Clone, Copy)]
pub struct Layer {
    /// Name in the language: `/IP(…)/TCP(…)`.
    pub name: &'static str,
    /// Name in full.
    pub title: &'static str,
    /// Where it is specified.
    pub spec: &'static str,
    /// What it is for, in a sentence or two.
    pub about: &'static str,
    /// A stack that uses it, in the language.
    pub example: &'static str,
    /// What it is for in a packet.
    pub role: LayerRole,
    /// The field that says which of several networks a carrier is of, the same both ways: the number
    /// of a VLAN, the key of a tunnel.
    pub network_id: Option<&'static str>,
    /// The fields in wire order, the most significant bit first; then those of the trailer; then
    /// views.
    pub fields: &'static [Field],
    /// Below which layers it is found: one row serves building (fill the parent's field) and
    /// reading (choose this child).
    pub under: &'static [Under],
    /// The layer whose children are also children of this one (VLAN tags carry what Ethernet
    /// carries).
    pub like: Option<&'static str>,
    /// How the next layer is chosen.
    pub next: NextLayer,
    /// The address fields that enter a child's pseudo-header; empty for a layer that is not a
    /// network layer.
    pub pseudo: &'static [&'static str],
    /// Where in the header the final destination lies, when it is not the pseudo-header's: source
    /// routes.
    pub route: Option<Tell<Range<usize>>>,
    /// Where in the header the source that the pseudo-header takes lies: a home address.
    pub home: Option<Tell<Range<usize>>>,
    /// Whether a checksum of zero is wrong above this layer (RFC 8200 §8.1).
    pub strict_checksums: bool,
    /// Whether the header may belong to a fragment.
    pub fragment: FragmentFields,
    /// Whether the header quotes a packet: what follows is cut short, and nothing in it is checked.
    pub quotes: Option<fn(&[u8]) -> bool>,
    /// How header and what follows it tell payload and trailer.
    pub body: Option<DividePayload>,
    /// Bytes that the payload of so many bytes is padded to, where the header gets a trailer.
    pub pad_payload: Option<fn(usize) -> usize>,
    /// Whether the bytes can be this layer at all.
    pub accepts: Option<fn(&[u8]) -> bool>,
    /// Whether the bytes are the start of this layer beyond doubt, whatever port they go to.
    pub begins: Option<fn(&[u8]) -> bool>,
    /// The layer that has the same number, for bytes that cannot be this one.
    pub otherwise: Option<&'static Layer>,
    /// What contradicts the protocol in a whole header, if something does.
    pub check: Option<Tell<&'static str>>,
    /// What cannot be read in a message that is there to its end, and the byte where it begins; not
    /// asked where the capture, a fragment or a quotation cut the message.
    pub whole: Option<Tell<(usize, &'static str)>>,
    /// Whether a frame that begins with this layer ends in the right check sequence.
    pub frame_check: Option<fn(&[u8]) -> bool>,
    /// The length of the packet from this header on, where an option of it says so.
    pub jumbo: Option<Tell<usize>>,
    /// Tells where a message ends that begins a TCP stream; every layer that TCP carries has it.
    pub message: Option<Framer>,
    /// Reads the views of a layer without a [`FieldKind::Custom`] field, from the bytes of the whole
    /// header.
    pub views: Option<ReadView>,
    /// What a message of a stream is in the talk of both ends; for layers whose answers are as long
    /// as the question lets them be.
    pub turn: Option<fn(&[u8]) -> MessageTurn>,
    /// Link types of captures that start with this layer.
    pub link_types: &'static [u32],
    /// Bytes of the part that every header has; derived by [`Layer::seal`].
    pub fixed_len: usize,
    /// Position in [`crate::all`]; derived.
    pub id: u8,
    pub(crate) shape: HeaderEnd,
    pub(crate) header_len: Measure,
    pub(crate) bound: Measure,
    pub(crate) bound_of: Of,
    pub(crate) by: Slot,
    pub(crate) or_by: Slot,
    pub(crate) fragment_offset: Slot,
    pub(crate) fragment_more: Slot,
    pub(crate) more_mask: u64,
    pub(crate) defaults: u128,
    pub(crate) computed: u128,
    pub(crate) options_at: Option<u8>,
    /// Kinds below 64 without length, where the header's options are kind and length in a byte
    /// each.
    pub(crate) bare: Option<u64>,
    /// The lengths that options of such a list may have, by kind below 64.
    pub(crate) lengths: [OptionLength; 64],
    pub(crate) trailing: u128,
    /// The byte that decides alone how long the header is, and the lengths; [`Slot::NOWHERE`] where
    /// none does.
    pub(crate) kind: Slot,
    pub(crate) lens: [u8; 256],
    /// Whether fields are in some headers only.
    pub(crate) varies: bool,
    /// Whether a field of known width has no fixed place.
    pub(crate) shifts: bool,
    /// The fields of variable length in the header.
    pub(crate) variable: u128,
}

/// What a layer is for in a packet. Who wants to know where addresses, ports or a tunnel are asks
/// for the role, never for a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LayerRole {
    /// Moves a frame over one link.
    Link,
    /// Brings a datagram from host to host; its addresses are `src` and `dst`.
    Network,
    /// An extension header of the network layer.
    Extension,
    /// Says who sent what follows (RFC 4302).
    Authentication,
    /// Brings data from port to port; its ports are `src` and `dst`.
    Transport,
    /// Carries packets of another network, or hides them.
    Tunnel,
    /// Tests and errors of the network layer; an error quotes a packet.
    Control,
    /// What hosts say to each other: all other protocols.
    Message,
    /// Bytes that no layer explains.
    Data,
}

/// Tells something of a header, if it is there to tell.
pub type Tell<T> = fn(&[u8]) -> Option<T>;

/// Divides what follows a header.
pub type DividePayload = fn(&[u8], &[u8]) -> Body;

/// How the end of a header is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderEnd {
    /// It has one size.
    Fixed,
    /// A field says.
    Said,
    /// By going through its fields.
    Walked,
    /// By the value of one byte.
    Kinds,
    /// It is all there is.
    Rest,
}

/// A place below another layer.
#[derive(Clone, Copy, Debug)]
pub struct Under {
    /// Name of the layer below.
    pub parent: &'static str,
    /// Its field.
    pub field: &'static str,
    /// The first value that means this layer, and the one that is written.
    pub value: u64,
    /// The last value that means this layer. Where it is not the first, the payload's length is
    /// written.
    pub last: u64,
}

/// A row of `under`: this layer follows `parent` where `field` is `value`.
pub const fn under(parent: &'static str, field: &'static str, value: u64) -> Under {
    Under {
        parent,
        field,
        value,
        last: value,
    }
}

/// A row of `under` for a field that is a length up to `last` (IEEE 802.3).
pub const fn lengths(parent: &'static str, field: &'static str, last: u64) -> Under {
    Under {
        parent,
        field,
        value: 0,
        last,
    }
}

/// How the next layer is chosen.
#[derive(Clone, Copy)]
pub enum NextLayer {
    /// There is none: what follows is bytes.
    Nothing,
    /// By the value of a field.
    Field(&'static str),
    /// By either field, the second first (ports: source, destination).
    Either(&'static str, &'static str),
    /// Always this one.
    Always(&'static Layer),
    /// By looking, given header and payload.
    Peek(fn(&[u8], &[u8]) -> Option<&'static Layer>),
}

/// Which fields tell that a header belongs to a fragment.
#[derive(Clone, Copy)]
pub enum FragmentFields {
    /// It cannot.
    Never,
    /// An offset other than zero: not the first one; the bit (of a flags field, by name): more
    /// follow.
    By {
        /// Field of the offset.
        offset: &'static str,
        /// Field of the bit.
        more: &'static str,
        /// Name of the bit.
        bit: &'static str,
    },
}

/// What follows a header, in bytes: payload, then trailer; the rest is padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Body {
    /// Bytes of the payload.
    pub payload: usize,
    /// Bytes of the trailer.
    pub trailer: usize,
    /// What contradicts the protocol in how header and bytes divide.
    pub odd: Option<&'static str>,
}

impl Body {
    /// So many bytes of payload, and no trailer.
    pub const fn carries(payload: usize) -> Body {
        Body {
            payload,
            trailer: 0,
            odd: None,
        }
    }

    /// The same, with what contradicts the protocol in it.
    pub const fn but(self, odd: &'static str) -> Body {
        Body {
            odd: Some(odd),
            ..self
        }
    }
}

/// A body of a layer behind which the frame is only filled up.
pub fn all_padding(_: &[u8], _: &[u8]) -> Body {
    Body::carries(0)
}

impl Layer {
    /// The beginning of every table.
    pub const BLANK: Layer = Layer {
        name: "",
        title: "",
        spec: "",
        about: "",
        example: "",
        role: LayerRole::Message,
        network_id: None,
        fields: &[],
        under: &[],
        like: None,
        next: NextLayer::Nothing,
        pseudo: &[],
        route: None,
        home: None,
        strict_checksums: false,
        fragment: FragmentFields::Never,
        quotes: None,
        body: None,
        pad_payload: None,
        accepts: None,
        begins: None,
        otherwise: None,
        check: None,
        whole: None,
        frame_check: None,
        jumbo: None,
        message: None,
        views: None,
        turn: None,
        link_types: &[],
        fixed_len: 0,
        id: 0,
        shape: HeaderEnd::Fixed,
        header_len: Measure::NONE,
        bound: Measure::NONE,
        bound_of: Of::Header,
        by: Slot::NOWHERE,
        or_by: Slot::NOWHERE,
        fragment_offset: Slot::NOWHERE,
        fragment_more: Slot::NOWHERE,
        more_mask: 0,
        defaults: 0,
        computed: 0,
        options_at: None,
        bare: None,
        lengths: [OptionLength::ANY; 64],
        trailing: 0,
        kind: Slot::NOWHERE,
        lens: [0; 256],
        varies: false,
        shifts: false,
        variable: 0,
    };

    /// The place of the field called `name`, for hot paths: in a `const`, a wrong name does not
    /// build.
    ///
    /// # Panics
    /// When there is no such field, or its place depends on what comes before it.
    pub const fn slot(&self, name: &str) -> Slot {
        let field = &self.fields[self.position(name)];
        assert!(!field.moves, "the field has no fixed place");
        field.slot
    }

    /// The bit called `bit` of the flags field called `name`.
    ///
    /// # Panics
    /// When there is no such bit: in a `const`, a wrong name does not build.
    pub const fn bit(&self, name: &str, bit: &str) -> u64 {
        let FieldKind::Flags(bits) = self.fields[self.position(name)].kind else {
            return self.fields[self.position(name)].slot.mask;
        };
        let mut i = 0;
        while i < bits.len() {
            if same(bits[i], bit) {
                return 1 << (bits.len() - 1 - i);
            }
            i += 1;
        }
        panic!("no such bit in this field")
    }

    const fn position(&self, name: &str) -> usize {
        let mut i = 0;
        while i < self.fields.len() {
            if same(self.fields[i].name, name) {
                return i;
            }
            i += 1;
        }
        panic!("no such field in this layer")
    }

    /// Whether a field's place may depend on those before it.
    pub(crate) const fn walks(&self) -> bool {
        self.varies || self.shifts || self.variable.count_ones() > 1
    }

    /// The field called `name`, and its position.
    pub fn field(&self, name: &str) -> Option<(usize, &'static Field)> {
        self.fields
            .iter()
            .enumerate()
            .find(|(_, field)| field.name == name)
    }
}

impl fmt::Debug for Layer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)
    }
}

impl PartialEq for Layer {
    fn eq(&self, other: &Layer) -> bool {
        self.id == other.id
    }
}

impl Eq for Layer {}
