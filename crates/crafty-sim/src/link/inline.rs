//! What stands inline on a link: it sees each frame that is put on it, in either direction.

use crate::dice::RandomStream;
use crate::frame::Frame;
use crate::schedule::Schedule;
use crafty_value::{Duration, Time};

/// What becomes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InlineVerdict {
    Pass,
    Drop,
    /// Passes, later by this much; others may overtake it.
    Late(Duration),
    /// Passes, with this many copies.
    Copies(usize),
}

/// A frame that passes, with all that the element may use.
pub(crate) struct Passing<'a> {
    pub now: Time,
    /// The side that sends: 0 for `a` of `a-b`.
    pub side: usize,
    pub frame: &'a mut Frame,
    /// Dice of this element and direction alone.
    pub dice: &'a mut RandomStream,
    /// Frames of the element's own, with the side from which they go.
    pub injected: &'a mut Vec<(usize, Frame)>,
}

/// An element on a link: impairments of the medium and middleboxes alike. Its state is common to
/// both directions.
pub(crate) trait Inline {
    fn on_frame(&mut self, passing: &mut Passing<'_>) -> InlineVerdict;
}

impl<F: FnMut(&mut Passing<'_>) -> InlineVerdict> Inline for F {
    fn on_frame(&mut self, passing: &mut Passing<'_>) -> InlineVerdict {
        self(passing)
    }
}

/// An element in its place: which directions it works on, and when.
pub(crate) struct Inlined {
    name: &'static str,
    sides: [bool; 2],
    schedule: Schedule,
    dice: [RandomStream; 2],
    element: Box<dyn Inline>,
}

impl Inlined {
    pub fn new(
        name: &'static str,
        sides: [bool; 2],
        schedule: Schedule,
        dice: [RandomStream; 2],
        element: Box<dyn Inline>,
    ) -> Inlined {
        Inlined {
            name,
            sides,
            schedule,
            dice,
            element,
        }
    }

    pub fn name(&self) -> &'static str {
        self.name
    }

    pub fn works(&self, side: usize, now: Time) -> bool {
        self.sides[side] && self.schedule.is_on(now)
    }

    pub fn on_frame(
        &mut self,
        side: usize,
        now: Time,
        frame: &mut Frame,
        injected: &mut Vec<(usize, Frame)>,
    ) -> InlineVerdict {
        self.element.on_frame(&mut Passing {
            now,
            side,
            frame,
            dice: &mut self.dice[side],
            injected,
        })
    }
}
