//! Where an approval is written: beside its program, for everybody to read, and never through a link.

use super::{Approval, KeyError};
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// What is signed is not a secret.
const MODE: u32 = 0o644;

/// Writes the text of an approval, or of a public key, to a file that is not there before.
///
/// # Errors
/// `AlreadyExists` if there is anything at this path, a link to nowhere included.
pub fn create_public(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(MODE).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Writes an approval as a whole: an older approval is replaced, anything else is left alone.
///
/// # Errors
/// `AlreadyExists` if there is something else at this path, a link included.
pub fn save_approval(path: &Path, text: &str) -> Result<(), KeyError> {
    if !is_free(path)? {
        let why = "there is a file or a link that is not an approval";
        return Err(io::Error::new(ErrorKind::AlreadyExists, why).into());
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".new-{}", std::process::id()));
    let beside = Path::new(&beside);
    create_public(beside, text)?;
    // A link that somebody puts there meanwhile is replaced itself.
    std::fs::rename(beside, path).map_err(|error| {
        let _ = std::fs::remove_file(beside);
        error.into()
    })
}

fn is_free(path: &Path) -> io::Result<bool> {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
        Ok(metadata) if !metadata.is_file() => Ok(false),
        Ok(_) => {
            let mut head = Vec::new();
            std::fs::File::open(path)?.take(64).read_to_end(&mut head)?;
            Ok(Approval::is_meant(&String::from_utf8_lossy(&head)))
        }
    }
}
