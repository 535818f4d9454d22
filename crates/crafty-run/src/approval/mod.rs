//! Approvals: somebody who may say yes signs the digest of a reviewed program, for a host, a time and
//! a number of runs. What is signed is in minisign's format (`minisign -V` reads it), and the
//! reviewed text follows it, so that a later review can show what changed.

mod error;
mod file;
mod keys;
mod text;

pub use error::{ApprovalError, KeyError};
pub use file::{create_public, save_approval};
pub use keys::{SigningKey, create_signing_key};

use crate::review::ReviewedDocument;
use crafty_value::Duration;
use minisign::SignatureBox;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The most bytes that an approval has: a program has 64 KiB, and its params and limits are short.
const LARGEST: u64 = 1 << 20;

/// What an approval allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalTerms {
    /// The digest of what was reviewed, in hexadecimal digits.
    pub digest: String,
    /// The name of the host that it may run on; none where any may.
    pub host: Option<String>,
    /// The first second at which a run may begin, counted from 1970 in UTC.
    pub not_before: i64,
    /// The first at which none may begin any more.
    pub not_after: i64,
    /// How many runs may begin.
    pub runs: u32,
    /// Tells approvals of the same terms apart: 16 hexadecimal digits drawn by chance.
    pub id: String,
}

impl ApprovalTerms {
    /// From this second on, for whole seconds.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn from_now(
        digest: String,
        host: Option<String>,
        lasts: Duration,
        runs: u32,
    ) -> std::io::Result<ApprovalTerms> {
        let not_before = crafty_net::now().0.div_euclid(1_000_000_000);
        Ok(ApprovalTerms {
            digest,
            host,
            not_before,
            not_after: not_before + lasts.0 / 1_000_000_000,
            runs,
            id: random_id()?,
        })
    }
}

/// 16 hexadecimal digits drawn by chance.
pub(crate) fn random_id() -> std::io::Result<String> {
    let mut drawn = [0; 8];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut drawn)?;
    Ok(crafty_lang::eval::show::hex(&drawn))
}

/// An approval as it was read: nothing is known of who signed it.
pub struct Approval {
    /// What it allows, if somebody who may has signed it.
    pub terms: ApprovalTerms,
    /// What was reviewed; its digest is that of the terms.
    pub document: ReviewedDocument,
    signature: SignatureBox,
}

impl Approval {
    /// Reads an approval from a regular file.
    ///
    /// # Errors
    /// If it cannot be read, or is not an approval.
    pub fn open(path: &Path) -> Result<Approval, ApprovalError> {
        let unreadable = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => ApprovalError::Missing(path.into()),
            _ => ApprovalError::Unreadable(path.into(), error),
        };
        // A pipe that nobody writes to must not make us wait.
        if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
            return Err(ApprovalError::Malformed("it is not a regular file"));
        }
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).map_err(unreadable)?;
        file.take(LARGEST)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        let text = String::from_utf8(bytes);
        Approval::parse(&text.map_err(|_| ApprovalError::Malformed("it is not UTF-8"))?)
    }

    /// Whether a file's text is meant as an approval.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(text::HEAD)
    }

    /// Whether one of these public keys has signed it: base64, as `require_approval` names them.
    ///
    /// # Errors
    /// If none has, or what was signed was changed since.
    pub fn signed_by<'k>(
        &self,
        keys: impl IntoIterator<Item = &'k str>,
    ) -> Result<(), ApprovalError> {
        keys::verify(&self.signature, &self.terms.digest, keys)
    }

    /// Whether it is for this program and host, and for this second since 1970. How many runs it has
    /// left only the journal knows.
    ///
    /// # Errors
    /// What of it does not match.
    pub fn covers(&self, digest: &str, host: &str, seconds: i64) -> Result<(), ApprovalError> {
        let terms = &self.terms;
        if terms.digest != digest {
            return Err(ApprovalError::Changed {
                approved: terms.digest.clone(),
                now: digest.into(),
            });
        }
        match &terms.host {
            Some(approved) if approved != host => Err(ApprovalError::OtherHost {
                approved: approved.clone(),
                here: host.into(),
            }),
            _ if seconds < terms.not_before => {
                Err(ApprovalError::NotYet(terms.not_before - seconds))
            }
            _ if seconds >= terms.not_after => {
                Err(ApprovalError::Expired(seconds - terms.not_after))
            }
            _ => Ok(()),
        }
    }

    /// What its runs are counted under: no two approvals of a key have the same.
    pub(crate) fn name(&self) -> String {
        let key = keys::number(self.signature.keynum());
        format!("{key:016x}-{}", self.terms.id)
    }
}

/// Where the approval of a program is looked for: beside it, `FILE.approval`.
pub fn approval_path(program: &Path) -> PathBuf {
    let mut name = program.as_os_str().to_owned();
    name.push(".approval");
    name.into()
}

/// The name of this host, as the kernel has it.
///
/// # Errors
/// If the kernel does not tell.
pub fn host_name() -> std::io::Result<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname")?;
    Ok(name.trim().into())
}

/// Whether a name can be in an approval: one word of printable ASCII.
pub fn is_host_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= 253 && name.bytes().all(|b| b.is_ascii_graphic())
}
