//! The protection of QUIC's first packets (RFC 9001 §5, RFC 9369 §3.3). Its keys follow from an
//! identifier that the client chose and sent in clear: it keeps nothing secret. No other packet of
//! QUIC can be read without the keys of its ends.

use alloc::string::String;
use alloc::vec::Vec;

use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use super::aes::{Aes128, BLOCK, NONCE};
use super::frames::{self, QuicFrame};

/// The end that sends a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuicEnd {
    /// The one that opens the connection.
    Client,
    /// The other one.
    Server,
}

/// What a version of QUIC makes the keys with: version, salt, and the words for key, nonce and
/// header protection.
struct Recipe(u32, [u8; 20], [&'static str; 3]);

const RECIPES: [Recipe; 2] = [
    Recipe(
        1,
        [
            0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17, 0x9a, 0xe6, 0xa4, 0xc8,
            0x0c, 0xad, 0xcc, 0xbb, 0x7f, 0x0a,
        ],
        ["quic key", "quic iv", "quic hp"],
    ),
    Recipe(
        0x6b33_43cf,
        [
            0x0d, 0xed, 0xe3, 0xde, 0xf7, 0x00, 0xa6, 0xdb, 0x81, 0x93, 0x81, 0xbe, 0x6e, 0x26,
            0x9d, 0xcb, 0xf9, 0xbd, 0x2e, 0xd9,
        ],
        ["quicv2 key", "quicv2 iv", "quicv2 hp"],
    ),
];

/// Bytes from the packet number to the sample that its protection is made of (RFC 9001 §5.4.2).
const SAMPLE: usize = 4;

/// The keys for the first packets of one side.
pub(crate) struct InitialKeys {
    key: Aes128,
    nonce: [u8; NONCE],
    header: Aes128,
}

/// A packet without its protection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedInitial {
    /// Packet number, as many bytes as there were.
    pub number: u64,
    /// The frames.
    pub frames: Vec<u8>,
}

impl OpenedInitial {
    /// The frames as text, with spaces between.
    pub fn listed(&self) -> String {
        frames::listed(&self.frames)
    }

    /// Pieces of the handshake, each with its place.
    pub fn handshake(&self) -> impl Iterator<Item = (u64, &[u8])> {
        frames::frames(&self.frames).filter_map(|frame| match frame {
            QuicFrame::Crypto(offset, data) => Some((offset, data)),
            _ => None,
        })
    }
}

impl InitialKeys {
    /// The keys that follow from the destination of the client's first packet; `None` for a version
    /// that has none here.
    pub(crate) fn new(version: u32, destination: &[u8], side: QuicEnd) -> Option<InitialKeys> {
        let Recipe(_, salt, [key, nonce, header]) =
            RECIPES.iter().find(|recipe| recipe.0 == version)?;
        let label = if side == QuicEnd::Client {
            "client in"
        } else {
            "server in"
        };
        let secret = expanded(&hmac(salt, destination), label, 32);
        let block = |label: &str| -> [u8; BLOCK] {
            core::array::from_fn(|i| expanded(&secret, label, BLOCK)[i])
        };
        let iv = expanded(&secret, nonce, NONCE);
        Some(InitialKeys {
            key: Aes128::new(&block(key)),
            nonce: core::array::from_fn(|i| iv[i]),
            header: Aes128::new(&block(header)),
        })
    }

    /// Opens a packet whose number begins at byte `at`; `None` where it was not made with these
    /// keys.
    pub(crate) fn open(&self, packet: &[u8], at: usize) -> Option<OpenedInitial> {
        let mask = self.mask(packet, at)?;
        let first = packet.first()? ^ mask[0] & 0x0f;
        let end = at + 1 + usize::from(first & 3);
        let mut header = packet.get(..end)?.to_vec();
        header[0] = first;
        header[at..]
            .iter_mut()
            .zip(&mask[1..])
            .for_each(|(octet, mask)| *octet ^= mask);
        let number = header[at..]
            .iter()
            .fold(0, |all, octet| all << 8 | u64::from(*octet));
        let frames = self
            .key
            .open(&self.nonce_of(number), &header, packet.get(end..)?)?;
        Some(OpenedInitial { number, frames })
    }

    /// The header with its number in the last `digits` bytes and the frames behind it, protected.
    /// At least so many bytes of frames are needed that a sample can be taken: four, less those of
    /// the number.
    pub(crate) fn seal(&self, header: &[u8], digits: usize, frames: &[u8]) -> Option<Vec<u8>> {
        let at = header.len().checked_sub(digits)?;
        let number = header[at..]
            .iter()
            .fold(0, |all, octet| all << 8 | u64::from(*octet));
        let mut packet = header.to_vec();
        packet.extend(self.key.seal(&self.nonce_of(number), header, frames));
        let mask = self.mask(&packet, at)?;
        packet[0] ^= mask[0] & 0x0f;
        packet[at..header.len()]
            .iter_mut()
            .zip(&mask[1..])
            .for_each(|(octet, mask)| *octet ^= mask);
        Some(packet)
    }

    fn mask(&self, packet: &[u8], at: usize) -> Option<[u8; BLOCK]> {
        let sample = packet.get(at.checked_add(SAMPLE)?..)?.first_chunk()?;
        Some(self.header.block(sample))
    }

    fn nonce_of(&self, number: u64) -> [u8; NONCE] {
        let mut nonce = self.nonce;
        nonce[NONCE - 8..]
            .iter_mut()
            .zip(number.to_be_bytes())
            .for_each(|(octet, number)| *octet ^= number);
        nonce
    }
}

/// HMAC with SHA-256 (RFC 2104).
fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mac = Hmac::<Sha256>::new_from_slice(key).map(|mac| mac.chain_update(message).finalize());
    mac.map_or([0; 32], |code| code.into_bytes().into())
}

/// HKDF-Expand-Label (RFC 8446 §7.1) of at most 32 bytes, without a context.
fn expanded(secret: &[u8], label: &str, octets: usize) -> Vec<u8> {
    let mut info = Vec::from([0, octets as u8, label.len() as u8 + 6]);
    info.extend(b"tls13 ");
    info.extend(label.as_bytes());
    info.extend([0, 1]);
    hmac(secret, &info)[..octets].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::hex;

    /// RFC 9001 appendix A.1, RFC 9369 appendix A.1.
    #[test]
    fn keys_of_the_standards() {
        let check = |version: u32, side: QuicEnd, nonce: &str| {
            let keys =
                InitialKeys::new(version, &hex("8394c8f03e515708"), side).expect("a known version");
            assert_eq!(keys.nonce.to_vec(), hex(nonce));
        };
        check(1, QuicEnd::Client, "fa044b2f42a3fd3b46fb255c");
        check(1, QuicEnd::Server, "0ac1493ca1905853b0bba03e");
        check(0x6b33_43cf, QuicEnd::Client, "91f73e2351d8fa91660e909f");
        check(0x6b33_43cf, QuicEnd::Server, "dd13c276499c0249d3310652");
    }

    /// RFC 9369 appendix A: what protects the headers of both sides.
    #[test]
    fn masks_of_version_2() {
        let check = |side: QuicEnd, sample: &str, mask: &str| {
            let keys = InitialKeys::new(0x6b33_43cf, &hex("8394c8f03e515708"), side)
                .expect("a known version");
            let sample = hex(sample).try_into().expect("a block");
            assert_eq!(keys.header.block(&sample)[..5].to_vec(), hex(mask));
        };
        check(
            QuicEnd::Client,
            "ffe67b6abcdb4298b485dd04de806071",
            "94a0c95e80",
        );
        check(
            QuicEnd::Server,
            "6f05d8a4398c47089698baeea26b91eb",
            "4dd92e91ea",
        );
    }

    /// RFC 9001 appendix A.3.
    #[test]
    fn first_packet_of_a_server() {
        let keys = InitialKeys::new(1, &hex("8394c8f03e515708"), QuicEnd::Server)
            .expect("a known version");
        let frames = hex(concat!(
            "02000000000600405a020000560303eefce7f7b37ba1d1632e96677825ddf73988cfc79825df566dc5430b9a045a1200130100002e00330024001d00",
            "209d3c940d89690b84d08a60993c144eca684d1081287c834d5311bcf32bb9da1a002b00020304"
        ));
        let packet = hex(concat!(
            "cf000000010008f067a5502a4262b5004075c0d95a482cd0991cd25b0aac406a5816b6394100f37a1c69797554780bb38cc5a99f5ede4cf73c3ec249",
            "3a1839b3dbcba3f6ea46c5b7684df3548e7ddeb9c3bf9c73cc3f3bded74b562bfb19fb84022f8ef4cdd93795d77d06edbb7aaf2f58891850abbdca3d",
            "20398c276456cbc42158407dd074ee"
        ));
        assert_eq!(
            keys.seal(&hex("c1000000010008f067a5502a4262b50040750001"), 2, &frames),
            Some(packet.clone())
        );
        let opened = keys.open(&packet, 18).expect("the right keys");
        assert_eq!((opened.number, opened.frames), (1, frames));
        assert!(
            InitialKeys::new(1, &[], QuicEnd::Server)
                .and_then(|other| other.open(&packet, 18))
                .is_none()
        );
    }
}
