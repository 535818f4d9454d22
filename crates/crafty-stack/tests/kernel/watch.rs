//! The referee between the kernel and us: both ends are judged from what each sent and heard.

use crafty_net::now;
use crafty_referee::{DatagramContext, Referee, VantagePoint};
use crafty_stack::tcp::{Connection, TcpState};
use crafty_value::{Duration, Time};

/// Our loop comes round within 20 ms. Where the machine had no time for it, that pause is nobody's
/// silence: the referee's clock goes on by no more than this.
const MOST_PAUSE: Duration = Duration::millis(50);

/// Sees all that passes.
#[derive(Debug)]
pub struct Watch {
    referee: Referee,
    index: u64,
    last: Time,
    time: Time,
}

impl Watch {
    pub fn new() -> Watch {
        Watch {
            referee: Referee::new(),
            index: 0,
            last: now(),
            time: Time(0),
        }
    }

    pub fn we_sent(&mut self, datagram: &[u8]) {
        let about = self.about();
        self.referee.sent(about, datagram, VantagePoint::AtTheEnd);
    }

    pub fn we_heard(&mut self, datagram: &[u8]) {
        let about = self.about();
        self.referee.heard(about, datagram, VantagePoint::AtTheEnd);
    }

    /// The kernel is judged from elsewhere: on a busy machine the queue of the interface overflows.
    pub fn kernel_sent(&mut self, datagram: &[u8]) {
        let about = self.about();
        self.referee.sent(about, datagram, VantagePoint::FromAfar);
    }

    pub fn kernel_heard(&mut self, datagram: &[u8]) {
        let about = self.about();
        self.referee.heard(about, datagram, VantagePoint::FromAfar);
    }

    /// Whether our end has something to send.
    pub fn look(&mut self, tcp: &Connection) {
        let ends = (tcp.local(), tcp.remote());
        let _ = self.about();
        match tcp.state() {
            TcpState::Closed => self.referee.gone(ends),
            _ => self.referee.wants(ends, tcp.unsent() > 0),
        }
    }

    /// What was found.
    pub fn verdict(mut self) -> Result<(), String> {
        let time = self.about().time;
        self.referee.until(time);
        let faults = self.referee.faults().iter();
        let faults: Vec<String> = faults.map(ToString::to_string).collect();
        match faults.is_empty() {
            true => Ok(()),
            false => Err(format!("the referee found: {}", faults.join("; "))),
        }
    }

    fn about(&mut self) -> DatagramContext {
        let now = now();
        self.time = self
            .time
            .after(now.since(self.last).clamp(Duration::ZERO, MOST_PAUSE));
        (self.last, self.index) = (now, self.index + 1);
        DatagramContext {
            time: self.time,
            index: self.index,
            sizes: true,
            checksums: true,
        }
    }
}
