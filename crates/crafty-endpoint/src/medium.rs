//! The interface as a medium of a run, and the way of a packet from it: filter, event, handlers.

use crate::decision::{Decision, Fate, Summary};
use crate::event::packet_received;
use crate::far_end::FarEnd;
use crate::filter::{PacketFilter, filter_for};
use crate::heard::{HeardPacket, PacketReader, ethernet, network_layer};
use crate::option::{EndpointMode, EndpointOptions, FateLog};
use crate::totals::EndpointTotals;
use crate::wire::Wire;
use crafty_policy::{Quota, RefusalKind};
use crafty_run::admission::{AdmittedRun, Reservation};
use crafty_run::{
    Arrival, Attached, Departure, LoadedProgram, Medium, MediumError, Packet, ProgramId, Reactions,
    Stamp, StampSource, Time, Transmit,
};
use crafty_value::Duration;
use std::collections::VecDeque;
use std::io;

/// How long a wait may sleep before the run looks whether it is to end.
const SLICE: Duration = Duration::millis(50);
/// Packets that are read before handlers have their turn.
const BATCH: usize = 256;
/// Bytes of the largest packet with its prefix and an Ethernet header.
const LARGEST: usize = 65_536 + 64;

/// Who is told of everything.
pub trait EndpointObserver {
    /// An event, as one line of JSON.
    fn event(&mut self, line: &str);

    /// What became of a packet.
    fn fate(&mut self, fate: &Fate<'_>);

    /// A warning for the operator.
    fn warning(&mut self, text: &str);
}

/// A packet that became an event.
pub struct EscalatedPacket {
    /// Its number among all packets.
    pub number: u64,
    /// When it was read.
    pub time: Time,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its headers.
    pub heard: HeardPacket,
}

/// The interface, and everything between it and the handlers.
pub struct EndpointMedium {
    wire: Box<dyn Wire>,
    pub(crate) far: FarEnd,
    filter: PacketFilter,
    log: FateLog,
    warned_of_filter: bool,
    reader: PacketReader,
    observer: Box<dyn EndpointObserver>,
    pub(crate) totals: EndpointTotals,
    buffer: Vec<u8>,
    /// Events that the program has not seen yet.
    for_program: VecDeque<EscalatedPacket>,
    /// The event that the program sees now, and the frames that it has sent since.
    with_program: Option<(EscalatedPacket, u64)>,
    has_program: bool,
    /// Frames of the program that are not due yet.
    held: VecDeque<Transmit>,
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
        wire: Box<dyn Wire>,
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
            buffer: vec![0; LARGEST],
            for_program: VecDeque::new(),
            with_program: None,
            has_program: false,
            held: VecDeque::new(),
            arrivals: VecDeque::new(),
            closed: None,
            seed,
            admitted: None,
            reservation: None,
        }
    }

    /// Who is told.
    pub(crate) fn observer(&mut self) -> &mut dyn EndpointObserver {
        &mut *self.observer
    }

    /// Whether anybody but a program answers.
    pub(crate) fn has_other_handlers(&self) -> bool {
        false
    }

    /// The program has ended: what it has not seen goes on to the other handlers.
    pub(crate) fn without_program(&mut self) {
        self.has_program = false;
        let unseen = std::mem::take(&mut self.for_program);
        unseen
            .into_iter()
            .for_each(|packet| self.after_program(packet));
    }

    /// Lets time pass until something comes or is due, reads what came, and gives the time.
    pub(crate) fn step(&mut self, until: Option<Time>) -> Time {
        let due = self.held.front().map(|transmit| transmit.at);
        let slice = self.wire.now().after(SLICE);
        let until = [until, due].into_iter().flatten().fold(slice, Time::min);
        if let Err(error) = self.wire.wait(None, until) {
            self.close(&error);
        }
        self.send_due();
        self.read();
        self.wire.now()
    }

    fn read(&mut self) {
        let mut buffer = std::mem::take(&mut self.buffer);
        for _ in 0..BATCH {
            match self.wire.receive(&mut buffer) {
                Ok(Some(Ok(range))) => self.take(&buffer[range]),
                Ok(Some(Err(error))) => {
                    self.totals.received += 1;
                    let number = self.totals.received;
                    self.tell(number, None, Decision::Unreadable, &error.to_string());
                }
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

    /// One packet from the interface.
    fn take(&mut self, bytes: &[u8]) {
        self.totals.received += 1;
        let number = self.totals.received;
        let first = match self.far.mode {
            EndpointMode::Tun => network_layer(bytes),
            EndpointMode::Tap => Some(ethernet()),
        };
        let heard = first.and_then(|first| self.reader.read(first, bytes));
        let Some(heard) = heard else {
            return self.tell(number, None, Decision::Unreadable, "it is not IP");
        };
        if !self.filter.passes(&heard) {
            self.warn_of_filter(&heard);
            return self.tell(number, Some(&heard), Decision::Filtered, "");
        }
        self.totals.escalated += 1;
        let event = packet_received(number, &heard, &self.reader.view(bytes));
        self.observer.event(&event.to_string());
        let packet = EscalatedPacket {
            number,
            time: self.wire.now(),
            bytes: bytes.to_vec(),
            heard,
        };
        match self.has_program {
            true => self.for_program.push_back(packet),
            false => self.after_program(packet),
        }
    }

    /// A packet to an address of ours that nobody gets to see may be a mistake: told once.
    fn warn_of_filter(&mut self, heard: &HeardPacket) {
        if !self.warned_of_filter && self.far.owns(heard.destination) {
            self.warned_of_filter = true;
            self.observer.warning(&format!(
                "{} does not pass the filter `{}`; `--packet-filter {}` lets such packets pass",
                Summary(heard),
                self.filter,
                filter_for(heard)
            ));
        }
    }

    /// The program did not take it, or there is none.
    fn after_program(&mut self, packet: EscalatedPacket) {
        self.decide(&packet, Decision::ModelDisabled, "");
    }

    fn decide(&mut self, packet: &EscalatedPacket, decision: Decision, detail: &str) {
        self.tell(packet.number, Some(&packet.heard), decision, detail);
    }

    fn tell(
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

    fn send_due(&mut self) {
        let now = self.wire.now();
        while let Some(transmit) = self.held.pop_front_if(|transmit| transmit.at <= now) {
            let frame = transmit.frame;
            let arrival = match self.write(&transmit) {
                Ok(stamp) => Arrival::Sent(frame, stamp),
                Err(error) => Arrival::NotSent(frame, error),
            };
            self.arrivals.push_back(arrival);
        }
    }

    fn write(&mut self, transmit: &Transmit) -> io::Result<Stamp> {
        let time = self.wire.now();
        if time >= transmit.before {
            return Err(io::Error::other("the run's time is over"));
        }
        if let Some(reservation) = &mut self.reservation {
            let cost = Quota {
                packets: 1,
                bytes: transmit.toll.bytes,
                syns: transmit.toll.syns,
            };
            if !reservation.has_room(cost) {
                let why = "it is more than the operator's ledger has set aside for this run";
                return Err(io::Error::other(why));
            }
            reservation.note(cost);
        }
        self.wire.send(&transmit.octets)?;
        self.totals.sent += 1;
        Ok(Stamp {
            time,
            source: StampSource::Clock,
        })
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
        Ok(Attached {
            environment: self.far.environment(policy, self.seed),
            start: self.wire.now(),
        })
    }

    fn send(&mut self, _program: ProgramId, frame: Transmit) -> Departure {
        if let Some((_, sent)) = &mut self.with_program {
            *sent += 1;
        }
        if frame.at > self.wire.now() || !self.held.is_empty() {
            self.held.push_back(frame);
            return Departure::Later;
        }
        match self.write(&frame) {
            Ok(stamp) => Departure::At(stamp),
            Err(error) => {
                self.arrivals
                    .push_back(Arrival::NotSent(frame.frame, error));
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
        let packet = self.for_program.pop_front()?;
        let arrival = Arrival::Packet(Packet {
            interface: 0,
            time: packet.time,
            octets: packet.bytes.clone(),
            wire_len: packet.bytes.len(),
            checksum_ready: true,
        });
        self.with_program = Some((packet, 0));
        Some(arrival)
    }

    fn reacted(&mut self, _program: ProgramId, before: Reactions, after: Reactions) {
        let Some((packet, sent)) = self.with_program.take() else {
            return;
        };
        let refused = (after.refused > before.refused)
            .then_some(after.refusal)
            .flatten();
        match (sent, refused) {
            (1.., _) => self.decide(&packet, Decision::HandlerSend, "the program"),
            (0, Some(RefusalKind::Permission)) => {
                self.decide(&packet, Decision::Permission, "the program's answer");
            }
            (0, Some(_)) => self.decide(&packet, Decision::Budget, "the program's answer"),
            (0, None) if after.taken > before.taken => {
                self.decide(&packet, Decision::HandlerSilent, "the program");
            }
            (0, None) => self.after_program(packet),
        }
    }

    fn clock(&self) -> Option<Box<dyn Fn() -> Time + Send>> {
        Some(Box::new(crafty_net::now))
    }

    fn end(&mut self, _now: Time) -> Time {
        self.send_due();
        let reservation = self.reservation.take();
        reservation.into_iter().for_each(Reservation::end);
        self.wire.now()
    }
}
