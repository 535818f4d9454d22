//! Files for one user's eyes, at the very path that was named: no link is followed, so that nobody who
//! may write to a folder decides which file is written.

use crate::sys;
use std::fs::{File, OpenOptions, Permissions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Only their owner reads and writes them.
const MODE: u32 = 0o600;

/// Makes a file that only its owner may read.
///
/// # Errors
/// `AlreadyExists` if there is anything at this path, a link to nowhere included.
pub fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(MODE);
    options.open(path)
}

/// Opens a file to be read; what is not a regular file makes nobody wait.
///
/// # Errors
/// If it may not be read.
pub fn open_to_read(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NONBLOCK);
    options.open(path)
}

/// Opens a regular file that exists, to be read and written.
///
/// # Errors
/// If it is a link, a folder or a device, or may not be written.
pub fn open_existing(path: &Path) -> io::Result<File> {
    opened(path, OpenOptions::new().read(true).write(true))
}

/// The same, where all that is written goes to its end.
///
/// # Errors
/// If it is a link, a folder or a device, or may not be written.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    opened(path, OpenOptions::new().read(true).append(true))
}

fn opened(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // A pipe that nobody reads must not make us wait.
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options
        .open(path)
        .map_err(|error| match error.raw_os_error() {
            Some(libc::ELOOP) => io::Error::new(
                io::ErrorKind::InvalidInput,
                "it is a link, and links are not followed",
            ),
            _ => error,
        })?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        )),
    }
}

/// Whether not even its owner can take back what a file holds: `chattr +a` (`FS_APPEND_FL`), which
/// only root sets and removes.
///
/// # Errors
/// If the kernel does not tell.
pub fn is_append_only(file: &File) -> io::Result<bool> {
    sys::is_append_only(file.as_fd())
}

/// Empties a file, and from now on only its owner may read it.
///
/// # Errors
/// If it belongs to somebody else.
pub fn make_private_and_empty(file: &File) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(MODE))?;
    file.set_len(0)
}
