//! Packets that other tools made, in `golden/*.hex`: built here they are the same bytes, and read
//! here they say the same.
//!
//! A block is a sentence (`# …`), a stack in the notation of the language (`/IP(…)/UDP(…)`) or for
//! packets that are only read the layers found in them (`= Eth IP`), the oddities that reading must
//! tell, one a line (`> …`), and the bytes.

use crafty_wire::{ChecksumStatus, Decoded, Header, decode, encode, layer, rebuild};

use crate::notation::{Text, hex, show};

#[test]
fn golden_packets() {
    let blocks = blocks();
    let mistakes = |(place, block): &(String, String)| -> Vec<String> {
        Golden::parse(block)
            .mistakes()
            .into_iter()
            .map(|mistake| format!("{place}\n{mistake}"))
            .collect()
    };
    let wrong: Vec<String> = blocks.iter().flat_map(mistakes).collect();
    assert!(
        wrong.is_empty(),
        "{} of {} wrong\n{}",
        wrong.len(),
        blocks.len(),
        wrong.join("\n\n")
    );
    assert!(blocks.len() >= 60, "only {} packets", blocks.len());
}

/// Every packet cut after each byte, and with each byte changed (of long ones every few): what is
/// read gives the same bytes again.
#[test]
fn cut_and_changed_packets() {
    for (place, block) in blocks() {
        let golden = Golden::parse(&block);
        for at in (0..golden.octets.len()).step_by(1 + golden.octets.len() / 150) {
            golden.survives(&golden.octets[..at], &place);
            for value in [
                0,
                0xff,
                golden.octets[at] ^ 1,
                golden.octets[at].wrapping_add(4),
            ] {
                let mut octets = golden.octets.clone();
                octets[at] = value;
                golden.survives(&octets, &place);
            }
        }
    }
}

/// All blocks, each with its file and sentence.
pub fn blocks() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder")
        .map(|file| file.expect("a file").path())
        .collect();
    files.sort();
    let mut all = Vec::new();
    for path in files
        .iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "hex"))
    {
        let text = std::fs::read_to_string(path).expect("text");
        for block in text.split("\n\n").filter(|block| !block.trim().is_empty()) {
            all.push((
                format!("{}: {}", path.display(), block.lines().next().unwrap_or("")),
                block.into(),
            ));
        }
    }
    all
}

/// One block.
#[derive(Default)]
pub struct Golden {
    stack: Vec<Header>,
    /// Layers that reading must find.
    pub layers: Vec<String>,
    oddities: Vec<String>,
    /// The packet.
    pub octets: Vec<u8>,
}

impl Golden {
    /// A block from its text.
    pub fn parse(block: &str) -> Golden {
        let mut golden = Golden::default();
        for line in block.lines() {
            match line.as_bytes().first() {
                Some(b'#') | None => {}
                Some(b'/') => golden.stack = Text(line).stack(),
                Some(b'=') => {
                    golden.layers = line[1..].split_whitespace().map(String::from).collect()
                }
                Some(b'>') => golden.oddities.push(line[1..].trim().into()),
                Some(_) => golden.octets.extend(hex(line)),
            }
        }
        if golden.layers.is_empty() {
            golden.layers = golden
                .stack
                .iter()
                .map(|header| header.layer().name.into())
                .collect();
        }
        golden
    }

    /// Whatever became of the packet, it can be read, and written as it was read.
    fn survives(&self, octets: &[u8], place: &str) {
        let (mut decoded, mut out) = (Decoded::new(), Vec::new());
        decode(
            layer(&self.layers[0]).expect("a layer"),
            octets,
            self.octets.len(),
            &mut decoded,
        );
        oddities(octets, &decoded);
        encode(&rebuild(octets, &decoded), &mut out);
        assert_eq!(show(&out), show(octets), "{place}\n{decoded:#?}");
    }

    fn mistakes(&self) -> Vec<String> {
        let (mut mistakes, mut out, mut decoded) = (Vec::new(), Vec::new(), Decoded::new());
        if !self.stack.is_empty() {
            encode(&self.stack, &mut out);
            differ(&mut mistakes, "built", &out, &self.octets);
        }
        let first = layer(&self.layers[0]).expect("a layer");
        decode(first, &self.octets, self.octets.len(), &mut decoded);
        let names: Vec<String> = decoded
            .layers
            .iter()
            .map(|found| found.layer.name.into())
            .collect();
        if names != self.layers {
            mistakes.push(format!("layers {names:?}, not {:?}", self.layers));
        }
        let found = oddities(&self.octets, &decoded);
        if found != self.oddities {
            mistakes.push(format!("oddities {found:?}, not {:?}", self.oddities));
        }
        encode(&rebuild(&self.octets, &decoded), &mut out);
        differ(&mut mistakes, "rebuilt", &out, &self.octets);
        mistakes
    }
}

fn differ(mistakes: &mut Vec<String>, what: &str, ours: &[u8], theirs: &[u8]) {
    if ours != theirs {
        let at = ours
            .iter()
            .zip(theirs)
            .position(|(a, b)| a != b)
            .unwrap_or(ours.len().min(theirs.len()));
        mistakes.push(format!(
            "{what} differs at byte {at}\nours   {}\ntheirs {}",
            show(ours),
            show(theirs)
        ));
    }
}

pub fn oddities(octets: &[u8], decoded: &Decoded) -> Vec<String> {
    let mut oddities = Vec::new();
    for (i, found) in decoded.layers.iter().enumerate() {
        let name = found.layer.name;
        oddities.extend(
            decoded
                .warnings(i)
                .map(|warning| format!("{name}: {warning}")),
        );
        for (index, field) in found.layer.fields.iter().enumerate() {
            match decoded.checksum(octets, i, index) {
                ChecksumStatus::Good | ChecksumStatus::Absent => {}
                ChecksumStatus::Bad { expected } => {
                    oddities.push(format!("{name}.{} bad, {expected:#x} is right", field.name))
                }
                other => oddities.push(format!("{name}.{} {other:?}", field.name)),
            }
        }
    }
    oddities
}
