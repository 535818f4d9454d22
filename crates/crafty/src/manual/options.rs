//! Options of a layer's header on its page: their parts, how one is asked for, and how it is read.

use crafty_wire::{FieldKind, Layer, OptionRow};

/// For each list of options of a layer: its options with their parts, and an example.
pub(super) fn lists(layer: &Layer) -> String {
    let mut text = String::new();
    for field in layer.fields {
        let FieldKind::Options(tlv) = field.kind else {
            continue;
        };
        text += &format!("\n| in `{}` | parts | about |\n|---|---|---|\n", field.name);
        for option in tlv.options {
            text += &format!(
                "| `{}` | {} | {} |\n",
                option.name,
                parts(option),
                option.doc
            );
        }
        if let Some([asked, has, read]) = example(layer, field.name, tlv.options) {
            text += &format!("\nAsked: `{asked}` or `{has}`. Read: `{read}`.\n");
        }
    }
    text
}

/// The parts of an option in order, those that may come again in brackets.
fn parts(option: &OptionRow) -> String {
    let names: Vec<String> = option
        .shape
        .fields()
        .map(|field| match field.width() {
            0 => format!("`{}`", field.name),
            width => format!("`{}` ({width})", field.name),
        })
        .collect();
    match (names.is_empty(), option.shape.repeats()) {
        (true, _) => "none".into(),
        (false, true) => format!("{} …", names.join(", ")),
        (false, false) => names.join(", "),
    }
}

/// A pattern and a condition about the first option that has parts, and how its first part is read.
fn example(layer: &Layer, field: &str, options: &[OptionRow]) -> Option<[String; 3]> {
    let option = options
        .iter()
        .find(|option| option.shape.fields().next().is_some())?;
    let several = option.shape.fields().count() > 1;
    let part = option.shape.fields().next().map_or("", |field| field.name);
    let behind = if several {
        format!(".{part}")
    } else {
        String::new()
    };
    let (name, option) = (layer.name, option.name);
    Some([
        format!("{name}({field} has {option})"),
        format!("MATCH[{name}].{field} has {option}"),
        format!("MATCH[{name}].{field}.{option}{behind}"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crafty_lang::check::check;

    #[test]
    fn what_the_pages_say_of_options_is_understood() {
        let mut seen = 0;
        for layer in crafty_wire::all() {
            for field in layer.fields {
                let FieldKind::Options(tlv) = field.kind else {
                    continue;
                };
                let Some([asked, has, read]) = example(layer, field.name, tlv.options) else {
                    continue;
                };
                let program = format!(
                    "expect timeout=1s /*/{asked} {{\n  print(\"${{{read}}}\")\n  if {has} {{ print(\"it has\") }}\n}}\n"
                );
                let checked = check(&program);
                assert!(
                    checked.program.is_some(),
                    "{program}\n{:#?}",
                    checked.reports
                );
                seen += 1;
            }
        }
        assert!(seen > 20, "only {seen} lists of options");
    }
}
