//! A DHCP server (RFC 2131): offers addresses of a pool and acknowledges what is asked for.

use crate::frame::Frame;
use crate::node::{Outbox, Station};
use crate::packet::{self, ETHERNET, Head};
use crafty_value::{Mac, Time};
use std::net::Ipv4Addr;

const MAGIC: [u8; 4] = [99, 130, 83, 99];
const SERVER_PORT: u16 = 67;
const CLIENT_PORT: u16 = 68;
const DISCOVER: u8 = 1;
const OFFER: u8 = 2;
const REQUEST: u8 = 3;
const ACKNOWLEDGE: u8 = 5;
/// Bytes of a message before its options, with the magic number.
const FIXED: usize = 240;

/// What a server gives out.
#[derive(Clone, Debug)]
pub(crate) struct DhcpOffer {
    pub server: Ipv4Addr,
    pub router: Ipv4Addr,
    pub resolver: Ipv4Addr,
    /// First address of the pool.
    pub first: Ipv4Addr,
    pub prefix: u8,
    /// Addresses of the pool.
    pub pool: u32,
    /// The MTU option, if it is reported.
    pub mtu: Option<u16>,
}

/// A server at work.
pub(crate) struct Server {
    pub mac: Mac,
    pub offer: DhcpOffer,
    /// Who has which address of the pool.
    pub leases: Vec<Mac>,
}

/// A message of a client.
struct Asked {
    kind: u8,
    id: [u8; 4],
    client: Mac,
}

impl Station for Server {
    fn on_frame(&mut self, _: Time, _: usize, frame: Frame, out: &mut Outbox) {
        if let Some(answer) = read(&frame.bytes).and_then(|asked| self.answer(&asked)) {
            out.say(0, answer);
        }
    }
}

impl Server {
    fn answer(&mut self, asked: &Asked) -> Option<Vec<u8>> {
        let kind = match asked.kind {
            DISCOVER => OFFER,
            REQUEST => ACKNOWLEDGE,
            _ => return None,
        };
        let address = self.lease(asked.client)?;
        let message = self.message(kind, asked, address);
        let length = (8 + message.len()) as u16;
        let ports = [SERVER_PORT.to_be_bytes(), CLIENT_PORT.to_be_bytes()].concat();
        let segment = [&ports[..], &length.to_be_bytes(), &[0, 0], &message].concat();
        let from = self.offer.server.into();
        let mut datagram = packet::datagram(
            from,
            Ipv4Addr::BROADCAST.into(),
            packet::UDP,
            64,
            0,
            &segment,
        );
        if let Ok(head) = Head::read(&datagram) {
            packet::seal_upper(&mut datagram, &head);
        }
        let mut frame = packet::framed(&datagram);
        packet::address(&mut frame, self.mac, Mac::BROADCAST, packet::TYPE_IP4);
        Some(frame)
    }

    /// The address of a client, if the pool has one for it.
    fn lease(&mut self, client: Mac) -> Option<Ipv4Addr> {
        let held = self.leases.iter().position(|it| *it == client);
        let number = held.or_else(|| {
            let free = self.leases.len();
            ((free as u32) < self.offer.pool).then(|| {
                self.leases.push(client);
                free
            })
        })?;
        Some(Ipv4Addr::from(u32::from(self.offer.first) + number as u32))
    }

    fn message(&self, kind: u8, asked: &Asked, address: Ipv4Addr) -> Vec<u8> {
        let mut message = vec![0; FIXED];
        message[..4].copy_from_slice(&[2, 1, 6, 0]);
        message[4..8].copy_from_slice(&asked.id);
        message[10] = 0x80;
        message[16..20].copy_from_slice(&address.octets());
        message[28..34].copy_from_slice(&asked.client.0);
        message[236..].copy_from_slice(&MAGIC);
        let mask = u32::MAX
            .checked_shl(32 - u32::from(self.offer.prefix))
            .unwrap_or(0);
        message.extend([53, 1, kind, 54, 4]);
        message.extend(self.offer.server.octets());
        message.extend([51, 4, 0, 0, 14, 16, 1, 4]);
        message.extend(mask.to_be_bytes());
        message.extend([3, 4]);
        message.extend(self.offer.router.octets());
        message.extend([6, 4]);
        message.extend(self.offer.resolver.octets());
        if let Some(mtu) = self.offer.mtu {
            message.extend([26, 2]);
            message.extend(mtu.to_be_bytes());
        }
        message.push(255);
        message
    }
}

fn read(frame: &[u8]) -> Option<Asked> {
    let datagram = frame.get(ETHERNET..)?;
    let head = Head::read(datagram).ok()?;
    let [_, _, high, low] = head.ports(datagram)?;
    if head.proto != packet::UDP || u16::from_be_bytes([high, low]) != SERVER_PORT {
        return None;
    }
    let message = head.upper(datagram).get(8..)?;
    let known = message.first() == Some(&1) && message.get(236..FIXED) == Some(&MAGIC);
    let kind = option(message.get(FIXED..)?, 53)?.first().copied()?;
    known.then(|| {
        Some(Asked {
            kind,
            id: packet::octets(message, 4)?,
            client: Mac(packet::octets(message, 28)?),
        })
    })?
}

fn option(mut options: &[u8], kind: u8) -> Option<&[u8]> {
    loop {
        match options {
            [0, rest @ ..] => options = rest,
            [it, length, rest @ ..] if *it != 255 => {
                let value = rest.get(..usize::from(*length))?;
                if *it == kind {
                    return Some(value);
                }
                options = &rest[value.len()..];
            }
            _ => return None,
        }
    }
}
