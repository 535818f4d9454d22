//! Where a field of at most 64 bits lies in its header: all that is needed to read or write it.

/// The place of a field: `len` bytes from byte `byte` of the header, shifted right by `shift`,
/// masked with `mask`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// First byte, counted from the start of the header.
    pub byte: u16,
    /// Bytes to load; 0 for a field that is not a number (over 64 bits, or of variable length).
    pub len: u8,
    /// Bits below the field in its last byte.
    pub shift: u8,
    /// The field's bits, shifted down.
    pub mask: u64,
    /// Width in bits; 0 for a variable length.
    pub width: u16,
}

impl Slot {
    /// No place at all.
    pub const NOWHERE: Slot = Slot {
        byte: 0,
        len: 0,
        shift: 0,
        mask: 0,
        width: 0,
    };

    /// The place of `width` bits from bit `bit` on.
    ///
    /// # Panics
    /// In a `const`, so at build time, when a number would need more than eight bytes.
    pub const fn at(bit: u32, width: u16) -> Slot {
        let within = (bit % 8) as u16;
        let octets = (within + width).div_ceil(8);
        if width == 0 || width > 64 {
            assert!(
                within == 0,
                "a field that is not a number must start at a byte"
            );
            return Slot {
                byte: (bit / 8) as u16,
                width,
                ..Slot::NOWHERE
            };
        }
        assert!(octets <= 8, "a number must fit in eight bytes");
        let mask = if width == 64 {
            u64::MAX
        } else {
            (1 << width) - 1
        };
        Slot {
            byte: (bit / 8) as u16,
            len: octets as u8,
            shift: (octets * 8 - within - width) as u8,
            mask,
            width,
        }
    }

    /// First bit of the field.
    pub const fn bit(self) -> u32 {
        self.byte as u32 * 8
            + (self.len as u32 * 8).saturating_sub(self.shift as u32 + self.width as u32)
    }

    /// First byte after the field.
    pub const fn end(self) -> usize {
        let octets = if self.len == 0 {
            self.width.div_ceil(8)
        } else {
            self.len as u16
        };
        (self.byte + octets) as usize
    }

    /// Reads the field; `None` when the header is cut off before its end.
    #[inline]
    pub fn get(self, header: &[u8]) -> Option<u64> {
        let at = self.byte as usize;
        let span = header.get(at..at + self.len as usize)?;
        Some((load(span) >> self.shift) & self.mask)
    }

    /// Writes the low bits of `value` and leaves every other bit as it was; nothing happens when
    /// the header is too short.
    #[inline]
    pub fn set(self, header: &mut [u8], value: u64) {
        let at = self.byte as usize;
        if let Some(span) = header.get_mut(at..at + self.len as usize) {
            let kept = load(span) & !(self.mask << self.shift);
            store(span, kept | ((value & self.mask) << self.shift));
        }
    }
}

#[inline]
fn load(octets: &[u8]) -> u64 {
    match *octets {
        [a] => a as u64,
        [a, b] => u16::from_be_bytes([a, b]) as u64,
        [a, b, c, d] => u32::from_be_bytes([a, b, c, d]) as u64,
        _ => octets
            .iter()
            .fold(0, |sum, &octet| (sum << 8) | octet as u64),
    }
}

#[inline]
fn store(octets: &mut [u8], value: u64) {
    let all = value.to_be_bytes();
    let skip = all.len() - octets.len().min(all.len());
    octets.copy_from_slice(&all[skip..]);
}
