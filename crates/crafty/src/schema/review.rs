//! What `crafty review --json` prints.

use super::{Schema, count, list, nanoseconds, object, text};
use serde_json::{Value, json};

/// The schema.
pub static SCHEMA: Schema = Schema {
    name: "review",
    about: "the document of `crafty review --json`: what a program sends to whom, what it can leak, how much at most",
    body,
};

fn body() -> Value {
    let mut keys = head();
    keys.extend(traffic());
    keys.extend(grants());
    keys.extend(limits());
    object(keys)
}

type SchemaKeys = Vec<(&'static str, Value)>;

fn head() -> SchemaKeys {
    vec![
        ("file", text("the program, `-` for standard input")),
        (
            "digest",
            json!({ "type": "string", "pattern": "^[0-9a-f]{64}$", "description": "what an approval signs: SHA-256 of program, params and effective limits" }),
        ),
        ("warnings", list(text("what to look at first"))),
        (
            "params",
            list(object([
                ("name", text("its name")),
                ("value", text("the value that is reviewed")),
                ("default", optional(text("its default"))),
                ("decides_reach", flag("whether it decides who is reached")),
            ])),
        ),
    ]
}

fn traffic() -> SchemaKeys {
    let labels = json!({ "enum": ["clean", "event", "content"] });
    let depths = json!({ "enum": ["arrival", "headers", "payload"] });
    vec![
        ("sends", list(send())),
        (
            "flows",
            list(object([
                ("span", span()),
                ("carries", labels.clone()),
                ("from", list(party())),
                ("to", party()),
                ("bits", count("that the receiver may learn, at most")),
                (
                    "elsewhere",
                    flag("whether it may reach somebody other than its sender"),
                ),
            ])),
        ),
        (
            "hears",
            list(object([
                ("span", span()),
                ("layers", list(text("a layer of the pattern"))),
                ("from", party()),
                ("depth", depths.clone()),
                ("handler", flag("whether it reacts to each packet")),
            ])),
        ),
        (
            "prints",
            list(object([
                ("span", span()),
                ("label", labels),
                ("depth", depths),
            ])),
        ),
    ]
}

fn send() -> Value {
    object([
        ("site", count("number of the place")),
        ("span", span()),
        (
            "act",
            json!({ "enum": ["packet", "stream", "block", "idle", "close", "altered", "released"] }),
        ),
        ("what", text("what it is, in words")),
        ("effects", list(text("what it does to whoever receives it"))),
        ("layers", list(text("a layer, the outermost first"))),
        ("from", party()),
        ("from_ports", ports()),
        ("to", party()),
        ("to_ports", ports()),
        ("link", optional(list(text("an address of the link")))),
        (
            "times",
            optional(count(
                "how often, at most; `null` if only the budget limits it",
            )),
        ),
        (
            "size",
            optional(object([
                ("frames", pair("frames each time, least and most")),
                ("bytes", pair("bytes of them together, least and most")),
                ("largest", count("bytes of the largest frame")),
                ("known", flag("whether the length is known before the run")),
            ])),
        ),
        ("handler", optional(span())),
    ])
}

fn grants() -> SchemaKeys {
    let port_lists = |keys: &[&'static str]| {
        object(
            keys.iter()
                .map(|key| (*key, list(pair("first and last port")))),
        )
    };
    vec![
        ("destinations", list(addresses())),
        ("destination_ports", optional(port_lists(&["tcp", "udp"]))),
        ("sources", list(addresses())),
        ("owns", port_lists(&["tcp", "udp", "icmp"])),
        (
            "powers",
            list(text("an ability that ordinary probing does not need")),
        ),
        ("exfiltration", json!({ "enum": ["none", "false", "true"] })),
        (
            "unused",
            list(object([
                ("key", text("the setting")),
                ("what", text("the part that no line uses")),
            ])),
        ),
        ("outside", optional(list(addresses()))),
        (
            "narrowed",
            flag("whether the operator's policy takes something away"),
        ),
    ]
}

fn budget() -> Value {
    object([
        ("max_duration", nanoseconds("after which nothing is sent")),
        ("max_packets", count("frames in total")),
        ("max_packets_per_secs", count("frames in any second")),
        ("max_bytes", count("bytes in total")),
        ("max_bytes_per_secs", count("bytes in any second")),
        ("max_syns", count("frames that open connections")),
        ("max_syns_per_secs", count("those in any second")),
        (
            "spoofed_syns",
            count("those from addresses that are not the host's"),
        ),
        ("max_destinations", count("different destination addresses")),
    ])
}

fn worst_case() -> Value {
    object([
        (
            "main_packets",
            pair("frames of the main program, least and most"),
        ),
        ("main_bytes", pair("bytes of them, least and most")),
        (
            "main_syns",
            pair("those that open connections, least and most"),
        ),
        ("packets", count("most frames in total")),
        ("bytes", count("most bytes in total")),
        ("bits_per_second", count("most bits in any second")),
        (
            "by_budget",
            flag("whether only the budget limits part of it"),
        ),
        ("handlers", count("handlers")),
        (
            "neighbours",
            count("addresses whose neighbours are resolved"),
        ),
        ("questions", count("frames that asking takes, at most")),
    ])
}

fn limits() -> SchemaKeys {
    vec![
        ("budget", budget()),
        (
            "changed_limits",
            list(object([
                ("section", text("the section of the setting")),
                ("key", text("the setting")),
                ("value", text("its value")),
                ("default", text("the value if the program does not set it")),
            ])),
        ),
        ("worst_case", worst_case()),
        (
            "choices",
            list(object([
                ("span", span()),
                ("times", optional(count("how often, at most"))),
                ("millibits", count("thousandths of a bit each time")),
            ])),
        ),
        (
            "chosen_bits",
            optional(count("that received bytes choose, at most")),
        ),
        ("chosen_limit", count("the most that is allowed")),
        (
            "echoes",
            list(text("what protocols send back to a peer from its own data")),
        ),
    ]
}

fn party() -> Value {
    object([
        (
            "kind",
            json!({ "enum": ["addresses", "this_host", "asker", "computed", "link", "link_computed", "on_link"] }),
        ),
        ("addresses", list(text("an address"))),
    ])
}

fn ports() -> Value {
    object([
        (
            "kind",
            json!({ "enum": ["without", "ports", "own", "asker", "computed", "default"] }),
        ),
        ("ports", list(count("a port"))),
    ])
}

fn addresses() -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2, "description": "first and last address" })
}

fn pair(about: &str) -> Value {
    json!({ "type": "array", "items": { "type": "integer", "minimum": 0 }, "minItems": 2, "maxItems": 2, "description": about })
}

fn flag(about: &str) -> Value {
    json!({ "type": "boolean", "description": about })
}

fn optional(schema: Value) -> Value {
    json!({ "anyOf": [schema, { "type": "null" }] })
}

fn span() -> Value {
    super::check::span()
}
