//! Memory: the most that a run ever held, as the kernel counts it.

use crate::numbers::{median, short};
use crate::place::Testbed;
use crate::row::{Benchmark, BenchmarkResult, Measurement, Threshold};
use crate::tool::{crafty, peak, program};
use std::process::Command;

pub const ROW: Benchmark = Benchmark {
    name: "memory",
    about: "most resident memory of a run: few frames, and a million",
    run,
};

const RUNS: usize = 5;
const MOST_MB: f64 = 30.0;

fn run() -> BenchmarkResult<Vec<Measurement>> {
    let place = Testbed::new()?;
    [
        ("a run of 200 probes", "stamps.crafty"),
        ("a run of 1 M frames", "send.crafty"),
    ]
    .into_iter()
    .map(|(what, name)| line(&place, what, name))
    .collect()
}

fn line(place: &Testbed, what: &str, name: &str) -> BenchmarkResult<Measurement> {
    let peaks = (0..RUNS)
        .map(|_| most(place, name))
        .collect::<BenchmarkResult<Vec<_>>>()?;
    let most = median(peaks);
    Ok(Measurement {
        what: format!("{what}, in MB"),
        ours: format!("{} MB", short(most)),
        theirs: String::new(),
        value: most,
        gate: Threshold::AtMost(MOST_MB),
    })
}

fn most(place: &Testbed, name: &str) -> BenchmarkResult<f64> {
    let mut command = Command::new(crafty());
    command.arg("run").arg(program(name));
    place.run_here(|| peak(&mut command))
}
