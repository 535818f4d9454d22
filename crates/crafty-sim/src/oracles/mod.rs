//! For each kind of fault a program that finds it, and says nothing when it is not there.
//!
//! A program prints a line that begins with `FOUND` or `CLEAR`, with its evidence. It is run in the
//! healthy network, where it must not find the fault, and in the one with the fault, where it must;
//! and while the fault is there, a path that it does not touch must work.

mod table;

macro_rules! programs {
    ($($name:literal)*) => {
        /// Programs by name.
        static PROGRAMS: &[(&str, &str)] = &[$(
            ($name, include_str!(concat!("../../oracles/", $name, ".crafty")))
        ),*];
    };
}

programs! {
    "bursts"
    "control"
    "copies"
    "dhcp"
    "echoes"
    "flows"
    "fragments"
    "fragments_by_port"
    "gap"
    "half_of_a_net"
    "handshake"
    "hash"
    "hello"
    "idle"
    "line_rate"
    "listen_far"
    "load"
    "loss_pattern"
    "many_syns"
    "mtu"
    "names"
    "neighbours"
    "overhear"
    "path"
    "path_changes"
    "probe_far"
    "rate_of_errors"
    "reset"
    "services"
    "sizes"
    "transfer"
    "ttl"
    "udp_idle"
    "udp_idle_far"
    "upload"
    "windows"
}

/// How a kind of fault is found.
#[derive(Debug)]
pub struct Oracle {
    /// Name of the fault.
    pub fault: &'static str,
    /// Name of the network.
    pub network: &'static str,
    /// The fault as it is planted for it: strong enough to be told from chance, at a place that
    /// the portals see.
    pub planting: &'static str,
    /// Programs by name, each with the portal it is at.
    pub programs: &'static [(&'static str, &'static str)],
    /// A param of the programs: what they look for.
    pub word: Option<&'static str>,
    /// Address of a host whose path the fault does not touch, seen from the first portal; none for
    /// a fault that leaves nothing alone.
    pub control: Option<&'static str>,
}

/// The text of a program of the table.
pub fn oracle_program(name: &str) -> Option<&'static str> {
    PROGRAMS.iter().find(|it| it.0 == name).map(|it| it.1)
}

/// How each kind of fault is found, by the names of the faults.
pub fn oracles() -> &'static [Oracle] {
    table::ORACLES
}
