//! Queues that hold frames and decide which of them continues, one file each. Without one a link's
//! queue is drop-tail by bytes.

mod codel;
mod drop_tail;
mod fq_codel;
mod priority;
mod red;

use crate::dice::RandomStream;
use crate::frame::Frame;
use crate::link::LinkProperties;
use crafty_value::Time;

/// A queue of one direction of a link.
pub(crate) trait Discipline {
    /// Takes a frame; what is dropped for it is named with its reason.
    fn enqueue(&mut self, now: Time, frame: Frame, drops: &mut Vec<&'static str>);
    /// The frame that goes on now.
    fn dequeue(&mut self, now: Time, drops: &mut Vec<&'static str>) -> Option<Frame>;
    /// Frames that wait.
    fn len(&self) -> usize;
}

/// A kind of queue, by the name that a scenario file uses.
pub(crate) struct DisciplineKind {
    pub name: &'static str,
    pub build: fn(&LinkProperties, RandomStream) -> Box<dyn Discipline>,
}

/// All kinds, by name.
pub(crate) static DISCIPLINES: &[DisciplineKind] = &[
    codel::KIND,
    drop_tail::KIND,
    fq_codel::KIND,
    priority::KIND,
    red::KIND,
];

pub(crate) use drop_tail::packets as drop_tail_by_packets;
pub(crate) use red::Red;
