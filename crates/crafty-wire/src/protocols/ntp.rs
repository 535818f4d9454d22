//! Network Time Protocol; control and private messages stay bytes.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "NTP",
    title: "Network Time Protocol",
    spec: "RFC 5905",
    about: "Compares clocks. Time stamps have 32 bits of seconds since 1900 and 32 bits of fraction. Extensions and authentication codes at the end are bytes.",
    example: "/IP(dst=192.0.2.1)/UDP(src=123)/NTP(mode=client)",
    fields: &layout([
        named("leap", 2, &[(0, "none"), (1, "longer"), (2, "shorter"), (3, "unknown")]).doc("Whether a leap second is inserted or deleted."),
        uint("version", 3).default(4).doc("Version."),
        named("mode", 3, MODES).default(3).doc("Mode of the sender."),
        uint("stratum", 8).doc("Stratum: distance from the reference clock; 0 is unknown, or a refusal."),
        uint("poll", 8).signed().doc("Interval between requests: exponent of 2, in seconds."),
        uint("precision", 8).signed().doc("Precision of the clock: exponent of 2, in seconds."),
        uint("root_delay", 32).doc("Round trip to the reference clock, in 1/65536 s."),
        uint("root_dispersion", 32).doc("Maximum error, in 1/65536 s."),
        octets("ref_id", 4).doc("The reference clock: letters, or an address."),
        uint("reference", 64).doc("When the clock was set last."),
        uint("originate", 64).doc("When the request was sent, according to the client."),
        uint("receive", 64).doc("When the request was received."),
        uint("transmit", 64).doc("When this packet was sent."),
    ]),
    under: &[under("UDP", "dst", 123)],
    accepts: Some(|octets| octets.first().is_some_and(|octet| octet & 7 < 6)),
    ..Layer::BLANK
}
.seal();

const MODES: NameTable = &[
    (1, "symmetric_active"),
    (2, "symmetric_passive"),
    (3, "client"),
    (4, "server"),
    (5, "broadcast"),
    (6, "control"),
    (7, "private"),
];
