//! Two network namespaces with a veth pair between them, taken down again at the end.

use crate::row::BenchmarkResult;
use crate::tool::{must, text};
use crafty_net::in_namespace;
use std::process::{Child, Command, Stdio};

/// Address of the sending side.
pub const HERE: &str = "10.77.0.1";
/// Address of the other side.
pub const THERE: &str = "10.77.0.2";
/// UDP port of floods, which the other side drops before its stack sees them.
pub const FLOOD: u16 = 9;

/// A sender and a receiver, wired to each other.
pub struct Testbed {
    near: String,
    far: String,
    /// A process that does nothing in the far namespace: its `/proc/PID/net` is that namespace's.
    guest: Child,
}

impl Testbed {
    /// Sets up both sides, with their link addresses known to each other, so that no tool pays for
    /// ARP.
    pub fn new() -> BenchmarkResult<Testbed> {
        let id = std::env::var("BENCH_PLACE").unwrap_or_else(|_| std::process::id().to_string());
        let (near, far) = (format!("crafty-near-{id}"), format!("crafty-far-{id}"));
        for name in [&near, &far] {
            must(Command::new("ip").args(["netns", "add", name]))?;
        }
        let guest = Command::new("ip")
            .args(["netns", "exec", &far, "sleep", "infinity"])
            .stdin(Stdio::null())
            .spawn()?;
        let place = Testbed { near, far, guest };
        must(Command::new("ip").args([
            "link",
            "add",
            "near",
            "netns",
            &place.near,
            "type",
            "veth",
            "peer",
            "far",
            "netns",
            &place.far,
        ]))?;
        place.address(&place.near, "near", HERE)?;
        place.address(&place.far, "far", THERE)?;
        place.introduce(&place.near, "near", THERE, &place.far_mac()?)?;
        place.introduce(&place.far, "far", HERE, &place.near_mac()?)?;
        place.drop_floods()?;
        Ok(place)
    }

    fn address(&self, namespace: &str, link: &str, address: &str) -> BenchmarkResult<()> {
        let lines = [
            format!("addr add {address}/24 dev {link}"),
            format!("link set {link} up"),
            "link set lo up".to_string(),
        ];
        lines.iter().try_for_each(|line| {
            must(
                Command::new("ip")
                    .args(["-n", namespace])
                    .args(line.split(' ')),
            )
            .map(drop)
        })?;
        // Router solicitations and their like would be frames that nobody asked for.
        let quiet = format!("net.ipv6.conf.{link}.disable_ipv6=1");
        must(Command::new("ip").args(["netns", "exec", namespace, "sysctl", "-qw", &quiet]))
            .map(drop)
    }

    fn introduce(
        &self,
        namespace: &str,
        link: &str,
        address: &str,
        mac: &str,
    ) -> BenchmarkResult<()> {
        let line = format!("neigh replace {address} lladdr {mac} dev {link} nud permanent");
        must(
            Command::new("ip")
                .args(["-n", namespace])
                .args(line.split(' ')),
        )
        .map(drop)
    }

    /// A second address on the near side that its kernel knows nothing of: what a stack of its own
    /// answers.
    pub fn introduce_guest(&self, address: &str) -> BenchmarkResult<()> {
        self.introduce(&self.far, "far", address, &self.near_mac()?)
    }

    /// The far side fills checksums in itself, as a wire asks for them.
    pub fn whole_checksums(&self) -> BenchmarkResult<()> {
        must(self.there("ethtool").args(["-K", "far", "tx", "off"])).map(drop)
    }

    /// Floods end at the first hook, so that the other side's stack answers none of them.
    fn drop_floods(&self) -> BenchmarkResult<()> {
        let rules = format!(
            "add table netdev crafty; add chain netdev crafty in {{ type filter hook ingress device \"far\" priority 0; }}; \
             add rule netdev crafty in udp dport {FLOOD} drop"
        );
        must(self.there("nft").arg(rules)).map(drop)
    }

    /// The link address of the near side.
    pub fn near_mac(&self) -> BenchmarkResult<String> {
        link_address(self.here("cat"), "near")
    }

    /// The link address of the far side.
    pub fn far_mac(&self) -> BenchmarkResult<String> {
        link_address(self.there("cat"), "far")
    }

    /// A command on the sending side.
    pub fn here(&self, program: &str) -> Command {
        inside(&self.near, program)
    }

    /// A command on the other side.
    pub fn there(&self, program: &str) -> Command {
        inside(&self.far, program)
    }

    /// Name of the sending side's namespace.
    pub fn near(&self) -> &str {
        &self.near
    }

    /// Does something on the sending side: a process started there stays there, and no helper
    /// delays it.
    pub fn run_here<T: Send>(
        &self,
        work: impl FnOnce() -> BenchmarkResult<T> + Send,
    ) -> BenchmarkResult<T> {
        in_namespace(&self.near, work)?
    }

    /// The same on the other side.
    pub fn run_there<T: Send>(
        &self,
        work: impl FnOnce() -> BenchmarkResult<T> + Send,
    ) -> BenchmarkResult<T> {
        in_namespace(&self.far, work)?
    }

    /// Frames that have reached the other side.
    pub fn arrived(&self) -> u64 {
        let table = std::fs::read_to_string(format!("/proc/{}/net/dev", self.guest.id()))
            .unwrap_or_default();
        let line = table
            .lines()
            .find_map(|line| line.trim().strip_prefix("far:").map(str::to_string));
        line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
            .unwrap_or(0)
    }

    /// Queues what the near side sends behind a link of this rate, `limit` bytes at most.
    pub fn slow_down(&self, rate: &str, limit: u64) -> BenchmarkResult<()> {
        let line = format!("qdisc replace dev near root tbf rate {rate} burst 10k limit {limit}");
        must(
            Command::new("tc")
                .args(["-n", &self.near])
                .args(line.split(' ')),
        )
        .map(drop)
    }
}

impl Drop for Testbed {
    fn drop(&mut self) {
        let _ = self.guest.kill();
        let _ = self.guest.wait();
        for name in [&self.near, &self.far] {
            let _ = Command::new("ip").args(["netns", "del", name]).status();
        }
    }
}

fn inside(namespace: &str, program: &str) -> Command {
    let mut command = Command::new("ip");
    command.args(["netns", "exec", namespace, program]);
    command
}

/// What `cat` says of a link's address, on the side where it runs.
fn link_address(mut command: Command, link: &str) -> BenchmarkResult<String> {
    let said = text(command.arg(format!("/sys/class/net/{link}/address")))?;
    Ok(said.trim().to_string())
}
