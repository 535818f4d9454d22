//! Checking: `crafty check` on a program of 500 lines, start of the process included.

use crate::numbers::{median, span};
use crate::row::{Benchmark, BenchmarkResult, Measurement, Threshold};
use crate::tool::{crafty, must, scratch};
use std::fmt::Write;
use std::process::Command;
use std::time::Instant;

pub const ROW: Benchmark = Benchmark {
    name: "check",
    about: "time to check a program of 500 lines",
    run,
};

const RUNS: usize = 21;
const LINES: usize = 500;
const MILLISECOND: f64 = 1e6;

fn run() -> BenchmarkResult<Vec<Measurement>> {
    let file = scratch("long.crafty");
    std::fs::write(&file, text(LINES))?;
    let took = (0..RUNS).map(|_| {
        let start = Instant::now();
        must(Command::new(crafty()).arg("check").arg(&file))?;
        Ok(start.elapsed().as_nanos() as f64)
    });
    let took = median(took.collect::<BenchmarkResult<Vec<_>>>()?);
    std::fs::remove_file(&file)?;
    let gate = Threshold::AtMost(10.0);
    Ok(vec![Measurement {
        what: format!("{LINES} lines, in ms"),
        ours: span(took),
        theirs: String::new(),
        value: took / MILLISECOND,
        gate,
    }])
}

/// A program of probes, handlers and sums, all alike except for names and numbers.
pub fn text(lines: usize) -> String {
    let mut text = String::from(HEAD);
    let mut n = 0;
    while text.lines().count() + PROBE.lines().count() < lines {
        let _ = write!(text, "{}", PROBE.replace("NN", &n.to_string()));
        n += 1;
    }
    while text.lines().count() < lines - 1 {
        text.push_str("# What is left of the file.\n");
    }
    text + "print(\"over\")\n"
}

const HEAD: &str = "param target = 10.77.0.2
BUDGET = { max_duration: 600s, max_packets: 2000, max_packets_per_secs: 100 }
PERMISSIONS = { destinations: [target], destination_ports: { udp: [[40100, 40999]] } }
PORTS = { udp: [40001], icmp: [77] }
";

const PROBE: &str = "rtts_NN = array(init=0s, len=0)
lost_NN = 0
/IP!(dst=target) {
  foreach n 1..5 {
    probe = IP(ttl=NN + 1)/UDP(src=40001, dst=40100 + n)/Bytes(bytes(n, 2) + #00 * 16)
    expect timeout=100ms /IP(src == target)/UDP(src == 40100 + n)/Bytes {
      rtts_NN += MATCH[Eth].ts - probe[Eth].ts
    } or /IP/ICMP(type == time_exceeded)/IP(dst == target)/UDP(dst == 40100 + n) {
      print(\"${n}\\t${MATCH[IP].src}\")
    } else {
      lost_NN += 1
    }
  }
}
if length(rtts_NN) > 0 {
  print(\"NN: ${median(rtts_NN)} of ${length(rtts_NN)}, ${lost_NN} lost\")
}
";
