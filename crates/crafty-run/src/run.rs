//! The loop that joins programs to a medium: it carries frames, stamps and times, and tells the
//! observer of everything in order. It decides nothing about what may be sent.

use crate::cancel::CancelToken;
use crate::departing::{Departing, Outgoing};
use crate::load::LoadedProgram;
use crate::medium::{Arrival, Departure, KernelMonitor, Medium, MediumError, ProgramId};
use crate::observer::{Observer, PassedFrame, RunEvent, SeenDeparture};
use crate::report::{Ending, InterfaceCounts, ProgramReport, ending};
use crate::watching::{Cancellation, RunWatch};
use crafty_value::Time;
use crafty_vm::{Environment, LinkLayer, Machine, Packet};

/// Turns without any time passing after which a run makes no progress: a defect, which is reported.
const MAX_IDLE_TURNS: u32 = 1_000_000;

/// Arrivals after which a run that hears many at once looks whether it is to end.
const EAR: u32 = 16;

/// `LINKTYPE_ETHERNET` and `LINKTYPE_RAW`.
const LINKTYPE_ETHERNET: u16 = 1;
const LINKTYPE_RAW: u16 = 101;

/// An interface of a run, as a capture file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunInterface {
    /// Its name.
    pub name: String,
    /// `LINKTYPE_` number of its frames.
    pub link: u16,
}

impl RunInterface {
    /// Those that a program learns.
    pub fn all(environment: &Environment) -> Vec<RunInterface> {
        let interfaces = environment.interfaces.iter();
        interfaces
            .map(|interface| RunInterface {
                name: interface.name.clone(),
                link: match interface.link {
                    LinkLayer::Ethernet | LinkLayer::Loopback => LINKTYPE_ETHERNET,
                    LinkLayer::RawIp => LINKTYPE_RAW,
                },
            })
            .collect()
    }
}

/// Whether a run continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunProgress {
    /// There is more to do.
    Next,
    /// All programs have ended.
    Over,
}

/// Programs in a medium. Nothing is printed, no process ends, no signal is taken: whoever runs it
/// is informed by an [`Observer`], and may cancel it.
pub struct Run<M> {
    medium: M,
    programs: Vec<Running>,
    interfaces: Vec<RunInterface>,
    counts: Vec<InterfaceCounts>,
    cancellation: Cancellation,
    now: Time,
    idle_turns: u32,
}

/// A program that runs.
struct Running {
    name: String,
    machine: Machine,
    /// Number of its first interface among those of the run.
    first_interface: usize,
    departing: Departing,
    divergences: u64,
    /// Whether time did not continue.
    is_stuck: bool,
}

impl<M: Medium> Run<M> {
    /// A run without programs.
    pub fn new(medium: M) -> Run<M> {
        Run {
            medium,
            programs: Vec::new(),
            interfaces: Vec::new(),
            counts: Vec::new(),
            cancellation: Cancellation::default(),
            now: Time(i64::MIN),
            idle_turns: 0,
        }
    }

    /// Adds a program.
    ///
    /// # Errors
    /// When the medium cannot take it.
    pub fn add(&mut self, program: LoadedProgram) -> Result<ProgramId, MediumError> {
        self.add_at(program, None)
    }

    /// Adds a program at a place of the medium.
    ///
    /// # Errors
    /// When the medium cannot take it, or has no such place.
    pub fn add_at(
        &mut self,
        program: LoadedProgram,
        place: Option<&str>,
    ) -> Result<ProgramId, MediumError> {
        let attached = self.medium.attach(&program, place)?;
        let first_interface = self.interfaces.len();
        self.interfaces
            .extend(RunInterface::all(&attached.environment));
        self.counts
            .resize(self.interfaces.len(), InterfaceCounts::default());
        let watch = RunWatch {
            cancellation: self.cancellation.clone(),
            clock: self.medium.clock(),
        };
        self.programs.push(Running {
            name: program.source.name,
            machine: Machine::watched(
                program.program,
                program.bound,
                attached.environment,
                attached.start,
                watch,
            ),
            first_interface,
            departing: Departing::default(),
            divergences: 0,
            is_stuck: false,
        });
        Ok(ProgramId(self.programs.len() - 1))
    }

    /// What the run is joined to.
    pub fn medium(&self) -> &M {
        &self.medium
    }

    /// The same, to be changed.
    pub fn medium_mut(&mut self) -> &mut M {
        &mut self.medium
    }

    /// All interfaces, in the order of the programs.
    pub fn interfaces(&self) -> &[RunInterface] {
        &self.interfaces
    }

    /// Frames of each interface so far.
    pub fn counts(&self) -> &[InterfaceCounts] {
        &self.counts
    }

    /// What stops this run, from any thread.
    pub fn cancel_token(&self) -> CancelToken {
        self.cancellation.token.clone()
    }

    /// Stops the run too once this holds; it is asked in every turn, and about every millisecond
    /// while a program computes.
    pub fn cancel_when(&mut self, condition: impl FnMut() -> bool + Send + 'static) {
        self.cancellation.when(Box::new(condition));
    }

    /// Runs all programs to their ends; gives their reports in the order in which they were added.
    pub fn to_end(&mut self, observer: &mut impl Observer) -> Vec<ProgramReport> {
        while self.turn(observer) == RunProgress::Next {}
        self.finish(observer)
    }

    /// One turn, for who has more than one run to drive: frames out, some time, frames in. After
    /// [`RunProgress::Over`], [`Run::finish`] gives the reports.
    pub fn turn(&mut self, observer: &mut impl Observer) -> RunProgress {
        self.flush_all(observer);
        let running = || self.programs.iter().filter(|program| program.runs());
        if running().next().is_none() {
            return RunProgress::Over;
        }
        let until = running().filter_map(|p| p.machine.poll_timeout()).min();
        if !running().any(|program| program.machine.goes_on()) {
            self.medium.settle();
        }
        let Some(now) = self.medium.wait(until).filter(|now| self.progresses(*now)) else {
            self.give_up();
            return RunProgress::Over;
        };
        self.now = self.now.max(now);
        let cancelled = self.cancellation.is_asked();
        if cancelled {
            self.medium.cancel();
        }
        for id in 0..self.programs.len() {
            self.hear(id, observer);
            let program = &mut self.programs[id];
            match cancelled {
                true => program.machine.cancel(),
                false => program.let_pass(now),
            }
        }
        RunProgress::Next
    }

    /// Ends the run: what arrived last is reported, and the reports.
    pub fn finish(&mut self, observer: &mut impl Observer) -> Vec<ProgramReport> {
        if self.cancellation.is_asked() {
            self.medium.cancel();
        }
        self.flush_all(observer);
        self.medium.settle();
        self.now = self.medium.end(self.now);
        for id in 0..self.programs.len() {
            self.hear(id, observer);
            self.tell_unseen(id, observer);
        }
        let reports: Vec<ProgramReport> = self
            .programs
            .iter()
            .map(|program| program.report(self.medium.kernel_monitor()))
            .collect();
        for (id, report) in reports.iter().enumerate() {
            observer.event(&RunEvent::Ended {
                program: ProgramId(id),
                report: report.clone(),
            });
        }
        reports
    }

    fn progresses(&mut self, now: Time) -> bool {
        self.idle_turns = if now > self.now {
            0
        } else {
            self.idle_turns + 1
        };
        self.idle_turns <= MAX_IDLE_TURNS
    }

    fn give_up(&mut self) {
        for program in self.programs.iter_mut().filter(|program| program.runs()) {
            program.machine.cancel();
            program.is_stuck = true;
        }
    }

    fn flush_all(&mut self, observer: &mut impl Observer) {
        (0..self.programs.len()).for_each(|id| self.flush(id, observer));
        self.medium.flush();
    }

    /// Frames out, stamps and events in order.
    fn flush(&mut self, id: usize, observer: &mut impl Observer) {
        let program = ProgramId(id);
        loop {
            let machine = &mut self.programs[id].machine;
            while let Some(event) = machine.poll_event() {
                observer.event(&RunEvent::Program { program, event });
            }
            let Some(frame) = machine.poll_transmit() else {
                break;
            };
            let outgoing = Outgoing::of(program, &frame, kept(observer, &frame.octets));
            match self.medium.send(program, frame) {
                Departure::At(stamp) => {
                    self.tell_sent(id, &outgoing, stamp.time, observer);
                    let machine = &mut self.programs[id].machine;
                    machine.handle_stamp(outgoing.sent.frame, stamp);
                }
                Departure::Later => self.programs[id].departing.push(outgoing),
            }
        }
    }

    fn tell_sent(&self, id: usize, outgoing: &Outgoing, time: Time, observer: &mut impl Observer) {
        let Some(bytes) = &outgoing.bytes else { return };
        let interface = self.programs[id].first_interface + outgoing.interface;
        observer.frame(&PassedFrame {
            interface,
            link: self.interfaces[interface].link,
            time,
            bytes,
            wire_len: bytes.len(),
            sent: Some(outgoing.sent),
        });
    }

    /// Takes all that has arrived for a program.
    fn hear(&mut self, id: usize, observer: &mut impl Observer) {
        let program = ProgramId(id);
        let mut heard = 0u32;
        while let Some(arrival) = self.medium.receive(program) {
            heard = heard.wrapping_add(1);
            if heard.is_multiple_of(EAR) && self.cancellation.is_asked() {
                self.programs[id].machine.cancel();
            }
            let running = &mut self.programs[id];
            match arrival {
                Arrival::Packet(packet) => self.hear_packet(id, packet, observer),
                Arrival::Sent(frame, stamp) => {
                    if let Some(outgoing) = running.departing.take(frame) {
                        self.tell_sent(id, &outgoing, stamp.time, observer);
                    }
                    self.programs[id].machine.handle_stamp(frame, stamp);
                }
                Arrival::NotSent(frame, error) => {
                    let span = running.departing.fail(frame);
                    let error = error.to_string();
                    running.machine.handle_not_sent(frame, span, &error);
                    observer.event(&RunEvent::NotSent {
                        program,
                        span,
                        error,
                    });
                }
                Arrival::Lost { interface, count } => {
                    running.machine.handle_lost_capture(count);
                    self.counts[running.first_interface + interface].lost += count;
                }
                Arrival::Unreadable(error) => observer.event(&RunEvent::Unreadable {
                    error: error.to_string(),
                }),
                Arrival::Diverged(divergence) => {
                    running.divergences += 1;
                    observer.event(&RunEvent::Diverged {
                        program,
                        divergence,
                    });
                }
            }
        }
    }

    fn hear_packet(&mut self, id: usize, packet: Packet, observer: &mut impl Observer) {
        let running = &mut self.programs[id];
        let interface = running.first_interface + packet.interface;
        self.counts[interface].received += 1;
        let (time, wire_len) = (packet.time, packet.wire_len);
        let bytes = kept(observer, &packet.octets);
        let before = running.machine.reactions();
        running.machine.handle_packet(packet);
        // Secrets are before what they decrypt.
        if let Some(lines) = running.machine.poll_secrets() {
            observer.secrets(&lines);
        }
        if let Some(bytes) = bytes {
            observer.frame(&PassedFrame {
                interface,
                link: self.interfaces[interface].link,
                time,
                bytes: &bytes,
                wire_len,
                sent: None,
            });
        }
        self.flush(id, observer);
        let after = self.programs[id].machine.reactions();
        self.medium.reacted(ProgramId(id), before, after);
    }

    /// Frames that nobody saw leave are reported as such.
    fn tell_unseen(&mut self, id: usize, observer: &mut impl Observer) {
        for mut outgoing in self.programs[id].departing.drain() {
            outgoing.sent.departure = SeenDeparture::Unseen;
            self.tell_sent(id, &outgoing, self.now, observer);
        }
    }
}

impl Running {
    fn runs(&self) -> bool {
        self.machine.outcome().is_none()
    }

    /// It is `now`, and all that arrived by then was handed in.
    fn let_pass(&mut self, now: Time) {
        if self.machine.poll_timeout().is_some_and(|due| due <= now) {
            self.machine.handle_timeout(now);
        }
    }

    fn report(&self, kernel_monitor: KernelMonitor) -> ProgramReport {
        let outcome = self.machine.outcome();
        let told = outcome.map(|outcome| (ending(outcome), outcome.why.clone()));
        let (ending, why) = match told.filter(|_| !self.is_stuck) {
            None => (
                Ending::NoProgress,
                Some("no progress (internal error)".into()),
            ),
            Some((Ending::Done, _)) if self.divergences > 0 => {
                (Ending::Diverged, Some(diverged(self.divergences)))
            }
            Some(told) => told,
        };
        ProgramReport {
            name: self.name.clone(),
            ending,
            why,
            totals: self.machine.report(),
            kernel_monitor,
        }
    }
}

/// A frame's bytes, where somebody wants to see them.
fn kept(observer: &impl Observer, bytes: &[u8]) -> Option<Vec<u8>> {
    observer.wants_frames().then(|| bytes.to_vec())
}

fn diverged(times: u64) -> String {
    let times = if times == 1 {
        "once".into()
    } else {
        format!("{times} times")
    };
    format!("the program diverged from the recording {times}")
}
