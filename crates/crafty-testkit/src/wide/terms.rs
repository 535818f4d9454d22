//! Expressions of every type: functions, operators, counters of the blocks around, fields of packets.

use super::WideWriter;
use crafty_lang::builtins::{ALL, Builtin};
use crafty_lang::ir::Type;
use crafty_wire::{Field, FieldKind, Layer};
use std::sync::Arc;

/// Types of the variables that programs share, with how each begins.
pub(super) fn variables() -> Vec<(&'static str, Type, &'static str)> {
    let array = |ty| Type::Array(Arc::new(ty));
    let map = |key, item| Type::Map(Arc::new(key), Arc::new(item));
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
        ("texts", array(Type::Str), "[\"a\", \"b\"]"),
        ("lists", array(array(Type::Int)), "[[1], [2, 3]]"),
        ("m", map(Type::Int, Type::Int), "map(key=0, default=0)"),
        (
            "names",
            map(Type::Str, Type::Bytes),
            "map(key=\"\", default=#00)",
        ),
    ]
}

/// A function with types that it takes, and what it gives.
pub(super) struct FunctionSignature {
    pub builtin: &'static Builtin,
    pub takes: Vec<Type>,
    pub gives: Type,
}

pub(super) fn offers() -> Vec<FunctionSignature> {
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

/// Fields of own packets, by type; `p` is one.
const OWN: &[(Type, &[&str])] = &[
    (
        Type::Int,
        &[
            "p[IP].len",
            "p[IP].ttl",
            "p[IP].id",
            "p[IP].frag",
            "p[UDP].checksum",
            "p[UDP].dst",
            "p[Eth].len",
            "length(p)",
            "frames(p)",
            "length(p[Bytes].data)",
        ],
    ),
    (Type::Bytes, &["p[Bytes].data"]),
    (Type::Time, &["p[Eth].ts", "p[Eth].last_ts"]),
    (Type::Str, &["p[Eth].interface", "p[Eth].ts_source"]),
    (Type::Ip, &["p[IP].dst"]),
    (Type::Bool, &["p[IP].flags has mf", "has(p, UDP)"]),
];

/// What is read of a received packet, whatever its layers.
const RECEIVED: &[(Type, &[&str])] = &[
    (Type::Int, &["length(MATCH)", "MATCH[Eth].len"]),
    (Type::Time, &["MATCH[Eth].ts", "MATCH[Eth].last_ts"]),
    (Type::Str, &["MATCH[Eth].interface", "MATCH[Eth].ts_source"]),
];

impl WideWriter<'_> {
    /// An expression of a type.
    pub(super) fn term(&mut self, ty: &Type, depth: u32) -> String {
        if let Some(read) = self.read(ty) {
            return read;
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
        if depth == 0 || self.dice.percent(30) {
            return self.leaf(ty);
        }
        if self.dice.percent(35)
            && let Some(text) = self.operator(ty, depth - 1)
        {
            return text;
        }
        self.function(ty, depth - 1)
    }

    /// What a packet or a stack tells.
    fn read(&mut self, ty: &Type) -> Option<String> {
        let of = |rows: &[(Type, &[&'static str])]| {
            rows.iter()
                .find(|(of, _)| of == ty)
                .map(|(_, all)| all.to_vec())
        };
        if !self.received.is_empty() && self.dice.percent(25) {
            let mut all: Vec<String> = of(RECEIVED)
                .unwrap_or_default()
                .into_iter()
                .map(String::from)
                .collect();
            for name in &self.received {
                let layer = crafty_wire::layer(name)?;
                all.extend(readings(layer, ty));
            }
            if !all.is_empty() {
                return Some(all[self.dice.below(all.len() as u64) as usize].clone());
            }
        }
        if self.dice.percent(15) && !self.stacks.is_empty() {
            let stacks = self.stacks.clone();
            let counters: Vec<String> = stacks
                .iter()
                .flat_map(|layer| {
                    let fitting = layer.counters.iter().filter(|c| c.ty() == *ty);
                    fitting.map(move |c| format!("STACK[{}].{}", layer.name, c.name))
                })
                .collect();
            if !counters.is_empty() {
                return Some(counters[self.dice.below(counters.len() as u64) as usize].clone());
            }
        }
        match of(OWN) {
            Some(all) if self.dice.percent(12) => Some(self.dice.one(&all).into()),
            _ => None,
        }
    }

    fn operator(&mut self, ty: &Type, depth: u32) -> Option<String> {
        Some(match ty {
            Type::Int => {
                let (a, b) = (self.term(ty, depth), self.term(ty, 0));
                match self.dice.below(6) {
                    0 => format!("({a} + {b})"),
                    1 => format!("({a} - {b})"),
                    2 => format!("({a} * {b})"),
                    3 => format!("({a} % 97)"),
                    4 => format!("(-{b})"),
                    _ => format!("ints[{b}]"),
                }
            }
            Type::Float => {
                let (int, float) = (self.term(&Type::Int, 0), self.term(ty, depth));
                match self.dice.below(4) {
                    0 => format!("({int} + {float})"),
                    1 => format!("({float} * {int})"),
                    2 => format!("({int} / {int})"),
                    _ => format!("({float} / {int})"),
                }
            }
            Type::Bool => self.condition(depth),
            Type::Str => {
                let (inner, int) = (self.term(&Type::Float, 0), self.term(&Type::Int, 0));
                match self.dice.below(3) {
                    0 => format!("\"${{{inner}:.2}} ${{{int}:>6}}\""),
                    1 => format!("texts[{int}]"),
                    _ => format!("({} + \"c\")", self.term(ty, depth)),
                }
            }
            Type::Bytes => {
                let (a, n) = (self.term(ty, depth), self.term(&Type::Int, 0));
                match self.dice.below(5) {
                    0 => format!("({a} + {})", self.term(ty, 0)),
                    1 => format!("{}[0:1]", self.leaf(ty)),
                    2 => format!("(#00 * min(max({n}, 0), 900))"),
                    3 => format!("names[{}]", self.term(&Type::Str, 0)),
                    _ => format!("{}[{n}]", self.leaf(ty)),
                }
            }
            Type::Duration => {
                let (a, n) = (self.term(ty, depth), self.term(&Type::Int, 0));
                match self.dice.below(4) {
                    0 => format!("({a} + 1ms)"),
                    1 => format!("({a} * {n})"),
                    2 => format!("({} - t)", self.term(&Type::Time, 0)),
                    _ => format!("({a} / 2)"),
                }
            }
            Type::Time => format!(
                "({} + {})",
                self.term(ty, depth),
                self.term(&Type::Duration, 0)
            ),
            Type::Ip => format!("({} + {})", self.leaf(ty), self.term(&Type::Int, 0)),
            Type::Array(item) => match self.dice.below(2) {
                0 => format!("[{}, {}]", self.term(item, depth), self.leaf(item)),
                _ => format!("({} + {})", self.leaf(ty), self.leaf(ty)),
            },
            _ => return None,
        })
    }

    /// A truth of every relation.
    pub(super) fn condition(&mut self, depth: u32) -> String {
        let (a, b) = (self.term(&Type::Int, depth), self.term(&Type::Int, 0));
        match self.dice.below(10) {
            0 => format!("{a} in 1..{b}"),
            1 => format!("{a} not in [1, 2]"),
            2 => format!("{} has #00", self.term(&Type::Bytes, depth)),
            3 => format!("{} not has #01", self.term(&Type::Bytes, depth)),
            4 => format!("({a} == {b} and not ok)"),
            5 => format!("({a} != {b} or {} <= 2.5)", self.term(&Type::Float, 0)),
            6 => format!(
                "{} >= {}",
                self.term(&Type::Duration, depth),
                self.leaf(&Type::Duration)
            ),
            7 => format!(
                "{} == {}",
                self.term(&Type::Str, depth),
                self.leaf(&Type::Str)
            ),
            _ => format!("{a} {} {b}", self.dice.one(&["<", ">", "<=", ">="])),
        }
    }

    /// A call: each function as likely as any other, however many types it takes.
    fn function(&mut self, ty: &Type, depth: u32) -> String {
        let fitting: Vec<&FunctionSignature> =
            self.offers.iter().filter(|o| o.gives == *ty).collect();
        let mut names: Vec<&str> = fitting.iter().map(|o| o.builtin.name).collect();
        names.dedup();
        if names.is_empty() {
            return self.leaf(ty);
        }
        let name = self.dice.one(&names);
        let of: Vec<&&FunctionSignature> =
            fitting.iter().filter(|o| o.builtin.name == name).collect();
        let offer = of[self.dice.below(of.len() as u64) as usize];
        let takes = offer.takes.clone();
        let args: Vec<String> = takes
            .iter()
            .enumerate()
            .map(|(at, ty)| match (name, at) {
                ("choose" | "one_of", 1) => match ty {
                    Type::Array(item) => format!("[{}]", literal(item)),
                    _ => self.leaf(ty),
                },
                _ => self.term(ty, depth),
            })
            .collect();
        format!("{name}({})", args.join(", "))
    }

    pub(super) fn leaf(&mut self, ty: &Type) -> String {
        match ty {
            Type::Int if self.dice.percent(10) => return "row.n".into(),
            Type::Bytes if self.dice.percent(10) => return "row.w".into(),
            _ => {}
        }
        let names: Vec<&str> = variables()
            .into_iter()
            .filter(|(_, of, _)| of == ty)
            .map(|(name, ..)| name)
            .collect();
        match names.is_empty() || self.dice.percent(15) {
            true => literal(ty),
            false => self.dice.one(&names).into(),
        }
    }
}

/// Readings of a layer of a received packet that have this type.
fn readings(layer: &'static Layer, ty: &Type) -> Vec<String> {
    let read = |f: &Field| format!("MATCH[{}].{}", layer.name, f.name);
    let fields = layer.fields.iter();
    match ty {
        Type::Int => fields
            .filter(|f| matches!(f.kind, FieldKind::Uint | FieldKind::Named(_)))
            .map(read)
            .chain((layer.name == "Bytes").then(|| "int(MATCH[Bytes].data[0])".into()))
            .collect(),
        Type::Bytes => fields
            .filter(|f| matches!(f.kind, FieldKind::Bytes))
            .map(read)
            .collect(),
        Type::Ip => fields
            .filter(|f| matches!(f.kind, FieldKind::Ip4 | FieldKind::Ip6))
            .map(read)
            .collect(),
        Type::Str => fields
            .filter(|f| matches!(f.kind, FieldKind::Text))
            .map(read)
            .collect(),
        Type::Bool => fields
            .filter_map(|f| match f.kind {
                FieldKind::Flags(names) => {
                    let name = names.iter().find(|name| !name.is_empty())?;
                    Some(format!("{} has {name}", read(f)))
                }
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// A constant of a type.
pub(super) fn literal(ty: &Type) -> String {
    match ty {
        Type::Int => "3".into(),
        Type::Float => "2.5".into(),
        Type::Bool => "true".into(),
        Type::Str => "\"ab\"".into(),
        Type::Bytes => "#0102".into(),
        Type::Duration => "2ms".into(),
        Type::Ip => "10.0.0.7".into(),
        Type::Mac => "02:00:00:00:00:07".into(),
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
