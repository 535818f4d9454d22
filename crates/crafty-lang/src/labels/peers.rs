//! What peers choose of our own packets: where a stack serves, whom they go to; where it runs a
//! connection, most of a segment's header.

use super::failing::most_bytes;
use super::price::each_statement;
use super::range::{self, Known};
use crate::ir::{
    Driven, DrivenKind, FieldSetting, Literal, Onto, Program, Send, StackInfo, StackLayer,
    StatementKind, Type,
};

/// What the stacks of a program let peers choose. Asked of the whole program: a packet in a
/// variable does not tell where it was sent.
#[derive(Clone, Copy, Debug)]
pub struct PeerChoices {
    /// Some stack serves: its packets go to whoever asked.
    pub serve: bool,
    /// Some stack is a connection.
    pub streams: bool,
    /// Some literal layer leaves a field to the stack that the stack fills with the peer's word:
    /// checksums tell of it.
    pub autos: bool,
    /// Some datagram may be larger than what a path takes: routers say into which fragments it is
    /// cut.
    pub cut: bool,
}

/// Bytes of payload that every path takes whole: of the 576 that the stack never goes below (RFC
/// 1191 §3, RFC 791), without the longest headers of IP and TCP.
const WHOLE: u64 = 576 - 120;

impl PeerChoices {
    /// By all stacks of the program.
    pub fn of(program: &Program) -> PeerChoices {
        let driven = |kind: DrivenKind| {
            program
                .stacks
                .iter()
                .flat_map(driven_of)
                .any(|d| d.kind == kind)
        };
        PeerChoices {
            serve: program.stacks.iter().any(serves),
            streams: driven(DrivenKind::Tcp),
            autos: has_autos(program),
            cut: may_be_cut(program),
        }
    }

    /// Whether this field of an own packet may be filled from what a peer sent. A checksum covers
    /// the others.
    pub fn chose(self, layer: &str, field: &str) -> bool {
        match (layer, field) {
            ("TCP", "ack" | "options" | "window") | ("Eth", "dst") => true,
            // How far a stream has come, and in how many segments, is what the peer's windows and
            // sizes let it be.
            ("TCP", "seq" | "checksum" | "offset" | "flags") | ("IP" | "IP6", "id" | "ecn") => {
                self.streams
            }
            // How much of a datagram is in its first frame is what the path takes.
            ("IP" | "IP6", "flags" | "len" | "frag" | "next" | "proto") | ("Fragment", _) => {
                self.streams || self.cut
            }
            ("UDP", "dst" | "checksum") | ("TCP", "dst") | ("IP" | "IP6", "dst") => self.serve,
            ("IP", "checksum") => self.serve || self.streams || self.cut,
            _ => false,
        }
    }

    /// Whether a counter tells what peers chose only because of what else the program drives.
    pub fn steer(self, of: DrivenKind, counter: &str) -> bool {
        match (of, counter) {
            (_, "dst") => self.serve,
            (DrivenKind::Ip, "packets_out") => self.streams,
            _ => false,
        }
    }
}

/// Whether the stack fills this field with what a peer sent, where a program writes `auto`.
pub fn filled_by_peer(layer: &str, field: &str) -> bool {
    (layer, field) == ("TCP", "ack")
}

/// Whether some field of this literal is left to the peer's word.
pub fn echoes(literal: &Literal) -> bool {
    literal.fields.iter().any(|(field, value)| {
        matches!(value, FieldSetting::Auto(..))
            && filled_by_peer(literal.layer.name, literal.layer.fields[*field].name)
    })
}

fn has_autos(program: &Program) -> bool {
    let mut found = false;
    each_statement(&program.body, &mut |statement| {
        if let StatementKind::Send { send, .. } = &statement.kind {
            found |= send.layers.iter().any(echoes);
        }
    });
    found
}

/// Whether some stack sends datagrams of which it is not known that every path takes them whole.
fn may_be_cut(program: &Program) -> bool {
    let known = range::of_constants(program);
    let mut found = false;
    each_statement(&program.body, &mut |statement| {
        if let StatementKind::Send { send, .. } = &statement.kind {
            found |= !matches!(send.onto, Onto::Bottom) && !is_small(send, &known);
        }
    });
    found
}

/// Whether a datagram has no more than [`WHOLE`] bytes above its stack, headers of fixed width
/// included.
fn is_small(send: &Send, known: &Known) -> bool {
    let headers = send.layers.iter().flat_map(|l| l.layer.fields);
    let fixed: u64 = headers.map(|f| u64::from(f.width()).div_ceil(8)).sum();
    let varying = send.layers.iter().flat_map(Literal::expressions);
    let mut sizes = varying.filter(|e| matches!(e.ty, Type::Bytes | Type::Str | Type::Array(_)));
    let sum = sizes.try_fold(fixed, |sum, e| {
        Some(sum.saturating_add(most_bytes(e, known)?))
    });
    sum.is_some_and(|n| n <= WHOLE)
}

fn driven_of(info: &StackInfo) -> impl Iterator<Item = &Driven> {
    info.layers.iter().filter_map(|layer| {
        if let StackLayer::Driven(driven) = layer {
            Some(driven)
        } else {
            None
        }
    })
}

/// A driven layer that names nobody to send to.
pub fn serves(info: &StackInfo) -> bool {
    driven_of(info)
        .filter(|driven| !driven.kind.is_session())
        .any(|driven| {
            !driven
                .options
                .iter()
                .any(|(option, _)| option.name == "dst")
        })
}
