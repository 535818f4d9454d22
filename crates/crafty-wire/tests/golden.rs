//! Packets that other tools made, in `golden/*.hex`: built here they are the same octets, and read here they say the same.
//!
//! A block is a sentence (`# …`), a stack in the notation of the language (`/IP(…)/UDP(…)`) or for packets that are only read
//! the layers found in them (`= Eth IP`), the oddities that reading must tell, one a line (`> …`), and the octets.

use crafty_wire::{ChecksumStatus, Decoded, Field, FieldValue, Header, Kind, Layer, OptionValue, decode, encode, layer, rebuild};

#[test]
fn golden_packets() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("the folder").map(|file| file.expect("a file").path()).collect();
    files.sort();
    let (mut tried, mut wrong) = (0, Vec::new());
    for path in files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "hex")) {
        let text = std::fs::read_to_string(path).expect("text");
        for block in text.split("\n\n").filter(|block| !block.trim().is_empty()) {
            tried += 1;
            let mistakes = Golden::parse(block).mistakes();
            wrong.extend(
                mistakes.into_iter().map(|mistake| format!("{}: {}\n{mistake}", path.display(), block.lines().next().unwrap_or(""))),
            );
        }
    }
    assert!(wrong.is_empty(), "{} of {tried} wrong\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(tried >= 60, "only {tried} packets");
}

/// One block.
#[derive(Default)]
struct Golden {
    stack: Vec<Header>,
    layers: Vec<String>,
    oddities: Vec<String>,
    octets: Vec<u8>,
}

impl Golden {
    fn parse(block: &str) -> Golden {
        let mut golden = Golden::default();
        for line in block.lines() {
            match line.as_bytes().first() {
                Some(b'#') | None => {}
                Some(b'/') => golden.stack = Text(line).stack(),
                Some(b'=') => golden.layers = line[1..].split_whitespace().map(String::from).collect(),
                Some(b'>') => golden.oddities.push(line[1..].trim().into()),
                Some(_) => golden.octets.extend(hex(line)),
            }
        }
        if golden.layers.is_empty() {
            golden.layers = golden.stack.iter().map(|header| header.layer().name.into()).collect();
        }
        golden
    }

    fn mistakes(&self) -> Vec<String> {
        let (mut mistakes, mut out, mut decoded) = (Vec::new(), Vec::new(), Decoded::new());
        if !self.stack.is_empty() {
            encode(&self.stack, &mut out);
            differ(&mut mistakes, "built", &out, &self.octets);
        }
        let first = layer(&self.layers[0]).expect("a layer");
        decode(first, &self.octets, self.octets.len(), &mut decoded);
        let names: Vec<String> = decoded.layers.iter().map(|found| found.layer.name.into()).collect();
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
        let at = ours.iter().zip(theirs).position(|(a, b)| a != b).unwrap_or(ours.len().min(theirs.len()));
        mistakes.push(format!("{what} differs at octet {at}\nours   {}\ntheirs {}", show(ours), show(theirs)));
    }
}

fn oddities(octets: &[u8], decoded: &Decoded) -> Vec<String> {
    let mut oddities = Vec::new();
    for (i, found) in decoded.layers.iter().enumerate() {
        let name = found.layer.name;
        oddities.extend(decoded.remarks(i).map(|remark| format!("{name}: {remark}")));
        for (index, field) in found.layer.fields.iter().enumerate() {
            match decoded.checksum(octets, i, index) {
                ChecksumStatus::Good | ChecksumStatus::Absent => {}
                ChecksumStatus::Bad { expected } => oddities.push(format!("{name}.{} bad, {expected:#x} is right", field.name)),
                other => oddities.push(format!("{name}.{} {other:?}", field.name)),
            }
        }
    }
    oddities
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).expect("digits"), 16).expect("hex")).collect()
}

fn show(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}

/// The rest of a stack in the notation of the language.
struct Text<'a>(&'a str);

impl<'a> Text<'a> {
    fn stack(&mut self) -> Vec<Header> {
        let mut headers = Vec::new();
        while self.take("/") {
            let end = self.0.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(self.0.len());
            let layer = layer(&self.0[..end]).unwrap_or_else(|| panic!("no layer `{}`", &self.0[..end]));
            self.0 = &self.0[end..];
            headers.push(self.header(layer));
        }
        headers
    }

    fn header(&mut self, layer: &'static Layer) -> Header {
        let mut header = Header::new(layer);
        if !self.take("(") {
            return header;
        }
        while !self.take(")") {
            if self.0.starts_with(['"', '#']) {
                let value = self.value(&layer.fields[0]);
                header.set(0, value).expect("octets");
                continue;
            }
            let (name, rest) = self.0.split_once('=').expect("field=value");
            self.0 = rest;
            let (index, field) = layer.field(name.trim()).unwrap_or_else(|| panic!("no field `{}.{name}`", layer.name));
            let value = self.value(field);
            header.set(index, value).unwrap_or_else(|why| panic!("{}.{name}: {why}", layer.name));
            self.take(",");
        }
        header
    }

    fn value(&mut self, field: &Field) -> FieldValue {
        if self.take("\"") {
            let (text, rest) = self.0.split_once('"').expect("a closing quote");
            self.0 = rest;
            return if matches!(field.kind, Kind::Text) { FieldValue::Text(text.into()) } else { FieldValue::Bytes(text.into()) };
        }
        if self.take("[") {
            return FieldValue::Options(self.options(field));
        }
        let word = self.word();
        match field.kind {
            _ if word.starts_with('#') => FieldValue::Bytes(hex(&word[1..])),
            Kind::Ip4 => FieldValue::Uint(word.parse::<std::net::Ipv4Addr>().expect("an address").to_bits().into()),
            Kind::Ip6 => FieldValue::Wide(word.parse::<std::net::Ipv6Addr>().expect("an address").to_bits()),
            Kind::Mac => FieldValue::Uint(hex(word).iter().fold(0, |mac, &octet| mac << 8 | u64::from(octet))),
            _ => FieldValue::Uint(word.split('+').map(|part| number(field, part)).fold(0, |sum, part| sum | part)),
        }
    }

    fn options(&mut self, field: &Field) -> Vec<OptionValue> {
        let Kind::Options(tlv) = field.kind else { panic!("`{}` has no options", field.name) };
        let mut list = Vec::new();
        while !self.take("]") {
            let name = self.word();
            if name == "raw" {
                assert!(self.take("("));
                list.push(OptionValue::Raw(hex(self.word())));
                assert!(self.take(")"));
            } else {
                let option = tlv.named(name).unwrap_or_else(|| panic!("no option `{name}`"));
                let fields: Vec<&Field> = option.shape.fields().collect();
                list.push(OptionValue::Named { option, values: self.arguments(&fields) });
            }
            self.take(",");
        }
        list
    }

    /// Values for the fields in order, for the last ones again and again.
    fn arguments(&mut self, fields: &[&Field]) -> Vec<FieldValue> {
        let mut values = Vec::new();
        if self.take("(") {
            while !self.take(")") {
                let field = fields.get(values.len()).or(fields.last()).expect("a field for the value");
                values.push(self.value(field));
                self.take(",");
            }
        }
        values
    }

    fn word(&mut self) -> &'a str {
        self.0 = self.0.trim_start();
        let end = self.0.find([',', ')', '(', ']', ' ']).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        word
    }

    fn take(&mut self, mark: &str) -> bool {
        self.0 = self.0.trim_start();
        self.0.strip_prefix(mark).inspect(|rest| self.0 = rest).is_some()
    }
}

fn number(field: &Field, word: &str) -> u64 {
    let parsed = word.strip_prefix("0x").map_or_else(|| word.parse(), |digits| u64::from_str_radix(digits, 16));
    field.named(word).or(parsed.ok()).unwrap_or_else(|| panic!("`{}` has no value `{word}`", field.name))
}
