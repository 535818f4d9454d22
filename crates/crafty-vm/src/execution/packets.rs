//! The packets that variables hold: sent ones with their stamps, matched ones with what their
//! pattern found.

use crate::api::{FrameId, Stamp, StampSource};
use crate::receiving::admitted::{AdmittedFrame, FrameMetadata, StreamView};
use crate::receiving::layers;
use crate::receiving::pattern::PatternMatch;
use crate::receiving::view::DecodedPacket;
use core::ops::Range;
use crafty_lang::eval::{Raise, Stop};
use crafty_lang::ir::{DrivenKind, ErrorKind, FieldRef, Meta};
use crafty_value::{Time, Value};
use crafty_wire::Layer;
use std::collections::BTreeSet;
use std::sync::Arc;

/// All packets, by number.
#[derive(Debug, Default)]
pub(crate) struct PacketTable {
    /// By ascending number: a new packet goes to the end, and most that are asked for are near it.
    table: Vec<(u64, PacketEntry)>,
    next: u64,
    /// Size at which the table is swept.
    sweep_at: usize,
}

/// A packet.
#[derive(Clone, Debug)]
pub(crate) enum PacketEntry {
    Sent(SentPacket),
    Frame {
        heard: Arc<AdmittedFrame>,
        whole: bool,
        found: PatternMatch,
    },
    Stream {
        seen: StreamView,
    },
}

/// A packet that the program sent.
#[derive(Clone, Debug)]
pub(crate) struct SentPacket {
    /// The first frame; none while a stream has not sent it.
    pub view: Option<Arc<DecodedPacket>>,
    pub interface: Arc<str>,
    pub frames: Vec<BuiltFrame>,
    /// Where the bytes of a written `Bytes` lie.
    pub bytes: Option<Range<usize>>,
    /// Whether it waits in a stream.
    pub stream: bool,
    /// Why it, or a part of it, was not sent.
    pub unsent: Option<Arc<str>>,
}

/// One frame of a sent packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BuiltFrame {
    pub frame: Option<FrameId>,
    pub stamp: Option<Stamp>,
}

impl PacketTable {
    /// Keeps a packet; gives its number.
    pub fn add(&mut self, entry: PacketEntry) -> u64 {
        let id = self.next;
        self.next += 1;
        self.table.push((id, entry));
        id
    }

    /// A packet.
    pub fn get(&self, id: u64) -> Option<&PacketEntry> {
        Some(&self.table.get(self.place(id)?)?.1)
    }

    fn place(&self, id: u64) -> Option<usize> {
        match self.table.last() {
            Some((last, _)) if *last == id => Some(self.table.len() - 1),
            _ => self.table.binary_search_by_key(&id, |(id, _)| *id).ok(),
        }
    }

    /// Forgets a packet.
    pub fn remove(&mut self, id: u64) {
        if let Some(place) = self.place(id) {
            self.table.remove(place);
        }
    }

    /// A packet that was sent.
    pub fn sent_mut(&mut self, id: u64) -> Option<&mut SentPacket> {
        let place = self.place(id)?;
        match &mut self.table.get_mut(place)?.1 {
            PacketEntry::Sent(sent) => Some(sent),
            _ => None,
        }
    }

    /// Forgets the packets that nothing holds, once there are twice as many as after the last time.
    pub fn sweep(&mut self, held: impl FnOnce() -> BTreeSet<u64>) {
        if self.table.len() < self.sweep_at.max(256) {
            return;
        }
        let held = held();
        self.table.retain(|(id, _)| held.contains(id));
        self.sweep_at = self.table.len() * 2;
    }

    /// A frame of a packet was on the wire.
    pub fn stamp(&mut self, packet: u64, frame: FrameId, stamp: Stamp) {
        let Some(sent) = self.sent_mut(packet) else {
            return;
        };
        if let Some(place) = sent.frames.iter_mut().find(|f| f.frame == Some(frame)) {
            place.stamp.get_or_insert(stamp);
        }
    }

    /// A field of a packet, or why there is none.
    pub fn field(
        &self,
        id: u64,
        layer: &'static Layer,
        nth: i64,
        field: &FieldRef,
    ) -> Result<Value, Stop> {
        let entry = self.get(id).ok_or_else(|| absent(layer, field))?;
        if let FieldRef::Meta(meta) = field {
            return entry
                .meta(id, *meta)?
                .ok_or_else(|| absent(layer, field).into());
        }
        let value = match entry {
            PacketEntry::Stream { seen } => seen.value(layer, nth, field),
            _ if layers::is_bytes(layer) => entry.data(),
            _ => entry
                .view(id)?
                .and_then(|v| v.read(v.find(layer, nth, field)?, field)),
        };
        value.ok_or_else(|| absent(layer, field).into())
    }

    /// Whether a packet has this layer.
    pub fn has_layer(&self, id: u64, layer: &'static Layer) -> bool {
        match self.get(id) {
            Some(PacketEntry::Stream { seen }) => seen.has_layer(layer),
            Some(entry) if layers::is_bytes(layer) => entry.data().is_some(),
            Some(entry) => entry
                .shown()
                .is_some_and(|v| (0..v.layers()).any(|i| core::ptr::eq(v.layer(i), layer))),
            None => false,
        }
    }

    /// Bytes of a packet.
    pub fn length(&self, id: u64) -> i64 {
        let octets = match self.get(id) {
            Some(PacketEntry::Stream { seen }) => seen.data.len(),
            Some(PacketEntry::Frame {
                heard, whole: true, ..
            }) => heard.whole().network_bytes().map_or(0, <[u8]>::len),
            Some(entry) => entry.shown().map_or(0, |v| v.octets.len()),
            None => 0,
        };
        i64::try_from(octets).unwrap_or(i64::MAX)
    }

    /// How many frames a packet became.
    pub fn frames(&self, id: u64) -> i64 {
        match self.get(id) {
            Some(PacketEntry::Sent(sent)) => i64::try_from(sent.frames.len()).unwrap_or(i64::MAX),
            _ => 1,
        }
    }
}

fn absent(layer: &Layer, field: &FieldRef) -> Raise {
    let name = match field {
        FieldRef::Wire { layer, field } | FieldRef::OptionList { layer, field, .. } => {
            layer.fields.get(*field).map_or("field", |f| f.name)
        }
        FieldRef::Option { option, inner, .. } => inner.last().map_or(option, |(option, _)| option),
        FieldRef::Either { name, .. } => name,
        FieldRef::Meta(_) => "field",
    };
    Raise::new(
        ErrorKind::Absent,
        format!("this packet has no `{name}` of `{}`", layer.name),
    )
}

impl PacketEntry {
    /// The bytes that fields are read from; nothing of a stream, and of a sent one not before it
    /// left.
    fn shown(&self) -> Option<&Arc<DecodedPacket>> {
        match self {
            PacketEntry::Sent(sent) => sent.view.as_ref(),
            PacketEntry::Frame {
                heard, whole: true, ..
            } => Some(heard.whole()),
            PacketEntry::Frame { heard, .. } => Some(&heard.frame),
            PacketEntry::Stream { .. } => None,
        }
    }

    fn view(&self, id: u64) -> Result<Option<&Arc<DecodedPacket>>, Stop> {
        match self {
            PacketEntry::Sent(SentPacket {
                view: None,
                stream: true,
                ..
            }) => Err(Stop::NeedStamp(id)),
            _ => Ok(self.shown()),
        }
    }

    /// What `[Bytes].data` reads.
    fn data(&self) -> Option<Value> {
        let range = match self {
            PacketEntry::Sent(sent) => sent.bytes.clone(),
            PacketEntry::Frame { found, .. } => found.bytes.clone(),
            PacketEntry::Stream { seen } => return seen.bytes(),
        };
        let view = self.shown()?;
        let range = range.or_else(|| view.innermost_bytes())?;
        view.octets.get(range).map(|b| Value::bytes(b.to_vec()))
    }

    fn meta(&self, id: u64, meta: Meta) -> Result<Option<Value>, Stop> {
        match self {
            PacketEntry::Frame { heard, .. } => Ok(heard.about.meta(meta)),
            PacketEntry::Stream { seen } => Ok(seen.field(DrivenKind::Tcp, &FieldRef::Meta(meta))),
            PacketEntry::Sent(sent) => {
                if let Some(why) = sent.unsent_because().filter(|_| meta.is_of_departure()) {
                    return Err(Raise::new(
                        ErrorKind::NotSent,
                        format!("not sent, so it has no time: {why}"),
                    )
                    .into());
                }
                sent.meta(meta).ok_or(Stop::NeedStamp(id))
            }
        }
    }
}

impl SentPacket {
    /// Why it has no time. Bytes of a stream are sent again: they have one once a segment has left.
    pub fn unsent_because(&self) -> Option<&str> {
        let left_later = self.stream && !self.frames.is_empty();
        self.unsent.as_deref().filter(|_| !left_later)
    }

    fn meta(&self, meta: Meta) -> Option<Option<Value>> {
        let about = |time: Time, source, last| FrameMetadata {
            time,
            source,
            last,
            len: self
                .view
                .as_ref()
                .map_or(0, |v| i64::try_from(v.octets.len()).unwrap_or(i64::MAX)),
            interface: Arc::clone(&self.interface),
            checksum_ready: true,
        };
        let (first, last) = match meta {
            Meta::Ts | Meta::TsSource | Meta::LastTs => {
                (self.frames.first()?.stamp?, self.frames.last()?.stamp?)
            }
            _ => (
                Stamp {
                    time: Time(0),
                    source: StampSource::Clock,
                },
                Stamp {
                    time: Time(0),
                    source: StampSource::Clock,
                },
            ),
        };
        Some(about(first.time, first.source.word(), last.time).meta(meta))
    }
}

impl StreamView {
    fn value(&self, layer: &Layer, nth: i64, field: &FieldRef) -> Option<Value> {
        match (layer.name, &self.message) {
            ("Bytes", _) => self.bytes(),
            ("TCP", _) => self.field(DrivenKind::Tcp, field),
            (_, Some((view, _))) if !layers::is_ip(layer) => {
                view.read(view.find(layer, nth, field)?, field)
            }
            _ => self.field(DrivenKind::Ip, field),
        }
    }

    /// What `[Bytes].data` reads: all of plain data, of a message what no layer explains.
    fn bytes(&self) -> Option<Value> {
        let Some((view, bytes)) = &self.message else {
            return Some(Value::Bytes(Arc::clone(&self.data)));
        };
        let range = bytes.clone().or_else(|| view.innermost_bytes())?;
        view.octets
            .get(range)
            .map(|octets| Value::bytes(octets.to_vec()))
    }

    fn has_layer(&self, layer: &Layer) -> bool {
        let in_message =
            |view: &DecodedPacket| (0..view.layers()).any(|at| *view.layer(at) == *layer);
        match &self.message {
            Some((view, _)) => matches!(layer.name, "IP" | "IP6" | "TCP") || in_message(view),
            None => matches!(layer.name, "IP" | "IP6" | "TCP" | "Bytes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(stream: bool) -> PacketEntry {
        PacketEntry::Sent(SentPacket {
            view: None,
            interface: Arc::from(""),
            frames: Vec::new(),
            bytes: None,
            stream,
            unsent: None,
        })
    }

    #[test]
    fn what_nothing_holds_goes() {
        let mut packets = PacketTable::default();
        let first = packets.add(sent(true));
        let mut most = 0;
        for _ in 0..10_000 {
            let last = packets.add(sent(false));
            packets.sweep(|| BTreeSet::from([first, last]));
            most = most.max(packets.table.len());
            assert!(packets.get(last).is_some(), "{last} is held");
        }
        assert!(
            packets.sent_mut(first).is_some_and(|s| s.stream),
            "the first is held too"
        );
        assert!(most <= 256, "{most} were kept of which two are held");
        packets.remove(first);
        assert!(packets.get(first).is_none() && packets.get(10_001).is_none());
    }
}
