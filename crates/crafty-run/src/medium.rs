//! What a run is joined to: frames go out to it and come in from it, and it says how late it is. A
//! lab, a recording, this host's interfaces, nothing at all; or a medium of the caller's own.

use crate::load::LoadedProgram;
use crate::recording::RecordingError;
use crate::replay::Divergence;
use crafty_net::NetError;
use crafty_value::Time;
use crafty_vm::{Environment, FrameId, Packet, Reactions, Stamp, Transmit};
use std::fmt;
use std::io;

/// A program of a run, by its number in the order in which programs were added, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProgramId(pub usize);

/// What frames go out to and come in from. The pump of [`crate::Run`] drives it: programs are
/// attached, then in turn frames are sent, time is let pass, and what arrived is received.
///
/// Only the first four methods are required; the others have nothing to do in a medium in virtual
/// time.
pub trait Medium {
    /// Gives a program a host to run on; `place` names one where the medium has several.
    ///
    /// # Errors
    /// When there is no such place, no room for one more program, or no way to its destinations.
    fn attach(
        &mut self,
        program: &LoadedProgram,
        place: Option<&str>,
    ) -> Result<Attached, MediumError>;

    /// Takes a frame of a program, which is not to leave before its time.
    fn send(&mut self, program: ProgramId, frame: Transmit) -> Departure;

    /// Lets time pass until something arrives, or until `until`, whichever is first, and gives the
    /// time up to which all that arrived can now be received. A medium in real time may return
    /// early. `None` if neither will ever be.
    fn wait(&mut self, until: Option<Time>) -> Option<Time>;

    /// The next of what has arrived for a program; packets by ascending time.
    fn receive(&mut self, program: ProgramId) -> Option<Arrival>;

    /// No program sends more at this time.
    fn flush(&mut self) {}

    /// What the packet that was received last led to at once: the program's reactions before and
    /// after it, and between them the frames that were sent.
    fn reacted(&mut self, _program: ProgramId, _before: Reactions, _after: Reactions) {}

    /// Every program waits: the medium may take the time to finish what it was given.
    fn settle(&mut self) {}

    /// What time it is while programs compute, if the medium runs in real time.
    fn clock(&self) -> Option<Box<dyn Fn() -> Time + Send>> {
        None
    }

    /// The run is to end: what cannot leave now is not waited for, and told as not sent.
    fn cancel(&mut self) {}

    /// Whether the kernel repeats the rules of the gate for what leaves.
    fn kernel_monitor(&self) -> KernelMonitor {
        KernelMonitor::None
    }

    /// All programs have ended at `now`. What arrived meanwhile can be received once more; gives the
    /// time of the end.
    fn end(&mut self, now: Time) -> Time {
        now
    }
}

/// Whether the kernel repeats destinations and rates of the gate for what leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KernelMonitor {
    /// Nothing leaves this process.
    #[default]
    None,
    /// It does.
    On,
    /// It cannot: nftables has no egress hook here (Linux 5.16), or the privilege is missing.
    Off,
    /// It does not: the run may send faster than it could look.
    TooFast,
}

/// What a program learns its host.
#[derive(Clone, Debug)]
pub struct Attached {
    /// Interfaces, routes, neighbours and seed.
    pub environment: Environment,
    /// When the program begins.
    pub start: Time,
}

/// What became of a frame that was handed to a medium.
#[derive(Debug)]
pub enum Departure {
    /// It left, or will have left, at this time.
    At(Stamp),
    /// An [`Arrival::Sent`] or [`Arrival::NotSent`] will say, if anything is known.
    Later,
}

/// What a medium has for a program.
#[derive(Debug)]
pub enum Arrival {
    /// A frame.
    Packet(Packet),
    /// A frame of the program's was on the wire.
    Sent(FrameId, Stamp),
    /// A frame of the program's was not sent.
    NotSent(FrameId, io::Error),
    /// Frames were lost between the wire and the program.
    Lost {
        /// Index of the interface in the program's environment.
        interface: usize,
        /// How many.
        count: u64,
    },
    /// What arrives could not be read.
    Unreadable(io::Error),
    /// The program does not do what was recorded.
    Diverged(Divergence),
}

/// Why a program cannot run in a medium.
#[derive(Debug)]
pub enum MediumError {
    /// There is no such simulated network or fault: a sentence with those that exist.
    Lab(String),
    /// There is no such place in it, or it is taken: likewise.
    Place(String),
    /// The medium has no places to choose from.
    NoPlaces,
    /// The medium has room for one program, and has it.
    Occupied,
    /// The recording cannot be used.
    Recording(RecordingError),
    /// It was [admitted](crate::admission::admit_run) for another program: nothing leaves without that.
    NotAdmitted,
    /// This host or its network lacks something.
    Network(NetError),
}

impl fmt::Display for MediumError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MediumError::Lab(what) | MediumError::Place(what) => f.write_str(what),
            MediumError::NoPlaces => {
                f.write_str("only a lab has places: `FILE@PLACE` names one of them")
            }
            MediumError::Occupied => f.write_str("only a lab runs several programs at once"),
            MediumError::Recording(error) => error.fmt(f),
            MediumError::NotAdmitted => {
                f.write_str("another program was admitted to this network than this one")
            }
            MediumError::Network(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MediumError {}

impl From<NetError> for MediumError {
    fn from(error: NetError) -> MediumError {
        MediumError::Network(error)
    }
}

impl From<RecordingError> for MediumError {
    fn from(error: RecordingError) -> MediumError {
        MediumError::Recording(error)
    }
}

/// The room of a medium that runs one program.
#[derive(Debug, Default)]
pub(crate) enum Room {
    /// Nobody has it.
    #[default]
    Free,
    /// A program runs in it.
    Taken,
}

impl Room {
    /// Takes it.
    pub(crate) fn take(&mut self, place: Option<&str>) -> Result<(), MediumError> {
        match (place, std::mem::replace(self, Room::Taken)) {
            (Some(_), _) => Err(MediumError::NoPlaces),
            (None, Room::Taken) => Err(MediumError::Occupied),
            (None, Room::Free) => Ok(()),
        }
    }
}

impl<M: Medium + ?Sized> Medium for Box<M> {
    fn attach(
        &mut self,
        program: &LoadedProgram,
        place: Option<&str>,
    ) -> Result<Attached, MediumError> {
        (**self).attach(program, place)
    }

    fn send(&mut self, program: ProgramId, frame: Transmit) -> Departure {
        (**self).send(program, frame)
    }

    fn wait(&mut self, until: Option<Time>) -> Option<Time> {
        (**self).wait(until)
    }

    fn receive(&mut self, program: ProgramId) -> Option<Arrival> {
        (**self).receive(program)
    }

    fn flush(&mut self) {
        (**self).flush();
    }

    fn reacted(&mut self, program: ProgramId, before: Reactions, after: Reactions) {
        (**self).reacted(program, before, after);
    }

    fn settle(&mut self) {
        (**self).settle();
    }

    fn clock(&self) -> Option<Box<dyn Fn() -> Time + Send>> {
        (**self).clock()
    }

    fn cancel(&mut self) {
        (**self).cancel();
    }

    fn kernel_monitor(&self) -> KernelMonitor {
        (**self).kernel_monitor()
    }

    fn end(&mut self, now: Time) -> Time {
        (**self).end(now)
    }
}
