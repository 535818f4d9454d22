//! Names of DNS on the wire, with what was said before left out (RFC 1035 §4.1.4). Nothing here
//! knows the message around them.

use alloc::format;
use alloc::string::{String, ToString};

/// Labels and pointers of a name that are followed at most.
const MAX_STEPS: usize = 256;

/// The number of 16 bits at a place.
pub(crate) fn word(octets: &[u8], at: usize) -> Option<u16> {
    octets
        .get(at..at + 2)?
        .try_into()
        .ok()
        .map(u16::from_be_bytes)
}

/// First byte after a name, without following it elsewhere.
pub(crate) fn skip_name(message: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *message.get(at)? {
            0 => return Some(at + 1),
            length @ 1..=63 => at += 1 + usize::from(length),
            192.. => return Some(at + 2).filter(|end| *end <= message.len()),
            _ => return None,
        }
    }
}

/// First byte after a name, all of which can be read; else why not.
pub(crate) fn name_end(message: &[u8], start: usize) -> Result<usize, &'static str> {
    const CUT: &str = "the message ends inside a name";
    let (mut at, mut oldest, mut end) = (start, start, None);
    for _ in 0..MAX_STEPS {
        match *message.get(at).ok_or(CUT)? {
            0 => return Ok(end.unwrap_or(at + 1)),
            length @ 1..=63 => at += 1 + usize::from(length),
            192.. => {
                end = end.or(Some(at + 2));
                at = usize::from(word(message, at).ok_or(CUT)? & 0x3fff);
                if at >= oldest {
                    return Err("a name's compression pointer does not point backwards: a loop");
                }
                oldest = at;
            }
            _ => return Err("a label of a name is neither a length nor a pointer"),
        }
    }
    Err("a name has more than 256 labels")
}

/// A name as text, and the first byte after it. A pointer must go back before all that was read of
/// the name so far (RFC 1035 §4.1.4), so that this ends.
pub(crate) fn name_at(message: &[u8], start: usize) -> Option<(String, usize)> {
    let (mut name, mut at, mut oldest) = (String::new(), start, start);
    for _ in 0..MAX_STEPS {
        match *message.get(at)? {
            0 => {
                return Some((
                    if name.is_empty() {
                        ".".to_string()
                    } else {
                        name
                    },
                    skip_name(message, start)?,
                ));
            }
            length @ 1..=63 => {
                label(
                    &mut name,
                    message.get(at + 1..at + 1 + usize::from(length))?,
                );
                at += 1 + usize::from(length);
            }
            192.. => {
                at = usize::from(word(message, at)? & 0x3fff);
                if at >= oldest {
                    return None;
                }
                oldest = at;
            }
            _ => return None,
        }
    }
    None
}

/// Adds a label; what is not printable, dots and backslashes are escaped (RFC 1035 §5.1).
fn label(name: &mut String, octets: &[u8]) {
    if !name.is_empty() {
        name.push('.');
    }
    for &octet in octets {
        match octet {
            b'.' | b'\\' => name.extend(['\\', octet as char]),
            b'!'..=b'~' => name.push(octet as char),
            _ => name.push_str(&format!("\\{octet:03}")),
        }
    }
}
