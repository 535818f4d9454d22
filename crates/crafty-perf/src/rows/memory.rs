//! Memory: the most that a run ever held, as the kernel counts it.

use crate::numbers::{median, short};
use crate::place::Place;
use crate::row::{Gate, Line, Outcome, Row};
use crate::tool::{crafty, peak, program};
use std::process::Command;

pub const ROW: Row = Row {
    name: "memory",
    about: "most resident memory of a run: few frames, and a million",
    run,
};

const RUNS: usize = 5;
const MOST_MB: f64 = 30.0;

fn run() -> Outcome<Vec<Line>> {
    let place = Place::new()?;
    [
        ("a run of 200 probes", "stamps.crafty"),
        ("a run of 1 M frames", "send.crafty"),
    ]
    .into_iter()
    .map(|(what, name)| line(&place, what, name))
    .collect()
}

fn line(place: &Place, what: &str, name: &str) -> Outcome<Line> {
    let peaks = (0..RUNS)
        .map(|_| most(place, name))
        .collect::<Outcome<Vec<_>>>()?;
    let most = median(peaks);
    Ok(Line {
        what: format!("{what}, in MB"),
        ours: format!("{} MB", short(most)),
        theirs: String::new(),
        value: most,
        gate: Gate::AtMost(MOST_MB),
    })
}

fn most(place: &Place, name: &str) -> Outcome<f64> {
    let mut command = Command::new(crafty());
    command.arg("run").arg(program(name));
    place.run_here(|| peak(&mut command))
}
