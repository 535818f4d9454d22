//! Whether the rows of a scenario fit together: names are unique and lead somewhere, nets do not
//! overlap, addresses lie in their nets, faults can be where they are put.

use super::table::Problems;
use super::{Scenario, SegmentKind};
use crafty_value::Net;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Notes whatever does not fit.
pub(super) fn check(scenario: &Scenario, problems: &mut Problems<'_>) {
    let mut it = Check { scenario, problems };
    it.names();
    it.segments();
    it.legs();
    it.links();
    it.hosts();
    it.portals();
    it.routes();
    it.traffic();
    it.defaults();
    it.nets();
    it.addresses();
    it.faults();
}

struct Check<'s, 'p, 't> {
    scenario: &'s Scenario,
    problems: &'p mut Problems<'t>,
}

impl Check<'_, '_, '_> {
    fn nodes(&self) -> Vec<(&str, usize)> {
        let it = self.scenario;
        let shared = it.segments.iter().map(|row| (row.name.as_str(), row.line));
        shared
            .chain(it.switches.iter().map(|row| (row.name.as_str(), row.line)))
            .chain(it.routers.iter().map(|row| (row.name.as_str(), row.line)))
            .chain(it.hosts.iter().map(|row| (row.name.as_str(), row.line)))
            .collect()
    }

    fn names(&mut self) {
        let mut first: BTreeMap<String, usize> = BTreeMap::new();
        let links = self.scenario.links.iter();
        let links = links.map(|row| (row.name.as_str(), row.line));
        let names: Vec<(String, usize)> = self
            .nodes()
            .into_iter()
            .chain(links)
            .map(|(name, line)| (name.to_string(), line))
            .collect();
        for (name, line) in names {
            match first.get(&name) {
                Some(before) if !name.is_empty() => self.problems.note(
                    line,
                    format!("`{name}` is already a name on line {before}"),
                    "choose another name".into(),
                ),
                _ => {
                    first.insert(name, line);
                }
            }
        }
        let mut portals: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &self.scenario.portals {
            if let Some(before) = portals.insert(&row.name, row.line) {
                self.problems.note(
                    row.line,
                    format!("the portal `{}` is already on line {before}", row.name),
                    "choose another name".into(),
                );
            }
        }
    }

    /// Notes that a name leads nowhere, unless it is empty: then that was reported before.
    fn known(&mut self, line: usize, kind: &str, name: &str, known: &[&str]) {
        if !name.is_empty() && !known.contains(&name) {
            self.problems
                .unknown(line, kind, name, known.iter().copied());
        }
    }

    fn segments(&mut self) {
        let switches: Vec<&str> = self.scenario.switches.iter().map(|it| &*it.name).collect();
        for row in &self.scenario.segments {
            if let SegmentKind::Vlan { switches: on, .. } = &row.kind {
                for name in on {
                    self.known(row.line, "switch", name, &switches);
                }
            }
        }
    }

    /// A segment that something is connected to, and the switch it names.
    fn place(&mut self, line: usize, segment: &str, at: Option<&str>) {
        let segments: Vec<&str> = self.scenario.segments.iter().map(|it| &*it.name).collect();
        self.known(line, "segment", segment, &segments);
        let kind = self.scenario.segment(segment).map(|it| &it.kind);
        match (kind, at) {
            (Some(SegmentKind::Shared), Some(at)) => self.problems.note(
                line,
                format!("segment `{segment}` has no switches, but `at` names `{at}`"),
                "leave `at` out".into(),
            ),
            (Some(SegmentKind::Vlan { switches, .. }), Some(at)) => {
                let switches: Vec<&str> = switches.iter().map(|it| &**it).collect();
                self.known(line, "switch of that segment", at, &switches);
            }
            _ => {}
        }
    }

    fn legs(&mut self) {
        for row in &self.scenario.routers {
            for leg in &row.legs {
                self.place(row.line, &leg.segment, leg.at.as_deref());
            }
        }
    }

    fn links(&mut self) {
        let routers: Vec<&str> = self.scenario.routers.iter().map(|it| &*it.name).collect();
        let switches: Vec<&str> = self.scenario.switches.iter().map(|it| &*it.name).collect();
        let both: Vec<&str> = routers.iter().chain(&switches).copied().collect();
        for row in &self.scenario.links {
            for end in &row.ends {
                self.known(row.line, "router or switch", end, &both);
            }
            let are = |kind: &[&str]| row.ends.iter().all(|it| kind.contains(&it.as_str()));
            let known = are(&both);
            if known && !are(&routers) && !are(&switches) {
                self.problems.note(
                    row.line,
                    format!("`{}` joins a router and a switch", row.name),
                    "put the router on a segment of the switch (`on`)".into(),
                );
            }
            if known && row.ends[0] == row.ends[1] {
                let message = format!("`{}` connects `{}` to itself", row.name, row.ends[0]);
                self.problems
                    .note(row.line, message, "name two different ends".into());
            }
        }
    }

    /// A router that something sends through.
    fn via(&mut self, line: usize, segment: &str, via: &str) {
        let on: Vec<&str> = self
            .scenario
            .routers
            .iter()
            .filter(|it| it.legs.iter().any(|leg| leg.segment == segment))
            .map(|it| &*it.name)
            .collect();
        if via.is_empty() && self.scenario.segment(segment).is_some() {
            let message = format!("no router is on segment `{segment}`");
            let fix = format!("add it to the `on` of a router: `on = [\"{segment}\"]`");
            return self.problems.note(line, message, fix);
        }
        self.known(line, "router on that segment", via, &on);
    }

    fn hosts(&mut self) {
        for row in &self.scenario.hosts {
            self.place(row.line, &row.segment, row.at.as_deref());
            self.via(row.line, &row.segment, &row.via);
        }
    }

    fn portals(&mut self) {
        let nodes: Vec<String> = self.nodes().iter().map(|it| it.0.to_string()).collect();
        let nodes: Vec<&str> = nodes.iter().map(|it| &**it).collect();
        for row in &self.scenario.portals {
            self.place(row.line, &row.segment, row.at.as_deref());
            self.via(row.line, &row.segment, &row.via);
            if let Some(replaced) = &row.replaces {
                self.known(row.line, "node", replaced, &nodes);
            }
        }
        if self.scenario.portals.is_empty() {
            self.problems.note(
                1,
                "the scenario has no portal, so no program can run in it".into(),
                "add `portals = [{ name = \"west\", on = \"SEGMENT\" }]`".into(),
            );
        }
    }

    fn routes(&mut self) {
        let routers: Vec<&str> = self.scenario.routers.iter().map(|it| &*it.name).collect();
        for row in &self.scenario.routes {
            self.known(row.line, "router", &row.router, &routers);
            if let Some(via) = &row.via {
                self.known(row.line, "router", via, &routers);
                let joined = self.are_neighbours(&row.router, via);
                if routers.contains(&via.as_str()) && !joined {
                    let message = format!("`{}` and `{via}` are not neighbours", row.router);
                    let fix = "name a router on the same link or segment".into();
                    self.problems.note(row.line, message, fix);
                }
            }
            if row.until.is_some_and(|until| until <= row.from) {
                let message = "the route ends before it starts".into();
                let fix = "`until` must be later than `from`".into();
                self.problems.note(row.line, message, fix);
            }
        }
    }

    fn are_neighbours(&self, a: &str, b: &str) -> bool {
        let linked =
            |ends: &[String; 2]| ends.iter().any(|it| it == a) && ends.iter().any(|it| it == b);
        let on = |name: &str| {
            let router = self.scenario.routers.iter().find(|it| it.name == name);
            router.map_or(&[][..], |it| it.legs.as_slice())
        };
        let meet = || {
            on(a)
                .iter()
                .any(|leg| on(b).iter().any(|it| it.segment == leg.segment))
        };
        self.scenario.links.iter().any(|it| linked(&it.ends)) || meet()
    }

    fn traffic(&mut self) {
        let hosts: Vec<&str> = self.scenario.hosts.iter().map(|it| &*it.name).collect();
        for row in &self.scenario.traffic {
            self.known(row.line, "host", &row.from, &hosts);
            self.known(row.line, "host", &row.to, &hosts);
        }
    }

    fn defaults(&mut self) {
        let links: Vec<&str> = self.scenario.links.iter().map(|it| &*it.name).collect();
        let hosts: Vec<&str> = self.scenario.hosts.iter().map(|it| &*it.name).collect();
        self.known(1, "link", &self.scenario.trunk, &links);
        self.known(1, "link", &self.scenario.detour, &links);
        self.known(1, "host", &self.scenario.server, &hosts);
    }

    fn nets(&mut self) {
        let segments = self.scenario.segments.iter().flat_map(|row| {
            [
                (&row.name, row.line, Net::new(row.v4.0.into(), row.v4.1)),
                (&row.name, row.line, Net::new(row.v6.0.into(), row.v6.1)),
            ]
        });
        let links = self.scenario.links.iter().flat_map(|row| {
            [
                (&row.name, row.line, Net::new(row.v4[0].into(), 30)),
                (&row.name, row.line, Net::new(row.v6[0].into(), 64)),
            ]
        });
        let mut seen: Vec<(&String, Net)> = Vec::new();
        for (name, line, net) in segments.chain(links) {
            let Some(net) = net else { continue };
            let meets =
                |it: &&(&String, Net)| it.1.contains(net.address()) || net.contains(it.1.address());
            if let Some((other, overlapped)) = seen.iter().find(meets) {
                self.problems.note(
                    line,
                    format!("the net {net} of `{name}` overlaps {overlapped} of `{other}`"),
                    "choose another net, or leave it out to get a free one".into(),
                );
            }
            seen.push((name, net));
        }
    }

    fn addresses(&mut self) {
        let it = self.scenario;
        let legs = it
            .routers
            .iter()
            .flat_map(|row| row.legs.iter().map(move |leg| (row, leg)))
            .map(|(row, leg)| (row.line, &row.name, &leg.segment, leg.v4, leg.v6));
        let hosts = it
            .hosts
            .iter()
            .map(|row| (row.line, &row.name, &row.segment, row.v4, row.v6));
        let portals = it
            .portals
            .iter()
            .map(|row| (row.line, &row.name, &row.segment, row.v4, row.v6));
        let mut owners: BTreeMap<IpAddr, &String> = BTreeMap::new();
        for (line, name, segment, v4, v6) in legs.chain(hosts).chain(portals) {
            let Some(row) = it.segment(segment) else {
                continue;
            };
            let nets = [(row.v4.0.into(), row.v4.1), (row.v6.0.into(), row.v6.1)];
            for (address, (net, prefix)) in
                [IpAddr::from(v4), IpAddr::from(v6)].into_iter().zip(nets)
            {
                let Some(net) = Net::new(net, prefix) else {
                    continue;
                };
                if !net.contains(address) {
                    let message = format!("{address} of `{name}` is not in {net} of `{segment}`");
                    let fix = "give it an address of that net, or leave the address out".into();
                    self.problems.note(line, message, fix);
                }
                // A portal may take the place of what it replaces.
                if let Some(other) = owners.insert(address, name)
                    && !it
                        .portals
                        .iter()
                        .any(|portal| &portal.name == name && portal.replaces.is_some())
                {
                    let message = format!("{address} of `{name}` is already used by `{other}`");
                    self.problems.note(line, message, "choose another".into());
                }
            }
        }
    }

    fn faults(&mut self) {
        for planting in &self.scenario.faults {
            if let Err(error) = planting.check_place(self.scenario) {
                self.problems
                    .note(planting.line, error.to_string(), String::new());
            }
        }
    }
}
