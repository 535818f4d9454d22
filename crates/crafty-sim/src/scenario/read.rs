//! From the text of a scenario file to a scenario, or to all of its mistakes.

use super::table::{Problems, Table};
use super::{
    HostRow, LegRow, LinkRow, PortalRow, RouteRow, RouterRow, Scenario, SegmentKind, SegmentRow,
    SwitchRow, TrafficRow, addressing, check, units,
};
use crate::error::ScenarioError;
use crate::faults::{self, Planting};
use crate::link::{DISCIPLINES, LinkProperties};
use crate::router::RouterSettings;
use crate::services::{Serving, services_known, serving_named};
use crate::traffic::PROFILES;
use crafty_value::Duration;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use toml::de::DeTable;

const TOP: &[&str] = &[
    "name",
    "doc",
    "trunk",
    "detour",
    "server",
    "name_servers",
    "media",
    "segments",
    "switches",
    "routers",
    "links",
    "hosts",
    "portals",
    "routes",
    "traffic",
    "faults",
    "red_herrings",
];
const MEDIUM: &[&str] = &["rate", "delay", "queue", "mtu"];
const SEGMENT: &[&str] = &["name", "v4", "v6", "medium", "mtu", "vlan", "switches"];
const SWITCH: &[&str] = &["name", "spanning_tree", "priority"];
const ROUTER: &[&str] = &[
    "name",
    "on",
    "icmp_rate",
    "icmp_quote",
    "reverse_path",
    "balance",
];
const LEG: &[&str] = &["segment", "at", "v4", "v6"];
const LINK: &[&str] = &[
    "between",
    "name",
    "medium",
    "rate",
    "delay",
    "queue",
    "mtu",
    "cost",
    "discipline",
    "v4",
    "v6",
];
const HOST: &[&str] = &["name", "on", "at", "v4", "v6", "via", "services"];
const PORTAL: &[&str] = &["name", "doc", "on", "at", "v4", "v6", "via", "replaces"];
const ROUTE: &[&str] = &["router", "to", "via", "discard", "from", "until"];
const TRAFFIC: &[&str] = &["from", "to", "rate", "size", "profile", "dscp"];

/// What a link is like if nothing else is said: a gigabit wire of one metre.
const PLAIN: LinkProperties = LinkProperties {
    rate: 1_000_000_000,
    delay: Duration(5),
    queue: 512 << 10,
    mtu: 1500,
};

/// Reads a scenario; `file` is what messages call it.
///
/// # Errors
/// All mistakes, in order of their lines.
pub(crate) fn read(file: &str, text: &str) -> Result<Scenario, ScenarioError> {
    let mut problems = Problems::new(text);
    let (root, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let line = problems.line_of(error.span().map_or(0, |span| span.start));
        problems.note(
            line,
            format!("not TOML: {}", error.message()),
            String::new(),
        );
    }
    let mut scenario = Scenario::default();
    if problems.is_empty() {
        let mut reading = Reading {
            problems: &mut problems,
            media: BTreeMap::new(),
        };
        scenario = reading.scenario(root.get_ref());
        addressing::complete(&mut scenario, &mut problems);
        check::check(&scenario, &mut problems);
    }
    let problems = problems.finish();
    if problems.is_empty() {
        return Ok(scenario);
    }
    Err(ScenarioError {
        file: file.into(),
        problems,
    })
}

struct Reading<'p, 't> {
    problems: &'p mut Problems<'t>,
    media: BTreeMap<String, LinkProperties>,
}

impl Reading<'_, '_> {
    fn scenario(&mut self, root: &DeTable<'_>) -> Scenario {
        let top = Table::new(self.problems, "scenario", root, 1, TOP);
        for (name, table) in top.named_tables(self.problems, "media", "medium", MEDIUM) {
            let medium = self.medium(&table, PLAIN);
            self.media.insert(name, medium);
        }
        let text = |this: &mut Self, key| top.text(this.problems, key).unwrap_or_default();
        let (name_servers, name_server_hosts) = self.name_servers(&top);
        Scenario {
            name: top.name(self.problems, "name"),
            doc: text(self, "doc"),
            trunk: text(self, "trunk"),
            detour: text(self, "detour"),
            server: text(self, "server"),
            name_servers,
            name_server_hosts,
            segments: self.each(&top, "segments", "segment", SEGMENT, Self::segment),
            switches: self.each(&top, "switches", "switch", SWITCH, Self::switch),
            routers: self.each(&top, "routers", "router", ROUTER, Self::router),
            links: self.each(&top, "links", "link", LINK, Self::link),
            hosts: self.each(&top, "hosts", "host", HOST, Self::host),
            portals: self.each(&top, "portals", "portal", PORTAL, Self::portal),
            routes: self.each(&top, "routes", "route", ROUTE, Self::route),
            traffic: self.each(&top, "traffic", "traffic row", TRAFFIC, Self::traffic),
            faults: self.faults(&top),
        }
    }

    fn each<T>(
        &mut self,
        top: &Table<'_, '_>,
        key: &str,
        what: &'static str,
        keys: &[&'static str],
        read: fn(&mut Self, &Table<'_, '_>) -> T,
    ) -> Vec<T> {
        let rows = top.rows(self.problems, key, what, keys);
        rows.iter().map(|row| read(self, row)).collect()
    }

    /// Addresses, and what may be the names of hosts.
    fn name_servers(&mut self, top: &Table<'_, '_>) -> (Vec<IpAddr>, Vec<(String, usize)>) {
        let (mut servers, mut hosts) = (Vec::new(), Vec::new());
        for (text, line) in top.texts(self.problems, "name_servers") {
            match text.parse() {
                Ok(address) => servers.push(address),
                Err(_) => hosts.push((text, line)),
            }
        }
        (servers, hosts)
    }

    /// The medium that a row names, with what the row says itself.
    fn named_medium(&mut self, row: &Table<'_, '_>) -> LinkProperties {
        let mut base = PLAIN;
        if let Some(name) = row.text(self.problems, "medium") {
            match self.media.get(&name) {
                Some(medium) => base = *medium,
                None => {
                    let line = row.line_of(self.problems, "medium");
                    let known = self.media.keys().map(String::as_str);
                    self.problems.unknown(line, "medium", &name, known);
                }
            }
        }
        self.medium(row, base)
    }

    fn medium(&mut self, row: &Table<'_, '_>, base: LinkProperties) -> LinkProperties {
        let problems = &mut *self.problems;
        LinkProperties {
            rate: row
                .parsed(problems, "rate", "a rate such as `100Mbit`", units::rate)
                .unwrap_or(base.rate),
            delay: row
                .parsed(problems, "delay", "a time such as `5ms`", units::duration)
                .unwrap_or(base.delay),
            queue: row
                .parsed(problems, "queue", "a size such as `512KiB`", units::size)
                .unwrap_or(base.queue),
            mtu: row
                .integer(problems, "mtu", 68..=9216)
                .map_or(base.mtu, |mtu| mtu as usize),
        }
    }

    fn v4(&mut self, row: &Table<'_, '_>) -> Ipv4Addr {
        let expected = "an address such as `10.0.0.1`";
        row.parsed(self.problems, "v4", expected, |it| it.parse().ok())
            .unwrap_or(Ipv4Addr::UNSPECIFIED)
    }

    fn v6(&mut self, row: &Table<'_, '_>) -> Ipv6Addr {
        let expected = "an address such as `2001:db8::1`";
        row.parsed(self.problems, "v6", expected, |it| it.parse().ok())
            .unwrap_or(Ipv6Addr::UNSPECIFIED)
    }

    /// Nets of a row; unspecified ones are chosen later.
    fn nets(&mut self, row: &Table<'_, '_>) -> ((Ipv4Addr, u8), (Ipv6Addr, u8)) {
        let v4 = row.parsed(
            self.problems,
            "v4",
            "a net such as `10.0.0.0/24`, by its first address",
            units::net4,
        );
        let v6 = row.parsed(
            self.problems,
            "v6",
            "a net such as `2001:db8::/64`, by its first address",
            units::net6,
        );
        (
            v4.unwrap_or((Ipv4Addr::UNSPECIFIED, 0)),
            v6.unwrap_or((Ipv6Addr::UNSPECIFIED, 0)),
        )
    }

    fn segment(&mut self, row: &Table<'_, '_>) -> SegmentRow {
        let (v4, v6) = self.nets(row);
        let switches: Vec<String> = row
            .texts(self.problems, "switches")
            .into_iter()
            .map(|it| it.0)
            .collect();
        let id = row.integer(self.problems, "vlan", 1..=4094);
        let kind = if switches.is_empty() {
            SegmentKind::Shared
        } else {
            SegmentKind::Vlan {
                id: id.unwrap_or(1) as u16,
                switches,
            }
        };
        SegmentRow {
            name: row.name(self.problems, "name"),
            line: row.line,
            v4,
            v6,
            medium: self.named_medium(row),
            kind,
        }
    }

    fn switch(&mut self, row: &Table<'_, '_>) -> SwitchRow {
        let tree = row.boolean(self.problems, "spanning_tree") != Some(false);
        let priority = row.integer(self.problems, "priority", 0..=61_440);
        SwitchRow {
            name: row.name(self.problems, "name"),
            line: row.line,
            priority: tree.then_some(priority.unwrap_or(32_768) as u16),
        }
    }

    fn router(&mut self, row: &Table<'_, '_>) -> RouterRow {
        let names = row.has("on") && row.is_list_of_texts("on");
        let legs = if names {
            let segments = row.texts(self.problems, "on");
            segments
                .into_iter()
                .map(|(segment, _)| LegRow {
                    segment,
                    at: None,
                    v4: Ipv4Addr::UNSPECIFIED,
                    v6: Ipv6Addr::UNSPECIFIED,
                })
                .collect()
        } else {
            let legs = row.rows(self.problems, "on", "leg", LEG);
            legs.iter().map(|leg| self.leg(leg)).collect()
        };
        RouterRow {
            name: row.name(self.problems, "name"),
            line: row.line,
            legs,
            settings: self.settings(row),
        }
    }

    fn settings(&mut self, row: &Table<'_, '_>) -> RouterSettings {
        let mut settings = RouterSettings::default();
        let problems = &mut *self.problems;
        if let Some(rate) = row.integer(problems, "icmp_rate", 1..=1_000_000) {
            settings.icmp.interval = Some(Duration(1_000_000_000 / rate));
        }
        if let Some(quote) = row.integer(problems, "icmp_quote", 28..=1500) {
            settings.icmp.quote = Some(quote as usize);
        }
        let word = |text: &str| crate::router::reverse_path_named(text);
        let expected = "`off`, `loose` or `strict`";
        if let Some(it) = row.parsed(problems, "reverse_path", expected, word) {
            settings.reverse_path = it;
        }
        let word = |text: &str| crate::router::balancing_named(text);
        let expected = "`flow`, `addresses` or `packet`";
        if let Some(it) = row.parsed(problems, "balance", expected, word) {
            settings.balancing = it;
        }
        settings
    }

    fn leg(&mut self, row: &Table<'_, '_>) -> LegRow {
        LegRow {
            segment: row.required(self.problems, "segment"),
            at: row.text(self.problems, "at"),
            v4: self.v4(row),
            v6: self.v6(row),
        }
    }

    fn link(&mut self, row: &Table<'_, '_>) -> LinkRow {
        let ends: Vec<String> = row
            .texts(self.problems, "between")
            .into_iter()
            .map(|it| it.0)
            .collect();
        let ends: [String; 2] = ends.try_into().unwrap_or_else(|_| {
            self.problems.note(
                row.line,
                "a link has two ends".into(),
                "write `between = [\"r1\", \"r2\"]`".into(),
            );
            Default::default()
        });
        let (v4, v6) = self.nets(row);
        let name = if row.has("name") {
            row.name(self.problems, "name")
        } else {
            format!("{}-{}", ends[0], ends[1])
        };
        let known: Vec<&str> = DISCIPLINES.iter().map(|it| it.name).collect();
        let queue = row.text(self.problems, "discipline");
        if let Some(name) = queue.as_deref().filter(|it| !known.contains(it)) {
            let line = row.line_of(self.problems, "discipline");
            self.problems.unknown(line, "discipline", name, known);
        }
        LinkRow {
            name,
            line: row.line,
            ends,
            medium: self.named_medium(row),
            queue,
            cost: row.integer(self.problems, "cost", 1..=65_535).unwrap_or(1) as u32,
            v4: addressing::ends4(v4),
            v6: addressing::ends6(v6),
        }
    }

    fn host(&mut self, row: &Table<'_, '_>) -> HostRow {
        let mut services: Vec<Serving> = Vec::new();
        for (text, line) in row.texts(self.problems, "services") {
            match serving_named(&text) {
                Some(serving) => services.push(serving),
                None => {
                    let fix = format!("there are {}", services_known());
                    self.problems
                        .note(line, format!("there is no service `{text}`"), fix);
                }
            }
        }
        HostRow {
            name: row.name(self.problems, "name"),
            line: row.line,
            segment: row.required(self.problems, "on"),
            at: row.text(self.problems, "at"),
            v4: self.v4(row),
            v6: self.v6(row),
            via: row.text(self.problems, "via").unwrap_or_default(),
            services,
        }
    }

    fn portal(&mut self, row: &Table<'_, '_>) -> PortalRow {
        PortalRow {
            name: row.name(self.problems, "name"),
            line: row.line,
            doc: row.text(self.problems, "doc").unwrap_or_default(),
            segment: row.required(self.problems, "on"),
            at: row.text(self.problems, "at"),
            v4: self.v4(row),
            v6: self.v6(row),
            via: row.text(self.problems, "via").unwrap_or_default(),
            replaces: row.text(self.problems, "replaces"),
        }
    }

    fn route(&mut self, row: &Table<'_, '_>) -> RouteRow {
        let time = "a time such as `10s`";
        let net = row.parsed(
            self.problems,
            "to",
            "a net such as `10.0.0.0/8`",
            units::net,
        );
        let discard = row.boolean(self.problems, "discard").unwrap_or(false);
        if !row.has("to") || discard == row.has("via") {
            self.problems.note(
                row.line,
                "a route has `to`, and either `via` or `discard`".into(),
                "write `{ router = \"r1\", to = \"10.0.0.0/8\", via = \"r2\" }`".into(),
            );
        }
        let from = row.parsed(self.problems, "from", time, units::duration);
        RouteRow {
            router: row.required(self.problems, "router"),
            line: row.line,
            net: net.unwrap_or(crafty_value::Net::host(Ipv4Addr::UNSPECIFIED.into())),
            via: row.text(self.problems, "via"),
            from: from.unwrap_or_default(),
            until: row.parsed(self.problems, "until", time, units::duration),
        }
    }

    fn traffic(&mut self, row: &Table<'_, '_>) -> TrafficRow {
        let profile = row.text(self.problems, "profile");
        let known: Vec<&str> = PROFILES.iter().map(|it| it.name).collect();
        let profile = profile.unwrap_or(known[0].into());
        if !known.contains(&profile.as_str()) {
            let line = row.line_of(self.problems, "profile");
            self.problems.unknown(line, "profile", &profile, known);
        }
        TrafficRow {
            line: row.line,
            from: row.required(self.problems, "from"),
            to: row.required(self.problems, "to"),
            rate: row
                .integer(self.problems, "rate", 1..=1_000_000)
                .unwrap_or(10),
            size: row.integer(self.problems, "size", 28..=1500).unwrap_or(200) as usize,
            profile,
            dscp: row.integer(self.problems, "dscp", 0..=63).unwrap_or(0) as u8,
        }
    }

    fn faults(&mut self, top: &Table<'_, '_>) -> Vec<Planting> {
        let mut plantings = Vec::new();
        for (key, what, herring) in [
            ("faults", "fault", false),
            ("red_herrings", "red herring", true),
        ] {
            // Which keys a fault may have depends on its kind: all are let through here.
            let keys = faults::every_key();
            for row in top.rows(self.problems, key, what, &keys) {
                let notation = self.fault_row(&row);
                match notation {
                    Ok(mut planting) => {
                        planting.line = row.line;
                        planting.herring = herring;
                        plantings.push(planting);
                    }
                    Err(error) => self
                        .problems
                        .note(row.line, error.to_string(), String::new()),
                }
            }
        }
        plantings
    }

    fn fault_row(&mut self, row: &Table<'_, '_>) -> Result<Planting, crate::LabError> {
        let kind = row.required(self.problems, "kind");
        let fault = faults::fault_named(&kind)?;
        let values = row.others(self.problems, &["kind", "at"]);
        let mut planting = Planting::of(fault);
        planting.place = row.text(self.problems, "at");
        for (key, text, _) in values {
            planting.set(&key, &text)?;
        }
        Ok(planting)
    }
}
