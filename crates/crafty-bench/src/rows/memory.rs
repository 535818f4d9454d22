//! Memory: the most that a run ever held, as the kernel counts it.

use crate::numbers::{median, short};
use crate::place::Place;
use crate::row::{Gate, Line, Outcome, Row};
use crate::tool::{crafty, program, start};
use std::process::Command;
use std::time::Duration;

pub const ROW: Row = Row { name: "memory", about: "most resident memory of a run: few frames, and a million", run };

const RUNS: usize = 5;
const MOST_MB: f64 = 30.0;

fn run() -> Outcome<Vec<Line>> {
    let place = Place::new()?;
    [("a run of 200 probes", "stamps.crafty"), ("a run of 1 M frames", "send.crafty")]
        .into_iter()
        .map(|(what, name)| line(&place, what, name))
        .collect()
}

fn line(place: &Place, what: &str, name: &str) -> Outcome<Line> {
    let peaks = (0..RUNS).map(|_| peak(place, name)).collect::<Outcome<Vec<_>>>()?;
    let most = median(peaks);
    Ok(Line {
        what: format!("{what}, in MB"),
        ours: format!("{} MB", short(most)),
        theirs: String::new(),
        value: most,
        gate: Gate::AtMost(MOST_MB),
    })
}

/// The high-water mark, read again and again until the process is gone. In MB.
fn peak(place: &Place, name: &str) -> Outcome<f64> {
    let mut command = Command::new(crafty());
    command.arg("run").arg(program(name));
    let mut child = place.run_here(|| start(&mut command))?;
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0.0;
    while child.try_wait()?.is_none() {
        most = std::fs::read_to_string(&status).ok().and_then(|text| high_water(&text)).unwrap_or(most);
        std::thread::sleep(Duration::from_micros(500));
    }
    Ok(most)
}

fn high_water(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? * 1024.0 / 1e6)
}
