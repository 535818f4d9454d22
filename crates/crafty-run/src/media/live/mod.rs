//! Machines on this machine's network: packet sockets, wire time stamps, and the kernel kept out of
//! what the program owns.

use super::place::{Place, owned};
use super::sink::{LINKTYPES, Passed, Sink};
use super::{Ended, Runner};
use crafty_capture::Direction as Side;
use crafty_lang::ir::Span;
use crafty_net::{
    Captured, Direction, Failure, Failures, Firewall, Interface, Interrupt, LinkType, NetError,
    Options, Port, StampMatcher, now,
};
use crafty_policy::Policy;
use crafty_value::{Duration, Time};
use crafty_vm::{Packet, Stamp, StampSource, Transmit};
use std::collections::{BTreeMap, VecDeque};

/// How long a wait may sleep before it looks at the other ports and at signals.
const SLICE: Duration = Duration::millis(50);
/// Packets a second from which on a ring, which opens slower, carries what a socket's queue might
/// lose.
const RING_RATE: u64 = 2_000;
/// Size of that ring in bytes: for who sends, and of all rings together for who listens, so that
/// 30,000 frames wait while others have the processor.
const RING_BYTES: (usize, usize) = (16 << 20, 64 << 20);
/// Bytes of a frame of ours by which its recapture is known: all headers, checksums among them.
/// What is equal so far is told apart by its length and the order of sends.
const OWN_SNAP: u32 = 256;
/// Frames that may wait for their recapture.
const MOST_WAITING: usize = 65_536;
/// Packets of a run from which on a thread of its own carries its bursts. Who sends less listens,
/// and a process with one thread hears more.
const MANY: u64 = 1_000;
/// Frames from which on they are a burst: fewer leave sooner without another thread.
const BURST: usize = 32;
/// Changes of line that are remembered of the last bursts; more frames than these are never on
/// their way.
const LINES: usize = 4_096;

/// What a program asks of the captures.
#[derive(Clone, Copy, Debug)]
pub struct Asks {
    /// When a frame of ours was on the wire.
    pub stamps: bool,
    /// What arrives: it has handlers, or an `expect`.
    pub hears: bool,
}

/// The open sockets of a run.
pub struct Live {
    ports: Vec<Open>,
    interrupt: Option<Interrupt>,
    _firewall: Option<Firewall>,
    pending: VecDeque<Transmit>,
    /// Frames for the capture file that wait for their time stamp: by number, with interface and
    /// comments.
    unstamped: BTreeMap<u64, (usize, Vec<u8>, Vec<String>)>,
    /// From which frame on it was which line, for those of a burst that fail.
    lines: VecDeque<(u64, Span)>,
    heard: Vec<(u64, u64)>,
    /// What was read and is not handed over yet; kept for its room.
    news: Vec<News>,
}

struct Open {
    port: Port,
    failures: Failures,
    /// None where nobody asks when a frame was on the wire.
    matcher: Option<StampMatcher>,
    link: u16,
    loopback: bool,
    lost: u64,
}

impl Live {
    /// Capture on, firewall in: from now on the kernel is kept out.
    pub fn open(place: &Place, policy: &Policy, asks: Asks) -> Result<Live, NetError> {
        let quick = policy.budget.max_packets_per_secs > RING_RATE;
        let ring = if asks.hears {
            RING_BYTES
                .0
                .max(RING_BYTES.1 / place.interfaces.len().max(1))
        } else {
            RING_BYTES.0
        };
        let (ring_bytes, thread) = (
            if quick { ring } else { 0 },
            quick && policy.budget.max_packets > MANY,
        );
        let options = Options {
            recapture: asks.stamps,
            own_snap: OWN_SNAP,
            ring_bytes,
            thread,
            ..Options::default()
        };
        let ports = place
            .interfaces
            .iter()
            .map(|i| open(i, &options))
            .collect::<Result<Vec<_>, _>>()?;
        let owned = owned(policy, &place.interfaces);
        let first = place.interfaces.first().map_or(0, |i| i.index);
        let firewall = if owned.is_empty() {
            None
        } else {
            Some(Firewall::install(first, &owned)?)
        };
        let heard = vec![(0, 0); ports.len()];
        // Without them waits are 50 us late and Ctrl-C ends without a report: worth having, not
        // worth failing for.
        let _ = crafty_net::wake_precisely();
        let interrupt = Interrupt::listen().ok();
        let (pending, lines, unstamped) = (VecDeque::new(), VecDeque::new(), BTreeMap::new());
        Ok(Live {
            ports,
            interrupt,
            _firewall: firewall,
            pending,
            unstamped,
            lines,
            heard,
            news: Vec::new(),
        })
    }

    /// Gives up every privilege: from now on the process can send on its open ports, write to its
    /// open files, tell the time, and end.
    pub fn lock_down(&mut self) -> Result<(), NetError> {
        let mut ports: Vec<&mut Port> = self.ports.iter_mut().map(|open| &mut open.port).collect();
        crafty_net::lock_down(&mut ports)?;
        self.ports
            .iter_mut()
            .for_each(|open| open.failures = open.port.failures());
        Ok(())
    }

    /// Names and link types for a capture file.
    pub fn interfaces(place: &Place) -> Vec<(String, u16)> {
        place
            .interfaces
            .iter()
            .map(|i| (i.name.clone(), linktype(i)))
            .collect()
    }

    /// Frames that each interface received and lost.
    pub fn statistics(&self) -> Vec<(u64, u64)> {
        self.heard.clone()
    }

    /// Runs a program to its end.
    pub fn run(&mut self, runner: &mut Runner, sink: &mut Sink) -> Ended {
        while runner.machine.outcome().is_none() {
            self.send_due(runner, sink);
            if runner.machine.outcome().is_some() {
                break;
            }
            let read_up_to = self.hear(runner, sink);
            if self.interrupt.as_ref().is_some_and(Interrupt::came) {
                runner.machine.cancel();
            } else if runner
                .machine
                .poll_timeout()
                .is_some_and(|due| due <= read_up_to)
            {
                runner.machine.handle_timeout(read_up_to);
            }
        }
        self.send_due(runner, sink);
        self.hear_rest(runner, sink);
        let outcome = runner.machine.outcome();
        Ended {
            status: outcome.map_or(6, |o| o.status),
            why: outcome.and_then(|o| o.why.clone()),
            report: runner.machine.report(),
        }
    }

    /// Events out, frames out that are due.
    fn send_due(&mut self, runner: &mut Runner, sink: &mut Sink) {
        loop {
            while let Some(event) = runner.machine.poll_event() {
                sink.event(0, &event);
            }
            let Some(transmit) = runner.machine.poll_transmit() else {
                break;
            };
            self.pending.push_back(transmit);
        }
        let way: Way = if self.pending.len() < BURST {
            |port, _, frame| port.send(frame)
        } else {
            Port::send_soon
        };
        let mut told = now();
        while let Some(transmit) = self.pending.pop_front() {
            if transmit.at > told {
                told = now();
            }
            if transmit.at > told {
                self.pending.push_front(transmit);
                break;
            }
            self.send(transmit, way, sink);
        }
        self.ports.iter_mut().for_each(|open| open.port.hand_over());
    }

    fn send(&mut self, transmit: Transmit, way: Way, sink: &mut Sink) {
        let open = &mut self.ports[transmit.interface];
        let number = transmit.frame.0;
        open.register(number, &transmit.octets);
        if let Err(error) = way(&mut open.port, number, &transmit.octets) {
            open.forget(number);
            return not_left(&error, transmit.line, sink);
        }
        self.note_line(number, transmit.line);
        self.record_later(transmit, sink);
    }

    fn note_line(&mut self, number: u64, line: Span) {
        if self.lines.back().is_some_and(|(_, last)| *last == line) {
            return;
        }
        if self.lines.len() >= LINES {
            self.lines.pop_front();
        }
        self.lines.push_back((number, line));
    }

    /// Waits until all that was handed over has left, or failed.
    fn finish(&mut self) {
        self.ports.iter_mut().for_each(|open| open.port.finish());
    }

    /// Tells what was handed over and did not leave.
    fn tell_failures(&mut self, sink: &Sink) {
        for at in 0..self.ports.len() {
            for failure in self.ports[at].failures.take() {
                self.ports[at].forget(failure.number);
                self.tell_failure(&failure, sink);
            }
        }
    }

    fn tell_failure(&mut self, failure: &Failure, sink: &Sink) {
        self.unstamped.remove(&failure.number);
        let before = self
            .lines
            .partition_point(|(first, _)| *first <= failure.number);
        let line = before.checked_sub(1).and_then(|at| self.lines.get(at));
        not_left(
            &failure.error,
            line.map_or(Span::default(), |(_, line)| *line),
            sink,
        );
    }

    fn record_later(&mut self, transmit: Transmit, sink: &mut Sink) {
        if sink.records() {
            let comments = sink.comments(0, &transmit);
            self.unstamped.insert(
                transmit.frame.0,
                (transmit.interface, transmit.octets, comments),
            );
        }
    }

    /// Writes a sent frame into the capture file, with the time at which it was on the wire.
    fn record_sent(&mut self, frame: u64, time: Time, sink: &mut Sink) {
        if let Some((interface, octets, comments)) = self.unstamped.remove(&frame) {
            sink.frame(
                Passed {
                    interface,
                    link: self.ports[interface].link,
                    time,
                    direction: Side::Outbound,
                },
                &octets,
                octets.len(),
                comments,
            );
        }
    }

    /// Frames that no capture saw leaving are told as such.
    fn record_unseen(&mut self, sink: &mut Sink) {
        for (interface, octets, mut comments) in std::mem::take(&mut self.unstamped).into_values() {
            comments.push("not seen leaving: the time is that of the end".into());
            sink.frame(
                Passed {
                    interface,
                    link: self.ports[interface].link,
                    time: now(),
                    direction: Side::Outbound,
                },
                &octets,
                octets.len(),
                comments,
            );
        }
    }

    /// Waits for frames until something is due; gives the time up to which all that arrived was
    /// read.
    fn hear(&mut self, runner: &mut Runner, sink: &mut Sink) -> Time {
        let due = [
            runner.machine.poll_timeout(),
            self.pending.front().map(|t| t.at),
        ]
        .into_iter()
        .flatten()
        .min();
        let until = due.unwrap_or(Time(i64::MAX)).min(now().after(SLICE));
        if !runner.machine.goes_on() {
            self.finish();
        }
        self.tell_failures(sink);
        let fds: Vec<_> = self.ports.iter().map(|open| open.port.fd()).collect();
        let waited = crafty_net::wait_any(&fds, until);
        let read_up_to = now();
        if let Err(error) = waited.and_then(|_| self.drain(read_up_to, runner, sink)) {
            crate::output::note(&format!("reading a capture failed: {error}"));
        }
        self.tell_losses(runner);
        read_up_to
    }

    /// Hands over what the kernel has seen up to a time.
    fn drain(&mut self, up_to: Time, runner: &mut Runner, sink: &mut Sink) -> std::io::Result<()> {
        let mut news = std::mem::take(&mut self.news);
        let read = self.read(up_to, &mut news);
        if !news.is_sorted_by_key(|n| n.time) {
            news.sort_by_key(|n| n.time);
        }
        news.drain(..).for_each(|n| self.deliver(n, runner, sink));
        self.news = news;
        read
    }

    /// What arrived by the end still goes into the capture file.
    fn hear_rest(&mut self, runner: &mut Runner, sink: &mut Sink) {
        self.finish();
        self.tell_failures(sink);
        let _ = self.drain(now().after(Duration::millis(2)), runner, sink);
        self.record_unseen(sink);
    }

    fn read(&mut self, up_to: Time, news: &mut Vec<News>) -> std::io::Result<()> {
        for (port, open) in self.ports.iter_mut().enumerate() {
            let Open {
                port: from,
                failures,
                matcher,
                loopback,
                ..
            } = open;
            from.receive_each(up_to, |captured| {
                let new = |what| News {
                    port,
                    time: captured.time,
                    what,
                };
                if captured.direction == Direction::Outgoing {
                    // What was handed over before this one and did not leave must not be taken for
                    // it.
                    for failure in failures.take() {
                        matcher
                            .iter_mut()
                            .for_each(|matcher| matcher.forget(failure.number));
                        news.push(new(What::Failed(failure)));
                    }
                }
                news.extend(what_is_new(&captured, matcher, *loopback).map(new))
            })?;
        }
        Ok(())
    }

    fn deliver(&mut self, news: News, runner: &mut Runner, sink: &mut Sink) {
        let News { port, time, what } = news;
        match what {
            What::Sent(frame) => {
                self.record_sent(frame, time, sink);
                runner.machine.handle_stamp(
                    crafty_vm::FrameId(frame),
                    Stamp {
                        time,
                        source: StampSource::Recapture,
                    },
                );
            }
            What::Failed(failure) => self.tell_failure(&failure, sink),
            What::Came {
                octets,
                wire_len,
                checksum_ready,
            } => {
                self.heard[port].0 += 1;
                let recorded = sink.records().then(|| octets.clone());
                runner.machine.handle_packet(Packet {
                    interface: port,
                    time,
                    octets,
                    wire_len,
                    checksum_ready,
                });
                // Secrets stand before what they decrypt.
                runner
                    .machine
                    .poll_secrets()
                    .iter()
                    .for_each(|lines| sink.secrets(lines));
                if let Some(octets) = recorded {
                    let passed = Passed {
                        interface: port,
                        link: self.ports[port].link,
                        time,
                        direction: Side::Inbound,
                    };
                    sink.frame(passed, &octets, wire_len, Vec::new());
                }
            }
        }
    }

    fn tell_losses(&mut self, runner: &mut Runner) {
        for (i, open) in self.ports.iter_mut().enumerate() {
            let lost = open.port.drops();
            if lost > open.lost {
                runner.machine.handle_lost_capture(lost - open.lost);
                open.lost = lost;
                self.heard[i].1 = lost;
            }
        }
    }
}

/// How a frame is sent: at once, or soon.
type Way = fn(&mut Port, u64, &[u8]) -> std::io::Result<()>;

fn not_left(error: &std::io::Error, line: Span, sink: &Sink) {
    crate::output::note(&format!(
        "{}: this frame did not leave: {error}",
        sink.line(0, line)
    ));
}

/// What a capture says.
struct News {
    port: usize,
    time: Time,
    what: What,
}

enum What {
    /// A frame of ours was on the wire: its number.
    Sent(u64),
    /// A frame of ours did not leave.
    Failed(Failure),
    /// A frame came.
    Came {
        octets: Vec<u8>,
        wire_len: usize,
        checksum_ready: bool,
    },
}

/// Frames that left and are not ours are nothing new.
fn what_is_new(
    captured: &Captured<'_>,
    matcher: &mut Option<StampMatcher>,
    loopback: bool,
) -> Option<What> {
    if captured.direction == Direction::Outgoing {
        return matcher
            .as_mut()?
            .captured(captured.frame, captured.wire_len, captured.time)
            .map(|(frame, _)| What::Sent(frame));
    }
    let checksum_ready = !captured.checksum_not_ready && !loopback;
    Some(What::Came {
        octets: captured.frame.to_vec(),
        wire_len: captured.wire_len,
        checksum_ready,
    })
}

fn open(interface: &Interface, options: &Options) -> Result<Open, NetError> {
    let matcher = options
        .recapture
        .then(|| StampMatcher::new(options.own_snap as usize, MOST_WAITING));
    let port = Port::open(interface, options.clone())?;
    Ok(Open {
        port,
        failures: Failures::default(),
        matcher,
        link: linktype(interface),
        loopback: interface.is_loopback,
        lost: 0,
    })
}

impl Open {
    fn register(&mut self, frame: u64, octets: &[u8]) {
        self.matcher
            .iter_mut()
            .for_each(|matcher| matcher.register(frame, octets));
    }

    fn forget(&mut self, frame: u64) {
        self.matcher
            .iter_mut()
            .for_each(|matcher| matcher.forget(frame));
    }
}

fn linktype(interface: &Interface) -> u16 {
    match interface.link {
        LinkType::Ethernet | LinkType::Loopback => LINKTYPES.0,
        LinkType::RawIp | LinkType::Other(_) => LINKTYPES.1,
    }
}
