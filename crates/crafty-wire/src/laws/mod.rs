//! Laws that hold for every row of every table, tried before anybody writes a test for a row.

use std::vec;
use std::vec::Vec;

use crate::{FieldValue, Header, Layer};
use crate::{encode, layer};

/// Bytes from hex digits.
pub(crate) fn hex(digits: &str) -> Vec<u8> {
    digits
        .as_bytes()
        .chunks(2)
        .map(|pair| {
            u8::from_str_radix(std::str::from_utf8(pair).expect("digits"), 16).expect("hex")
        })
        .collect()
}

mod codec;
mod lies;
mod options;
mod roles;
mod rows;

/// A die of the tests' own: same seed, same bytes.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.roll() >> 16) as usize % end.max(1)
    }

    fn octets(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.roll() as u8).collect()
    }
}

/// Rounds of a law: `TEST_ROUNDS=100 cargo test -p crafty-wire laws` tries a hundred times as
/// many.
fn rounds(usual: usize) -> usize {
    let times = std::env::var("TEST_ROUNDS")
        .ok()
        .and_then(|times| times.parse().ok());
    usual * times.unwrap_or(1)
}

fn named(name: &str) -> &'static Layer {
    layer(name).unwrap_or_else(|| panic!("no layer `{name}`"))
}

fn bytes(octets: &[u8]) -> Header {
    Header::new(named("Bytes"))
        .with("data", FieldValue::Bytes(octets.to_vec()))
        .expect("bytes")
}

fn uint(header: Header, field: &str, value: u64) -> Header {
    header
        .with(field, FieldValue::Uint(value))
        .expect("a number that fits")
}

/// Frames that reach every layer: each layer below its parents, with random fields.
fn frame(layer: &'static Layer, dice: &mut Dice) -> (Vec<u8>, &'static Layer) {
    let mut headers = vec![Header::new(layer), bytes(&dice.octets(40))];
    let mut first = layer;
    while let Some(row) = first.under.get(dice.below(first.under.len())) {
        first = named(row.parent);
        let below = uint(Header::new(first), row.field, row.value);
        headers.insert(0, below);
        if headers.len() > 6 {
            break;
        }
    }
    let mut out = Vec::new();
    encode(&headers, &mut out);
    (out, first)
}

fn mutate(octets: &mut Vec<u8>, dice: &mut Dice) {
    for _ in 0..dice.below(6) {
        let at = dice.below(octets.len());
        if let Some(octet) = octets.get_mut(at) {
            *octet = match dice.below(4) {
                0 => 0,
                1 => 0xff,
                2 => octet.wrapping_add(1),
                _ => dice.roll() as u8,
            };
        }
    }
    if dice.below(4) == 0 {
        octets.truncate(dice.below(octets.len() + 1));
    }
}
