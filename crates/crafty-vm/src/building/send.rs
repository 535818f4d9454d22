//! Sending: where literal layers go, what is filled in around them, how the frame leaves.

use crate::building::assemble::stack_of;
use crate::building::frame::FrameBuilder;
use crate::building::layer::KeepPacket;
use crate::building::layer::{EvaluatedLayer, LiteralValue};
use crate::execution::halt::Halt;
use crate::execution::halt::NextInstruction;
use crate::execution::packets::{PacketEntry, SentPacket};
use crate::machine::Machine;
use crate::receiving::field_values;
use crate::sending::outbox::OutgoingFrame;
use crate::stacks::error::BlockError;
use crate::stacks::open_block::BlockLayer;
use core::net::IpAddr;
use core::ops::Range;
use crafty_lang::eval::Raise;
use crafty_lang::ir::{self, ErrorKind, Literal, Onto, Send, SiteId, Span, StackId, VarId};
use crafty_policy::{Author, FrameOrigin};
use crafty_stack::ip::{Datagram, fragment};
use crafty_stack::tcp::SendError;
use crafty_value::Value;
use crafty_wire::{Field, OptionValue};

impl Machine {
    /// `p = Layer(…)/…`
    pub(crate) fn send(
        &mut self,
        send: &Send,
        into: Option<VarId>,
    ) -> Result<NextInstruction, Halt> {
        let packet = match self.send_prepared(send, KeepPacket::of(into)) {
            Some(sent) => sent?,
            None => self.send_anew(send, KeepPacket::of(into))?,
        };
        if let (Some(var), Some(packet)) = (into, packet) {
            self.values
                .variables
                .set(var, Value::Packet(packet), send.span)
                .map_err(|stop| Halt::of(stop, send.span))?;
            self.sweep();
        }
        Ok(NextInstruction::Next)
    }

    fn send_anew(&mut self, send: &Send, keep: KeepPacket) -> Result<Option<u64>, Halt> {
        let written = send
            .layers
            .iter()
            .map(|l| self.written(l))
            .collect::<Result<Vec<_>, _>>()?;
        self.before_send(send)?;
        match self.stream_of(send) {
            Some(stack) => self.send_in_stream((send.site, stack), &written, keep),
            None => self.send_frame(send, written, keep),
        }
    }

    /// A broken block raises its error at the next send through it; a send of the main program may
    /// begin a round.
    pub(crate) fn before_send(&mut self, send: &Send) -> Result<(), Halt> {
        if self.threads.handler.is_some() {
            return Ok(());
        }
        if let Some(error) = stack_of(send).and_then(|_| self.broken_stack(send.span)) {
            return Err(Halt::Error(error));
        }
        self.reception.inbox.sending(self.clocks.now);
        Ok(())
    }

    /// A literal layer with its values.
    fn written(&mut self, literal: &Literal) -> Result<EvaluatedLayer, Halt> {
        let mut fields = Vec::with_capacity(literal.fields.len());
        for (index, value) in &literal.fields {
            fields.push((*index, self.fill(literal, *index, value)?));
        }
        Ok(EvaluatedLayer {
            layer: literal.layer,
            fields,
            advance: literal.advance,
        })
    }

    fn fill(
        &mut self,
        literal: &Literal,
        index: usize,
        value: &ir::FieldSetting,
    ) -> Result<LiteralValue, Halt> {
        let field = &literal.layer.fields[index];
        match value {
            ir::FieldSetting::Value(expr) => {
                let value = self.eval(expr, literal.span)?;
                field_values::to_wire(field, &value)
                    .map(LiteralValue::Set)
                    .map_err(|raise| Halt::of(raise.into(), expr.span))
            }
            ir::FieldSetting::Auto(offset, span) => {
                let offset = offset.as_ref().map(|e| self.whole(e, *span)).transpose()?;
                Ok(LiteralValue::Auto(offset.unwrap_or(0)))
            }
            ir::FieldSetting::Options(options, span) => self
                .option_list(field, options, *span)
                .map(|list| LiteralValue::Set(crafty_wire::FieldValue::Options(list))),
        }
    }

    /// The options of a list, evaluated.
    pub(crate) fn option_list(
        &mut self,
        field: &Field,
        list: &[ir::OptionLiteral],
        span: Span,
    ) -> Result<Vec<OptionValue>, Halt> {
        list.iter()
            .map(|option| self.option_value(field, option, span))
            .collect()
    }

    fn option_value(
        &mut self,
        field: &Field,
        option: &ir::OptionLiteral,
        span: Span,
    ) -> Result<OptionValue, Halt> {
        if let ("raw", [ir::OptionArg::Value(octets)]) =
            (option.name.as_str(), option.args.as_slice())
        {
            let octets = self.eval(octets, option.span)?;
            return field_values::raw_option(&octets).map_err(|raise| Halt::of(raise.into(), span));
        }
        let row = field_values::option_row(field, &option.name)
            .map_err(|raise| Halt::of(raise.into(), span))?;
        let mut values = Vec::with_capacity(option.args.len());
        for (i, arg) in option.args.iter().enumerate() {
            let field =
                field_values::option_part(row, i).map_err(|raise| Halt::of(raise.into(), span))?;
            values.push(match arg {
                ir::OptionArg::Options(list) => {
                    crafty_wire::FieldValue::Options(self.option_list(field, list, span)?)
                }
                ir::OptionArg::Value(expr) => {
                    let value = self.eval(expr, option.span)?;
                    field_values::to_wire(field, &value)
                        .map_err(|raise| Halt::of(raise.into(), span))?
                }
            });
        }
        Ok(OptionValue::Named {
            option: row,
            values,
        })
    }

    /// The values of fixed encapsulation in the head of a block.
    pub(crate) fn fixed_fields(
        &mut self,
        literal: &Literal,
    ) -> Result<Vec<(usize, crafty_wire::FieldValue)>, Halt> {
        let written = self.written(literal)?;
        Ok(written
            .fields
            .into_iter()
            .filter_map(|(i, f)| {
                if let LiteralValue::Set(value) = f {
                    Some((i, value))
                } else {
                    None
                }
            })
            .collect())
    }

    /// The `TCP!` block whose stream this send goes into.
    fn stream_of(&self, send: &Send) -> Option<StackId> {
        let Onto::Above(id, at) = send.onto else {
            return None;
        };
        // What lies above the last piece runs on a stream.
        let pieces = &self.stacks.get(id)?.pieces;
        let in_stream = matches!(pieces.get(at), Some(BlockLayer::Tcp(_))) || at >= pieces.len();
        in_stream.then_some(id)
    }

    /// Queues bytes; never waits.
    fn send_in_stream(
        &mut self,
        (site, id): (SiteId, StackId),
        written: &[EvaluatedLayer],
        keep: KeepPacket,
    ) -> Result<Option<u64>, Halt> {
        let connection = self
            .peer_of(id)
            .and_then(|p| p.connection)
            .or_else(|| self.stacks.connections.of(id));
        let connection = connection.ok_or_else(|| self.stack_error(BlockError::NoPeer, id))?;
        let octets = FrameBuilder::message(written);
        // Whatever segments carry it, events chose so much of it.
        let chosen = self
            .script
            .origin(site, Author::Stack, octets.len())
            .chosen_bits;
        self.script.declassification.streamed(chosen);
        let interface = self.uplink.interface_name();
        let sent = SentPacket {
            view: None,
            interface,
            frames: Vec::new(),
            bytes: None,
            stream: true,
            unsent: None,
        };
        let packet = keep.then(|| self.values.packets.add(PacketEntry::Sent(sent)));
        match self.stacks.send(id, connection, &octets, packet) {
            Ok(()) => Ok(packet),
            Err(SendError::Busy) => Err(self.stack_error(BlockError::SendBufferFull, id)),
            Err(SendError::Closed) => Err(self.stack_error(BlockError::ConnectionClosed, id)),
        }
    }

    fn send_frame(
        &mut self,
        send: &Send,
        written: Vec<EvaluatedLayer>,
        keep: KeepPacket,
    ) -> Result<Option<u64>, Halt> {
        let stack = stack_of(send);
        let mut build = self.build_on(send, written)?;
        let hop = build.fill_below(&mut self.uplink);
        let whole = build.encode();
        let may_cut = matches!(send.onto, Onto::Above(..)) && build.cuts;
        let cut = self.cut(
            &whole,
            (build.link_bytes, build.label_bytes),
            may_cut,
            stack,
            send.span,
        )?;
        if cut.is_none() {
            self.prepare(send, &build, hop, may_cut);
        }
        let packet = keep.then(|| self.keep_packet(build.bytes_in(&whole)));
        self.note_crafted(&build, stack);
        let origin = self.origin(send, whole.len());
        let ready = match cut {
            Some(pieces) => OutgoingFrame {
                whole: Some(whole),
                pieces,
                origin,
                line: send.span,
                packets: packet.into_iter().collect(),
            },
            None => OutgoingFrame {
                whole: None,
                pieces: vec![whole],
                origin,
                line: send.span,
                packets: packet.into_iter().collect(),
            },
        };
        self.dispatch(ready, hop);
        self.count_out(stack, build.transport_payload);
        Ok(packet)
    }

    /// A packet that a variable will hold; its frames are bound to it when they leave.
    pub(crate) fn keep_packet(&mut self, bytes: Option<Range<usize>>) -> u64 {
        let interface = self.uplink.interface_name();
        self.values.packets.add(PacketEntry::Sent(SentPacket {
            view: None,
            interface,
            frames: Vec::new(),
            bytes,
            stream: false,
            unsent: None,
        }))
    }

    pub(crate) fn count_out(&mut self, stack: Option<StackId>, payload: i64) {
        if let Some(open) = stack.and_then(|id| self.stacks.get_mut(id)) {
            open.counts.packets_out += 1;
            open.counts.bytes_out += payload;
        }
    }

    /// Cuts what is longer than the MTU: only a driven IP may. `None` if it need not be cut.
    fn cut(
        &mut self,
        frame: &[u8],
        (link, labels): (usize, usize),
        may_cut: bool,
        stack: Option<StackId>,
        span: Span,
    ) -> Result<Option<Vec<Vec<u8>>>, Halt> {
        let mtu = self.uplink.mtu().saturating_sub(labels);
        let path = stack
            .and_then(|id| self.stacks.get(id))
            .map_or(mtu, |o| o.path_mtu.min(mtu));
        let length = frame.len() - link;
        let too_long = || {
            Halt::of(
                Raise::new(
                    ErrorKind::Range,
                    format!("{length} bytes do not fit the MTU of {mtu}"),
                )
                .into(),
                span,
            )
        };
        if length <= mtu && (!may_cut || length <= path) {
            return Ok(None);
        }
        if !may_cut {
            return Err(too_long());
        }
        let datagram = &frame[link..];
        // The header of IPv4 has its identification already.
        let to = Datagram::parse(datagram)
            .map(|d| d.destination)
            .filter(IpAddr::is_ipv6);
        let id = to.map_or(0, |to| self.uplink.identifications.next(to));
        match fragment(datagram, path, id) {
            Ok(pieces) => Ok(Some(
                pieces
                    .into_iter()
                    .map(|p| [&frame[..link], &p].concat())
                    .collect(),
            )),
            Err(_) if length <= mtu => Ok(None),
            Err(_) => Err(too_long()),
        }
    }

    pub(crate) fn origin(&self, send: &Send, bytes: usize) -> FrameOrigin {
        let author = if self.threads.handler.is_some() {
            Author::Handler
        } else {
            Author::Main
        };
        self.script.origin(send.site, author, bytes)
    }

    /// The stack must accept acknowledgements of what our own crafted segments carried; `advance`
    /// moves it.
    fn note_crafted(&mut self, build: &FrameBuilder, stack: Option<StackId>) {
        let Some(segment) = build.crafted_segment() else {
            return;
        };
        let connection = stack.and_then(|id| {
            self.peer_of(id)
                .and_then(|p| p.connection)
                .or_else(|| self.stacks.connections.of(id))
        });
        let now = self.clocks.now;
        match connection {
            Some(connection) if segment.advance => {
                self.stacks
                    .connections
                    .advance(connection, now, &segment.payload, segment.fin)
            }
            Some(connection) => self.stacks.connections.note_sent(connection, segment.end),
            None => self.uplink.crafted_flows.sent(&segment),
        }
    }
}
