//! Where a response's body ends: by its length, in chunks, or with the stream (RFC 9112 §6). What
//! is longer than allowed is cut off.

use super::head::Head;
use super::malformed;
use crate::failure::{Failure, quoted};

/// Bytes of a chunk's first line, and of a line of trailers.
const MAX_LINE: usize = 1024;
/// Lines of trailers.
const MAX_TRAILERS: usize = 64;

/// A body under way.
#[derive(Debug)]
pub(super) struct Body {
    /// What came of it, without the marks of chunks.
    pub data: Vec<u8>,
    /// Whether it was longer than is kept.
    pub cut: bool,
    /// Whether nothing more belongs to it.
    pub done: bool,
    most: usize,
    ends: Ends,
}

#[derive(Debug, PartialEq, Eq)]
enum Ends {
    After(u64),
    WithStream,
    Chunks(Chunk),
}

/// Where in a list of chunks it stands (RFC 9112 §7.1).
#[derive(Debug, PartialEq, Eq)]
enum Chunk {
    /// In the line that says how long the next one is.
    Size(Vec<u8>),
    Data(u64),
    /// In the line end behind the data.
    Behind,
    /// In a line of trailers; so many came before it.
    Trailer(Vec<u8>, usize),
}

impl Body {
    /// The body that follows this head.
    pub fn of(head: &Head, method: &str, most: usize) -> Result<Body, Failure> {
        let none = method == "HEAD" || matches!(head.status, 100..200 | 204 | 304);
        let ends = if none { Ends::After(0) } else { ends(head)? };
        let done = ends == Ends::After(0);
        Ok(Body {
            data: Vec::new(),
            cut: false,
            done,
            most,
            ends,
        })
    }

    /// Whether the end of the stream is its end.
    pub fn ends_with_stream(&self) -> bool {
        self.ends == Ends::WithStream
    }

    /// Takes what belongs to it; how many bytes that was.
    pub fn take(&mut self, octets: &[u8]) -> Result<usize, Failure> {
        let mut taken = 0;
        while !self.done && taken < octets.len() {
            taken += self.step(&octets[taken..])?;
        }
        Ok(taken)
    }

    fn step(&mut self, octets: &[u8]) -> Result<usize, Failure> {
        match core::mem::replace(&mut self.ends, Ends::WithStream) {
            Ends::WithStream => Ok(self.keep(octets)),
            Ends::After(left) => {
                let n = self.keep(upto(octets, left));
                let left = left.saturating_sub(n as u64);
                self.done |= left == 0;
                self.ends = Ends::After(left);
                Ok(n)
            }
            Ends::Chunks(chunk) => self.step_chunk(chunk, octets),
        }
    }

    fn step_chunk(&mut self, chunk: Chunk, octets: &[u8]) -> Result<usize, Failure> {
        let (n, next) = match chunk {
            Chunk::Data(left) => {
                let n = self.keep(upto(octets, left));
                let left = left.saturating_sub(n as u64);
                (
                    n,
                    if left == 0 {
                        Chunk::Behind
                    } else {
                        Chunk::Data(left)
                    },
                )
            }
            Chunk::Behind => match octets[0] {
                b'\r' => (1, Chunk::Behind),
                b'\n' => (1, Chunk::Size(Vec::new())),
                other => {
                    return Err(malformed(&format!(
                        "a chunk is longer than it says: {} follows",
                        quoted(&[other])
                    )));
                }
            },
            Chunk::Size(mut line) => {
                let (n, whole) = read_line(octets, &mut line)?;
                let next = if whole {
                    size(&line)?
                } else {
                    Chunk::Size(line)
                };
                (n, next)
            }
            Chunk::Trailer(mut line, before) => {
                let (n, whole) = read_line(octets, &mut line)?;
                self.done |= whole && line.is_empty();
                if before > MAX_TRAILERS {
                    return Err(malformed("trailers without end"));
                }
                (
                    n,
                    if whole {
                        Chunk::Trailer(Vec::new(), before + 1)
                    } else {
                        Chunk::Trailer(line, before)
                    },
                )
            }
        };
        self.ends = Ends::Chunks(next);
        Ok(n)
    }

    /// Keeps bytes as far as there is room; beyond that the body is cut off, and done.
    fn keep(&mut self, octets: &[u8]) -> usize {
        let room = self.most.saturating_sub(self.data.len());
        let kept = octets.len().min(room);
        self.data.extend_from_slice(&octets[..kept]);
        if kept < octets.len() {
            (self.cut, self.done) = (true, true);
        }
        octets.len()
    }
}

fn upto(octets: &[u8], most: u64) -> &[u8] {
    let n = usize::try_from(most)
        .unwrap_or(usize::MAX)
        .min(octets.len());
    &octets[..n]
}

/// Chunks win over a length (RFC 9112 §6.3). Two lengths that differ are no length.
fn ends(head: &Head) -> Result<Ends, Failure> {
    if let Some(codings) = head.field("transfer-encoding") {
        let last = codings.rsplit(',').next().unwrap_or_default().trim();
        let chunked = last.eq_ignore_ascii_case("chunked");
        return Ok(if chunked {
            Ends::Chunks(Chunk::Size(Vec::new()))
        } else {
            Ends::WithStream
        });
    }
    let Some(written) = head.field("content-length") else {
        return Ok(Ends::WithStream);
    };
    let mut lengths = written.split(',').map(|length| digits(length.trim()));
    match lengths.next().flatten() {
        Some(first) if lengths.all(|other| other == Some(first)) => Ok(Ends::After(first)),
        _ => Err(malformed(&format!(
            "Content-Length {} is no length",
            quoted(written.as_bytes())
        ))),
    }
}

fn digits(text: &str) -> Option<u64> {
    text.parse()
        .ok()
        .filter(|_| text.bytes().all(|octet| octet.is_ascii_digit()))
}

/// Adds bytes to a line up to its end; how many, and whether the line is whole. The line end is
/// left out.
fn read_line(octets: &[u8], line: &mut Vec<u8>) -> Result<(usize, bool), Failure> {
    let end = octets.iter().position(|octet| *octet == b'\n');
    line.extend_from_slice(&octets[..end.unwrap_or(octets.len())]);
    if line.len() > MAX_LINE {
        return Err(malformed("a line of a chunk without end"));
    }
    if end.is_some() && line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok((end.map_or(octets.len(), |at| at + 1), end.is_some()))
}

/// The chunk that a line announces; extensions are passed over.
fn size(line: &[u8]) -> Result<Chunk, Failure> {
    let text = String::from_utf8_lossy(line);
    let number = text.split(';').next().unwrap_or_default().trim();
    let is_hex = !number.is_empty() && number.bytes().all(|octet| octet.is_ascii_hexdigit());
    match u64::from_str_radix(number, 16).ok().filter(|_| is_hex) {
        Some(0) => Ok(Chunk::Trailer(Vec::new(), 0)),
        Some(length) => Ok(Chunk::Data(length)),
        None => Err(malformed(&format!(
            "{} is no length of a chunk",
            quoted(line)
        ))),
    }
}
