//! Numbers of the pcapng format (draft-ietf-opsawg-pcapng), read and written both.

/// Block types.
pub mod block {
    /// Section header.
    pub const SECTION: u32 = 0x0a0d_0d0a;
    /// Interface description.
    pub const INTERFACE: u32 = 1;
    /// Obsolete packet block.
    pub const PACKET: u32 = 2;
    /// Simple packet.
    pub const SIMPLE: u32 = 3;
    /// Name resolution.
    pub const NAMES: u32 = 4;
    /// Interface statistics.
    pub const STATISTICS: u32 = 5;
    /// Enhanced packet.
    pub const ENHANCED: u32 = 6;
    /// Decryption secrets.
    pub const SECRETS: u32 = 0x0a;
    /// Custom, of an enterprise; may be copied into another file.
    pub const CUSTOM: u32 = 0x0bad;
    /// Custom; not to be copied.
    pub const CUSTOM_KEPT: u32 = 0x4000_0bad;
}

/// Option codes.
pub mod option {
    /// End of the list.
    pub const END: u16 = 0;
    /// Comment, in every block.
    pub const COMMENT: u16 = 1;
    /// Name of the program, in a section header.
    pub const USER_APPLICATION: u16 = 4;
    /// Name of an interface.
    pub const IF_NAME: u16 = 2;
    /// Resolution of an interface's time stamps.
    pub const IF_TSRESOL: u16 = 9;
    /// Offset of an interface's time stamps in seconds.
    pub const IF_TSOFFSET: u16 = 14;
    /// Flags of a packet: direction in the two lowest bits.
    pub const EPB_FLAGS: u16 = 2;
    /// Packets received, in statistics.
    pub const ISB_IFRECV: u16 = 4;
    /// Packets dropped for lack of room, in statistics.
    pub const ISB_IFDROP: u16 = 5;
    /// Packets dropped by the system, in statistics.
    pub const ISB_OSDROP: u16 = 7;
}

/// What a decryption secrets block holds.
pub mod secrets {
    /// Lines of an NSS key log (`CLIENT_RANDOM …`), as TLS libraries write it.
    pub const TLS_KEY_LOG: u32 = 0x544c_534b;
}

/// Record types of a name resolution block.
pub mod names {
    /// Names of an IPv4 address.
    pub const IP4: u16 = 1;
    /// Names of an IPv6 address.
    pub const IP6: u16 = 2;
}

/// Tells the byte order of a section.
pub const BYTE_ORDER: u32 = 0x1a2b_3c4d;

/// Bytes up to the next multiple of four.
pub const fn padding(len: usize) -> usize {
    len.wrapping_neg() & 3
}
