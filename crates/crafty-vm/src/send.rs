//! Sending: where literal layers go, what is filled in around them, how the frame leaves (semantics 4.4, 4.5, 4.14, 5.5).

use crate::api::{Link, Stamp, StampSource};
use crate::frame::{Build, Fill, Written};
use crate::machine::Machine;
use crate::outbox::Outgoing;
use crate::packets::{Entry, Sent, SentFrame};
use crate::stacks::Piece;
use crate::step::Flow;
use crate::thread::Halt;
use crate::view::{self, View};
use core::net::IpAddr;
use crafty_lang::eval::Raise;
use crafty_lang::ir::{self, ErrorKind, Literal, Onto, Send, Span, StackId, VarId};
use crafty_policy::{Author, Origin};
use crafty_stack::Resolution;
use crafty_stack::ip::fragment;
use crafty_stack::tcp::SendError;
use crafty_value::{Mac, Value};
use std::sync::Arc;

/// Frames that wait for a neighbour at most; beyond that they are dropped.
const MAX_PENDING: usize = 256;

/// A frame that waits for its neighbour's address.
#[derive(Debug)]
pub(crate) struct Pending {
    hop: IpAddr,
    ready: Ready,
}

/// A frame that can be judged, with what the wire will carry.
#[derive(Debug)]
pub(crate) struct Ready {
    whole: Vec<u8>,
    pieces: Vec<Vec<u8>>,
    origin: Origin,
    line: Span,
    packets: Vec<u64>,
}

impl Machine {
    /// `p = Layer(…)/…`
    pub(crate) fn send(&mut self, send: &Send, into: Option<VarId>) -> Result<Flow, Halt> {
        let written = send.layers.iter().map(|l| self.written(l)).collect::<Result<Vec<_>, _>>()?;
        if self.handler.is_none() {
            if let (Onto::Replace(id, _) | Onto::Above(id, _), Some(trouble)) = (send.onto, self.broken_stack(send.span)) {
                let _ = id;
                return Err(Halt::Trouble(trouble));
            }
            self.inbox.sending(self.clock);
        }
        let packet = match self.stream_of(send) {
            Some(stack) => self.send_in_stream(stack, &written)?,
            None => self.send_frame(send, written)?,
        };
        if let Some(var) = into {
            self.memory.set(var, Value::Packet(packet), send.span).map_err(|stop| Halt::of(stop, send.span))?;
        }
        self.sweep();
        Ok(Flow::Next)
    }

    /// A literal layer with its values.
    fn written(&mut self, literal: &Literal) -> Result<Written, Halt> {
        let mut fields = Vec::with_capacity(literal.fields.len());
        for (index, value) in &literal.fields {
            fields.push((*index, self.fill(literal, *index, value)?));
        }
        Ok(Written { layer: literal.layer, fields, advance: literal.advance })
    }

    fn fill(&mut self, literal: &Literal, index: usize, value: &ir::FieldValue) -> Result<Fill, Halt> {
        let field = &literal.layer.fields[index];
        match value {
            ir::FieldValue::Value(expr) => {
                let value = self.eval(expr, literal.span)?;
                view::to_wire(field, &value).map(Fill::Set).map_err(|raise| Halt::of(raise.into(), expr.span))
            }
            ir::FieldValue::Auto(offset, span) => {
                let offset = offset.as_ref().map(|e| self.whole(e, *span)).transpose()?;
                Ok(Fill::Auto(offset.unwrap_or(0)))
            }
            ir::FieldValue::Options(options, span) => {
                let mut list = Vec::with_capacity(options.len());
                for option in options {
                    let args = option.args.iter().map(|e| self.eval(e, option.span)).collect::<Result<Vec<_>, _>>()?;
                    list.push(view::option_to_wire(field, &option.name, &args).map_err(|raise| Halt::of(raise.into(), *span))?);
                }
                Ok(Fill::Set(crafty_wire::FieldValue::Options(list)))
            }
        }
    }

    /// The values of fixed encapsulation in the head of a block.
    pub(crate) fn fixed_fields(&mut self, literal: &Literal) -> Result<Vec<(usize, crafty_wire::FieldValue)>, Halt> {
        let written = self.written(literal)?;
        Ok(written.fields.into_iter().filter_map(|(i, f)| if let Fill::Set(value) = f { Some((i, value)) } else { None }).collect())
    }

    /// The `TCP!` block whose stream this send goes into.
    fn stream_of(&self, send: &Send) -> Option<StackId> {
        let Onto::Above(id, at) = send.onto else { return None };
        let in_stream = matches!(self.stacks.get(id)?.pieces.get(at), Some(Piece::Tcp(_)));
        in_stream.then_some(id)
    }

    /// Queues octets; never waits (4.15).
    fn send_in_stream(&mut self, id: StackId, written: &[Written]) -> Result<u64, Halt> {
        let connection = self.peer_of(id).and_then(|p| p.connection).or_else(|| self.stacks.connections.of(id));
        let connection = connection.ok_or_else(|| self.stack_error(ErrorKind::Closed, "there is no peer to send to", id))?;
        let octets = Build::payload(written);

        let interface = self.interface_name();
        let sent = Sent { view: None, interface, frames: Vec::new(), bytes: None, stream: true };
        let packet = self.packets.add(Entry::Sent(sent));
        match self.stacks.connections.send(connection, &octets, packet) {
            Ok(()) => Ok(packet),
            Err(SendError::Busy) => Err(self.stack_error(ErrorKind::Busy, "more than 1 MiB would wait to be sent", id)),
            Err(SendError::Closed) => Err(self.stack_error(ErrorKind::Closed, "the connection is closed", id)),
        }
    }

    fn send_frame(&mut self, send: &Send, written: Vec<Written>) -> Result<u64, Halt> {
        let stack = match send.onto {
            Onto::Bottom => None,
            Onto::Replace(id, _) | Onto::Above(id, _) => Some(id),
        };
        let mut build = self.build_on(send, written)?;
        let whole_ip = build.fill_below(self);
        let octets = build.encode();
        let bytes = build.bytes_in(&octets);
        let origin = self.origin(send);
        let may_cut = matches!(send.onto, Onto::Above(..)) && build.cuts;
        let pieces = self.cut(&octets, build.link_octets, may_cut, stack, send.span)?;
        let view = View::of_frame(self.link(), pieces.first().cloned().unwrap_or_default(), pieces.first().map_or(0, Vec::len));
        let frames = vec![SentFrame { frame: None, stamp: None }; pieces.len()];
        let sent = Sent { view: Some(Arc::new(view)), interface: self.interface_name(), frames, bytes, stream: false };
        let packet = self.packets.add(Entry::Sent(sent));
        let ready = Ready { whole: octets, pieces, origin, line: send.span, packets: vec![packet] };
        self.note_crafted(&build, stack);
        self.dispatch(ready, whole_ip);
        if let Some(open) = stack.and_then(|id| self.stacks.get_mut(id)) {
            open.counts.packets_out += 1;
            open.counts.bytes_out += build.transport_payload;
        }
        Ok(packet)
    }

    /// Cuts what is longer than the MTU: only a driven IP may (4.5).
    fn cut(&mut self, frame: &[u8], link: usize, may_cut: bool, stack: Option<StackId>, span: Span) -> Result<Vec<Vec<u8>>, Halt> {
        let mtu = self.mtu();
        let path = stack.and_then(|id| self.stacks.get(id)).map_or(mtu, |o| o.path_mtu.min(mtu));
        let length = frame.len() - link;
        let too_long = || Halt::of(Raise::new(ErrorKind::Range, format!("{length} bytes do not fit the MTU of {mtu}")).into(), span);
        if length <= mtu && (!may_cut || length <= path) {
            return Ok(vec![frame.to_vec()]);
        }
        if !may_cut {
            return Err(too_long());
        }
        self.next_id = self.next_id.wrapping_add(1);
        match fragment(&frame[link..], path, self.next_id) {
            Ok(pieces) => Ok(pieces.into_iter().map(|p| [&frame[..link], &p].concat()).collect()),
            Err(_) if length <= mtu => Ok(vec![frame.to_vec()]),
            Err(_) => Err(too_long()),
        }
    }

    fn origin(&self, send: &Send) -> Origin {
        let author = if self.handler.is_some() { Author::Handler } else { Author::Main };
        let reactive = self.reactive.get(send.site.0 as usize).copied().unwrap_or(true);
        Origin { author, site: send.site.0, reactive }
    }

    /// Asks the gate, once the neighbour is known.
    fn dispatch(&mut self, ready: Ready, hop: Option<IpAddr>) {
        let Some(hop) = hop else { return self.submit(ready) };
        match self.neighbours.lookup(self.clock, hop) {
            Resolution::Known(mac) => self.submit_to(ready, hop, mac),
            Resolution::Pending if self.pending.len() < MAX_PENDING => self.pending.push(Pending { hop, ready }),
            _ => self.lost(&ready, "no_neighbour"),
        }
    }

    fn submit_to(&mut self, mut ready: Ready, hop: IpAddr, mac: Mac) {
        self.outbox.gate.learn(hop, mac);
        for frame in ready.pieces.iter_mut().chain([&mut ready.whole]) {
            if let Some(destination) = frame.get_mut(..6) {
                destination.copy_from_slice(&mac.0);
            }
        }
        self.submit(ready);
    }

    fn submit(&mut self, ready: Ready) {
        let Ready { whole, pieces, origin, line, packets } = ready;
        let first = pieces.first().cloned();
        let outgoing = Outgoing { whole: &whole, pieces, origin, line, packets: packets.clone() };
        match self.outbox.submit(self.clock, outgoing) {
            Ok(frames) => packets.iter().for_each(|p| self.bind_frames(*p, &frames, first.as_deref())),
            Err(reason) => {
                if self.places.drop(reason.name(), line) {
                    let message = format!("{reason}: {}", reason.fix());
                    self.say(crate::Event::Dropped { reason: reason.why.name, message, span: line, time: self.clock });
                }
                packets.iter().for_each(|p| self.stamp_lost(*p));
            }
        }
    }

    /// The frames that a packet became; a stream's sends get theirs one by one.
    fn bind_frames(&mut self, packet: u64, frames: &[crate::FrameId], first: Option<&[u8]>) {
        let link = self.link();
        let Some(sent) = self.packets.sent_mut(packet) else { return };
        match sent.stream {
            true => sent.frames.extend(frames.iter().map(|f| SentFrame { frame: Some(*f), stamp: None })),
            false => sent.frames = frames.iter().map(|f| SentFrame { frame: Some(*f), stamp: None }).collect(),
        }
        if let (true, Some(octets)) = (sent.view.is_none() || !sent.stream, first) {
            sent.view = Some(Arc::new(View::of_frame(link, octets.to_vec(), octets.len())));
        }
    }

    /// A frame that did not leave looks lost to the program (3.6): it was "on the wire" when it was dropped.
    fn stamp_lost(&mut self, packet: u64) {
        let stamp = Some(Stamp { time: self.clock, source: StampSource::Dropped });
        let Some(sent) = self.packets.sent_mut(packet) else { return };
        match sent.frames.is_empty() {
            true => sent.frames.push(SentFrame { frame: None, stamp }),
            false => sent.frames.iter_mut().filter(|f| f.stamp.is_none()).for_each(|f| f.stamp = stamp),
        }
    }

    fn lost(&mut self, ready: &Ready, why: &str) {
        if self.places.drop(why, ready.line) {
            let message = "the neighbour to hand this frame to does not answer".to_string();
            self.say(crate::Event::Warning { message, span: ready.line });
        }
        for packet in &ready.packets {
            self.stamp_lost(*packet);
        }
    }

    /// Sends what waits for neighbours that are known now, what neighbours are asked, and what connections have to send.
    pub(crate) fn flush(&mut self) {
        if self.start.is_some() {
            return;
        }
        self.flush_connections();
        self.flush_neighbours(Author::Stack);
        self.flush_pending();
    }

    pub(crate) fn flush_neighbours(&mut self, author: Author) {
        if self.link() != Link::Ethernet {
            return;
        }
        let mut frame = Vec::new();
        while self.neighbours.poll_transmit(self.clock, &mut frame) {
            let origin = Origin { author, site: u32::MAX, reactive: author != Author::Start };
            let whole = core::mem::take(&mut frame);
            self.submit(Ready { pieces: vec![whole.clone()], whole, origin, line: Span::default(), packets: Vec::new() });
        }
    }

    fn flush_pending(&mut self) {
        for pending in core::mem::take(&mut self.pending) {
            self.dispatch(pending.ready, Some(pending.hop));
        }
    }

    fn flush_connections(&mut self) {
        while let Some(leaving) = self.stacks.connections.poll_transmit(self.clock) {
            let packets = self.stacks.connections.carried(leaving.connection, &leaving.sent);
            let Some(held) = self.stacks.connections.get(leaving.connection) else { continue };
            let (stack, peer, pieces) = (held.stack, held.peer.clone(), held.pieces.clone());
            let info = &self.program.stacks[stack.0 as usize];
            let (line, site) = (info.span, info.site.0);
            let mut build = self.build_segment(&pieces, &peer, leaving.sent.ecn, &leaving.octets);
            let hop = build.fill_below(self);
            let whole = build.encode();
            let origin = Origin { author: Author::Stack, site, reactive: true };
            self.dispatch(Ready { pieces: vec![whole.clone()], whole, origin, line, packets }, hop);
            if let Some(open) = self.stacks.get_mut(stack) {
                open.counts.packets_out += 1;
            }
        }
    }

    /// The stack must accept acknowledgements of what our own crafted segments carried (4.13); `advance` moves it.
    fn note_crafted(&mut self, build: &Build, stack: Option<StackId>) {
        let Some(segment) = build.crafted_segment() else { return };
        let connection = stack.and_then(|id| self.peer_of(id).and_then(|p| p.connection).or_else(|| self.stacks.connections.of(id)));
        let now = self.clock;
        match connection {
            Some(connection) if segment.advance => self.stacks.connections.advance(connection, now, &segment.payload, segment.fin),
            Some(connection) => self.stacks.connections.note_sent(connection, segment.end),
            None => self.crafted.sent(&segment),
        }
    }

    /// Largest datagram of the interface.
    pub(crate) fn mtu(&self) -> usize {
        self.environment.interfaces.get(self.outbox.interface).map_or(1500, |i| i.mtu as usize)
    }

    /// What frames of the interface begin with.
    pub(crate) fn link(&self) -> Link {
        self.environment.interfaces.get(self.outbox.interface).map_or(Link::Ethernet, |i| i.link)
    }

    /// The interface's link address.
    pub(crate) fn own_mac(&self) -> Mac {
        self.environment.interfaces.get(self.outbox.interface).map(|i| i.mac).unwrap_or_default()
    }

    /// The interface's name.
    pub(crate) fn interface_name(&self) -> Arc<str> {
        self.environment.interfaces.get(self.outbox.interface).map_or_else(|| Arc::from(""), |i| Arc::from(i.name.as_str()))
    }

    pub(crate) fn link_kind(&self) -> crafty_policy::LinkKind {
        if self.link() == Link::RawIp { crafty_policy::LinkKind::RawIp } else { crafty_policy::LinkKind::Ethernet }
    }
}
