//! A list of options as the language writes it: `[mss(1460), nop, ts(1, 0)]`.

use crate::receiving::field_values::from_wire;
use crafty_lang::eval::show;
use crafty_wire::{Field, FieldValue, OptionValue};

/// The list, each option by its name with its values.
pub(crate) fn list(options: &[OptionValue]) -> String {
    let options: Vec<String> = options.iter().map(one).collect();
    format!("[{}]", options.join(", "))
}

fn one(option: &OptionValue) -> String {
    match option {
        OptionValue::Raw(octets) => format!("raw(#{})", show::hex(octets)),
        OptionValue::Named { option, values } => {
            let known = values.iter().enumerate();
            let known = known.filter_map(|(i, value)| Some(part(option.field(i)?, value)));
            let parts: Vec<String> = known.collect();
            match parts.is_empty() {
                true => option.name.to_string(),
                false => format!("{}({})", option.name, parts.join(", ")),
            }
        }
    }
}

fn part(field: &Field, value: &FieldValue) -> String {
    match value {
        FieldValue::Options(inner) => list(inner),
        FieldValue::Text(text) => format!("\"{text}\""),
        FieldValue::Uint(n) => match field.name_of(*n) {
            Some(name) => name.to_string(),
            None => plain(field, value),
        },
        _ => plain(field, value),
    }
}

fn plain(field: &Field, value: &FieldValue) -> String {
    from_wire(field, value.clone()).map_or_else(String::new, |value| show::shown(&value))
}

#[cfg(test)]
mod tests {
    use crate::api::LinkLayer;
    use crate::receiving::layers::layer_named;
    use crate::receiving::view::DecodedPacket;
    use crafty_lang::ir::{FieldRef, OptionQuestion};
    use crafty_value::Value;

    /// A SYN with these options.
    fn syn(options: &[u8]) -> DecodedPacket {
        let words = 5 + options.len() / 4;
        let len = 20 + 4 * words;
        let mut octets = vec![
            0x45, 0, 0, len as u8, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
        ];
        octets.extend([
            0,
            80,
            0,
            81,
            0,
            0,
            0,
            1,
            0,
            0,
            0,
            0,
            (words as u8) << 4,
            2,
            0,
            9,
            0,
            0,
            0,
            0,
        ]);
        octets.extend(options);
        DecodedPacket::of_frame(LinkLayer::RawIp, octets, len)
    }

    fn asked(view: &DecodedPacket, question: OptionQuestion) -> Option<Value> {
        let layer = layer_named("TCP");
        let (field, _) = layer.field("options")?;
        let field = FieldRef::OptionList {
            layer,
            field,
            question,
        };
        view.read(view.find(layer, 0, &field)?, &field)
    }

    #[test]
    fn lists_are_shown_as_the_language_writes_them() {
        let options = [
            2, 4, 5, 0xb4, 4, 2, 8, 10, 0, 0, 0, 7, 0, 0, 0, 0, 1, 3, 3, 7, 254, 4, 0xab, 0xcd,
        ];
        let view = syn(&options);
        let shown = "[mss(1460), sack_ok, ts(7, 0), nop, wscale(7), raw(#fe04abcd)]";
        assert_eq!(
            asked(&view, OptionQuestion::Shown),
            Some(Value::text(shown))
        );
        for (name, has) in [
            ("mss", true),
            ("sack_ok", true),
            ("nop", true),
            ("tfo", false),
        ] {
            let told = asked(&view, OptionQuestion::Has(name));
            assert_eq!(told, Some(Value::Bool(has)), "{name}");
        }
        assert_eq!(
            asked(&syn(&[]), OptionQuestion::Shown),
            Some(Value::text("[]"))
        );
        let none = asked(&syn(&[]), OptionQuestion::Has("mss"));
        assert_eq!(none, Some(Value::Bool(false)));
    }
}
