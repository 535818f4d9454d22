//! Runs packet programs: loads and judges them, connects them to a medium, and reports everything
//! as values to an observer. Prints nothing, never ends the process and handles no signals: that is
//! left to the caller.
//!
//! A program in the lab, with its events collected:
//!
//! ```
//! use crafty_run::{Ending, LabMedium, Policy, Run, RunEvent, Source, load};
//!
//! let ping = Source::open("../../examples/ping.crafty")?;
//! let program = load(ping, &[], &Policy::everything())?;
//! let mut run = Run::new(LabMedium::new("demo", 1)?);
//! run.add(program)?;
//! let mut events: Vec<RunEvent> = Vec::new();
//! let reports = run.to_end(&mut events);
//! assert_eq!(reports[0].ending, Ending::Done);
//! assert_eq!(reports[0].totals.received.packets, 5);
//! assert_eq!(events.len(), 11, "five prints, five records, one report");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The same with a custom medium, which loses every second frame:
//!
//! ```
//! # use crafty_run::*;
//! struct Lossy(LabMedium, u64);
//!
//! impl Medium for Lossy {
//!     fn attach(&mut self, it: &LoadedProgram, at: Option<&str>) -> Result<Attached, MediumError> {
//!         self.0.attach(it, at)
//!     }
//!     fn send(&mut self, program: ProgramId, frame: Transmit) -> Departure {
//!         self.1 += 1;
//!         match self.1 % 2 {
//!             0 => Departure::At(Stamp { time: frame.at, source: StampSource::Clock }),
//!             _ => self.0.send(program, frame),
//!         }
//!     }
//!     fn wait(&mut self, until: Option<Time>) -> Option<Time> {
//!         self.0.wait(until)
//!     }
//!     fn receive(&mut self, program: ProgramId) -> Option<Arrival> {
//!         self.0.receive(program)
//!     }
//! }
//! # let ping = Source::open("../../examples/ping.crafty")?;
//! # let program = load(ping, &[], &Policy::everything())?;
//! # let mut run = Run::new(Lossy(LabMedium::new("demo", 1)?, 0));
//! # run.add(program)?;
//! # let mut events: Vec<RunEvent> = Vec::new();
//! # let reports = run.to_end(&mut events);
//! # assert_eq!(reports[0].ending, Ending::Done);
//! # assert_eq!((reports[0].totals.sent.packets, reports[0].totals.received.packets), (6, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod admission;
mod analysis;
pub mod approval;
mod cancel;
mod capture_file;
mod capture_path;
mod departing;
mod findings;
mod judgement;
mod load;
mod media;
mod medium;
mod observer;
mod operator;
mod params;
pub mod recording;
mod replay;
mod report;
pub mod review;
mod run;
mod source;
mod watching;

pub use analysis::{Analysis, Findings, SeenPacket};
pub use cancel::CancelToken;
pub use capture_file::CaptureFile;
pub use capture_path::{CapturePathError, Overwrite, create_capture_file};
pub use findings::WithFindings;
pub use judgement::Judgement;
pub use load::{LoadError, LoadedProgram, PolicyConflict, load};
pub use media::{
    DryMedium, HostNetwork, LabMedium, LiveMedium, LiveOptions, ReplayMedium, Stamping,
    documentation_address,
};
pub use medium::{Arrival, Attached, Departure, KernelMonitor, Medium, MediumError, ProgramId};
pub use observer::{EachEvent, Observer, PassedFrame, RunEvent, SeenDeparture, SentFrame};
pub use operator::{
    FileError, Limit, PolicyError, SYSTEM_FILE, ValueError, operator_policy, unknown_variables,
    variable,
};
pub use params::{GivenParam, ParamError, shares};
pub use recording::RecordingError;
pub use replay::{Divergence, Expectation};
pub use report::{ENDINGS, Ending, InterfaceCounts, ProgramReport};
pub use run::{Run, RunInterface, RunProgress};
pub use source::{Source, SourceError};

/// What a medium and an observer speak of.
pub use crafty_policy::Policy;
pub use crafty_value::Time;
pub use crafty_vm::{
    Environment, Event, FrameId, InterfaceInfo, LinkLayer, Packet, Reactions, Route, Stamp,
    StampSource, Transmit,
};
