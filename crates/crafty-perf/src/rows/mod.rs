//! The benchmarks, one a file.

use crate::row::Benchmark;

mod capture;
mod check;
mod decode;
mod filter;
mod first;
mod hostile;
mod layers;
mod memory;
mod rtt;
mod send;
mod stamps;
mod tcp;

/// All of them, in the order of the table.
pub static ROWS: &[Benchmark] = &[
    send::ROW,
    capture::ROW,
    stamps::ROW,
    rtt::ROW,
    layers::ROW,
    decode::ROW,
    filter::ROW,
    hostile::ROW,
    first::ROW,
    check::ROW,
    memory::ROW,
    tcp::ROW,
];

/// The benchmark of this name, or the name.
pub fn named(name: &str) -> Result<&'static Benchmark, &str> {
    ROWS.iter().find(|row| row.name == name).ok_or(name)
}
