//! Which characters a program may hold: ASCII outside strings and comments, and nowhere one that
//! does not show itself.

use super::{Lexer, span};
use crate::diagnostics::{hidden_character, not_ascii};
use crate::hidden::is_hidden;
use crate::token::{StringPart, TokenKind};

/// Characters that look like signs of the language, and those signs.
const LOOKALIKES: &[(char, &str)] = &[
    ('\u{2010}', "-"),
    ('\u{2011}', "-"),
    ('\u{2012}', "-"),
    ('\u{2013}', "-"),
    ('\u{2014}', "-"),
    ('\u{2212}', "-"),
    ('\u{d7}', "*"),
    ('\u{f7}', "/"),
    ('\u{2215}', "/"),
    ('\u{2264}', "<="),
    ('\u{2265}', ">="),
    ('\u{2260}', "!="),
    ('\u{2026}', ".."),
    ('\u{a0}', " "),
    ('\u{3000}', " "),
    ('\u{ff08}', "("),
    ('\u{ff09}', ")"),
    ('\u{ff0c}', ","),
    ('\u{ff1a}', ":"),
    ('\u{b5}', "u"),
    ('\u{3bc}', "u"),
];

/// Characters that look like the quotes of a string.
const QUOTES: &[char] = &[
    '\u{201c}', '\u{201d}', '\u{201e}', '\u{2018}', '\u{2019}', '\u{ab}', '\u{bb}',
];

/// Blanks, and hidden characters, which were reported already.
pub(super) fn is_blank(c: u8) -> bool {
    c == b' ' || c.is_ascii_control() && c != b'\n'
}

impl Lexer<'_> {
    /// Tells of each run of hidden characters, wherever it is.
    pub(super) fn refuse_hidden(&mut self) {
        let mut known_to = usize::MAX;
        for (at, c) in self.source.char_indices() {
            let line_end = c == '\r' && self.source[at + 1..].starts_with('\n');
            if !is_hidden(c) || line_end {
                continue;
            }
            let to = at + c.len_utf8();
            if known_to == at {
                extend(&mut self.reports, to);
            } else {
                self.tell(hidden_character::at(span(at, to), c));
            }
            known_to = to;
        }
    }

    /// A string in quotes that only look like quotes is read as one.
    fn quoted(&mut self) -> bool {
        let line = self.text(self.at, self.end);
        let mut quotes = line
            .char_indices()
            .skip(1)
            .take_while(|(_, c)| *c != '\n')
            .filter(|(_, c)| *c == '"' || QUOTES.contains(c));
        let Some((end, last)) = quotes.next() else {
            return false;
        };
        let first = line.chars().next().map_or(0, char::len_utf8);
        let (inside, len) = (&line[first..end], end + last.len_utf8());
        self.tell(not_ascii::quotes(span(self.at, self.at + len), inside));
        self.push(
            self.at + len,
            TokenKind::String(vec![StringPart::Text(inside.as_bytes().to_vec())]),
        );
        true
    }

    /// A character beyond ASCII outside strings and comments; a run of letters is one mistake.
    pub(super) fn not_ascii(&mut self) {
        let text = self.text(self.at, self.end);
        let Some(c) = text.chars().next() else {
            return self.at = self.end;
        };
        if is_hidden(c) {
            return self.at += c.len_utf8();
        }
        if QUOTES.contains(&c) && self.quoted() {
            return;
        }
        let meant = LOOKALIKES
            .iter()
            .find(|(look, _)| *look == c)
            .map(|(_, meant)| *meant);
        let len = match meant {
            Some(_) => c.len_utf8(),
            None => text
                .chars()
                .take_while(|c| !c.is_ascii() || super::is_word(*c as u8))
                .map(char::len_utf8)
                .sum(),
        };
        self.tell(not_ascii::at(
            span(self.at, self.at + len),
            &text[..len],
            meant,
        ));
        match meant {
            Some(" ") => self.at += len,
            _ => self.push(self.at + len, TokenKind::Bad),
        }
    }
}

fn extend(reports: &mut [crate::diagnostic::Occurrence], to: usize) {
    if let Some(last) = reports.last_mut() {
        last.span.end = to as u32;
        for edit in last.fixes.iter_mut().flat_map(|f| f.edits.iter_mut()) {
            edit.0.end = to as u32;
        }
    }
}
