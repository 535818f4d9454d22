//! Random programs over the tables: every function with arguments of every type that it takes,
//! every driven layer with its options, every counter. What they tell somebody else is compared.

use crate::TestRng;
use crate::network::{datagram_from, segment_of, too_big};
use crafty_lang::builtins::{ALL, Builtin};
use crafty_lang::driven::{DrivenLayer, LAYERS};
use crafty_lang::ir::{DrivenKind, Type};
use crafty_policy::ExfiltrationMode;
use std::fmt::Write as _;
use std::sync::Arc;

/// A table row that a program can use, as a word that is looked for in its text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LanguageRow {
    /// `function`, `option`, `counter`, `statement`.
    pub table: &'static str,
    /// What it is called, with its layer.
    pub name: String,
    /// The text that shows that a program uses it.
    pub mark: String,
}

/// Statements that generated programs are made of, and the text that shows each.
const STATEMENTS: &[(&str, &str)] = &[
    ("assignment", ":= "),
    ("update", "+= "),
    ("record value", "{n: "),
    ("part", "row.n"),
    ("send", "Bytes("),
    ("block", "/IP!("),
    ("else of a block", "else e {"),
    ("if", "if "),
    ("foreach", "foreach "),
    ("repeat", "repeat "),
    ("wait", "wait "),
    ("on", "on linger"),
    ("on out", "on out "),
    ("release", "release"),
    ("expect", "expect "),
    ("ask", "ask tries"),
    ("try", "try {"),
    ("stop", "stop"),
    ("exit", "exit"),
    ("close", "close\n"),
    ("abort", "abort\n"),
    ("fail", "fail "),
    ("print", "print("),
    ("record", "record "),
    ("assert", "assert "),
    ("auto", "=auto"),
];

/// All rows of all tables.
pub fn rows() -> Vec<LanguageRow> {
    let row = |table, name: String, mark: String| LanguageRow { table, name, mark };
    let mut all: Vec<LanguageRow> = ALL
        .iter()
        .map(|b| row("function", b.name.into(), format!("{}(", b.name)))
        .collect();
    for layer in LAYERS {
        for option in layer.options {
            let name = format!("{}!({}=)", layer.name, option.name);
            let mark = format!(
                "{}={}",
                option.name,
                example(layer, option.name, &option.ty())
            );
            all.push(row("option", name, mark));
        }
        for counter in layer.counters {
            let name = format!("STACK[{}].{}", layer.name, counter.name);
            all.push(row("counter", name.clone(), name));
        }
    }
    all.extend(
        STATEMENTS
            .iter()
            .map(|(name, mark)| row("statement", (*name).into(), (*mark).into())),
    );
    all
}

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
        ("TCP", "congestion") => "\"reno\"",
        ("DNS", "name") => "\"a.b\"",
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
        Type::Int => "3".into(),
        Type::Bool => "true".into(),
        Type::Duration => "20ms".into(),
        Type::Str => "\"ab\"".into(),
        Type::Bytes => "#0102".into(),
        Type::Ip => "10.0.0.2".into(),
        Type::Array(item) => format!("[{}]", example(layer, "", item)),
        Type::Map(_, item) => format!("map(key=\"k\", default={})", example(layer, "", item)),
        _ => "3".into(),
    }
}

/// Types of the variables that programs share, with how each begins.
fn variables() -> Vec<(&'static str, Type, &'static str)> {
    let array = |ty| Type::Array(Arc::new(ty));
    let row = Type::Record(Arc::from([
        (Arc::from("n"), Type::Int),
        (Arc::from("w"), Type::Bytes),
    ]));
    vec![
        ("row", row, "{n: 1, w: #01}"),
        ("x", Type::Int, "1"),
        ("y", Type::Int, "2"),
        ("f", Type::Float, "1.5"),
        ("ok", Type::Bool, "true"),
        ("s", Type::Str, "\"ab\""),
        ("b", Type::Bytes, "#0102"),
        ("d", Type::Duration, "3ms"),
        ("t", Type::Time, "now()"),
        ("ip", Type::Ip, "10.0.0.9"),
        ("ints", array(Type::Int), "[3, 1, 2]"),
        ("floats", array(Type::Float), "[0.5, 1.5]"),
        ("times", array(Type::Duration), "[1ms, 2ms]"),
        (
            "m",
            Type::Map(Arc::new(Type::Int), Arc::new(Type::Int)),
            "map(key=0, default=0)",
        ),
    ]
}

/// A function with types that it takes, and what it gives.
struct FunctionSignature {
    builtin: &'static Builtin,
    takes: Vec<Type>,
    gives: Type,
}

fn offers() -> Vec<FunctionSignature> {
    let mut types: Vec<Type> = Vec::new();
    for (_, ty, _) in variables() {
        if !types.contains(&ty) {
            types.push(ty);
        }
    }
    types.push(Type::Packet);
    let mut all = Vec::new();
    for builtin in ALL {
        let singles = types.iter().map(|a| vec![a.clone()]);
        let pairs = types
            .iter()
            .flat_map(|a| types.iter().map(|b| vec![a.clone(), b.clone()]));
        let triples = types.iter().map(|a| vec![a.clone(), Type::Int, Type::Int]);
        let none = std::iter::once(Vec::new());
        for takes in none.chain(singles).chain(pairs).chain(triples) {
            let fits = (builtin.params.1..=builtin.params.0.len()).contains(&takes.len());
            if let (true, Ok(gives)) = (fits, (builtin.gives)(&takes)) {
                all.push(FunctionSignature {
                    builtin,
                    takes,
                    gives,
                });
            }
        }
    }
    all
}

/// Makes programs; knows what the functions take.
pub struct ProgramGenerator {
    offers: Vec<FunctionSignature>,
}

impl Default for ProgramGenerator {
    fn default() -> ProgramGenerator {
        ProgramGenerator { offers: offers() }
    }
}

/// A generated program, and which transport its peer speaks.
#[derive(Clone, Debug)]
pub struct Wide {
    /// Its text.
    pub source: String,
    /// Whether its peer is met by TCP.
    pub tcp: bool,
}

impl ProgramGenerator {
    /// A random program under a mode; under `none` it speaks UDP, since connections react.
    pub fn program(&self, mode: ExfiltrationMode, dice: &mut TestRng) -> Wide {
        let mut writer = WideWriter {
            offers: &self.offers,
            dice,
            mode,
            text: String::new(),
            received: false,
        };
        let tcp = writer.whole();
        Wide {
            source: writer.text,
            tcp,
        }
    }
}

struct WideWriter<'g> {
    offers: &'g [FunctionSignature],
    dice: &'g mut TestRng,
    mode: ExfiltrationMode,
    text: String,
    received: bool,
}

impl WideWriter<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.text, "{}", text.as_ref());
    }

    fn whole(&mut self) -> bool {
        self.line("BUDGET = { max_duration: 2s, max_packets: 4000, max_packets_per_secs: 4000, max_bytes: 1MB, max_syns: 20 }");
        self.line(format!(
            "PERMISSIONS = {{ destinations: [10.0.0.2, 10.0.0.3], sources: [host], exfiltration: {} }}",
            self.mode.name()
        ));
        self.line("PORTS = { udp: [40000, 40001], tcp: [40000], icmp: [7] }");
        for (name, _, first) in variables() {
            self.line(format!("{name} = {first}"));
            self.line(format!("{name} := {name}"));
        }
        self.line("p = /IP(dst=10.0.0.2)/UDP(src=40000, dst=7)/Bytes(\"p\")");
        let layer = match self.mode {
            ExfiltrationMode::None => DrivenKind::Udp.layer(),
            _ => LAYERS[1 + self.dice.below(LAYERS.len() as u64 - 1) as usize],
        };
        let tcp = self.block(layer);
        self.line("wait 5ms");
        self.line("/IP!(dst=10.0.0.3)/UDP!(src=40001, dst=9) {");
        for _ in 0..2 {
            let value = self.term(&Type::Bytes, 2);
            self.line(format!("Bytes({value})"));
        }
        let guard = self.term(&Type::Bool, 1);
        self.line(format!("if {guard} {{ Bytes(#01) }}"));
        self.line("}");
        tcp
    }

    /// A block of this layer over what it runs on; whether that is TCP.
    fn block(&mut self, top: &'static DrivenLayer) -> bool {
        let mut stack = vec![top];
        while let Some(below) = stack[0].runs_on.first() {
            stack.insert(0, below.layer());
        }
        let head: Vec<String> = stack.iter().map(|layer| self.driven(layer)).collect();
        let tcp = stack.iter().any(|layer| layer.kind == DrivenKind::Tcp);
        self.line(format!("/{} {{", head.join("/")));
        if tcp {
            let action = self
                .dice
                .one(&["drop", "hold", "duplicate", "delay=2ms", "split=1"]);
            self.line(format!("on out {action} count=1 Bytes"));
        }
        let over_udp = top.kind == DrivenKind::Udp;
        let over_tcp = top.kind == DrivenKind::Tcp;
        if over_udp || over_tcp {
            let pattern = if over_udp {
                "/IP!/UDP!/Bytes"
            } else {
                "/IP!/TCP!/Bytes"
            };
            self.line(format!("on linger=9ms {pattern} {{"));
            self.received = true;
            self.body(2);
            self.received = false;
            self.line("}");
            self.line("Bytes(\"hello\")");
        }
        self.line("wait 10ms");
        for layer in &stack {
            if !layer.counters.is_empty() {
                let at = self.dice.below(layer.counters.len() as u64) as usize;
                self.line(format!(
                    "print(\"${{STACK[{}].{}}}\")",
                    layer.name, layer.counters[at].name
                ));
            }
        }
        self.body(2);
        if tcp {
            let last = self.dice.one(&["release", "wait 1ms", "close", "abort"]);
            self.line(last);
        }
        self.line("} else e { print(e.kind) }");
        tcp
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
                (DrivenKind::Tcp, "isn") => true,
                (_, name) if asks.contains(&name) => name == asked,
                (DrivenKind::Http, "body") if asked != "post" => false,
                _ => self.dice.percent(12),
            };
            if wanted {
                options.push(format!(
                    "{}={}",
                    option.name,
                    example(layer, option.name, &option.ty())
                ));
            }
        }
        format!("{}!({})", layer.name, options.join(", "))
    }

    fn body(&mut self, most: u64) {
        for _ in 0..1 + self.dice.below(most) {
            self.statement();
        }
    }

    fn statement(&mut self) {
        let names = variables();
        let (name, ty, _) = names[self.dice.below(names.len() as u64) as usize].clone();
        let inner = |writer: &mut Self| {
            let (name, ty, _) = names[writer.dice.below(names.len() as u64) as usize].clone();
            let value = writer.term(&ty, 1);
            format!("{name} := {value}")
        };
        match self.dice.below(15) {
            0..4 => {
                let value = self.term(&ty, 2);
                self.line(format!("{name} := {value}"));
            }
            4 => {
                let value = self.term(&Type::Int, 1);
                let of = self.dice.one(&["x", "x", "row.n"]);
                self.line(format!("{of} += {value}"));
            }
            5 => {
                let (value, share) = (self.term(&ty, 2), self.term(&Type::Float, 1));
                self.line(format!("print({value})"));
                self.line(format!("print(\"${{{share}:.1%}}\")"));
            }
            6 => {
                let value = self.term(&Type::Int, 1);
                self.line(format!("record r = {value}"));
            }
            7 => {
                let (guard, set) = (self.term(&Type::Bool, 1), inner(self));
                self.line(format!("if {guard} {{ {set} }}"));
            }
            8 => {
                let set = inner(self);
                self.line(format!("foreach i 1..3 {{ {set} }}"));
            }
            9 => {
                let (guard, set) = (self.term(&Type::Bool, 1), inner(self));
                self.line(format!(
                    "repeat count=3 {{\n{set}\nif {guard} {{ stop }}\n}}"
                ));
            }
            10 => {
                let set = inner(self);
                self.line(format!("try {{ {set} }} else {{ y := 1 }}"));
            }
            11 if !self.received => {
                self.line("expect timeout=2ms /IP/ICMP { x := 4 } else { x := 5 }")
            }
            12 => {
                let guard = self.term(&Type::Bool, 1);
                let end = self.dice.one(&["exit", "fail \"no\""]);
                self.line(format!("if {guard} {{ {end} }}"));
            }
            13 => {
                let guard = self.term(&Type::Bool, 1);
                self.line(format!("assert {guard}"));
            }
            14 if !self.received => {
                let set = inner(self);
                self.line(format!("ask tries=2 as n {{\n/IP(dst=10.0.0.2)/UDP(src=40000, dst=7)/Bytes(byte(n))\n}} expect timeout=2ms /IP/ICMP {{ {set} }} else {{ x := 5 }}"));
            }
            _ => {
                self.line("/IP(dst=10.0.0.2)/TCP(src=40000, dst=7, flags=ack, seq=auto, ack=auto)")
            }
        }
    }

    /// An expression of a type.
    fn term(&mut self, ty: &Type, depth: u32) -> String {
        if self.received && self.dice.percent(20) {
            match ty {
                Type::Int => {
                    return self
                        .dice
                        .one(&["int(MATCH[Bytes].data[0])", "length(MATCH)"])
                        .into();
                }
                Type::Bytes => return "MATCH[Bytes].data".into(),
                Type::Time => return "MATCH[Eth].ts".into(),
                _ => {}
            }
        }
        if *ty == Type::Packet {
            return "p".into();
        }
        if let (Type::Record(parts), true) = (ty, depth > 0) {
            let parts: Vec<String> = parts
                .iter()
                .map(|(name, ty)| format!("{name}: {}", self.term(ty, depth - 1)))
                .collect();
            return format!("{{{}}}", parts.join(", "));
        }
        if *ty == Type::Float && depth > 0 && self.dice.percent(20) {
            let (int, float) = (self.term(&Type::Int, 0), self.term(ty, depth - 1));
            return match self.dice.below(3) {
                0 => format!("({int} + {float})"),
                1 => format!("({float} * {int})"),
                _ => format!("({float} / {int})"),
            };
        }
        let fitting: Vec<&FunctionSignature> =
            self.offers.iter().filter(|o| o.gives == *ty).collect();
        if depth == 0 || self.dice.percent(30) {
            return self.leaf(ty);
        }
        if *ty == Type::Bool && self.dice.percent(60) || fitting.is_empty() {
            return match ty {
                Type::Bool => {
                    let (a, b) = (
                        self.term(&Type::Int, depth - 1),
                        self.term(&Type::Int, depth - 1),
                    );
                    format!("{a} < {b}")
                }
                _ => self.leaf(ty),
            };
        }
        // Each function as likely as any other, however many types it takes.
        let mut names: Vec<&str> = fitting.iter().map(|o| o.builtin.name).collect();
        names.dedup();
        let name = self.dice.one(&names);
        let of: Vec<&&FunctionSignature> =
            fitting.iter().filter(|o| o.builtin.name == name).collect();
        let offer = of[self.dice.below(of.len() as u64) as usize];
        let args: Vec<String> = offer
            .takes
            .iter()
            .enumerate()
            .map(|(at, ty)| match (name, at) {
                ("choose" | "one_of", 1) => match ty {
                    Type::Array(item) => format!("[{}]", literal(item)),
                    _ => self.leaf(ty),
                },
                _ => self.term(ty, depth - 1),
            })
            .collect();
        format!("{name}({})", args.join(", "))
    }

    fn leaf(&mut self, ty: &Type) -> String {
        let names: Vec<&str> = variables()
            .into_iter()
            .filter(|(_, of, _)| of == ty)
            .map(|(name, ..)| name)
            .collect();
        let part = match ty {
            Type::Int => "row.n",
            Type::Bytes => "row.w",
            _ => "",
        };
        match names.is_empty() {
            _ if !part.is_empty() && self.dice.percent(15) => part.into(),
            true => literal(ty),
            false => self.dice.one(&names).into(),
        }
    }
}

fn literal(ty: &Type) -> String {
    match ty {
        Type::Int => "3".into(),
        Type::Float => "2.5".into(),
        Type::Bool => "true".into(),
        Type::Str => "\"ab\"".into(),
        Type::Bytes => "#0102".into(),
        Type::Duration => "2ms".into(),
        Type::Ip => "10.0.0.7".into(),
        Type::Array(item) => format!("[{}]", literal(item)),
        Type::Map(key, item) => format!("map(key={}, default={})", literal(key), literal(item)),
        Type::Record(parts) => {
            let parts = parts
                .iter()
                .map(|(name, ty)| format!("{name}: {}", literal(ty)));
            format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
        }
        _ => "now()".into(),
    }
}

/// What arrives from a peer that says these bytes: datagrams, or a connection with the sequence
/// number, window and options of its choice.
pub fn arrivals(tcp: bool, dice: &mut TestRng) -> Vec<(u64, Vec<u8>)> {
    let payload: Vec<u8> = (0..3).map(|_| dice.below(256) as u8).collect();
    if !tcp {
        return [3, 6, 12]
            .map(|at| (at, datagram_from(7, &payload)))
            .to_vec();
    }
    let seq = dice.roll() as u32;
    let window = dice.one(&[100, 4_000, 60_000]);
    let mss = dice.one(&[&[2, 4, 5, 0xb4], &[2, 4, 2, 0x18]]);
    vec![
        (2, segment_of(seq, 4, 0x12, window, mss, &[])),
        (
            4,
            segment_of(seq.wrapping_add(1), 4, 0x10, window, &[], &payload),
        ),
    ]
}

/// What arrives from a peer that does as it likes, from a router that says how large datagrams may
/// be, and for how many milliseconds the machine is busy after each. All of it comes while handlers
/// live: what they do with it takes the time.
pub fn anything(dice: &mut TestRng) -> (Vec<(u64, Vec<u8>)>, u64) {
    let mut frames: Vec<(u64, Vec<u8>)> = (0..dice.below(5))
        .map(|_| {
            let payload: Vec<u8> = (0..1 + dice.below(4))
                .map(|_| dice.below(256) as u8)
                .collect();
            (1 + dice.below(9), datagram_from(7, &payload))
        })
        .collect();
    let busy = dice.one(&[0, 0, 1, 2, 5, 30]);
    if busy == 0 {
        frames.push((3, too_big(600, &OWN_DATAGRAM)));
    }
    frames.sort();
    (frames, busy)
}

/// The head of a datagram of ours to the peer.
const OWN_DATAGRAM: [u8; 28] = [
    0x45, 0, 5, 0xdc, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0x9c, 0x40, 0, 7, 5,
    0xc8, 0, 0,
];
