//! What a packet carries of something larger: messages of streams, datagrams in fragments. As text
//! and as JSON, in the words of [`crate::packet`]. What is shown of a message is at the packet that
//! completes it, and nowhere else.

use crate::packet;
use crafty_follow::{
    DatagramAssembler, Followed, Follower, InitialOpener, InitialPacket, QuicHandshake,
    ReassembledDatagram, StreamMessage,
};
use crafty_value::Time;
use crafty_wire::{Decoded, Layer, QuicEnd, Unverifiable, decode, decode_by_content, link};
use serde_json::{Value, json};
use std::io::Write;

/// Number of the link type whose frames are datagrams.
const RAW_IP: u32 = 101;

/// Puts the pieces of a capture together.
#[derive(Debug, Default)]
pub struct Reassembly {
    follower: Follower,
    datagrams: DatagramAssembler,
    initials: InitialOpener,
}

/// What a packet completed, and what it continues with.
#[derive(Debug, Default)]
pub struct Carried {
    datagram: Option<(ReassembledDatagram, Decoded)>,
    followed: Option<Followed>,
    greeting: QuicHandshake,
}

impl Reassembly {
    /// Of a capture that has not begun.
    pub fn new() -> Reassembly {
        Reassembly::default()
    }

    /// Takes streams of a port for those of a layer. False if it has no messages in streams.
    pub fn ask(&mut self, port: u16, layer: &Layer) -> bool {
        self.follower.ask(port, layer)
    }

    /// Streams that were discarded before they ended.
    pub fn let_go(&self) -> u64 {
        self.follower.let_go()
    }

    /// Takes a packet. Of its layers those go that were read out of a piece of something larger.
    pub fn packet(
        &mut self,
        index: u64,
        time: Option<Time>,
        octets: &[u8],
        decoded: &mut Decoded,
    ) -> Carried {
        decode_by_content(octets, decoded);
        let whole = self.datagrams.packet(index, time, octets, decoded);
        if let Some(first) = decoded
            .layers
            .iter()
            .position(|found| found.partial == Unverifiable::Fragment)
        {
            decoded.leave_undivided(first);
        }
        let Some(whole) = whole else {
            let greeting = self
                .initials
                .packet(index, octets, decoded)
                .unwrap_or_default();
            return Carried {
                datagram: None,
                followed: self.follow(index, octets, decoded),
                greeting,
            };
        };
        let mut inside = Decoded::new();
        decode(
            link(RAW_IP, &whole.octets),
            &whole.octets,
            whole.octets.len(),
            &mut inside,
        );
        decode_by_content(&whole.octets, &mut inside);
        let followed = self.follow(index, &whole.octets, &mut inside);
        let greeting = self
            .initials
            .packet(index, &whole.octets, &inside)
            .unwrap_or_default();
        Carried {
            datagram: Some((whole, inside)),
            followed,
            greeting,
        }
    }

    fn follow(&mut self, index: u64, octets: &[u8], decoded: &mut Decoded) -> Option<Followed> {
        let followed = self.follower.packet(index, octets, decoded)?;
        if !followed.alone {
            decoded.leave_undivided(followed.layer);
        }
        Some(followed)
    }
}

impl Carried {
    /// Adds the members `datagram`, `stream`, `initials` and `messages` to the document of the
    /// packet, where there is something to tell.
    pub fn put(&self, out: &mut Vec<u8>) {
        if self.datagram.is_none()
            && self.followed.is_none()
            && self.greeting == QuicHandshake::default()
        {
            return;
        }
        // The document is an object that has ended.
        out.pop();
        if let Some((whole, inside)) = &self.datagram {
            let _ = write!(
                out,
                ",\"datagram\":{{\"packets\":{},\"len\":{}",
                json!(whole.packets),
                whole.octets.len()
            );
            put_layers(&whole.octets, inside, out);
        }
        if let Some(followed) = &self.followed {
            let _ = write!(out, ",\"stream\":{}", stream(followed));
        }
        if !self.greeting.initials.is_empty() {
            let rows: Vec<Value> = self.greeting.initials.iter().map(initial).collect();
            let _ = write!(out, ",\"initials\":{}", json!(rows));
        }
        for (n, message) in self.messages().enumerate() {
            out.extend_from_slice(if n == 0 { b",\"messages\":[" } else { b"," });
            let (packets, length) = (json!(message.packets), json!(message.length));
            let _ = write!(
                out,
                "{{\"packets\":{packets},\"len\":{length},\"caplen\":{}",
                message.octets.len()
            );
            put_layers(&message.octets, &decoded(message), out);
        }
        out.extend_from_slice(if self.messages().next().is_none() {
            b"}"
        } else {
            b"]}"
        });
    }

    /// What is behind the summary of the packet.
    pub fn glance(&self, out: &mut Vec<u8>) {
        let mut one = |octets: &[u8], layers: &Decoded, numbers: &[u64]| {
            out.extend_from_slice(b" + ");
            packet::gist(octets, layers, out);
            let _ = write!(out, " of {}", packets(numbers));
        };
        self.datagram
            .iter()
            .for_each(|(whole, inside)| one(&whole.octets, inside, &whole.packets));
        self.messages()
            .for_each(|message| one(&message.octets, &decoded(message), &message.packets));
        self.told().for_each(|told| drop(write!(out, " [{told}]")));
    }

    /// The lines beneath the layers of the packet.
    pub fn lines(&self, out: &mut Vec<u8>) {
        let number = self.followed.as_ref().map_or(0, |followed| followed.stream);
        if let Some((whole, inside)) = &self.datagram {
            let _ = writeln!(
                out,
                "  # datagram of {}, {} bytes:",
                packets(&whole.packets),
                whole.octets.len()
            );
            packet::lines(&whole.octets, inside, INDENT, out);
        }
        for InitialPacket { from, opened, .. } in &self.greeting.initials {
            let _ = writeln!(
                out,
                "  # opened: packet {} of the {}: {}",
                opened.number,
                end(*from),
                opened.listed()
            );
        }
        for message in self.messages() {
            let length = message
                .length
                .map_or("to the end of the stream".to_string(), |length| {
                    format!("{length} bytes")
                });
            let of = if number > 0 {
                format!("message of stream {number}")
            } else {
                "message".to_string()
            };
            let _ = writeln!(out, "  # {of} in {}, {length}:", packets(&message.packets));
            packet::lines(&message.octets, &decoded(message), INDENT, out);
        }
        self.told()
            .for_each(|told| drop(writeln!(out, "  # stream {number}: {told}")));
    }

    /// The messages that the packet's own layers do not show.
    fn messages(&self) -> impl Iterator<Item = &StreamMessage> {
        let own = self
            .followed
            .iter()
            .filter(|followed| !followed.alone)
            .flat_map(|followed| &followed.messages);
        own.chain(
            self.followed
                .iter()
                .flat_map(|followed| &followed.handshakes),
        )
        .chain(&self.greeting.messages)
    }

    fn told(&self) -> impl Iterator<Item = String> {
        let by_content = self
            .followed
            .iter()
            .filter(|followed| followed.by_content && !followed.messages.is_empty())
            .map(|_| String::from("recognized by its content, not by its port"));
        let warnings = self
            .followed
            .iter()
            .flat_map(|followed| followed.warnings.iter().map(ToString::to_string));
        by_content.chain(warnings).chain(
            self.followed
                .iter()
                .filter_map(|followed| followed.part.as_ref().map(ToString::to_string)),
        )
    }
}

/// What is before the layers of something that is put together.
const INDENT: &[u8] = b"    ";

/// Appends the member `layers`, and ends its object.
fn put_layers(octets: &[u8], decoded: &Decoded, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"layers\":");
    packet::layers(octets, decoded, out);
    out.push(b'}');
}

fn initial(initial: &InitialPacket) -> Value {
    let InitialPacket {
        layer,
        from,
        opened,
    } = initial;
    json!({ "layer": layer, "from": end(*from), "number": opened.number, "frames": opened.listed() })
}

fn end(side: QuicEnd) -> &'static str {
    match side {
        QuicEnd::Client => "client",
        QuicEnd::Server => "server",
    }
}

fn stream(followed: &Followed) -> Value {
    let mut row = json!({ "number": followed.stream, "from": followed.from });
    if followed.by_content {
        row["by_content"] = true.into();
    }
    if let Some(part) = &followed.part {
        row["part"] = json!({ "layer": part.layer.name, "since": part.since, "have": part.have, "len": part.length });
    }
    if !followed.warnings.is_empty() {
        row["warnings"] = followed
            .warnings
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .into();
    }
    row
}

fn decoded(message: &StreamMessage) -> Decoded {
    let mut decoded = Decoded::new();
    let length = message
        .length
        .and_then(|length| usize::try_from(length).ok())
        .unwrap_or(message.octets.len());
    decode(message.layer, &message.octets, length, &mut decoded);
    decoded
}

fn packets(numbers: &[u64]) -> String {
    match numbers {
        [one] => format!("packet {one}"),
        many => format!(
            "packets {}",
            many.iter()
                .map(u64::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}
