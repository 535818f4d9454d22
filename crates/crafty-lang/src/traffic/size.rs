//! How long a frame is, from the layers that it is made of: exact where all of them have a known
//! length, else no more than what is known.

use super::layers::{SentLayer, SentStack};
use super::values::{Definition, KnownSets};
use crate::ir::{BinaryOp, Expr, ExprKind, FieldSetting, Literal, StringPiece, Type, VarId};
use core::net::IpAddr;
use crafty_value::Value;
use crafty_wire::{Field, FieldKind, Header, Layer, LayerRole, Part, When};

/// Bytes of the smallest frame of Ethernet, and of the largest on an ordinary link.
pub const FRAME: (u64, u64) = (60, 1514);

/// Bytes of the largest datagram in a frame (RFC 791 §3.1).
const LARGEST_DATAGRAM: u64 = LINK_HEADER + 65_535;

/// Bytes of the header of Ethernet.
const LINK_HEADER: u64 = 14;

/// Bytes of data that a fragment of an ordinary link carries at most, behind an IPv4 header (RFC
/// 791 §3.2: a multiple of eight).
const FRAGMENT: u64 = 1480;

/// Bytes of the longest header of IPv4 or TCP.
const LONGEST_HEADER: u64 = 60;

/// Bytes of options that a TCP header has at most (RFC 9293 §3.1).
const LONGEST_OPTIONS: u64 = 40;

/// Deepest chain of variables that is followed to a length.
const DEPTH: usize = 8;

/// Frames that one execution of a send makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameSize {
    /// Least and most bytes of one of them.
    pub bytes: (u64, u64),
    /// Least and most bytes of all together.
    pub whole: (u64, u64),
    /// How many, least and most: more than one where a datagram is cut.
    pub frames: (u64, u64),
    /// Whether all this is computed from known lengths, and not from what a link carries.
    pub known: bool,
}

impl FrameSize {
    /// One frame of unknown length.
    pub const UNKNOWN: FrameSize = FrameSize {
        bytes: FRAME,
        whole: FRAME,
        frames: (1, 1),
        known: false,
    };

    /// What datagrams of so many bytes (link header included) make; a driven IP cuts long ones.
    pub fn of(least: u64, most: u64, may_cut: bool) -> FrameSize {
        if !may_cut && most > FRAME.1 {
            return FrameSize::UNKNOWN;
        }
        let (least, most) = (least.min(LARGEST_DATAGRAM), most.min(LARGEST_DATAGRAM));
        let (low, high) = (Cut::of(least, may_cut), Cut::of(most, may_cut));
        FrameSize {
            bytes: (low.largest.min(high.largest), high.largest),
            whole: (low.whole, high.whole),
            frames: (low.frames, high.frames),
            known: true,
        }
    }
}

/// One datagram as frames.
struct Cut {
    frames: u64,
    largest: u64,
    whole: u64,
}

impl Cut {
    fn of(frame: u64, may_cut: bool) -> Cut {
        let padded = frame.max(FRAME.0);
        if !may_cut || frame <= FRAME.1 {
            return Cut {
                frames: 1,
                largest: padded,
                whole: padded,
            };
        }
        let header = FRAME.1 - FRAGMENT;
        let data = frame.saturating_sub(header);
        let frames = data.div_ceil(FRAGMENT);
        let last = (data - (frames - 1) * FRAGMENT + header).max(FRAME.0);
        Cut {
            frames,
            largest: FRAME.1,
            whole: (frames - 1) * FRAME.1 + last,
        }
    }
}

/// The frames of a send of these layers.
pub fn of_stack(known: &KnownSets, stack: &SentStack, may_cut: bool) -> FrameSize {
    let layers = &stack.layers;
    let quoting = layers.iter().position(|layer| quotes(*layer));
    if quoting.is_some() || layers.is_empty() {
        return FrameSize::UNKNOWN;
    }
    let link = match layers[0].name() {
        "Eth" => 0,
        _ => LINK_HEADER,
    };
    // The live connection fills in its options.
    let options = match stack.live(LayerRole::Transport) {
        Some(live) if live.name() == "TCP" => LONGEST_OPTIONS,
        _ => 0,
    };
    let mut sum = (link, link + options);
    for layer in layers {
        let Some(length) = of_layer(known, *layer) else {
            return FrameSize::UNKNOWN;
        };
        sum = (
            sum.0.saturating_add(length.0),
            sum.1.saturating_add(length.1),
        );
    }
    FrameSize::of(sum.0, sum.1, may_cut)
}

fn quotes(layer: SentLayer) -> bool {
    layer.layer().is_some_and(|layer| layer.quotes.is_some()) && layer.value("type").is_none()
}

/// Least and most bytes of a layer.
fn of_layer(known: &KnownSets, layer: SentLayer) -> Option<(u64, u64)> {
    match layer {
        SentLayer::Literal(literal) if literal.layer.name == "Bytes" => of_bytes(known, literal),
        SentLayer::Literal(literal) => of_literal(known, literal),
        // Either family; the stack sets no options in datagrams.
        SentLayer::Driven(driven, _) => match driven.kind.name() {
            "IP" => Some(of_ip(known, layer)),
            "UDP" => Some((8, 8)),
            "TCP" => Some((20, 60)),
            _ => None,
        },
    }
}

/// The header of one family, or of either where the peer is not known.
fn of_ip(known: &KnownSets, layer: SentLayer) -> (u64, u64) {
    let peers = layer.value("dst").and_then(|dst| known.possible(dst));
    let is = |such: fn(&IpAddr) -> bool| {
        let peers = peers.as_deref().unwrap_or_default();
        let such = |value: &Value| matches!(value, Value::Ip(address) if such(address));
        !peers.is_empty() && peers.iter().all(such)
    };
    match (is(IpAddr::is_ipv4), is(IpAddr::is_ipv6)) {
        (true, _) => (20, 20),
        (_, true) => (40, 40),
        _ => (20, 40),
    }
}

fn of_bytes(known: &KnownSets, literal: &Literal) -> Option<(u64, u64)> {
    let Some((_, value)) = literal.fields.first() else {
        return Some((0, 0));
    };
    match value {
        FieldSetting::Value(expr) => length(known, expr, DEPTH),
        _ => None,
    }
}

/// A header whose length is decided by what is known, or one with options whose length a field of
/// four bits tells.
fn of_literal(known: &KnownSets, literal: &Literal) -> Option<(u64, u64)> {
    let layer = literal.layer;
    let mut header = Header::new(layer);
    let mut options = false;
    for (at, value) in &literal.fields {
        let field = &layer.fields[*at];
        match (field.kind, field.width()) {
            (FieldKind::Options(_), 0) => options = true,
            (_, 0) => return None,
            // A trailer pads what it follows.
            _ if field.part != Part::Header => return None,
            _ if decides(layer, field) => header.set(*at, whole(known, value)?).ok()?,
            _ if matches!(field.when, When::Always) => {}
            // That it is set may be what brings it into the header.
            _ => header.set(*at, crafty_wire::FieldValue::Uint(0)).ok()?,
        }
    }
    let mut bytes = Vec::new();
    let bounds = crafty_wire::encode(&[header], &mut bytes);
    if bounds.len() != 1 {
        return None;
    }
    let least = bytes.len() as u64;
    // Four bits count words of the header (RFC 791 §3.1, RFC 9293 §3.1).
    let told = matches!(layer.name, "IP" | "TCP");
    match options {
        true if told => Some((least, LONGEST_HEADER)),
        true => None,
        false => Some((least, least)),
    }
}

/// Whether other fields are there or not by the value of this one.
fn decides(layer: &Layer, field: &Field) -> bool {
    layer.fields.iter().any(|other| match other.when {
        When::Always => false,
        When::In(name, _) | When::NotIn(name, _) | When::Has(name, _) => name == field.name,
    })
}

/// The number that a field is always set to.
fn whole(known: &KnownSets, value: &FieldSetting) -> Option<crafty_wire::FieldValue> {
    let FieldSetting::Value(expr) = value else {
        return None;
    };
    match known.value(expr)? {
        Value::Int(n) => Some(crafty_wire::FieldValue::Uint(u64::try_from(n).ok()?)),
        Value::Flags(bits, _) => Some(crafty_wire::FieldValue::Uint(bits)),
        _ => None,
    }
}

/// Least and most bytes of an expression of bytes or text.
fn length(known: &KnownSets, expr: &Expr, depth: usize) -> Option<(u64, u64)> {
    of_parts(known, expr, depth).or_else(|| {
        let values = known.possible(expr)?;
        let lengths: Vec<u64> = values.iter().map(of_value).collect::<Option<_>>()?;
        Some((*lengths.iter().min()?, *lengths.iter().max()?))
    })
}

fn of_parts(known: &KnownSets, expr: &Expr, depth: usize) -> Option<(u64, u64)> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Add, a, b) => {
            let (a, b) = (length(known, a, depth)?, length(known, b, depth)?);
            Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?))
        }
        ExprKind::Binary(BinaryOp::Multiply, a, b) => {
            let (bytes, times) = if b.ty == Type::Int { (a, b) } else { (b, a) };
            let (bytes, times) = (length(known, bytes, depth)?, known.range(times)?);
            let scaled = |n: u64, by: i128| n.checked_mul(u64::try_from(by.max(0)).ok()?);
            Some((scaled(bytes.0, times.0)?, scaled(bytes.1, times.1)?))
        }
        ExprKind::At(base, _) if base.ty == Type::Bytes => Some((1, 1)),
        ExprKind::Call { builtin, .. } if builtin.name == "byte" => Some((1, 1)),
        ExprKind::Interpolate(pieces) => of_pieces(known, pieces, depth),
        ExprKind::Var(var) => of_variable(known, *var, depth.checked_sub(1)?),
        _ => None,
    }
}

fn of_value(value: &Value) -> Option<u64> {
    match value {
        Value::Bytes(bytes) => Some(bytes.len() as u64),
        Value::Str(text) => Some(text.len() as u64),
        _ => None,
    }
}

/// A text with holes: ints are as long as their range lets them be; other holes are known, or not.
fn of_pieces(known: &KnownSets, pieces: &[StringPiece], depth: usize) -> Option<(u64, u64)> {
    pieces.iter().try_fold((0u64, 0u64), |sum, piece| {
        let (low, high) = match piece {
            StringPiece::Text(text) => (text.len() as u64, text.len() as u64),
            StringPiece::Hole(expr, format) if *format == Default::default() => match expr.ty {
                Type::Int => (1, digits(known, expr)),
                Type::Str => length(known, expr, depth)?,
                _ => return None,
            },
            StringPiece::Hole(..) => return None,
        };
        Some((sum.0 + low, sum.1 + high))
    })
}

/// The longest that an int is as text.
fn digits(known: &KnownSets, expr: &Expr) -> u64 {
    let (low, high) = known
        .range(expr)
        .unwrap_or((i64::MIN.into(), i64::MAX.into()));
    low.to_string().len().max(high.to_string().len()) as u64
}

fn of_variable(known: &KnownSets, var: VarId, depth: usize) -> Option<(u64, u64)> {
    let mut all: Option<(u64, u64)> = None;
    for definition in known.definitions(var) {
        let Definition::Value(expr) = definition else {
            return None;
        };
        let (low, high) = length(known, expr, depth)?;
        all = Some(all.map_or((low, high), |(a, b)| (a.min(low), b.max(high))));
    }
    all
}
