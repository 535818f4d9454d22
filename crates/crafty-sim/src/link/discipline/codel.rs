//! Controlled delay (RFC 8289): drops at the head once the wait has been above a target for an
//! interval, then ever more often.

use super::{Discipline, DisciplineKind};
use crate::frame::Frame;
use crafty_value::{Duration, Time};
use std::collections::VecDeque;

pub(super) const KIND: DisciplineKind = DisciplineKind {
    name: "codel",
    build: |medium, _| Box::new(Codel::new(medium.queue)),
};

/// The wait that is accepted (RFC 8289 §4.3).
const TARGET: Duration = Duration::millis(5);
/// For how long it may be exceeded (RFC 8289 §4.2).
const INTERVAL: Duration = Duration::millis(100);
/// A queue as short as one large frame is never cut.
const ONE_FRAME: i64 = 1514;

pub(super) struct Codel {
    limit: i64,
    pub bytes: i64,
    waiting: VecDeque<(Time, Frame)>,
    first_above: Option<Time>,
    drop_next: Time,
    count: u32,
    dropping: bool,
}

impl Codel {
    pub fn new(limit: i64) -> Codel {
        Codel {
            limit,
            bytes: 0,
            waiting: VecDeque::new(),
            first_above: None,
            drop_next: Time(0),
            count: 0,
            dropping: false,
        }
    }

    /// The head, and whether it has waited too long for too long.
    fn head(&mut self, now: Time) -> Option<(Frame, bool)> {
        let Some((since, frame)) = self.waiting.pop_front() else {
            self.first_above = None;
            return None;
        };
        self.bytes -= frame.bytes.len() as i64;
        if now.since(since) < TARGET || self.bytes <= ONE_FRAME {
            self.first_above = None;
            return Some((frame, false));
        }
        let above = *self.first_above.get_or_insert(now.after(INTERVAL));
        Some((frame, now >= above))
    }

    /// When the next drop is due (RFC 8289 §5.5).
    fn control(&self, from: Time) -> Time {
        let count = f64::from(self.count.max(1));
        from.after(Duration((INTERVAL.0 as f64 / count.sqrt()) as i64))
    }

    fn begin(&mut self, now: Time) {
        self.dropping = true;
        let recently = now.since(self.drop_next) < INTERVAL;
        self.count = if recently && self.count > 2 {
            self.count - 2
        } else {
            1
        };
        self.drop_next = self.control(now);
    }
}

impl Discipline for Codel {
    fn enqueue(&mut self, now: Time, frame: Frame, drops: &mut Vec<&'static str>) {
        let size = frame.bytes.len() as i64;
        if self.bytes + size > self.limit {
            return drops.push("the queue is full");
        }
        self.bytes += size;
        self.waiting.push_back((now, frame));
    }

    fn dequeue(&mut self, now: Time, drops: &mut Vec<&'static str>) -> Option<Frame> {
        let (mut frame, mut late) = self.head(now)?;
        if !late {
            self.dropping = false;
        } else if !self.dropping {
            drops.push("controlled delay");
            self.begin(now);
            return self.head(now).map(|it| it.0);
        }
        while self.dropping && now >= self.drop_next {
            drops.push("controlled delay");
            self.count += 1;
            (frame, late) = self.head(now)?;
            self.dropping = late;
            self.drop_next = self.control(self.drop_next);
        }
        Some(frame)
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }
}
