//! Reads captures, one thing at a time, from anything that gives bytes. A damaged block ends the
//! reading with its place; whatever came before was given.

use crate::blocks::CaptureSection;
use crate::input::CaptureInput;
use crate::interface::CaptureInterface;
use crate::item::{Item, Record};
use crate::order::Order;
use crate::pcapng::{BYTE_ORDER, block};
use crate::{CaptureError, MAX_BLOCK, MAX_INTERFACES};
use crafty_value::Time;
use std::io::Read;

/// A capture being read.
pub struct CaptureReader<R: Read> {
    input: CaptureInput<R>,
    format: CaptureFormat,
    interfaces: Vec<CaptureInterface>,
}

#[derive(Clone, Copy)]
enum CaptureFormat {
    Pcap {
        order: Order,
        nanoseconds: bool,
        link: u16,
    },
    /// `first` is the number of the section's first interface.
    Pcapng { order: Order, first: usize },
}

/// All packets of a capture, and what ended it if it is damaged.
pub fn read_all(from: impl Read) -> Result<(Vec<Record>, Option<CaptureError>), CaptureError> {
    let mut reader = CaptureReader::new(from)?;
    let mut records = Vec::new();
    loop {
        match reader.record() {
            Ok(Some(record)) => records.push(record),
            Ok(None) => return Ok((records, None)),
            Err(error) => return Ok((records, Some(error))),
        }
    }
}

/// What the first four bytes of a capture say.
enum Signature {
    /// pcapng.
    Section,
    /// pcap, and whether its time stamps count nanoseconds.
    Pcap(Order, bool),
}

impl Signature {
    fn of(magic: [u8; 4]) -> Option<Signature> {
        Some(match u32::from_le_bytes(magic) {
            block::SECTION => Signature::Section,
            0xa1b2_c3d4 => Signature::Pcap(Order::Little, false),
            0xa1b2_3c4d => Signature::Pcap(Order::Little, true),
            0xd4c3_b2a1 => Signature::Pcap(Order::Big, false),
            0x4d3c_b2a1 => Signature::Pcap(Order::Big, true),
            _ => return None,
        })
    }
}

/// Whether a file that begins like this is a capture, not packed.
pub fn is_capture(head: &[u8]) -> bool {
    head.first_chunk()
        .is_some_and(|magic| Signature::of(*magic).is_some())
}

impl<R: Read> CaptureReader<R> {
    /// Reads the start of a capture, unpacking it if it is gzip or zstd, and knows its format.
    pub fn new(from: R) -> Result<CaptureReader<R>, CaptureError> {
        let mut input = CaptureInput::new(from)?;
        let magic: [u8; 4] = input
            .maybe()?
            .ok_or_else(|| CaptureError::Damaged(0, "it is empty".into()))?;
        let mut interfaces = Vec::new();
        let format = match Signature::of(magic) {
            Some(Signature::Section) => section_header(&mut input, 0)?,
            Some(Signature::Pcap(order, nanoseconds)) => {
                pcap_header(&mut input, order, nanoseconds)?
            }
            None => {
                return Err(CaptureError::Damaged(
                    0,
                    "this is neither pcap nor pcapng, plain or packed with gzip or zstd".into(),
                ));
            }
        };
        if let CaptureFormat::Pcap { link, .. } = format {
            interfaces.push(CaptureInterface::of_link(link));
        }
        Ok(CaptureReader {
            input,
            format,
            interfaces,
        })
    }

    /// Name of an interface of the file, if it says one.
    pub fn interface_name(&self, interface: usize) -> Option<&str> {
        self.interfaces
            .get(interface)
            .map(|i| i.name.as_str())
            .filter(|n| !n.is_empty())
    }

    /// The next packet, or none at the end; what else the file holds is passed over.
    pub fn record(&mut self) -> Result<Option<Record>, CaptureError> {
        loop {
            match self.item()? {
                Some(Item::Packet(record)) => return Ok(Some(record)),
                Some(_) => {}
                None => return Ok(None),
            }
        }
    }

    /// The next thing, or none at the end.
    pub fn item(&mut self) -> Result<Option<Item>, CaptureError> {
        match self.format {
            CaptureFormat::Pcap {
                order,
                nanoseconds,
                link,
            } => Ok(self
                .pcap_record(order, nanoseconds, link)?
                .map(Item::Packet)),
            CaptureFormat::Pcapng { .. } => self.pcapng_item(),
        }
    }

    fn pcap_record(
        &mut self,
        order: Order,
        nanoseconds: bool,
        link: u16,
    ) -> Result<Option<Record>, CaptureError> {
        let Some(header) = self.input.maybe::<16>()? else {
            return Ok(None);
        };
        let (seconds, fraction) = (
            i64::from(order.u32(&header)),
            i64::from(order.u32(&header[4..])),
        );
        let (kept, wire) = (
            order.u32(&header[8..]) as usize,
            order.u32(&header[12..]) as usize,
        );
        self.input.fill(kept)?;
        let scale = if nanoseconds { 1 } else { 1000 };
        let time = Some(Time(seconds * 1_000_000_000 + fraction * scale));
        Ok(Some(Record {
            octets: self.input.octets().to_vec(),
            wire_len: wire,
            time,
            link,
            ..Record::default()
        }))
    }

    fn pcapng_item(&mut self) -> Result<Option<Item>, CaptureError> {
        loop {
            let Some(kind) = self.input.maybe::<4>()? else {
                return Ok(None);
            };
            if u32::from_le_bytes(kind) == block::SECTION {
                self.format = section_header(&mut self.input, self.interfaces.len())?;
                continue;
            }
            let CaptureFormat::Pcapng { order, first } = self.format else {
                return Ok(None);
            };
            let start = self.input.at() - 4;
            block_body(&mut self.input, order, start)?;
            let damaged = |what: &str| CaptureError::Damaged(start, what.into());
            let (kind, body) = (order.u32(&kind), self.input.octets());
            if kind != block::INTERFACE {
                return CaptureSection {
                    order,
                    interfaces: &self.interfaces,
                    first,
                }
                .item(kind, body)
                .map(Some)
                .map_err(damaged);
            }
            if self.interfaces.len() == MAX_INTERFACES {
                return Err(damaged("the number of interfaces is impossible"));
            }
            self.interfaces.push(
                CaptureInterface::described(order, body)
                    .ok_or_else(|| damaged("an interface description is too short"))?,
            );
        }
    }
}

/// The rest of a pcap file's header: version, zone and snap length say nothing that is needed.
fn pcap_header(
    input: &mut CaptureInput<impl Read>,
    order: Order,
    nanoseconds: bool,
) -> Result<CaptureFormat, CaptureError> {
    let rest: [u8; 20] = input.array()?;
    // The upper half may tell how long a frame check sequence is.
    Ok(CaptureFormat::Pcap {
        order,
        nanoseconds,
        link: order.u32(&rest[16..]) as u16,
    })
}

/// A section header, its type already read: the byte order of all that follows.
fn section_header(
    input: &mut CaptureInput<impl Read>,
    first: usize,
) -> Result<CaptureFormat, CaptureError> {
    let start = input.at() - 4;
    let head: [u8; 8] = input.array()?;
    let order = match u32::from_le_bytes([head[4], head[5], head[6], head[7]]) {
        BYTE_ORDER => Order::Little,
        magic if magic == BYTE_ORDER.swap_bytes() => Order::Big,
        _ => {
            return Err(CaptureError::Damaged(
                start,
                "a section header has no byte-order mark".into(),
            ));
        }
    };
    let length = checked_length(order.u32(&head), start)?;
    let rest = length
        .checked_sub(16)
        .ok_or_else(|| CaptureError::Damaged(start, "a section header is too short".into()))?;
    input.fill(rest)?;
    let _trailing_length: [u8; 4] = input.array()?;
    Ok(CaptureFormat::Pcapng { order, first })
}

/// Reads the body of a block whose type was read, without its two lengths.
fn block_body(
    input: &mut CaptureInput<impl Read>,
    order: Order,
    start: u64,
) -> Result<(), CaptureError> {
    let length: [u8; 4] = input.array()?;
    let length = checked_length(order.u32(&length), start)?;
    input.fill(length - 12)?;
    let trailing: [u8; 4] = input.array()?;
    if order.u32(&trailing) as usize != length {
        return Err(CaptureError::Damaged(
            start,
            "the two lengths of a block differ".into(),
        ));
    }
    Ok(())
}

fn checked_length(length: u32, start: u64) -> Result<usize, CaptureError> {
    let length = length as usize;
    if length < 12 || !length.is_multiple_of(4) || length > MAX_BLOCK {
        return Err(CaptureError::Damaged(
            start,
            format!("a block length of {length} is impossible"),
        ));
    }
    Ok(length)
}
