//! What peers choose of our own packets: where a stack serves, whom they go to; where it runs a
//! connection, most of a segment's header.

use super::price::each_statement;
use crate::ir::{
    Driven, DrivenKind, FieldSetting, Literal, Program, StackInfo, StackLayer, StatementKind,
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
}

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
        }
    }

    /// Whether this field of an own packet may be filled from what a peer sent. A checksum covers
    /// the others.
    pub fn chose(self, layer: &str, field: &str) -> bool {
        match (layer, field) {
            ("TCP", "ack" | "options" | "window") | ("Eth", "dst") => true,
            // How far a stream has come, and in how many segments, is what the peer's windows and
            // sizes let it be.
            ("TCP", "seq" | "checksum" | "offset" | "flags")
            | ("IP" | "IP6", "id" | "flags" | "len" | "ecn") => self.streams,
            ("UDP", "dst" | "checksum") | ("TCP", "dst") | ("IP" | "IP6", "dst") => self.serve,
            ("IP", "checksum") => self.serve || self.streams,
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
