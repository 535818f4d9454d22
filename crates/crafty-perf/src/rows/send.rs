//! Sending: one field changes in each frame, checksums right, every frame judged by the gate; with
//! the recapture that tells each frame's time, and without where the program asks for none.

use crate::flood::{Since, flood, hping3, trafgen};
use crate::numbers::{medians, paired, short};
use crate::place::{FLOOD, Testbed};
use crate::row::{Benchmark, BenchmarkResult, Measurement, Threshold};
use crate::scapy;
use crate::tool::{crafty, program};
use std::process::Command;
use std::time::Duration;

pub const ROW: Benchmark = Benchmark {
    name: "send",
    about: "datagrams a second through the gate, with and without recapture, beside trafgen, hping3 and scapy",
    run,
};

/// Paired runs, and datagrams of each.
const RUNS: usize = 5;
const FRAMES: u64 = 1_000_000;

/// What Crafty runs.
const OURS: [(&str, &str); 2] = [
    ("sent and recaptured", "send.crafty"),
    ("sent", "flood.crafty"),
];

/// Another tool: its name, what sends, and the gates of both of ours.
type Other = (&'static str, fn(&Testbed) -> BenchmarkResult<f64>, [f64; 2]);

const OTHERS: [Other; 4] = [
    ("trafgen, queue bypassed", bypassing, [0.6, 0.75]),
    ("trafgen -q", queued, [0.6, 0.75]),
    ("hping3 --flood", flooding, [1.8, 2.3]),
    ("scapy, open L2 socket", scripted, [300.0, 500.0]),
];

fn run() -> BenchmarkResult<Vec<Measurement>> {
    let place = Testbed::new()?;
    let mut rows: [[Vec<(f64, f64)>; 4]; 2] = Default::default();
    for _ in 0..RUNS {
        let [timed, plain] = OURS.map(|(_, name)| ours(&place, name));
        let ours = [timed?, plain?];
        for (at, (_, theirs, _)) in OTHERS.iter().enumerate() {
            let theirs = theirs(&place)?;
            rows.iter_mut()
                .zip(ours)
                .for_each(|(row, ours)| row[at].push((ours, theirs)));
        }
    }
    let line =
        |way: usize, at: usize| line(&rows[way][at], OURS[way].0, OTHERS[at].0, OTHERS[at].2[way]);
    Ok((0..OURS.len())
        .flat_map(|way| (0..OTHERS.len()).map(move |at| (way, at)))
        .map(|(way, at)| line(way, at))
        .collect())
}

fn line(pairs: &[(f64, f64)], what: &str, other: &str, gate: f64) -> Measurement {
    let (ours, theirs) = medians(pairs);
    let [ours, theirs] = [ours, theirs].map(|rate| format!("{}/s", short(rate)));
    Measurement {
        what: format!("{what} / {other}"),
        ours,
        theirs,
        value: paired(pairs),
        gate: Threshold::AtLeast(gate),
    }
}

/// From the start of the command on: what comes before the first frame is ours to pay.
fn ours(place: &Testbed, name: &str) -> BenchmarkResult<f64> {
    let mut command = Command::new(crafty());
    command
        .arg("run")
        .arg(program(name))
        .arg(format!("count={FRAMES}"));
    let flooded = flood(place, &mut command, Since::Start, None)?;
    match flooded.frames >= FRAMES {
        true => Ok(flooded.rate),
        false => Err(format!("only {} of {FRAMES} frames left", flooded.frames).into()),
    }
}

fn bypassing(place: &Testbed) -> BenchmarkResult<f64> {
    let mut command = trafgen(place, FLOOD, &format!("--num {FRAMES}"))?;
    Ok(flood(place, &mut command, Since::FirstFrame, None)?.rate)
}

fn queued(place: &Testbed) -> BenchmarkResult<f64> {
    let mut command = trafgen(place, FLOOD, &format!("--num {FRAMES} --qdisc-path"))?;
    Ok(flood(place, &mut command, Since::FirstFrame, None)?.rate)
}

fn flooding(place: &Testbed) -> BenchmarkResult<f64> {
    Ok(flood(
        place,
        &mut hping3(),
        Since::FirstFrame,
        Some(Duration::from_millis(1500)),
    )?
    .rate)
}

/// Without the start of Python: only the loop is timed.
fn scripted(place: &Testbed) -> BenchmarkResult<f64> {
    Ok(
        scapy::run(place, "scapy_send.py", &["near", &place.far_mac()?, "2000"])?
            .trim()
            .parse()?,
    )
}
