//! What this process may do, and giving it up. Never asks for more.

#[cfg(feature = "jail")]
use crate::sys;
use std::fs;

/// A Linux capability that matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// `CAP_NET_RAW`: packet sockets.
    NetRaw,
    /// `CAP_NET_ADMIN`: firewall tables, TUN interfaces, large buffers.
    NetAdmin,
}

impl Capability {
    /// Its name in the manuals.
    pub fn name(self) -> &'static str {
        match self {
            Capability::NetRaw => "CAP_NET_RAW",
            Capability::NetAdmin => "CAP_NET_ADMIN",
        }
    }

    /// Its number (`linux/capability.h`).
    fn bit(self) -> u32 {
        match self {
            Capability::NetRaw => 13,
            Capability::NetAdmin => 12,
        }
    }
}

/// Whether the calling thread has a capability in effect.
pub fn may(capability: Capability) -> bool {
    let status = fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    effective(&status) & 1 << capability.bit() != 0
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
    }
}
