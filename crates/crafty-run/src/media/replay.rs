//! A recorded peer as a medium, in virtual time: no privilege, no waiting, the same bytes each time.

use crate::load::LoadedProgram;
use crate::medium::{Arrival, Attached, Departure, Medium, MediumError, ProgramId, Room};
use crate::recording::Recording;
use crate::replay::Replay;
use crafty_value::Time;
use crafty_vm::{Stamp, StampSource, Transmit};

/// A recording that a program runs against.
pub struct ReplayMedium {
    /// Until a program is there whose destinations tell which side it takes.
    recording: Recording,
    seed: u64,
    room: Room,
    replay: Option<Replay>,
    now: Time,
}

impl ReplayMedium {
    /// Of the conversations of a capture.
    pub fn new(recording: Recording, seed: u64) -> ReplayMedium {
        ReplayMedium {
            recording,
            seed,
            room: Room::Free,
            replay: None,
            now: Time(0),
        }
    }
}

impl Medium for ReplayMedium {
    fn attach(
        &mut self,
        program: &LoadedProgram,
        place: Option<&str>,
    ) -> Result<Attached, MediumError> {
        self.room.take(place)?;
        let policy = &program.bound.policy;
        let replay = Replay::new(std::mem::take(&mut self.recording), policy)?;
        let environment = replay.environment(policy, self.seed);
        self.now = replay.start();
        self.replay = Some(replay);
        Ok(Attached {
            environment,
            start: self.now,
        })
    }

    fn send(&mut self, _program: ProgramId, frame: Transmit) -> Departure {
        let time = frame.at.max(self.now);
        if let Some(replay) = &mut self.replay {
            replay.sent(time, &frame.octets);
        }
        Departure::At(Stamp {
            time,
            source: StampSource::Recapture,
        })
    }

    fn wait(&mut self, until: Option<Time>) -> Option<Time> {
        let coming = self.replay.as_ref().and_then(Replay::next);
        let next = [until, coming].into_iter().flatten().min()?;
        self.now = self.now.max(next);
        Some(self.now)
    }

    fn receive(&mut self, _program: ProgramId) -> Option<Arrival> {
        let replay = self.replay.as_mut()?;
        let diverged = replay.divergence().map(Arrival::Diverged);
        diverged.or_else(|| replay.receive(self.now).map(Arrival::Packet))
    }

    fn end(&mut self, now: Time) -> Time {
        if let Some(replay) = &mut self.replay {
            replay.finish(now);
        }
        now
    }
}
