//! Stream Control Transmission Protocol; what a packet carries are chunks.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "SCTP",
    title: "Stream Control Transmission Protocol",
    spec: "RFC 9260",
    about: "Carries messages of several streams from port to port, in chunks. Data is in the chunk, not behind the header.",
    example: "/IP(dst=192.0.2.1)/SCTP(src=2905, dst=2905, chunks=[init(1, 65535, 10, 10, 1, \"\", 0)])",
    fields: &layout([
        uint("src", 16).doc("Source port."),
        uint("dst", 16).doc("Destination port."),
        uint("tag", 32).doc("Verification tag that the receiver chose."),
        uint("checksum", 32)
            .computed(Auto::Checksum(Checksum { algorithm: Algorithm::Custom(crc32c), ..INTERNET }))
            .doc("CRC32c of the whole packet."),
        options("chunks", &CHUNKS).extent(Extent::Layer).doc("Control and data."),
    ]),
    under: &[under("IP", "proto", 132)],
    ..Layer::BLANK
}
.seal();

static CHUNKS: Tlv = Tlv {
    options: &[
        opt(0, "data", Shape::Fields(&layout([
            uint("tsn", 32).modular().doc("Number of the chunk."),
            uint("stream", 16).doc("Stream."),
            uint("seq", 16).modular().doc("Number of the message in the stream."),
            uint("ppid", 32).doc("Protocol of the data."),
            bytes("data").doc("The data."),
            flags("flags", &["x7", "x6", "x5", "x4", "i", "u", "b", "e"]).in_head(8).doc("First, last, unordered, to be acknowledged at once."),
        ])), "Data of a user."),
        opt(1, "init", INIT, "Opens an association."),
        opt(2, "init_ack", INIT, "Answers `init`, with a cookie among its parameters."),
        opt(3, "sack", Shape::Fields(&layout([
            uint("tsn", 32).modular().doc("All up to this one are here."),
            uint("window", 32).doc("Octets that the sender takes."),
            uint("gaps", 16).doc("Number of blocks behind a gap."),
            uint("duplicates", 16).doc("Number of duplicates."),
            bytes("blocks").doc("Blocks, then duplicates."),
            FLAGS,
        ])), "Acknowledges data."),
        opt(4, "heartbeat", DATA, "Asks whether a path works."),
        opt(5, "heartbeat_ack", DATA, "Answers `heartbeat` with what it held."),
        opt(6, "abort", DATA, "Ends the association at once."),
        opt(7, "shutdown", Shape::Fields(&layout([uint("tsn", 32).modular().doc("All up to this one are here."), FLAGS])), "Ends the association."),
        opt(8, "shutdown_ack", EMPTY, "Answers `shutdown`."),
        opt(9, "error", DATA, "What is wrong."),
        opt(10, "cookie_echo", DATA, "Gives the cookie back."),
        opt(11, "cookie_ack", EMPTY, "The association is open."),
        opt(14, "shutdown_complete", EMPTY, "The association has ended."),
        opt(15, "auth", DATA, "Authenticates the chunks behind it (RFC 4895)."),
        opt(64, "i_data", Shape::Fields(&layout([
            uint("tsn", 32).modular().doc("Number of the chunk."),
            uint("stream", 16).doc("Stream."),
            uint("reserved", 16).doc("Reserved."),
            uint("mid", 32).modular().doc("Number of the message."),
            uint("ppid", 32).doc("Protocol of the data, or number of the fragment."),
            bytes("data").doc("The data."),
            FLAGS,
        ])), "Data that can be interleaved (RFC 8260)."),
        opt(0x80, "asconf_ack", DATA, "Answers `asconf`."),
        opt(0x82, "reconfig", DATA, "Resets streams (RFC 6525)."),
        opt(0x84, "pad", DATA, "Fills up (RFC 4820)."),
        opt(0xc0, "forward_tsn", DATA, "Skips data (RFC 3758)."),
        opt(0xc1, "asconf", DATA, "Changes addresses (RFC 5061)."),
    ],
    head: 4,
    kind: Slot::at(0, 8),
    len: Slot::at(16, 16),
    step: 4,
    ..KIND_LENGTH
};

const FLAGS: Field = uint("flags", 8).in_head(8).doc("Flags of the chunk.");
const EMPTY: Shape = Shape::Fields(&[FLAGS]);
const DATA: Shape = Shape::Fields(&layout([bytes("data").doc("What it holds."), FLAGS]));
const INIT: Shape = Shape::Fields(&layout([
    uint("tag", 32).doc("Tag that the peer must use."),
    uint("window", 32).doc("Octets that the sender takes."),
    uint("out_streams", 16).doc("Streams that it wants to send."),
    uint("in_streams", 16).doc("Streams that it takes."),
    uint("tsn", 32).modular().doc("First number of its chunks."),
    bytes("parameters").doc("Addresses, cookie and more."),
    FLAGS,
]));

/// RFC 9260 appendix A: the reflected polynomial of Castagnoli; its lowest octet comes first on the wire.
fn crc32c(packet: &[u8], at: usize) -> u64 {
    let mut crc = u32::MAX;
    for (i, octet) in packet.iter().enumerate() {
        let octet = if (at..at + 4).contains(&i) { 0 } else { *octet };
        crc = TABLE[usize::from(crc as u8 ^ octet)] ^ (crc >> 8);
    }
    (!crc).swap_bytes().into()
}

static TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let (mut crc, mut bit) = (i as u32, 0);
        while bit < 8 {
            crc = (crc >> 1) ^ (0x82f6_3b78 * (crc & 1));
            bit += 1;
        }
        table[i] = crc;
        i += 1;
    }
    table
}
