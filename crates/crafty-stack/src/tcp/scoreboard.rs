//! What is under way: each segment sent and not acknowledged, with what the peer said of it (RFC
//! 2018, RFC 6675 §4).
//!
//! Positions count from our SYN, which is 0; they never wrap.

use alloc::collections::VecDeque;
use crafty_value::Time;

/// Segments under way at most; no new data leaves beyond it, so that tiny segments cost no memory
/// without bound.
pub(crate) const MAX_FLIGHTS: usize = 8192;

/// One segment under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flight {
    pub start: u64,
    pub end: u64,
    /// When it was sent last.
    pub sent: Time,
    /// Sent more than once.
    pub again: bool,
    /// The peer has it, though not all before it.
    pub sacked: bool,
    /// Taken for lost and not sent again yet.
    pub lost: bool,
}

impl Flight {
    pub fn len(&self) -> u64 {
        self.end - self.start
    }
}

/// Segments under way, by position.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scoreboard {
    flights: VecDeque<Flight>,
    /// Bytes neither acknowledged, nor sacked, nor lost.
    pipe: u64,
    sacked: usize,
    lost: usize,
    again: usize,
    /// No segment before this position is lost.
    lost_from: u64,
    /// Bytes after the first segment that seem to have arrived, as a peer without SACK repeats
    /// itself.
    guessed: u64,
}

impl Scoreboard {
    pub fn is_empty(&self) -> bool {
        self.flights.is_empty()
    }

    pub fn count(&self) -> usize {
        self.flights.len()
    }

    pub fn pipe(&self) -> u64 {
        self.pipe.saturating_sub(self.guessed)
    }

    /// A peer without SACK says the same again: some segment after the first has arrived (RFC 5681
    /// §3.2, RFC 6937 §2).
    pub fn guess(&mut self, octets: u64) -> u64 {
        let first = self
            .flights
            .front()
            .map_or(0, |first| if first.lost { 0 } else { first.len() });
        let before = self.guessed;
        self.guessed = (before + octets)
            .min(self.pipe.saturating_sub(first))
            .max(before);
        self.guessed - before
    }

    /// The acknowledgement moved by `forward`, of which one segment was the hole: gives what was
    /// guessed right of the rest.
    pub fn confirm(&mut self, forward: u64, hole: u64) -> u64 {
        let right = self.guessed.min(forward.saturating_sub(hole));
        self.guessed -= right;
        right
    }

    /// Nothing is known of what lies after the first segment.
    pub fn forget_guess(&mut self) {
        self.guessed = 0;
    }

    pub fn sacked(&self) -> usize {
        self.sacked
    }

    pub fn has_lost(&self) -> bool {
        self.lost > 0
    }

    /// Segments that are lost.
    pub fn lost(&self) -> usize {
        self.lost
    }

    /// The segment that begins here.
    pub fn at(&self, start: u64) -> Option<&Flight> {
        self.flights
            .binary_search_by(|flight| flight.start.cmp(&start))
            .ok()
            .and_then(|at| self.flights.get(at))
    }

    /// Whether order may matter: something beyond the first gap arrived, or something was sent
    /// twice.
    pub fn disturbed(&self) -> bool {
        self.sacked + self.again > 0
    }

    pub fn iter(&self) -> impl Iterator<Item = &Flight> {
        self.flights.iter()
    }

    pub fn last(&self) -> Option<&Flight> {
        self.flights.back()
    }

    /// A new segment, behind all others.
    pub fn push(&mut self, start: u64, end: u64, sent: Time) {
        self.pipe += end - start;
        self.flights.push_back(Flight {
            start,
            end,
            sent,
            again: false,
            sacked: false,
            lost: false,
        });
    }

    /// Everything before `una` arrived; each segment that is done with is shown to `seen`. Gives
    /// the bytes that are news.
    pub fn acknowledge(&mut self, una: u64, mut seen: impl FnMut(&Flight)) -> u64 {
        let mut news = 0;
        while let Some(first) = self.flights.front().copied().filter(|f| f.start < una) {
            if first.end > una {
                news += if first.sacked { 0 } else { una - first.start };
                self.trim_first(una);
                break;
            }
            self.flights.pop_front();
            self.uncount(&first);
            news += if first.sacked { 0 } else { first.len() };
            if !first.sacked {
                seen(&first);
            }
        }
        news
    }

    fn trim_first(&mut self, una: u64) {
        if let Some(first) = self.flights.front_mut() {
            if !first.sacked && !first.lost {
                self.pipe -= una - first.start;
            }
            first.start = una;
        }
    }

    fn uncount(&mut self, flight: &Flight) {
        if !flight.sacked && !flight.lost {
            self.pipe -= flight.len();
        }
        self.sacked -= usize::from(flight.sacked);
        self.lost -= usize::from(flight.lost);
        self.again -= usize::from(flight.again);
    }

    /// The peer has the bytes from `start` to `end`. Segments that lie whole in there are marked;
    /// gives the bytes that are news.
    pub fn sack(&mut self, start: u64, end: u64, mut seen: impl FnMut(&Flight)) -> u64 {
        let from = self.flights.partition_point(|f| f.start < start);
        let (mut news, mut lost) = (0, 0);
        for flight in self.flights.range_mut(from..).take_while(|f| f.end <= end) {
            if flight.sacked {
                continue;
            }
            seen(flight);
            news += flight.len();
            self.pipe -= if flight.lost { 0 } else { flight.len() };
            lost += usize::from(flight.lost);
            (flight.sacked, flight.lost) = (true, false);
            self.sacked += 1;
        }
        self.lost -= lost;
        news
    }

    /// Takes for lost what `judge` says, among what is neither sacked nor lost. Gives the bytes.
    pub fn lose(&mut self, mut judge: impl FnMut(&Flight) -> bool) -> u64 {
        let mut octets = 0;
        for flight in self.flights.iter_mut().filter(|f| !f.sacked && !f.lost) {
            if judge(flight) {
                flight.lost = true;
                octets += flight.len();
                self.lost += 1;
                self.lost_from = self.lost_from.min(flight.start);
            }
        }
        self.pipe -= octets;
        octets
    }

    /// Takes the first segment that the peer lacks for lost.
    pub fn lose_first(&mut self) -> u64 {
        let mut first = true;
        self.lose(|_| core::mem::take(&mut first))
    }

    /// Nothing is lost after all.
    pub fn find(&mut self) {
        for flight in self.flights.iter_mut().filter(|f| f.lost) {
            flight.lost = false;
            self.pipe += flight.len();
        }
        self.lost = 0;
    }

    /// Forgets what was sacked: after a time-out the peer may have dropped it (RFC 2018 §8).
    pub fn renege(&mut self) {
        for flight in self.flights.iter_mut().filter(|f| f.sacked) {
            flight.sacked = false;
            self.pipe += flight.len();
        }
        self.sacked = 0;
    }

    /// The first segment that is lost.
    pub fn first_lost(&mut self) -> Option<Flight> {
        if self.lost == 0 {
            self.lost_from = u64::MAX;
            return None;
        }
        let from = self.flights.partition_point(|f| f.start < self.lost_from);
        let found = self.flights.range(from..).find(|f| f.lost).copied();
        self.lost_from = found.map_or(u64::MAX, |f| f.start);
        found
    }

    /// The segment that starts at `start` is sent again, its first bytes up to `end` at least.
    pub fn resend(&mut self, start: u64, end: u64, now: Time) {
        let Ok(at) = self.flights.binary_search_by(|f| f.start.cmp(&start)) else {
            return;
        };
        self.split(at, end);
        let flight = &mut self.flights[at];
        if flight.lost {
            self.pipe += flight.len();
            self.lost -= 1;
        }
        self.again += usize::from(!flight.again);
        (flight.lost, flight.again, flight.sent) = (false, true, now);
    }

    fn split(&mut self, at: usize, end: u64) {
        let flight = self.flights[at];
        if end <= flight.start || end >= flight.end {
            return;
        }
        self.flights[at].end = end;
        self.flights.insert(
            at + 1,
            Flight {
                start: end,
                ..flight
            },
        );
        self.lost += usize::from(flight.lost);
        self.again += usize::from(flight.again);
        self.sacked += usize::from(flight.sacked);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(n: u64) -> Scoreboard {
        let mut board = Scoreboard::default();
        (0..n).for_each(|k| board.push(k * 10, k * 10 + 10, Time(k as i64)));
        board
    }

    #[test]
    fn the_pipe_is_the_sum_of_what_is_neither_sacked_nor_lost() {
        let mut board = board(10);
        assert_eq!(board.sack(20, 45, |_| {}), 20);
        assert_eq!((board.pipe(), board.sacked()), (80, 2));
        assert_eq!(board.lose(|f| f.start < 20), 20);
        assert_eq!(board.pipe(), 60);
        assert_eq!(board.first_lost().map(|f| f.start), Some(0));
        board.resend(0, 4, Time(50));
        assert_eq!(
            (board.pipe(), board.first_lost().map(|f| f.start)),
            (64, Some(4))
        );
        assert_eq!(board.acknowledge(15, |_| {}), 15);
        assert_eq!(
            (board.pipe(), board.first_lost().map(|f| f.start)),
            (60, Some(15))
        );
        assert_eq!(board.acknowledge(100, |_| {}), 65);
        assert_eq!(
            (
                board.pipe(),
                board.sacked(),
                board.has_lost(),
                board.disturbed()
            ),
            (0, 0, false, false)
        );
    }

    #[test]
    fn after_a_time_out_what_was_sacked_is_sent_again() {
        let mut board = board(3);
        board.sack(10, 20, |_| {});
        board.renege();
        assert_eq!(board.lose(|_| true), 30);
        assert_eq!((board.pipe(), board.sacked()), (0, 0));
    }
}
