//! Hostile bytes: what one costs to read, as every layer and in all its fields. An absolute figure:
//! no time may be bought with bytes.

use crate::numbers::median;
use crate::row::{Benchmark, BenchmarkResult, Measurement, Threshold};
use crafty_wire::{Decoded, Layer, all, decode};
use std::hint::black_box;
use std::time::Instant;

pub const ROW: Benchmark = Benchmark {
    name: "hostile",
    about: "nanoseconds for a byte of what is made to be slow, as every layer, with all fields",
    run,
};

const RUNS: usize = 3;
const MOST_NS: f64 = 50.0;
/// As long as a datagram can be, and as short as most are.
const LENGTHS: [usize; 2] = [65_000, 200];
/// Bytes that are repeated: lengths that are least or most, pointers to where a name begins, ends
/// of lines, options of one byte.
const PATTERNS: &[&[u8]] = &[
    &[0],
    &[1],
    &[2],
    &[0xff],
    &[0x80],
    &[0xc0, 0x0c],
    &[0xc0, 0x00],
    &[1, b'a'],
    &[1, 2],
    &[0, 1],
    &[0, 4],
    &[0, 0, 0, 1],
    b"a: b\r\n",
    b"\r\n",
    &[0x30, 0x82],
    &[0x16, 3, 1, 0, 4],
    &[3, b'w', b'w', b'w', 0, 0, 1, 0, 1],
];

fn run() -> BenchmarkResult<Vec<Measurement>> {
    let mut costs: Vec<(f64, &str)> = all()
        .iter()
        .map(|layer| (cost(layer), layer.name))
        .collect();
    costs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let average = costs.iter().map(|row| row.0).sum::<f64>() / costs.len() as f64;
    let (worst, name) = costs.last().copied().ok_or("no layers")?;
    Ok(vec![
        line(
            "a byte on average over all layers, in ns".into(),
            average,
            MOST_NS,
        ),
        line(
            format!("a byte of the slowest layer, {name}, in ns"),
            worst,
            10.0 * MOST_NS,
        ),
    ])
}

fn line(what: String, value: f64, most: f64) -> Measurement {
    Measurement {
        what,
        ours: format!("{value:.1} ns"),
        theirs: String::new(),
        value,
        gate: Threshold::AtMost(most),
    }
}

/// Nanoseconds for a byte, over all patterns, whole and behind a head that differs.
fn cost(layer: &'static Layer) -> f64 {
    let frames: Vec<Vec<u8>> = LENGTHS
        .iter()
        .flat_map(|len| {
            PATTERNS
                .iter()
                .flat_map(|pattern| HEADS.map(|head| frame(head, pattern, *len)))
        })
        .collect();
    let octets: usize = frames.iter().map(Vec::len).sum();
    let mut decoded = Decoded::new();
    let runs = (0..RUNS).map(|_| {
        let start = Instant::now();
        frames
            .iter()
            .for_each(|frame| read(layer, frame, &mut decoded));
        start.elapsed().as_nanos() as f64 / octets as f64
    });
    median(runs.collect())
}

/// What comes first: nothing, a version and length of IP, counts of a message of DNS, a hello of
/// TLS.
const HEADS: [&[u8]; 4] = [
    &[],
    &[0x45, 0, 0xfd, 0xe8],
    &[
        0, 1, 0x80, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    ],
    &[0x16, 3, 3, 0xfd, 0xe8, 1, 0, 0xfd, 0xe0, 3, 3],
];

fn frame(head: &[u8], pattern: &[u8], len: usize) -> Vec<u8> {
    head.iter()
        .chain(pattern.iter().cycle())
        .copied()
        .take(len)
        .collect()
}

fn read(layer: &'static Layer, frame: &[u8], decoded: &mut Decoded) {
    decode(layer, frame, frame.len(), decoded);
    for i in 0..decoded.layers.len() {
        decoded
            .fields(frame, i)
            .for_each(|row| drop(black_box(row.2.into_value())));
        for field in 0..decoded.layers[i].layer.fields.len() {
            black_box(decoded.checksum(frame, i, field));
        }
    }
}
