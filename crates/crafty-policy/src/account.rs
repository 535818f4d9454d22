//! Counts what leaves against the budget. Never lends, never gives back, and rounds against the
//! program.

use crate::budget::HOLD;
use crate::reason::{Reason, RefusalKind, RefusalReason, Subject};
use crate::window::{RateWindow, windows};
use crate::{Author, Budget, FrameOrigin, Reserved, leak};
use crafty_value::{Duration, Time};

/// What one send costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Charge {
    pub packets: u64,
    pub bytes: u64,
    pub syns: u64,
    pub spoofed_syns: u64,
    /// Whether it answers what a neighbour asked, so that others decide how often it is sent.
    pub answers: bool,
}

/// The counters of a run.
pub(crate) struct Account {
    max_duration: Duration,
    deadline: Time,
    /// The latest time that anybody named: a clock that is set back stands still here.
    now: Time,
    /// When the last frame left or will leave.
    last: Time,
    begun: bool,
    totals: [Total; 3],
    windows: [RateWindow; 3],
    answers: AnswerBudget,
    spoofed_syns: (u64, u64),
    leak: ReactionBits,
}

static TOTALS: [RefusalReason; 3] = [
    total(
        "max_packets",
        "the run's {} packets are used up, or reserved for the main program",
        "raise `max_packets` in BUDGET",
    ),
    total(
        "max_bytes",
        "the run's {} bytes are used up, or reserved for the main program",
        "raise `max_bytes` in BUDGET",
    ),
    total(
        "max_syns",
        "the run's {} SYNs are used up, or reserved for the main program",
        "raise `max_syns` in BUDGET",
    ),
];

static RATES: [RefusalReason; 3] = [
    total(
        "max_packets_per_secs",
        "more than {} packets in a second",
        "raise `max_packets_per_secs` in BUDGET, or send at a slower pace",
    ),
    total(
        "max_bytes_per_secs",
        "more than {} bytes in a second",
        "raise `max_bytes_per_secs` in BUDGET, or send at a slower pace",
    ),
    total(
        "max_syns_per_secs",
        "more than {} SYNs in a second",
        "raise `max_syns_per_secs` in BUDGET, or send at a slower pace",
    ),
];

static SPOOFED: RefusalReason = total(
    "spoofed_syns",
    "more than {} SYNs with a spoofed source",
    "raise `spoofed_syns` in BUDGET",
);

static LEAK: RefusalReason = total(
    "max_leak_bits",
    "reactions to what was received could carry more than {} bits",
    "raise `max_leak_bits` in PERMISSIONS",
);

static DEADLINE: RefusalReason = RefusalReason {
    name: "max_duration",
    kind: RefusalKind::Deadline,
    sentence: "the run's time is over",
    fix: "raise `max_duration` in BUDGET",
};

const fn total(name: &'static str, sentence: &'static str, fix: &'static str) -> RefusalReason {
    RefusalReason {
        name,
        kind: RefusalKind::Budget,
        sentence,
        fix,
    }
}

impl Account {
    pub fn new(budget: &Budget, max_leak_bits: u64, start: Time, reserved: Reserved) -> Account {
        Account {
            max_duration: budget.max_duration,
            deadline: start.after(budget.max_duration),
            now: Time(i64::MIN),
            last: Time(i64::MIN),
            begun: false,
            totals: [
                Total::new(budget.max_packets, reserved.packets),
                Total::new(budget.max_bytes, reserved.bytes),
                Total::new(budget.max_syns, reserved.syns),
            ],
            windows: windows(budget),
            answers: AnswerBudget::new(budget),
            spoofed_syns: (budget.spoofed_syns, 0),
            leak: ReactionBits {
                limit: max_leak_bits,
                used: 0,
                declassified: 0,
                last: start,
            },
        }
    }

    /// Moves the start, unless something other than neighbour resolution was sent already.
    pub fn begin(&mut self, start: Time) {
        if !self.begun {
            self.deadline = start.after(self.max_duration);
            self.leak.last = start;
        }
    }

    /// How long a send of this cost must be held back: not at all, or up to `HOLD`. It is charged
    /// then, and only then.
    pub fn reserve(
        &mut self,
        now: Time,
        charge: Charge,
        origin: FrameOrigin,
        sites: u32,
    ) -> Result<Duration, Reason> {
        self.now = self.now.max(now);
        let amounts = [charge.packets, charge.bytes, charge.syns];
        self.check_totals(&charge, amounts, origin.author)?;
        // Questions before the start are paced by who asks, and once more at the send call.
        let at = if origin.author == Author::Start {
            self.now
        } else {
            self.room(amounts)?
        };
        if charge.answers {
            self.answers.admits(at)?;
        }
        if at >= self.deadline {
            return Err(Reason {
                why: &DEADLINE,
                subject: Subject::Nothing,
            });
        }
        let bits = if origin.reactive {
            self.leak.admits(at, sites, origin.chosen_bits)?
        } else {
            0
        };
        self.commit(at, charge, origin, bits);
        Ok(at.since(self.now))
    }

    fn check_totals(
        &self,
        charge: &Charge,
        amounts: [u64; 3],
        author: Author,
    ) -> Result<(), Reason> {
        for ((total, amount), why) in self.totals.iter().zip(amounts).zip(&TOTALS) {
            total
                .admits(amount, author)
                .then_some(())
                .ok_or(limit(why, total.limit()))?;
        }
        let (allowed, used) = self.spoofed_syns;
        (charge.spoofed_syns <= allowed - used)
            .then_some(())
            .ok_or(limit(&SPOOFED, allowed))
    }

    /// The first moment, now or up to `HOLD` later and after all that was let through, at which
    /// every window has room.
    fn room(&self, amounts: [u64; 3]) -> Result<Time, Reason> {
        let mut at = self.now.max(self.last);
        for ((window, amount), why) in self.windows.iter().zip(amounts).zip(&RATES) {
            let free = window
                .room(at, amount)
                .filter(|free| free.since(self.now) <= HOLD);
            at = free.ok_or(limit(why, window.limit))?;
        }
        Ok(at)
    }

    fn commit(&mut self, at: Time, charge: Charge, origin: FrameOrigin, bits: u64) {
        let amounts = [charge.packets, charge.bytes, charge.syns];
        self.totals
            .iter_mut()
            .zip(amounts)
            .for_each(|(total, amount)| total.take(amount, origin.author));
        if origin.author != Author::Start {
            (self.last, self.begun) = (at, true);
            self.windows
                .iter_mut()
                .zip(amounts)
                .for_each(|(window, amount)| window.take(at, amount));
        }
        if charge.answers {
            self.answers.take(at);
        }
        self.spoofed_syns.1 += charge.spoofed_syns;
        if origin.reactive {
            self.leak.used = self.leak.used.saturating_add(bits);
            self.leak.last = at;
        }
    }

    /// Packets, bytes and SYNs so far.
    pub fn used(&self) -> [u64; 3] {
        [0, 1, 2].map(|i| self.totals[i].used())
    }

    /// The most packets, bytes and SYNs in any one second.
    pub fn worst_second(&self) -> [u64; 3] {
        [0, 1, 2].map(|i| self.windows[i].worst)
    }

    pub fn spoofed_syns(&self) -> u64 {
        self.spoofed_syns.1
    }

    pub fn leak_bits(&self) -> u64 {
        self.leak.used
    }

    /// Content became an event that sends depend on: so many thousandths of a bit.
    pub fn declassify(&mut self, millibits: u64) {
        self.leak.declassified = self.leak.declassified.saturating_add(millibits);
    }

    pub fn declassified_bits(&self) -> u64 {
        leak::whole_bits(self.leak.declassified)
    }

    /// From when on nothing leaves.
    pub fn deadline(&self) -> Time {
        self.deadline
    }
}

fn limit(why: &'static RefusalReason, limit: u64) -> Reason {
    Reason {
        why,
        subject: Subject::Number(limit),
    }
}

/// What neighbours ask for has a small pool of its own, a sixteenth of the whole: they cannot use up
/// what the program may send.
struct AnswerBudget {
    left: u64,
    most: u64,
    window: RateWindow,
}

/// The part of packets, and of packets a second, that answers to neighbours may take.
const ANSWERS: u64 = 16;

static TOO_MANY_ANSWERS: RefusalReason = RefusalReason {
    name: "neighbour_answers",
    kind: RefusalKind::Courtesy,
    sentence: "neighbours asked for more than {} answers, or for too many at once",
    fix: "raise `max_packets` or `max_packets_per_secs` in BUDGET",
};

impl AnswerBudget {
    fn new(budget: &Budget) -> AnswerBudget {
        let (most, rate) = (
            budget.max_packets.div_ceil(ANSWERS),
            budget.max_packets_per_secs.div_ceil(ANSWERS),
        );
        AnswerBudget {
            left: most,
            most,
            window: RateWindow::new(rate, rate),
        }
    }

    fn admits(&self, at: Time) -> Result<(), Reason> {
        let fits = self.left > 0 && self.window.room(at, 1) == Some(at);
        fits.then_some(())
            .ok_or(limit(&TOO_MANY_ANSWERS, self.most))
    }

    fn take(&mut self, at: Time) {
        self.left -= 1;
        self.window.take(at, 1);
    }
}

/// A total in two pools: what was set aside for the main program, and what everybody shares.
struct Total {
    reserved: (u64, u64),
    shared: (u64, u64),
}

impl Total {
    fn new(limit: u64, reserved: u64) -> Total {
        let reserved = reserved.min(limit);
        Total {
            reserved: (reserved, 0),
            shared: (limit - reserved, 0),
        }
    }

    fn limit(&self) -> u64 {
        self.reserved.0 + self.shared.0
    }

    fn used(&self) -> u64 {
        self.reserved.1 + self.shared.1
    }

    fn admits(&self, amount: u64, author: Author) -> bool {
        let may_take_reserved = matches!(author, Author::Main | Author::Start);
        amount <= free(self.shared) || may_take_reserved && amount <= free(self.reserved)
    }

    /// One pool pays the whole amount. The main program takes from its own first; what comes before
    /// the start takes from it last, since without a neighbour the main program sends nothing.
    fn take(&mut self, amount: u64, author: Author) {
        let from_reserved = match author {
            Author::Main => amount <= free(self.reserved),
            Author::Start => amount > free(self.shared),
            Author::Handler | Author::Stack => false,
        };
        let pool = if from_reserved {
            &mut self.reserved
        } else {
            &mut self.shared
        };
        pool.1 = pool.1.saturating_add(amount).min(pool.0);
    }
}

/// What is left of a pool.
fn free((size, used): (u64, u64)) -> u64 {
    size - used
}

/// Bits that reactions can have carried: which site sent, and in which slot of time since the last
/// reaction.
struct ReactionBits {
    limit: u64,
    used: u64,
    /// Thousandths of a bit by which content became events that sends depend on.
    declassified: u64,
    last: Time,
}

impl ReactionBits {
    fn admits(&self, at: Time, sites: u32, chosen: u64) -> Result<u64, Reason> {
        let bits = leak::reaction_bits(leak::slots(at.since(self.last)), sites, chosen);
        let fits = self
            .used
            .saturating_add(leak::whole_bits(self.declassified))
            .checked_add(bits)
            .is_some_and(|used| used <= self.limit);
        fits.then_some(bits).ok_or(limit(&LEAK, self.limit))
    }
}
