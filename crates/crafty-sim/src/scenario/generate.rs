//! Corporate networks made up from a seed: a core ring with shortcuts, pairs of distribution routers
//! that hang on two core routers each, and sites whose edge routers hang on such a pair. Everything
//! has two ways, so that equal paths, detours and asymmetry come by themselves.

use crate::dice::RandomStream;
use std::fmt::Write;

/// How large a network is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Routers in all; at least 12.
    pub routers: usize,
    /// Hosts in all.
    pub hosts: usize,
    /// Packets a second of background traffic in all.
    pub packets: usize,
}

const CITIES: &[&str] = &[
    "hamburg", "lyon", "porto", "turin", "ghent", "malmo", "bilbao", "graz", "leeds", "cork",
    "gdansk", "brno", "vilnius", "tampere", "bergen", "aarhus", "nantes", "parma", "split",
    "varna",
];
/// Service sets of hosts, in turn.
const SERVICES: &[(&str, &str)] = &[
    ("files", r#""tcp/80 http", "tcp/443 https", "udp/7 echo""#),
    ("web", r#""tcp/80 http", "tcp/443 https", "udp/7 echo""#),
    ("dns", r#""udp/53 dns", "tcp/53 dns", "udp/7 echo""#),
    (
        "office",
        r#""udp/7 echo", "udp/40100 echo", "tcp/7 echo", "tcp/9 discard""#,
    ),
    ("printer", r#""tcp/9 discard", "udp/7 echo", "tcp/7 echo""#),
];

/// The text of a scenario file; the same size and seed give the same text.
pub fn generate(name: &str, size: Size, seed: u64) -> String {
    let mut it = NetworkGenerator {
        dice: RandomStream::new(seed, "generate"),
        text: String::new(),
        links: Vec::new(),
    };
    let routers = size.routers.max(12);
    let cores = (routers / 9).max(3);
    let pairs = (routers / 10).max(2);
    let edges = routers - cores - 2 * pairs;
    it.head(name, seed, edges, size);
    it.core(cores);
    it.distribution(cores, pairs);
    it.sites(edges, pairs, size);
    it.text
}

struct NetworkGenerator {
    dice: RandomStream,
    text: String,
    links: Vec<[String; 2]>,
}

impl NetworkGenerator {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn head(&mut self, name: &str, seed: u64, edges: usize, size: Size) {
        let far = city(edges / 2);
        self.line(&format!(
            "# Made by `crafty lab new` with seed {seed}; every line may be changed."
        ));
        self.line(&format!("name = \"{name}\""));
        self.line(&format!(
            "doc = \"A corporate network of {edges} sites behind two layers of routers, with two ways from each; portals at {}, {} and {}.\"",
            city(0),
            far,
            city(edges - 1)
        ));
        self.line("trunk = \"core1-core2\"");
        self.line("detour = \"core1-dist1b\"");
        self.line(&format!("server = \"office-{far}\""));
        let servers: Vec<String> = hosts_of(edges, size.hosts)
            .into_iter()
            .filter(|(_, (kind, _))| kind.0 == "dns")
            .take(2)
            .map(|(name, _)| format!("\"{name}\""))
            .collect();
        if !servers.is_empty() {
            self.line(&format!("name_servers = [{}]", servers.join(", ")));
        }
        self.line("");
        self.line("[media]");
        self.line("lan = { rate = \"1Gbit\", delay = \"5us\", queue = \"512KiB\", mtu = 1500 }");
        self.line("core = { rate = \"10Gbit\", queue = \"4MiB\", mtu = 1500 }");
        self.line("wan = { rate = \"1Gbit\", queue = \"1MiB\", mtu = 1500 }");
        self.line("site = { rate = \"200Mbit\", queue = \"512KiB\", mtu = 1500 }");
    }

    fn router(&mut self, name: &str, on: &str) {
        let on = match on {
            "" => String::new(),
            segment => format!("\non = [\"{segment}\"]"),
        };
        let _ = write!(self.text, "\n[[routers]]\nname = \"{name}\"{on}\n");
    }

    /// A link between two routers that have none yet.
    fn link(&mut self, a: &str, b: &str, medium: &str, milliseconds: (u64, u64)) {
        let ends = [a.to_string(), b.to_string()];
        let swapped = [b.to_string(), a.to_string()];
        if a == b || self.links.contains(&ends) || self.links.contains(&swapped) {
            return;
        }
        self.links.push(ends);
        let tenths = milliseconds.0 * 10 + self.dice.below((milliseconds.1 - milliseconds.0) * 10);
        let _ = write!(
            self.text,
            "\n[[links]]\nbetween = [\"{a}\", \"{b}\"]\nmedium = \"{medium}\"\ndelay = \"{}.{}ms\"\n",
            tenths / 10,
            tenths % 10
        );
    }

    fn core(&mut self, cores: usize) {
        (1..=cores).for_each(|n| self.router(&format!("core{n}"), ""));
        for n in 1..=cores {
            let next = n % cores + 1;
            self.link(&format!("core{n}"), &format!("core{next}"), "core", (1, 6));
        }
        for n in (1..=cores).step_by(3) {
            let across = (n - 1 + cores / 2) % cores + 1;
            self.link(
                &format!("core{n}"),
                &format!("core{across}"),
                "core",
                (4, 12),
            );
        }
    }

    fn distribution(&mut self, cores: usize, pairs: usize) {
        for pair in 1..=pairs {
            let first = (pair - 1) * cores / pairs + 1;
            let second = first % cores + 1;
            for side in ["a", "b"] {
                let name = format!("dist{pair}{side}");
                self.router(&name, "");
                self.link(&format!("core{first}"), &name, "wan", (1, 4));
                self.link(&format!("core{second}"), &name, "wan", (1, 4));
            }
        }
    }

    fn sites(&mut self, edges: usize, pairs: usize, size: Size) {
        let mut hosts: Vec<String> = Vec::new();
        for edge in 0..edges {
            let site = city(edge);
            let pair = edge % pairs + 1;
            let _ = write!(
                self.text,
                "\n[[segments]]\nname = \"{site}\"\nmedium = \"lan\"\n"
            );
            let name = format!("edge-{site}");
            self.router(&name, &site);
            for side in ["a", "b"] {
                self.link(&format!("dist{pair}{side}"), &name, "site", (1, 3));
            }
        }
        for (name, (kind, site)) in hosts_of(edges, size.hosts) {
            let _ = write!(
                self.text,
                "\n[[hosts]]\nname = \"{name}\"\non = \"{site}\"\nservices = [{}]\n",
                kind.1
            );
            hosts.push(name);
        }
        self.portals(edges);
        self.traffic(&hosts, size.packets);
    }

    fn portals(&mut self, edges: usize) {
        for edge in [0, edges / 2, edges - 1] {
            let site = city(edge);
            let _ = write!(
                self.text,
                "\n[[portals]]\nname = \"{site}\"\ndoc = \"A desk at {site}.\"\non = \"{site}\"\n"
            );
        }
    }

    fn traffic(&mut self, hosts: &[String], packets: usize) {
        let flows = hosts.len() * 2;
        if packets == 0 || hosts.len() < 2 {
            return;
        }
        let rate = (packets / flows).max(1);
        for flow in 0..flows {
            let from = flow % hosts.len();
            let to = (from + 1 + self.dice.below(hosts.len() as u64 - 1) as usize) % hosts.len();
            let bytes = [80, 200, 576, 1400][self.dice.below(4) as usize];
            let profile = ["poisson", "poisson", "bursts"][self.dice.below(3) as usize];
            let _ = write!(
                self.text,
                "\n[[traffic]]\nfrom = \"{}\"\nto = \"{}\"\nrate = {rate}\nsize = {bytes}\nprofile = \"{profile}\"\n",
                hosts[from], hosts[to]
            );
        }
    }
}

/// What a host is, and at which site.
type HostPlace = (&'static (&'static str, &'static str), String);

/// The hosts with their names. The site of the far portal has an office, at which faults are put
/// unless a place is named; the others are spread.
fn hosts_of(edges: usize, count: usize) -> Vec<(String, HostPlace)> {
    // A step that shares no factor with the number of sites visits all of them.
    let step = [7, 11, 13]
        .into_iter()
        .find(|it| !edges.is_multiple_of(*it))
        .unwrap_or(1);
    let mut hosts: Vec<(String, HostPlace)> = Vec::new();
    for host in 0..count {
        let (kind, site) = match host {
            0 => (&SERVICES[3], city(edges / 2)),
            _ => (
                &SERVICES[host % SERVICES.len()],
                city((host * step + 3) % edges),
            ),
        };
        let mut name = format!("{}-{site}", kind.0);
        if hosts.iter().any(|it| it.0 == name) {
            name = format!("{}{host}-{site}", kind.0);
        }
        hosts.push((name, (kind, site)));
    }
    hosts
}

/// The name of a site.
fn city(number: usize) -> String {
    match number / CITIES.len() {
        0 => CITIES[number].into(),
        round => format!("{}{}", CITIES[number % CITIES.len()], round + 1),
    }
}
