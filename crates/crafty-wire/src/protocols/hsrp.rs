//! Hot Standby Router Protocol, version 1.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "HSRP",
    title: "Hot Standby Router Protocol",
    spec: "RFC 2281",
    about: "Routers agree on which of them answers for an address. Version 2 has another form and stays octets.",
    example: "/IP(dst=224.0.0.2, ttl=1)/UDP(src=1985)/HSRP(state=active, address=192.0.2.254)",
    fields: &layout([
        uint("version", 8).doc("0 is version 1."),
        named("op", 8, &[(0, "hello"), (1, "coup"), (2, "resign"), (3, "advertise")]).doc("Kind of message."),
        named("state", 8, STATES).default(16).doc("State of the sender."),
        uint("hello", 8).default(3).doc("Seconds between hellos."),
        uint("hold", 8).default(10).doc("Seconds that this holds."),
        uint("priority", 8).default(120).doc("The highest wins."),
        uint("group", 8).default(1).doc("The group."),
        uint("reserved", 8).doc("Reserved."),
        octets("auth", 8).default(0x6369_7363_6f00_0000).doc("Password, in clear; unset: `cisco`."),
        ip4("address").doc("Address that the group answers for."),
    ]),
    under: &[under("UDP", "dst", 1985)],
    accepts: Some(|octets| octets.first() == Some(&0)),
    ..Layer::BLANK
}
.seal();

const STATES: Names = &[(0, "initial"), (1, "learn"), (2, "listen"), (4, "speak"), (8, "standby"), (16, "active")];
