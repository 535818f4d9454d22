//! What this process may do, and giving it up. Never asks for more.

use crate::sys;
use std::fs;
use std::path::Path;

/// A Linux capability that matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// `CAP_NET_RAW`: packet sockets.
    NetRaw,
    /// `CAP_NET_ADMIN`: firewall tables, TUN interfaces, large buffers.
    NetAdmin,
    /// `CAP_SYS_ADMIN`: namespaces.
    SysAdmin,
}

impl Capability {
    /// Its name in the manuals.
    pub fn name(self) -> &'static str {
        match self {
            Capability::NetRaw => "CAP_NET_RAW",
            Capability::NetAdmin => "CAP_NET_ADMIN",
            Capability::SysAdmin => "CAP_SYS_ADMIN",
        }
    }

    /// Its number (`linux/capability.h`).
    fn bit(self) -> u32 {
        match self {
            Capability::NetRaw => 13,
            Capability::NetAdmin => 12,
            Capability::SysAdmin => 21,
        }
    }
}

/// Whether the calling thread has a capability in effect.
pub fn may(capability: Capability) -> bool {
    let status = fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    effective(&status) & 1 << capability.bit() != 0
}

/// The number of the user in whose name this process runs.
pub fn user() -> u32 {
    let status = fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    user_number(&status, 1)
}

/// The number of the user who started this process, also where its file gives it another's rights.
pub fn real_user() -> u32 {
    let status = fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    user_number(&status, 0)
}

/// From the line of the real, the effective and two more numbers (proc_pid_status(5)). Nobody's, if
/// there is none.
fn user_number(status: &str, place: usize) -> u32 {
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    line.and_then(|numbers| numbers.split_whitespace().nth(place)?.parse().ok())
        .unwrap_or(u32::MAX)
}

/// Whether this process may write a file, or into a folder.
pub fn may_write(path: &Path) -> bool {
    sys::may_write(path)
}

/// Whether the users of this process are not those of the machine (user_namespaces(7)).
pub fn is_in_user_namespace() -> bool {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    map.split_whitespace().ne(["0", "0", "4294967295"])
}

fn effective(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    line.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok())
        .unwrap_or(0)
}

/// Gives up all capabilities of the calling thread, and the ways to gain some.
#[cfg(feature = "jail")]
pub(crate) fn drop_all() -> std::io::Result<()> {
    sys::no_new_privileges()?;
    sys::no_capabilities()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_read_from_the_status() {
        let rows = [
            ("Name:\tx\nCapEff:\t0000000000003000\n", 0x3000),
            ("CapEff:\tnone\n", 0),
            ("", 0),
        ];
        for (status, bits) in rows {
            assert_eq!(effective(status), bits);
        }
        assert_eq!(user_number("Uid:\t1000\t7\t0\t0\n", 1), 7);
        assert_eq!(user_number("Uid:\t1000\t7\t0\t0\n", 0), 1000);
        assert_eq!(user_number("Gid:\t1\t1\t1\t1\n", 1), u32::MAX);
    }
}
