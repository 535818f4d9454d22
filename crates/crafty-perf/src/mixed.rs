//! A capture of all that an ordinary network carries, made again for each run: TCP, UDP, DNS, TLS,
//! HTTP, ICMP, ARP, VLAN, IPv6, and a tunnel.

use crate::row::BenchmarkResult;
use crafty_wire::{FieldValue, Header, OptionValue, encode, layer};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Frames of one kind that differ in addresses, ports, numbers and bytes; after them they come
/// again, later.
const VARIANTS: u64 = 512;

/// Writes a classic capture file with `count` frames, microseconds apart.
pub fn write(path: &Path, count: u64) -> BenchmarkResult<()> {
    let frames = frames()?;
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    words(&mut file, &[0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, 1])?;
    for (n, frame) in (0..count).zip(frames.iter().cycle()) {
        let len = frame.len() as u32;
        words(
            &mut file,
            &[
                1_700_000_000 + (n / 1_000_000) as u32,
                (n % 1_000_000) as u32,
                len,
                len,
            ],
        )?;
        file.write_all(frame)?;
    }
    Ok(file.flush()?)
}

/// Each kind in each of its variants.
pub fn frames() -> BenchmarkResult<Vec<Vec<u8>>> {
    let mut frames = Vec::new();
    for variant in 0..VARIANTS {
        for kind in KINDS {
            frames.push(built(kind(variant)?));
        }
    }
    Ok(frames)
}

fn words(out: &mut impl Write, words: &[u32]) -> BenchmarkResult<()> {
    words
        .iter()
        .try_for_each(|word| Ok(out.write_all(&word.to_le_bytes())?))
}

fn built(headers: Vec<Header>) -> Vec<u8> {
    let mut octets = Vec::new();
    encode(&headers, &mut octets);
    octets
}

type MixedKind = fn(u64) -> BenchmarkResult<Vec<Header>>;

/// One frame of each kind, about as often as it is met.
const KINDS: &[MixedKind] = &[
    |n| on_ip(n, vec![tcp(n, 22, 0x010)?, data(n, 48)?]),
    |n| on_ip(n, vec![tcp(n, 443, 0x002)?]),
    |n| on_ip(n, vec![tcp(n, 8080, 0x018)?, data(n, 1_400)?]),
    |n| on_ip(n, vec![udp(n, 40_000)?, data(n, 200)?]),
    |n| on_ip(n, vec![udp(n, 53)?, dns(n)?]),
    |n| {
        on_ip(
            n,
            vec![
                tcp(n, 443, 0x018)?,
                text("TLS", &[("sni", &format!("host{n}.example.com"))])?,
            ],
        )
    },
    |n| on_ip(n, vec![tcp(n, 80, 0x018)?, http(n)?]),
    |n| {
        on_ip(
            n,
            vec![
                numbers("ICMP", &[("type", 8), ("id", n), ("seq", n)])?,
                data(n, 56)?,
            ],
        )
    },
    |n| on_ip6(n, vec![tcp(n, 8443, 0x010)?, data(n, 500)?]),
    |n| on_ip6(n, vec![udp(n, 40_001)?, data(n, 100)?]),
    |n| {
        on_ip6(
            n,
            vec![
                numbers("ICMP6", &[("type", 128), ("id", n), ("seq", n)])?,
                data(n, 56)?,
            ],
        )
    },
    |n| tagged(n, vec![tcp(n, 22, 0x010)?, data(n, 300)?]),
    |n| {
        tagged(
            n,
            vec![
                udp(n, 123)?,
                numbers("NTP", &[("mode", 3), ("stratum", n % 16)])?,
            ],
        )
    },
    |n| {
        Ok(vec![
            eth(n)?,
            numbers(
                "ARP",
                &[("op", 1), ("spa", 0x0a00_0000 + n), ("tpa", 0x0a00_0001)],
            )?,
        ])
    },
    |n| {
        on_ip(
            n,
            vec![
                udp(n, 4789)?,
                numbers("VXLAN", &[("vni", n)])?,
                eth(n + 1)?,
                ip(n + 7)?,
                udp(n, 40_002)?,
                data(n, 64)?,
            ],
        )
    },
    |n| on_ip(n, vec![tcp(n, 9000, 0x011)?]),
];

fn on_ip(n: u64, above: Vec<Header>) -> BenchmarkResult<Vec<Header>> {
    Ok([vec![eth(n)?, ip(n)?], above].concat())
}

fn on_ip6(n: u64, above: Vec<Header>) -> BenchmarkResult<Vec<Header>> {
    let address = |last: u64| FieldValue::Wide(0x2001_0db8_u128 << 96 | u128::from(last));
    let ip6 = numbers("IP6", &[("flow", n), ("ttl", 64)])?
        .with("src", address(n + 2))?
        .with("dst", address(1))?;
    Ok([vec![eth(n)?, ip6], above].concat())
}

fn tagged(n: u64, above: Vec<Header>) -> BenchmarkResult<Vec<Header>> {
    Ok([
        vec![eth(n)?, numbers("VLAN", &[("id", 1 + n % 4_000)])?, ip(n)?],
        above,
    ]
    .concat())
}

fn eth(n: u64) -> BenchmarkResult<Header> {
    numbers(
        "Eth",
        &[("src", 0x0200_0000_0000 + n), ("dst", 0x0200_0000_ffff)],
    )
}

fn ip(n: u64) -> BenchmarkResult<Header> {
    numbers(
        "IP",
        &[
            ("src", 0x0a00_0000 + n),
            ("dst", 0xc0a8_0000 + n * 7 % 251),
            ("id", n),
            ("ttl", 32 + n % 32),
        ],
    )
}

fn udp(n: u64, dst: u64) -> BenchmarkResult<Header> {
    numbers("UDP", &[("src", 49_152 + n), ("dst", dst)])
}

fn tcp(n: u64, dst: u64, flags: u64) -> BenchmarkResult<Header> {
    let header = numbers(
        "TCP",
        &[
            ("src", 49_152 + n),
            ("dst", dst),
            ("seq", n * 1_000_003),
            ("ack", n * 77),
            ("flags", flags),
        ],
    )?;
    let row = |name: &str, values: &[u64]| {
        named_option(name, values).ok_or_else(|| format!("no option `{name}` of TCP"))
    };
    let list = match flags {
        0x002 => vec![
            row("mss", &[1460])?,
            row("sack_ok", &[])?,
            row("ts", &[n, 0])?,
            row("nop", &[])?,
            row("wscale", &[7])?,
        ],
        _ => vec![row("nop", &[])?, row("nop", &[])?, row("ts", &[n, n + 1])?],
    };
    Ok(header.with("options", FieldValue::Options(list))?)
}

fn named_option(name: &str, values: &[u64]) -> Option<OptionValue> {
    let (_, field) = layer("TCP")?.field("options")?;
    let crafty_wire::FieldKind::Options(table) = field.kind else {
        return None;
    };
    Some(OptionValue::Named {
        option: table.named(name)?,
        values: values
            .iter()
            .map(|value| FieldValue::Uint(*value))
            .collect(),
    })
}

fn dns(n: u64) -> BenchmarkResult<Header> {
    Ok(numbers("DNS", &[("id", n), ("rd", 1), ("qtype", 1)])?
        .with("qname", FieldValue::Text(format!("www{n}.example.com")))?)
}

fn http(n: u64) -> BenchmarkResult<Header> {
    text(
        "HTTP",
        &[
            ("method", "GET"),
            ("target", &format!("/page/{n}")),
            ("host", "www.example.com"),
        ],
    )
}

fn data(n: u64, octets: usize) -> BenchmarkResult<Header> {
    let octets = (0..octets as u64)
        .map(|i| (i * 7 + n) as u8 | 0x80)
        .collect();
    Ok(header("Bytes")?.with("data", FieldValue::Bytes(octets))?)
}

fn header(name: &str) -> BenchmarkResult<Header> {
    Ok(Header::new(
        layer(name).ok_or_else(|| format!("no layer `{name}`"))?,
    ))
}

fn numbers(name: &str, fields: &[(&str, u64)]) -> BenchmarkResult<Header> {
    fields
        .iter()
        .try_fold(header(name)?, |header, (field, value)| {
            Ok(header.with(field, FieldValue::Uint(*value))?)
        })
}

fn text(name: &str, fields: &[(&str, &str)]) -> BenchmarkResult<Header> {
    fields
        .iter()
        .try_fold(header(name)?, |header, (field, value)| {
            Ok(header.with(field, FieldValue::Text((*value).into()))?)
        })
}
