//! What was received since the last round began, for the `expect`s that are still to come.

use crate::receiving::admitted::AdmittedFrame;
use crafty_lang::ir::Span;
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
    /// What was not sent since the round began: the first line, and why.
    pub unsent: Option<(Span, Arc<str>)>,
}

impl ExpectInbox {
    /// The main program sends, or opens a driven block.
    pub fn sending(&mut self, now: Time) {
        if self.over {
            self.heard.clear();
            self.octets = 0;
            self.since = Some(now);
            self.over = false;
            self.unsent = None;
        }
    }

    /// Something was not sent.
    pub fn unsent(&mut self, line: Span, why: &str) {
        self.unsent.get_or_insert_with(|| (line, why.into()));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::LinkLayer;
    use crate::receiving::admitted::FrameMetadata;
    use crate::receiving::view::DecodedPacket;

    fn frame(time: i64, bytes: usize) -> Arc<AdmittedFrame> {
        let view = DecodedPacket::of_frame(LinkLayer::RawIp, vec![0; bytes], bytes);
        Arc::new(AdmittedFrame {
            frame: Arc::new(view),
            datagram: None,
            about: FrameMetadata {
                time: Time(time),
                source: "software",
                last: Time(time),
                len: 0,
                interface: Arc::from(""),
                checksum_ready: true,
            },
            delivered: Vec::new(),
        })
    }

    #[test]
    fn a_send_after_an_expect_begins_a_round_and_what_came_before_is_gone() {
        let mut inbox = ExpectInbox::default();
        assert!(inbox.keep(&frame(1, 10)));
        inbox.sending(Time(2));
        assert_eq!(
            inbox.heard.len(),
            1,
            "no `expect` has ended: the same round"
        );
        inbox.over = true;
        inbox.sending(Time(3));
        assert!(inbox.keep(&frame(2, 10)), "too early is not an overflow");
        assert_eq!((inbox.heard.len(), inbox.octets), (0, 0));
        assert!(inbox.keep(&frame(3, 10)));
        inbox.take(0);
        assert_eq!((inbox.heard.len(), inbox.octets), (0, 0));
        assert!(!inbox.uncertain);
    }

    #[test]
    fn a_full_inbox_says_so_and_keeps_what_it_has() {
        let mut by_count = ExpectInbox::default();
        for n in 0..MAX_PACKETS as i64 {
            assert!(by_count.keep(&frame(n, 1)));
        }
        assert!(!by_count.keep(&frame(9999, 1)) && by_count.uncertain);
        assert_eq!(by_count.heard.len(), MAX_PACKETS);
        let mut by_size = ExpectInbox::default();
        assert!(by_size.keep(&frame(1, MAX_BYTES)));
        assert!(!by_size.keep(&frame(2, 1)) && by_size.uncertain);
        assert_eq!(by_size.heard.len(), 1);
    }
}
