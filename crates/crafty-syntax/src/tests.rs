//! What is reported about texts, and what trees they give.

mod good;
mod programs;
mod random;
mod trees;
mod wrong;

use super::{format, parse};

/// A tree without its places: `Span { start: 3, end: 5 }` becomes `@`.
fn shape(source: &str) -> String {
    let debug = format!("{:?}", parse(source).program);
    let mut pieces = debug.split("Span {");
    let first = pieces.next().unwrap_or("").to_string();
    pieces.fold(first, |out, piece| {
        out + "@" + piece.split_once('}').map_or("", |(_, rest)| rest)
    })
}

fn told(source: &str) -> Vec<String> {
    parse(source)
        .reports
        .iter()
        .map(|r| format!("{}: {}", r.diagnostic.name, r.message))
        .collect()
}

/// A text without mistakes, which the formatter keeps the same in meaning and then leaves alone.
#[track_caller]
fn accept(source: &str) {
    if let Err(why) = accepted(source) {
        panic!("{why}");
    }
}

/// Why it is not a program.
fn accepted(source: &str) -> Result<(), String> {
    ensure(told(source).is_empty(), || {
        format!("{source}\n{:?}", told(source))
    })?;
    let printed = print(source);
    ensure(told(&printed).is_empty(), || {
        format!("{source}\nis printed as\n{printed}\n{:?}", told(&printed))
    })?;
    ensure(shape(source) == shape(&printed), || {
        format!("{source}\nmeans something else than\n{printed}")
    })?;
    ensure(print(&printed) == printed, || {
        format!(
            "{source}\nis printed as\n{printed}\nand then as\n{}",
            print(&printed)
        )
    })?;
    let kept = |text: &str| {
        parse(text)
            .comments
            .into_iter()
            .map(|c| c.text)
            .collect::<Vec<_>>()
    };
    let (mut before, mut after) = (kept(source), kept(&printed));
    before.sort();
    after.sort();
    ensure(before == after, || {
        format!("{source}\nhas other comments than\n{printed}")
    })
}

fn print(source: &str) -> String {
    format(source).unwrap_or_default()
}

fn ensure(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}
