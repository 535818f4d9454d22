//! A program run against a network, and twice against a pair of them.

use crate::network::{OTHER, OURS, TestNetwork, environment, environment_of, frame, time};
use crate::{TestRng, generate};
use crafty_lang::check::{bind, check};
use crafty_lang::ir::{Label, Program};
use crafty_lang::labels::price::{self, PriceCharge};
use crafty_lang::labels::{FlowRule, ending, infer_without};
use crafty_lang::worst::worst;
use crafty_policy::ExfiltrationMode;
use crafty_syntax::diagnostic::Severity;
use crafty_value::Time;
use crafty_vm::{Environment, Machine, Packet, Stamp, StampSource};
use std::collections::BTreeMap;

/// What left, and when.
pub type Trace = Vec<(Time, Vec<u8>)>;

/// How much lab time a run may take: more than the budget of the generated programs.
const LONGEST: u64 = 4_000;

/// Two networks that an accepted program tells apart.
#[derive(Debug)]
pub struct LeakWitness {
    /// How many programs had been tried.
    pub tried: u64,
    /// The program.
    pub source: String,
    /// The networks.
    pub networks: (TestNetwork, TestNetwork),
    /// What left in each.
    pub traces: (Trace, Trace),
}

/// A program that the label rules accept, and what its end may tell.
#[derive(Debug)]
pub struct AcceptedProgram {
    /// The program.
    pub program: Program,
    /// What the time and the status of its end may tell.
    pub end: Label,
}

/// The program, if its text has no mistakes and the label rules (one of them switched off, maybe)
/// accept it.
pub fn accepted(source: &str, mode: ExfiltrationMode, off: Option<FlowRule>) -> Option<Program> {
    judged(source, mode, off).map(|accepted| accepted.program)
}

/// The same with what its end may tell.
pub fn judged(
    source: &str,
    mode: ExfiltrationMode,
    off: Option<FlowRule>,
) -> Option<AcceptedProgram> {
    let checked = check(source);
    let program = checked.program?;
    if checked
        .reports
        .iter()
        .any(|r| r.diagnostic.severity == Severity::Error)
    {
        return None;
    }
    let bound = bind(&program, &BTreeMap::new()).ok()?;
    let certainty = worst(&program, &bound).0.certainty(&bound.policy);
    let labels = infer_without(&program, mode, certainty, off);
    let costs = price::costs(&program, &bound, &labels);
    let refused = !labels.reports.is_empty()
        || ending::refused(&program, &labels, mode).is_some()
        || price::declassified(&costs, &bound.policy).is_some();
    let early = costs.iter().any(|cost| cost.charge == PriceCharge::AtStart);
    let end = if early { Label::Content } else { labels.end };
    (!refused).then_some(AcceptedProgram { program, end })
}

/// Runs a program against a network; gives what left.
pub fn trace(program: &Program, network: &TestNetwork) -> Trace {
    let frames: Vec<(u64, Vec<u8>)> = network.datagrams.iter().map(|d| (d.at, frame(d))).collect();
    trace_frames(program, &frames)
}

/// The same with frames and the milliseconds at which they arrive, in order.
pub fn trace_frames(program: &Program, frames: &[(u64, Vec<u8>)]) -> Trace {
    run_frames(program, frames, 0).frames
}

/// What left, and how the run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwinRun {
    /// What left, and when.
    pub frames: Trace,
    /// The exit status, and when the program was over; none if it was not in time.
    pub end: Option<(u8, Time)>,
}

/// Two programs at once: what the first one sends to somebody else arrives at the second, which is
/// that somebody. What either sends is given, and when.
pub fn run_both(programs: [&Program; 2], frames: &[(u64, Vec<u8>)]) -> [Trace; 2] {
    let first = run_frames(programs[0], frames, 0).frames;
    let heard: Vec<(u64, Vec<u8>)> = first
        .iter()
        .filter(|(_, frame)| frame.get(30..34) == Some(&OTHER.octets()))
        .map(|(at, frame)| (at.0.unsigned_abs().div_ceil(1_000_000), frame.clone()))
        .collect();
    let second = run_at(programs[1], environment_of(OTHER, OURS), &heard, 0);
    [first, second.frames]
}

/// The same on a machine that is busy for so many milliseconds after each frame that arrives.
pub fn run_frames(program: &Program, frames: &[(u64, Vec<u8>)], busy: u64) -> TwinRun {
    run_at(program, environment(), frames, busy)
}

fn run_at(program: &Program, place: Environment, frames: &[(u64, Vec<u8>)], busy: u64) -> TwinRun {
    let bound = bind(program, &BTreeMap::new()).expect("generated programs bind");
    let mut machine = Machine::new(program.clone(), bound, place, Time(0));
    let mut trace = Vec::new();
    let mut arrivals = frames.iter().peekable();
    let mut free = time(0);
    loop {
        drain(&mut machine, &mut trace);
        if let Some(outcome) = machine.outcome() {
            let end = Some((outcome.status, outcome.time));
            return TwinRun { frames: trace, end };
        }
        let timer = machine.poll_timeout().unwrap_or(time(LONGEST)).max(free);
        let arrival = arrivals.peek().map(|(at, _)| time(*at));
        if arrival.is_none_or(|at| timer < at) {
            if timer >= time(LONGEST) {
                return TwinRun {
                    frames: trace,
                    end: None,
                };
            }
            machine.handle_timeout(timer);
        } else if let Some((at, octets)) = arrivals.next() {
            let (octets, wire_len) = (octets.clone(), octets.len());
            machine.handle_packet(Packet {
                interface: 0,
                time: time(*at),
                octets,
                wire_len,
                checksum_ready: true,
            });
            free = time(*at + busy);
        }
    }
}

fn drain(machine: &mut Machine, trace: &mut Trace) {
    loop {
        while machine.poll_event().is_some() {}
        let Some(transmit) = machine.poll_transmit() else {
            return;
        };
        trace.push((transmit.at, transmit.octets.clone()));
        machine.handle_stamp(
            transmit.frame,
            Stamp {
                time: transmit.at,
                source: StampSource::Recapture,
            },
        );
    }
}

/// Generates so many programs and runs each accepted one against so many pairs; gives how many were
/// accepted, or the first leak.
pub fn campaign(
    mode: ExfiltrationMode,
    off: Option<FlowRule>,
    programs: u64,
    pairs: u64,
    seed: u64,
) -> Result<u64, Box<LeakWitness>> {
    let mut dice = TestRng::new(seed);
    let mut accepted_count = 0;
    for tried in 1..=programs {
        let generated = generate::program(mode, &mut dice);
        let Some(program) = accepted(&generated.source, mode, off) else {
            continue;
        };
        accepted_count += 1;
        for _ in 0..pairs {
            let first = TestNetwork::random(&mut dice);
            let second = if mode == ExfiltrationMode::None {
                TestNetwork::random(&mut dice)
            } else {
                first.same_shape(&generated.asked, &mut dice)
            };
            let traces = (trace(&program, &first), trace(&program, &second));
            if traces.0 != traces.1 {
                return Err(Box::new(LeakWitness {
                    tried,
                    source: generated.source,
                    networks: (first, second),
                    traces,
                }));
            }
        }
    }
    Ok(accepted_count)
}
