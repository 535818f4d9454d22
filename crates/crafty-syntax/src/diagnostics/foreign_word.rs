//! `foreign-word`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0154",
    name: "foreign-word",
    severity: Severity::Error,
    title: "a statement of another language",
    explanation: "The statements are `name = value`, `:=`, `+=`, `-=`, a stack, `if`, `foreach`, `repeat`, `wait`, `on`, `expect`, `try`, `stop`, `exit`, `close`, `abort`, `fail`, `print`, `record`, `assert`, `param`, and the settings. Packets are sent by writing them; answers are awaited with `expect` or heard with `on`.",
    bad: r#"let x = 5
print("${x}")
"#,
    mended: r#"x = 5
print("${x}")
"#,
};

/// A word and what is written here.
pub(crate) struct Row {
    written: &'static str,
    help: &'static str,
    /// What takes its place; `None` where a word is not enough.
    instead: Option<&'static str>,
}

const fn row(written: &'static str, help: &'static str, instead: Option<&'static str>) -> Row {
    Row {
        written,
        help,
        instead,
    }
}

const DECLARE: &str = "a name is declared by `name = value`";
const SEND: &str = "a packet is sent by writing its stack as a statement: `Bytes(\"hello\")`";
const HEAR: &str =
    "answers are awaited: `expect timeout=1s /IP/ICMP { }`, or heard: `on /IP/ICMP { }`";
const FAIL: &str = "a program ends with `fail \"why\"`";
const CATCH: &str = "errors are taken by `try { } else e { }`";
const CHOOSE: &str = "choose with `if … else if …`, or among patterns with `expect … or …`";
const PRINT: &str = "a line is printed by `print(\"…\")`";

const ROWS: &[Row] = &[
    row("let", DECLARE, Some("")),
    row("var", DECLARE, Some("")),
    row("const", DECLARE, Some("")),
    row("int", DECLARE, Some("")),
    row("local", DECLARE, Some("")),
    row("set", DECLARE, None),
    row("send", SEND, None),
    row("sendp", SEND, None),
    row("sr1", SEND, None),
    row("emit", SEND, None),
    row("recv", HEAR, None),
    row("receive", HEAR, None),
    row("sniff", HEAR, None),
    row("listen", HEAR, None),
    row("match", HEAR, None),
    row("sleep", "time passes with `wait 200ms`", Some("wait")),
    row("delay", "time passes with `wait 200ms`", Some("wait")),
    row("println", PRINT, Some("print")),
    row("printf", PRINT, Some("print")),
    row("echo", PRINT, None),
    row("log", PRINT, Some("print")),
    row("raise", FAIL, Some("fail")),
    row("throw", FAIL, Some("fail")),
    row("panic", FAIL, Some("fail")),
    row("catch", CATCH, None),
    row("except", CATCH, None),
    row("finally", CATCH, None),
    row("switch", CHOOSE, None),
    row("case", CHOOSE, None),
    row("import", "a program is one text", None),
    row("include", "a program is one text", None),
    row("pass", "an empty block is `{ }`", None),
    row(
        "del",
        "an entry is taken out by `m := remove(m, key)`",
        None,
    ),
    row(
        "delete",
        "an entry is taken out by `m := remove(m, key)`",
        None,
    ),
];

/// The row of a word.
pub(crate) fn find(word: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.written == word)
}

/// The word of this row begins a statement; `next` is what follows it.
pub(crate) fn at(place: Span, row: &Row, next: Span) -> Report {
    let report =
        Report::new(&DIAGNOSTIC, place, format!("there is no `{}`", row.written)).help(row.help);
    match row.instead {
        Some("") => report.fix(
            "leave the word out",
            Span {
                start: place.start,
                end: next.start.max(place.end),
            },
            "",
        ),
        Some(word) => report.suggest(format!("write `{word}`"), place, word),
        None => report,
    }
}

/// `catch (e)` between the block of a `try` and its own: `place` is all of it.
pub(crate) fn caught(place: Span, word: &str, error: Option<&str>) -> Report {
    let written = error.map_or_else(|| "else".to_string(), |error| format!("else {error}"));
    Report::new(&DIAGNOSTIC, place, format!("there is no `{word}`")).fix(
        format!("write `{written}`"),
        place,
        written,
    )
}

/// Words that take an error after `try`.
pub(crate) const CATCHES: &[&str] = &["catch", "except", "rescue", "handle"];
