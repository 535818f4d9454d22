//! Sending: one field changes in each frame, checksums right, every frame judged by the gate and recaptured for its stamp.

use crate::flood::{Since, flood, hping3, trafgen};
use crate::numbers::{medians, paired, short};
use crate::place::{FLOOD, Place};
use crate::row::{Gate, Line, Outcome, Row};
use crate::scapy;
use crate::tool::{crafty, program};
use std::process::Command;
use std::time::Duration;

pub const ROW: Row = Row { name: "send", about: "datagrams a second, gate and recapture on, beside trafgen, hping3 and scapy", run };

/// Paired runs, and datagrams of each.
const RUNS: usize = 5;
const FRAMES: u64 = 1_000_000;

fn run() -> Outcome<Vec<Line>> {
    let place = Place::new()?;
    let mut rows: [Vec<(f64, f64)>; 4] = Default::default();
    for _ in 0..RUNS {
        let ours = ours(&place)?;
        for (row, theirs) in rows.iter_mut().zip([bypassing, queued, flooding, scripted]) {
            row.push((ours, theirs(&place)?));
        }
    }
    let others = [("trafgen, queue bypassed", 0.6), ("trafgen -q", 0.6), ("hping3 --flood", 1.8), ("scapy, open L2 socket", 300.0)];
    Ok(rows.iter().zip(others).map(|(pairs, (other, gate))| line(pairs, other, gate)).collect())
}

fn line(pairs: &[(f64, f64)], other: &str, gate: f64) -> Line {
    let (ours, theirs) = medians(pairs);
    let [ours, theirs] = [ours, theirs].map(|rate| format!("{}/s", short(rate)));
    Line { what: format!("sent / {other}"), ours, theirs, value: paired(pairs), gate: Gate::AtLeast(gate) }
}

/// From the start of the command on: what comes before the first frame is ours to pay.
fn ours(place: &Place) -> Outcome<f64> {
    let mut command = Command::new(crafty());
    command.arg("run").arg(program("send.crafty")).arg(format!("count={FRAMES}"));
    let flooded = flood(place, &mut command, Since::Start, None)?;
    match flooded.frames >= FRAMES {
        true => Ok(flooded.rate),
        false => Err(format!("only {} of {FRAMES} frames left", flooded.frames).into()),
    }
}

fn bypassing(place: &Place) -> Outcome<f64> {
    let mut command = trafgen(place, FLOOD, &format!("--num {FRAMES}"))?;
    Ok(flood(place, &mut command, Since::FirstFrame, None)?.rate)
}

fn queued(place: &Place) -> Outcome<f64> {
    let mut command = trafgen(place, FLOOD, &format!("--num {FRAMES} --qdisc-path"))?;
    Ok(flood(place, &mut command, Since::FirstFrame, None)?.rate)
}

fn flooding(place: &Place) -> Outcome<f64> {
    Ok(flood(place, &mut hping3(), Since::FirstFrame, Some(Duration::from_millis(1500)))?.rate)
}

/// Without the start of Python: only the loop is timed.
fn scripted(place: &Place) -> Outcome<f64> {
    Ok(scapy::run(place, "scapy_send.py", &["near", &place.mac(true)?, "2000"])?.trim().parse()?)
}
