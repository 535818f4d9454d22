//! Writes pcapng with nanosecond stamps, directions, comments, decryption secrets and drop counts.

use crate::pcapng::{BYTE_ORDER, block, option, padding};
use crate::{Direction, Record};
use std::io::{self, Write};

/// A capture being written. Interfaces are described before their first packet.
pub struct CaptureWriter<W: Write> {
    out: W,
    interfaces: u32,
}

impl<W: Write> CaptureWriter<W> {
    /// Starts a section.
    pub fn new(out: W) -> io::Result<CaptureWriter<W>> {
        let mut writer = CaptureWriter { out, interfaces: 0 };
        let mut body = Vec::new();
        body.extend(BYTE_ORDER.to_le_bytes());
        body.extend([1, 0, 0, 0]);
        body.extend(u64::MAX.to_le_bytes());
        push_option(
            &mut body,
            option::USER_APPLICATION,
            concat!("crafty ", env!("CARGO_PKG_VERSION")).as_bytes(),
        );
        end_options(&mut body);
        writer.block(block::SECTION, &body)?;
        Ok(writer)
    }

    /// Describes an interface; gives its number.
    pub fn interface(&mut self, name: &str, link: u16) -> io::Result<u32> {
        let mut body = Vec::new();
        body.extend(link.to_le_bytes());
        body.extend([0; 6]);
        push_option(&mut body, option::IF_NAME, name.as_bytes());
        push_option(&mut body, option::IF_TSRESOL, &[9]);
        end_options(&mut body);
        self.block(block::INTERFACE, &body)?;
        self.interfaces += 1;
        Ok(self.interfaces - 1)
    }

    /// Writes a packet. One without time becomes a simple block where that can hold it, else one at
    /// time 0 with a comment that says so.
    pub fn packet(&mut self, record: &Record) -> io::Result<()> {
        if is_simple(record) {
            return self.simple(record);
        }
        let mut body = Vec::with_capacity(record.octets.len() + 64);
        let time = record.time.map_or(0, |t| t.0.max(0) as u64);
        body.extend((record.interface as u32).to_le_bytes());
        body.extend(((time >> 32) as u32).to_le_bytes());
        body.extend((time as u32).to_le_bytes());
        body.extend((record.octets.len() as u32).to_le_bytes());
        body.extend((record.wire_len as u32).to_le_bytes());
        body.extend(&record.octets);
        body.resize(body.len() + padding(record.octets.len()), 0);
        if let Some(direction) = record.direction {
            let bits: u32 = if direction == Direction::Inbound {
                1
            } else {
                2
            };
            push_option(&mut body, option::EPB_FLAGS, &bits.to_le_bytes());
        }
        let untimed = record.time.is_none().then_some("no time stamp");
        for comment in record.comments.iter().map(String::as_str).chain(untimed) {
            push_option(&mut body, option::COMMENT, comment.as_bytes());
        }
        end_options(&mut body);
        self.block(block::ENHANCED, &body)
    }

    fn simple(&mut self, record: &Record) -> io::Result<()> {
        let mut body = (record.wire_len as u32).to_le_bytes().to_vec();
        body.extend(&record.octets);
        body.resize(body.len() + padding(record.octets.len()), 0);
        self.block(block::SIMPLE, &body)
    }

    /// What decrypts packets that follow: `kind` is one of [`crate::secrets`] or another number of
    /// the registry.
    pub fn secrets(&mut self, kind: u32, octets: &[u8]) -> io::Result<()> {
        let mut body = Vec::with_capacity(octets.len() + 12);
        body.extend(kind.to_le_bytes());
        body.extend((octets.len() as u32).to_le_bytes());
        body.extend(octets);
        body.resize(body.len() + padding(octets.len()), 0);
        self.block(block::SECRETS, &body)
    }

    /// How many packets an interface received, and how many of them the capture lost.
    pub fn statistics(&mut self, interface: u32, received: u64, dropped: u64) -> io::Result<()> {
        let mut body = Vec::new();
        body.extend(interface.to_le_bytes());
        body.extend([0; 8]);
        push_option(&mut body, option::ISB_IFRECV, &received.to_le_bytes());
        push_option(&mut body, option::ISB_IFDROP, &dropped.to_le_bytes());
        end_options(&mut body);
        self.block(block::STATISTICS, &body)
    }

    /// Gives the sink back, all written.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn block(&mut self, kind: u32, body: &[u8]) -> io::Result<()> {
        let length = (body.len() + 12) as u32;
        self.out.write_all(&kind.to_le_bytes())?;
        self.out.write_all(&length.to_le_bytes())?;
        self.out.write_all(body)?;
        self.out.write_all(&length.to_le_bytes())
    }
}

/// A simple block has no time, no comment and no direction; it is of the first interface and has
/// all bytes.
fn is_simple(record: &Record) -> bool {
    let bare = record.time.is_none() && record.direction.is_none() && record.comments.is_empty();
    bare && record.interface == 0 && record.octets.len() == record.wire_len
}

/// An option longer than its length field is cut: a comment, never a packet.
fn push_option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    let value = &value[..value.len().min(0xfffc)];
    body.extend(code.to_le_bytes());
    body.extend((value.len() as u16).to_le_bytes());
    body.extend(value);
    body.resize(body.len() + padding(value.len()), 0);
}

fn end_options(body: &mut Vec<u8>) {
    body.extend(option::END.to_le_bytes());
    body.extend([0, 0]);
}
