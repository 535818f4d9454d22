//! Filter: packets of all common kinds that an endpoint reads and does not let become events, on one
//! core. That it allocates nothing is a test of the endpoint.

use crate::mixed;
use crate::numbers::{median, short};
use crate::row::{Benchmark, BenchmarkResult, Measurement, Threshold};
use crafty_endpoint::{EndpointMode, PacketFilter, PacketReader};
use std::hint::black_box;
use std::time::Instant;

pub const ROW: Benchmark = Benchmark {
    name: "filter",
    about: "packets a second that an endpoint's filter reads and drops, on one core",
    run,
};

const RUNS: usize = 11;
const ROUNDS: usize = 50;
/// Each packet is tried on all of it: none has these addresses.
const FILTER: &str = "tcp-syn+to:100.64.0.9, icmp+from:100.64.0.0/24, udp:5060+v4+to:100.64.0.1, tcp:25+from:100.64.0.7, host:2001:db8:77::9, gre+v6+to:2001:db8:77::/64";

fn run() -> BenchmarkResult<Vec<Measurement>> {
    let frames = mixed::frames()?;
    let filter = PacketFilter::parse(FILTER)?;
    let mut reader = PacketReader::default();
    let mut rates = Vec::new();
    for _ in 0..RUNS {
        let began = Instant::now();
        let mut passed = 0;
        for _ in 0..ROUNDS {
            passed += pass(&mut reader, &filter, &frames);
        }
        let packets = (ROUNDS * frames.len()) as f64;
        rates.push(packets / began.elapsed().as_secs_f64());
        if passed > 0 {
            return Err("the filter lets packets pass that it should not".into());
        }
    }
    let rate = median(rates);
    Ok(vec![Measurement {
        what: "millions of packets filtered a second, one core".into(),
        ours: format!("{}/s", short(rate)),
        theirs: String::new(),
        value: rate / 1e6,
        gate: Threshold::AtLeast(1.0),
    }])
}

fn pass(reader: &mut PacketReader, filter: &PacketFilter, frames: &[Vec<u8>]) -> usize {
    let passes = |frame: &&Vec<u8>| {
        reader
            .read_from(EndpointMode::Tap, black_box(frame))
            .is_some_and(|packet| filter.passes(&packet))
    };
    frames.iter().filter(passes).count()
}
