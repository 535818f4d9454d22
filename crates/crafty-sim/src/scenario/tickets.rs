//! Tickets: what users complain of, and, in a file apart, what is behind it.

use super::table::{Problems, Table};
use crate::error::ScenarioError;
use toml::de::DeTable;

/// A complaint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Its number.
    pub id: u32,
    /// The portal from which the complaint comes.
    pub portal: String,
    /// In the user's words.
    pub complaint: String,
}

/// What is behind a ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth {
    /// Number of the ticket.
    pub id: u32,
    /// What is wrong, as faults are written after `--lab NETWORK:`; nothing in a healthy network.
    pub faults: Vec<String>,
    /// What only looks wrong, written likewise.
    pub red_herrings: Vec<String>,
    /// Where, in names of the network; several with commas; `nowhere`.
    pub location: String,
    /// What, in a few words.
    pub what: String,
    /// How much, if it can be measured.
    pub measure: String,
    /// What to do.
    pub fix: String,
}

/// Tickets and truths of a network that is built in; the network must have them.
pub fn tickets(network: &str) -> Result<(Vec<Ticket>, Vec<Truth>), ScenarioError> {
    let texts = match network {
        "acme" => (
            include_str!("../../../../scenarios/acme.tickets.toml"),
            include_str!("../../../../scenarios/acme.truth.toml"),
        ),
        _ => ("", ""),
    };
    Ok((
        rows(&format!("{network}.tickets.toml"), texts.0, TICKETS, ticket)?,
        rows(&format!("{network}.truth.toml"), texts.1, TRUTHS, truth)?,
    ))
}

/// The key of a file's rows, what a row is, and its keys.
type TicketShape = (&'static str, &'static str, &'static [&'static str]);

const TICKETS: TicketShape = ("tickets", "ticket", &["id", "portal", "complaint"]);
const TRUTHS: TicketShape = (
    "truths",
    "truth",
    &[
        "id",
        "faults",
        "red_herrings",
        "where",
        "what",
        "measure",
        "fix",
    ],
);

fn rows<T>(
    file: &str,
    text: &str,
    (key, what, keys): TicketShape,
    read: fn(&mut Problems<'_>, &Table<'_, '_>) -> T,
) -> Result<Vec<T>, ScenarioError> {
    let mut problems = Problems::new(text);
    let (root, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let line = problems.line_of(error.span().map_or(0, |span| span.start));
        problems.note(
            line,
            format!("not TOML: {}", error.message()),
            String::new(),
        );
    }
    let top = Table::new(&mut problems, "file", root.get_ref(), 1, &[key]);
    let tables = top.rows(&mut problems, key, what, keys);
    let rows = tables.iter().map(|row| read(&mut problems, row)).collect();
    match problems.finish() {
        problems if problems.is_empty() => Ok(rows),
        problems => Err(ScenarioError {
            file: file.into(),
            problems,
        }),
    }
}

fn id(problems: &mut Problems<'_>, row: &Table<'_, '_>) -> u32 {
    row.integer(problems, "id", 1..=100_000).unwrap_or(0) as u32
}

fn ticket(problems: &mut Problems<'_>, row: &Table<'_, '_>) -> Ticket {
    Ticket {
        id: id(problems, row),
        portal: row.required(problems, "portal"),
        complaint: row.required(problems, "complaint"),
    }
}

fn truth(problems: &mut Problems<'_>, row: &Table<'_, '_>) -> Truth {
    let mut texts = |key| {
        let texts = row.texts(problems, key);
        texts.into_iter().map(|it| it.0).collect()
    };
    let (faults, red_herrings) = (texts("faults"), texts("red_herrings"));
    Truth {
        id: id(problems, row),
        faults,
        red_herrings,
        location: row.required(problems, "where"),
        what: row.required(problems, "what"),
        measure: row.text(problems, "measure").unwrap_or_default(),
        fix: row.text(problems, "fix").unwrap_or_default(),
    }
}
