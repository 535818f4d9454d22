//! Rules about the shape of the code: how long functions are, what errors and preconditions are
//! made of, and who may know a driven layer by name.

use crate::house::{files, text};
use std::collections::BTreeMap;
use std::path::Path;

/// Lines that a function may have: hardly ever more than 60, and never many more.
const FUNCTION_LINES: usize = 70;

/// Functions that may be longer, and why.
const LONG_FUNCTIONS: &[(&str, &str, &str)] = &[(
    "crates/crafty-lang/src/labels/origin.rs",
    "statement",
    "one arm for each kind of statement",
)];

/// Parameters that are data, though some callers know the value: function, name, and why.
const KNOWN_BOOLS: &[(&str, &str, &str)] = &[
    (
        "datagram",
        "checksum_ready",
        "what the capture says of the frame",
    ),
    (
        "of_datagram",
        "checksum_ready",
        "what the capture says of the frame",
    ),
    ("edits", "safe", "what the finder of a mistake decided"),
    (
        "end",
        "own",
        "what the transport says of who closed a stream",
    ),
    (
        "held",
        "held",
        "the value that is made of it has it as its field",
    ),
    (
        "pattern_element",
        "stream",
        "what the block around a pattern is",
    ),
    (
        "pattern_shape",
        "stream",
        "what the block around a pattern is",
    ),
    (
        "begin_anew",
        "from_peer",
        "who opened the connection that a trace shows",
    ),
    ("flag", "to", "the value that is assigned"),
    (
        "judges",
        "is_smoltcp",
        "which TCP the host has: known breaches are let pass",
    ),
    ("offer", "own", "whose window a segment offers"),
    ("scale", "own", "whose window a segment offers"),
    ("sum", "whole", "what the adapter has left to be done"),
];

/// Sources of what is shipped.
fn shipped() -> Vec<(String, String)> {
    files(".rs")
        .into_iter()
        .filter(|file| is_shipped(file))
        .map(|file| {
            let source = text(&file);
            let code = source
                .split("#[cfg(test)]\nmod ")
                .next()
                .unwrap_or_default();
            (file.display().to_string(), without_comments(code))
        })
        .collect()
}

fn is_shipped(file: &Path) -> bool {
    let apart = ["tests", "benches", "examples", "fuzz", "laws"];
    file.components().any(|part| part.as_os_str() == "src")
        && !file.ends_with("tests.rs")
        && !file.ends_with("laws.rs")
        && !file
            .components()
            .any(|part| apart.iter().any(|word| part.as_os_str() == *word))
}

fn without_comments(code: &str) -> String {
    let line = |line: &str| match line.trim_start().starts_with("//") {
        true => String::new(),
        false => line.split(" // ").next().unwrap_or_default().to_string(),
    };
    code.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The name of the function that a line begins.
fn function_name(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let words = ["pub", "const", "async", "unsafe", "default", "extern"];
    let is_word = |word: &str| words.iter().any(|known| word.starts_with(known)) || word == "\"C\"";
    before
        .split_whitespace()
        .all(is_word)
        .then(|| after.split(['(', '<']).next())
        .flatten()
}

#[test]
fn functions_fit_a_screen() {
    let mut long = Vec::new();
    for (file, code) in shipped() {
        let lines: Vec<&str> = code.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(name) = function_name(line) else {
                continue;
            };
            let indent = &line[..line.len() - line.trim_start().len()];
            let end = format!("{indent}}}");
            // A method that a trait only declares has no body.
            let head = lines[at..].iter().find(|it| it.contains(['{', ';']));
            if head.is_none_or(|head| !head.contains('{')) {
                continue;
            }
            let length = lines[at..].iter().position(|line| *line == end);
            let excused = LONG_FUNCTIONS
                .iter()
                .any(|(of, known, _)| *of == file && *known == name);
            if length.is_some_and(|length| length >= FUNCTION_LINES) && !excused {
                long.push(format!("{file}:{}: {name}", at + 1));
            }
        }
    }
    assert!(
        long.is_empty(),
        "more than {FUNCTION_LINES} lines: {long:#?}"
    );
}

/// Where a bracketed list that begins behind `open` ends, and its parts.
fn listed(code: &str, open: usize) -> (Vec<&str>, usize) {
    let (mut depth, mut from, mut parts) = (0usize, open, Vec::new());
    let mut bytes = code.bytes().enumerate().skip(open);
    let mut previous = b' ';
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => {
                let mut escaped = false;
                for (_, inner) in bytes.by_ref() {
                    match inner {
                        b'"' if !escaped => break,
                        _ => escaped = inner == b'\\' && !escaped,
                    }
                }
            }
            b'(' | b'[' | b'{' => depth += 1,
            b'<' if previous.is_ascii_alphabetic() => depth += 1,
            b'>' if depth > 0 && !matches!(previous, b'-' | b'=' | b' ') => depth -= 1,
            b')' | b']' | b'}' if depth > 0 => depth -= 1,
            b')' | b']' | b'}' | b'>' => {
                parts.push(code[from..at].trim());
                parts.retain(|part| !part.is_empty());
                return (parts, at);
            }
            b',' if depth == 0 => {
                parts.push(code[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
        previous = byte;
    }
    (parts, code.len())
}

/// Each function with a `bool` among its parameters: name and number of parameters without `self`,
/// to position and name of each bool; none where functions of that name differ.
type BoolParameters = BTreeMap<(String, usize), Option<Vec<(usize, String)>>>;

fn bool_parameters(sources: &[(String, String)]) -> BoolParameters {
    let mut found = BoolParameters::new();
    for (_, code) in sources {
        for (at, _) in code.match_indices("fn ") {
            let name: String = name_at(&code[at + 3..]);
            let Some(open) = code[at..].find('(').map(|open| at + open + 1) else {
                continue;
            };
            if name.is_empty() || code[at..open].contains([';', '{']) {
                continue;
            }
            let (mut parameters, _) = listed(code, open);
            parameters.retain(|it| it.rsplit([' ', '&']).next() != Some("self"));
            let bools: Vec<(usize, String)> = parameters
                .iter()
                .enumerate()
                .filter(|(_, it)| it.ends_with(": bool"))
                .map(|(position, it)| (position, it.replace(": bool", "").replace("mut ", "")))
                .collect();
            found
                .entry((name, parameters.len()))
                .and_modify(|known| {
                    if known.as_ref().is_some_and(|known| !same(known, &bools)) {
                        *known = None;
                    }
                })
                .or_insert(Some(bools));
        }
    }
    found.retain(|_, bools| bools.as_ref().is_some_and(|bools| !bools.is_empty()));
    found
}

fn same(a: &[(usize, String)], b: &[(usize, String)]) -> bool {
    let places = |it: &[(usize, String)]| it.iter().map(|(at, _)| *at).collect::<Vec<_>>();
    places(a) == places(b)
}

fn name_at(code: &str) -> String {
    code.chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect()
}

/// `f(x, true)` does not say what it chooses: an enum or two functions do. A bool that is data is
/// on the list.
#[test]
fn no_bool_chooses_a_path() {
    let sources = shipped();
    let known = bool_parameters(&sources);
    let mut wrong = Vec::new();
    for (file, code) in &sources {
        for (open, _) in code.match_indices('(') {
            let before = &code[..open];
            let name: String = before
                .chars()
                .rev()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect::<String>()
                .chars()
                .rev()
                .collect();
            if name.is_empty() || before.ends_with(&format!("fn {name}")) {
                continue;
            }
            let (arguments, _) = listed(code, open + 1);
            let Some(Some(bools)) = known.get(&(name.clone(), arguments.len())) else {
                continue;
            };
            for (position, parameter) in bools {
                let literal = matches!(arguments[*position], "true" | "false");
                let excused = KNOWN_BOOLS
                    .iter()
                    .any(|(function, it, _)| *function == name && it == parameter);
                if literal && !excused {
                    let line = before.matches('\n').count() + 1;
                    wrong.push(format!("{file}:{line}: `{parameter}` of `{name}`"));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "take an enum or two functions, or say in KNOWN_BOOLS why it is data: {wrong:#?}"
    );
}

/// The law above sees what it is made for.
#[test]
fn a_bool_that_chooses_is_seen() {
    let code = "fn open(name: &str, whole: bool) -> Result<(), E> {}\n\
                impl A { fn put(&mut self, f: Vec<(u8, u8)>, last: bool) {} }";
    let found = bool_parameters(&[("a.rs".into(), code.into())]);
    let of = |name: &str| found[&(name.to_string(), 2)].clone();
    assert_eq!(of("open"), Some(vec![(1, "whole".into())]));
    assert_eq!(of("put"), Some(vec![(1, "last".into())]));
    let call = r#"(f("a, \"(", b[1]), g(x, true)), y"#;
    assert_eq!(listed(call, 1).0, [r#"f("a, \"(", b[1])"#, "g(x, true)"]);
}

/// An error that is only a text cannot be distinguished by who gets it.
#[test]
fn no_error_is_a_text() {
    for (file, code) in shipped() {
        for (at, word) in code.match_indices("Result<") {
            let (parts, _) = listed(&code, at + word.len());
            let line = code[..at].matches('\n').count() + 1;
            assert!(
                parts.get(1) != Some(&"String"),
                "{file}:{line}: give the error a type"
            );
        }
    }
}

/// Crates that work with driven layers, and the one file beside their rows that runs those above a
/// transport.
const KNOW_DRIVEN: &[&str] = &["crates/crafty-lang/src/", "crates/crafty-vm/src/"];
const MAY_NAME_DRIVEN: &[&str] = &[
    "crates/crafty-lang/src/driven/",
    "crates/crafty-vm/src/stacks/session.rs",
];

/// What a driven layer above a transport needs is a column of its row: nobody else asks which it is.
#[test]
fn driven_layers_are_known_by_their_rows() {
    let layers = ["TLS", "HTTP", "DNS"];
    let kinds = ["Tls", "Http", "Dns"];
    let told_by: Vec<String> = layers
        .iter()
        .flat_map(|name| [format!("\"{name}\""), format!("\"{name}!\"")])
        .chain(kinds.iter().map(|kind| format!("DrivenKind::{kind}")))
        .collect();
    for (file, code) in shipped() {
        let judged = KNOW_DRIVEN.iter().any(|folder| file.starts_with(folder))
            && !MAY_NAME_DRIVEN.iter().any(|it| file.starts_with(it));
        for word in told_by.iter().filter(|_| judged) {
            assert!(
                !code.contains(word.as_str()),
                "{file} knows {word}: make it a column in crates/crafty-lang/src/driven/mod.rs"
            );
        }
    }
}
