//! The interface as a medium of a run: packets come from it and go to it, and time passes.

use crate::decision::{Decision, Fate};
use crate::door::Door;
use crate::far_end::FarEnd;
use crate::filter::PacketFilter;
use crate::handlers::fixed::FixedHandler;
use crate::handlers::process::ProcessDesk;
use crate::handlers::{AskedEvent, Wakeups};
use crate::heard::{HeardPacket, PacketReader};
use crate::model::ModelDesk;
use crate::option::{EndpointOptions, FateLog};
use crate::totals::EndpointTotals;
use crate::wire::Wire;
use crafty_policy::{Clearance, Quota, RefusalKind, SendLimits, Toll};
use crafty_run::admission::{AdmittedRun, Reservation};
use crafty_run::{
    Arrival, Attached, Departure, FrameId, LoadedProgram, Medium, MediumError, Packet, ProgramId,
    Reactions, Stamp, StampSource, Time, Transmit,
};
use crafty_value::Duration;
use std::collections::VecDeque;
use std::io;
use std::os::fd::AsFd;

/// How long a wait may sleep before the run looks whether it is to end.
const SLICE: Duration = Duration::millis(50);
/// Packets that are read before handlers have their turn.
const BATCH: usize = 256;
/// Bytes of the largest packet with its prefix and an Ethernet header.
const LARGEST: usize = 65_536 + 64;

/// Who is reported about everything.
pub trait EndpointObserver {
    /// An event, as one line of JSON.
    fn event(&mut self, line: &str);

    /// What became of a packet.
    fn fate(&mut self, fate: &Fate<'_>);

    /// A warning for the operator.
    fn warning(&mut self, text: &str);
}

/// A packet that became an event, for a program.
pub(crate) struct PacketForProgram {
    /// When it was read.
    pub time: Time,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The event.
    pub asked: AskedEvent,
}

/// Who answers beside a program.
#[derive(Default)]
pub struct Handlers {
    /// A list of actions.
    pub fixed: Option<FixedHandler>,
    /// A process.
    pub process: Option<ProcessDesk>,
    /// A model.
    pub model: Option<ModelDesk>,
    /// What tells that a process or a model has answered.
    pub wakeups: Option<Wakeups>,
}

impl Handlers {
    /// Whether there is any.
    pub fn any(&self) -> bool {
        self.fixed.is_some() || self.process.is_some() || self.model.is_some()
    }
}

/// A packet that is not to be written before its time.
struct HeldPacket {
    at: Time,
    before: Time,
    bytes: Vec<u8>,
    /// The program's frame that it is, with what it costs.
    frame: Option<(FrameId, Toll)>,
}

/// The interface, and everything between it and the handlers.
pub struct EndpointMedium {
    pub(crate) wire: Box<dyn Wire>,
    pub(crate) far: FarEnd,
    pub(crate) filter: PacketFilter,
    log: FateLog,
    pub(crate) warned_of_filter: bool,
    pub(crate) reader: PacketReader,
    pub(crate) observer: Box<dyn EndpointObserver>,
    pub(crate) totals: EndpointTotals,
    pub(crate) door: Door,
    pub(crate) handlers: Handlers,
    buffer: Vec<u8>,
    /// Events that the program has not seen yet.
    pub(crate) for_program: VecDeque<PacketForProgram>,
    /// The event that the program sees now, and the frames that it has sent since.
    with_program: Option<(AskedEvent, u64)>,
    pub(crate) has_program: bool,
    /// What the program may send in any second, counted where it is written.
    limits: Option<SendLimits>,
    held: VecDeque<HeldPacket>,
    arrivals: VecDeque<Arrival>,
    /// Why the interface carries nothing more.
    pub(crate) closed: Option<String>,
    seed: u64,
    /// The right to the run of the program.
    pub(crate) admitted: Option<AdmittedRun>,
    reservation: Option<Reservation>,
}

impl EndpointMedium {
    /// A medium for an interface.
    pub fn new(
        options: &EndpointOptions,
        far: FarEnd,
        door: Door,
        wire: Box<dyn Wire>,
        handlers: Handlers,
        observer: Box<dyn EndpointObserver>,
        seed: u64,
    ) -> EndpointMedium {
        EndpointMedium {
            wire,
            far,
            filter: options.packet_filter.clone(),
            log: options.log,
            warned_of_filter: false,
            reader: PacketReader::default(),
            observer,
            totals: EndpointTotals::default(),
            door,
            handlers,
            buffer: vec![0; LARGEST],
            for_program: VecDeque::new(),
            with_program: None,
            has_program: false,
            limits: None,
            held: VecDeque::new(),
            arrivals: VecDeque::new(),
            closed: None,
            seed,
            admitted: None,
            reservation: None,
        }
    }

    /// Whether anybody but a program answers.
    pub(crate) fn has_other_handlers(&self) -> bool {
        self.handlers.any()
    }

    /// The program has ended: what it has not seen continues to the other handlers.
    pub(crate) fn without_program(&mut self) {
        self.has_program = false;
        let unseen = std::mem::take(&mut self.for_program);
        unseen
            .into_iter()
            .for_each(|packet| self.after_program(packet.asked));
    }

    /// Lets time pass until something comes or is due, reads what came, and gives the time.
    pub(crate) fn step(&mut self, until: Option<Time>) -> Time {
        let due = [
            until,
            self.held.front().map(|held| held.at),
            self.handlers.process.as_ref().and_then(ProcessDesk::due),
        ];
        let slice = self.wire.now().after(SLICE);
        let until = due.into_iter().flatten().fold(slice, Time::min);
        let wakeups = self.handlers.wakeups.as_ref().map(AsFd::as_fd);
        if let Err(error) = self.wire.wait(wakeups, until) {
            self.close(&error);
        }
        self.write_due();
        self.hear_answers();
        self.read();
        self.wire.now()
    }

    fn read(&mut self) {
        let mut buffer = std::mem::take(&mut self.buffer);
        for _ in 0..BATCH {
            match self.wire.receive(&mut buffer) {
                Ok(Some(Ok(range))) => self.take(&buffer[range]),
                Ok(Some(Err(error))) => self.take_unreadable(&error.to_string()),
                Ok(None) => break,
                Err(error) => {
                    self.close(&error);
                    break;
                }
            }
        }
        self.buffer = buffer;
    }

    fn close(&mut self, error: &io::Error) {
        self.closed
            .get_or_insert_with(|| format!("closed: {error}"));
    }

    /// Counts and tells what became of a packet.
    pub(crate) fn tell(
        &mut self,
        number: u64,
        packet: Option<&HeardPacket>,
        decision: Decision,
        detail: &str,
    ) {
        self.totals.count(decision);
        let before_events = matches!(
            decision,
            Decision::Filtered | Decision::Unreadable | Decision::LinkAnswered
        );
        if self.log == FateLog::All || !before_events {
            self.observer.fate(&Fate {
                number,
                decision,
                packet,
                detail,
            });
        }
    }

    /// Writes a packet that has passed the door, at its time.
    pub(crate) fn write_at(&mut self, at: Time, bytes: Vec<u8>) {
        let before = self.door.deadline();
        self.held.push_back(HeldPacket {
            at,
            before,
            bytes,
            frame: None,
        });
        self.write_due();
    }

    /// Writes what is due, in order; what has to wait for its second keeps the others behind it.
    fn write_due(&mut self) {
        while let Some(mut held) = self.held.pop_front() {
            let now = self.wire.now();
            let toll = held.frame.map(|(_, toll)| toll);
            match self.clearance(now, toll) {
                _ if held.at > now => {}
                Clearance::At(at) => held.at = at,
                Clearance::Now | Clearance::Never if now >= held.before => {
                    self.written(&held, Err(io::Error::other("the run's time is over")));
                    continue;
                }
                Clearance::Never => {
                    self.written(
                        &held,
                        Err(io::Error::other("it costs more than a second has")),
                    );
                    continue;
                }
                Clearance::Now => {
                    let written = self.write(&held.bytes, toll);
                    self.written(&held, written);
                    continue;
                }
            }
            self.held.push_front(held);
            return;
        }
    }

    fn clearance(&self, now: Time, toll: Option<Toll>) -> Clearance {
        match (&self.limits, toll) {
            (Some(limits), Some(toll)) => limits.ask(now, toll),
            _ => Clearance::Now,
        }
    }

    fn write(&mut self, bytes: &[u8], toll: Option<Toll>) -> io::Result<Stamp> {
        let time = self.wire.now();
        self.charge(bytes, toll)?;
        self.wire.send(bytes)?;
        self.totals.sent += 1;
        if let (Some(limits), Some(toll)) = (&mut self.limits, toll) {
            limits.left(time, toll);
        }
        Ok(Stamp {
            time,
            source: StampSource::Clock,
        })
    }

    /// Takes what a packet costs from what the operator's ledger has set aside, if it counts.
    fn charge(&mut self, bytes: &[u8], toll: Option<Toll>) -> io::Result<()> {
        let Some(reservation) = &mut self.reservation else {
            return Ok(());
        };
        let cost = Quota {
            packets: 1,
            bytes: toll.map_or(bytes.len() as u64, |toll| toll.bytes),
            syns: toll.map_or(0, |toll| toll.syns),
        };
        if !reservation.has_room(cost) {
            let why = "it is more than the operator's ledger has set aside for this run";
            return Err(io::Error::other(why));
        }
        reservation.note(cost);
        Ok(())
    }

    /// The program hears of its frames, the operator of others that could not be written.
    fn written(&mut self, held: &HeldPacket, written: io::Result<Stamp>) {
        match (held.frame, written) {
            (Some((frame, _)), Ok(stamp)) => self.arrivals.push_back(Arrival::Sent(frame, stamp)),
            (Some((frame, _)), Err(error)) => {
                self.arrivals.push_back(Arrival::NotSent(frame, error));
            }
            (None, Ok(_)) => {}
            (None, Err(error)) => self
                .observer
                .warning(&format!("an answer was not written: {error}")),
        }
    }
}

impl Medium for EndpointMedium {
    fn attach(
        &mut self,
        program: &LoadedProgram,
        place: Option<&str>,
    ) -> Result<Attached, MediumError> {
        let policy = &program.bound.policy;
        let admitted = self.admitted.take().filter(|run| run.is_for(program));
        self.reservation = admitted.ok_or(MediumError::NotAdmitted)?.take_reservation();
        if place.is_some() {
            return Err(MediumError::NoPlaces);
        }
        if std::mem::replace(&mut self.has_program, true) {
            return Err(MediumError::Occupied);
        }
        // Each packet has the time by which it must have left.
        self.limits = Some(SendLimits::new(&policy.budget, Time(i64::MAX)));
        Ok(Attached {
            environment: self.far.environment(policy, self.seed),
            start: self.wire.now(),
        })
    }

    fn send(&mut self, _program: ProgramId, frame: Transmit) -> Departure {
        if let Some((_, sent)) = &mut self.with_program {
            *sent += 1;
        }
        self.held.push_back(HeldPacket {
            at: frame.at,
            before: frame.before,
            frame: Some((frame.frame, frame.toll)),
            bytes: frame.octets,
        });
        self.write_due();
        match self.arrivals.pop_back() {
            Some(Arrival::Sent(sent, stamp)) if sent == frame.frame => Departure::At(stamp),
            other => {
                self.arrivals.extend(other);
                Departure::Later
            }
        }
    }

    fn wait(&mut self, until: Option<Time>) -> Option<Time> {
        Some(self.step(until))
    }

    fn receive(&mut self, _program: ProgramId) -> Option<Arrival> {
        if let Some(arrival) = self.arrivals.pop_front() {
            return Some(arrival);
        }
        let PacketForProgram { time, bytes, asked } = self.for_program.pop_front()?;
        self.with_program = Some((asked, 0));
        Some(Arrival::Packet(Packet {
            interface: 0,
            time,
            wire_len: bytes.len(),
            octets: bytes,
            checksum_ready: true,
        }))
    }

    fn reacted(&mut self, _program: ProgramId, before: Reactions, after: Reactions) {
        let Some((asked, sent)) = self.with_program.take() else {
            return;
        };
        let refusal = after.refusal.filter(|_| after.refused > before.refused);
        let decision = match (sent, refusal) {
            (1.., _) => Decision::HandlerSend,
            (0, Some(RefusalKind::Permission)) => Decision::Permission,
            (0, Some(_)) => Decision::Budget,
            (0, None) if after.taken > before.taken => Decision::HandlerSilent,
            (0, None) => return self.after_program(asked),
        };
        self.decide(&asked, decision, "the program");
    }

    fn clock(&self) -> Option<Box<dyn Fn() -> Time + Send>> {
        Some(Box::new(crafty_net::now))
    }

    fn end(&mut self, _now: Time) -> Time {
        self.write_due();
        let reservation = self.reservation.take();
        reservation.into_iter().for_each(Reservation::end);
        self.wire.now()
    }
}
