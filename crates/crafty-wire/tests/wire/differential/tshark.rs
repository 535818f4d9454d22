//! One tshark over a file of many packets; it knows the protocols of the table and guesses at no
//! other.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Command;

use super::cases::Case;
use super::table::ROWS;
use super::{Values, part};

/// What tshark says of a packet.
pub struct Told {
    /// Protocols of the table, from the outside in.
    pub layers: Vec<&'static str>,
    /// All values of each field.
    pub values: Values,
}

/// Protocols that tshark needs to come to those of the table.
const ALSO: &[&str] = &[
    "frame",
    "ethertype",
    "_ws.malformed",
    "_ws.short",
    "data",
    "ipv6.routing",
    "bootp",
];

/// What tshark says of all of them; nothing where there is no tshark.
pub fn read(cases: &[Case]) -> Option<Vec<Told>> {
    let Ok(known) = Command::new("tshark").args(["-G", "protocols"]).output() else {
        eprintln!("skipped: no tshark here");
        return None;
    };
    let folder = std::env::temp_dir().join(format!(
        "crafty-differential-{}-{}",
        std::process::id(),
        cases.len()
    ));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(
        folder.join("disabled_protos"),
        others(&String::from_utf8_lossy(&known.stdout)),
    )
    .expect("written");
    let path = folder.join("packets.pcap");
    std::fs::write(&path, file(cases)).expect("written");
    let names = names();
    let mut command = Command::new("tshark");
    command
        .env("WIRESHARK_CONFIG_DIR", &folder)
        .args(["-n", "-r"])
        .arg(&path);
    command.args([
        "-T",
        "fields",
        "-E",
        "occurrence=a",
        "-E",
        "separator=|",
        "-E",
        "aggregator=;",
    ]);
    for setting in [
        "tcp.analyze_sequence_numbers",
        "tcp.desegment_tcp_streams",
        "ip.defragment",
        "ipv6.defragment",
    ] {
        command.args(["-o", &format!("{setting}:FALSE")]);
    }
    names.iter().for_each(|name| _ = command.args(["-e", name]));
    let output = command.output().expect("tshark runs");
    std::fs::remove_dir_all(&folder).expect("removed");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        text.lines().count(),
        cases.len(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(text.lines().map(|line| told(&names, line)).collect())
}

/// The protocols that the table does not have, which tshark is not to look for.
fn others(known: &str) -> String {
    let names = known.lines().filter_map(|line| line.split('\t').nth(2));
    let wanted = |name: &&str| ROWS.iter().all(|row| row.tshark != *name) && !ALSO.contains(name);
    names
        .filter(wanted)
        .map(|name| format!("{name}\n"))
        .collect()
}

fn names() -> Vec<&'static str> {
    let fields = ROWS
        .iter()
        .flat_map(|row| row.fields)
        .map(|names| whole(names.2))
        .filter(|name| !name.is_empty());
    let mut names: Vec<&str> = fields.collect();
    names.sort_unstable();
    names.dedup();
    [vec!["frame.protocols"], names].concat()
}

fn whole(other: &'static str) -> &'static str {
    other.split_once(">>").map_or(other, |(whole, _)| whole)
}

fn file(cases: &[Case]) -> Vec<u8> {
    let mut file = Vec::new();
    let words = |file: &mut Vec<u8>, words: &[u32]| {
        words
            .iter()
            .for_each(|word| file.extend(word.to_le_bytes()))
    };
    words(&mut file, &[0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, 1]);
    for (n, case) in cases.iter().enumerate() {
        words(
            &mut file,
            &[n as u32, 0, case.octets.len() as u32, case.wire_len as u32],
        );
        file.write_all(&case.octets).expect("memory");
    }
    file
}

/// Layers in a row that have one name: a stack of labels; the protocol and the kind of its message.
pub fn one_name(a: &mut &'static str, b: &mut &'static str) -> bool {
    a == b && matches!(*a, "mpls" | "igmp")
}

fn told(names: &[&'static str], line: &str) -> Told {
    let cells: BTreeMap<&str, &str> = names.iter().copied().zip(line.split('|')).collect();
    let mut layers = cells["frame.protocols"]
        .split(':')
        .filter_map(|name| ROWS.iter().map(|row| row.tshark).find(|row| *row == name))
        .collect::<Vec<_>>();
    layers.dedup_by(one_name);
    let mut values = Values::new();
    for row in ROWS {
        let layer = crafty_wire::layer(row.layer).expect("a layer");
        for (name, _, other, _) in row.fields.iter().filter(|names| !names.2.is_empty()) {
            let cell = cells.get(whole(other)).copied().unwrap_or_default();
            let numbers = cell
                .split(';')
                .filter(|word| !word.is_empty())
                .map(|word| number(word).map(|value| part(other, value, layer, name)));
            values.insert(other, numbers.collect());
        }
    }
    Told { layers, values }
}

/// A value as a number, whatever it is written as.
fn number(word: &str) -> Option<u128> {
    if let Some(digits) = word.strip_prefix("0x") {
        return u128::from_str_radix(digits, 16).ok();
    }
    if let Ok(address) = word.parse::<std::net::IpAddr>() {
        return Some(match address {
            std::net::IpAddr::V4(address) => address.to_bits().into(),
            std::net::IpAddr::V6(address) => address.to_bits(),
        });
    }
    match word {
        "True" => Some(1),
        "False" => Some(0),
        _ if word.matches(':').count() == 5 => {
            u128::from_str_radix(&word.replace(':', ""), 16).ok()
        }
        _ => word.parse().ok(),
    }
}
