//! What was received since the last round began, for the `expect`s that are still to come.

use crate::receiving::admitted::AdmittedFrame;
use crafty_value::Time;
use std::collections::VecDeque;
use std::sync::Arc;

/// Packets and bytes that the inbox holds.
pub(crate) const MAX_PACKETS: usize = 4096;

pub(crate) const MAX_BYTES: usize = 8 << 20;

/// What was received since the round began.
#[derive(Debug, Default)]
pub(crate) struct ExpectInbox {
    pub heard: VecDeque<Arc<AdmittedFrame>>,
    pub octets: usize,
    /// Whether an `expect` has ended since the last send, so that the next send begins a round.
    pub over: bool,
    /// When the round began.
    pub since: Option<Time>,
    /// Whether packets were lost before an `expect` could see them.
    pub uncertain: bool,
}

impl ExpectInbox {
    /// The main line sends, or opens a driven block.
    pub fn sending(&mut self, now: Time) {
        if self.over {
            self.heard.clear();
            self.octets = 0;
            self.since = Some(now);
            self.over = false;
        }
    }

    /// Keeps a packet. False if there is no room.
    pub fn keep(&mut self, heard: &Arc<AdmittedFrame>) -> bool {
        if self.since.is_some_and(|since| heard.about.time < since) {
            return true;
        }
        let size = heard.size();
        if self.heard.len() >= MAX_PACKETS || self.octets + size > MAX_BYTES {
            self.uncertain = true;
            return false;
        }
        self.octets += size;
        self.heard.push_back(Arc::clone(heard));
        true
    }

    pub fn take(&mut self, at: usize) {
        if let Some(heard) = self.heard.remove(at) {
            self.octets = self.octets.saturating_sub(heard.size());
        }
    }
}
