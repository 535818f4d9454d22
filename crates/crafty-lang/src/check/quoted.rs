//! A value in quotes where its bare form is meant: `dst="192.0.2.1"`, `ttl="64"`, `flags="S"`,
//! `type="A"`. Only literals are looked at.

use super::hint::Hint;
use super::layers;
use super::types::article;
use crate::diagnostics as d;
use crate::ir::{Expr, ExprKind, Type};
use crafty_syntax::diagnostic::Occurrence;
use crafty_syntax::{ast, parse};
use crafty_value::Value;

/// Letters that other tools have for the flags of TCP.
const LETTERS: &[(char, &str)] = &[
    ('S', "syn"),
    ('A', "ack"),
    ('F', "fin"),
    ('R', "rst"),
    ('P', "psh"),
    ('U', "urg"),
    ('E', "ece"),
    ('C', "cwr"),
    ('.', "ack"),
];

/// What is reported about a string literal that `by` wants as a value of `ty`; nothing if its words
/// are no such value.
pub(super) fn quoted(expr: &Expr, ty: &Type, hint: Option<Hint>, by: &str) -> Option<Occurrence> {
    let ExprKind::Constant(Value::Str(text)) = &expr.kind else {
        return None;
    };
    let message = format!(
        "{by} needs {}, and `\"{}\"` is a string",
        article(ty),
        text.escape_debug()
    );
    let report = Occurrence::new(&d::type_mismatch::DIAGNOSTIC, expr.span, message);
    match bare(text, ty, hint) {
        Some(written) => Some(report.fix("write it without quotes", expr.span, written)),
        None if *ty == Type::Ip && is_host(text) => {
            let way = "a program cannot look names up: `param target: ip` accepts a name on the command line, `DNS!(name=\"…\")` asks a server";
            Some(report.help(way))
        }
        None => None,
    }
}

/// The value without its quotes, if it is one of that type or a named value of that field.
fn bare(text: &str, ty: &Type, hint: Option<Hint>) -> Option<String> {
    let named = hint.and_then(|hint| named(text, hint));
    named.or_else(|| {
        if let Type::Flags(names) = ty {
            letters(text, names)
        } else {
            literal(text, ty)
        }
    })
}

/// `A` of `type`, `echo-request`, `SYN`.
fn named(text: &str, hint: Hint) -> Option<String> {
    let small = text.to_ascii_lowercase().replace('-', "_");
    layers::value_names(hint.field)
        .into_iter()
        .find(|name| *name == small)
        .map(str::to_string)
}

/// `SA`: one letter a flag; only flags that the field has.
fn letters(text: &str, names: &[&str]) -> Option<String> {
    let flag = |c: char| {
        LETTERS
            .iter()
            .find(|(letter, _)| *letter == c)
            .map(|(_, name)| *name)
            .filter(|name| names.contains(name))
    };
    let flags: Vec<&str> = text.chars().map(flag).collect::<Option<_>>()?;
    (!flags.is_empty() && flags.len() <= names.len()).then(|| flags.join("+"))
}

/// The text itself, if the language reads it as a literal of that type.
fn literal(text: &str, ty: &Type) -> Option<String> {
    let parsed = parse(&format!("x = {text}\n"));
    let [statement] = parsed.program.statements.as_slice() else {
        return None;
    };
    let ast::StatementKindSyntax::Declare {
        value: ast::Rhs::Expr(e),
        ..
    } = &statement.kind
    else {
        return None;
    };
    let same = matches!(
        (&e.kind, ty),
        (ast::ExprKindSyntax::Int { .. }, Type::Int | Type::Float)
            | (ast::ExprKindSyntax::Float(_), Type::Float)
            | (ast::ExprKindSyntax::Ip(_, None), Type::Ip)
            | (ast::ExprKindSyntax::Net(_), Type::Net)
            | (ast::ExprKindSyntax::Mac(_), Type::Mac)
            | (ast::ExprKindSyntax::Duration(_), Type::Duration)
            | (ast::ExprKindSyntax::Bool(_), Type::Bool)
    );
    (parsed.reports.is_empty() && same).then(|| text.trim().to_string())
}

/// Letters, digits and hyphens with dots between, and not a number alone (RFC 1123 §2.1).
pub(super) fn is_host(text: &str) -> bool {
    let label =
        |l: &str| !l.is_empty() && l.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-');
    text.split('.').all(label) && text.bytes().any(|c| c.is_ascii_alphabetic())
}
