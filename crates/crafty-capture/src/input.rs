//! Bytes of a capture and the current position. Allocates memory as bytes arrive, never by a length
//! field.

use crate::unpack::Unpacked;
use crate::{CaptureError, MAX_BLOCK};
use std::io::{ErrorKind, Read};

/// Where a capture's bytes come from, unpacked.
pub struct CaptureInput<R: Read> {
    from: Unpacked<R>,
    at: u64,
    buffer: Vec<u8>,
}

impl<R: Read> CaptureInput<R> {
    /// Reads from `from`, which may be compressed.
    pub fn new(from: R) -> Result<CaptureInput<R>, CaptureError> {
        Ok(CaptureInput {
            from: Unpacked::new(from)?,
            at: 0,
            buffer: Vec::new(),
        })
    }

    /// Bytes read so far, of the unpacked file.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], CaptureError> {
        let at = self.at;
        self.maybe()?
            .ok_or_else(|| CaptureError::Damaged(at, "the file ends inside a block".into()))
    }

    /// `N` bytes, or none if the file ends just here.
    pub fn maybe<const N: usize>(&mut self) -> Result<Option<[u8; N]>, CaptureError> {
        let mut array = [0; N];
        let mut have = 0;
        while have < N {
            match self.from.read(&mut array[have..]) {
                Ok(0) if have == 0 => return Ok(None),
                Ok(0) => {
                    return Err(CaptureError::Damaged(
                        self.at,
                        "the file ends inside a block".into(),
                    ));
                }
                Ok(n) => have += n,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(error)),
            }
        }
        self.at += N as u64;
        Ok(Some(array))
    }

    /// This many bytes, to be taken from [`CaptureInput::octets`].
    pub fn fill(&mut self, count: usize) -> Result<(), CaptureError> {
        if count > MAX_BLOCK {
            return Err(CaptureError::Damaged(
                self.at,
                format!("a length of {count} bytes is impossible"),
            ));
        }
        self.buffer.clear();
        let read = (&mut self.from)
            .take(count as u64)
            .read_to_end(&mut self.buffer);
        read.map_err(|error| self.failed(error))?;
        if self.buffer.len() < count {
            return Err(CaptureError::Damaged(
                self.at,
                format!("the file ends {} bytes early", count - self.buffer.len()),
            ));
        }
        self.at += count as u64;
        Ok(())
    }

    /// What was read last.
    pub fn octets(&self) -> &[u8] {
        &self.buffer
    }

    /// A compressed file that ends early or is damaged has its place, as any other.
    fn failed(&self, error: std::io::Error) -> CaptureError {
        match error.kind() {
            ErrorKind::UnexpectedEof => {
                CaptureError::Damaged(self.at, "the compressed file ends early".into())
            }
            ErrorKind::InvalidData | ErrorKind::InvalidInput => {
                CaptureError::Damaged(self.at, format!("the compressed file is damaged: {error}"))
            }
            _ => CaptureError::Io(error),
        }
    }
}
