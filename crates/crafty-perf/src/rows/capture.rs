//! Capture: how much of a flood at full rate a program's handler sees, beside what tcpdump writes.

use crate::flood::{Since, flood, trafgen};
use crate::numbers::{medians, paired, short};
use crate::place::{FLOOD, Testbed};
use crate::row::{Benchmark, BenchmarkResult, Measurement, Threshold};
use crate::tool::{crafty, interrupt, program, scratch};
use serde_json::Value;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub const ROW: Benchmark = Benchmark {
    name: "capture",
    about: "frames of a flood that a handler sees, beside tcpdump's",
    run,
};

const RUNS: usize = 5;
const FRAMES: u64 = 500_000;
/// Until a capture is surely open.
const SETTLE: Duration = Duration::from_millis(500);
/// How long our program listens: at least, and as a multiple of what the turn with tcpdump took.
const LISTEN: (Duration, u32) = (Duration::from_secs(4), 3);

fn run() -> BenchmarkResult<Vec<Measurement>> {
    let place = Testbed::new()?;
    let mut pairs = Vec::new();
    for _ in 0..RUNS {
        let (theirs, took) = theirs(&place)?;
        pairs.push((ours(&place, LISTEN.0.max(took * LISTEN.1))?, theirs));
    }
    let (ours, theirs) = medians(&pairs);
    let [ours, theirs] =
        [ours, theirs].map(|count| format!("{} of {}", short(count), short(FRAMES as f64)));
    Ok(vec![Measurement {
        what: "seen by a handler / written by tcpdump".into(),
        ours,
        theirs,
        value: paired(&pairs),
        gate: Threshold::AtLeast(0.99),
    }])
}

fn send(place: &Testbed) -> BenchmarkResult<()> {
    let mut command = trafgen(place, FLOOD, &format!("--num {FRAMES}"))?;
    let flooded = flood(place, &mut command, Since::FirstFrame, None)?;
    if flooded.frames < FRAMES {
        Err("the flood was not whole".into())
    } else {
        Ok(())
    }
}

fn ours(place: &Testbed, time: Duration) -> BenchmarkResult<f64> {
    let mut command = Command::new(crafty());
    command
        .args(["run", "--json"])
        .arg(program("hear.crafty"))
        .arg(format!("time={}ms", time.as_millis()));
    let begun = Instant::now();
    let child = place.run_there(|| {
        Ok(command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?)
    })?;
    std::thread::sleep(SETTLE);
    send(place)?;
    if begun.elapsed() > time {
        return Err("the flood lasted longer than the program listened".into());
    }
    let said = String::from_utf8(child.wait_with_output()?.stdout)?;
    let rows = said
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let heard = rows
        .filter(|row| row["name"] == "heard")
        .find_map(|row| row["value"].as_f64());
    heard.ok_or_else(|| format!("the program did not say what it heard: {said}").into())
}

/// What tcpdump wrote, and how long all of it took.
fn theirs(place: &Testbed) -> BenchmarkResult<(f64, Duration)> {
    let mut command = Command::new("tcpdump");
    command
        .args(["-Z", "root", "-i", "far", "-nw"])
        .arg(scratch("flood.pcap"))
        .args(["udp", "dst", "port", &FLOOD.to_string()]);
    let begun = Instant::now();
    let mut child = place.run_there(|| {
        Ok(command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?)
    })?;
    std::thread::sleep(SETTLE);
    send(place)?;
    std::thread::sleep(SETTLE);
    interrupt(&mut child)?;
    let _ = std::fs::remove_file(scratch("flood.pcap"));
    Ok((captured(&mut child)?, begun.elapsed()))
}

fn captured(child: &mut Child) -> BenchmarkResult<f64> {
    let mut said = String::new();
    child
        .stderr
        .take()
        .ok_or("tcpdump has no voice")?
        .read_to_string(&mut said)?;
    let count = said
        .lines()
        .find_map(|line| line.strip_suffix(" packets captured")?.parse().ok());
    count.ok_or_else(|| format!("tcpdump did not say what it captured: {said}").into())
}
