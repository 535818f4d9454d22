//! A packet as `crafty decode --json` prints it. Layers and fields are those of the tables, each
//! with its sentence.

use super::{Schema, count, hexadecimal, list, nanoseconds, object, text};
use crafty_print::packet::{JsonForm, STATUS_WORDS, form, parts};
use crafty_wire::{Field, Layer, OptionRow, Tlv};
use serde_json::{Map, Value, json};

/// The schema.
pub static SCHEMA: Schema = Schema {
    name: "packet",
    about: "a packet as `crafty decode --json` prints it, one a line, its layers from the outside in",
    body,
};

fn body() -> Value {
    let time = nanoseconds(
        "when it was on the wire, since the epoch; null where the capture does not say",
    );
    let mut body = object([
        ("index", count("number in the capture, from 1")),
        ("ts", json!({ "anyOf": [time, { "type": "null" }] })),
        ("len", count("bytes on the wire")),
        ("caplen", count("bytes that the capture kept")),
        (
            "interface?",
            text("name of the interface, if the capture has one"),
        ),
        (
            "direction?",
            json!({ "enum": ["in", "out"], "description": "direction, if the capture records it" }),
        ),
        ("comments?", list(text("a comment of the capture, escaped"))),
        ("layers", layers()),
        ("datagram?", datagram()),
        ("stream?", stream()),
        ("initials?", list(initial())),
        ("messages?", list(message())),
    ]);
    let mut definitions = Map::from_iter([("layer".to_string(), any_layer())]);
    definitions.extend(
        crafty_wire::all()
            .iter()
            .map(|layer| (layer.name.to_string(), fields(layer))),
    );
    body["$defs"] = definitions.into();
    body
}

fn layers() -> Value {
    list(json!({ "$ref": "#/$defs/layer" }))
}

fn packets() -> Value {
    list(count("number of a packet that carried it"))
}

/// The datagram of which this packet is the last fragment.
fn datagram() -> Value {
    object([
        ("packets", packets()),
        ("len", count("its bytes")),
        ("layers", layers()),
    ])
}

/// Where the packet's data are in a TCP stream that is followed.
fn stream() -> Value {
    let part = object([
        ("layer", text("layer that frames the message")),
        ("since", count("packet that it begins in")),
        ("have", count("bytes of it seen so far")),
        (
            "len",
            json!({ "type": ["integer", "null"], "description": "its total bytes, if known" }),
        ),
    ]);
    object([
        (
            "number",
            count("number of the connection in the capture, from 1"),
        ),
        (
            "from",
            json!({ "type": "integer", "description": "position of the first byte in the stream; negative before the first byte that was seen" }),
        ),
        ("by_content?", by_content()),
        ("part?", part),
        ("warnings?", list(text("something odd"))),
    ])
}

fn by_content() -> Value {
    json!({ "const": true, "description": "it was recognized by its content, not by its port" })
}

/// A packet of QUIC that the identifier in an earlier one opens.
fn initial() -> Value {
    object([
        ("layer", count("position of its layer, from 0")),
        (
            "from",
            json!({ "enum": ["client", "server"], "description": "who sent it" }),
        ),
        ("number", count("packet number")),
        ("frames", text("frames in it, with spaces between")),
    ])
}

/// A message that this packet completes, where the packet's own layers do not show it.
fn message() -> Value {
    object([
        ("packets", packets()),
        (
            "len",
            json!({ "type": ["integer", "null"], "description": "its bytes; null where it goes on to the end of the stream" }),
        ),
        ("caplen", count("its bytes that are shown")),
        ("layers", layers()),
    ])
}

/// What all layers have, and whose fields each has.
fn any_layer() -> Value {
    let names: Vec<&str> = crafty_wire::all().iter().map(|layer| layer.name).collect();
    let mut layer = object([
        ("layer", json!({ "enum": names })),
        ("offset", count("first byte of its header in the packet")),
        ("len", count("bytes of its header")),
        (
            "fields",
            json!({ "type": "object", "description": "what is there; a field that is cut off or not in this header is missing" }),
        ),
        ("checksum_status?", json!({ "enum": STATUS_WORDS })),
        ("by_content?", by_content()),
        ("warnings?", list(text("something odd"))),
    ]);
    let of = |name: &&str| {
        let reference = format!("#/$defs/{name}");
        json!({ "if": { "properties": { "layer": { "const": name } } }, "then": { "properties": { "fields": { "$ref": reference } } } })
    };
    layer["allOf"] = names.iter().map(of).collect::<Vec<_>>().into();
    layer
}

fn fields(layer: &'static Layer) -> Value {
    let at = |field: &Field| format!("#/$defs/{}/properties/{}", layer.name, field.name);
    let properties: Map<_, _> = layer
        .fields
        .iter()
        .map(|f| {
            (
                f.name.to_string(),
                field(
                    f,
                    &SchemaPosition {
                        at: at(f),
                        above: None,
                    },
                ),
            )
        })
        .collect();
    let about = format!("{} ({})", layer.title, layer.spec);
    json!({ "type": "object", "description": about, "properties": properties, "additionalProperties": false })
}

/// Where in the schema a value is, and the lists of options around it: one of them may come again
/// inside itself.
struct SchemaPosition<'a> {
    at: String,
    above: Option<&'a List<'a>>,
}

/// A list of options, where it is, and the one around it.
struct List<'a> {
    tlv: &'static Tlv,
    at: &'a str,
    above: Option<&'a List<'a>>,
}

impl List<'_> {
    fn find(&self, tlv: &'static Tlv) -> Option<&str> {
        if std::ptr::eq(self.tlv, tlv) {
            Some(self.at)
        } else {
            self.above?.find(tlv)
        }
    }
}

fn field(field: &Field, place: &SchemaPosition) -> Value {
    let mut schema = value(field, place);
    if !field.doc.is_empty() {
        schema["description"] = field.doc.into();
    }
    schema
}

fn value(field: &Field, place: &SchemaPosition) -> Value {
    match form(field) {
        JsonForm::Hexadecimal => json!({ "type": "string", "pattern": "^0x[0-9a-f]+$" }),
        JsonForm::Flags(names) => list(
            json!({ "anyOf": [{ "enum": names }, { "type": "string", "pattern": "^0x[0-9a-f]+$" }] }),
        ),
        JsonForm::Name(names) => {
            let names: Vec<&str> = names.iter().map(|(_, name)| *name).collect();
            json!({ "anyOf": [{ "enum": names }, number(field)] })
        }
        JsonForm::Address("mac") => {
            json!({ "type": "string", "pattern": "^([0-9a-f]{2}:){5}[0-9a-f]{2}$" })
        }
        JsonForm::Address(format) => json!({ "type": "string", "format": format }),
        JsonForm::Number => number(field),
        JsonForm::Text => json!({ "type": "string" }),
        JsonForm::Octets => hexadecimal(),
        JsonForm::Options(tlv) => match place.above.and_then(|list| list.find(tlv)) {
            Some(same) => json!({ "$ref": same }),
            None => options(tlv, place),
        },
    }
}

/// More than 64 bits are in a string of decimal digits.
fn number(field: &Field) -> Value {
    if field.signed {
        let most = i64::MAX >> (64 - field.width().clamp(1, 64));
        return json!({ "type": "integer", "minimum": -1 - most, "maximum": most });
    }
    match field.width() {
        0 => json!({ "type": "integer", "minimum": 0 }),
        width @ 1..=63 => {
            json!({ "type": "integer", "minimum": 0, "maximum": (1u64 << width) - 1 })
        }
        64 => json!({ "type": "integer", "minimum": 0, "maximum": u64::MAX }),
        _ => json!({ "type": "string", "pattern": "^[0-9]+$" }),
    }
}

fn options(tlv: &'static Tlv, place: &SchemaPosition) -> Value {
    let raw = object([("raw", hexadecimal())]);
    let above = List {
        tlv,
        at: &place.at,
        above: place.above,
    };
    let rows = tlv
        .options
        .iter()
        .enumerate()
        .map(|(i, row)| option(row, &format!("{}/items/anyOf/{i}", place.at), &above));
    list(json!({ "anyOf": rows.chain([raw]).collect::<Vec<_>>() }))
}

/// An option's name with the fields that it has once, and `values` for the group that it has again
/// and again.
fn option(option: &'static OptionRow, at: &str, above: &List) -> Value {
    let (once, again) = parts(option.shape);
    let rows = |fields: &'static [Field], at: String| {
        fields.iter().map(move |f| {
            let place = SchemaPosition {
                at: format!("{at}/properties/{}", f.name),
                above: Some(above),
            };
            (f.name.to_string(), field(f, &place))
        })
    };
    let closed = |properties: Map<String, Value>, required: &[&str]| json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    let mut properties: Map<_, _> = rows(once, at.to_string()).collect();
    properties.insert("option".into(), json!({ "const": option.name }));
    if again.is_empty() {
        return closed(properties, &["option"]);
    }
    let group = format!("{at}/properties/values/items");
    properties.insert(
        "values".into(),
        list(closed(rows(again, group).collect(), &[])),
    );
    closed(properties, &["option", "values"])
}
