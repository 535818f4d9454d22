//! The page of the endpoint: prose from `book/`, tables from the rows that it reads.

use super::with_section;
use crafty_endpoint::{ACTION_FIELDS, ACTIONS, DECISIONS, EVENTS, FieldShape, OPTIONS, Repeats};

const PROSE: &str = include_str!("../../../../book/endpoint.md");

/// The page, without marks.
pub fn page() -> String {
    sections()
        .iter()
        .fold(PROSE.to_string(), |text, (name, now)| {
            with_section(&text, name, |_| now.clone())
        })
}

fn sections() -> Vec<(&'static str, String)> {
    vec![
        ("options", options()),
        ("events", events()),
        ("actions", actions()),
        ("decisions", decisions()),
    ]
}

fn options() -> String {
    let mut text = String::from("| option | unset | about |\n|---|---|---|");
    for row in OPTIONS {
        let default = row
            .default
            .map_or("-".into(), |default| format!("`{default}`"));
        let repeats = match row.repeats {
            Repeats::Once => "",
            Repeats::Many => "; may be given several times",
        };
        text += &format!(
            "\n| `{}` {} | {default} | {}{repeats} |",
            row.name, row.value, row.doc
        );
    }
    text
}

fn events() -> String {
    let event = |row: &crafty_endpoint::EventRow| {
        let fields = row
            .fields
            .iter()
            .map(|(name, doc)| format!("\n| `{name}` | {doc} |"));
        format!(
            "`{}`: {}\n\n| field | about |\n|---|---|{}",
            row.name,
            row.doc,
            fields.collect::<String>()
        )
    };
    EVENTS.iter().map(event).collect::<Vec<_>>().join("\n\n")
}

fn actions() -> String {
    let kinds = ACTIONS
        .iter()
        .map(|(name, doc)| format!("- `{name}`: {doc}."));
    let fields = ACTION_FIELDS.iter().map(|row| {
        let shape = match row.shape {
            FieldShape::Text => "text".into(),
            FieldShape::Number(most) => format!("0 to {most}"),
            FieldShape::NameOrNumber => "name, or 0 to 255".into(),
            FieldShape::Flags => "list of names".into(),
            FieldShape::OneOf(words) => words.join(" or "),
        };
        format!("\n| `{}` | {shape} | {} |", row.name, row.doc)
    });
    format!(
        "{}\n\n| field of `send_packet` | value | about, and what holds without it |\n|---|---|---|{}",
        kinds.collect::<Vec<_>>().join("\n"),
        fields.collect::<String>()
    )
}

fn decisions() -> String {
    let rows = DECISIONS
        .iter()
        .map(|row| format!("\n| `{}` | {} |", row.word, row.doc));
    format!(
        "| decision | about |\n|---|---|{}",
        rows.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `UPDATE_BOOK=1` writes the page again.
    #[test]
    fn the_page_of_the_book_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../book/endpoint.md");
        let now = sections()
            .iter()
            .fold(PROSE.to_string(), |text, (name, now)| {
                with_section(&text, name, |(start, end)| format!("{start}\n{now}\n{end}"))
            });
        if std::env::var_os("UPDATE_BOOK").is_some() {
            std::fs::write(path, &now).expect("the page is written");
        }
        let is = std::fs::read_to_string(path).expect("the page");
        assert!(
            is == now,
            "book/endpoint.md is not current: run `UPDATE_BOOK=1 cargo test -p crafty --bin crafty book`"
        );
    }
}
