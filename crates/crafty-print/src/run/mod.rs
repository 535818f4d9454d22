//! The output of a run, as lines for people and as JSON lines.

mod json;
mod text;

pub use json::{event_json, value_json};
pub use text::{Line, event_line, totals_line};

use crafty_lang::eval::show;
use crafty_run::{Divergence, Expectation};
use crafty_wire::{Decoded, decode, link};

/// What a recording has, and what the program sent instead, in words; received bytes are escaped.
pub fn divergence_words(divergence: &Divergence) -> (String, String) {
    let gist = |bytes: &[u8], wire_len| gist(divergence.link, bytes, wire_len);
    let expected = match &divergence.expected {
        Expectation::NothingOfTheKind => "nothing of the kind".into(),
        Expectation::NothingMore => "nothing more in this conversation".into(),
        Expectation::StreamBytes { at, bytes, len } => {
            let cut = if *len > bytes.len() {
                format!("… ({len} bytes)")
            } else {
                String::new()
            };
            let bytes = show::escaped(bytes, bytes.len());
            format!("bytes of the stream from {at} on: «{bytes}{cut}»")
        }
        Expectation::StreamEnd { len } => format!("no more than {len} bytes in the stream"),
        Expectation::Packet {
            index,
            bytes,
            wire_len,
        } => format!("packet {index}: {}", gist(bytes, *wire_len)),
    };
    let sent = divergence.sent.as_ref();
    let sent = sent.map_or("nothing more".into(), |bytes| gist(bytes, bytes.len()));
    (expected, sent)
}

fn gist(link_type: u16, bytes: &[u8], wire_len: usize) -> String {
    let (mut decoded, mut out) = (Decoded::new(), Vec::new());
    let first = link(u32::from(link_type), bytes);
    decode(first, bytes, wire_len, &mut decoded);
    crate::packet::gist(bytes, &decoded, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Messages may quote received bytes.
fn harmless(message: &str) -> String {
    show::escaped(message.as_bytes(), 1024)
}
