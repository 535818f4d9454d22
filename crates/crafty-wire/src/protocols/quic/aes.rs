//! AES-128 in Galois/Counter Mode (FIPS 197, NIST SP 800-38D) as QUIC's first packets use it:
//! messages, and bare blocks.

use aes_gcm::aead::{Aead, Payload};
use aes_gcm::aes::cipher::BlockEncrypt;
use aes_gcm::{Aes128Gcm, KeyInit};
use alloc::vec::Vec;

/// Bytes of a block, of a key, and of a tag.
pub(crate) const BLOCK: usize = 16;
/// Bytes of a nonce.
pub(crate) const NONCE: usize = 12;

type AesBlock = [u8; BLOCK];

/// A key, expanded.
pub(crate) struct Aes128 {
    mode: Aes128Gcm,
    block: aes_gcm::aes::Aes128,
}

impl Aes128 {
    pub(crate) fn new(key: &AesBlock) -> Aes128 {
        Aes128 {
            mode: Aes128Gcm::new(key.into()),
            block: aes_gcm::aes::Aes128::new(key.into()),
        }
    }

    /// One block, encrypted (FIPS 197 §5.1).
    pub(crate) fn block(&self, block: &AesBlock) -> AesBlock {
        let mut block = (*block).into();
        self.block.encrypt_block(&mut block);
        block.into()
    }

    /// Encrypts `plain` and appends the tag over it and what goes `beside`; nothing only for
    /// messages beyond the mode's 64 GiB.
    pub(crate) fn seal(&self, nonce: &[u8; NONCE], beside: &[u8], plain: &[u8]) -> Vec<u8> {
        self.mode
            .encrypt(
                nonce.into(),
                Payload {
                    msg: plain,
                    aad: beside,
                },
            )
            .unwrap_or_default()
    }

    /// Undoes [`Aes128::seal`]; `None` where the tag is wrong.
    pub(crate) fn open(
        &self,
        nonce: &[u8; NONCE],
        beside: &[u8],
        sealed: &[u8],
    ) -> Option<Vec<u8>> {
        self.mode
            .decrypt(
                nonce.into(),
                Payload {
                    msg: sealed,
                    aad: beside,
                },
            )
            .ok()
    }
}
