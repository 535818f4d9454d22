//! TCP: streams in memory and to a kernel beside smoltcp, and the memory of ten thousand
//! connections.

use crate::numbers::{medians, paired, short};
use crate::row::{Benchmark, BenchmarkResult, Measurement, Threshold};
use crate::tcp::{many, memory, wire};
use std::time::Instant;

pub const ROW: Benchmark = Benchmark {
    name: "tcp",
    about: "streams in memory and to the kernel beside smoltcp; 10,000 connections at once",
    run,
};

/// Paired runs, and bytes of each.
const RUNS: usize = 5;
const IN_MEMORY: usize = 1_000_000_000;
const TO_KERNEL: usize = 300_000_000;
/// Least of what smoltcp does.
const LEAST: f64 = 0.8;
const MOST_MB: f64 = 500.0;

fn run() -> BenchmarkResult<Vec<Measurement>> {
    let mut lines = vec![connections()?];
    lines.extend([1500, 9000].map(in_memory));
    lines.push(to_kernel()?);
    Ok(lines)
}

fn connections() -> BenchmarkResult<Measurement> {
    let peak = many::peak()?;
    let what = format!(
        "{} connections of {} bytes each way, in MB",
        many::CONNECTIONS,
        many::BYTES
    );
    Ok(Measurement {
        what,
        ours: format!("{} MB", short(peak)),
        theirs: String::new(),
        value: peak,
        gate: Threshold::AtMost(MOST_MB),
    })
}

fn in_memory(mtu: usize) -> Measurement {
    let rate = |run: fn(usize, usize)| {
        let begun = Instant::now();
        run(mtu, IN_MEMORY);
        IN_MEMORY as f64 / begun.elapsed().as_secs_f64()
    };
    let pairs: Vec<_> = (0..RUNS)
        .map(|_| (rate(memory::ours), rate(memory::theirs)))
        .collect();
    line(format!("in memory, MTU {mtu} / smoltcp"), &pairs)
}

fn to_kernel() -> BenchmarkResult<Measurement> {
    let place = wire::place()?;
    let mut pairs = Vec::new();
    for n in 0..RUNS as u16 {
        let [ours, theirs] = [5000 + 2 * n, 5001 + 2 * n];
        pairs.push((
            wire::rate(&place, ours, TO_KERNEL, wire::ours)?,
            wire::rate(&place, theirs, TO_KERNEL, wire::theirs)?,
        ));
    }
    Ok(line(
        "to the kernel over veth, stamped / smoltcp".to_string(),
        &pairs,
    ))
}

fn line(what: String, pairs: &[(f64, f64)]) -> Measurement {
    let (ours, theirs) = medians(pairs);
    let [ours, theirs] = [ours, theirs].map(|rate| format!("{} Gbit/s", short(rate * 8e-9)));
    Measurement {
        what,
        ours,
        theirs,
        value: paired(pairs),
        gate: Threshold::AtLeast(LEAST),
    }
}
