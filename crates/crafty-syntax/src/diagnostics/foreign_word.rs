//! `foreign-word`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0154",
    name: "foreign-word",
    severity: Severity::Error,
    title: "a statement of another language",
    explanation: "The statements are `name = value`, `:=`, `+=`, `-=`, a stack, `if`, `foreach`, `repeat`, `wait`, `on`, `expect`, `ask`, `try`, `stop`, `exit`, `close`, `abort`, `fail`, `print`, `record`, `assert`, `param`, and the settings. To send a packet, write its stack. To wait for answers use `expect`, to handle them at any time use `on`.",
    bad: r#"let x = 5
print("${x}")
"#,
    fixed: r#"x = 5
print("${x}")
"#,
};

/// A word and what is written here.
pub(crate) struct ForeignWord {
    written: &'static str,
    help: &'static str,
    /// What takes its place; `None` where a word is not enough.
    instead: Option<&'static str>,
}

const fn row(
    written: &'static str,
    help: &'static str,
    instead: Option<&'static str>,
) -> ForeignWord {
    ForeignWord {
        written,
        help,
        instead,
    }
}

const DECLARE: &str = "to declare a name, write `name = value`";
const SEND: &str = "to send a packet, write its stack as a statement: `Bytes(\"hello\")`";
const HEAR: &str = "to wait for an answer, write `expect timeout=1s /IP/ICMP { }`; to handle packets at any time, `on /IP/ICMP { }`";
const AGAIN: &str =
    "to send again while no answer comes, write `ask tries=3 { … } expect timeout=1s PATTERN { }`";
const FAIL: &str = "to end the program with an error, write `fail \"why\"`";
const CATCH: &str = "to handle an error, write `try { } else e { }`";
const CHOOSE: &str = "use `if … else if …`, or for several patterns `expect … or …`";
const PRINT: &str = "to print a line, write `print(\"…\")`";

const ROWS: &[ForeignWord] = &[
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
    row("retry", AGAIN, None),
    row("resend", AGAIN, None),
    row("recv", HEAR, None),
    row("receive", HEAR, None),
    row("sniff", HEAR, None),
    row("listen", HEAR, None),
    row("match", HEAR, None),
    row("sleep", "to wait, write `wait 200ms`", Some("wait")),
    row("delay", "to wait, write `wait 200ms`", Some("wait")),
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
    row("import", "a program is a single file", None),
    row("include", "a program is a single file", None),
    row("pass", "an empty block is written `{ }`", None),
    row(
        "del",
        "to remove an entry, write `m := remove(m, key)`",
        None,
    ),
    row(
        "delete",
        "to remove an entry, write `m := remove(m, key)`",
        None,
    ),
];

/// The row of a word.
pub(crate) fn find(word: &str) -> Option<&'static ForeignWord> {
    ROWS.iter().find(|row| row.written == word)
}

/// The word of this row begins a statement; `next` is what follows it.
pub(crate) fn at(place: Span, row: &ForeignWord, next: Span) -> Occurrence {
    let report = Occurrence::new(&DIAGNOSTIC, place, format!("there is no `{}`", row.written))
        .help(row.help);
    match row.instead {
        Some("") => report.fix(
            "remove the word",
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
pub(crate) fn caught(place: Span, word: &str, error: Option<&str>) -> Occurrence {
    let written = error.map_or_else(|| "else".to_string(), |error| format!("else {error}"));
    Occurrence::new(&DIAGNOSTIC, place, format!("there is no `{word}`")).fix(
        format!("write `{written}`"),
        place,
        written,
    )
}

/// Words that take an error after `try`.
pub(crate) const CATCHES: &[&str] = &["catch", "except", "rescue", "handle"];
