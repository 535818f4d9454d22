//! Floods that are counted where they arrive, and the generators that make them.

use crate::place::{FLOOD, HERE, THERE, Testbed};
use crate::row::BenchmarkResult;
use crate::tool::{interrupt, scratch, start};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// How often arrivals are looked at.
const LOOK: Duration = Duration::from_millis(2);

/// From when on a rate is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// The start of the command: all that the tool does before its first frame counts.
    Start,
    /// The first frame.
    FirstFrame,
}

/// Frames that a command sent, and frames a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flooded {
    /// How many arrived.
    pub frames: u64,
    /// How fast, up to the last one.
    pub rate: f64,
}

/// Runs a command on the sending side until it ends, or for some time, and counts what arrives on
/// the other side.
pub fn flood(
    place: &Testbed,
    command: &mut Command,
    since: Since,
    most: Option<Duration>,
) -> BenchmarkResult<Flooded> {
    let (before, begun) = (place.arrived(), Instant::now());
    let (mut first, mut last, mut seen) = (begun, begun, before);
    let mut child = place.run_here(|| start(command))?;
    loop {
        std::thread::sleep(LOOK);
        let (count, now) = (place.arrived(), Instant::now());
        if seen == before {
            first = now;
        }
        if count > seen {
            (seen, last) = (count, now);
        }
        if most.is_some_and(|most| begun.elapsed() > most) {
            interrupt(&mut child)?;
            break;
        }
        if child.try_wait()?.is_some() && count == place.arrived() {
            break;
        }
    }
    let span = last.duration_since(if since == Since::Start { begun } else { first });
    Ok(Flooded {
        frames: seen - before,
        rate: (seen - before) as f64 / span.as_secs_f64(),
    })
}

/// trafgen with the source port counting through 256 values and both checksums computed for each
/// frame; `options` beside that.
pub fn trafgen(place: &Testbed, port: u16, options: &str) -> BenchmarkResult<Command> {
    let file = configuration(place, port)?;
    let mut command = Command::new("trafgen");
    command
        .args(["--dev", "near", "--cpus", "1", "--conf"])
        .arg(file)
        .args(options.split(' ').filter(|word| !word.is_empty()));
    Ok(command)
}

fn configuration(place: &Testbed, port: u16) -> BenchmarkResult<PathBuf> {
    let octets = |text: &str, mark: &str| {
        text.split(mark)
            .map(|o| {
                if mark == ":" {
                    format!("0x{o}")
                } else {
                    o.to_string()
                }
            })
            .collect::<Vec<_>>()
            .join(",")
    };
    let (to, from) = (
        octets(&place.far_mac()?, ":"),
        octets(&place.near_mac()?, ":"),
    );
    let (here, there) = (octets(HERE, "."), octets(THERE, "."));
    let frame = format!(
        "{{ {to}, {from}, c16(0x0800), 0x45, 0, c16(50), c16(0), c16(0), 64, 17, csumip(14, 33), {here}, {there}, \
         156, dinc(0, 255), c16({port}), c16(30), csumudp(14, 34), fill(0, 22) }}"
    );
    let file = scratch(&format!("trafgen-{port}.cfg"));
    std::fs::write(&file, frame)?;
    Ok(file)
}

/// hping3 as fast as it can.
pub fn hping3() -> Command {
    let mut command = Command::new("hping3");
    command.args([
        "-q",
        "--flood",
        "--udp",
        "--keep",
        "-s",
        "40001",
        "-d",
        "22",
        "-p",
        &FLOOD.to_string(),
        THERE,
    ]);
    command
}
