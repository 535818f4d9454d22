//! Round-trip times: how far off they are. What a program reads is what a capture says (see
//! `stamps`), so its error is what the driver's own stamp of the send differs by; scapy's is what
//! `sr1` differs by from the capture.

use crate::numbers::{median, medians, paired, span};
use crate::place::Testbed;
use crate::probe::{Load, REPLY, REQUEST, time_of, watched};
use crate::row::{Benchmark, BenchmarkResult, Measurement, Threshold};
use crate::scapy;
use crafty_net::{Port, PortOptions, StampMatcher, in_namespace, interface, now, sleep_until};
use crafty_value::{Duration, Time};
use std::collections::BTreeMap;

pub const ROW: Benchmark = Benchmark {
    name: "rtt",
    about: "error of round-trip times, beside scapy's sr1: idle and with a full local queue",
    run,
};

const RUNS: usize = 3;
const PROBES: u16 = 200;
/// The identifier in `scapy_rtt.py`.
const ID: u16 = 78;

fn run() -> BenchmarkResult<Vec<Measurement>> {
    [(Load::Idle, 1.0 / 8.0), (Load::Full, 1.0 / 1000.0)]
        .into_iter()
        .map(|(load, gate)| under(load, gate))
        .collect()
}

fn under(load: Load, gate: f64) -> BenchmarkResult<Measurement> {
    let place = Testbed::new()?;
    let pairs = (0..RUNS)
        .map(|_| Ok((ours(&place, load)?, theirs(&place, load)?)))
        .collect::<BenchmarkResult<Vec<_>>>()?;
    let (ours, theirs) = medians(&pairs);
    let what = format!("error / sr1's, {}", load.name());
    Ok(Measurement {
        what,
        ours: span(ours),
        theirs: span(theirs),
        value: paired(&pairs),
        gate: Threshold::AtMost(gate),
    })
}

/// The median of what `sr1` is off, in nanoseconds.
fn theirs(place: &Testbed, load: Load) -> BenchmarkResult<f64> {
    let (said, frames) = watched(place, load, || {
        scapy::run(place, "scapy_rtt.py", &[&PROBES.to_string()])
    })?;
    let off = said.lines().filter_map(|line| {
        let (seq, told) = line.split_once(' ')?;
        let (seq, told): (u16, i64) = (seq.parse().ok()?, told.parse().ok()?);
        let captured = time_of(&frames, (REPLY, ID, seq))? - time_of(&frames, (REQUEST, ID, seq))?;
        Some((told - captured).abs() as f64)
    });
    Ok(median(off.collect()))
}

/// The median of what the driver's stamps are off from the recapture's, in nanoseconds.
fn ours(place: &Testbed, load: Load) -> BenchmarkResult<f64> {
    let (off, _) = watched(place, load, || in_namespace(place.near(), driver_stamps)?)?;
    Ok(median(off))
}

fn driver_stamps() -> BenchmarkResult<Vec<f64>> {
    let near = interface("near")?;
    let mut port = Port::open(
        &near,
        PortOptions {
            tx_stamps: true,
            ring_bytes: 0,
            ..PortOptions::default()
        },
    )?;
    let mut matcher = StampMatcher::new(1 << 18, 1 << 16);
    let (mut seen, mut driver) = (BTreeMap::new(), BTreeMap::new());
    let mut take =
        |port: &mut Port, matcher: &mut StampMatcher, until: Time| -> BenchmarkResult<()> {
            port.receive_each(until, |c| {
                seen.extend(
                    matcher
                        .captured(c.frame, c.wire_len, c.time)
                        .map(|(n, stamp)| (n, stamp.time)),
                )
            })?;
            let mut stamps = Vec::new();
            port.tx_stamps(&mut stamps)?;
            driver.extend(stamps.into_iter().map(|s| (s.nth, s.stamp.time)));
            Ok(())
        };
    let mac = near.mac.ok_or("the interface has no link address")?.0;
    for n in 0..u64::from(PROBES) {
        // An experimental Ethernet type (IEEE 802 §9.2.4), which nothing on the other side takes.
        let frame = [&mac[..], &mac, &[0x88, 0xb5], &n.to_be_bytes(), &[0; 42]].concat();
        let nth = port.sent();
        matcher.register(nth, &frame);
        if port.send(&frame).is_err() {
            matcher.forget(nth);
        }
        sleep_until(now().after(Duration::millis(1)));
        take(&mut port, &mut matcher, now())?;
    }
    (0..10).try_for_each(|_| take(&mut port, &mut matcher, now().after(Duration::millis(10))))?;
    Ok(seen
        .iter()
        .filter_map(|(n, time)| Some(driver.get(n)?.since(*time).0.abs() as f64))
        .collect())
}
