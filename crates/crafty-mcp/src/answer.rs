//! What a tool answers: facts as data, and the same facts as text. Some clients show their model
//! only one of the two, so each holds everything. Every answer is limited in size.

use crafty_print::unsteered;
use serde_json::{Map, Value};
use std::fmt::Write;

/// Bytes of an answer's rows at most; the rest is behind a cursor.
pub const MAX_ANSWER: usize = 16_000;

/// Bytes of a text that is in a sentence at most.
const MAX_SHORT: usize = 2_000;

/// Bytes of one line at most.
const MAX_LINE: usize = 2_000;

/// Bytes of an object that is on one line at most.
const MAX_INLINE: usize = 120;

/// An answer.
#[derive(Clone, Debug, Default)]
pub struct ToolAnswer {
    /// The facts.
    pub facts: Map<String, Value>,
}

impl ToolAnswer {
    /// These facts.
    pub fn of(facts: Map<String, Value>) -> ToolAnswer {
        ToolAnswer { facts }
    }

    /// The same facts as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (key, value) in &self.facts {
            entry(&mut text, key, value, 0);
        }
        text.truncate(text.trim_end().len());
        text
    }
}

/// A text without what would steer a terminal, short enough for a sentence.
pub fn short(text: &str) -> String {
    limited(&unsteered(text), MAX_SHORT)
}

/// A line of an answer; a longer one says how much of it is missing.
pub fn line(text: &str) -> String {
    limited(text, MAX_LINE)
}

fn limited(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.into();
    }
    let end = text.floor_char_boundary(most);
    format!("{}… [cut: {} more bytes]", &text[..end], text.len() - end)
}

/// Part of a list: as much as fits, and where to continue.
pub struct ListPage<T> {
    /// The part.
    pub items: Vec<T>,
    /// The cursor of the first that is missing, if one is.
    pub next: Option<usize>,
}

impl<T> ListPage<T> {
    /// The items from `from` on, `most` of them, as far as they fit; at least one, so that a cursor
    /// always continues. `size` is in bytes.
    pub fn cut(
        items: impl Iterator<Item = T>,
        from: usize,
        most: usize,
        size: impl Fn(&T) -> usize,
    ) -> ListPage<T> {
        let mut page = ListPage {
            items: Vec::new(),
            next: None,
        };
        let mut bytes = 0;
        for (number, item) in items.enumerate().skip(from) {
            bytes += size(&item) + 4;
            if page.items.len() >= most || (bytes > MAX_ANSWER && !page.items.is_empty()) {
                page.next = Some(number);
                break;
            }
            page.items.push(item);
        }
        page
    }
}

/// The size of a row in an answer.
pub fn row_size(row: &Value) -> usize {
    row.to_string().len()
}

/// Part of a text from a byte on: whole lines, as far as they fit, and where to continue.
pub fn text_page(text: &str, from: usize) -> (&str, Option<usize>) {
    let from = text.floor_char_boundary(from.min(text.len()));
    let rest = &text[from..];
    if rest.len() <= MAX_ANSWER {
        return (rest, None);
    }
    let most = rest.floor_char_boundary(MAX_ANSWER);
    let end = rest[..most].rfind('\n').map_or(most, |at| at + 1);
    (&rest[..end], Some(from + end))
}

fn entry(text: &mut String, key: &str, value: &Value, depth: usize) {
    let pad = "  ".repeat(depth);
    match value {
        Value::String(long) if long.contains('\n') => {
            let _ = writeln!(text, "{pad}{key}:\n{}", long.trim_end_matches('\n'));
        }
        Value::Array(items) if items.is_empty() => {
            let _ = writeln!(text, "{pad}{key}: none");
        }
        Value::Array(items) => match in_a_row(items).filter(|_| key != "lines") {
            Some(line) => {
                let _ = writeln!(text, "{pad}{key}: {line}");
            }
            None => {
                let _ = writeln!(text, "{pad}{key}:");
                items.iter().for_each(|it| item(text, it, &pad));
            }
        },
        Value::Object(map) => match inline(map) {
            Some(line) => {
                let _ = writeln!(text, "{pad}{key}: {line}");
            }
            None => {
                let _ = writeln!(text, "{pad}{key}:");
                map.iter().for_each(|(k, v)| entry(text, k, v, depth + 1));
            }
        },
        scalar => {
            let _ = writeln!(text, "{pad}{key}: {}", bare(scalar));
        }
    }
}

/// An item of a list: a line where it has none itself.
fn item(text: &mut String, item: &Value, pad: &str) {
    match item {
        Value::Object(map) => {
            let line = inline(map).unwrap_or_else(|| words(map).join(" "));
            let _ = writeln!(text, "{pad}  - {line}");
        }
        Value::Array(cells) => {
            let cells: Vec<String> = cells.iter().map(bare).collect();
            let _ = writeln!(text, "{pad}  {}", cells.join(" | "));
        }
        scalar => {
            let _ = writeln!(text, "{pad}  {}", bare(scalar));
        }
    }
}

/// Words and numbers on one line, where they are short.
fn in_a_row(items: &[Value]) -> Option<String> {
    let is_word = |item: &Value| match item {
        Value::String(text) => !text.contains([' ', '\n']),
        other => other.is_number() || other.is_boolean(),
    };
    let words: Vec<String> = items.iter().map(bare).collect();
    let line = words.join(" ");
    (items.iter().all(is_word) && line.len() <= MAX_INLINE).then_some(line)
}

/// An object on one line, where it is short.
fn inline(map: &Map<String, Value>) -> Option<String> {
    let nested = map
        .values()
        .any(|value| value.is_array() || value.as_str().is_some_and(|text| text.contains('\n')));
    let line = words(map).join(" ");
    (!nested && line.len() <= MAX_INLINE).then_some(line)
}

fn words(map: &Map<String, Value>) -> Vec<String> {
    map.iter()
        .map(|(key, value)| match value {
            Value::Object(inner) => format!("{key}({})", words(inner).join(" ")),
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(quoted).collect();
                format!("{key}=[{}]", items.join(", "))
            }
            scalar => format!("{key}={}", quoted(scalar)),
        })
        .collect()
}

fn bare(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".into(),
        Value::Object(map) => words(map).join(" "),
        other => other.to_string(),
    }
}

/// A text with spaces in it is in quotation marks.
fn quoted(value: &Value) -> String {
    match value {
        Value::String(text) if text.contains([' ', '"', '\n', '=']) || text.is_empty() => {
            value.to_string()
        }
        Value::Object(map) => format!("({})", words(map).join(" ")),
        other => bare(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn text_and_data_say_the_same() {
        let facts = json!({
            "ok": true, "why": "no answer", "sent": { "packets": 3, "bytes": 126 },
            "lines": ["seq=1 rtt=2ms", "a\"b"], "columns": ["a", "b"], "page": "# A\nb\n", "none": [],
            "rows": [{ "code": "E0601", "span": { "line": 3 }, "help": ["use x", "or y"] }, ["a", 1, null]],
        });
        let answer = ToolAnswer::of(facts.as_object().cloned().unwrap_or_default());
        assert_eq!(
            answer.text(),
            "ok: true\nwhy: no answer\nsent: packets=3 bytes=126\nlines:\n  seq=1 rtt=2ms\n  a\"b\ncolumns: a b\npage:\n# A\nb\nnone: none\n\
             rows:\n  - code=E0601 span(line=3) help=[\"use x\", \"or y\"]\n  a | 1 | -"
        );
    }

    #[test]
    fn a_page_ends_where_the_answer_is_full_and_always_goes_on() {
        let check = |sizes: &[usize], from, most, items: usize, next| {
            let page = ListPage::cut(sizes.iter().copied(), from, most, |size| *size);
            assert_eq!((page.items.len(), page.next), (items, next), "{sizes:?}");
        };
        check(&[10, 10, 10], 0, 9, 3, None);
        check(&[10, 10, 10], 1, 1, 1, Some(2));
        check(&[10, 10, 10], 7, 9, 0, None);
        check(&[MAX_ANSWER, 10], 0, 9, 1, Some(1));
        check(&[2 * MAX_ANSWER, 10], 0, 9, 1, Some(1));
    }

    #[test]
    fn a_text_is_cut_between_lines_and_no_byte_is_lost() {
        let text: String = (0..4_000).map(|n| format!("é line {n}\n")).collect();
        let (mut whole, mut at) = (String::new(), 0);
        loop {
            let (part, next) = text_page(&text, at);
            assert!(part.len() <= MAX_ANSWER && part.ends_with('\n'));
            whole += part;
            match next {
                Some(next) => at = next,
                None => break,
            }
        }
        assert!(whole == text);
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(line("short"), "short");
        assert!(line(&"x".repeat(3_000)).ends_with("… [cut: 1000 more bytes]"));
        assert_eq!(short("a\u{1b}[2J"), "a\\u{1b}[2J");
    }
}
