//! Captures compressed with gzip (RFC 1952) or zstd (RFC 8878), known by their first bytes. Unpacks
//! as it is read: a small file that unpacks to a large one is never held in memory. Memory is
//! bounded by the window: 32 KiB for gzip, [`MOST_WINDOW`] for zstd. Wrong lengths, checksums and
//! windows are errors of the kind `InvalidData`, an early end is `UnexpectedEof`.

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{BufReader, Chain, Cursor, Error, ErrorKind, Read};

/// Largest window of zstd, as `zstd` itself takes it without being told otherwise (`--ultra -22`
/// writes it).
pub const MOST_WINDOW: u64 = 128 << 20;

const GZIP_WINDOW: usize = 32 << 10;
const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: u32 = 0xfd2f_b528;
/// Frames of any content that are to be passed over (RFC 8878, 3.1.2): sixteen numbers from this
/// one on.
const SKIPPABLE: u32 = 0x184d_2a50;

/// The bytes that were read to know the format, and the rest.
type Whole<R> = Chain<Cursor<Vec<u8>>, R>;

/// A file, unpacked if it is packed.
pub enum Unpacked<R: Read> {
    /// As it is.
    Plain(Whole<R>),
    /// One or more gzip members. The decoder asks for input before it looks whether it still holds
    /// output: only whoever takes as much as a window holds sees all that a growing file has so
    /// far.
    Gzip(Box<BufReader<MultiGzDecoder<Whole<R>>>>),
    /// One or more zstd frames.
    Zstd(Box<ZstdFrames<Whole<R>>>),
}

impl<R: Read> Unpacked<R> {
    /// Looks at the first bytes.
    pub fn new(mut from: R) -> Result<Unpacked<R>, Error> {
        let magic = up_to_four(&mut from)?;
        let number = magic
            .as_slice()
            .try_into()
            .map(u32::from_le_bytes)
            .unwrap_or_default();
        let packed_gzip = magic.starts_with(&GZIP);
        let whole = Cursor::new(magic).chain(from);
        Ok(match number {
            _ if packed_gzip => Unpacked::Gzip(Box::new(BufReader::with_capacity(
                2 * GZIP_WINDOW,
                MultiGzDecoder::new(whole),
            ))),
            _ if number == ZSTD || is_skippable(number) => Unpacked::Zstd(Box::new(ZstdFrames {
                from: whole,
                decoder: FrameDecoder::new(),
            })),
            _ => Unpacked::Plain(whole),
        })
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Error> {
        match self {
            Unpacked::Plain(whole) => whole.read(into),
            Unpacked::Gzip(members) => members.read(into),
            Unpacked::Zstd(frames) => frames.read(into),
        }
    }
}

/// Frames of zstd, one after the other. Gives bytes once the window is behind them, so the last
/// come when their frame ends.
pub struct ZstdFrames<R: Read> {
    from: R,
    decoder: FrameDecoder,
}

impl<R: Read> Read for ZstdFrames<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Error> {
        while self.decoder.can_collect() == 0 {
            if !self.decoder.is_finished() {
                self.decoder
                    .decode_blocks(&mut self.from, BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(damaged)?;
                continue;
            }
            self.checked()?;
            if !self.next_frame()? {
                return Ok(0);
            }
        }
        self.decoder.read(into)
    }
}

impl<R: Read> ZstdFrames<R> {
    /// A frame that carries a checksum must have the right one.
    fn checked(&self) -> Result<(), Error> {
        match self.decoder.get_checksum_from_data() {
            Some(told) if self.decoder.get_calculated_checksum() != Some(told) => {
                Err(Error::new(ErrorKind::InvalidData, "a checksum is wrong"))
            }
            _ => Ok(()),
        }
    }

    /// Begins the next frame, passing over skippable ones; false at the end of the file.
    fn next_frame(&mut self) -> Result<bool, Error> {
        loop {
            let magic = up_to_four(&mut self.from)?;
            if magic.is_empty() {
                return Ok(false);
            }
            let number = magic
                .as_slice()
                .try_into()
                .map(u32::from_le_bytes)
                .map_err(|_| Error::from(ErrorKind::UnexpectedEof))?;
            if !is_skippable(number) {
                self.decoder.set_max_window_size(MOST_WINDOW);
                self.decoder
                    .reset(Cursor::new(magic).chain(&mut self.from))
                    .map_err(damaged)?;
                return Ok(true);
            }
            let mut length = [0; 4];
            self.from.read_exact(&mut length)?;
            std::io::copy(
                &mut (&mut self.from).take(u64::from(u32::from_le_bytes(length))),
                &mut std::io::sink(),
            )?;
        }
    }
}

fn is_skippable(magic: u32) -> bool {
    magic & !0xf == SKIPPABLE
}

/// An early end shows in what the decoder could not read.
fn damaged(error: impl std::error::Error) -> Error {
    let mut source: Option<&dyn std::error::Error> = error.source();
    while let Some(inner) = source {
        if inner
            .downcast_ref::<Error>()
            .is_some_and(|e| e.kind() == ErrorKind::UnexpectedEof)
        {
            return Error::from(ErrorKind::UnexpectedEof);
        }
        source = inner.source();
    }
    Error::new(ErrorKind::InvalidData, error.to_string())
}

/// Four bytes, or fewer where the file ends.
fn up_to_four(from: &mut impl Read) -> Result<Vec<u8>, Error> {
    let mut octets = Vec::with_capacity(4);
    from.take(4).read_to_end(&mut octets)?;
    Ok(octets)
}
