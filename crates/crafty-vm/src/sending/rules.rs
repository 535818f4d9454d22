//! The rules of `on out`, and the segments that they keep back.

use crate::execution::steps::ProgramCounter;
use crate::receiving::admitted::AdmittedFrame;
use crate::receiving::pattern::{EvaluatedPattern, PatternMatch};
use crate::stacks::open_block::BlockLayer;
use crate::stacks::peer::{BlockPeer, ConnectionId};
use core::net::IpAddr;
use crafty_lang::ir::{Span, StackId};
use crafty_value::{Duration, Time};
use std::collections::VecDeque;
use std::sync::Arc;

/// A segment that a connection has made.
#[derive(Clone, Debug)]
pub(crate) struct StackSegment {
    pub stack: StackId,
    pub connection: ConnectionId,
    pub peer: BlockPeer,
    pub pieces: Vec<BlockLayer>,
    pub ecn: u8,
    /// TCP header and payload.
    pub octets: Vec<u8>,
    /// The packets of the program that it carries.
    pub packets: Vec<u64>,
}

/// A segment with its frame.
#[derive(Clone, Debug)]
pub(crate) struct FramedSegment {
    pub segment: StackSegment,
    pub frame: Vec<u8>,
    pub hop: Option<IpAddr>,
    /// The rule that changed when or how it leaves.
    pub by: Option<Span>,
}

/// A rule.
#[derive(Debug)]
pub(crate) struct OutRule {
    /// Rules act in this order.
    pub number: u64,
    /// How many scopes are around it; it ends with the innermost.
    pub depth: usize,
    pub head: ProgramCounter,
    pub span: Span,
    pub pattern: EvaluatedPattern,
    pub stack: StackId,
    pub action: OutRuleAction,
    /// Segments that it may still take.
    pub left: Option<i64>,
    /// Its block is being left: nothing is held any more, and nothing runs.
    pub closing: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutRuleAction {
    Drop,
    Hold,
    Duplicate,
    Delay(Duration),
    Split(usize),
}

/// A segment that is kept back: until a moment, or until `release`.
#[derive(Debug)]
pub(crate) struct WithheldSegment {
    pub framed: FramedSegment,
    pub rule: u64,
    pub depth: usize,
    pub until: Option<Time>,
}

/// A segment that the block of its rule has not seen yet.
#[derive(Debug)]
pub(crate) struct UnhandledSegment {
    pub rule: u64,
    pub heard: Arc<AdmittedFrame>,
    pub found: PatternMatch,
    pub peer: BlockPeer,
}

/// The rules, and what they keep back.
#[derive(Debug, Default)]
pub(crate) struct OutRules {
    pub rules: Vec<OutRule>,
    pub kept: Vec<WithheldSegment>,
    pub unseen: VecDeque<UnhandledSegment>,
    pub next: u64,
}

impl OutRules {
    /// When the next delayed segment is due.
    pub fn poll_timeout(&self) -> Option<Time> {
        self.kept.iter().filter_map(|k| k.until).min()
    }

    /// Takes out what is kept and meets a condition, in the order in which it came.
    pub fn take(&mut self, wanted: impl Fn(&WithheldSegment) -> bool) -> Vec<WithheldSegment> {
        let (taken, left) = core::mem::take(&mut self.kept)
            .into_iter()
            .partition(wanted);
        self.kept = left;
        taken
    }
}

/// Whether a segment has more bytes than those before the cut, if it is to be cut.
pub(crate) fn can_cut(action: OutRuleAction, octets: &[u8]) -> bool {
    let OutRuleAction::Split(after) = action else {
        return true;
    };
    let header = octets.get(12).map_or(0, |o| usize::from(o >> 4) * 4);
    after > 0 && octets.len().saturating_sub(header) > after
}
