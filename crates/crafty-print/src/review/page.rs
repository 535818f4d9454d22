//! The page for people: one fact a line, the kind of fact in front, the worst first.

use super::cell::{cell, statement};
use super::words::{amount, destination_ports, party, port, reach, size};
use crafty_lang::ir::{Label, Span};
use crafty_lang::labels::price::{Cost, PriceCharge};
use crafty_lang::traffic::{HeardTraffic, Party, PrintedOutput, ReadDepth, SendAct, SentTraffic};
use crafty_policy::{ExfiltrationMode, Policy, Power, leak};
use crafty_run::LoadedProgram;
use crafty_run::review::{
    ChangedLimit, InformationFlow, Review, ReviewedParam, addresses, ports, ranges_of,
};

/// The whole page.
pub fn review_page(program: &LoadedProgram, review: &Review) -> String {
    let page = ReviewPage { program, review };
    let mut lines = page.head();
    lines.extend(page.sends());
    lines.extend(page.flows());
    lines.extend(page.hears());
    lines.extend(page.prints());
    lines.extend(page.grants());
    lines.extend(page.limits());
    lines.extend(page.leaks());
    text(lines)
}

/// What a person who approves must see once more: the program with its digest, warnings, params, every
/// line that sends, what of received data reaches whom, and how much it is at most.
pub fn review_summary(program: &LoadedProgram, review: &Review) -> String {
    let page = ReviewPage { program, review };
    text([page.head(), page.sends(), page.flows(), page.limits()].concat())
}

fn text(lines: Vec<PageLine>) -> String {
    let rows = lines.into_iter();
    rows.map(|(kind, text)| format!("{kind:<12} {text}\n"))
        .collect()
}

/// Limits that are on one line.
const LIMITS_IN_A_LINE: usize = 3;

type PageLine = (&'static str, String);

struct ReviewPage<'r> {
    program: &'r LoadedProgram,
    review: &'r Review,
}

impl ReviewPage<'_> {
    fn policy(&self) -> &Policy {
        &self.program.bound.policy
    }

    fn line(&self, span: Span) -> usize {
        self.program.source.position(span.start).0
    }

    fn head(&self) -> Vec<PageLine> {
        let source = &self.program.source;
        let name = cell(&source.name);
        let (bytes, digest) = (source.text.len(), &self.review.digest);
        let mut lines = vec![(
            "program",
            format!("{name} ({bytes} bytes, digest {digest})"),
        )];
        let warnings = self.review.warnings.iter();
        lines.extend(warnings.map(|warning| ("WARNING", warning.clone())));
        lines.extend(self.review.params.iter().map(|it| ("param", param(it))));
        lines
    }

    fn sends(&self) -> Vec<PageLine> {
        let sends = self.review.traffic.sends.iter();
        let sends = sends.filter(|send| send.act != SendAct::Idle);
        let lines: Vec<PageLine> = sends.map(|send| ("sends", self.send(send))).collect();
        match lines.is_empty() {
            true => vec![("sends", "nothing".into())],
            false => lines,
        }
    }

    fn send(&self, send: &SentTraffic) -> String {
        let policy = self.policy();
        let sources = match policy.sources.is_empty() {
            true => "its own addresses".into(),
            false => addresses(&policy.sources),
        };
        let (from, to) = (party(&send.from, &sources), party(&send.to, &reach(policy)));
        let link = match (&send.to, &send.link) {
            (Party::Link(_), _) | (_, None) => String::new(),
            (_, macs) => format!(" by {}", party(&Party::Link(macs.clone()), "")),
        };
        let effects = match send.effects.is_empty() {
            true => String::new(),
            false => format!(" ({})", send.effects.join("; ")),
        };
        let handler = match send.handler {
            Some(span) => format!(", when line {} hears something", self.line(span)),
            None => String::new(),
        };
        format!(
            "line {}: {}{effects} from {from}{} to {to}{}{link}{}{handler}: {}",
            self.line(send.span),
            amount(send),
            port(&send.from_ports),
            port(&send.to_ports),
            size(send),
            statement(&self.program.source, send.span),
        )
    }

    fn flows(&self) -> Vec<PageLine> {
        let flows = self.review.flows.iter();
        flows.map(|flow| ("flow", self.flow(flow))).collect()
    }

    fn flow(&self, flow: &InformationFlow) -> String {
        let within = reach(self.policy());
        let what = match flow.carries {
            Label::Content => "data received",
            _ => "what arrives (that, when, how long)",
        };
        let heard = heard_within(self.policy());
        let from: Vec<String> = flow.from.iter().map(|from| party(from, &heard)).collect();
        format!(
            "line {}: {what} from {} may decide what is sent to {}, up to {} bits{}",
            self.line(flow.span),
            from.join("; "),
            party(&flow.to, &within),
            flow.bits,
            if flow.elsewhere {
                " (WARNING: not the same)"
            } else {
                ""
            },
        )
    }

    fn hears(&self) -> Vec<PageLine> {
        let hears = self.review.traffic.hears.iter();
        hears.map(|heard| ("hears", self.heard(heard))).collect()
    }

    fn heard(&self, heard: &HeardTraffic) -> String {
        let policy = self.policy();
        let how = match heard.handler {
            true => "each packet",
            false => "waits for a packet",
        };
        let depth = match heard.depth {
            ReadDepth::Arrival => "that it came",
            ReadDepth::Headers => "headers",
            ReadDepth::Payload => "headers and payload",
        };
        let interfaces = match &policy.interfaces {
            None => "the interface of its route".into(),
            Some(names) => {
                let names: Vec<String> = names.iter().map(|name| cell(name)).collect();
                names.join(", ")
            }
        };
        format!(
            "line {}: {how} of {} from {} ({depth}), on {interfaces}",
            self.line(heard.span),
            heard.layers.join("/"),
            party(&heard.from, &heard_within(policy)),
        )
    }

    fn prints(&self) -> Vec<PageLine> {
        let prints = self.review.traffic.prints.iter();
        let tells = prints.filter(|print| print.label != Label::Clean);
        tells.map(|print| ("prints", self.print(print))).collect()
    }

    fn print(&self, print: &PrintedOutput) -> String {
        let what = match (print.label, print.depth) {
            (Label::Content, ReadDepth::Payload) => "received data, payload",
            (Label::Content, _) => "received data, headers",
            _ => "counts, times and lengths of what is received",
        };
        format!(
            "line {}: {what}: {}",
            self.line(print.span),
            statement(&self.program.source, print.span)
        )
    }

    fn grants(&self) -> Vec<PageLine> {
        let policy = self.policy();
        let count = policy.destinations.count();
        let many = if count == 1 { "address" } else { "addresses" };
        let mut lines = vec![
            (
                "may reach",
                format!("{} ({count} {many})", addresses(&policy.destinations)),
            ),
            ("  ports", destination_ports(policy)),
            ("may send as", self.sources()),
            ("owns", self.owned()),
            ("kernel", self.kernel().into()),
            ("powers", self.powers()),
        ];
        let unused = self.review.unused.iter();
        lines.extend(unused.map(|it| {
            (
                "unused",
                format!("{}: {}, and no line uses it", it.key, it.what),
            )
        }));
        match &self.review.outside {
            None => {}
            Some(ranges) if ranges.is_empty() => lines.push((
                "operator",
                "all its destinations are on the operator's list".into(),
            )),
            Some(ranges) => lines.push((
                "operator",
                format!(
                    "not on the operator's list, and never reached: {}",
                    ranges_of(ranges)
                ),
            )),
        }
        if self.review.narrowed {
            lines.push((
                "policy",
                "the operator's policy narrows what the program asks for; this page shows what is left".into(),
            ));
        }
        lines
    }

    fn sources(&self) -> String {
        let sources = &self.policy().sources;
        match sources.is_empty() {
            true => "this host's own addresses".into(),
            false => format!("this host's own addresses and {}", addresses(sources)),
        }
    }

    fn owned(&self) -> String {
        let own = &self.policy().ports;
        format!(
            "tcp {}; udp {}; icmp identifiers {}",
            ports(&own.tcp),
            ports(&own.udp),
            ports(&own.icmp)
        )
    }

    fn kernel(&self) -> &'static str {
        let policy = self.policy();
        let own = &policy.ports;
        let none = own.tcp.is_empty() && own.udp.is_empty() && own.icmp.is_empty();
        match none && policy.sources.is_empty() {
            true => "not touched",
            false => {
                "does not answer for these while the program runs: one firewall table, removed when the process ends"
            }
        }
    }

    fn powers(&self) -> String {
        let names: Vec<&str> = self
            .policy()
            .powers
            .iter()
            .map(|power| power.name())
            .collect();
        match names.is_empty() {
            true => "none".into(),
            false => names.join(", "),
        }
    }

    fn limits(&self) -> Vec<PageLine> {
        let (b, worst) = (&self.policy().budget, &self.review.worst);
        let mut lines: Vec<PageLine> = vec![(
            "main program",
            format!(
                "{} to {} packets, {} to {} bytes, {} handlers",
                worst.packets.0, worst.packets.1, worst.bytes.0, worst.bytes.1, worst.handlers
            ),
        )];
        if worst.neighbours > 0 {
            lines.push((
                "start-up",
                format!(
                    "up to {} ARP or ND requests for the link addresses of {} destinations or their routers",
                    worst.questions, worst.neighbours
                ),
            ));
        }
        let why = if worst.by_budget {
            ", by the budget alone"
        } else {
            ""
        };
        lines.push((
            "worst case",
            format!(
                "{} packets, {} bytes, {} bit/s{why}",
                worst.all_packets, worst.all_bytes, worst.bits_per_second
            ),
        ));
        lines.push((
            "at most",
            format!(
                "{} packets ({}/s), {} bytes ({}/s), {} SYNs ({}/s), for {}",
                b.max_packets,
                b.max_packets_per_secs,
                b.max_bytes,
                b.max_bytes_per_secs,
                b.max_syns,
                b.max_syns_per_secs,
                b.max_duration
            ),
        ));
        lines.push((
            "enforced",
            "all of the above, for every frame: a frame outside these limits is dropped and reported, and the run ends with status 4".into(),
        ));
        let changed: Vec<String> = self.review.limits.iter().filter_map(limit).collect();
        let rows = changed.chunks(LIMITS_IN_A_LINE);
        lines.extend(rows.map(|row| ("not usual", row.join("; "))));
        lines
    }

    fn leaks(&self) -> Vec<PageLine> {
        let mut lines = vec![("leaks", self.leak())];
        lines.extend(
            self.review
                .choices
                .iter()
                .map(|cost| ("  chooses", self.choice(cost))),
        );
        let echoes = self.review.echoes.iter();
        lines.extend(echoes.map(|what| ("  echoes", format!("to the same peer: {what}"))));
        lines
    }

    fn leak(&self) -> String {
        let policy = self.policy();
        let places = self.review.flows.len();
        match policy.exfiltration {
            ExfiltrationMode::True => format!(
                "anything that is received, up to {} bytes",
                policy.budget.max_bytes
            ),
            _ if places == 0 => "0 bits: no send depends on anything that is received".into(),
            _ => format!(
                "at most {} bits, by whether, when and how long {places} places send; {}",
                self.event_bits(),
                self.declassified()
            ),
        }
    }

    fn event_bits(&self) -> u64 {
        let bits = self.review.flows.iter().map(|flow| flow.bits);
        let sum = bits.fold(0u64, u64::saturating_add);
        sum.min(self.policy().max_leak_bits)
    }

    /// What received bytes choose by themselves, apart from what events tell.
    fn declassified(&self) -> String {
        let limit = self.review.chosen_limit;
        match self.review.chosen_bits {
            Some(0) => "no received byte is sent".into(),
            Some(bits) => {
                format!("received bytes choose at most {bits} bits of what is sent (limit {limit})")
            }
            None => format!("received bytes choose what is sent, without a bound (limit {limit})"),
        }
    }

    fn choice(&self, cost: &Cost) -> String {
        if cost.charge == PriceCharge::AtStart {
            return format!(
                "line {}: {} bits: received data may end the run, by the memory or the computing that it decides over",
                self.line(cost.span),
                leak::decimal(cost.each)
            );
        }
        let times = cost.times.map_or("any number of".into(), |n| n.to_string());
        format!(
            "line {}: {} bits each, {times} times",
            self.line(cost.span),
            leak::decimal(cost.each)
        )
    }
}

/// What a program hears of, in words.
fn heard_within(policy: &Policy) -> String {
    let errors = "whoever reports an error about its packets";
    let own = match policy.destinations.is_empty() {
        true => errors.into(),
        false => format!("{}, or {errors}", reach(policy)),
    };
    match (&policy.observe, policy.powers.has(Power::Observe)) {
        (_, false) => own,
        (Some(set), true) => format!("{own}, or in the traffic of {}", addresses(set)),
        (None, true) => "all traffic of the link".into(),
    }
}

/// A limit that is not as usual and has no line of its own.
fn limit(limit: &ChangedLimit) -> Option<String> {
    let told = [
        "destinations",
        "destination_ports",
        "sources",
        "powers",
        "tcp",
        "udp",
        "icmp",
    ];
    (!told.contains(&limit.key)).then(|| {
        format!(
            "{} {} (usually {})",
            limit.key,
            cell(&limit.value),
            limit.default
        )
    })
}

fn param(param: &ReviewedParam) -> String {
    let default = match &param.default {
        Some(default) if *default == param.value => "its default".into(),
        Some(default) => format!("the default is {}", cell(default)),
        None => "no default".to_string(),
    };
    let reach = match param.decides_reach {
        true => "; it decides who is reached",
        false => "",
    };
    format!(
        "{} = {} ({default}{reach})",
        cell(&param.name),
        cell(&param.value)
    )
}
