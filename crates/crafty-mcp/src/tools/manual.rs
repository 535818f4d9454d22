//! `manual`: the language on a few pages, by page or by words to look for.

use super::{Call, Tool, ToolEffect, ToolReply, facts};
use crate::answer::{ListPage, line, row_size, short, text_page};
use crate::argument::{Argument, ArgumentKind};
use crate::command_line::NamedText;
use crate::schema::{cursor, list, object, output, text};
use crate::server::ServerContext;
use crate::tool_error::ToolError;
use serde_json::{Map, Value, json};

/// Hits of a search at most.
const MAX_HITS: usize = 20;

/// The tool.
pub static TOOL: Tool = Tool {
    name: "manual",
    title: "The manual",
    about: "The language of Crafty on a few pages. Without arguments: the list of pages. {\"section\": \"text\"} gives a page; a layer (`TCP`) or \
            a function (`quantile`) is a section too; `whole` is the whole manual. {\"query\": \"retransmission\"} looks for words. Read `whole` before \
            you write a first program.",
    arguments: &[
        Argument {
            name: "section",
            kind: ArgumentKind::Text(64),
            about: "a page of the list, a layer such as `TCP`, a function such as `quantile`, or `whole`",
        },
        Argument {
            name: "query",
            kind: ArgumentKind::Text(200),
            about: "words to look for in all pages",
        },
        Argument {
            name: "cursor",
            kind: ArgumentKind::Number(0, 10_000_000, 0),
            about: "where to continue: `next` of the previous answer",
        },
    ],
    output: schema,
    effect: ToolEffect::Reads,
    call,
};

fn schema() -> Map<String, Value> {
    let page = object([
        ("section", text("to ask for it")),
        ("about", text("what is in it")),
    ]);
    let hit = object([
        ("section", text("where")),
        ("line", text("the line with the words")),
    ]);
    output([
        ("sections?", list(page)),
        ("section?", text("which page")),
        ("text?", text("the page, in Markdown")),
        ("hits?", list(hit)),
        ("next?", cursor()),
    ])
}

fn call(server: &ServerContext, call: &Call) -> Result<ToolReply, ToolError> {
    let from = call.arguments.number("cursor") as usize;
    let answer = match (call.arguments.text("section"), call.arguments.text("query")) {
        (Some(section), _) => page(server, section, from)?,
        (None, Some(query)) => found(server, query, from)?,
        (None, None) => index(server, from),
    };
    Ok(facts(answer))
}

fn with_next(mut answer: Value, next: Option<usize>) -> Value {
    if let Some(next) = next {
        answer["next"] = next.into();
    }
    answer
}

fn index(server: &ServerContext, from: usize) -> Value {
    let rows = server
        .manual()
        .iter()
        .map(|page| json!({ "section": page.name, "about": page.about }));
    let page = ListPage::cut(rows, from, usize::MAX, row_size);
    with_next(json!({ "sections": page.items }), page.next)
}

fn page(server: &ServerContext, section: &str, from: usize) -> Result<Value, ToolError> {
    let known = server
        .manual()
        .iter()
        .find(|page| page.name.eq_ignore_ascii_case(section));
    let text = known
        .map(|page| page.text.clone())
        .or_else(|| server.command_line.reference(section));
    let Some(text) = text else {
        let names: Vec<&str> = server
            .manual()
            .iter()
            .map(|page| page.name.as_str())
            .collect();
        return Err(ToolError::not_found(
            format!("the manual has no section `{}`", short(section)),
            format!(
                "a layer, a function, or one of {}; or look for words with `query`",
                names.join(", ")
            ),
        ));
    };
    let (part, next) = text_page(&text, from);
    Ok(with_next(json!({ "section": section, "text": part }), next))
}

/// Lines that hold all the words, whatever their case.
fn found(server: &ServerContext, query: &str, from: usize) -> Result<Value, ToolError> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    if words.is_empty() {
        return Err(ToolError::argument(
            "`query` has no words",
            "give words to look for, such as `path mtu`",
        ));
    }
    // The whole manual is the pages once more.
    let pages = server.manual().iter().filter(|page| page.name != "whole");
    let hits = pages.flat_map(|page| hits(page, &words));
    let page = ListPage::cut(hits, from, MAX_HITS, row_size);
    Ok(with_next(json!({ "hits": page.items }), page.next))
}

fn hits(page: &NamedText, words: &[String]) -> impl Iterator<Item = Value> {
    page.text.lines().filter_map(move |text| {
        let low = text.to_lowercase();
        let has_all = words.iter().all(|word| low.contains(word));
        has_all.then(|| json!({ "section": page.name, "line": line(text) }))
    })
}
