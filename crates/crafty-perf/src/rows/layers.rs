//! Layers: where headers lie in frames of all common kinds, beside etherparse's slices in the same
//! process, and beside scapy.

use crate::numbers::{medians, paired, short};
use crate::row::{Benchmark, BenchmarkResult, Measurement, Threshold};
use crate::scapy::PYTHON;
use crate::tool::program;
use crafty_wire::{Decoded, FieldValue, Header, decode, encode, layer};
use etherparse::SlicedPacket;
use std::hint::black_box;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

pub const ROW: Benchmark = Benchmark {
    name: "layers",
    about: "frames a second whose layers are found, beside etherparse and scapy",
    run,
};

const RUNS: usize = 11;
const ROUNDS: usize = 50_000;

/// Stacks of layers, from the outside in, and bytes of payload.
const KINDS: &[(&[&str], usize)] = &[
    (&["Eth", "IP", "UDP"], 22),
    (&["Eth", "IP", "UDP"], 1_000),
    (&["Eth", "IP", "TCP"], 0),
    (&["Eth", "IP", "TCP"], 1_400),
    (&["Eth", "VLAN", "IP", "UDP"], 100),
    (&["Eth", "IP6", "UDP"], 100),
    (&["Eth", "IP6", "TCP"], 100),
    (&["Eth", "IP", "ICMP"], 56),
];

fn run() -> BenchmarkResult<Vec<Measurement>> {
    let frames = KINDS
        .iter()
        .map(|(names, payload)| frame(names, *payload))
        .collect::<BenchmarkResult<Vec<_>>>()?;
    let agree = frames
        .iter()
        .zip(KINDS)
        .all(|(frame, (names, _))| found(frame) >= names.len());
    if !agree {
        return Err("a frame was not read as it was written".into());
    }
    let slices: Vec<_> = (0..RUNS)
        .map(|_| (ours(&frames), theirs(&frames)))
        .collect();
    let python = scripted(&frames)?;
    let dissected: Vec<_> = slices.iter().map(|(ours, _)| (*ours, python)).collect();
    Ok(vec![
        line(&slices, "etherparse slices", 0.5),
        line(&dissected, "scapy", 300.0),
    ])
}

fn line(pairs: &[(f64, f64)], other: &str, gate: f64) -> Measurement {
    let (ours, theirs) = medians(pairs);
    let [ours, theirs] = [ours, theirs].map(|rate| format!("{}/s", short(rate)));
    Measurement {
        what: format!("layers found / {other}"),
        ours,
        theirs,
        value: paired(pairs),
        gate: Threshold::AtLeast(gate),
    }
}

fn frame(names: &[&str], payload: usize) -> BenchmarkResult<Vec<u8>> {
    let headers = names.iter().map(|name| {
        layer(name)
            .map(Header::new)
            .ok_or_else(|| format!("no layer `{name}`"))
    });
    let mut headers = headers.collect::<Result<Vec<_>, _>>()?;
    for header in &mut headers {
        let ports = [("src", 40_001), ("dst", 40_002)]
            .iter()
            .filter(|_| matches!(header.layer().name, "UDP" | "TCP"))
            .collect::<Vec<_>>();
        for (name, port) in ports {
            let (index, _) = header
                .layer()
                .field(name)
                .ok_or("a transport without ports")?;
            header
                .set(index, FieldValue::Uint(*port))
                .map_err(|e| format!("{e:?}"))?;
        }
    }
    let mut data = Header::new(layer("Bytes").ok_or("no layer `Bytes`")?);
    data.set(0, FieldValue::Bytes(vec![0; payload]))
        .map_err(|e| format!("{e:?}"))?;
    headers.push(data);
    let mut octets = Vec::new();
    encode(&headers, &mut octets);
    Ok(octets)
}

fn found(frame: &[u8]) -> usize {
    let mut out = Decoded::new();
    layer("Eth")
        .into_iter()
        .for_each(|eth| decode(eth, frame, frame.len(), &mut out));
    out.layers.len()
}

fn ours(frames: &[Vec<u8>]) -> f64 {
    let Some(eth) = layer("Eth") else {
        return f64::NAN;
    };
    let mut out = Decoded::new();
    per_second(frames, |frame| {
        decode(eth, frame, frame.len(), &mut out);
        black_box(&out);
    })
}

fn theirs(frames: &[Vec<u8>]) -> f64 {
    per_second(frames, |frame| {
        drop(black_box(SlicedPacket::from_ethernet(frame)))
    })
}

fn per_second(frames: &[Vec<u8>], mut read: impl FnMut(&[u8])) -> f64 {
    let start = Instant::now();
    for _ in 0..ROUNDS {
        frames.iter().for_each(|frame| read(black_box(frame)));
    }
    (ROUNDS * frames.len()) as f64 / start.elapsed().as_secs_f64()
}

fn scripted(frames: &[Vec<u8>]) -> BenchmarkResult<f64> {
    let mut command = Command::new(PYTHON);
    let command = command.arg(program("scapy_layers.py")).arg("500");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let hex = |frame: &Vec<u8>| {
        frame
            .iter()
            .map(|octet| format!("{octet:02x}"))
            .collect::<String>()
    };
    let lines: Vec<String> = frames.iter().map(hex).collect();
    child
        .stdin
        .take()
        .ok_or("Python hears nothing")?
        .write_all(lines.join("\n").as_bytes())?;
    Ok(String::from_utf8(child.wait_with_output()?.stdout)?
        .trim()
        .parse()?)
}
