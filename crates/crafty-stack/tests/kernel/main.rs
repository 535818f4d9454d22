//! The Linux kernel at the other end, over TUN interfaces in a network namespace of its own: both
//! roles, both families, loss, reordering and repetition, sizes, path MTUs and windows of either
//! side. Needs root; says so and passes without.
//!
//! The usual run takes a spread sample; with `TEST_MATRIX=all` every combination runs, and 100 MB
//! each way.

mod case;
mod far;
mod host;
mod octets;
mod watch;

use case::Case;
use crafty_net::{Capability, Tun, TunKind, in_namespace, may};
use std::net::{IpAddr, SocketAddr};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Links that are there at the same time.
const AT_ONCE: usize = 48;

#[test]
fn the_kernel_and_we_understand_each_other() {
    if !may(Capability::NetAdmin) {
        eprintln!("skipped: needs CAP_NET_ADMIN");
        return;
    }
    let (cases, next) = (case::chosen(), AtomicUsize::new(0));
    let mut buffers: Vec<_> = cases.iter().map(|case| case.kernel_buffer).collect();
    buffers.sort_unstable();
    buffers.dedup();
    let spaces: Vec<Space> = buffers
        .iter()
        .enumerate()
        .map(|(n, buffer)| Space::new(n, *buffer))
        .collect();
    let failures = Mutex::new(Vec::new());
    let work = || {
        while let Some((n, case)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|n| Some((n, cases.get(n)?)))
        {
            let space = &spaces[buffers
                .iter()
                .position(|buffer| *buffer == case.kernel_buffer)
                .unwrap()];
            if let Err(why) = in_namespace(&space.0, || check(n, case)).unwrap() {
                failures.lock().unwrap().push(why);
            }
        }
    };
    thread::scope(|scope| (0..AT_ONCE).for_each(|_| drop(scope.spawn(work))));
    let failures = failures.into_inner().unwrap();
    assert!(
        failures.is_empty(),
        "{} of {} cases failed:\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}

/// A network namespace that goes with its value.
struct Space(String);

impl Space {
    /// With receive buffers of this many bytes.
    fn new(n: usize, buffer: Option<u32>) -> Space {
        let space = Space(format!("crafty-stack-{}-{n}", std::process::id()));
        ip(&["netns", "add", &space.0]);
        space.set(
            "tcp_rmem",
            buffer.map(|octets| format!("{octets} {octets} {octets}")),
        );
        // A connection that its program has left is not given up while packets are lost.
        space.set("tcp_orphan_retries", Some("100".into()));
        space
    }
}

impl Space {
    fn set(&self, name: &str, value: Option<String>) {
        let Some(value) = value else { return };
        let file = format!("/proc/sys/net/ipv4/{name}");
        in_namespace(&self.0, || std::fs::write(file, value))
            .and_then(|set| set)
            .unwrap();
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        ip(&["netns", "del", &self.0]);
    }
}

fn ip(words: &[&str]) {
    assert!(
        Command::new("ip").args(words).status().unwrap().success(),
        "ip {words:?}"
    );
}

fn check(n: usize, case: &Case) -> Result<(), String> {
    let (link, near, far) = link(n, case);
    let (kernel_end, our_end) = (SocketAddr::new(near, 4000), SocketAddr::new(far, 5000));
    let socket = far::Socket::new(case, kernel_end);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let kernel = scope.spawn(|| {
            let ended = socket.talk(case, our_end);
            done.store(true, Ordering::Relaxed);
            ended
        });
        let ours = host::Host::new(case, kernel_end, our_end).run(link, &done);
        let theirs = kernel.join().unwrap();
        if ours.is_ok() && theirs.is_ok() {
            Ok(())
        } else {
            Err(format!(
                "{case:?}: our end {ours:?}, the kernel's {theirs:?}"
            ))
        }
    })
}

/// An interface of this case's own, with the kernel's address and ours.
fn link(n: usize, case: &Case) -> (Tun, IpAddr, IpAddr) {
    let tun = Tun::open("far%d", TunKind::Packets).unwrap();
    let [high, low] = (n as u16).to_be_bytes();
    let (near, far, prefix): (IpAddr, IpAddr, _) = match case.v6 {
        false => (
            [10, 64 + high, low, 1].into(),
            [10, 64 + high, low, 2].into(),
            24,
        ),
        true => (
            [0xfd00, 7, n as u16, 0, 0, 0, 0, 1].into(),
            [0xfd00, 7, n as u16, 0, 0, 0, 0, 2].into(),
            64,
        ),
    };
    ip(&[
        "link",
        "set",
        tun.name(),
        "mtu",
        &case.mtu.to_string(),
        "up",
    ]);
    let address = format!("{near}/{prefix}");
    let nodad: &[&str] = if case.v6 { &["nodad"] } else { &[] };
    ip(&[&["addr", "add", "dev", tun.name(), &address], nodad].concat());
    (tun, near, far)
}
