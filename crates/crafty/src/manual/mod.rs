//! The manual: prose from `book/`, tables from the same rows that the code reads.

#[cfg(feature = "endpoint")]
mod endpoint;
mod options;

use crate::cli;
use crate::status::STATUSES;
use crafty_lang::builtins::{self, Builtin};
use crafty_lang::driven::{self, DrivenLayer, LAYERS};
use crafty_lang::ir::ErrorKind;
use crafty_policy::{POWERS, SECTIONS, SETTINGS, StatedBy};
use crafty_wire::{Auto, Field, FieldKind, Layer, Of};

const PROSE: &str = include_str!("../../../../book/manual.md");
const CONNECTIONS: &str = include_str!("../../../../book/connections.md");
const AGENTS: &str = include_str!("../../../../book/agents.md");
const POLICY: &str = include_str!("../../../../book/policy.md");
const STATEMENTS: &str = include_str!("../../../../book/statements.md");

/// A page beside the whole manual: its name, and how it is made.
pub struct Topic {
    /// As asked for.
    pub name: &'static str,
    /// One line.
    pub about: &'static str,
    page: fn() -> String,
}

/// Pages that are not layers.
pub static TOPICS: &[Topic] = &[
    Topic {
        name: "settings",
        about: "BUDGET, PORTS, PERMISSIONS",
        page: settings,
    },
    Topic {
        name: "powers",
        about: "abilities that ordinary probing does not need",
        page: powers,
    },
    Topic {
        name: "policy",
        about: "what permissions mean, and policy files",
        page: || POLICY.to_string(),
    },
    Topic {
        name: "functions",
        about: "every function with an example",
        page: functions,
    },
    Topic {
        name: "statements",
        about: "every statement",
        page: statements,
    },
    Topic {
        name: "stack",
        about: "options of driven layers, and what STACK shows",
        page: stack,
    },
    Topic {
        name: "connections",
        about: "programs that answer common questions about TCP",
        page: || CONNECTIONS.to_string(),
    },
    Topic {
        name: "agents",
        about: "the MCP server: set-up, tools, approval, the skill",
        page: || AGENTS.to_string(),
    },
    #[cfg(feature = "endpoint")]
    Topic {
        name: "endpoint",
        about: "the far end of a TUN or TAP interface: options, events, actions, handlers",
        page: endpoint::page,
    },
    Topic {
        name: "layers",
        about: "every layer",
        page: layers,
    },
    Topic {
        name: "commands",
        about: "the command line and its exit statuses",
        page: || format!("{}\n{}\n", commands(), statuses()),
    },
];

/// The whole manual.
pub fn whole() -> String {
    sections()
        .iter()
        .fold(PROSE.to_string(), |text, (name, now)| {
            with_section(&text, name, |_| now.clone())
        })
}

/// The page of the book: the manual with the marks that say where the generated sections are. A web
/// page does not show them.
#[cfg(test)]
fn page() -> String {
    sections()
        .iter()
        .fold(PROSE.to_string(), |text, (name, now)| {
            with_section(&text, name, |(start, end)| {
                let line = if now.contains('\n') { "\n" } else { "" };
                format!("{start}{line}{now}{line}{end}")
            })
        })
}

/// The generated sections, by the names in their marks.
fn sections() -> Vec<(&'static str, String)> {
    vec![
        ("functions", function_names()),
        ("settings", settings()),
        ("powers", powers_line()),
        ("statements", STATEMENTS.to_string()),
        ("counters", counter_names()),
        ("layers", core_layers()),
        ("commands", commands()),
        ("statuses", statuses()),
    ]
    .into_iter()
    .map(|(name, text)| (name, text.trim().to_string()))
    .collect()
}

/// A text with the section of this name, its marks included, replaced by what `now` makes of the
/// marks.
fn with_section(text: &str, name: &str, now: impl Fn((&str, &str)) -> String) -> String {
    let marks = (format!("<!-- {name} -->"), "<!-- end -->");
    let parts = text
        .split_once(&marks.0)
        .and_then(|(before, rest)| Some((before, rest.split_once(marks.1)?.1)));
    parts.map_or_else(
        || text.to_string(),
        |(before, after)| format!("{before}{}{after}", now((&marks.0, marks.1))),
    )
}

/// The page of a topic or of a layer.
pub fn topic(name: &str) -> Option<String> {
    let page = TOPICS.iter().find(|t| t.name == name).map(|t| (t.page)());
    let of_stack = || {
        let kind = name.strip_suffix('!').and_then(driven::named)?;
        Some(driven_layer(kind.layer()))
    };
    page.or_else(|| crafty_wire::layer(name).map(layer))
        .or_else(|| builtins::find(name).map(function))
        .or_else(of_stack)
}

/// The chapters of the whole manual: name, title and text. The name is the title in small letters.
#[cfg(feature = "mcp")]
pub fn chapters() -> Vec<(String, String, String)> {
    let whole = whole();
    let parts = whole.split("\n## ").enumerate();
    let chapter = |(at, text): (usize, &str)| {
        let (title, _) = text.split_once('\n').unwrap_or((text, ""));
        let title = title.trim_start_matches("# ");
        let title = title.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ' ');
        let words = title.split(|c: char| !c.is_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let name = if at == 0 {
            "first".into()
        } else {
            words.join("-").to_lowercase()
        };
        let text = if at == 0 {
            text.into()
        } else {
            format!("## {text}")
        };
        (name, title.to_string(), text)
    };
    parts.map(chapter).collect()
}

/// The list, what the chapter says of it besides, and the kinds of errors.
fn statements() -> String {
    let whole = whole();
    let chapter = whole
        .split("\n## ")
        .find(|chapter| chapter.contains(STATEMENTS.trim()))
        .unwrap_or_default();
    let kinds: Vec<&str> = ErrorKind::ALL.iter().map(|(_, word)| *word).collect();
    let errors = format!(
        "`else e` handles an error: `e.kind` is one of {}; `e.message` says more.",
        kinds.join(", ")
    );
    format!(
        "## {}

{errors}
",
        chapter.trim_end()
    )
}

fn settings() -> String {
    let mut text = String::new();
    for (section, name) in SECTIONS {
        text += &format!("| {name} | unset | about |\n|---|---|---|\n");
        for row in SETTINGS
            .iter()
            .filter(|s| s.section == *section && s.stated_by == StatedBy::Anybody)
        {
            text += &format!("| `{}` | {} | {} |\n", row.key, row.default, row.doc);
        }
        text.push('\n');
    }
    text
}

fn powers() -> String {
    let rows = POWERS
        .iter()
        .map(|p| format!("| `{}` | {} | {} |\n", p.name, p.doc, p.needed_by));
    format!(
        "| power | what it allows | what needs it |\n|---|---|---|\n{}",
        rows.collect::<String>()
    )
}

fn powers_line() -> String {
    POWERS
        .iter()
        .map(|p| format!("`{}` ({})", p.name, p.doc))
        .collect::<Vec<_>>()
        .join("; ")
}

fn function_names() -> String {
    builtins::ALL
        .iter()
        .map(|b| format!("`{}({})`", b.name, b.takes))
        .collect::<Vec<_>>()
        .join(" ")
}

fn functions() -> String {
    builtins::ALL.iter().map(|b| function(b)).collect()
}

fn function(b: &Builtin) -> String {
    let example = if b.example.0.is_empty() {
        String::new()
    } else {
        format!(" `{}` is `{}`.", b.example.0, b.example.1)
    };
    let raises: Vec<_> = b.raises.iter().map(|k| format!("`{}`", k.word())).collect();
    let raises = if raises.is_empty() {
        String::new()
    } else {
        format!(" Raises {}.", raises.join(", "))
    };
    format!("- `{}({})`: {}{example}{raises}\n", b.name, b.takes, b.doc)
}

fn counter_names() -> String {
    let of = |layer: &&DrivenLayer| {
        let names: Vec<&str> = layer.counters.iter().map(|row| row.name).collect();
        format!("{}: {}", layer.name, names.join(" "))
    };
    LAYERS.iter().map(of).collect::<Vec<_>>().join("; ")
}

fn stack() -> String {
    LAYERS.iter().map(|layer| driven_layer(layer)).collect()
}

/// Options and counters of a driven layer.
fn driven_layer(layer: &DrivenLayer) -> String {
    let name = layer.name;
    let mut text =
        format!("## `{name}!(…)`\n\n| option | type | unset means | about |\n|---|---|---|---|\n");
    for o in layer.options {
        text += &format!(
            "| `{}` | {} | {} | {} |\n",
            o.name,
            builtins::type_name(&o.ty()),
            o.unset,
            o.doc
        );
    }
    text +=
        &format!("\n## `STACK[{name}]`\n\n| counter | type | label | about |\n|---|---|---|---|\n");
    for c in layer.counters {
        text += &format!(
            "| `{}` | {} | {:?} | {} |\n",
            c.name,
            builtins::type_name(&c.ty()),
            c.label,
            c.doc
        );
    }
    text.push('\n');
    text
}

fn layers() -> String {
    crafty_wire::all()
        .iter()
        .map(|l| format!("- `{}` {}\n", l.name, fields_line(l)))
        .collect()
}

/// Layers whose fields are in the manual itself.
const CORE: &[&str] = &[
    "Eth", "VLAN", "ARP", "IP", "IP6", "ICMP", "ICMP6", "UDP", "TCP", "DNS", "GRE", "VXLAN",
    "Bytes",
];

/// Fields of the layers that most programs use, names of all others.
fn core_layers() -> String {
    let core = CORE.iter().filter_map(|name| crafty_wire::layer(name));
    let lines = core.map(|l| format!("- `{}` {}{}\n", l.name, fields_line(l), names_line(l)));
    let others: Vec<&str> = crafty_wire::all()
        .iter()
        .map(|l| l.name)
        .filter(|n| !CORE.contains(n))
        .collect();
    format!(
        "{}\nAnd: {}.\n",
        lines.collect::<String>(),
        others.join(" ")
    )
}

/// Names of the values that programs write most: types and flags.
fn names_line(layer: &Layer) -> String {
    let telling = layer
        .fields
        .iter()
        .filter(|f| matches!(f.name, "type" | "flags" | "op"));
    let line = |f: &Field| match f.kind {
        FieldKind::Named(names) if layer.name != "Eth" && layer.name != "VLAN" => Some(format!(
            "; {}: {}",
            f.name,
            names
                .iter()
                .take(20)
                .map(|(_, n)| *n)
                .collect::<Vec<_>>()
                .join(" ")
        )),
        FieldKind::Flags(names) => Some(format!("; {}: {}", f.name, names.join(" "))),
        _ => None,
    };
    telling.filter_map(line).collect()
}

fn fields_line(layer: &Layer) -> String {
    let names: Vec<&str> = layer.fields.iter().map(|f| f.name).collect();
    format!("({})", names.join(" "))
}

/// A layer's page: fields, what leaving each out means, names of values.
pub fn layer(l: &'static Layer) -> String {
    let mut text = format!("# {}: {} ({})\n\n{}\n\n", l.name, l.title, l.spec, l.about);
    text += "| field | bits | unset means | about |\n|---|---|---|---|\n";
    for f in l.fields {
        let bits = if f.width() == 0 {
            "any".into()
        } else {
            f.width().to_string()
        };
        text += &format!(
            "| `{}` | {bits} | {} | {}{} |\n",
            f.name,
            unset(f),
            f.doc,
            values(&f.kind)
        );
    }
    text += &options::lists(l);
    if !l.example.is_empty() {
        text += &format!("\nExample: `{}`\n", l.example);
    }
    text
}

/// What leaving a field out means.
fn unset(field: &Field) -> String {
    match field.auto {
        Auto::Default(0) if field.width() == 0 => "none".into(),
        Auto::Default(value) => field
            .name_of(value)
            .map_or_else(|| value.to_string(), str::to_string),
        Auto::Length { of, unit, .. } => {
            let what = match of {
                Of::Header => "length of the header",
                Of::Total => "length of header and payload",
                Of::Payload => "length of the payload",
                Of::Field => "length of its field",
                Of::BeforeTrailer => "length up to the trailer",
            };
            if unit == 1 {
                what.into()
            } else {
                format!("{what} / {unit}")
            }
        }
        Auto::NextLayer(_) => "number of the layer above".into(),
        Auto::Checksum(_) => "the correct checksum".into(),
        Auto::Presence(_) => "what is there".into(),
        Auto::Beside(field, _) => format!("what belongs to `{field}`"),
    }
}

fn values(kind: &FieldKind) -> String {
    match kind {
        FieldKind::Named(names) => format!(
            " Names: {}.",
            names
                .iter()
                .map(|(v, n)| format!("`{n}` ({v})"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
        FieldKind::Flags(names) => format!(
            " Flags: {}.",
            names
                .iter()
                .map(|n| format!("`{n}`"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
        FieldKind::Options(_) => " Options: below.".into(),
        _ => String::new(),
    }
}

fn commands() -> String {
    let mut words = cli::words();
    words.build();
    let lines = words
        .get_subcommands()
        .filter(|c| c.get_name() != "help")
        .map(|c| {
            format!(
                "- `crafty {}`: {}",
                c.get_name(),
                c.get_about().map(|a| a.to_string()).unwrap_or_default()
            )
        });
    lines.collect::<Vec<_>>().join("\n")
}

fn statuses() -> String {
    STATUSES
        .iter()
        .map(|s| format!("{} {}", s.code, s.meaning))
        .collect::<Vec<_>>()
        .join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a language model reads at once.
    const MOST: usize = 24 * 1024;

    #[test]
    fn the_manual_fits() {
        let text = whole();
        assert!(text.len() <= MOST, "{} bytes", text.len());
    }

    #[test]
    fn every_layer_and_function_has_a_page() {
        for name in crafty_wire::all()
            .iter()
            .map(|l| l.name)
            .chain(builtins::ALL.iter().map(|b| b.name))
        {
            assert!(
                topic(name).is_some_and(|page| page.contains(name)),
                "{name}"
            );
        }
    }

    /// `UPDATE_BOOK=1` writes the page again.
    #[test]
    fn the_page_of_the_book_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../book/manual.md");
        if std::env::var_os("UPDATE_BOOK").is_some() {
            std::fs::write(path, page()).expect("the page is written");
        }
        let is = std::fs::read_to_string(path).expect("the page");
        assert!(
            is == page(),
            "book/manual.md is not current: run `UPDATE_BOOK=1 cargo test -p crafty --bin crafty book`"
        );
    }

    #[test]
    fn every_section_has_its_place_in_the_book() {
        let (page, whole) = (page(), whole());
        for (name, now) in sections() {
            let mark = format!("<!-- {name} -->");
            assert_eq!(page.matches(&mark).count(), 1, "{mark}");
            assert!(whole.contains(&now) && page.contains(&now), "{name}");
        }
        assert!(!whole.contains("<!--"));
    }
}
