//! The notation of the language for literal stacks, as far as the tests of the codec need it.

use crafty_wire::{Field, FieldKind, FieldValue, Header, Layer, OptionRow, OptionValue, layer};

/// Bytes from hex digits; anything else is skipped.
pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits
        .chunks(2)
        .map(|pair| {
            u8::from_str_radix(std::str::from_utf8(pair).expect("digits"), 16).expect("hex")
        })
        .collect()
}

/// Bytes as hex digits.
pub fn show(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}

/// The rest of a stack in the notation of the language.
pub struct Text<'a>(pub &'a str);

impl<'a> Text<'a> {
    /// The headers of a stack.
    pub fn stack(&mut self) -> Vec<Header> {
        let mut headers = Vec::new();
        while self.take("/") {
            let end = self
                .0
                .find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(self.0.len());
            let layer =
                layer(&self.0[..end]).unwrap_or_else(|| panic!("no layer `{}`", &self.0[..end]));
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
                header.set(0, value).expect("bytes");
                continue;
            }
            let (name, rest) = self.0.split_once('=').expect("field=value");
            self.0 = rest;
            let (index, field) = layer
                .field(name.trim())
                .unwrap_or_else(|| panic!("no field `{}.{name}`", layer.name));
            let value = self.value(field);
            header
                .set(index, value)
                .unwrap_or_else(|why| panic!("{}.{name}: {why}", layer.name));
            self.take(",");
        }
        header
    }

    fn value(&mut self, field: &Field) -> FieldValue {
        if self.take("\"") {
            let (text, rest) = self.0.split_once('"').expect("a closing quote");
            self.0 = rest;
            return if matches!(field.kind, FieldKind::Text) {
                FieldValue::Text(text.into())
            } else {
                FieldValue::Bytes(text.into())
            };
        }
        if self.take("[") {
            return FieldValue::Options(self.options(field));
        }
        let word = self.word();
        match field.kind {
            _ if word.starts_with('#') => FieldValue::Bytes(hex(&word[1..])),
            FieldKind::Ip4 => FieldValue::Uint(
                word.parse::<std::net::Ipv4Addr>()
                    .expect("an address")
                    .to_bits()
                    .into(),
            ),
            FieldKind::Ip6 => FieldValue::Wide(
                word.parse::<std::net::Ipv6Addr>()
                    .expect("an address")
                    .to_bits(),
            ),
            FieldKind::Mac => FieldValue::Uint(
                hex(word)
                    .iter()
                    .fold(0, |mac, &octet| mac << 8 | u64::from(octet)),
            ),
            _ => FieldValue::Uint(
                word.split('+')
                    .map(|part| number(field, part))
                    .fold(0, |sum, part| sum | part),
            ),
        }
    }

    fn options(&mut self, field: &Field) -> Vec<OptionValue> {
        let FieldKind::Options(tlv) = field.kind else {
            panic!("`{}` has no options", field.name)
        };
        let mut list = Vec::new();
        while !self.take("]") {
            let name = self.word();
            if name == "raw" {
                assert!(self.take("("));
                list.push(OptionValue::Raw(hex(self.word())));
                assert!(self.take(")"));
            } else {
                let option = tlv
                    .named(name)
                    .unwrap_or_else(|| panic!("no option `{name}`"));
                list.push(OptionValue::Named {
                    option,
                    values: self.arguments(option),
                });
            }
            self.take(",");
        }
        list
    }

    /// Values for the fields in order, for those of a group again and again.
    fn arguments(&mut self, option: &OptionRow) -> Vec<FieldValue> {
        let mut values = Vec::new();
        if self.take("(") {
            while !self.take(")") {
                let field = option.field(values.len()).expect("a field for the value");
                values.push(self.value(field));
                self.take(",");
            }
        }
        values
    }

    fn word(&mut self) -> &'a str {
        self.0 = self.0.trim_start();
        let end = self
            .0
            .find([',', ')', '(', ']', ' '])
            .unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        word
    }

    fn take(&mut self, mark: &str) -> bool {
        self.0 = self.0.trim_start();
        self.0
            .strip_prefix(mark)
            .inspect(|rest| self.0 = rest)
            .is_some()
    }
}

fn number(field: &Field, word: &str) -> u64 {
    let parsed = word
        .strip_prefix("0x")
        .map_or_else(|| word.parse(), |digits| u64::from_str_radix(digits, 16));
    field
        .named(word)
        .or(parsed.ok())
        .unwrap_or_else(|| panic!("`{}` has no value `{word}`", field.name))
}
