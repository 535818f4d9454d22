//! Numbers, durations and sizes. Exact: no float on the way to a duration.

use super::{Lexer, span};
use crate::diagnostics::{bad_number, unknown_unit};
use crate::token::TokenKind;
use crafty_value::{Duration, UNITS};

/// Units of size: powers of 1000 and of 1024.
pub(super) const SIZES: &[(&str, i64)] = &[
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

/// The digits of a number as written.
struct Digits {
    whole: String,
    /// Behind the dot, where there is one.
    fraction: Option<String>,
}

impl Lexer<'_> {
    /// A digit is here.
    pub(super) fn number(&mut self) {
        let radix = match (self.octet(0), self.octet(1)) {
            (b'0', b'x') => 16,
            (b'0', b'b') => 2,
            _ => return self.decimal(),
        };
        let len = 2 + self.run_of(2, super::is_word);
        let digits = self.text(self.at + 2, self.at + len);
        match i64::from_str_radix(&digits.replace('_', ""), radix) {
            Ok(value) if underscores_fit(digits) => {
                self.push(self.at + len, TokenKind::Int { value, size: false })
            }
            _ => self.bad_number(len),
        }
    }

    fn decimal(&mut self) {
        let mut len = self.run_of(0, is_digit);
        let whole = self.text(self.at, self.at + len);
        let mut fraction = None;
        if self.octet(len) == b'.' && self.octet(len + 1).is_ascii_digit() {
            let more = self.run_of(len + 1, is_digit);
            fraction = Some(self.text(self.at + len + 1, self.at + len + 1 + more));
            len += 1 + more;
        }
        let unit = self.run_of(len, super::is_word);
        let fits = underscores_fit(whole) && fraction.is_none_or(underscores_fit);
        let digits = Digits {
            whole: whole.replace('_', ""),
            fraction: fraction.map(|f| f.replace('_', "")),
        };
        match fits {
            true => self.with_unit(&digits, len, unit),
            false => self.bad_number(len + unit),
        }
    }

    fn with_unit(&mut self, digits: &Digits, len: usize, unit_len: usize) {
        let number = self.text(self.at, self.at + len);
        let unit = self.text(self.at + len, self.at + len + unit_len);
        let find = |units: &[(&str, i64)]| {
            units
                .iter()
                .find(|(name, _)| *name == unit)
                .map(|(_, each)| *each)
        };
        let kind = if unit.is_empty() {
            digits.plain()
        } else if let Some(each) = find(UNITS) {
            digits.times(each).map(|n| TokenKind::Duration(Duration(n)))
        } else if let Some(each) = find(SIZES) {
            digits
                .times(each)
                .map(|value| TokenKind::Int { value, size: true })
        } else {
            let place = span(self.at, self.at + len + unit_len);
            self.tell(unknown_unit::at(place, number, unit));
            return self.push(self.at + len + unit_len, TokenKind::Bad);
        };
        match kind {
            Some(kind) => self.push(self.at + len + unit_len, kind),
            None => self.bad_number(len + unit_len),
        }
    }

    fn bad_number(&mut self, len: usize) {
        let place = span(self.at, self.at + len);
        self.tell(bad_number::at(place, self.text(self.at, self.at + len)));
        self.push(self.at + len, TokenKind::Bad);
    }
}

impl Digits {
    fn plain(&self) -> Option<TokenKind> {
        match &self.fraction {
            None => self
                .whole
                .parse()
                .ok()
                .map(|value| TokenKind::Int { value, size: false }),
            Some(fraction) => format!("{}.{fraction}", self.whole)
                .parse()
                .ok()
                .filter(|x: &f64| x.is_finite())
                .map(TokenKind::Float),
        }
    }

    /// The product, if it is whole and fits. No unit has more than 18 digits of use behind the dot.
    fn times(&self, each: i64) -> Option<i64> {
        let fraction = self.fraction.as_deref().unwrap_or("").trim_end_matches('0');
        let scale = 10i128
            .checked_pow(u32::try_from(fraction.len()).ok()?)
            .filter(|_| fraction.len() <= 18)?;
        let whole: i128 = self.whole.parse::<i64>().ok()?.into();
        let part: i128 = if fraction.is_empty() {
            0
        } else {
            fraction.parse::<i64>().ok()?.into()
        };
        let total = (whole * scale + part).checked_mul(each.into())?;
        if total % scale == 0 {
            i64::try_from(total / scale).ok()
        } else {
            None
        }
    }
}

fn is_digit(c: u8) -> bool {
    c.is_ascii_digit() || c == b'_'
}

/// `_` stands only between digits, one at a time.
fn underscores_fit(digits: &str) -> bool {
    !digits.is_empty()
        && !digits.starts_with('_')
        && !digits.ends_with('_')
        && !digits.contains("__")
}
