//! Stream Control Transmission Protocol; what a packet carries are chunks.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "SCTP",
    title: "Stream Control Transmission Protocol",
    spec: "RFC 9260",
    about: "Carries messages of several streams from port to port, in chunks. Data is in the chunk, not after the header.",
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
    role: LayerRole::Transport,
    ..Layer::BLANK
}
.seal();

static CHUNKS: Tlv = Tlv {
    options: &[
        opt(
            0,
            "data",
            OptionShape::Fields(&layout([
                uint("tsn", 32).modular().doc("Number of the chunk."),
                uint("stream", 16).doc("Stream."),
                uint("seq", 16)
                    .modular()
                    .doc("Number of the message in the stream."),
                uint("ppid", 32).doc("Protocol of the data."),
                bytes("data").doc("The data."),
                flags("flags", &["x7", "x6", "x5", "x4", "i", "u", "b", "e"])
                    .in_head(8)
                    .doc("First, last, unordered, to be acknowledged at once."),
            ])),
            "Data of a user.",
        ),
        opt(1, "init", INIT, "Opens an association."),
        opt(
            2,
            "init_ack",
            INIT,
            "Answers `init`, with a cookie among its parameters.",
        ),
        opt(
            3,
            "sack",
            OptionShape::Fields(&layout([
                uint("tsn", 32)
                    .modular()
                    .doc("Everything up to this number has arrived."),
                uint("window", 32).doc("Bytes that the sender accepts."),
                uint("gaps", 16).doc("Number of blocks after a gap."),
                uint("duplicates", 16).doc("Number of duplicates."),
                spelt("blocks", &BLOCKS)
                    .doc("Blocks after a gap, such as `2-3`, then duplicate numbers."),
                FLAGS,
            ])),
            "Acknowledges data.",
        ),
        opt(4, "heartbeat", DATA, "Asks whether a path works."),
        opt(
            5,
            "heartbeat_ack",
            DATA,
            "Answers `heartbeat` with what it held.",
        ),
        opt(6, "abort", CAUSES, "Ends the association at once."),
        opt(
            7,
            "shutdown",
            OptionShape::Fields(&layout([
                uint("tsn", 32)
                    .modular()
                    .doc("Everything up to this number has arrived."),
                FLAGS,
            ])),
            "Ends the association.",
        ),
        opt(8, "shutdown_ack", EMPTY, "Answers `shutdown`."),
        opt(9, "error", CAUSES, "Error code."),
        opt(10, "cookie_echo", DATA, "Returns the cookie."),
        opt(11, "cookie_ack", EMPTY, "The association is open."),
        opt(14, "shutdown_complete", EMPTY, "The association has ended."),
        opt(
            15,
            "auth",
            DATA,
            "Authenticates the chunks after it (RFC 4895).",
        ),
        opt(
            64,
            "i_data",
            OptionShape::Fields(&layout([
                uint("tsn", 32).modular().doc("Number of the chunk."),
                uint("stream", 16).doc("Stream."),
                uint("reserved", 16).doc("Reserved."),
                uint("mid", 32).modular().doc("Number of the message."),
                uint("ppid", 32).doc("Protocol of the data, or number of the fragment."),
                bytes("data").doc("The data."),
                FLAGS,
            ])),
            "Data that can be interleaved (RFC 8260).",
        ),
        opt(0x80, "asconf_ack", DATA, "Answers `asconf`."),
        opt(0x82, "reconfig", DATA, "Resets streams (RFC 6525)."),
        opt(0x84, "pad", DATA, "Padding (RFC 4820)."),
        opt(
            0xc0,
            "forward_tsn",
            OptionShape::Repeat(
                &[
                    uint("tsn", 32)
                        .modular()
                        .doc("All up to this one count as received."),
                    FLAGS,
                ],
                &layout([
                    uint("stream", 16).doc("Stream."),
                    uint("seq", 16)
                        .modular()
                        .doc("Last message of it that is skipped."),
                ]),
            ),
            "Skips data (RFC 3758).",
        ),
        opt(0xc1, "asconf", DATA, "Changes addresses (RFC 5061)."),
    ],
    head: 4,
    kind: Slot::at(0, 8),
    len: Slot::at(16, 16),
    step: 4,
    ..KIND_LENGTH
};

const FLAGS: Field = uint("flags", 8).in_head(8).doc("Flags of the chunk.");
const EMPTY: OptionShape = OptionShape::Fields(&[FLAGS]);
const DATA: OptionShape =
    OptionShape::Fields(&layout([bytes("data").doc("What it holds."), FLAGS]));
const INIT: OptionShape = OptionShape::Fields(&layout([
    uint("tag", 32).doc("Tag that the peer must use."),
    uint("window", 32).doc("Bytes that the sender accepts."),
    uint("out_streams", 16).doc("Streams that it wants to send."),
    uint("in_streams", 16).doc("Streams that it accepts."),
    uint("tsn", 32).modular().doc("First number of its chunks."),
    options("parameters", &PARAMETERS).doc("Addresses, cookie and more."),
    FLAGS,
]));

const CAUSES: OptionShape =
    OptionShape::Fields(&layout([options("causes", &ERRORS).doc("Why."), FLAGS]));

/// Parameters of `init` and `init_ack` (RFC 9260 §3.3.2 and IANA).
static PARAMETERS: Tlv = Tlv {
    options: &[
        opt(
            5,
            "ip4",
            OptionShape::Fields(&layout([ip4("address").doc("Address.")])),
            "An address of the sender.",
        ),
        opt(
            6,
            "ip6",
            OptionShape::Fields(&layout([ip6("address").doc("Address.")])),
            "An address of the sender.",
        ),
        opt(7, "cookie", PLAIN, "To be returned in `cookie_echo`."),
        opt(
            8,
            "unrecognized",
            PLAIN,
            "A parameter that the sender does not know.",
        ),
        opt(
            9,
            "preserve",
            OptionShape::Fields(&layout([uint("ms", 32).doc("Milliseconds more.")])),
            "Longer life for the cookie.",
        ),
        opt(
            11,
            "host_name",
            OptionShape::Fields(&layout([text("text").doc("Name.")])),
            "Name of the sender (obsolete).",
        ),
        opt(
            12,
            "families",
            OptionShape::Repeat(&[], &layout([uint("type", 16).doc("5 IPv4, 6 IPv6.")])),
            "Kinds of address that the sender takes.",
        ),
        opt(
            0x8000,
            "ecn",
            OptionShape::Fields(&[]),
            "The sender understands congestion marks.",
        ),
        opt(
            0x8002,
            "random",
            PLAIN,
            "Random number for authentication (RFC 4895).",
        ),
        opt(
            0x8003,
            "auth_chunks",
            OptionShape::Repeat(&[], &layout([uint("type", 8).doc("Kind of chunk.")])),
            "Chunks to be authenticated (RFC 4895).",
        ),
        opt(
            0x8004,
            "hmacs",
            OptionShape::Repeat(&[], &layout([uint("id", 16).doc("1 SHA-1, 3 SHA-256.")])),
            "Authentication codes that the sender supports (RFC 4895).",
        ),
        opt(
            0x8008,
            "extensions",
            OptionShape::Repeat(&[], &layout([uint("type", 8).doc("Kind of chunk.")])),
            "Chunks that the sender supports (RFC 5061).",
        ),
        opt(
            0xc000,
            "forward_tsn",
            OptionShape::Fields(&[]),
            "The sender can skip data (RFC 3758).",
        ),
        opt(
            0xc006,
            "adaptation",
            OptionShape::Fields(&layout([uint("code", 32).doc("Code.")])),
            "Adaptation layer between SCTP and the user (RFC 5061).",
        ),
    ],
    ..PARAMETERS_SHAPE
};

/// Causes of errors (RFC 9260 §3.3.10).
static ERRORS: Tlv = Tlv {
    options: &[
        opt(
            1,
            "invalid_stream",
            OptionShape::Fields(&layout([
                uint("stream", 16).doc("Which."),
                uint("reserved", 16).doc("Reserved."),
            ])),
            "There is no such stream.",
        ),
        opt(
            2,
            "missing",
            OptionShape::Repeat(
                &layout([uint("count", 32).doc("How many.")]),
                &layout([uint("type", 16).doc("Which parameter.")]),
            ),
            "Mandatory parameters are missing.",
        ),
        opt(
            3,
            "stale_cookie",
            OptionShape::Fields(&layout([uint("us", 32).doc("Microseconds too late.")])),
            "The cookie is too old.",
        ),
        opt(
            4,
            "out_of_resource",
            OptionShape::Fields(&[]),
            "The sender is out of resources.",
        ),
        opt(
            5,
            "unresolvable",
            PLAIN,
            "An address or name that cannot be resolved.",
        ),
        opt(
            6,
            "unrecognized_chunk",
            PLAIN,
            "A chunk that the sender does not know.",
        ),
        opt(
            7,
            "invalid_parameter",
            OptionShape::Fields(&[]),
            "A mandatory parameter is invalid.",
        ),
        opt(
            8,
            "unrecognized_parameters",
            PLAIN,
            "Parameters that the sender does not know.",
        ),
        opt(
            9,
            "no_data",
            OptionShape::Fields(&layout([uint("tsn", 32).doc("Which chunk.")])),
            "A data chunk without data.",
        ),
        opt(
            10,
            "cookie_in_shutdown",
            OptionShape::Fields(&[]),
            "A cookie came while the association was ending.",
        ),
        opt(11, "restart", PLAIN, "A restart with new addresses."),
        opt(
            12,
            "user_abort",
            OptionShape::Fields(&layout([text("reason").doc("Message text.")])),
            "The user ended the association.",
        ),
        opt(
            13,
            "violation",
            OptionShape::Fields(&layout([text("reason").doc("Message text.")])),
            "The peer violated the protocol.",
        ),
    ],
    ..PARAMETERS_SHAPE
};

/// Kind and length in two bytes each, filled up to words.
const PARAMETERS_SHAPE: Tlv = Tlv {
    head: 4,
    kind: Slot::at(0, 16),
    len: Slot::at(16, 16),
    step: 4,
    ..KIND_LENGTH
};
const PLAIN: OptionShape = OptionShape::Fields(&layout([bytes("data").doc("What it holds.")]));

/// What a `sack` has behind its counts: `2-3`, relative to its number, for each block; then each
/// number that came twice.
static BLOCKS: Spelling = Spelling {
    example: "2-3 7-7",
    read: read_blocks,
    write: write_blocks,
};

fn read_blocks(chunk: &[u8], at: usize) -> Option<(String, usize)> {
    let rest = chunk.get(at..)?;
    let counts = chunk.get(at.checked_sub(4)?..at)?;
    let gaps = usize::from(u16::from_be_bytes([counts[0], counts[1]]));
    let words = rest
        .as_chunks::<4>()
        .0
        .iter()
        .enumerate()
        .map(|(i, word)| match i < gaps {
            true => format!(
                "{}-{}",
                u16::from_be_bytes([word[0], word[1]]),
                u16::from_be_bytes([word[2], word[3]])
            ),
            false => format!("{}", u32::from_be_bytes(*word)),
        });
    (rest.len() % 4 == 0).then(|| (words.collect::<Vec<_>>().join(" "), rest.len()))
}

fn write_blocks(text: &str, _: usize, out: &mut Vec<u8>) {
    for word in text.split_whitespace() {
        let block = word
            .split_once('-')
            .and_then(|(from, to)| Some((from.parse::<u16>().ok()?, to.parse::<u16>().ok()?)));
        match (block, word.parse::<u32>()) {
            (Some((from, to)), _) => out.extend([from.to_be_bytes(), to.to_be_bytes()].concat()),
            (None, Ok(number)) => out.extend(number.to_be_bytes()),
            (None, Err(_)) => {}
        }
    }
}

/// RFC 9260 appendix A: the reflected polynomial of Castagnoli; its lowest byte comes first on the
/// wire.
fn crc32c(packet: &[u8], at: usize) -> u64 {
    let mut crc = u32::MAX;
    for (i, octet) in packet.iter().enumerate() {
        let octet = if (at..at + 4).contains(&i) { 0 } else { *octet };
        crc = TABLE[usize::from(crc as u8 ^ octet)] ^ (crc >> 8);
    }
    (!crc).swap_bytes().into()
}

static TABLE: [u32; 256] = crate::codec::reflected_crc(0x82f6_3b78);
