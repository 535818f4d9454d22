//! Labels of what is read from a packet: a received one, or one of the program's own.

use super::peers::PeerChoices;
use super::tag::{LabelPair, Tag};
use super::walk::{LabelContext, Pass};
use super::{FlowRule, SendCertainty};
use crate::ir::{Expr, FieldRef, Label, Meta, Span, Type, VarId, VariableKind};
use crafty_wire::Auto;

impl Pass<'_> {
    /// A reading of a packet: of a received one at least `label`, of an own one what it was made
    /// of. In a `where` the packet under test is free to be looked at: the pattern is the visible
    /// place where a program decides.
    pub(super) fn of_packet(
        &self,
        packet: VarId,
        label: Label,
        span: Span,
        what: &str,
        place: &LabelContext,
    ) -> Tag {
        if place.filtered == Some(packet) {
            return Tag::clean();
        }
        match self.program.variables[packet.0 as usize].kind {
            VariableKind::Match => Tag::source(label, span, what),
            _ => self.variable(packet).all(),
        }
    }

    /// A packet that was not sent has no time: reading it fails. Whether it was sent follows from
    /// what is in it; where limits may be used up or a stream decides, also from what was received.
    pub(super) fn may_not_be_sent(&mut self, packet: VarId, span: Span) {
        if self.program.variables[packet.0 as usize].kind == VariableKind::Match {
            return;
        }
        let mut tag = self.variable(packet).all();
        let limited = self.certainty == SendCertainty::Uncertain || self.is_stream(packet);
        if limited && self.on(FlowRule::DropTells) {
            tag = tag.join(&Tag::source(
                Label::Event,
                span,
                "whether this packet was sent depends on what else used up BUDGET",
            ));
        }
        self.may_fail(&tag);
    }

    pub(super) fn field(
        &mut self,
        packet: VarId,
        layer: &str,
        field: &FieldRef,
        expr: &Expr,
        place: &LabelContext,
    ) -> LabelPair {
        let received = self.program.variables[packet.0 as usize].kind == VariableKind::Match;
        if !received && self.is_stream(packet) {
            self.leaves_first(expr.span, place);
        }
        match field {
            FieldRef::Meta(meta) if received => {
                LabelPair::scalar(self.received_meta(packet, *meta, expr.span, place))
            }
            FieldRef::Meta(meta) => {
                LabelPair::scalar(self.own_meta(packet, *meta, expr.span, place))
            }
            _ if received => self.received_field(packet, layer, expr, place),
            _ => LabelPair::scalar(self.own_field(packet, field, expr.span)),
        }
    }

    /// When, how and how long a packet of others came.
    fn received_meta(&self, packet: VarId, meta: Meta, span: Span, place: &LabelContext) -> Tag {
        let label = if meta == Meta::Len && self.own.contains(&packet) {
            Label::Content
        } else {
            Label::Event
        };
        self.of_packet(packet, label, span, "when or how a packet arrived", place)
            .step(span, meta_words(meta))
    }

    /// When, how and how long a packet of the program's own left.
    fn own_meta(&mut self, packet: VarId, meta: Meta, span: Span, place: &LabelContext) -> Tag {
        let structure = self.variable(packet).structure;
        match meta {
            Meta::Ts if !self.is_stream(packet) => structure,
            Meta::Ts => {
                let leaves = self.leaves_first(span, place);
                structure.join(&leaves)
            }
            Meta::Len | Meta::Interface => self.own_length(packet, span),
            _ => structure.join(&Tag::source(
                Label::Event,
                span,
                "how a frame was sent depends on the gate and the wire",
            )),
        }
    }

    /// What a packet of the program's own was made of, or what the stack filled in for it.
    fn own_field(&self, packet: VarId, field: &FieldRef, span: Span) -> Tag {
        let of_peer = match field {
            FieldRef::Wire { layer, field } => {
                let field = &layer.fields[*field];
                self.chosen_by_peers(layer.name, field.name)
                    || self.peers.autos
                        && matches!(field.auto, Auto::Checksum(_))
                        && self.on(FlowRule::ChecksumTellsAuto)
            }
            FieldRef::Option { .. } | FieldRef::OptionList { .. } => {
                return Tag::source(
                    Label::Content,
                    span,
                    "the stack fills options from what the peer sent",
                );
            }
            FieldRef::Either { name, .. } => self.chosen_by_peers("IP", name),
            _ => false,
        };
        if of_peer {
            return Tag::source(
                Label::Content,
                span,
                "the stack fills this field from what the peer sent",
            );
        }
        self.variable(packet).all()
    }

    /// What is read of stream data is read once it has left.
    fn leaves_first(&mut self, span: Span, place: &LabelContext) -> Tag {
        let text = "the peer decides when stream data is sent";
        let leaves = Tag::source(Label::Event, span, text);
        self.clock_rises(&leaves, place);
        leaves
    }

    fn chosen_by_peers(&self, layer: &str, field: &str) -> bool {
        let path = self.on(FlowRule::PathTells);
        let peers = PeerChoices {
            cut: self.peers.cut && path,
            ..self.peers
        };
        peers.chose(layer, field)
    }

    /// A segment is as long as the options that the peer took and the size that it accepts let it
    /// be; a datagram's first frame as long as the path takes.
    pub(super) fn own_length(&self, packet: VarId, span: Span) -> Tag {
        let own = self.variable(packet).all();
        let told = if self.peers.streams {
            "the length of a segment depends on the peer's options"
        } else if self.peers.cut && self.on(FlowRule::PathTells) {
            "how much of a large datagram its first frame holds depends on what routers say"
        } else {
            return own;
        };
        own.join(&Tag::source(Label::Content, span, told))
    }

    /// Received bytes are content; how many a payload has is an event. How many a field has is in
    /// the bytes around it.
    fn received_field(
        &mut self,
        packet: VarId,
        layer: &str,
        expr: &Expr,
        place: &LabelContext,
    ) -> LabelPair {
        let content = self.of_packet(
            packet,
            Label::Content,
            expr.span,
            "received bytes enter here",
            place,
        );
        let structure = match expr.ty {
            Type::Bytes if layer != "Bytes" => content.clone(),
            Type::Bytes => self.of_packet(
                packet,
                self.told_by_payload(packet),
                expr.span,
                "the length of a received packet",
                place,
            ),
            Type::Str | Type::Array(_) => content.clone(),
            _ => Tag::clean(),
        };
        LabelPair { structure, content }
    }
}

fn meta_words(meta: Meta) -> &'static str {
    match meta {
        Meta::Ts | Meta::LastTs => "its time",
        Meta::Len => "its length",
        _ => "how it came",
    }
}
