//! Tables of a scenario file, read strictly: every key must be known, every value must be what its
//! key takes, and whatever is wrong is noted with its line and the reading continues.

use crate::error::{Problem, nearest, quoted};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The text of a file with what was found wrong in it.
pub(super) struct Problems<'t> {
    text: &'t str,
    list: Vec<Problem>,
}

impl<'t> Problems<'t> {
    pub fn new(text: &'t str) -> Problems<'t> {
        Problems {
            text,
            list: Vec::new(),
        }
    }

    /// The line of a byte of the text, from 1.
    pub fn line_of(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or(self.text);
        before.bytes().filter(|byte| *byte == b'\n').count() + 1
    }

    pub fn note(&mut self, line: usize, message: String, fix: String) {
        self.list.push(Problem { line, message, fix });
    }

    /// Notes that a name leads nowhere, with the nearest that there is.
    pub fn unknown<'a>(
        &mut self,
        line: usize,
        kind: &str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) {
        let known: Vec<&str> = known.into_iter().collect();
        let fix = match (nearest(name, known.iter().copied()), known.len()) {
            (Some(nearest), _) => format!("did you mean `{nearest}`?"),
            (None, 0) => "there are none".to_string(),
            (None, 1..=30) => format!("there are {}", quoted(&known)),
            (None, many) => format!(
                "there are {many}, such as {}",
                quoted(&known[..known.len().min(5)])
            ),
        };
        self.note(line, format!("there is no {kind} `{name}`"), fix);
    }

    /// All that was noted, in order of lines.
    pub fn finish(mut self) -> Vec<Problem> {
        self.list.sort();
        self.list.dedup();
        self.list
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// One table of a file.
pub(super) struct Table<'v, 't> {
    table: &'v DeTable<'t>,
    /// What the table is, for messages: `link`.
    what: &'static str,
    pub line: usize,
}

impl<'v, 't> Table<'v, 't> {
    /// A table that may have only these keys.
    pub fn new(
        problems: &mut Problems<'_>,
        what: &'static str,
        value: &'v DeTable<'t>,
        line: usize,
        keys: &[&'static str],
    ) -> Table<'v, 't> {
        let is_known = |key: &str| keys.contains(&key);
        for key in value.keys().filter(|key| !is_known(key.get_ref())) {
            let line = problems.line_of(key.span().start);
            let name = key.get_ref();
            let fix = match nearest(name, keys.iter().copied()) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => format!("a {what} has {}", quoted(keys)),
            };
            problems.note(line, format!("a {what} has no key `{name}`"), fix);
        }
        Table {
            table: value,
            what,
            line,
        }
    }

    fn value(&self, key: &str) -> Option<&'v Spanned<DeValue<'t>>> {
        self.table.get(key)
    }

    /// Whether the key is there.
    pub fn has(&self, key: &str) -> bool {
        self.value(key).is_some()
    }

    /// The line of a key's value, or of the table.
    pub fn line_of(&self, problems: &Problems<'_>, key: &str) -> usize {
        self.value(key)
            .map_or(self.line, |value| problems.line_of(value.span().start))
    }

    fn wrong(&self, problems: &mut Problems<'_>, key: &str, expected: &str) {
        let shown = self.value(key).and_then(|value| scalar(value.get_ref()));
        let shown = shown.map_or("a value of another type".into(), |text| format!("`{text}`"));
        let line = self.line_of(problems, key);
        problems.note(
            line,
            format!("`{key}` of a {} is {shown}", self.what),
            format!("write {expected}"),
        );
    }

    /// A text or number that `parse` takes; `expected` shows one.
    pub fn parsed<T>(
        &self,
        problems: &mut Problems<'_>,
        key: &str,
        expected: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let value = self.value(key)?;
        let parsed = scalar(value.get_ref()).and_then(|text| parse(&text));
        if parsed.is_none() {
            self.wrong(problems, key, expected);
        }
        parsed
    }

    pub fn text(&self, problems: &mut Problems<'_>, key: &str) -> Option<String> {
        let value = self.value(key)?;
        let text = value.get_ref().as_str().map(String::from);
        if text.is_none() {
            self.wrong(problems, key, "a string in quotes");
        }
        text
    }

    /// A text that must be there.
    pub fn required(&self, problems: &mut Problems<'_>, key: &str) -> String {
        if !self.has(key) {
            problems.note(
                self.line,
                format!("a {} has no `{key}`", self.what),
                format!("add `{key} = \"…\"`"),
            );
        }
        self.text(problems, key).unwrap_or_default()
    }

    /// A name: letters, digits, `.`, `_` and `-`, as in the name of a host.
    pub fn name(&self, problems: &mut Problems<'_>, key: &str) -> String {
        let name = self.required(problems, key);
        let is_name = name
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_' | b'-'));
        if !is_name {
            self.wrong(problems, key, "letters, digits, `.`, `_` and `-`");
        }
        name
    }

    pub fn boolean(&self, problems: &mut Problems<'_>, key: &str) -> Option<bool> {
        let value = self.value(key)?;
        let it = value.get_ref().as_bool();
        if it.is_none() {
            self.wrong(problems, key, "`true` or `false`");
        }
        it
    }

    pub fn integer(
        &self,
        problems: &mut Problems<'_>,
        key: &str,
        range: std::ops::RangeInclusive<i64>,
    ) -> Option<i64> {
        let expected = format!("a number from {} to {}", range.start(), range.end());
        self.parsed(problems, key, &expected, |text| {
            text.parse().ok().filter(|it| range.contains(it))
        })
    }

    /// Whether a list begins with a text.
    pub fn is_list_of_texts(&self, key: &str) -> bool {
        let value = self.value(key).map(|it| it.get_ref());
        let first = value
            .and_then(|it| it.as_array())
            .and_then(|it| it.iter().next());
        value.is_some_and(|it| it.is_str()) || first.is_some_and(|it| it.get_ref().is_str())
    }

    /// Texts with their lines; a single text counts as a list of one.
    pub fn texts(&self, problems: &mut Problems<'_>, key: &str) -> Vec<(String, usize)> {
        let Some(value) = self.value(key) else {
            return Vec::new();
        };
        if let Some(text) = value.get_ref().as_str() {
            return vec![(text.into(), problems.line_of(value.span().start))];
        }
        let items = value.get_ref().as_array().map(|it| it.iter());
        let texts: Option<Vec<(String, usize)>> = items.and_then(|items| {
            items
                .map(|item| {
                    Some((
                        item.get_ref().as_str()?.to_string(),
                        problems.line_of(item.span().start),
                    ))
                })
                .collect()
        });
        texts.unwrap_or_else(|| {
            self.wrong(problems, key, "a list of strings in quotes");
            Vec::new()
        })
    }

    /// The tables of a list.
    pub fn rows(
        &self,
        problems: &mut Problems<'_>,
        key: &str,
        what: &'static str,
        keys: &[&'static str],
    ) -> Vec<Table<'v, 't>> {
        let Some(value) = self.value(key) else {
            return Vec::new();
        };
        let Some(items) = value.get_ref().as_array() else {
            self.wrong(problems, key, "a list of tables");
            return Vec::new();
        };
        let mut rows = Vec::new();
        for item in items.iter() {
            let line = problems.line_of(item.span().start);
            match item.get_ref().as_table() {
                Some(table) => rows.push(Table::new(problems, what, table, line, keys)),
                None => problems.note(
                    line,
                    format!("an item of `{key}` is not a table"),
                    "write `{ name = … }`".into(),
                ),
            }
        }
        rows
    }

    /// The tables that are under a key, by their names.
    pub fn named_tables(
        &self,
        problems: &mut Problems<'_>,
        key: &str,
        what: &'static str,
        keys: &[&'static str],
    ) -> Vec<(String, Table<'v, 't>)> {
        let Some(value) = self.value(key) else {
            return Vec::new();
        };
        let Some(tables) = value.get_ref().as_table() else {
            self.wrong(problems, key, "a table of tables");
            return Vec::new();
        };
        let mut named = Vec::new();
        for (name, value) in tables.iter() {
            let line = problems.line_of(name.span().start);
            if let Some(table) = value.get_ref().as_table() {
                let table = Table::new(problems, what, table, line, keys);
                named.push((name.get_ref().to_string(), table));
            } else {
                problems.note(
                    line,
                    format!("`{}` is not a table", name.get_ref()),
                    format!("write `[{key}.{}]`", name.get_ref()),
                );
            }
        }
        named
    }

    /// Keys beside those of `keys`, with what is there and the line, in order of lines.
    pub fn others(&self, problems: &Problems<'_>, keys: &[&str]) -> Vec<(String, String, usize)> {
        let mut others: Vec<(String, String, usize)> = self
            .table
            .iter()
            .filter(|(key, _)| !keys.contains(&key.get_ref().as_ref()))
            .map(|(key, value)| {
                (
                    key.get_ref().to_string(),
                    scalar(value.get_ref()).unwrap_or_default(),
                    problems.line_of(key.span().start),
                )
            })
            .collect();
        others.sort_by_key(|it| it.2);
        others
    }
}

/// A text, number or truth value as it is written.
fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.as_str().replace('_', "")),
        DeValue::Float(number) => Some(number.as_str().into()),
        DeValue::Boolean(it) => Some(it.to_string()),
        _ => None,
    }
}
