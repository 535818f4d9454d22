//! Protocol layers written once, as tables, and the codec that reads them both ways. It knows no
//! language, asks no clock, opens no socket, and never fails on what comes from the wire: it gives
//! what is there, and remarks what is odd.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod auto;
mod ber;
mod codec;
mod field;
mod layer;
mod layout;
mod names;
mod packet_view;
pub mod protocols;
mod registry;
mod remark;
mod seal;
mod slot;
mod spell;
mod stream;
mod tlv;
mod value;

#[cfg(test)]
mod laws;

pub use auto::{Algorithm, Auto, Case, Checksum, INTERNET, Of, Over};
pub use codec::{
    Bounds, Broken, ChecksumStatus, Decoded, Fields, Found, Header, MAX_LAYERS, Options, Partial,
    Seen, Template, WireOption, checksum, decode, encode, encode_options, options, patch, rebuild,
};
pub use field::{Codec, Extent, Field, Kind, Part, ReadText, ReadView, Spelling, When};
pub use layer::{Body, Divide, Fragment, Layer, LayerRole, Next, Tell, Under};
pub use packet_view::{FragmentPosition, PacketView};
pub use protocols::quic::{Opened, Side};
pub use registry::{all, layer, link};
pub use remark::Remark;
pub use slot::Slot;
pub use stream::{Framer, Framing, MAX_MESSAGE, Scan, Turn, framed_at, framed_by};
pub use tlv::{Opt, Pad, Shape, Tlv};
pub use value::{FieldValue, OptionValue, SetError};

/// What a protocol's file needs to write its table.
pub mod table {
    pub use crate::auto::{Algorithm, Auto, Case, Checksum, INTERNET, Of, Over};
    pub use crate::codec::Header;
    pub use crate::field::{
        Codec, Extent, Field, Kind, Part, Spelling, When, bytes, custom, flags, header_len, ip4,
        ip6, mac, named, octets, options, payload_len, spelt, text, total_len, uint,
    };
    pub use crate::layer::{
        Body, Fragment, Layer, LayerRole, Next, Under, all_padding, lengths, under,
    };
    pub use crate::layout::layout;
    pub use crate::names::*;
    pub use crate::slot::Slot;
    pub use crate::stream::{Framing, Scan, Turn};
    pub use crate::tlv::{KIND_LENGTH, Opt, Pad, Shape, Tlv, opt, records};
    pub(crate) use crate::value::text_value;
    pub use crate::value::{FieldValue, OptionValue};
}
