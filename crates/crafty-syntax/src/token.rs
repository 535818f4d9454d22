//! The words of the language: what a lexer finds and a parser reads. Meaning is elsewhere.

use super::ast::{FormatSpec, Span};
use core::net::IpAddr;
use crafty_value::{Duration, Mac, Net};

/// A token with its place.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub span: Span,
    /// Whether it is the first of its line.
    pub newline: bool,
}

/// What a token is. Names and layers have their text in the source.
#[derive(Clone, Debug)]
pub(super) enum TokenKind {
    Int {
        value: i64,
        size: bool,
    },
    Float(f64),
    Duration(Duration),
    String(Vec<StringPart>),
    Bytes(Vec<u8>),
    Ip(IpAddr, Option<String>),
    Net(Net),
    Mac(Mac),
    Name,
    /// Begins with a capital and is none of `RESERVED`.
    Layer,
    /// A layer with `!` glued on; the `!` belongs to its span.
    Driven,
    Reserved,
    Keyword(&'static str),
    Sign(&'static str),
    /// Its mistake was reported.
    Bad,
    /// After the last one.
    End,
}

/// A piece of a string.
#[derive(Clone, Debug)]
pub(super) enum StringPart {
    Text(Vec<u8>),
    /// The tokens between `${` and `}` without the format, an `End` at last.
    Hole(Vec<Token>, FormatSpec),
}

/// The only words in capitals that are not layers.
pub(super) const RESERVED: &[&str] = &["BUDGET", "MATCH", "PERMISSIONS", "PORTS", "STACK"];

/// Words that no variable may have.
pub(super) const KEYWORDS: &[&str] = &[
    "abort", "and", "as", "ask", "assert", "auto", "close", "else", "exit", "expect", "fail",
    "false", "foreach", "has", "if", "in", "not", "on", "or", "param", "print", "record", "repeat",
    "stop", "true", "try", "wait", "where",
];

/// Keywords that a statement may begin with.
pub(super) const STATEMENTS: &[&str] = &[
    "abort", "ask", "assert", "close", "exit", "expect", "fail", "foreach", "if", "on", "param",
    "print", "record", "repeat", "stop", "try", "wait",
];

/// Signs, longer ones first. The second row is none of the language's; the parser says what to
/// write instead.
pub(super) const SIGNS: &[&str] = &[
    "++", "*=", "/=", "%=", "=>", "->", //
    ":=", "+=", "-=", "==", "!=", "<=", ">=", "..", //
    "(", ")", "[", "]", "{", "}", ",", ":", ";", ".", "=", "<", ">", "+", "-", "*", "/", "%", "!",
    "?",
];

impl TokenKind {
    /// Whether it is this sign or keyword.
    pub fn is(&self, text: &str) -> bool {
        matches!(self, TokenKind::Sign(t) | TokenKind::Keyword(t) if *t == text)
    }

    /// Whether an operand may end with it, so that another cannot follow.
    pub fn ends_operand(&self) -> bool {
        match self {
            TokenKind::Sign(sign) => matches!(*sign, ")" | "]" | "}"),
            TokenKind::Keyword(word) => matches!(
                *word,
                "true" | "false" | "auto" | "stop" | "exit" | "close" | "abort"
            ),
            _ => true,
        }
    }
}
