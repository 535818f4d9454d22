//! What one verdict costs: prints nanoseconds a frame for small and full datagrams, with and
//! without a busy second behind. Run with `cargo run --release -p crafty-policy --example
//! gate_speed`.

use crafty_policy::{
    AddressListEntry, Author, Budget, FrameOrigin, Gate, HostAddresses, LinkKind, Policy, Reserved,
    Verdict,
};
use crafty_value::{Duration, Mac, Time};
use std::hint::black_box;
use std::time::Instant;

const FRAMES: i64 = 1_000_000;
const ORIGIN: FrameOrigin = FrameOrigin {
    author: Author::Main,
    site: 0,
    reactive: false,
    chosen_bits: 0,
};

fn main() {
    println!("bytes\tper second\tns a frame");
    for len in [60, 1514] {
        for per_second in [100, 4_000, 1_000_000] {
            println!("{len}\t{per_second}\t{:.1}", measure(len, per_second));
        }
    }
}

/// Sends frames of this length at this rate past a gate that allows it.
fn measure(len: usize, per_second: i64) -> f64 {
    let mut gate = gate(per_second as u64);
    let frame = frame(len);
    let step = 1_000_000_000 / per_second;
    let start = Instant::now();
    for i in 0..FRAMES {
        let verdict = gate.judge(
            Time(i * step),
            black_box(&frame),
            LinkKind::Ethernet,
            ORIGIN,
        );
        assert_eq!(verdict, Verdict::Send);
    }
    start.elapsed().as_nanos() as f64 / FRAMES as f64
}

fn gate(per_second: u64) -> Gate {
    let mut asked = Policy::program();
    asked.destinations.add(
        "192.0.2.20"
            .parse::<AddressListEntry>()
            .expect("an address"),
    );
    asked.ports.udp.insert(40000, 40000);
    asked.budget = Budget {
        max_duration: Duration(i64::MAX),
        max_packets_per_secs: per_second,
        ..Budget::UNLIMITED
    };
    let host = HostAddresses {
        interface: "eth0".into(),
        macs: vec![Mac([2, 0, 0, 0, 0, 1])],
        addresses: vec![([192, 0, 2, 10].into(), 24)],
        neighbours: [([192, 0, 2, 20].into(), Mac([2, 0, 0, 0, 0, 2]))].into(),
        mtu: 1500,
        ..HostAddresses::default()
    };
    Gate::new(
        asked.meet(&Policy::operator(None, [])),
        host,
        Time(0),
        Reserved::default(),
    )
}

/// A UDP datagram in a frame of `len` bytes, its checksums right.
fn frame(len: usize) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0];
    frame.extend(((len - 14) as u16).to_be_bytes());
    frame.extend([
        0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, 10, 192, 0, 2, 20, 0x9c, 0x40, 0, 9,
    ]);
    frame.extend(((len - 34) as u16).to_be_bytes());
    frame.resize(len, 0);
    let header = checksum(&frame[14..34], 0);
    frame[24..26].copy_from_slice(&header.to_be_bytes());
    // The pseudo-header: addresses, protocol, length.
    let datagram = checksum(&frame[26..], 17 + (len as u32 - 34));
    frame[40..42].copy_from_slice(&datagram.to_be_bytes());
    frame
}

fn checksum(octets: &[u8], more: u32) -> u16 {
    let sum = more
        + octets
            .chunks(2)
            .map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1]))
            .sum::<u32>();
    !((sum & 0xffff) + (sum >> 16)) as u16
}
