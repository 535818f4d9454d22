//! Driven blocks with their options and carriers, and literal packets of every layer.

use super::terms::literal;
use super::{LanguageRow, WideWriter};
use crafty_lang::driven::{DrivenLayer, LAYERS};
use crafty_lang::ir::{DrivenKind, Type};
use crafty_policy::ExfiltrationMode;
use crafty_wire::{Field, FieldKind, Layer, LayerRole, OptionRow};

/// A value that an option takes.
fn example(layer: &DrivenLayer, option: &str, ty: &Type) -> String {
    let fixed = match (layer.name, option) {
        (_, "dst") if *ty == Type::Ip => "10.0.0.2",
        (_, "src") if *ty == Type::Ip => "10.0.0.1",
        ("UDP" | "TCP", "src") => "40000",
        ("UDP" | "TCP", "dst") => "7",
        ("IP", "interface") => "\"test\"",
        ("TCP", "mss") => "536",
        ("TCP", "listen") => "false",
        ("TCP", "cc") => "\"newreno\"",
        ("TCP", "options") => "[mss(1460)]",
        ("TCP", "wscale") => "2",
        ("TCP", "isn") => "3",
        ("DNS", "name") => "\"a\"",
        ("DNS", "type") => "a",
        ("HTTP", "get" | "head" | "post") => "\"/a\"",
        ("HTTP", "headers") => "[\"X-A: b\"]",
        ("TLS", "min") => "\"1.2\"",
        ("TLS", "max") => "\"1.3\"",
        ("DNS", "edns") => "1232",
        _ => "",
    };
    if !fixed.is_empty() {
        return fixed.into();
    }
    match ty {
        Type::Duration => "20ms".into(),
        _ => literal(ty),
    }
}

/// Where a tunnel of this layer is: what is below, and what is needed above before IP.
fn carrier(layer: &'static Layer) -> Option<String> {
    let (head, _) = layer.example.split_once(&format!("/{}", layer.name))?;
    let rest = &layer.example[head.len()..];
    let end = rest.find("/IP").unwrap_or(rest.len());
    let text = format!("{head}{}", &rest[..end]);
    Some(
        text.replace("192.0.2.1", "10.0.0.2")
            .replace("src=50000", "src=40001"),
    )
}

impl WideWriter<'_> {
    /// A block of this layer over what it runs on; whether that is TCP.
    pub(super) fn block(&mut self, top: &'static DrivenLayer) -> bool {
        let mut stack = vec![top];
        while !stack[0].runs_on.is_empty() {
            let below = stack[0].runs_on;
            stack.insert(0, self.dice.one(below).layer());
        }
        let tcp = stack.iter().any(|layer| layer.kind == DrivenKind::Tcp);
        let over = match self.dice.below(6) {
            // What arrives is for a stack of its own.
            _ if self.mode == ExfiltrationMode::None => String::new(),
            0 => self.tunnel(),
            1 => self
                .dice
                .one(&["/Eth/VLAN(id=5)", "/IP(dst=10.0.0.2)", "/Eth"])
                .into(),
            _ => String::new(),
        };
        let head: Vec<String> = stack.iter().map(|layer| self.driven(layer)).collect();
        // Each layer a block of its own, now and then.
        let waits = self.mode != ExfiltrationMode::None;
        let apart = waits && stack.len() > 1 && over.is_empty() && self.dice.percent(20);
        let outer = self.stacks.len();
        if apart {
            self.line(format!("/{} {{", head[0]));
            self.stacks.push(stack[0]);
            self.statement(0);
            self.line(format!("{} {{", head[1..].join("/")));
        } else {
            self.line(format!("{over}/{} {{", head.join("/")));
        }
        self.stacks = stack.clone();
        self.inside(top, tcp);
        self.line("} else e { print(e.kind) }");
        if apart {
            self.line("}");
        }
        self.stacks.truncate(outer);
        tcp
    }

    fn inside(&mut self, top: &'static DrivenLayer, tcp: bool) {
        if tcp {
            let action = self
                .dice
                .one(&["drop", "hold", "duplicate", "delay=2ms", "split=1"]);
            self.held = if action == "hold" {
                "release"
            } else {
                "wait 2ms"
            };
            let body = self
                .dice
                .one(&["", " as o {\nprint(o[Eth].len)\ny += 1\n}"]);
            self.line(format!("on out {action} count=1 Bytes{body}"));
        }
        match top.kind {
            DrivenKind::Ip => self.handler("/IP!/ICMP", &["ICMP"]),
            DrivenKind::Udp => {
                let tests = match self.mode {
                    // Each datagram is handled: the machine is busy with it.
                    ExfiltrationMode::None => &[""][..],
                    _ => &["", "(data[0:1] == #07)", "(data == #0709)"],
                };
                let test = self.dice.one(tests);
                self.handler(&format!("/IP!/UDP!/Bytes{test}"), &["IP", "UDP", "Bytes"]);
                let payload = self.dice.one(&["\"hello\"", "#00 * 1400", "b"]);
                self.line(format!("Bytes({payload})"));
            }
            DrivenKind::Tcp => {
                if self.dice.percent(15) {
                    self.line("on /IP!/TCP!(state == close_wait) { print(MATCH[TCP].state) }");
                }
                let message = self.dice.one(&["Bytes", "Bytes", "HTTP", "TLS", "DNS"]);
                self.handler(&format!("/IP!/TCP!/{message}"), &[message]);
                self.line("q = Bytes(\"hello\")");
                if self.dice.percent(20) {
                    self.line("print(q[Eth].ts)");
                }
            }
            _ => {}
        }
        self.line("wait 10ms");
        let stacks = self.stacks.clone();
        for layer in &stacks {
            if !layer.counters.is_empty() {
                let at = self.dice.below(layer.counters.len() as u64) as usize;
                let counter = layer.counters[at].name;
                self.line(format!("print(\"${{STACK[{}].{counter}}}\")", layer.name));
            }
        }
        self.body(2);
        if tcp {
            let last = self.dice.one(&[self.held, "wait 1ms", "close", "abort"]);
            self.line(last);
        }
    }

    fn handler(&mut self, pattern: &str, layers: &[&'static str]) {
        let counts = match self.mode {
            ExfiltrationMode::None => &[""][..],
            _ => &["", "", " count=2"],
        };
        let count = self.dice.one(counts);
        let filters = match self.mode {
            ExfiltrationMode::None => &[""][..],
            _ => &["", "", "", " where length(MATCH) > 3"],
        };
        let filter = self.dice.one(filters);
        self.line(format!("on linger=9ms{count} {pattern}{filter} {{"));
        self.received = layers.to_vec();
        self.body(2);
        self.received.clear();
        self.line("}");
    }

    fn tunnel(&mut self) -> String {
        let all: Vec<&'static Layer> = crafty_wire::all()
            .iter()
            .copied()
            .filter(|layer| layer.role == LayerRole::Tunnel)
            .collect();
        let layer = all[self.dice.below(all.len() as u64) as usize];
        carrier(layer).unwrap_or_default()
    }

    /// `TCP!(dst=7, …)`, with some options.
    fn driven(&mut self, layer: &'static DrivenLayer) -> String {
        let asks: Vec<&str> = layer.request.map_or(Vec::new(), |r| r.one_of.to_vec());
        let asked = match asks.len() {
            0 => "",
            n => asks[self.dice.below(n as u64) as usize],
        };
        let mut options = Vec::new();
        for option in layer.options {
            let wanted = match (layer.kind, option.name) {
                (DrivenKind::Ip | DrivenKind::Udp | DrivenKind::Tcp, "dst" | "src") => true,
                (DrivenKind::Tcp, "isn") | (DrivenKind::Dns, "id") => true,
                (_, name) if asks.contains(&name) => name == asked,
                (DrivenKind::Http, "body") if asked != "post" => false,
                _ => self.dice.percent(12),
            };
            if wanted {
                let variable = self.dice.percent(4) && matches!(option.name, "ttl" | "dscp");
                let value = match variable {
                    true => self.term(&Type::Int, 0),
                    false => example(layer, option.name, &option.ty()),
                };
                options.push(format!("{}={value}", option.name));
            }
        }
        format!("{}!({})", layer.name, options.join(", "))
    }

    /// A packet of a layer of the tables for somebody else, a field of it set to what is at hand, or
    /// with one of its options.
    pub(super) fn literal_send(&mut self) {
        let all = crafty_wire::all();
        let layer = all[self.dice.below(all.len() as u64) as usize];
        if !layer.example.starts_with('/') {
            return self.line("/IP(dst=10.0.0.3)/UDP(src=40001, dst=9)/Bytes(b)");
        }
        let text = addressed(layer);
        let fields: Vec<&Field> = layer.fields.iter().collect();
        let set = match fields.is_empty() {
            true => None,
            false => {
                let at = self.dice.below(fields.len() as u64) as usize;
                self.setting(fields[at])
            }
        };
        let sent = set.and_then(|set| with(layer, &text, &set)).unwrap_or(text);
        let keep = self.dice.percent(10) && self.mode != ExfiltrationMode::None;
        self.fresh += 1;
        let n = self.fresh;
        match keep {
            true => self.line(format!("l{n} = {sent}")),
            false => self.line(sent),
        }
    }

    /// A program that only uses this row, of a layer; whether it is of one.
    pub(super) fn plain(&mut self, row: &LanguageRow) -> bool {
        let (name, option) = match (row.table, row.name.split_once('.')) {
            ("layer" | "carrier", None) => (row.name.as_str(), None),
            ("option of a layer", Some((layer, option))) => (layer, Some(option)),
            _ => return false,
        };
        let Some(layer) = crafty_wire::layer(name) else {
            return false;
        };
        self.head();
        if row.table == "carrier" {
            let below = carrier(layer).unwrap_or_default();
            self.line(format!(
                "{below}/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {{ Bytes(\"x\") }}"
            ));
            return true;
        }
        let text = addressed(layer);
        let set = option.and_then(|option| self.named_option(layer, option));
        let sent = set.and_then(|set| with(layer, &text, &set)).unwrap_or(text);
        self.line(sent);
        true
    }

    /// `field=[option(values)]`.
    fn named_option(&mut self, layer: &Layer, option: &str) -> Option<String> {
        layer.fields.iter().find_map(|field| {
            let FieldKind::Options(tlv) = field.kind else {
                return None;
            };
            let row = tlv.options.iter().find(|row| row.name == option)?;
            Some(format!("{}={}", field.name, self.option(row)))
        })
    }

    /// `[option(values)]`.
    fn option(&mut self, row: &OptionRow) -> String {
        let args: Vec<String> = row.shape.fields().map(|f| self.part(f)).collect();
        match args.is_empty() {
            true => format!("[{}]", row.name),
            false => format!("[{}({})]", row.name, args.join(", ")),
        }
    }

    /// `field=value`, for a field whose value can be at hand.
    fn setting(&mut self, field: &Field) -> Option<String> {
        let value = match field.kind {
            FieldKind::Uint | FieldKind::Named(_) => {
                format!("bit_and({}, 1)", self.term(&Type::Int, 1))
            }
            FieldKind::Bytes if field.width() == 0 => self.term(&Type::Bytes, 1),
            FieldKind::Options(tlv) => {
                let row = &tlv.options[self.dice.below(tlv.options.len() as u64) as usize];
                self.option(row)
            }
            _ => return None,
        };
        Some(format!("{}={value}", field.name))
    }

    /// A value for a field of an option.
    fn part(&mut self, field: &Field) -> String {
        match field.kind {
            FieldKind::Uint if self.dice.percent(30) => "bit_and(x, 1)".into(),
            FieldKind::Uint => "1".into(),
            FieldKind::Named(names) => names
                .first()
                .map_or("1".into(), |(number, _)| number.to_string()),
            FieldKind::Flags(_) => "0".into(),
            FieldKind::Ip4 => "10.0.0.7".into(),
            FieldKind::Ip6 => "2001:db8::7".into(),
            FieldKind::Mac => "02:00:00:00:00:07".into(),
            FieldKind::Text => "\"a\"".into(),
            FieldKind::Options(_) => "[]".into(),
            FieldKind::Bytes | FieldKind::Custom(_) => "#00010203".into(),
        }
    }

    /// A driven layer to begin with: `none` lets nothing answer.
    pub(super) fn any_layer(&mut self) -> &'static DrivenLayer {
        match self.mode {
            ExfiltrationMode::None => DrivenKind::Udp.layer(),
            _ => LAYERS[self.dice.below(LAYERS.len() as u64) as usize],
        }
    }
}

/// The example of a layer, for somebody else and in it for the peer.
fn addressed(layer: &Layer) -> String {
    let text = layer.example.replace("192.0.2.1", "10.0.0.3");
    text.replace("198.51.100.1", "10.0.0.2")
        .replace("src=50000", "src=40001")
}

/// A stack with a field of one of its layers set.
fn with(layer: &Layer, stack: &str, set: &str) -> Option<String> {
    let name = format!("/{}", layer.name);
    let at = stack
        .match_indices(&name)
        .map(|(at, _)| at + name.len())
        .find(|at| !stack[*at..].starts_with(|c: char| c.is_alphanumeric()))?;
    let (head, rest) = stack.split_at(at);
    let field = set.split('=').next()?;
    let Some(inside) = rest.strip_prefix('(') else {
        return Some(format!("{head}({set}){rest}"));
    };
    let (settings, rest) = settings(inside)?;
    let kept = settings
        .into_iter()
        .filter(|s| s.split('=').next() != Some(field));
    let all: Vec<&str> = kept.chain([set]).collect();
    Some(format!("{head}({}){rest}", all.join(", ")))
}

/// The settings up to the parenthesis that ends them, and what is behind it.
fn settings(inside: &str) -> Option<(Vec<&str>, &str)> {
    let (mut depth, mut from, mut all) = (0, 0, Vec::new());
    for (at, c) in inside.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' if depth == 0 => {
                all.extend(Some(inside[from..at].trim()).filter(|last| !last.is_empty()));
                return Some((all, &inside[at + 1..]));
            }
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                all.push(inside[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    None
}
