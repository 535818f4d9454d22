//! Work inside another network namespace, on a thread of its own: the caller's thread stays where
//! it is.

use crate::sys;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;

/// Runs `work` in the network namespace that `ip netns` knows by this name. Sockets that it opens
/// stay in that namespace wherever they are used. Needs CAP_SYS_ADMIN.
pub fn in_namespace<T: Send>(name: &str, work: impl FnOnce() -> T + Send) -> io::Result<T> {
    let file = File::open(PathBuf::from("/run/netns").join(name))?;
    let enter = move || {
        sys::enter_namespace(file.as_fd())?;
        Ok(work())
    };
    std::thread::scope(|scope| match scope.spawn(enter).join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}
