//! A receiver that does not read for a time (`TCP!(stall=5s)`): what comes stays with the stack,
//! and fills the window.

use crate::receiving::admitted::FrameMetadata;
use crafty_stack::tcp::{Connection, TcpState};
use crafty_value::{Duration, Time};

/// When one connection is not read.
#[derive(Debug)]
pub(crate) struct ReadStall {
    /// How long, once it is up.
    wanted: Duration,
    /// The end of it, once it is up.
    until: Option<Time>,
    /// What is offered to a peer when all is read.
    window: u32,
    /// The frame that came last meanwhile.
    about: Option<FrameMetadata>,
}

impl ReadStall {
    /// For so long; zero is not at all.
    pub fn new(wanted: Duration, window: u32) -> ReadStall {
        ReadStall {
            wanted,
            until: None,
            window,
            about: None,
        }
    }

    /// When it ends.
    pub fn until(&self) -> Option<Time> {
        self.until
    }

    /// The program reads no more: the stall is over.
    pub fn cancel(&mut self) {
        self.until = None;
    }

    /// The frame that counts as the source of the unread data, once reading resumes.
    pub fn ended(&mut self, now: Time) -> Option<FrameMetadata> {
        self.until
            .filter(|until| *until <= now)
            .and_then(|_| self.about.clone())
    }

    /// Whether it is not to be read now. If so, the window is what of it is left.
    pub fn holds(&mut self, tcp: &mut Connection, about: &FrameMetadata, now: Time) -> bool {
        let up = !matches!(
            tcp.state(),
            TcpState::SynSent | TcpState::SynReceived | TcpState::Listen
        );
        if up && self.wanted > Duration::ZERO {
            self.until = Some(now.after(self.wanted));
            self.wanted = Duration::ZERO;
        }
        let Some(until) = self.until else {
            return false;
        };
        let waits = u32::try_from(tcp.readable().len()).unwrap_or(u32::MAX);
        let over = until <= now;
        self.until = self.until.filter(|_| !over);
        self.about = Some(about.clone());
        tcp.set_window(if over {
            self.window
        } else {
            self.window.saturating_sub(waits)
        });
        !over
    }
}
