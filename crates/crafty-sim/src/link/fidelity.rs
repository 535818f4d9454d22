//! Whether links do what theory says of them.

use super::*;
use crate::dice::RandomStream;
use crate::lab::{Lab, LabOptions};

/// A link's direction that takes a frame of this many bytes in a microsecond.
const BYTES: usize = 101;

fn link() -> Link {
    let medium = LinkProperties {
        rate: (BYTES + FRAME_OVERHEAD) as i64 * 8 * 1_000_000,
        delay: Duration::ZERO,
        queue: i64::MAX >> 32,
        mtu: 1500,
    };
    assert_eq!(medium.serialization(BYTES), Duration::micros(1));
    Link::new("it".into(), 0, [medium; 2], [(0, 0), (1, 0)])
}

/// The mean wait of frames that come by a Poisson process and take the line `load` of the time, in
/// times of service.
fn mean_wait(load: f64, frames: u64) -> f64 {
    let (mut link, mut effects) = (link(), Effects::default());
    let mut dice = RandomStream::new(1, "arrivals");
    let mean = (1_000.0 / load).round() as i64;
    let (mut now, mut waited) = (Time(0), 0);
    for _ in 0..frames {
        now = now.after(Duration(dice.exponential(mean)));
        link.transmit(0, now, vec![0; BYTES].into(), &mut effects);
        let (arrives, _) = link.ways[0].in_flight.pop_back().unwrap();
        waited += arrives.since(now).0 - 1_000;
        effects.events.clear();
    }
    assert!(effects.drops.is_empty());
    waited as f64 / frames as f64 / 1_000.0
}

/// M/D/1: load / (2 (1 - load)) times of service (Pollaczek and Khinchine).
#[test]
fn frames_wait_as_long_as_theory_says() {
    for (load, frames) in [(0.3_f64, 1_000_000), (0.5, 1_500_000), (0.8, 4_000_000)] {
        let real = 1_000.0 / (1_000.0 / load).round();
        let theory = real / (2.0 * (1.0 - real));
        let measured = mean_wait(load, frames);
        let error = (measured / theory - 1.0).abs();
        assert!(error < 0.01, "load {load}: {measured} instead of {theory}");
    }
}

/// Chi-square with 12 degrees of freedom exceeds this once in a thousand tries.
const CHI_SQUARE_12: f64 = 32.91;

/// How far the lengths of runs are from a geometric distribution with this chance to end: bins for 1
/// to 12, and one for all longer ones.
fn chi_square(runs: &[usize], ends: f64) -> f64 {
    let mut seen = [0.0; 13];
    runs.iter().for_each(|run| seen[(*run).min(13) - 1] += 1.0);
    let wanted = |bin: usize| match bin {
        12 => (1.0 - ends).powi(12),
        _ => (1.0 - ends).powi(bin as i32) * ends,
    };
    let deviation = |bin: usize| {
        let wanted = wanted(bin) * runs.len() as f64;
        (seen[bin] - wanted).powi(2) / wanted
    };
    (0..13).map(deviation).sum()
}

/// Gilbert and Elliott's channel: runs of losses and of frames between them have geometric lengths.
#[test]
fn losses_come_in_runs_as_long_as_the_chances_say() {
    let (enter, leave) = (0.25, 0.4);
    let options = LabOptions {
        faults: vec!["bursty_loss;enter=25;leave=40@r1>r2".into()],
        seed: 1,
    };
    let mut lab = Lab::named("demo", &options).unwrap();
    let number = lab.link_named("r1-r2").unwrap();
    let (link, mut effects) = (&mut lab.links[number], Effects::default());
    let mut runs = [Vec::new(), Vec::new()];
    let (mut lost_before, mut length) = (false, 0);
    for frame in 0..400_000 {
        let now = Time(frame * 1_000_000);
        link.transmit(0, now, vec![0; BYTES].into(), &mut effects);
        let lost = effects.drops.pop().is_some();
        link.ways[0].in_flight.clear();
        if lost == lost_before {
            length += 1;
            continue;
        }
        runs[usize::from(lost_before)].push(length);
        (lost_before, length) = (lost, 1);
    }
    // The first run began before anybody looked.
    runs[0].remove(0);
    for (runs, ends) in [(&runs[0], enter), (&runs[1], leave)] {
        let value = chi_square(runs, ends);
        assert!(
            runs.len() > 50_000 && value < CHI_SQUARE_12,
            "{value} of {} runs",
            runs.len()
        );
    }
    // The test can fail: these are not runs of another chance.
    assert!(chi_square(&runs[1], leave + 0.01) > CHI_SQUARE_12);
}
