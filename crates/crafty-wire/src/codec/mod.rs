//! Bytes from tables and tables from bytes. No protocol is named here.

mod checksum;
mod decode;
mod decoded;
mod encode;
mod fields;
mod header;
mod list;
mod list_encode;
mod patch;
mod place;
mod read;
mod rebuild;

pub(crate) use checksum::reflected_crc;
pub use checksum::{ChecksumStatus, checksum};
pub use decode::{MAX_LAYERS, decode, decode_by_content};
pub use decoded::{Decoded, FoundLayer, Unverifiable};
pub use encode::{Bounds, encode};
pub use fields::{FieldView, Fields, options};
pub use header::Header;
pub use list::{Broken, OptionIterator, WireOption};
pub use list_encode::encode_options;
pub use patch::{Template, patch};
pub use rebuild::rebuild;
