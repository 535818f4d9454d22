//! How a field is filled when a program leaves it unset: lengths, checksums, numbers of layers.

/// How a field is filled when a program leaves it unset.
#[derive(Clone, Copy, Debug)]
pub enum Auto {
    /// This number.
    Default(u64),
    /// A length in bytes: (length of `of` + `add`) / `unit`.
    Length {
        /// What is measured.
        of: Of,
        /// Bytes in one unit.
        unit: u16,
        /// Bytes added before dividing.
        add: i16,
    },
    /// The number that the next layer's `under` row gives; this one where there is none.
    NextLayer(u64),
    /// A checksum.
    Checksum(Checksum),
    /// The bits of the optional parts that are there, and these.
    Presence(u64),
    /// The number that is here beside the value of the field called so; 0 for other values.
    Beside(&'static str, &'static [(u64, u64)]),
}

/// What a length counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// This header.
    Header,
    /// This header and all it carries.
    Total,
    /// What the header carries.
    Payload,
    /// What the header carries, if a trailer follows it; else zero.
    BeforeTrailer,
    /// One field of variable length: the one that names this field in its [`Extent::Counted`].
    Field,
}

/// A checksum: over what, with what.
#[derive(Clone, Copy, Debug)]
pub struct Checksum {
    /// The bytes that it covers.
    pub over: ChecksumCoverage,
    /// Whether the pseudo-header of the nearest enclosing network layer counts too.
    pub pseudo: bool,
    /// Whether zero on the wire means that there is no checksum.
    pub zero_is_none: bool,
    /// How it is computed.
    pub algorithm: Algorithm,
    /// What the header, and whether the network layer is the one with strict checksums (IPv6), say
    /// of both.
    pub case: Option<fn(&[u8], bool) -> ChecksumException>,
}

/// How one header is covered by its checksum, where that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChecksumException {
    /// Whether the pseudo-header counts.
    pub pseudo: bool,
    /// Whether a checksum without the pseudo-header is right too: specifications differ.
    pub either: bool,
    /// Bytes that count at most, from the first one on.
    pub octets: usize,
}

/// The usual one: RFC 1071, over header and payload.
pub const INTERNET: Checksum = Checksum {
    over: ChecksumCoverage::Message,
    pseudo: false,
    zero_is_none: false,
    algorithm: Algorithm::Internet,
    case: None,
};

/// The bytes that a checksum covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChecksumCoverage {
    /// The header alone.
    Header,
    /// Header, payload and trailer.
    Message,
    /// The trailer alone.
    Trailer,
}

/// How a checksum is computed.
#[derive(Clone, Copy, Debug)]
pub enum Algorithm {
    /// Ones' complement of the ones' complement sum (RFC 1071).
    Internet,
    /// From the covered bytes and the place of the checksum among them, whose bytes count as zero.
    Custom(fn(&[u8], usize) -> u64),
}
