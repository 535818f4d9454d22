//! Trivial File Transfer Protocol: the first packet of a transfer. The others go between ports that
//! no table knows.

use crate::spell::PAIRS;
use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "TFTP",
    title: "Trivial File Transfer Protocol",
    spec: "RFC 1350, RFC 2347",
    about: "Transfers a file, block by block.",
    example: "/IP(dst=192.0.2.1)/UDP(src=50000)/TFTP(op=read, file=\"boot.img\", mode=\"octet\")",
    fields: &layout([
        named("op", 16, OPERATIONS)
            .default(1)
            .doc("Kind of packet."),
        text("file")
            .when(When::In("op", REQUESTS))
            .extent(Extent::Terminated(0))
            .doc("Name of the file."),
        text("mode")
            .when(When::In("op", REQUESTS))
            .extent(Extent::Terminated(0))
            .doc("`octet` or `netascii`."),
        spelt("options", &PAIRS)
            .when(When::In("op", &[1, 2, 6]))
            .doc("Names and values, such as `blksize=1024 tsize=0` (RFC 2347)."),
        uint("block", 16)
            .modular()
            .when(When::In("op", &[3, 4]))
            .doc("Number of the block."),
        named("code", 16, ERRORS)
            .when(When::In("op", &[5]))
            .doc("Error message."),
        text("message")
            .when(When::In("op", &[5]))
            .extent(Extent::Terminated(0))
            .doc("Message text."),
    ]),
    under: &[under("UDP", "dst", 69)],
    ..Layer::BLANK
}
.seal();

const REQUESTS: &[u64] = &[1, 2];
const OPERATIONS: NameTable = &[
    (1, "read"),
    (2, "write"),
    (3, "data"),
    (4, "ack"),
    (5, "error"),
    (6, "option_ack"),
];
const ERRORS: NameTable = &[
    (0, "undefined"),
    (1, "not_found"),
    (2, "access_violation"),
    (3, "disk_full"),
    (4, "illegal"),
    (5, "unknown_id"),
    (6, "file_exists"),
    (7, "no_such_user"),
    (8, "option_refused"),
];
