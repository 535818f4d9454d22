//! Reads captures, one record at a time, from anything that gives octets. A damaged block ends the reading with its place; whatever came
//! before was given. Unknown blocks are skipped.

use crate::pcapng::{BYTE_ORDER, block, option, padding};
use crate::{Direction, Error, MAX_BLOCK, Record};
use crafty_value::Time;
use std::io::Read;

/// A capture being read.
pub struct Reader<R: Read> {
    from: R,
    at: u64,
    format: Format,
    interfaces: Vec<Interface>,
    /// Number of the section's first interface.
    section: usize,
    buffer: Vec<u8>,
}

enum Format {
    Pcap { order: Order, nanoseconds: bool, link: u16 },
    Pcapng { order: Order },
}

#[derive(Clone, Copy, PartialEq)]
enum Order {
    Little,
    Big,
}

/// What an interface description says of its packets.
#[derive(Clone, Default)]
struct Interface {
    link: u16,
    snap: u32,
    resolution: Resolution,
    offset: i64,
    name: String,
}

/// Units per second of an interface's stamps.
#[derive(Clone, Copy)]
enum Resolution {
    Decimal(u32),
    Binary(u32),
}

impl Default for Resolution {
    fn default() -> Resolution {
        Resolution::Decimal(6)
    }
}

impl Order {
    fn u16(self, b: &[u8]) -> u16 {
        let array = [b[0], b[1]];
        if self == Order::Little { u16::from_le_bytes(array) } else { u16::from_be_bytes(array) }
    }

    fn u32(self, b: &[u8]) -> u32 {
        let array = [b[0], b[1], b[2], b[3]];
        if self == Order::Little { u32::from_le_bytes(array) } else { u32::from_be_bytes(array) }
    }

    fn i64(self, b: &[u8]) -> i64 {
        let (first, second) = (u64::from(self.u32(b)), u64::from(self.u32(&b[4..])));
        (if self == Order::Little { second << 32 | first } else { first << 32 | second }) as i64
    }
}

/// All records of a capture, and what ended it if it is damaged.
pub fn read_all(from: impl Read) -> Result<(Vec<Record>, Option<Error>), Error> {
    let mut reader = Reader::new(from)?;
    let mut records = Vec::new();
    loop {
        match reader.record() {
            Ok(Some(record)) => records.push(record),
            Ok(None) => return Ok((records, None)),
            Err(error) => return Ok((records, Some(error))),
        }
    }
}

impl<R: Read> Reader<R> {
    /// Reads the start of a capture and knows its format.
    pub fn new(from: R) -> Result<Reader<R>, Error> {
        let format = Format::Pcapng { order: Order::Little };
        let mut reader = Reader { from, at: 0, format, interfaces: Vec::new(), section: 0, buffer: Vec::new() };
        let magic: [u8; 4] = reader.maybe()?.ok_or_else(|| Error::Damaged(0, "it is empty".into()))?;
        match u32::from_le_bytes(magic) {
            block::SECTION => reader.section_header()?,
            0xa1b2_c3d4 => reader.pcap_header(Order::Little, false)?,
            0xa1b2_3c4d => reader.pcap_header(Order::Little, true)?,
            0xd4c3_b2a1 => reader.pcap_header(Order::Big, false)?,
            0x4d3c_b2a1 => reader.pcap_header(Order::Big, true)?,
            _ => return Err(Error::Damaged(0, "this is neither pcap nor pcapng".into())),
        }
        Ok(reader)
    }

    /// Name of an interface of the file, if it says one.
    pub fn interface_name(&self, interface: usize) -> Option<&str> {
        self.interfaces.get(interface).map(|i| i.name.as_str()).filter(|n| !n.is_empty())
    }

    /// The next packet, or none at the end.
    pub fn record(&mut self) -> Result<Option<Record>, Error> {
        match self.format {
            Format::Pcap { order, nanoseconds, link } => self.pcap_record(order, nanoseconds, link),
            Format::Pcapng { .. } => self.pcapng_record(),
        }
    }

    fn pcap_header(&mut self, order: Order, nanoseconds: bool) -> Result<(), Error> {
        let rest: [u8; 20] = self.array()?;
        let link = order.u32(&rest[16..]) as u16;
        self.interfaces.push(Interface { link, ..Interface::default() });
        self.format = Format::Pcap { order, nanoseconds, link };
        Ok(())
    }

    fn pcap_record(&mut self, order: Order, nanoseconds: bool, link: u16) -> Result<Option<Record>, Error> {
        let Some(header) = self.maybe::<16>()? else { return Ok(None) };
        let (seconds, fraction) = (i64::from(order.u32(&header)), i64::from(order.u32(&header[4..])));
        let (kept, wire) = (order.u32(&header[8..]) as usize, order.u32(&header[12..]) as usize);
        let octets = self.octets(kept)?;
        let scale = if nanoseconds { 1 } else { 1000 };
        let time = Some(Time(seconds * 1_000_000_000 + fraction.saturating_mul(scale)));
        Ok(Some(Record { octets, wire_len: wire, time, link, ..Record::default() }))
    }

    fn pcapng_record(&mut self) -> Result<Option<Record>, Error> {
        loop {
            let Some(kind) = self.maybe::<4>()? else { return Ok(None) };
            if u32::from_le_bytes(kind) == block::SECTION {
                self.section_header()?;
                continue;
            }
            let Format::Pcapng { order } = self.format else { return Ok(None) };
            let start = self.at - 4;
            let body = self.body(order, start)?;
            let damaged = |what: &str| Error::Damaged(start, what.into());
            match order.u32(&kind) {
                block::INTERFACE => self.described(order, &body).ok_or_else(|| damaged("an interface description is too short"))?,
                block::ENHANCED => {
                    return self.enhanced(order, &body).map(Some).ok_or_else(|| damaged("a packet block does not fit its lengths"));
                }
                block::SIMPLE => {
                    return self.simple(order, &body).map(Some).ok_or_else(|| damaged("a simple packet block does not fit its lengths"));
                }
                block::PACKET => {
                    return self.obsolete(order, &body).map(Some).ok_or_else(|| damaged("a packet block does not fit its lengths"));
                }
                _ => {}
            }
        }
    }

    /// A section header, its type already read: the byte order of all that follows.
    fn section_header(&mut self) -> Result<(), Error> {
        let start = self.at - 4;
        let head: [u8; 8] = self.array()?;
        let order = match u32::from_le_bytes([head[4], head[5], head[6], head[7]]) {
            BYTE_ORDER => Order::Little,
            magic if magic == BYTE_ORDER.swap_bytes() => Order::Big,
            _ => return Err(Error::Damaged(start, "a section header has no byte-order mark".into())),
        };
        let length = checked_length(order.u32(&head), start)?;
        let rest = length.checked_sub(16).ok_or_else(|| Error::Damaged(start, "a section header is too short".into()))?;
        self.octets(rest)?;
        let _trailing_length: [u8; 4] = self.array()?;
        self.section = self.interfaces.len();
        self.format = Format::Pcapng { order };
        Ok(())
    }

    /// The body of a block whose type was read, without its two lengths.
    fn body(&mut self, order: Order, start: u64) -> Result<Vec<u8>, Error> {
        let length: [u8; 4] = self.array()?;
        let length = checked_length(order.u32(&length), start)?;
        let body = self.octets(length - 12)?;
        let trailing: [u8; 4] = self.array()?;
        if order.u32(&trailing) as usize != length {
            return Err(Error::Damaged(start, "the two lengths of a block differ".into()));
        }
        Ok(body)
    }

    fn described(&mut self, order: Order, body: &[u8]) -> Option<()> {
        let head = body.get(..8)?;
        let mut interface = Interface { link: order.u16(head), snap: order.u32(&head[4..]), ..Interface::default() };
        for (code, value) in options(order, &body[8..]) {
            match (code, value) {
                (option::IF_NAME, name) => interface.name = String::from_utf8_lossy(name).into_owned(),
                (option::IF_TSRESOL, [r, ..]) if r & 0x80 != 0 => interface.resolution = Resolution::Binary(u32::from(r & 0x7f)),
                (option::IF_TSRESOL, [r, ..]) => interface.resolution = Resolution::Decimal(u32::from(*r)),
                (option::IF_TSOFFSET, value) if value.len() >= 8 => interface.offset = order.i64(value),
                _ => {}
            }
        }
        self.interfaces.push(interface);
        Some(())
    }

    fn enhanced(&self, order: Order, body: &[u8]) -> Option<Record> {
        let head = body.get(..20)?;
        self.packet(order, order.u32(head), &head[4..], &body[20..])
    }

    fn obsolete(&self, order: Order, body: &[u8]) -> Option<Record> {
        let head = body.get(..20)?;
        self.packet(order, u32::from(order.u16(head)), &head[4..], &body[20..])
    }

    /// `head` is the two halves of the stamp and the two lengths, `rest` the octets and the options.
    fn packet(&self, order: Order, interface: u32, head: &[u8], rest: &[u8]) -> Option<Record> {
        let (kept, wire) = (order.u32(&head[8..]) as usize, order.u32(&head[12..]) as usize);
        let octets = rest.get(..kept)?.to_vec();
        let interface = self.section + interface as usize;
        let described = self.interfaces.get(interface)?;
        let units = u64::from(order.u32(head)) << 32 | u64::from(order.u32(&head[4..]));
        let mut record =
            Record { octets, wire_len: wire, time: described.time(units), link: described.link, interface, ..Record::default() };
        for (code, value) in options(order, rest.get(kept + padding(kept)..).unwrap_or_default()) {
            match (code, value) {
                (option::COMMENT, text) => record.comments.push(String::from_utf8_lossy(text).into_owned()),
                (option::EPB_FLAGS, flags) if flags.len() >= 4 => record.direction = direction(order.u32(flags)),
                _ => {}
            }
        }
        Some(record)
    }

    fn simple(&self, order: Order, body: &[u8]) -> Option<Record> {
        let wire = order.u32(body.get(..4)?) as usize;
        let described = self.interfaces.get(self.section)?;
        let snap = if described.snap == 0 { usize::MAX } else { described.snap as usize };
        let octets = body.get(4..4 + wire.min(snap).min(body.len() - 4))?.to_vec();
        Some(Record { octets, wire_len: wire, link: described.link, interface: self.section, ..Record::default() })
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let at = self.at;
        self.maybe()?.ok_or_else(|| Error::Damaged(at, "the file ends inside a block".into()))
    }

    /// `N` octets, or none if the file ends just here.
    fn maybe<const N: usize>(&mut self) -> Result<Option<[u8; N]>, Error> {
        let mut array = [0; N];
        let mut have = 0;
        while have < N {
            match self.from.read(&mut array[have..]) {
                Ok(0) if have == 0 => return Ok(None),
                Ok(0) => return Err(Error::Damaged(self.at, "the file ends inside a block".into())),
                Ok(n) => have += n,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.at += N as u64;
        Ok(Some(array))
    }

    /// So many octets; memory is taken as they come, not as a length field says.
    fn octets(&mut self, count: usize) -> Result<Vec<u8>, Error> {
        if count > MAX_BLOCK {
            return Err(Error::Damaged(self.at, format!("a length of {count} octets cannot be true")));
        }
        self.buffer.clear();
        (&mut self.from).take(count as u64).read_to_end(&mut self.buffer)?;
        if self.buffer.len() < count {
            return Err(Error::Damaged(self.at, format!("the file ends {} octets early", count - self.buffer.len())));
        }
        self.at += count as u64;
        Ok(self.buffer.clone())
    }
}

impl Interface {
    /// A stamp in nanoseconds; none if it lies outside 64 bits.
    fn time(&self, units: u64) -> Option<Time> {
        let units = u128::from(units);
        let ns = match self.resolution {
            Resolution::Decimal(exponent) => match 10u128.checked_pow(exponent) {
                Some(per_second) => units * 1_000_000_000 / per_second,
                None => 0,
            },
            Resolution::Binary(shift) if shift < 64 => (units * 1_000_000_000) >> shift,
            Resolution::Binary(_) => 0,
        };
        let offset = self.offset.checked_mul(1_000_000_000)?;
        i64::try_from(ns).ok()?.checked_add(offset).map(Time)
    }
}

fn checked_length(length: u32, start: u64) -> Result<usize, Error> {
    let length = length as usize;
    if length < 12 || !length.is_multiple_of(4) || length > MAX_BLOCK {
        return Err(Error::Damaged(start, format!("a block length of {length} cannot be true")));
    }
    Ok(length)
}

fn direction(flags: u32) -> Option<Direction> {
    match flags & 3 {
        1 => Some(Direction::Inbound),
        2 => Some(Direction::Outbound),
        _ => None,
    }
}

/// Options of a block: code and value, up to the end mark or the first that overruns.
fn options(order: Order, mut rest: &[u8]) -> Vec<(u16, &[u8])> {
    let mut found = Vec::new();
    while rest.len() >= 4 {
        let (code, length) = (order.u16(rest), usize::from(order.u16(&rest[2..])));
        if code == option::END {
            break;
        }
        let Some(value) = rest.get(4..4 + length) else { break };
        found.push((code, value));
        rest = rest.get(4 + length + padding(length)..).unwrap_or_default();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;

    fn written() -> Vec<u8> {
        let mut writer = Writer::new(Vec::new()).unwrap();
        let interface = writer.interface("veth0", 1).unwrap() as usize;
        let comments = vec!["line 7: ICMP".to_string(), "sent".to_string()];
        let time = Some(Time(1_700_000_000_123_456_789));
        let direction = Some(Direction::Outbound);
        let record = Record { octets: vec![1, 2, 3, 4, 5], wire_len: 60, time, link: 1, interface, direction, comments };
        writer.packet(&record).unwrap();
        writer.statistics(0, 10, 2).unwrap();
        writer.finish().unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let (records, error) = read_all(written().as_slice()).unwrap();
        assert!(error.is_none());
        assert_eq!(records.len(), 1);
        let record = &records[0];
        assert_eq!((record.octets.as_slice(), record.wire_len, record.link), (&[1, 2, 3, 4, 5][..], 60, 1));
        assert_eq!(record.time, Some(Time(1_700_000_000_123_456_789)));
        assert_eq!(record.direction, Some(Direction::Outbound));
        assert_eq!(record.comments, ["line 7: ICMP", "sent"]);
    }

    #[test]
    fn pcap_in_both_orders_and_resolutions() {
        for (magic, big, fraction, ns) in
            [(0xa1b2c3d4u32, false, 5u32, 5_000i64), (0xa1b2c3d4, true, 5, 5_000), (0xa1b23c4d, false, 5, 5), (0xa1b23c4d, true, 5, 5)]
        {
            let word = |n: u32| if big { n.to_be_bytes() } else { n.to_le_bytes() };
            let mut file = Vec::new();
            for n in [magic, 0x0004_0002, 0, 0, 65535, 101, 7, fraction, 3, 40] {
                file.extend(word(n));
            }
            file.extend([9, 9, 9]);
            let (records, error) = read_all(file.as_slice()).unwrap();
            assert!(error.is_none());
            assert_eq!(records[0].time, Some(Time(7_000_000_000 + ns)));
            assert_eq!((records[0].link, records[0].wire_len, records[0].octets.len()), (101, 40, 3));
        }
    }

    #[test]
    fn a_simple_packet_has_no_time() {
        let mut file = written();
        for n in [block::SIMPLE, 20, 4] {
            file.extend(n.to_le_bytes());
        }
        file.extend([7, 7, 7, 7]);
        file.extend(20u32.to_le_bytes());
        let (records, _) = read_all(file.as_slice()).unwrap();
        assert_eq!((records[1].time, records[1].octets.as_slice()), (None, &[7, 7, 7, 7][..]));
    }

    #[test]
    fn any_damage_is_told_and_never_a_panic() {
        let whole = written();
        for cut in 0..whole.len() {
            let _ = read_all(&whole[..cut]);
        }
        let mut dice = 88172645463325252u64;
        for _ in 0..20_000 {
            let mut damaged = whole.clone();
            for _ in 0..3 {
                dice ^= dice << 13;
                dice ^= dice >> 7;
                dice ^= dice << 17;
                let at = dice as usize % damaged.len();
                damaged[at] = (dice >> 32) as u8;
            }
            let _ = read_all(damaged.as_slice());
        }
    }
}
