//! This host's interfaces as a medium: packet sockets, wire time stamps, and the kernel kept out of
//! what the program owns. Real time, so one program a medium; several runs may share a process as
//! long as none of them locks it down.

mod host;
mod limits;
mod socket;

pub use host::{HostNetwork, documentation_address};

use crate::admission::{AdmittedRun, Reservation};
use crate::load::LoadedProgram;
use crate::medium::{
    Arrival, Attached, Departure, KernelMonitor, Medium, MediumError, ProgramId, Room,
};
use crafty_lang::ir::{Program, VariableKind};
use crafty_net::{
    EgressMonitor, Firewall, FrameCost, NetError, Port, PortOptions, SendAttempt, SendFailure, now,
};
use crafty_policy::Policy;
use crafty_value::{Duration, Time};
use crafty_vm::{FrameId, Transmit};
use host::owned;
use limits::RunLimits;
use socket::{CaptureEvent, OWN_SNAP, Socket};
use std::collections::VecDeque;
use std::io;

/// How long a wait may sleep before it looks at the other sockets, and a run at its cancellation.
const SLICE: Duration = Duration::millis(20);
/// Packets a second from which on a ring, which opens slower, carries what a socket's queue might
/// lose.
const RING_RATE: u64 = 2_000;
/// Bytes of that ring for a program that only sends.
const SENDING_RING: usize = 16 << 20;
/// Bytes of all rings together for a program that listens, so that 30,000 frames wait while others
/// have the processor.
const LISTENING_RINGS: usize = 64 << 20;
/// Packets of a run from which on a thread of its own carries its bursts. Who sends less listens,
/// and a process with one thread hears more.
const MANY_PACKETS: u64 = 1_000;
/// Packets a second up to which the kernel repeats the gate's rules: that takes it half a microsecond for
/// each, which is a twentieth of a processor here and a quarter of the time of a send beyond.
const MONITORED_RATE: u64 = 100_000;
/// Frames from which on they are a burst: fewer leave sooner without another thread.
const BURST: usize = 32;

/// When frames of the program's are captured on their way out, to know when they were on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stamping {
    /// Where the program keeps a packet that it sends, and so can ask for its time.
    #[default]
    WhenAsked,
    /// Always: somebody records them.
    Always,
}

/// How a program is joined to this host's interfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveOptions {
    /// When frames are captured on their way out.
    pub stamping: Stamping,
}

/// The open sockets of a run.
pub struct LiveMedium {
    host: HostNetwork,
    options: LiveOptions,
    admitted: Option<AdmittedRun>,
    reservation: Option<Reservation>,
    room: Room,
    sockets: Vec<Socket>,
    firewall: Option<Firewall>,
    monitor: Option<EgressMonitor>,
    watched: KernelMonitor,
    cancelled: bool,
    /// Frames that are not due yet.
    pending: VecDeque<Transmit>,
    arrivals: VecDeque<Arrival>,
    limits: Option<RunLimits>,
    /// What was read and is not sorted in yet; kept for its room.
    news: Vec<CaptureEvent>,
}

impl LiveMedium {
    /// Opens nothing yet: sockets are opened for a program, when it is added.
    pub fn new(host: HostNetwork, options: LiveOptions, admitted: AdmittedRun) -> LiveMedium {
        LiveMedium {
            host,
            options,
            admitted: Some(admitted),
            reservation: None,
            room: Room::Free,
            sockets: Vec::new(),
            firewall: None,
            monitor: None,
            watched: KernelMonitor::Off,
            cancelled: false,
            pending: VecDeque::new(),
            arrivals: VecDeque::new(),
            limits: None,
            news: Vec::new(),
        }
    }

    /// Gives up every privilege of the *process*, for good: from now on it can send on the open
    /// sockets, write to its open files, tell the time, and end. Call it once the program is added,
    /// in a process that does nothing else.
    ///
    /// # Errors
    /// When the kernel cannot do it.
    pub fn lock_down(&mut self) -> Result<(), NetError> {
        let ports = self.sockets.iter_mut().map(|socket| &mut socket.port);
        crafty_net::lock_down(&mut ports.collect::<Vec<&mut Port>>())?;
        self.sockets
            .iter_mut()
            .for_each(|socket| socket.failures = socket.port.failures());
        Ok(())
    }

    /// Capture on, firewall in: from now on the kernel is kept out.
    fn open(&mut self, program: &LoadedProgram) -> Result<(), NetError> {
        let policy = &program.bound.policy;
        let interfaces = &self.host.interfaces;
        let options = socket_options(&program.program, policy, self.options, interfaces.len());
        let limits = RunLimits::new(&policy.budget, self.reservation.take());
        let guard = limits.guard();
        self.limits = Some(limits);
        for interface in interfaces {
            let mut socket = Socket::open(interface, &options)?;
            socket.port.guarded_by(guard.clone());
            self.sockets.push(socket);
        }
        if policy.budget.max_packets_per_secs > MONITORED_RATE {
            self.watched = KernelMonitor::TooFast;
        } else if let Some(monitor) = monitored(&self.host, policy, &mut self.sockets) {
            self.monitor = Some(monitor);
            self.watched = KernelMonitor::On;
        }
        let owned = owned(policy, interfaces);
        let first = interfaces.first().map_or(0, |interface| interface.index);
        if !owned.is_empty() {
            self.firewall = Some(Firewall::install(first, &owned)?);
        }
        // Without it waits are 50 us late: worth having, not worth failing for.
        let _ = crafty_net::wake_precisely();
        Ok(())
    }

    /// What is held back is still sent, or is cancelled; at the deadline all of it is cancelled.
    fn send_rest(&mut self) {
        while let Some(due) = self.pending.front().map(|transmit| transmit.at) {
            if !self.cancelled {
                crafty_net::sleep_until(due);
            }
            self.flush();
        }
        self.settle();
    }

    /// Sends a frame; gives when it may be tried again if its second has no room yet.
    fn send_now(&mut self, transmit: &Transmit, way: SendMethod) -> Option<Time> {
        let socket = &mut self.sockets[transmit.interface];
        let (number, toll) = (transmit.frame.0, transmit.toll);
        let cost = FrameCost {
            bytes: toll.bytes,
            syns: toll.syns,
        };
        socket.register(number, &transmit.octets);
        match way(&mut socket.port, number, &transmit.octets, cost) {
            Ok(SendAttempt::Sent) => None,
            Ok(SendAttempt::TooEarly(at)) => {
                socket.forget(number);
                // No sooner than now: what is asked again at once finds the same.
                let left = at.since(crafty_net::since_boot()).max(Duration(1));
                Some(now().after(left))
            }
            Err(error) => {
                socket.forget(number);
                self.arrivals
                    .push_back(Arrival::NotSent(transmit.frame, error));
                None
            }
        }
    }

    fn end_reservation(&self) {
        self.limits.iter().for_each(RunLimits::end);
    }

    /// What was handed over and was not sent.
    fn note_failures(&mut self) {
        for socket in &mut self.sockets {
            for failure in socket.failures.take() {
                socket.forget(failure.number);
                self.arrivals.push_back(not_sent(failure));
            }
        }
    }

    /// Takes what the kernel has seen up to a time, of all sockets in the order of time.
    fn read(&mut self, up_to: Time) -> io::Result<()> {
        let mut news = std::mem::take(&mut self.news);
        let mut sockets = self.sockets.iter_mut().enumerate();
        let read = sockets.try_for_each(|(at, socket)| socket.read(at, up_to, &mut news));
        if !news.is_sorted_by_key(|news| news.time) {
            news.sort_by_key(|news| news.time);
        }
        self.arrivals.extend(news.drain(..).map(|news| news.what));
        self.news = news;
        read
    }

    fn note_losses(&mut self) {
        for (interface, socket) in self.sockets.iter_mut().enumerate() {
            let count = socket.newly_lost();
            if count > 0 {
                self.arrivals.push_back(Arrival::Lost { interface, count });
            }
        }
    }
}

impl Medium for LiveMedium {
    fn attach(
        &mut self,
        program: &LoadedProgram,
        place: Option<&str>,
    ) -> Result<Attached, MediumError> {
        self.room.take(place)?;
        let admitted = self.admitted.take().filter(|run| run.is_for(program));
        self.reservation = admitted.ok_or(MediumError::NotAdmitted)?.take_reservation();
        if let Err(error) = self.open(program) {
            // Nothing was sent.
            self.end_reservation();
            return Err(error.into());
        }
        Ok(Attached {
            environment: self.host.environment.clone(),
            start: now(),
        })
    }

    fn send(&mut self, _program: ProgramId, frame: Transmit) -> Departure {
        if let Some(limits) = &mut self.limits {
            limits.close_at(frame.before);
        }
        self.pending.push_back(frame);
        Departure::Later
    }

    /// Sends what is due.
    fn flush(&mut self) {
        let way: SendMethod = if self.pending.len() < BURST {
            |port, _, frame, cost| port.try_send(frame, cost)
        } else {
            Port::send_soon
        };
        let mut told = now();
        while let Some(mut transmit) = self.pending.pop_front() {
            if transmit.at > told {
                told = now();
            }
            if transmit.at <= told || self.cancelled {
                match self.send_now(&transmit, way) {
                    None => continue,
                    Some(later) => transmit.at = later,
                }
            }
            self.pending.push_front(transmit);
            break;
        }
        self.sockets
            .iter_mut()
            .for_each(|socket| socket.port.hand_over());
    }

    /// Waits until all that was handed over has left, or failed.
    fn settle(&mut self) {
        self.sockets
            .iter_mut()
            .for_each(|socket| socket.port.finish());
    }

    fn wait(&mut self, until: Option<Time>) -> Option<Time> {
        let due = self.pending.front().map(|transmit| transmit.at);
        let due = [until, due].into_iter().flatten().min();
        let until = due.unwrap_or(Time(i64::MAX)).min(now().after(SLICE));
        self.note_failures();
        let fds: Vec<_> = self.sockets.iter().map(|socket| socket.port.fd()).collect();
        let waited = crafty_net::wait_any(&fds, until);
        let read_up_to = now();
        if let Err(error) = waited.and_then(|_| self.read(read_up_to)) {
            self.arrivals.push_back(Arrival::Unreadable(error));
        }
        self.note_losses();
        Some(read_up_to)
    }

    /// Counted since boot: a clock that is set meanwhile neither ends nor prolongs a run.
    fn clock(&self) -> Option<Box<dyn Fn() -> Time + Send>> {
        let difference = now().since(crafty_net::since_boot());
        Some(Box::new(move || crafty_net::since_boot().after(difference)))
    }

    fn receive(&mut self, _program: ProgramId) -> Option<Arrival> {
        self.arrivals.pop_front()
    }

    /// What its second has room for still leaves: the reset of a connection, for one.
    fn cancel(&mut self) {
        self.cancelled = true;
        if let Some(limits) = &self.limits {
            limits.wait_no_more();
        }
    }

    fn kernel_monitor(&self) -> KernelMonitor {
        self.watched
    }

    fn end(&mut self, _now: Time) -> Time {
        self.send_rest();
        self.note_failures();
        // Nobody acts on it any more: what cannot be read now is not worth a word.
        let _ = self.read(now().after(Duration::millis(2)));
        self.end_reservation();
        now()
    }
}

/// Lets the kernel repeat destinations and rates, if it can: a second look, worth having and not worth
/// failing for.
fn monitored(host: &HostNetwork, policy: &Policy, sockets: &mut [Socket]) -> Option<EgressMonitor> {
    let monitor = EgressMonitor::install(&host.interfaces, &host.egress_rules(policy)).ok()?;
    let mut ports = sockets.iter_mut().map(|socket| &mut socket.port);
    ports.try_for_each(|port| port.watched_by(&monitor)).ok()?;
    Some(monitor)
}

/// How a frame is sent: at once, or soon.
type SendMethod = fn(&mut Port, u64, &[u8], FrameCost) -> io::Result<SendAttempt>;

fn not_sent(failure: SendFailure) -> Arrival {
    Arrival::NotSent(FrameId(failure.number), failure.error)
}

/// What the sockets of a program have to do.
fn socket_options(
    program: &Program,
    policy: &Policy,
    live: LiveOptions,
    interfaces: usize,
) -> PortOptions {
    let has = |kind| program.variables.iter().any(|v| v.kind == kind);
    let is_quick = policy.budget.max_packets_per_secs > RING_RATE;
    let ring_bytes = if !is_quick {
        0
    } else if has(VariableKind::Match) {
        SENDING_RING.max(LISTENING_RINGS / interfaces.max(1))
    } else {
        SENDING_RING
    };
    PortOptions {
        recapture: live.stamping == Stamping::Always || has(VariableKind::Sent),
        own_snap: OWN_SNAP,
        ring_bytes,
        thread: is_quick && policy.budget.max_packets > MANY_PACKETS,
        ..PortOptions::default()
    }
}
