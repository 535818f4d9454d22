//! Strings with their escapes and holes.

use super::{Lexer, span};
use crate::ast::{Align, FormatSpec};
use crate::diagnostics::{bad_escape, bad_hole, string_prefix, unterminated_string};
use crate::token::{StringPart, Token, TokenKind};

/// Escapes of one letter.
const ESCAPES: &[(u8, u8)] = &[
    (b'n', b'\n'),
    (b'r', b'\r'),
    (b't', b'\t'),
    (b'0', 0),
    (b'"', b'"'),
    (b'\\', b'\\'),
    (b'$', b'$'),
];

impl Lexer<'_> {
    /// A string from its quote on.
    pub(super) fn string(&mut self) {
        let start = self.at;
        let newline = self.newline;
        let mut parts = Vec::new();
        let mut text = Vec::new();
        self.at += 1;
        let closed = loop {
            match self.octet(0) {
                b'"' => break true,
                b'\n' => break false,
                _ if self.at >= self.end => break false,
                b'\\' => self.escape(&mut text),
                b'$' if self.octet(1) == b'{' => {
                    if !text.is_empty() {
                        parts.push(StringPart::Text(core::mem::take(&mut text)));
                    }
                    parts.extend(self.hole());
                }
                octet => {
                    text.push(octet);
                    self.at += 1;
                }
            }
        };
        if !text.is_empty() || parts.is_empty() {
            parts.push(StringPart::Text(text));
        }
        self.close_string(start, newline, closed, parts);
    }

    /// `f"…"` with a prefix of `len` bytes, taken as a whole if the string ends on its line.
    pub(super) fn prefixed_string(&mut self, len: usize) -> bool {
        let mut n = len + 1;
        while !matches!(self.octet(n), b'"' | b'\n' | 0) {
            n += 1 + usize::from(self.octet(n) == b'\\');
        }
        let to = (self.at + n + 1).min(self.end);
        if self.octet(n) != b'"' || self.source.get(self.at..to).is_none() {
            return false;
        }
        let (prefix, inside) = (
            self.text(self.at, self.at + len),
            self.text(self.at + len + 1, self.at + n),
        );
        self.tell(string_prefix::at(span(self.at, to), prefix, inside));
        self.push(to, TokenKind::Bad);
        true
    }

    fn close_string(&mut self, start: usize, newline: bool, closed: bool, parts: Vec<StringPart>) {
        let to = self.at + usize::from(closed);
        let known = self.reports.last().is_some_and(|r| {
            core::ptr::eq(r.diagnostic, &bad_hole::DIAGNOSTIC) && r.span.start as usize >= start
        });
        if !closed && !known {
            let end = start + self.text(start, to).trim_end().len();
            self.tell(unterminated_string::at(
                span(start, end),
                self.text(start, end),
            ));
        }
        self.at = start;
        self.newline = newline;
        self.push(to, TokenKind::String(parts));
        if !closed {
            self.push(to, TokenKind::Bad);
        }
    }

    fn escape(&mut self, text: &mut Vec<u8>) {
        let letter = self.octet(1);
        if let Some((_, octet)) = ESCAPES.iter().find(|(l, _)| *l == letter) {
            text.push(*octet);
            self.at += 2;
            return;
        }
        let read = match letter {
            b'x' => self.hex_escape(),
            b'u' => self.unicode_escape(),
            _ => None,
        };
        let Some((len, octets)) = read else {
            return self.bad_escape();
        };
        text.extend(octets);
        self.at += len;
    }

    /// `\xNN`
    fn hex_escape(&self) -> Option<(usize, Vec<u8>)> {
        let digits = self.text(self.at + 2, (self.at + 4).min(self.end));
        let fits = digits.len() == 2 && digits.bytes().all(|c| c.is_ascii_hexdigit());
        fits.then(|| u8::from_str_radix(digits, 16).ok())
            .flatten()
            .map(|octet| (4, vec![octet]))
    }

    /// `\u{…}`
    fn unicode_escape(&self) -> Option<(usize, Vec<u8>)> {
        let digits = self.run_of(3, |c| c.is_ascii_hexdigit());
        let framed =
            self.octet(2) == b'{' && self.octet(3 + digits) == b'}' && (1..=6).contains(&digits);
        let code = u32::from_str_radix(self.text(self.at + 3, self.at + 3 + digits), 16)
            .ok()
            .filter(|_| framed)?;
        char::from_u32(code).map(|c| (4 + digits, c.to_string().into_bytes()))
    }

    fn bad_escape(&mut self) {
        let letter = self
            .text(self.at + 1, self.end)
            .chars()
            .next()
            .filter(|c| *c != '\n');
        let len = 1 + letter.map_or(0, char::len_utf8);
        self.tell(bad_escape::at(
            span(self.at, self.at + len),
            self.text(self.at, self.at + len),
        ));
        self.at += len;
    }

    /// `${expr:format}`; `None` where its mistake was reported.
    fn hole(&mut self) -> Option<StringPart> {
        let start = self.at;
        if self.in_hole {
            self.tell(bad_hole::nested(span(start, start + 2)));
            self.at += 2;
            return None;
        }
        let Some((len, colon)) = self.hole_extent() else {
            self.at = self.line_end();
            self.tell(bad_hole::open(span(start, start + 2)));
            return None;
        };
        let inside = (start + 2, start + len);
        self.at = start + len + 1;
        let (to, format) = self.cut_format(inside, colon);
        if self.text(inside.0, to).trim().is_empty() {
            self.tell(bad_hole::empty(span(start, self.at)));
            return None;
        }
        Some(StringPart::Hole(self.lex_hole(inside.0, to), format))
    }

    /// How far it is to the `}` that ends the hole, and to the last `:` outside brackets.
    fn hole_extent(&self) -> Option<(usize, Option<usize>)> {
        let (mut depth, mut quoted, mut colon) = (0usize, false, None);
        let mut n = 2;
        while self.at + n < self.end {
            match self.octet(n) {
                b'\n' => return None,
                b'\\' if quoted => n += 1,
                b'"' => quoted = !quoted,
                _ if quoted => {}
                b'(' | b'[' | b'{' => depth += 1,
                b'}' if depth == 0 => return Some((n, colon)),
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                b':' if depth == 0 => colon = Some(n),
                _ => {}
            }
            n += 1;
        }
        None
    }

    /// Where the expression of a hole ends, and its format.
    fn cut_format(&mut self, inside: (usize, usize), colon: Option<usize>) -> (usize, FormatSpec) {
        let none = (inside.1, FormatSpec::default());
        let Some(colon) = colon.map(|n| inside.0 - 2 + n) else {
            return none;
        };
        let written = self.text(colon + 1, inside.1);
        if let Some(format) = read_format(written) {
            return (colon, format);
        }
        let address = self.text(inside.0, inside.1).matches(':').count() > 1
            && !written.starts_with(['.', '<', '>']);
        if address {
            return none;
        }
        self.tell(bad_hole::format(span(colon, inside.1), written));
        (colon, FormatSpec::default())
    }

    fn lex_hole(&mut self, from: usize, to: usize) -> Vec<Token> {
        let mut inner = Lexer::new(self.source, from, to);
        inner.in_hole = true;
        inner.run();
        self.reports.append(&mut inner.reports);
        inner.tokens
    }
}

/// `>8`, `<8`, `.2`, `>8.2`, and `%` behind the digits
fn read_format(written: &str) -> Option<FormatSpec> {
    let (align, rest) = match written.as_bytes().first()? {
        b'<' => (Some(Align::Left), &written[1..]),
        b'>' => (Some(Align::Right), &written[1..]),
        _ => (None, written),
    };
    let (rest, percent) = match rest.strip_suffix('%') {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let (width, digits) = match rest.split_once('.') {
        Some((width, digits)) => (width, Some(plain_number::<u8>(digits)?)),
        None => (rest, None),
    };
    let align = match align {
        Some(align) => Some((align, plain_number(width)?)),
        None if width.is_empty() => None,
        None => return None,
    };
    let whole = digits.is_some() || align.is_some() && !percent;
    whole.then_some(FormatSpec {
        align,
        digits,
        percent,
    })
}

fn plain_number<T: core::str::FromStr>(text: &str) -> Option<T> {
    text.bytes()
        .all(|c| c.is_ascii_digit())
        .then(|| text.parse().ok())
        .flatten()
}
