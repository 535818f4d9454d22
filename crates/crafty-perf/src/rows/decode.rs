//! Decode: a capture of a million mixed frames as JSON and as lines, beside tshark, and the memory
//! that takes.

use crate::mixed;
use crate::numbers::{medians, paired, short, span};
use crate::row::{Benchmark, BenchmarkResult, Measurement, Threshold};
use crate::tool::{crafty, peak, scratch};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

pub const ROW: Benchmark = Benchmark {
    name: "decode",
    about: "a capture of a million mixed frames as JSON and as lines, beside tshark; memory",
    run,
};

const FRAMES: u64 = 1_000_000;
const FEWER: u64 = 100_000;
/// Runs beside tshark's fields; its JSON takes minutes.
const RUNS: usize = 3;
const JSON_RUNS: usize = 1;
/// What is asked for most often.
const FIELDS: &[&str] = &[
    "frame.number",
    "frame.time_epoch",
    "frame.len",
    "ip.src",
    "ip.dst",
    "ipv6.src",
    "ipv6.dst",
    "frame.protocols",
    "tcp.srcport",
    "tcp.dstport",
    "udp.srcport",
    "udp.dstport",
];

fn run() -> BenchmarkResult<Vec<Measurement>> {
    let (many, few) = (scratch("many.pcap"), scratch("few.pcap"));
    mixed::write(&many, FRAMES)?;
    mixed::write(&few, FEWER)?;
    let lines = paired_runs(RUNS, &mut ours(&many, "--summary"), &mut fields(&many))?;
    let json = paired_runs(
        JSON_RUNS,
        &mut ours(&many, "--json"),
        Command::new("tshark")
            .args(["-n", "-T", "json", "-r"])
            .arg(&many),
    )?;
    let grown = (
        growth(&few, &many, "--summary")?,
        growth(&few, &many, "--json")?,
    );
    let lines = vec![
        line("summary lines / tshark -T fields", &lines, 20.0),
        line("JSON / tshark -T json", &json, 10.0),
        memory("summary lines", grown.0),
        memory("JSON", grown.1),
    ];
    std::fs::remove_file(many)?;
    std::fs::remove_file(few)?;
    Ok(lines)
}

fn ours(file: &Path, form: &str) -> Command {
    let mut command = Command::new(crafty());
    command.args(["decode", form]).arg(file);
    command
}

fn fields(file: &Path) -> Command {
    let mut command = Command::new("tshark");
    command.args(["-n", "-T", "fields", "-r"]).arg(file);
    for field in FIELDS {
        command.args(["-e", field]);
    }
    command
}

/// Seconds of both, one after the other, so often.
fn paired_runs(
    runs: usize,
    ours: &mut Command,
    theirs: &mut Command,
) -> BenchmarkResult<Vec<(f64, f64)>> {
    (0..runs)
        .map(|_| Ok((seconds(ours)?, seconds(theirs)?)))
        .collect()
}

fn seconds(command: &mut Command) -> BenchmarkResult<f64> {
    let start = Instant::now();
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    if !status.success() {
        return Err(format!(
            "`{}` ended with {status}",
            command.get_program().to_string_lossy()
        )
        .into());
    }
    Ok(start.elapsed().as_secs_f64())
}

fn line(what: &str, pairs: &[(f64, f64)], gate: f64) -> Measurement {
    let (ours, theirs) = medians(pairs);
    let told = |seconds: f64| {
        format!(
            "{}/s ({})",
            short(FRAMES as f64 / seconds),
            span(seconds * 1e9)
        )
    };
    let faster: Vec<_> = pairs
        .iter()
        .map(|(ours, theirs)| (*theirs, *ours))
        .collect();
    Measurement {
        what: what.into(),
        ours: told(ours),
        theirs: told(theirs),
        value: paired(&faster),
        gate: Threshold::AtLeast(gate),
    }
}

/// Most memory of a run over the few frames, and over the many, in MB.
fn growth(few: &Path, many: &Path, form: &str) -> BenchmarkResult<(f64, f64)> {
    Ok((peak(&mut ours(few, form))?, peak(&mut ours(many, form))?))
}

fn memory(what: &str, (few, many): (f64, f64)) -> Measurement {
    Measurement {
        what: format!("{what}, most memory of 1 M frames / of 100 k"),
        ours: format!("{} MB", short(many)),
        theirs: format!("{} MB", short(few)),
        value: many / few,
        gate: Threshold::AtMost(1.1),
    }
}
