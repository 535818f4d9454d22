//! Packets that other decoders were seen to read wrongly, or to read in silence, in
//! `golden/shown.txt`: what is shown of them, and what is not.
//!
//! A block is a sentence (`# …`), the link type (`@ …`), texts that must be shown (`+ …`), texts that
//! must not (`- …`), and the bytes.

use crafty_print::packet::lines;
use crafty_wire::{Decoded, decode, link};

/// What one packet shows.
#[derive(Default)]
struct ShownPacket<'a> {
    sentence: &'a str,
    link_type: u32,
    shown: Vec<&'a str>,
    hidden: Vec<&'a str>,
    octets: Vec<u8>,
}

impl<'a> ShownPacket<'a> {
    fn parse(block: &'a str) -> ShownPacket<'a> {
        let mut packet = ShownPacket::default();
        for line in block.lines() {
            match line.split_at_checked(2) {
                Some(("# ", text)) => packet.sentence = text,
                Some(("@ ", text)) => packet.link_type = text.parse().expect("a link type"),
                Some(("+ ", text)) => packet.shown.push(text),
                Some(("- ", text)) => packet.hidden.push(text),
                _ => packet.octets.extend(hex(line)),
            }
        }
        packet
    }

    /// The packet as `decode` shows it.
    fn text(&self) -> String {
        let (mut decoded, mut out) = (Decoded::new(), Vec::new());
        let first = link(self.link_type, &self.octets);
        decode(first, &self.octets, self.octets.len(), &mut decoded);
        lines(&self.octets, &decoded, b"  ", &mut out);
        String::from_utf8(out).expect("text")
    }
}

fn hex(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().as_chunks::<2>().0.iter();
    let byte = |pair: &[u8; 2]| {
        u8::from_str_radix(std::str::from_utf8(pair).expect("digits"), 16).expect("hex")
    };
    pairs.map(byte).collect()
}

#[test]
fn packets_show_what_is_right() {
    let all = include_str!("../../../golden/shown.txt");
    let mut wrong = Vec::new();
    for block in all.split("\n\n") {
        let packet = ShownPacket::parse(block);
        let text = packet.text();
        let missing = packet.shown.iter().filter(|it| !text.contains(**it));
        let unwanted = packet.hidden.iter().filter(|it| text.contains(**it));
        wrong.extend(missing.map(|it| format!("{}\nlacks {it}\n{text}", packet.sentence)));
        wrong.extend(unwanted.map(|it| format!("{}\nhas {it}\n{text}", packet.sentence)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
