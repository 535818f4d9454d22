//! A diagnostic as JSON.

use crafty_lang::ir::Span;
use crafty_run::Source;
use crafty_syntax::diagnostic::{Fix, Occurrence, Severity};
use serde_json::{Value, json};

/// One mistake for machines: places as bytes and as line and column, fixes as replacements.
pub fn diagnostic_json(source: &Source, report: &Occurrence) -> Value {
    json!({
        "code": report.diagnostic.code,
        "name": report.diagnostic.name,
        "severity": if report.diagnostic.severity == Severity::Error { "error" } else { "warning" },
        "message": report.message,
        "span": span_json(source, report.span),
        "notes": report.notes.iter().map(|(s, text)| json!({ "span": span_json(source, *s), "text": text })).collect::<Vec<_>>(),
        "help": report.help,
        "fixes": report.fixes.iter().map(|f| fix_json(source, f)).collect::<Vec<_>>(),
    })
}

fn fix_json(source: &Source, fix: &Fix) -> Value {
    let edits: Vec<Value> = fix
        .edits
        .iter()
        .map(|(s, text)| json!({ "span": span_json(source, *s), "replacement": text }))
        .collect();
    json!({ "title": fix.title, "safe": fix.safe, "edits": edits })
}

/// Bytes from 0, lines and columns from 1.
pub fn span_json(source: &Source, span: Span) -> Value {
    let (line, column) = source.position(span.start);
    json!({ "start": span.start, "end": span.end, "line": line, "column": column })
}
