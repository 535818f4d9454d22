//! Blocks of a pcapng section as items. Reads what is there: an option that is too long ends the
//! list of options, an inconsistent length gives no item, and the reader reports the position.

use crate::interface::CaptureInterface;
use crate::item::{Custom, Item, Record, Secrets, Statistics};
use crate::order::Order;
use crate::pcapng::{block, names, option, padding};
use crafty_value::Direction;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Most names that are read of a block.
const MOST_NAMES: usize = 65_536;
/// Most comments that are read of a packet.
const MOST_COMMENTS: usize = 64;
/// Longest name in bytes (that of a host in the DNS).
const MOST_NAME: usize = 255;

/// What a block needs to know of the file.
pub struct CaptureSection<'a> {
    /// Byte order of the section.
    pub order: Order,
    /// All interfaces of the file so far.
    pub interfaces: &'a [CaptureInterface],
    /// Number of the section's first one.
    pub first: usize,
}

impl CaptureSection<'_> {
    /// Reads a block, or gives what does not fit. Section headers and interface descriptions are
    /// the reader's.
    pub fn item(&self, kind: u32, body: &[u8]) -> Result<Item, &'static str> {
        let order = self.order;
        match kind {
            block::ENHANCED => self
                .enhanced(body)
                .map(Item::Packet)
                .ok_or("a packet block has inconsistent lengths"),
            block::SIMPLE => self
                .simple(body)
                .map(Item::Packet)
                .ok_or("a simple packet block has inconsistent lengths"),
            block::PACKET => self
                .obsolete(body)
                .map(Item::Packet)
                .ok_or("a packet block has inconsistent lengths"),
            block::SECRETS => secrets(order, body)
                .map(Item::Secrets)
                .ok_or("a decryption secrets block has an inconsistent length"),
            block::STATISTICS => self
                .statistics(body)
                .map(Item::Statistics)
                .ok_or("a statistics block is too short"),
            block::NAMES => Ok(Item::Names(resolved(order, body))),
            block::CUSTOM | block::CUSTOM_KEPT => custom(order, kind, body)
                .map(Item::Custom)
                .ok_or("a custom block is too short"),
            _ => Ok(Item::Unknown(kind)),
        }
    }

    fn enhanced(&self, body: &[u8]) -> Option<Record> {
        let head = body.get(..20)?;
        self.packet(self.order.u32(head), &head[4..], &body[20..])
    }

    /// The block that pcapng had before; its interface has 16 bits, and a count of drops beside it.
    fn obsolete(&self, body: &[u8]) -> Option<Record> {
        let head = body.get(..20)?;
        self.packet(u32::from(self.order.u16(head)), &head[4..], &body[20..])
    }

    /// `head` is the two halves of the stamp and the two lengths, `rest` the bytes and the options.
    fn packet(&self, interface: u32, head: &[u8], rest: &[u8]) -> Option<Record> {
        let order = self.order;
        let (kept, wire) = (
            order.u32(&head[8..]) as usize,
            order.u32(&head[12..]) as usize,
        );
        let octets = rest.get(..kept)?.to_vec();
        let (interface, described) = self.interface(interface)?;
        let units = u64::from(order.u32(head)) << 32 | u64::from(order.u32(&head[4..]));
        let mut record = Record {
            octets,
            wire_len: wire,
            time: described.time(units),
            link: described.link,
            interface,
            ..Record::default()
        };
        for (code, value) in options(order, rest.get(kept + padding(kept)..).unwrap_or_default()) {
            match (code, value) {
                (option::COMMENT, text) if record.comments.len() < MOST_COMMENTS => {
                    record
                        .comments
                        .push(String::from_utf8_lossy(text).into_owned());
                }
                (option::EPB_FLAGS, flags) if flags.len() >= 4 => {
                    record.direction = direction(order.u32(flags))
                }
                _ => {}
            }
        }
        Some(record)
    }

    /// A packet of the section's first interface, without time and without a length of its own:
    /// what the interface kept.
    fn simple(&self, body: &[u8]) -> Option<Record> {
        let wire = self.order.u32(body.get(..4)?) as usize;
        let (interface, described) = self.interface(0)?;
        let snap = if described.snap == 0 {
            usize::MAX
        } else {
            described.snap as usize
        };
        let octets = body[4..].get(..wire.min(snap))?.to_vec();
        Some(Record {
            octets,
            wire_len: wire,
            link: described.link,
            interface,
            ..Record::default()
        })
    }

    fn statistics(&self, body: &[u8]) -> Option<Statistics> {
        let head = body.get(..12)?;
        let (interface, _) = self.interface(self.order.u32(head))?;
        let mut statistics = Statistics {
            interface,
            ..Statistics::default()
        };
        for (code, value) in options(self.order, &body[12..]).filter(|(_, value)| value.len() >= 8)
        {
            let count = Some(self.order.u64(value));
            match code {
                option::ISB_IFRECV => statistics.received = count,
                option::ISB_IFDROP => statistics.dropped = count,
                option::ISB_OSDROP => statistics.os_dropped = count,
                _ => {}
            }
        }
        Some(statistics)
    }

    /// An interface by its number in the section, with its number in the file.
    fn interface(&self, number: u32) -> Option<(usize, &CaptureInterface)> {
        let number = self.first.checked_add(number as usize)?;
        self.interfaces
            .get(number)
            .map(|interface| (number, interface))
    }
}

fn secrets(order: Order, body: &[u8]) -> Option<Secrets> {
    let head = body.get(..8)?;
    let octets = body[8..].get(..order.u32(&head[4..]) as usize)?.to_vec();
    Some(Secrets {
        kind: order.u32(head),
        octets,
    })
}

fn custom(order: Order, kind: u32, body: &[u8]) -> Option<Custom> {
    let enterprise = order.u32(body.get(..4)?);
    Some(Custom {
        enterprise,
        octets: body[4..].to_vec(),
        copy: kind == block::CUSTOM,
    })
}

/// Addresses with their names. A record that overruns ends the list.
fn resolved(order: Order, body: &[u8]) -> Vec<(IpAddr, String)> {
    let mut found = Vec::new();
    for (kind, value) in options(order, body) {
        let (address, rest): (IpAddr, &[u8]) = match kind {
            names::IP4 if value.len() >= 4 => (
                Ipv4Addr::from_bits(Order::Big.u32(value)).into(),
                &value[4..],
            ),
            names::IP6 if value.len() >= 16 => (v6(value).into(), &value[16..]),
            _ => continue,
        };
        let names = rest
            .split(|octet| *octet == 0)
            .filter(|name| !name.is_empty());
        found.extend(
            names
                .take(MOST_NAMES - found.len())
                .map(|name| (address, text(name))),
        );
    }
    found
}

/// Addresses are in the order of the network, whatever the section's is.
fn v6(octets: &[u8]) -> Ipv6Addr {
    let high = u128::from(Order::Big.u64(octets));
    Ipv6Addr::from_bits(high << 64 | u128::from(Order::Big.u64(&octets[8..])))
}

fn direction(flags: u32) -> Option<Direction> {
    match flags & 3 {
        1 => Some(Direction::Inbound),
        2 => Some(Direction::Outbound),
        _ => None,
    }
}

/// A name of somebody else's making: what is not UTF-8 is replaced, what is long is cut.
pub fn text(octets: &[u8]) -> String {
    String::from_utf8_lossy(&octets[..octets.len().min(MOST_NAME)]).into_owned()
}

/// Options of a block (names have the same shape): code and value, up to the end mark or the first
/// that overruns.
pub fn options(order: Order, mut rest: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let head = rest.get(..4)?;
        let (code, length) = (order.u16(head), usize::from(order.u16(&head[2..])));
        let value = rest.get(4..4 + length).filter(|_| code != option::END)?;
        rest = rest.get(4 + length + padding(length)..).unwrap_or_default();
        Some((code, value))
    })
}
