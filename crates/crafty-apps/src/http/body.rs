//! Where a response's body ends: by its length, in chunks, or with the stream (RFC 9112 §6). What
//! is longer than allowed is cut off.

use super::head::ResponseHead;
use super::malformed;
use crate::failure::{SessionFailure, quoted};
use crafty_wire::protocols::http::framing::{self, BodyLength, MAX_LINE};

/// Lines of trailers.
const MAX_TRAILERS: usize = 64;

/// A body under way.
#[derive(Debug)]
pub(super) struct ResponseBody {
    /// What came of it, without the marks of chunks.
    pub data: Vec<u8>,
    /// Whether it was longer than is kept.
    pub cut: bool,
    /// Whether nothing more belongs to it.
    pub done: bool,
    most: usize,
    ends: BodyEnd,
}

#[derive(Debug, PartialEq, Eq)]
enum BodyEnd {
    After(u64),
    WithStream,
    Chunks(Chunk),
}

impl From<BodyLength> for BodyEnd {
    fn from(length: BodyLength) -> BodyEnd {
        match length {
            BodyLength::Bytes(count) => BodyEnd::After(count),
            BodyLength::UntilClose => BodyEnd::WithStream,
            BodyLength::Chunks => BodyEnd::Chunks(Chunk::Size(Vec::new())),
        }
    }
}

/// Where in a list of chunks it is (RFC 9112 §7.1).
#[derive(Debug, PartialEq, Eq)]
enum Chunk {
    /// In the line that says how long the next one is.
    Size(Vec<u8>),
    Data(u64),
    /// In the line end after the data.
    Behind,
    /// In a line of trailers; so many came before it.
    Trailer(Vec<u8>, usize),
}

impl ResponseBody {
    /// The body that follows this head.
    pub fn of(
        head: &ResponseHead,
        method: &str,
        most: usize,
    ) -> Result<ResponseBody, SessionFailure> {
        let ends = match length(head) {
            _ if method == "HEAD" || framing::is_bodiless(head.status) => BodyEnd::After(0),
            length => length?.into(),
        };
        let done = ends == BodyEnd::After(0);
        Ok(ResponseBody {
            data: Vec::new(),
            cut: false,
            done,
            most,
            ends,
        })
    }

    /// Whether the end of the stream is its end.
    pub fn ends_with_stream(&self) -> bool {
        self.ends == BodyEnd::WithStream
    }

    /// Takes what belongs to it; how many bytes that was.
    pub fn take(&mut self, octets: &[u8]) -> Result<usize, SessionFailure> {
        let mut taken = 0;
        while !self.done && taken < octets.len() {
            taken += self.step(&octets[taken..])?;
        }
        Ok(taken)
    }

    fn step(&mut self, octets: &[u8]) -> Result<usize, SessionFailure> {
        match core::mem::replace(&mut self.ends, BodyEnd::WithStream) {
            BodyEnd::WithStream => Ok(self.keep(octets)),
            BodyEnd::After(left) => {
                let n = self.keep(upto(octets, left));
                let left = left.saturating_sub(n as u64);
                self.done |= left == 0;
                self.ends = BodyEnd::After(left);
                Ok(n)
            }
            BodyEnd::Chunks(chunk) => self.step_chunk(chunk, octets),
        }
    }

    fn step_chunk(&mut self, at: Chunk, octets: &[u8]) -> Result<usize, SessionFailure> {
        let (n, next) = match at {
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
                    chunk(&line)?
                } else {
                    Chunk::Size(line)
                };
                (n, next)
            }
            Chunk::Trailer(mut line, before) => {
                let (n, whole) = read_line(octets, &mut line)?;
                self.done |= whole && line.is_empty();
                if before > MAX_TRAILERS {
                    return Err(malformed("the trailers never end"));
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
        self.ends = BodyEnd::Chunks(next);
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

/// Chunks win over a length (RFC 9112 §6.3). Two lengths that differ are not a length.
fn length(head: &ResponseHead) -> Result<BodyLength, SessionFailure> {
    if let Some(codings) = head.field("transfer-encoding") {
        return Ok(if framing::ends_chunked(codings) {
            BodyLength::Chunks
        } else {
            BodyLength::UntilClose
        });
    }
    let Some(written) = head.field("content-length") else {
        return Ok(BodyLength::UntilClose);
    };
    match framing::content_length(written) {
        Some(length) => Ok(BodyLength::Bytes(length)),
        None => Err(malformed(&format!(
            "Content-Length {} is not a valid length",
            quoted(written.as_bytes())
        ))),
    }
}

/// Adds bytes to a line up to its end; how many, and whether the line is whole. The line end is
/// left out.
fn read_line(octets: &[u8], line: &mut Vec<u8>) -> Result<(usize, bool), SessionFailure> {
    let end = octets.iter().position(|octet| *octet == b'\n');
    line.extend_from_slice(&octets[..end.unwrap_or(octets.len())]);
    if line.len() > MAX_LINE {
        return Err(malformed("the line with a chunk's size never ends"));
    }
    if end.is_some() && line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok((end.map_or(octets.len(), |at| at + 1), end.is_some()))
}

/// The chunk that a line announces; extensions are passed over.
fn chunk(line: &[u8]) -> Result<Chunk, SessionFailure> {
    match framing::chunk_size(line) {
        Some(0) => Ok(Chunk::Trailer(Vec::new(), 0)),
        Some(length) => Ok(Chunk::Data(length)),
        None => Err(malformed(&format!(
            "{} is not a valid chunk size",
            quoted(line)
        ))),
    }
}
