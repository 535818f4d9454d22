//! `crafty endpoint` against the real kernel: interfaces in network namespaces, with the host's own tools
//! as the other end. Root only; without it each test says that it was skipped.

mod answers;
mod interface;
mod model;

use crate::kernel::space::{Running, Spaces};
use crate::tool::CRAFTY;

/// A namespace whose interface is an endpoint.
pub struct Host {
    pub spaces: Spaces,
}

/// What an endpoint said, and how it ended.
pub struct Said {
    pub status: Option<i32>,
    /// Events, one JSON object a line.
    pub events: String,
    /// Fates and warnings.
    pub log: String,
}

impl Host {
    /// Nothing, with a word, where this machine does not let us.
    pub fn new() -> Option<Host> {
        let spaces = Spaces::new(&["h"])?;
        // What the kernel says first on a new interface is not part of a test.
        spaces.sh(
            "h",
            "sysctl -qw net.ipv6.conf.default.router_solicitations=0",
        );
        Some(Host { spaces })
    }

    /// Starts an endpoint, and waits until its interface is up.
    pub fn endpoint(&self, words: &[&str]) -> Running {
        self.spaces
            .speaking("h", &[&[CRAFTY, "endpoint"], words].concat())
    }

    /// The options by which it has both families, on a layer.
    pub fn both(mode: &'static str) -> [&'static str; 6] {
        [
            "--mode",
            mode,
            "--address",
            "10.7.0.1/24",
            "--address",
            "fd00:7::1/64",
        ]
    }

    /// A line of shell beside it; its output, whatever its status.
    pub fn sh(&self, line: &str) -> crate::tool::Ran {
        self.spaces.run("h", &["sh", "-c", line])
    }
}

/// Ends an endpoint politely; what it said.
pub fn end(endpoint: Running) -> Said {
    endpoint.signal("INT");
    let (status, events, log) = endpoint.output();
    Said {
        status,
        events,
        log,
    }
}

impl Said {
    /// How many packets had this fate.
    #[track_caller]
    pub fn fates(&self, word: &str) -> usize {
        let wanted = format!(" decision={word} ");
        self.log
            .lines()
            .filter(|line| format!("{line} ").replace(':', " ").contains(&wanted))
            .count()
    }

    /// The last event.
    #[track_caller]
    pub fn down(&self) -> serde_json::Value {
        let last = self.events.lines().last().unwrap_or_default();
        serde_json::from_str(last).unwrap_or_else(|e| panic!("{e}: {last}\n{}", self.log))
    }
}
