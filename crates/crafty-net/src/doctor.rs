//! What this machine has and lacks for live runs, each with the fix. Looks and tries; changes
//! nothing that stays.

use crate::interface::{Interface, LinkType, ethtool, interfaces};
use crate::privilege::{Capability, may};
use crate::{EgressMonitor, EgressRules, Firewall, NetError, sys};
use std::fs;
use std::os::fd::AsFd;

/// How a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DoctorVerdict {
    /// As it should be.
    Good,
    /// Worth knowing; runs work.
    Note,
    /// Some or all live runs fail.
    Lacking,
}

/// One thing looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoctorFinding {
    /// What was looked at: `kernel`, `packet socket`, `interface eth0`, …
    pub subject: String,
    /// How it weighs.
    pub verdict: DoctorVerdict,
    /// What was found: a sentence.
    pub found: String,
    /// What to do about it.
    pub fix: Option<String>,
}

/// One check a line: a new one is a function and a word here.
const CHECKS: &[fn() -> Vec<DoctorFinding>] = &[
    kernel,
    packet_socket,
    firewall,
    monitor,
    tun,
    confinement,
    links,
];

/// All findings about this machine, in the order of the checks.
pub fn doctor() -> Vec<DoctorFinding> {
    CHECKS.iter().flat_map(|check| check()).collect()
}

fn finding(
    subject: impl Into<String>,
    verdict: DoctorVerdict,
    found: impl Into<String>,
    fix: Option<String>,
) -> Vec<DoctorFinding> {
    vec![DoctorFinding {
        subject: subject.into(),
        verdict,
        found: found.into(),
        fix,
    }]
}

fn good(subject: impl Into<String>, found: impl Into<String>) -> Vec<DoctorFinding> {
    finding(subject, DoctorVerdict::Good, found, None)
}

fn lacking(subject: &str, error: &NetError) -> Vec<DoctorFinding> {
    finding(
        subject,
        DoctorVerdict::Lacking,
        error.to_string(),
        Some(error.fix()),
    )
}

/// Owned nftables tables are the youngest thing that is needed.
const OLDEST_KERNEL: (u32, u32) = (5, 12);

fn kernel() -> Vec<DoctorFinding> {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let found = format!("Linux {}", release.trim());
    match version(&release) {
        Some(version) if version < OLDEST_KERNEL => finding(
            "kernel",
            DoctorVerdict::Lacking,
            found,
            Some("use Linux 5.12 or later; `--lab` works on any version".into()),
        ),
        _ => good("kernel", found),
    }
}

fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release
        .split(|c: char| !c.is_ascii_digit())
        .map(|n| n.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

fn packet_socket() -> Vec<DoctorFinding> {
    match sys::socket(libc::AF_PACKET, libc::SOCK_RAW, 0) {
        Ok(_) => good("packet socket", "opens"),
        Err(error) => lacking(
            "packet socket",
            &NetError::needing(Capability::NetRaw.name(), "opening a packet socket")(error),
        ),
    }
}

/// Makes an empty table and lets it go.
fn firewall() -> Vec<DoctorFinding> {
    if !may(Capability::NetAdmin) {
        let error = NetError::MissingPrivilege {
            what: "keeping the kernel from answering",
            capability: "CAP_NET_ADMIN",
        };
        return lacking("firewall", &error);
    }
    match Firewall::install(0, &[]) {
        Ok(_) => good("firewall", "nftables tables are removed with their owner"),
        Err(error) => lacking("firewall", &error),
    }
}

/// Makes a table for what leaves by the loopback from a socket that is not there.
fn monitor() -> Vec<DoctorFinding> {
    let loopback = interfaces()
        .unwrap_or_default()
        .into_iter()
        .filter(|i| i.is_loopback);
    let rules = EgressRules::default();
    match EgressMonitor::install(&loopback.collect::<Vec<_>>(), &rules) {
        Ok(_) => good(
            "kernel monitor",
            "the kernel repeats destinations and rates of what leaves",
        ),
        Err(_) => finding(
            "kernel monitor",
            DoctorVerdict::Note,
            "the kernel does not repeat destinations and rates of what leaves; the gate alone does",
            Some("use Linux 5.16 or later with nf_tables and CONFIG_NETFILTER_EGRESS, and give CAP_NET_ADMIN".into()),
        ),
    }
}

fn tun() -> Vec<DoctorFinding> {
    match fs::exists("/dev/net/tun") {
        Ok(true) => good("tun", "/dev/net/tun is there"),
        _ => finding(
            "tun",
            DoctorVerdict::Note,
            "no /dev/net/tun: programs cannot use a TUN or TAP interface",
            Some("`modprobe tun`".into()),
        ),
    }
}

/// What [`lock_down`](crate::lock_down) can build on.
fn confinement() -> Vec<DoctorFinding> {
    let actions = fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail").unwrap_or_default();
    match (actions.contains("errno"), sys::has_landlock()) {
        (true, true) => good("confinement", "seccomp and Landlock are there"),
        (true, false) => {
            let fix = "boot with `lsm=landlock,…`".into();
            finding(
                "confinement",
                DoctorVerdict::Note,
                "seccomp is there; Landlock is not",
                Some(fix),
            )
        }
        (false, _) => {
            let fix = "use a kernel with CONFIG_SECCOMP_FILTER".into();
            finding(
                "confinement",
                DoctorVerdict::Lacking,
                "the kernel has no seccomp filters",
                Some(fix),
            )
        }
    }
}

fn links() -> Vec<DoctorFinding> {
    let Ok(control) = sys::socket(libc::AF_INET, libc::SOCK_DGRAM, 0) else {
        return Vec::new();
    };
    match interfaces() {
        Ok(all) => all
            .iter()
            .flat_map(|i| link(i, software_stamps(control.as_fd(), &i.name)))
            .collect(),
        Err(error) => lacking(
            "interfaces",
            &NetError::doing("reading the interfaces")(error),
        ),
    }
}

fn link(interface: &Interface, driver_stamps: bool) -> Vec<DoctorFinding> {
    let subject = format!("interface {}", interface.name);
    if !interface.up {
        return finding(
            subject,
            DoctorVerdict::Note,
            "is down",
            Some(
                NetError::InterfaceDown {
                    name: interface.name.clone(),
                }
                .fix(),
            ),
        );
    }
    if let LinkType::Other(number) = interface.link {
        return finding(
            subject,
            DoctorVerdict::Note,
            format!("has a link header that is not known (hardware type {number})"),
            None,
        );
    }
    let stamps = if driver_stamps {
        "recapture and driver"
    } else {
        "recapture"
    };
    let found = format!(
        "is up, MTU {}, stamps by {stamps}{}",
        interface.mtu,
        merged(interface)
    );
    good(subject, found)
}

/// What makes captured frames differ from those on the wire.
fn merged(interface: &Interface) -> String {
    let merging = ["generic-receive-offload", "large-receive-offload"];
    let on: Vec<&str> = interface
        .offloads
        .iter()
        .copied()
        .filter(|name| merging.contains(name))
        .collect();
    if on.is_empty() {
        String::new()
    } else {
        format!("; {} may show several frames as one", on.join(" and "))
    }
}

/// `ETHTOOL_GET_TS_INFO`: its second word has the bits of `SO_TIMESTAMPING` that the driver serves.
fn software_stamps(control: std::os::fd::BorrowedFd<'_>, name: &str) -> bool {
    let mut info = [0x41u32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    ethtool(control, name, &mut info).is_ok() && info[1] & libc::SOF_TIMESTAMPING_TX_SOFTWARE != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_versions_are_read() {
        let rows = [
            ("6.18.44-x\n", Some((6, 18))),
            ("5.4", Some((5, 4))),
            ("unknown", None),
            ("6", None),
            ("", None),
        ];
        for (release, expected) in rows {
            assert_eq!(version(release), expected, "{release}");
        }
    }

    #[test]
    fn every_lack_has_a_way_out() {
        let all = doctor();
        assert!(
            all.iter().any(|f| f.subject == "kernel")
                && all.iter().any(|f| f.subject == "interface lo")
        );
        for finding in all {
            assert!(
                finding.verdict != DoctorVerdict::Lacking || finding.fix.is_some(),
                "{finding:?}"
            );
        }
    }
}
