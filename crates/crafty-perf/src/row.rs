//! What a benchmark is, and what it prints: one line of a Markdown table for each ratio.

use crate::numbers::short;
use std::error::Error;

/// What every part of a benchmark gives, or why it could not.
pub type BenchmarkResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// A benchmark.
pub struct Benchmark {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it compares.
    pub about: &'static str,
    /// Runs both sides.
    pub run: fn() -> BenchmarkResult<Vec<Measurement>>,
}

/// What a ratio is held to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// No less than this.
    AtLeast(f64),
    /// No more than this.
    AtMost(f64),
}

/// One ratio as measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// What is measured, and against what.
    pub what: String,
    /// Our median, with its unit.
    pub ours: String,
    /// Theirs; empty where the gate is absolute.
    pub theirs: String,
    /// The median of the ratios of paired runs, or the absolute figure.
    pub value: f64,
    /// What it is held to.
    pub gate: Threshold,
}

impl Threshold {
    /// Whether a figure passes; one that is not a number never does.
    pub fn met(self, value: f64) -> bool {
        match self {
            Threshold::AtLeast(least) => value >= least,
            Threshold::AtMost(most) => value <= most,
        }
    }

    fn tell(self) -> String {
        match self {
            Threshold::AtLeast(least) => format!("≥ {}", plain(least)),
            Threshold::AtMost(most) => format!("≤ {}", plain(most)),
        }
    }
}

/// Fractions as such: 1/1000 says more than 0.001.
fn plain(bound: f64) -> String {
    let inverse = (1.0 / bound).round();
    if bound < 0.5 && (inverse * bound - 1.0).abs() < 1e-9 {
        format!("1/{inverse}")
    } else {
        bound.to_string()
    }
}

/// The head of the table.
pub fn header() -> &'static str {
    "| benchmark | what | Crafty | the other | ratio | gate | met |\n|---|---|---|---|---|---|---|"
}

/// A line of the table.
pub fn tell(name: &str, line: &Measurement) -> String {
    let Measurement {
        what,
        ours,
        theirs,
        value,
        gate,
    } = line;
    let met = if gate.met(*value) { "yes" } else { "**no**" };
    let ratio = if *value != 0.0 && value.abs() < 0.2 {
        format!("1/{}", short(1.0 / value))
    } else {
        short(*value)
    };
    format!(
        "| {name} | {what} | {ours} | {theirs} | {ratio} | {} | {met} |",
        gate.tell()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_tell_whether_the_gate_is_met() {
        let check = |value, gate, cells: &str| {
            let line = Measurement {
                what: "w".into(),
                ours: "1".into(),
                theirs: "2".into(),
                value,
                gate,
            };
            assert_eq!(tell("n", &line), format!("| n | w | 1 | 2 | {cells} |"));
        };
        check(0.61, Threshold::AtLeast(0.6), "0.610 | ≥ 0.6 | yes");
        check(0.59, Threshold::AtLeast(0.6), "0.590 | ≥ 0.6 | **no**");
        check(0.0004, Threshold::AtMost(0.001), "1/2500 | ≤ 1/1000 | yes");
        check(0.25, Threshold::AtMost(0.125), "0.250 | ≤ 1/8 | **no**");
        check(f64::NAN, Threshold::AtMost(5.0), "NaN | ≤ 5 | **no**");
    }
}
