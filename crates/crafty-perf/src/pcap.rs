//! Frames of a tcpdump file with nanosecond stamps: the classic format, in this machine's byte
//! order. A reader of its own, so that Crafty's stamps are not compared with its own reading.

use crate::row::BenchmarkResult;
use std::path::Path;

/// A captured frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedFrame {
    /// Nanoseconds since 1970.
    pub time: i64,
    /// As far as it was captured.
    pub octets: Vec<u8>,
}

/// Magic number of files whose stamps have nanoseconds.
const NANOSECONDS: u32 = 0xa1b2_3c4d;
/// Bytes before the first frame, and before each.
const FILE_HEADER: usize = 24;
const FRAME_HEADER: usize = 16;

/// All whole frames of a file.
pub fn read(path: &Path) -> BenchmarkResult<Vec<CapturedFrame>> {
    let file = std::fs::read(path)?;
    if word(&file, 0) != Some(NANOSECONDS) {
        return Err(format!(
            "`{}` is not a capture file with nanoseconds",
            path.display()
        )
        .into());
    }
    let mut frames = Vec::new();
    let mut rest = file.get(FILE_HEADER..).unwrap_or_default();
    while let Some((frame, behind)) = next(rest) {
        frames.push(frame);
        rest = behind;
    }
    Ok(frames)
}

fn next(rest: &[u8]) -> Option<(CapturedFrame, &[u8])> {
    let [seconds, nanoseconds, len] = [word(rest, 0)?, word(rest, 4)?, word(rest, 8)?];
    let (octets, behind) = rest.get(FRAME_HEADER..)?.split_at_checked(len as usize)?;
    Some((
        CapturedFrame {
            time: i64::from(seconds) * 1_000_000_000 + i64::from(nanoseconds),
            octets: octets.to_vec(),
        },
        behind,
    ))
}

fn word(octets: &[u8], at: usize) -> Option<u32> {
    octets
        .get(at..at.checked_add(4)?)?
        .try_into()
        .ok()
        .map(u32::from_ne_bytes)
}

impl CapturedFrame {
    /// Type, identifier and sequence number, if this is an ICMP message in an IPv4 datagram without
    /// options.
    pub fn echo(&self) -> Option<(u8, u16, u16)> {
        let icmp = self.octets.get(34..42).filter(|_| {
            self.octets.get(12..15) == Some(&[8, 0, 0x45]) && self.octets.get(23) == Some(&1)
        })?;
        Some((
            icmp[0],
            u16::from_be_bytes([icmp[4], icmp[5]]),
            u16::from_be_bytes([icmp[6], icmp[7]]),
        ))
    }
}
