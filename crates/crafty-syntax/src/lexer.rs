//! From bytes to tokens. Never stops at a mistake: it tells what is wrong and continues as if the
//! meant thing stood there.

mod address;
mod character;
mod number;
mod sign;
mod string;

use super::ast::Span;
use super::token::{KEYWORDS, RESERVED, Token, TokenKind};
use super::{Comment, MAX_REPORTS};
use crate::diagnostic::Occurrence;
use crate::diagnostics::{space_after_hash, string_prefix};

/// What a lexer found.
pub(super) struct Lexed {
    pub tokens: Vec<Token>,
    pub comments: Vec<Comment>,
    pub reports: Vec<Occurrence>,
}

/// All tokens of a text, an `End` at last.
pub(super) fn lex(source: &str) -> Lexed {
    let mut lexer = Lexer::new(source, 0, source.len());
    lexer.refuse_hidden();
    lexer.run();
    Lexed {
        tokens: lexer.tokens,
        comments: lexer.comments,
        reports: lexer.reports,
    }
}

/// A place in the text between `at` and `end`.
struct Lexer<'s> {
    source: &'s str,
    at: usize,
    end: usize,
    newline: bool,
    in_hole: bool,
    tokens: Vec<Token>,
    comments: Vec<Comment>,
    reports: Vec<Occurrence>,
}

impl<'s> Lexer<'s> {
    fn new(source: &'s str, at: usize, end: usize) -> Lexer<'s> {
        Lexer {
            source,
            at,
            end,
            newline: true,
            in_hole: false,
            tokens: Vec::new(),
            comments: Vec::new(),
            reports: Vec::new(),
        }
    }

    fn run(&mut self) {
        while self.at < self.end {
            self.next();
        }
        self.newline = true;
        self.push(self.end, TokenKind::End);
    }

    fn next(&mut self) {
        let c = self.octet(0);
        match c {
            b'\n' | b'\r' => {
                self.newline = true;
                self.at += 1;
            }
            b'#' => self.hash(),
            b'"' => self.string(),
            b'\'' => self.single_quotes(),
            _ if character::is_blank(c) => self.at += 1,
            _ if (c.is_ascii_hexdigit() || c == b':') && self.address() => {}
            b'0'..=b'9' => self.number(),
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => self.word(),
            _ if !c.is_ascii() => self.not_ascii(),
            _ => self.sign(),
        }
    }

    /// The byte `n` further on, 0 beyond the end.
    fn octet(&self, n: usize) -> u8 {
        let at = self.at + n;
        if at < self.end {
            self.source.as_bytes()[at]
        } else {
            0
        }
    }

    /// The bytes that are left.
    fn rest(&self) -> &'s [u8] {
        &self.source.as_bytes()[self.at..self.end]
    }

    /// How many of the bytes from `n` on belong to a set.
    fn run_of(&self, n: usize, set: impl Fn(u8) -> bool) -> usize {
        self.rest().iter().skip(n).take_while(|c| set(**c)).count()
    }

    fn text(&self, from: usize, to: usize) -> &'s str {
        self.source.get(from..to).unwrap_or("")
    }

    /// Notes a mistake; beyond a number that nobody reads, it is dropped.
    fn tell(&mut self, report: Occurrence) {
        if self.reports.len() < 2 * MAX_REPORTS {
            self.reports.push(report);
        }
    }

    /// Takes everything up to `to` as one token.
    fn push(&mut self, to: usize, kind: TokenKind) {
        let newline = core::mem::take(&mut self.newline);
        self.tokens.push(Token {
            kind,
            span: span(self.at, to),
            newline,
        });
        self.at = to;
    }

    /// Whether what is here would be an operand by its place: after an operator, a comma or an
    /// opening bracket of this line.
    fn wants_operand(&self) -> bool {
        !self.newline && self.tokens.last().is_some_and(|t| !t.kind.ends_operand())
    }

    fn word(&mut self) {
        let len = self.run_of(0, is_word);
        let text = self.text(self.at, self.at + len);
        let next = (self.octet(len), self.octet(len + 1));
        if next.0 == b'"' && string_prefix::PREFIXES.contains(&text) && self.prefixed_string(len) {
            return;
        }
        let (len, kind) = match text.as_bytes().first() {
            _ if RESERVED.contains(&text) => (len, TokenKind::Reserved),
            Some(b'A'..=b'Z') if next.0 == b'!' && next.1 != b'=' => (len + 1, TokenKind::Driven),
            Some(b'A'..=b'Z') => (len, TokenKind::Layer),
            _ => (
                len,
                KEYWORDS
                    .iter()
                    .find(|k| **k == text)
                    .map_or(TokenKind::Name, |k| TokenKind::Keyword(k)),
            ),
        };
        self.push(self.at + len, kind);
    }

    /// `#` starts a comment or a bytes literal.
    fn hash(&mut self) {
        match self.octet(1) {
            b' ' | b'\t' | b'#' | b'!' | b'\n' | b'\r' | 0 => self.comment(),
            _ => self.bytes_literal(),
        }
    }

    fn comment(&mut self) {
        let to = self.line_end();
        let text = self.text(self.at, to).trim_end();
        let span = span(self.at, self.at + text.len());
        if self.in_hole {
            self.tell(crate::diagnostics::bad_hole::comment(span));
        } else {
            self.comments.push(Comment {
                text: text.to_string(),
                span,
                alone: self.newline,
            });
        }
        self.at = to;
    }

    fn line_end(&self) -> usize {
        self.at + self.run_of(0, |c| c != b'\n')
    }

    fn bytes_literal(&mut self) {
        let len = 1 + self.run_of(1, is_word);
        let digits = self.text(self.at + 1, self.at + len);
        if let Some(octets) = hex_bytes(digits) {
            self.push(self.at + len, TokenKind::Bytes(octets));
            return;
        }
        let operand = self.wants_operand();
        let place = span(self.at, self.at + len);
        self.tell(space_after_hash::at(place, digits, operand));
        if operand && len > 1 {
            self.push(self.at + len, TokenKind::Bad)
        } else {
            self.at = self.line_end()
        }
    }
}

fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_'
}

fn span(from: usize, to: usize) -> Span {
    Span {
        start: from as u32,
        end: to as u32,
    }
}

/// An even number of hex digits with single `_` between digits.
fn hex_bytes(digits: &str) -> Option<Vec<u8>> {
    let edges = digits.starts_with('_') || digits.ends_with('_') || digits.contains("__");
    let nibbles: Vec<u8> = digits
        .bytes()
        .filter(|c| *c != b'_')
        .map(|c| (c as char).to_digit(16).map(|d| d as u8))
        .collect::<Option<_>>()?;
    (!edges && !nibbles.is_empty() && nibbles.len().is_multiple_of(2)).then(|| {
        nibbles
            .chunks(2)
            .map(|pair| pair[0] << 4 | pair[1])
            .collect()
    })
}
