//! A machine against a recorded peer, in virtual time: no privilege, no waiting, the same bytes
//! each time.

use super::sink::{LINKTYPES, Passed, Sink};
use super::{Ended, Runner};
use crate::replay::Replay;
use crate::status;
use crafty_capture::Direction;
use crafty_value::Time;
use crafty_vm::{Stamp, StampSource};

/// Steps without any time passing after which a run is stuck: a defect, told rather than hung on.
const MOST_IDLE_STEPS: u32 = 1_000_000;

/// Runs a program to its end. One that did well but left its recording has failed.
pub fn run(replay: &mut Replay, runner: &mut Runner, sink: &mut Sink) -> Ended {
    let link = if replay.is_ethernet() {
        LINKTYPES.0
    } else {
        LINKTYPES.1
    };
    let mut now = replay.start();
    let (mut idle, mut departures) = (0, 0);
    loop {
        flush(replay, runner, sink, now, link);
        departures += tell(replay, sink);
        let timer = runner
            .machine
            .poll_timeout()
            .filter(|_| runner.machine.outcome().is_none());
        let Some(next) = [timer, replay.next()]
            .into_iter()
            .flatten()
            .min()
            .filter(|_| timer.is_some())
        else {
            break;
        };
        idle = if next > now { 0 } else { idle + 1 };
        if idle > MOST_IDLE_STEPS {
            runner.machine.cancel();
            break;
        }
        now = now.max(next);
        step(replay, runner, sink, now, link);
    }
    replay.finish(now);
    departures += tell(replay, sink);
    let outcome = runner.machine.outcome();
    let stuck = || Some("the run came to a standstill".to_string());
    let (status, why) = outcome.map_or_else(|| (6, stuck()), |o| (o.status, o.why.clone()));
    let report = runner.machine.report();
    if status == status::DONE && departures > 0 {
        return Ended {
            status: status::FAILED,
            why: Some(left(departures)),
            report,
        };
    }
    Ended {
        status,
        why,
        report,
    }
}

fn left(departures: u64) -> String {
    let times = if departures == 1 {
        "once".into()
    } else {
        format!("{departures} times")
    };
    format!("the program left its recording {times}")
}

/// Frames out, stamps and events in order.
fn flush(replay: &mut Replay, runner: &mut Runner, sink: &mut Sink, now: Time, link: u16) {
    loop {
        while let Some(event) = runner.machine.poll_event() {
            sink.event(0, &event);
        }
        let Some(transmit) = runner.machine.poll_transmit() else {
            break;
        };
        let time = transmit.at.max(now);
        replay.sent(time, &transmit.octets);
        let passed = Passed {
            interface: 0,
            link,
            time,
            direction: Direction::Outbound,
        };
        let comments = sink.comments(0, &transmit);
        sink.frame(passed, &transmit.octets, transmit.octets.len(), comments);
        runner.machine.handle_stamp(
            transmit.frame,
            Stamp {
                time,
                source: StampSource::Recapture,
            },
        );
    }
}

/// Packets before timers at the same time.
fn step(replay: &mut Replay, runner: &mut Runner, sink: &mut Sink, now: Time, link: u16) {
    while let Some(packet) = replay.receive(now) {
        let passed = Passed {
            interface: 0,
            link,
            time: packet.time,
            direction: Direction::Inbound,
        };
        let (recorded, wire_len) = (
            sink.records().then(|| packet.octets.clone()),
            packet.wire_len,
        );
        runner.machine.handle_packet(packet);
        // Secrets stand before what they decrypt.
        runner
            .machine
            .poll_secrets()
            .iter()
            .for_each(|lines| sink.secrets(lines));
        if let Some(octets) = recorded {
            sink.frame(passed, &octets, wire_len, Vec::new());
        }
        flush(replay, runner, sink, now, link);
    }
    if runner.machine.poll_timeout().is_some_and(|due| due <= now) {
        runner.machine.handle_timeout(now);
    }
}

fn tell(replay: &mut Replay, sink: &Sink) -> u64 {
    let mut told = 0;
    while let Some(departure) = replay.departure() {
        sink.departure(&departure);
        told += 1;
    }
    told
}
