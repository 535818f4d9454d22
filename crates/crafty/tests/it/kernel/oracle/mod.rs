//! The kernel as oracle of the gate: mutated frames are offered to the gate under sets of permissions, and
//! those that it lets through go over a veth into a namespace that listens on everything. Nothing arrives
//! there that was not permitted, by parsers that are not ours: nftables for what the kernel can read,
//! tshark for what is inside of carriers. `ORACLE_FRAMES` says how many frames are offered.

mod judge;
mod offers;
mod readers;
pub mod world;

use super::Spaces;
use crate::tool::Folder;
use crafty_net::{Port, PortOptions, in_namespace, interface};
use crafty_policy::{Author, FrameOrigin, Gate, LinkKind, Power, Reserved, Verdict};
use crafty_value::{Mac, Time};
use judge::KernelJudge;
use offers::{OfferDice, framed, golden_packets, mended, mutated, retargeted, wrapped};
use world::{Addresses, CASES, PermissionCase, gate_host};

/// Frames offered in the usual run.
const OFFERED: usize = 20_000;

/// Frames that are judged together; after these many the counters start again.
const BATCH: usize = 5_000;

const PROGRAM: FrameOrigin = FrameOrigin {
    author: Author::Main,
    site: 0,
    reactive: false,
    chosen_bits: 0,
};

/// What became of the frames under one set of permissions.
#[derive(Default)]
struct Tally {
    offered: usize,
    accepted: usize,
    /// Frames that even the kernel would not take.
    too_long: usize,
    syns: u64,
    carried: usize,
}

#[test]
fn nothing_arrives_that_was_not_permitted() {
    let Some(spaces) = Spaces::new(&["a", "b"]) else {
        return;
    };
    let folder = Folder::new();
    spaces.join(("a", &[]), ("b", &[]));
    let kernel = KernelJudge::new(&spaces, &folder);
    let all = std::env::var("ORACLE_FRAMES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(OFFERED);
    let corpus = golden_packets();
    assert!(corpus.len() > 150, "{} packets", corpus.len());
    let mut total = Tally::default();
    for (number, case) in CASES.iter().enumerate() {
        let mut tally = Tally::default();
        let mut round = 0;
        while tally.offered < all / CASES.len() {
            let seed = (number << 32 | round) as u64;
            let batch = BATCH.min(all / CASES.len() - tally.offered);
            offer(
                &spaces,
                &kernel,
                &folder,
                case,
                &corpus,
                (seed, batch),
                &mut tally,
            );
            round += 1;
        }
        println!(
            "{}: {} offered, {} let through ({} in carriers), {} SYNs, {} too long for the kernel",
            case.name, tally.offered, tally.accepted, tally.carried, tally.syns, tally.too_long
        );
        assert!(
            tally.accepted * 25 > tally.offered,
            "`{}`: too few are let through to tell anything",
            case.name
        );
        total.offered += tally.offered;
        total.accepted += tally.accepted;
    }
    println!(
        "{} offered, {} let through and judged",
        total.offered, total.accepted
    );
}

/// One batch of frames under one set of permissions.
fn offer(
    spaces: &Spaces,
    kernel: &KernelJudge,
    folder: &Folder,
    case: &PermissionCase,
    corpus: &[Vec<u8>],
    (seed, batch): (u64, usize),
    tally: &mut Tally,
) {
    let mut gate = Gate::new(case.policy(), gate_host(), Time(0), Reserved::default());
    let mut dice = OfferDice::new(seed);
    let addresses = Addresses::new();
    let accepted: Vec<Vec<u8>> = (0..batch)
        .map(|_| {
            let layers = if case.grants(Power::Tunnels) {
                dice.below(4)
            } else {
                dice.below(10) / 9
            };
            frame(corpus, layers, &addresses, &mut dice)
        })
        .filter(|frame| {
            matches!(
                gate.judge(Time(0), frame, LinkKind::Ethernet, PROGRAM),
                Verdict::Send
            )
        })
        .collect();
    let syns = gate.report().syns;
    kernel.install(case);
    let sent = send(spaces, &accepted);
    let counts = kernel.counts();
    let counted = |table: &str, name: &str| {
        counts
            .get(&(table.to_string(), name.to_string()))
            .copied()
            .unwrap_or(0)
    };
    assert_eq!(
        counted("wire", "frames"),
        sent.len() as u64,
        "`{}`: not all arrived",
        case.name
    );
    let faults = kernel.faults();
    if !faults.is_empty() {
        let culprit = culprit(spaces, kernel, case, &accepted);
        panic!(
            "`{}`, seed {seed}: {faults:?}: {}",
            case.name,
            hex(&culprit)
        );
    }
    let opened = counted("wire", "syns") + counted("vx4789", "syns") + counted("vx8472", "syns");
    assert!(
        opened <= syns,
        "`{}`: {opened} SYNs arrived, {syns} were charged",
        case.name
    );
    tally.carried += readers::carried(folder, case, &sent);
    tally.offered += batch;
    tally.accepted += accepted.len();
    tally.too_long += accepted.len() - sent.len();
    tally.syns += opened;
}

fn frame(
    corpus: &[Vec<u8>],
    layers: usize,
    addresses: &Addresses,
    dice: &mut OfferDice,
) -> Vec<u8> {
    let mut packet = corpus[dice.below(corpus.len())].clone();
    for _ in 0..layers {
        packet = wrapped(&packet, dice);
    }
    packet.truncate(1_500);
    let frame = retargeted(framed(&packet, dice), addresses, dice);
    let frame = mutated(frame, addresses, dice);
    if dice.below(4) > 0 {
        mended(frame)
    } else {
        frame
    }
}

/// Frames to offer, without end: of every kind, in carriers too.
pub struct Offers {
    corpus: Vec<Vec<u8>>,
    addresses: Addresses,
    dice: OfferDice,
}

impl Offers {
    pub fn new(seed: u64) -> Offers {
        Offers {
            corpus: golden_packets(),
            addresses: Addresses::new(),
            dice: OfferDice::new(seed),
        }
    }
}

impl Iterator for Offers {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let layers = self.dice.below(12) / 10;
        Some(frame(&self.corpus, layers, &self.addresses, &mut self.dice))
    }
}

/// Sends frames from `a`; gives those that the kernel took.
fn send(spaces: &Spaces, frames: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let open = || {
        let near = interface("to_b").expect("the device");
        assert_eq!(near.mac, Some(Mac(world::NEAR_MAC)));
        Port::open(
            &near,
            PortOptions {
                recapture: false,
                ring_bytes: 0,
                snap: 64,
                ..PortOptions::default()
            },
        )
    };
    let mut port = in_namespace(&spaces.name("a"), open)
        .expect("a namespace")
        .expect("a port");
    frames
        .iter()
        .filter(|frame| port.send(frame).is_ok())
        .cloned()
        .collect()
}

/// The frame with which the first of `frames` become a fault.
fn culprit(
    spaces: &Spaces,
    kernel: &KernelJudge,
    case: &PermissionCase,
    frames: &[Vec<u8>],
) -> Vec<u8> {
    let (mut good, mut bad) = (0, frames.len());
    while bad - good > 1 {
        let middle = (good + bad) / 2;
        kernel.install(case);
        send(spaces, &frames[..middle]);
        if kernel.faults().is_empty() {
            good = middle
        } else {
            bad = middle
        }
    }
    frames[good].clone()
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
