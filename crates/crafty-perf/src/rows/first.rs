//! Start: from the moment that a command is run until its first frame is on the wire, with its
//! stamp.

use crate::numbers::{medians, paired, span};
use crate::pcap;
use crate::place::{THERE, Testbed};
use crate::probe::capture;
use crate::row::{Benchmark, BenchmarkResult, Measurement, Threshold};
use crate::scapy;
use crate::tool::{crafty, interrupt, program, scratch, start};
use crafty_net::now;
use std::process::Command;
use std::time::Duration;

pub const ROW: Benchmark = Benchmark {
    name: "first",
    about: "time from a command's start to its first frame, beside scapy's and ping's",
    run,
};

const RUNS: usize = 9;

fn run() -> BenchmarkResult<Vec<Measurement>> {
    let place = Testbed::new()?;
    let file = scratch("first.pcap");
    let mut watching = capture(&place, &file, "icmp[0] = 8")?;
    let starts = (0..RUNS * 3)
        .map(|n| started(&place, n % 3))
        .collect::<BenchmarkResult<Vec<_>>>()?;
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&mut watching)?;
    let frames = pcap::read(&file)?;
    std::fs::remove_file(&file)?;
    let after = |since: i64| {
        frames
            .iter()
            .map(|f| f.time)
            .find(|time| *time >= since)
            .map_or(f64::NAN, |time| (time - since) as f64)
    };
    let spans: Vec<f64> = starts.into_iter().map(after).collect();
    Ok([(1, "scapy's", 1.0 / 20.0), (2, "ping's", 5.0)]
        .into_iter()
        .map(|(other, name, gate)| line(&spans, other, name, gate))
        .collect())
}

fn line(spans: &[f64], other: usize, name: &str, gate: f64) -> Measurement {
    let pairs: Vec<_> = spans
        .chunks_exact(3)
        .map(|run| (run[0], run[other]))
        .collect();
    let (ours, theirs) = medians(&pairs);
    Measurement {
        what: format!("first frame / {name}"),
        ours: span(ours),
        theirs: span(theirs),
        value: paired(&pairs),
        gate: Threshold::AtMost(gate),
    }
}

/// Runs Crafty, scapy or ping; when it was started.
fn started(place: &Testbed, which: usize) -> BenchmarkResult<i64> {
    let mut command = match which {
        0 => Command::new(crafty()),
        1 => scapy::command("scapy_first.py"),
        _ => Command::new("ping"),
    };
    match which {
        0 => command.arg("run").arg(program("first.crafty")),
        1 => &mut command,
        _ => command.args(["-c", "1", THERE]),
    };
    let (mut child, since) = place.run_here(|| {
        let since = now().0;
        Ok((start(&mut command)?, since))
    })?;
    child.wait()?;
    Ok(since)
}
