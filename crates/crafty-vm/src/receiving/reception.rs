//! What is on its way to the program: frames handed in, the one that handlers are shown, the handlers, the inbox of `expect`.

use crate::api::Packet;
use crate::execution::steps::ProgramCounter;
use crate::receiving::admitted::AdmittedFrame;
use crate::receiving::inbox::ExpectInbox;
use crate::receiving::misses::RecentFrames;
use crate::receiving::pattern::EvaluatedPattern;
use crate::stacks::peer::{BlockPeer, ConnectionId};
use crafty_value::{Duration, Time};
use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// A handler that listens.
#[derive(Debug)]
pub(crate) struct Listener {
    /// How many scopes are around it; it ends with the innermost.
    pub depth: usize,
    pub head: ProgramCounter,
    pub pattern: EvaluatedPattern,
    /// It takes packets later than this.
    pub since: Time,
    pub linger: Option<Duration>,
    /// Matches that it may still have.
    pub left: Option<i64>,
    /// Whether it has ever run.
    pub ran: bool,
    /// How far it has taken each stream.
    pub taken: BTreeMap<ConnectionId, u64>,
}

impl Listener {
    pub fn listens(&self) -> bool {
        self.left.is_none_or(|n| n > 0)
    }
}

/// A frame that is on its way through the handlers.
#[derive(Debug)]
pub(crate) struct FrameDelivery {
    pub heard: Arc<AdmittedFrame>,
    /// The next handler, and the next thing that the frame brought it.
    pub watch: usize,
    pub item: usize,
    /// What each handler is shown first: the frame itself (0), or what stacks deliver without one
    /// (1).
    pub first: usize,
}

/// What an attempt came to.
#[derive(Debug)]
pub(crate) enum AttemptResult {
    /// The arm takes it.
    Hit(ArmMatch),
    /// A message of a stream did not match; the one behind it may.
    Passed,
    /// There is nothing, or nothing more, that matches.
    Missed,
}

/// A match: the packet's number is in the arm's variable.
#[derive(Debug)]
pub(crate) struct ArmMatch {
    pub peer: Option<BlockPeer>,
}

impl From<Option<ArmMatch>> for AttemptResult {
    fn from(hit: Option<ArmMatch>) -> AttemptResult {
        hit.map_or(AttemptResult::Missed, AttemptResult::Hit)
    }
}

/// All that was received and that the program has not been shown yet, and what listens to it.
#[derive(Debug, Default)]
pub(crate) struct Reception {
    /// Frames that were handed in, oldest first.
    pub incoming: VecDeque<Packet>,
    /// The frame that handlers are being shown.
    pub delivery: Option<FrameDelivery>,
    pub listeners: Vec<Listener>,
    pub inbox: ExpectInbox,
    /// The last frames that came.
    pub recent: RecentFrames,
    /// How often a handler, an `expect` or a driven stack took what came.
    pub taken: u64,
}

impl Reception {
    /// The longest linger of the handlers of the block with so many scopes around it; one that has
    /// had its matches holds nothing.
    pub fn linger_of(&self, depth: usize) -> Option<Duration> {
        self.listeners
            .iter()
            .filter(|listener| listener.depth == depth && listener.listens())
            .filter_map(|listener| listener.linger)
            .max()
    }

    /// Whether handlers of that block hold its end.
    pub fn lingers(&self, depth: usize) -> bool {
        self.linger_of(depth).is_some()
    }
}
