//! Words that have no place in what people read here: comments, messages, documents and programs.
//! Each is archaic, coined or ambiguous, and has a plain word in its place. Names in code are not
//! looked at.

use crate::house::{files, text};

/// A word or phrase, and what to write in its place.
const AVOIDED: &[(&str, &str)] = &[
    ("a way out", "a fix"),
    ("an address that is none", "an invalid address"),
    ("anew", "again"),
    ("are told", "are reported"),
    ("asks the world", "calls the system"),
    ("aught", "anything"),
    ("but for", "except for"),
    ("cannot be true", "is impossible"),
    ("clothing", "IPv4-mapped"),
    ("did not leave", "was not sent"),
    ("enciphered", "encrypted"),
    ("enciphers", "encrypts"),
    ("for ever", "forever"),
    ("for want of", "for lack of"),
    ("from afar", "from elsewhere"),
    ("hence", "so"),
    ("is told", "is reported"),
    ("laid out", "formatted"),
    ("lay out", "format"),
    ("lays out", "formats"),
    ("lest", "so that not"),
    ("main line", "main program"),
    ("mend", "repair"),
    ("mended", "fixed"),
    ("mends", "repairs"),
    ("nought", "nothing"),
    ("octet", "byte"),
    ("octets", "bytes"),
    ("reckon", "compute"),
    ("reckoned", "computed"),
    ("reckoning", "calculation"),
    ("reckons", "computes"),
    ("remark", "warning"),
    ("remarks", "warnings"),
    ("sends by itself", "sends automatically"),
    ("stands at", "is at"),
    ("stands before", "is before"),
    ("stands behind", "is after"),
    ("stands here", "is here"),
    ("stands there", "is there"),
    ("such as are", "those that are"),
    ("that which", "what"),
    ("the trade", "technical"),
    ("the way out", "the fix"),
    ("thereby", "by it"),
    ("therein", "in it"),
    ("thereof", "of it"),
    ("told apart", "distinguished"),
    ("unto", "to"),
    ("upon", "on"),
    ("were told", "were reported"),
    ("whence", "from where"),
    ("whereby", "by which"),
    ("wherefore", "why"),
    ("whosoever", "whoever"),
    ("without a word", "silently"),
];

/// Where such a word is the right one: a file's path, the word, and why.
const ALLOWED: &[(&str, &str, &str)] = &[
    (
        "crates/crafty-wire/src/protocols/tftp.rs",
        "octet",
        "a mode's name on the wire (RFC 1350 §5)",
    ),
    (
        "golden/tftp.hex",
        "octet",
        "a mode's name on the wire (RFC 1350 §5)",
    ),
];

/// Kinds of files that people read.
const READ: &[&str] = &[
    ".rs", ".md", ".crafty", ".toml", ".txt", ".hex", ".py", ".mjs", ".jsonl", "/test", "/bench",
];

/// The words of a text in lower case. What is in backticks or in the braces of a format is code; a
/// block of a program is no such braces, since it begins with a blank.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut code = None;
    for c in text.chars() {
        match (code, c) {
            (Some(end), _) if c == end || end == '}' && c.is_whitespace() => code = None,
            (Some(_), _) => {}
            (None, '`') => code = Some('`'),
            (None, '{') => code = Some('}'),
            (None, c) if c.is_alphanumeric() || c == '_' => {
                words.last_mut().expect("one").extend(c.to_lowercase());
            }
            _ if !words.last().expect("one").is_empty() => words.push(String::new()),
            _ => {}
        }
    }
    words
}

/// What people read of a Rust source, a passage each: comments that follow each other, and texts.
fn prose(source: &str) -> Vec<String> {
    let mut passages = vec![String::new()];
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let (read, len) = match first {
            '/' if rest.starts_with("//") => comment(rest),
            '"' => quoted(rest),
            'r' if rest.starts_with("r#\"") => raw(rest),
            '\'' => (None, character(rest)),
            _ => (None, first.len_utf8()),
        };
        match read {
            Some(read) => {
                let passage = passages.last_mut().expect("there is one");
                passage.push(' ');
                passage.push_str(read);
            }
            None if first.is_whitespace() => {}
            None => passages.push(String::new()),
        }
        rest = &rest[len..];
    }
    passages
}

/// The comment that starts `rest`, and its length.
fn comment(rest: &str) -> (Option<&str>, usize) {
    let len = rest.find('\n').unwrap_or(rest.len());
    (Some(rest[..len].trim_start_matches(['/', '!'])), len)
}

/// The string literal that starts `rest`, and its length.
fn quoted(rest: &str) -> (Option<&str>, usize) {
    let mut escaped = false;
    let end = rest[1..].find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    let end = end.map_or(rest.len(), |end| end + 1);
    (Some(&rest[1..end]), (end + 1).min(rest.len()))
}

/// The raw string literal that starts `rest`, and its length.
fn raw(rest: &str) -> (Option<&str>, usize) {
    let end = rest.find("\"#").unwrap_or(rest.len());
    (rest.get(3..end), (end + 2).min(rest.len()))
}

/// The length of the character literal, or of the mark of a lifetime, that starts `rest`.
fn character(rest: &str) -> usize {
    let inside: Vec<char> = rest.chars().skip(1).take(2).collect();
    match inside[..] {
        ['\\', next] => 2 + next.len_utf8(),
        [one, '\''] => 2 + one.len_utf8(),
        _ => 1,
    }
}

/// Avoided words of a passage that its file may not have, each with what to write instead. A text
/// without blanks is a name.
fn avoided(file: &str, passage: &str) -> Vec<String> {
    if !passage.trim().contains(char::is_whitespace) {
        return Vec::new();
    }
    let words = words(&passage.replace("\\n", " "));
    let starts = |at: usize, phrase: &str| {
        let mut words = words[at..].iter();
        phrase
            .split(' ')
            .all(|it| words.next().is_some_and(|word| word == it))
    };
    let found = (0..words.len()).flat_map(|at| AVOIDED.iter().filter(move |it| starts(at, it.0)));
    found
        .filter(|(word, _)| !ALLOWED.iter().any(|it| it.0 == file && it.1 == *word))
        .map(|(word, instead)| format!("{file}: `{word}`; write `{instead}`: {}", passage.trim()))
        .collect()
}

/// What people read of a file.
fn passages(path: &str) -> Vec<String> {
    let text = text(path);
    match path.ends_with(".rs") {
        true => prose(&text),
        false => text.split("\n\n").map(String::from).collect(),
    }
}

#[test]
fn everything_is_in_plain_words() {
    let mut wrong = Vec::new();
    for ends in READ {
        for file in files(ends) {
            let path = file.to_string_lossy().into_owned();
            if path.ends_with("it/plain_words.rs") {
                continue;
            }
            wrong.extend(passages(&path).iter().flat_map(|it| avoided(&path, it)));
        }
    }
    assert!(wrong.is_empty(), "{:#?}", wrong);
}

#[test]
fn avoided_words_are_found_where_people_read() {
    let rows = [
        ("// It is laid\n// out.\nfn f() {}", 1),
        ("/// All\n/// octets.\nfn f(octets: u8) {}", 1),
        ("let a = \"an octet\";", 1),
        (
            "let a = \"octets\"; let b = \"a {octet:02x}\"; // `octet`",
            0,
        ),
        ("let a = r#\"say \"hence\"\"#;", 1),
        ("let a = '\"'; let octet = '\\''; // fine", 0),
        ("fn octets<'a>(octets: &'a [u8]) {}", 0),
        ("let a = \"a \\\" b\"; let octet = 1;", 0),
    ];
    for (source, count) in rows {
        let found: Vec<String> = prose(source)
            .iter()
            .flat_map(|it| avoided("a.rs", it))
            .collect();
        assert_eq!(found.len(), count, "{source}: {found:?}");
    }
}

#[test]
fn each_exception_is_used() {
    for (file, word, why) in ALLOWED {
        let used = passages(file)
            .iter()
            .any(|it| words(it).iter().any(|it| it == word));
        assert!(used, "{file} has no `{word}` ({why})");
    }
}
