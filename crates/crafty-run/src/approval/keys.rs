//! Keys in minisign's format: made, read, and asked who signed.

use super::{ApprovalError, KeyError};
use crafty_net::create_private;
use ct_codecs::{Base64, Decoder};
use minisign::{KeyPair, PublicKey, SecretKey, SecretKeyBox, SignatureBox};
use std::fs::File;
use std::io::{Cursor, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A secret key that approves.
pub struct SigningKey {
    secret: SecretKey,
    public: PublicKey,
}

impl SigningKey {
    /// Reads a secret key of minisign's. One with a password asks the terminal for it; one without
    /// asks nothing.
    ///
    /// # Errors
    /// If it cannot be read, is not a secret key, others may read it, or the password is wrong.
    pub fn open(path: &Path) -> Result<SigningKey, KeyError> {
        // A pipe that nobody writes to must not make us wait.
        if !std::fs::metadata(path)?.is_file() {
            return Err(KeyError::NotAKey("it is not a regular file".into()));
        }
        let mut file = File::open(path)?;
        if file.metadata()?.mode() & 0o077 != 0 {
            return Err(KeyError::ReadableByOthers(path.into()));
        }
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let secret = match unchecked(&text) {
            Some(secret) => secret,
            None => checked(&text)?,
        };
        SigningKey::of(secret)
    }

    fn of(secret: SecretKey) -> Result<SigningKey, KeyError> {
        let public = PublicKey::from_secret_key(&secret);
        let public = public.map_err(|error| KeyError::NotAKey(error.to_string()))?;
        Ok(SigningKey { secret, public })
    }

    /// The public key in base64, as `require_approval` names it.
    pub fn public_key(&self) -> String {
        self.public.to_base64()
    }

    /// Minisign's four lines over `digest`.
    pub(super) fn sign(
        &self,
        digest: &str,
        trusted: &str,
        untrusted: &str,
    ) -> Result<String, KeyError> {
        let data = Cursor::new(digest.as_bytes());
        let (public, secret) = (Some(&self.public), &self.secret);
        let broken = |error: minisign::PError| KeyError::NotAKey(error.to_string());
        let signature = minisign::sign(public, secret, data, Some(trusted), Some(untrusted));
        let signature = signature.map_err(broken)?;
        // A key without a checksum may be damaged: then what it signs does not verify.
        let data = Cursor::new(digest.as_bytes());
        minisign::verify(&self.public, &signature, data, true, false, false).map_err(broken)?;
        Ok(signature.into_string())
    }
}

/// A key as minisign 0.12 and this library write it, with a checksum.
fn checked(text: &str) -> Result<SecretKey, KeyError> {
    let parse = || SecretKeyBox::from_string(text);
    // Which kind it is is in the key; only reading it as one tells.
    match parse().and_then(SecretKeyBox::into_unencrypted_secret_key) {
        Ok(secret) => Ok(secret),
        Err(error) if !error.to_string().contains("encrypted") => {
            Err(KeyError::NotAKey(error.to_string()))
        }
        Err(_) => parse()
            .and_then(|key| key.into_secret_key(None))
            .map_err(|error| KeyError::NotAKey(error.to_string())),
    }
}

/// A key without a password as minisign 0.11 writes it: all bytes of its checksum are zero.
fn unchecked(text: &str) -> Option<SecretKey> {
    let bytes = Base64::decode_to_vec(text.lines().nth(1)?, None).ok()?;
    let checksum = bytes.get(KEY_BYTES - CHECKSUM..KEY_BYTES)?;
    let is_open = bytes[2..4] == [0, 0];
    let is_it = is_open && bytes.len() == KEY_BYTES && checksum.iter().all(|byte| *byte == 0);
    is_it.then(|| SecretKey::from_bytes(&bytes).ok()).flatten()
}

/// Bytes of a secret key, and of the checksum at its end (minisign(1), "Secret key format").
const KEY_BYTES: usize = 158;
const CHECKSUM: usize = 32;

/// Makes a key without a password; only its owner may read the file.
///
/// # Errors
/// If there is something at this path, or it cannot be written.
pub fn create_signing_key(path: &Path) -> Result<SigningKey, KeyError> {
    let unmade = |error: minisign::PError| KeyError::NotAKey(error.to_string());
    let pair = KeyPair::generate_unencrypted_keypair().map_err(unmade)?;
    let comment = "crafty approval secret key without a password";
    let text = pair.sk.to_box(Some(comment)).map_err(unmade)?;
    let mut file = create_private(path)?;
    file.write_all(text.into_string().as_bytes())?;
    file.sync_all()?;
    SigningKey::of(pair.sk)
}

/// Whether one of these keys has signed a digest.
pub(super) fn verify<'k>(
    signature: &SignatureBox,
    digest: &str,
    keys: impl IntoIterator<Item = &'k str>,
) -> Result<(), ApprovalError> {
    for text in keys {
        let key = PublicKey::from_base64(text.trim())
            .map_err(|_| ApprovalError::NotAPublicKey(text.into()))?;
        if key.keynum() != signature.keynum() {
            continue;
        }
        let data = Cursor::new(digest.as_bytes());
        return minisign::verify(&key, signature, data, true, false, false)
            .map_err(|_| ApprovalError::BadSignature);
    }
    Err(ApprovalError::UnknownKey(number(signature.keynum())))
}

/// The number of a key as minisign prints it: eight bytes, the lowest first.
pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}
