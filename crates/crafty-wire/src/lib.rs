//! Protocol layers written once, as tables, and the codec that reads them both ways. It knows no
//! language, asks no clock, opens no socket, and never fails on what comes from the wire: it gives
//! what is there, and warns of what is odd.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod auto;
mod ber;
mod codec;
mod decode_warning;
mod field;
mod layer;
mod layout;
mod names;
mod packet_view;
pub mod protocols;
mod registry;
mod seal;
mod slot;
mod spell;
mod stream;
mod tlv;
mod value;

#[cfg(test)]
mod laws;

pub use auto::{Algorithm, Auto, Checksum, ChecksumCoverage, ChecksumException, INTERNET, Of};
pub use codec::{
    Bounds, Broken, ChecksumStatus, Decoded, FieldView, Fields, FoundLayer, Header, MAX_LAYERS,
    OptionIterator, Template, Unverifiable, WireOption, checksum, decode, decode_by_content,
    encode, encode_options, options, patch, rebuild,
};
pub use decode_warning::DecodeWarning;
pub use field::{Codec, Extent, Field, FieldKind, Part, ReadText, ReadView, Spelling, When};
pub use layer::{Body, DividePayload, FragmentFields, Layer, LayerRole, NextLayer, Tell, Under};
pub use packet_view::{FragmentPosition, PacketView};
pub use protocols::quic::{OpenedInitial, QuicEnd};
pub use registry::{all, layer, link};
pub use slot::Slot;
pub use stream::{
    Framer, Framing, MAX_MESSAGE, MessageTurn, Scan, framed_at, framed_by, framed_by_content,
};
pub use tlv::{OptionRow, OptionShape, Pad, Tlv};
pub use value::{FieldValue, OptionValue, SetError};

/// What a protocol's file needs to write its table.
pub mod table {
    pub use crate::auto::{
        Algorithm, Auto, Checksum, ChecksumCoverage, ChecksumException, INTERNET, Of,
    };
    pub use crate::codec::Header;
    pub use crate::field::{
        Codec, Extent, Field, FieldKind, Part, Spelling, When, bytes, custom, flags, header_len,
        ip4, ip6, mac, named, octets, options, payload_len, spelt, text, total_len, uint,
    };
    pub use crate::layer::{
        Body, FragmentFields, Layer, LayerRole, NextLayer, Under, all_padding, lengths, under,
    };
    pub use crate::layout::layout;
    pub use crate::names::*;
    pub use crate::slot::Slot;
    pub use crate::stream::{Framing, MessageTurn, Scan};
    pub use crate::tlv::{KIND_LENGTH, OptionRow, OptionShape, Pad, Tlv, opt, records};
    pub(crate) use crate::value::text_value;
    pub use crate::value::{FieldValue, OptionValue};
}
