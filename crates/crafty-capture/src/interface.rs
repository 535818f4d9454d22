//! What an interface description says of its packets: their link type, how much of them was kept,
//! and what their stamps mean.

use crate::blocks::{options, text};
use crate::order::Order;
use crate::pcapng::option;
use crafty_value::Time;

/// An interface of a file.
#[derive(Clone, Debug, Default)]
pub struct CaptureInterface {
    /// `LINKTYPE_` number.
    pub link: u16,
    /// Bytes kept of each packet at most; 0 for all.
    pub snap: u32,
    /// Its name, empty if it says none.
    pub name: String,
    resolution: StampResolution,
    /// Seconds to add to each stamp.
    offset: i64,
}

/// Units per second of an interface's stamps.
#[derive(Clone, Copy, Debug)]
enum StampResolution {
    Decimal(u32),
    Binary(u32),
}

impl Default for StampResolution {
    fn default() -> StampResolution {
        StampResolution::Decimal(6)
    }
}

impl CaptureInterface {
    /// The one interface of a pcap file.
    pub fn of_link(link: u16) -> CaptureInterface {
        CaptureInterface {
            link,
            ..CaptureInterface::default()
        }
    }

    /// Reads the body of an interface description block; none if it is too short.
    pub fn described(order: Order, body: &[u8]) -> Option<CaptureInterface> {
        let head = body.get(..8)?;
        let mut interface = CaptureInterface {
            link: order.u16(head),
            snap: order.u32(&head[4..]),
            ..CaptureInterface::default()
        };
        for (code, value) in options(order, &body[8..]) {
            match (code, value) {
                (option::IF_NAME, name) => interface.name = text(name),
                (option::IF_TSRESOL, [r, ..]) if r & 0x80 != 0 => {
                    interface.resolution = StampResolution::Binary(u32::from(r & 0x7f))
                }
                (option::IF_TSRESOL, [r, ..]) => {
                    interface.resolution = StampResolution::Decimal(u32::from(*r))
                }
                (option::IF_TSOFFSET, value) if value.len() >= 8 => {
                    interface.offset = order.u64(value).cast_signed()
                }
                _ => {}
            }
        }
        Some(interface)
    }

    /// A stamp in nanoseconds; none if it lies outside 64 bits.
    pub fn time(&self, units: u64) -> Option<Time> {
        let scaled = u128::from(units) * 1_000_000_000;
        let ns = match self.resolution {
            // Finer than 10^-38 s: no stamp of 64 bits comes to a nanosecond.
            StampResolution::Decimal(exponent) => 10u128
                .checked_pow(exponent)
                .map_or(0, |per_second| scaled / per_second),
            StampResolution::Binary(shift) => scaled.checked_shr(shift).unwrap_or(0),
        };
        let offset = i128::from(self.offset) * 1_000_000_000;
        i64::try_from(i128::try_from(ns).ok()? + offset)
            .ok()
            .map(Time)
    }
}
