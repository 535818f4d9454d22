//! The codec beside tshark and Scapy, on packets made up at random: the same bytes from the same
//! named fields, the same values from the same bytes; and where bits are flipped, ends cut off and
//! lengths lie, the same layers and values as tshark finds, or a row in [`theirs::THEIRS`] that
//! says why not. `TEST_ROUNDS=100` makes a hundred times as many.

mod cases;
mod scapy;
mod table;
mod theirs;
mod tshark;

use crafty_wire::{DecodeWarning, Decoded, FieldValue, Layer};
use std::collections::{BTreeMap, BTreeSet};

use cases::{Case, broken, whole};
use table::{Row, row};
use theirs::{Difference, THEIRS, Tool};

use crate::notation::show;

/// All values of each of their fields, in the order of the layers.
type Values = BTreeMap<&'static str, Vec<Option<u128>>>;

#[test]
fn scapy_builds_the_same() {
    let Some(mut scapy) = scapy::start() else {
        return;
    };
    let cases: Vec<Case> = whole(6).into_iter().filter(Case::built_by_scapy).collect();
    let requests: Vec<String> = cases
        .iter()
        .map(|case| format!("B {}", case.for_scapy()))
        .collect();
    let mut sheet = Sheet::new(Tool::ScapyBuilds);
    for ((case, request), answer) in cases.iter().zip(&requests).zip(scapy.ask(&requests)) {
        sheet.compared += 1;
        if answer != show(&case.octets) {
            sheet.differs(&whole_of(case, &case.decoded()), || {
                format!("{request}\nours   {}\ntheirs {answer}", show(&case.octets))
            });
        }
    }
    sheet.close(150);
}

fn whole_of<'a>(case: &'a Case, decoded: &'a Decoded) -> Difference<'a> {
    Difference {
        case,
        decoded,
        ours: &[],
        theirs: &[],
        field: "",
    }
}

#[test]
fn scapy_reads_the_same() {
    let Some(mut scapy) = scapy::start() else {
        return;
    };
    let cases: Vec<Case> = [whole(6), broken(6)]
        .concat()
        .into_iter()
        .filter(Case::known_to_scapy)
        .collect();
    let requests: Vec<String> = cases
        .iter()
        .map(|case| format!("R {}", show(&case.octets)))
        .collect();
    let mut sheet = Sheet::new(Tool::ScapyReads);
    for (case, answer) in cases.iter().zip(scapy.ask(&requests)) {
        beside_scapy(case, &answer, &mut sheet);
    }
    sheet.close(5_000);
}

/// Layer by layer, as far as no length lies: Scapy trusts none.
fn beside_scapy(case: &Case, answer: &str, sheet: &mut Sheet) {
    let decoded = case.decoded();
    for (i, theirs) in scapy::layers(answer)
        .iter()
        .enumerate()
        .take(case.certain(&decoded))
    {
        let Some((row, found)) = decoded
            .layers
            .get(i)
            .and_then(|found| Some((row(found.layer.name)?, found)))
        else {
            return;
        };
        if theirs.class != row.scapy {
            sheet.differs(
                &Difference {
                    ours: &[row.layer],
                    ..whole_of(case, &decoded)
                },
                || format!("{}\n{} is {} there", case.tell(), row.layer, theirs.class),
            );
            return;
        }
        for (name, other, ..) in row.fields.iter().filter(|names| !names.1.is_empty()) {
            let (Some(ours), Some(value)) = (
                read(&case.octets, &decoded, i, name),
                theirs.value(other, found.layer, name),
            ) else {
                continue;
            };
            sheet.compared += 1;
            if ours != value {
                let difference = Difference {
                    ours: &[row.layer],
                    field: name,
                    ..whole_of(case, &decoded)
                };
                sheet.differs(&difference, || {
                    format!(
                        "{}\n{}.{name}: {ours:#x}, Scapy {value:#x}",
                        case.tell(),
                        row.layer
                    )
                });
            }
        }
    }
}

#[test]
fn tshark_reads_the_same_packets() {
    let cases = [whole(12), broken(40)].concat();
    let Some(answers) = tshark::read(&cases) else {
        return;
    };
    let mut sheet = Sheet::new(Tool::Tshark);
    cases
        .iter()
        .zip(&answers)
        .for_each(|(case, theirs)| beside_tshark(case, theirs, &mut sheet));
    sheet.close(20_000);
}

fn beside_tshark(case: &Case, theirs: &tshark::Told, sheet: &mut Sheet) {
    let (decoded, uncut) = (case.decoded(), without_cut(case.decoded()));
    let names = |decoded: &Decoded| {
        let mut names: Vec<&'static str> = decoded
            .layers
            .iter()
            .filter_map(|found| row(found.layer.name))
            .map(|row| row.tshark)
            .collect();
        names.dedup_by(tshark::one_name);
        names
    };
    let (all, ours) = (names(&decoded), names(&uncut));
    let told = |what: String| {
        move || {
            format!(
                "{}\n{what} {:?}",
                case.tell(),
                case.decoded().all_warnings().collect::<Vec<_>>()
            )
        }
    };
    let difference = |field| Difference {
        case,
        decoded: &decoded,
        ours: &ours,
        theirs: &theirs.layers,
        field,
    };
    sheet.compared += ours.len();
    if ours != theirs.layers && all != theirs.layers {
        return sheet.differs(
            &difference(""),
            told(format!("ours {ours:?}, theirs {:?}", theirs.layers)),
        );
    }
    let (all, certain) = (
        ours_of(&case.octets, &decoded),
        ours_of(&case.octets, &uncut),
    );
    for (name, values) in &all {
        let Some(their) = theirs.values.get(name) else {
            continue;
        };
        sheet.compared += values.len();
        if values != their && certain.get(name).map_or(&[][..], Vec::as_slice) != their {
            sheet.differs(
                &difference(name),
                told(format!("{name}: {values:x?}, tshark {their:x?}")),
            );
        }
    }
}

/// What differs, and what of it is known.
struct Sheet {
    tool: Tool,
    compared: usize,
    met: BTreeSet<usize>,
    wrong: Vec<String>,
}

impl Sheet {
    fn new(tool: Tool) -> Sheet {
        Sheet {
            tool,
            compared: 0,
            met: BTreeSet::new(),
            wrong: Vec::new(),
        }
    }

    fn differs(&mut self, difference: &Difference, tell: impl FnOnce() -> String) {
        match theirs::known(self.tool, difference) {
            Some(row) => _ = self.met.insert(row),
            None => self.wrong.push(tell()),
        }
    }

    fn close(self, least: usize) {
        let some: Vec<&str> = self
            .wrong
            .iter()
            .take(if std::env::var_os("TEST_ROUNDS").is_some() {
                400
            } else {
                40
            })
            .map(String::as_str)
            .collect();
        assert!(
            self.wrong.is_empty(),
            "{} differ of {}\n{}",
            self.wrong.len(),
            self.compared,
            some.join("\n\n")
        );
        assert!(self.compared >= least, "only {} compared", self.compared);
        if std::env::var_os("TEST_ROUNDS").is_none() {
            return;
        }
        let unmet: Vec<&str> = THEIRS
            .iter()
            .enumerate()
            .filter(|(i, row)| row.tool == self.tool && !self.met.contains(i))
            .map(|row| row.1.packet)
            .collect();
        assert!(unmet.is_empty(), "nothing meets {unmet:?} any more");
    }
}

/// `TEST_BLESS=1` writes it.
#[test]
fn the_page_is_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../book/disagreements.md");
    if std::env::var_os("TEST_BLESS").is_some() {
        std::fs::write(path, theirs::page()).expect("written");
    }
    assert_eq!(
        std::fs::read_to_string(path).unwrap_or_default(),
        theirs::page(),
        "`TEST_BLESS=1 cargo test -p crafty-wire page` writes it"
    );
}

/// Without a header that is cut off: we show what is there of it, tshark some or nothing.
fn without_cut(mut decoded: Decoded) -> Decoded {
    let last = decoded.layers.len().saturating_sub(1);
    if decoded
        .warnings(last)
        .any(|warning| matches!(warning, DecodeWarning::Truncated { .. }))
    {
        decoded.layers.pop();
    }
    decoded
}

/// Whether a type is a length.
fn is_length(other: &str, value: u128) -> bool {
    matches!(other, "eth.type" | "vlan.etype") && value < ETHER_TYPES
}

/// Below it the type of a frame is its length, for which tshark has another name (IEEE 802.3
/// §3.2.6).
const ETHER_TYPES: u128 = 0x600;

/// Our values by their names; several of ours may be part of one of theirs.
fn ours_of(octets: &[u8], decoded: &Decoded) -> Values {
    let mut all = Values::new();
    for (i, found) in decoded.layers.iter().enumerate() {
        for (name, _, other, _) in row(found.layer.name).map_or(&[][..], |row: &Row| row.fields) {
            let value = read(octets, decoded, i, name)
                .filter(|value| !other.is_empty() && !is_length(other, *value));
            if let Some(value) = value {
                all.entry(other).or_default().push(Some(value));
            }
        }
    }
    all
}

/// The value of a field as a number.
fn read(octets: &[u8], decoded: &Decoded, i: usize, name: &str) -> Option<u128> {
    let (index, _) = decoded.layers[i]
        .layer
        .field(name)
        .unwrap_or_else(|| panic!("no field `{name}`"));
    match decoded.read(octets, i, index)? {
        FieldValue::Uint(value) => Some(value.into()),
        FieldValue::Wide(value) => Some(value),
        _ => None,
    }
}

/// The part of their value that one of our fields is: `name>>n`.
fn part(other: &str, value: u128, layer: &Layer, name: &str) -> u128 {
    let Some((_, shift)) = other.split_once(">>") else {
        return value;
    };
    let width = layer.field(name).map_or(0, |(_, field)| field.width());
    value >> shift.parse::<u32>().expect("a shift") & ((1 << width) - 1)
}
