//! AES-128 in Galois/Counter Mode (FIPS 197, NIST SP 800-38D), for keys that everybody can compute: those of QUIC's first
//! packets. Its running time depends on key and data: it must never see a secret.

use alloc::vec::Vec;

/// Octets of a block, of a key, and of a tag.
pub(crate) const BLOCK: usize = 16;
/// Octets of a nonce.
pub(crate) const NONCE: usize = 12;
const ROUNDS: usize = 10;

type Block = [u8; BLOCK];

/// A key, expanded.
pub(crate) struct Aes128 {
    rounds: [Block; ROUNDS + 1],
}

impl Aes128 {
    /// FIPS 197 §5.2.
    pub(crate) fn new(key: &Block) -> Aes128 {
        let mut rounds = [*key; ROUNDS + 1];
        let mut constant = 1;
        for i in 1..=ROUNDS {
            let before = rounds[i - 1];
            let last = [before[13], before[14], before[15], before[12]].map(|octet| SBOX[usize::from(octet)]);
            let mut word = [last[0] ^ constant, last[1], last[2], last[3]];
            for at in 0..BLOCK {
                word[at % 4] ^= before[at];
                rounds[i][at] = word[at % 4];
            }
            constant = double(constant);
        }
        Aes128 { rounds }
    }

    /// One block, enciphered (FIPS 197 §5.1).
    pub(crate) fn block(&self, block: &Block) -> Block {
        let mut state = xor(block, &self.rounds[0]);
        for round in &self.rounds[1..ROUNDS] {
            state = xor(&mixed(&shifted(&state)), round);
        }
        xor(&shifted(&state), &self.rounds[ROUNDS])
    }

    /// The octets, enciphered or deciphered: both are the same (SP 800-38D §6.5).
    fn counted(&self, nonce: &[u8; NONCE], octets: &[u8]) -> Vec<u8> {
        let key = |(i, piece): (usize, &[u8])| {
            let stream = self.block(&counter(nonce, i as u32 + 2));
            piece.iter().zip(stream).map(|(octet, key)| octet ^ key).collect::<Vec<u8>>()
        };
        octets.chunks(BLOCK).enumerate().flat_map(key).collect()
    }

    fn tag(&self, nonce: &[u8; NONCE], beside: &[u8], enciphered: &[u8]) -> Block {
        let hash_key = u128::from_be_bytes(self.block(&[0; BLOCK]));
        let lengths = (beside.len() as u128 * 8) << 64 | (enciphered.len() as u128 * 8);
        let blocks = beside.chunks(BLOCK).chain(enciphered.chunks(BLOCK)).map(padded).chain([lengths]);
        let hash = blocks.fold(0, |hash, block| times(hash ^ block, hash_key));
        xor(&hash.to_be_bytes(), &self.block(&counter(nonce, 1)))
    }

    /// Enciphers `plain` and appends the tag over it and what goes `beside`.
    pub(crate) fn seal(&self, nonce: &[u8; NONCE], beside: &[u8], plain: &[u8]) -> Vec<u8> {
        let mut out = self.counted(nonce, plain);
        out.extend(self.tag(nonce, beside, &out));
        out
    }

    /// Undoes [`Aes128::seal`]; `None` where the tag is wrong.
    pub(crate) fn open(&self, nonce: &[u8; NONCE], beside: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let (enciphered, tag) = sealed.split_last_chunk::<BLOCK>()?;
        (self.tag(nonce, beside, enciphered) == *tag).then(|| self.counted(nonce, enciphered))
    }
}

fn counter(nonce: &[u8; NONCE], number: u32) -> Block {
    let mut block = [0; BLOCK];
    block[..NONCE].copy_from_slice(nonce);
    block[NONCE..].copy_from_slice(&number.to_be_bytes());
    block
}

fn padded(piece: &[u8]) -> u128 {
    let mut block = [0; BLOCK];
    block[..piece.len()].copy_from_slice(piece);
    u128::from_be_bytes(block)
}

fn xor(a: &Block, b: &Block) -> Block {
    (u128::from_ne_bytes(*a) ^ u128::from_ne_bytes(*b)).to_ne_bytes()
}

/// SP 800-38D §6.3: the bits of a block from left to right are the coefficients from the lowest on.
fn times(x: u128, mut y: u128) -> u128 {
    let mut product = 0;
    for bit in (0..128).rev() {
        if x >> bit & 1 != 0 {
            product ^= y;
        }
        y = y >> 1 ^ if y & 1 != 0 { 0xe1 << 120 } else { 0 };
    }
    product
}

/// Substitution, then the rows of the state, which stands in columns, moved to the left by their number.
fn shifted(state: &Block) -> Block {
    core::array::from_fn(|i| SBOX[usize::from(state[(i + 4 * (i % 4)) % BLOCK])])
}

fn mixed(state: &Block) -> Block {
    core::array::from_fn(|i| {
        let of = |row: usize| state[i / 4 * 4 + (i + row) % 4];
        double(of(0)) ^ double(of(1)) ^ of(1) ^ of(2) ^ of(3)
    })
}

/// Twice, in the field of FIPS 197 §4.2.
const fn double(octet: u8) -> u8 {
    octet << 1 ^ if octet & 0x80 != 0 { 0x1b } else { 0 }
}

static SBOX: [u8; 256] = sbox();

/// FIPS 197 §5.1.1. `p` goes through all but zero as powers of 3, `q` as those of its inverse.
const fn sbox() -> [u8; 256] {
    let mut table = [0x63; 256];
    let (mut p, mut q) = (1u8, 1u8);
    loop {
        p ^= double(p);
        q ^= q << 1;
        q ^= q << 2;
        q ^= q << 4;
        q ^= if q & 0x80 != 0 { 0x09 } else { 0 };
        table[p as usize] = 0x63 ^ q ^ q.rotate_left(1) ^ q.rotate_left(2) ^ q.rotate_left(3) ^ q.rotate_left(4);
        if p == 1 {
            return table;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::hex;

    fn block(text: &str) -> Block {
        hex(text).try_into().expect("sixteen octets")
    }

    /// FIPS 197 appendix B and C.1.
    #[test]
    fn blocks_of_the_standard() {
        let check = |key: &str, plain: &str, enciphered: &str| {
            assert_eq!(Aes128::new(&block(key)).block(&block(plain)), block(enciphered));
        };
        check("2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734", "3925841d02dc09fbdc118597196a0b32");
        check("000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a");
    }

    /// The second and the fourth case of McGrew and Viega, The Galois/Counter Mode of Operation.
    #[test]
    fn messages_of_the_mode() {
        let check = |key: &str, nonce: &str, beside: &str, plain: &str, sealed: &str| {
            let (aes, nonce) = (Aes128::new(&block(key)), hex(nonce).try_into().expect("twelve octets"));
            assert_eq!(aes.seal(&nonce, &hex(beside), &hex(plain)), hex(sealed));
            assert_eq!(aes.open(&nonce, &hex(beside), &hex(sealed)), Some(hex(plain)));
            let mut changed = hex(sealed);
            changed[3] ^= 1;
            assert_eq!(aes.open(&nonce, &hex(beside), &changed), None);
        };
        let zeros = "00000000000000000000000000000000";
        check(zeros, &zeros[..24], "", zeros, "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf");
        check(
            "feffe9928665731c6d6a8f9467308308",
            "cafebabefacedbaddecaf888",
            "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
            concat!(
                "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
                "5bc94fbc3221a5db94fae95ae7121a47"
            ),
        );
    }
}
