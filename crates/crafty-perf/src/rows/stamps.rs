//! Stamps: those that a program reads, sent and received, beside those of a capture. Nanoseconds,
//! equal or not.

use crate::place::Testbed;
use crate::probe::{Load, REPLY, REQUEST, Recorded, crafty_probes, time_of, watched};
use crate::row::{Benchmark, BenchmarkResult, Measurement, Threshold};

pub const ROW: Benchmark = Benchmark {
    name: "stamps",
    about: "stamps that are equal to a capture's to the nanosecond: idle, loaded, queue full",
    run,
};

const RUNS: usize = 3;
const PROBES: usize = 200;
/// The identifier in `stamps.crafty`.
const ID: u16 = 77;

fn run() -> BenchmarkResult<Vec<Measurement>> {
    Load::ALL.into_iter().map(under).collect()
}

fn under(load: Load) -> BenchmarkResult<Measurement> {
    let place = Testbed::new()?;
    let (mut equal, mut all) = (0, 0);
    for _ in 0..RUNS {
        let (recorded, frames) = watched(&place, load, || crafty_probes(&place, PROBES))?;
        for Recorded {
            sent,
            seq,
            time,
            source,
        } in recorded
        {
            let captured = time_of(&frames, (if sent { REQUEST } else { REPLY }, ID, seq));
            // A frame that a full queue threw away has the clock's time, says so, and is in no
            // capture.
            let left = captured.is_some() || source != "clock";
            all += usize::from(left);
            equal += usize::from(captured == Some(time));
        }
    }
    let value = if all > 0 {
        equal as f64 / all as f64
    } else {
        f64::NAN
    };
    let what = format!("equal stamps / all, {}", load.name());
    Ok(Measurement {
        what,
        ours: format!("{equal} of {all}"),
        theirs: "tcpdump".into(),
        value,
        gate: Threshold::AtLeast(1.0),
    })
}
