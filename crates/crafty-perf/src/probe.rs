//! Probes under a load, with a capture beside them: what a tool says of its frames' times, and what
//! the capture says.

use crate::flood::trafgen;
use crate::pcap::{self, CapturedFrame};
use crate::place::{FLOOD, Testbed};
use crate::row::BenchmarkResult;
use crate::tool::{crafty, interrupt, program, scratch, start, text, wait_until};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

/// ICMP types of echo replies and requests (RFC 792).
pub const REPLY: u8 = 0;
pub const REQUEST: u8 = 8;

/// What else leaves while probes do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// Nothing.
    Idle,
    /// 100,000 frames a second.
    Busy,
    /// More than a slow link takes: its queue, of about 10 ms, is always full.
    Full,
}

impl Load {
    /// All of them.
    pub const ALL: [Load; 3] = [Load::Idle, Load::Busy, Load::Full];

    /// Its name in a table.
    pub fn name(self) -> &'static str {
        match self {
            Load::Idle => "idle",
            Load::Busy => "100 k/s of other frames",
            Load::Full => "full local queue",
        }
    }

    /// Starts it. The frame of 64 bytes fills a link of 10 Mbit/s at 19,500 a second.
    fn start(self, place: &Testbed) -> BenchmarkResult<Option<Child>> {
        let options = match self {
            Load::Idle => return Ok(None),
            Load::Busy => "--qdisc-path --rate 100000pps",
            Load::Full => "--qdisc-path --rate 22000pps",
        };
        if self == Load::Full {
            place.slow_down("10mbit", 12_500)?;
        }
        let mut command = trafgen(place, FLOOD, options)?;
        let child = place.run_here(|| start(&mut command))?;
        std::thread::sleep(Duration::from_millis(500));
        Ok(Some(child))
    }
}

/// Starts to capture on the sending side what a filter takes; comes back once it is under way.
pub fn capture(place: &Testbed, file: &Path, filter: &str) -> BenchmarkResult<Child> {
    let mut tcpdump = Command::new("tcpdump");
    tcpdump
        .args([
            "-Z",
            "root",
            "--immediate-mode",
            "-s",
            "256",
            "-B",
            "16384",
            "-i",
            "near",
            "--time-stamp-precision=nano",
            "-nUw",
        ])
        .arg(file)
        .arg(filter);
    let watching = place.run_here(|| start(&mut tcpdump))?;
    wait_until("tcpdump to open its file", 5, || file.exists())?;
    std::thread::sleep(Duration::from_millis(300));
    Ok(watching)
}

/// Does something under a load, while the echo messages on the sending side are captured; both
/// results.
pub fn watched<T>(
    place: &Testbed,
    load: Load,
    work: impl FnOnce() -> BenchmarkResult<T>,
) -> BenchmarkResult<(T, Vec<CapturedFrame>)> {
    let mut loading = load.start(place)?;
    let file = scratch("probes.pcap");
    let mut watching = capture(place, &file, "icmp")?;
    let done = work();
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&mut watching)?;
    if let Some(child) = &mut loading {
        interrupt(child)?;
    }
    let frames = pcap::read(&file)?;
    std::fs::remove_file(&file)?;
    Ok((done?, frames))
}

/// When an echo message of this type, identifier and sequence number was captured.
pub fn time_of(frames: &[CapturedFrame], message: (u8, u16, u16)) -> Option<i64> {
    frames
        .iter()
        .find(|frame| frame.echo() == Some(message))
        .map(|frame| frame.time)
}

/// A time that a program's run recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Whether of a request that it sent, or of a reply.
    pub sent: bool,
    /// The sequence number.
    pub seq: u16,
    /// Nanoseconds since 1970.
    pub time: i64,
    /// Where the time comes from (`ts_source`).
    pub source: String,
}

/// Runs the program of the stamps; what it recorded.
pub fn crafty_probes(place: &Testbed, count: usize) -> BenchmarkResult<Vec<Recorded>> {
    let said = text(
        place
            .here("env")
            .arg(crafty())
            .args(["run", "--json"])
            .arg(program("stamps.crafty"))
            .arg(format!("count={count}")),
    )?;
    let rows = said
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    Ok(rows.filter_map(|row| recorded(&row)).collect())
}

fn recorded(row: &Value) -> Option<Recorded> {
    Some(Recorded {
        sent: row["name"].as_str()? == "sent",
        seq: row["labels"]["seq"]
            .as_u64()
            .and_then(|n| u16::try_from(n).ok())?,
        time: row["value"].as_str()?.parse().ok()?,
        source: row["labels"]["source"].as_str()?.to_string(),
    })
}
