//! Where text comes from: what is printed between « and ».
//!
//! This is another question than what a value may reveal. A program's own word stays its own, also
//! where received bytes chose it (`state := "open"`), and is never marked or cut. What the network
//! wrote stays the network's, also where it was cut, joined, or rebuilt byte by byte through
//! numbers and lists.

use super::price::each_statement;
use crate::ir::{
    BinaryOp, Expr, ExprKind, FieldRef, FieldSetting, Label, Over, Program, Send, Statement,
    StatementKind, StringPiece, Type, VarId, VariableKind,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Whether the network wrote the keys of a container, and what it holds (of a scalar: itself).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Written {
    keys: bool,
    held: bool,
    /// Of records, and of containers of them: by part. Where something is held and none is named,
    /// all of them.
    parts: BTreeMap<Arc<str>, bool>,
}

impl Written {
    fn held(held: bool) -> Written {
        Written {
            held,
            ..Written::default()
        }
    }

    fn any(&self) -> bool {
        self.keys || self.held
    }

    fn or(self, other: Written) -> Written {
        let unknown = |of: &Written| of.held && of.parts.is_empty();
        let mut parts = BTreeMap::new();
        if !unknown(&self) && !unknown(&other) {
            parts = self.parts;
            for (name, written) in other.parts {
                *parts.entry(name).or_default() |= written;
            }
        }
        Written {
            keys: self.keys || other.keys,
            held: self.held || other.held,
            parts,
        }
    }

    /// What is written of one part of a record.
    fn part(&self, name: &str) -> Written {
        let unknown = self.held && self.parts.is_empty();
        Written::held(self.parts.get(name).copied().unwrap_or(unknown))
    }

    /// What an element of this type is, out of a container: a map in it may have any of its words
    /// as keys.
    fn element(self, ty: &Type) -> Written {
        Written {
            keys: self.any() && matches!(ty, Type::Map(..)),
            ..self
        }
    }

    /// What a container of this is.
    fn contained(self) -> Written {
        Written {
            keys: false,
            held: self.any(),
            ..self
        }
    }
}

/// By expression: whether the network may have written its value, or some of it.
pub fn infer(program: &Program) -> Vec<bool> {
    let mut walk = OriginWalk {
        program,
        variables: vec![Written::default(); program.variables.len()],
        expressions: vec![false; program.expressions as usize],
        changed: true,
    };
    while std::mem::take(&mut walk.changed) {
        each_statement(&program.body, &mut |statement| walk.statement(statement));
    }
    walk.expressions
}

struct OriginWalk<'p> {
    program: &'p Program,
    variables: Vec<Written>,
    expressions: Vec<bool>,
    changed: bool,
}

impl OriginWalk<'_> {
    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Set { var, value } => {
                let written = self.value(value);
                self.assign(*var, written);
            }
            StatementKind::Update {
                var, path, value, ..
            } => {
                let written = self.value(value);
                let keys = self.any_of(path);
                let through = path
                    .iter()
                    .find_map(|step| self.names_part(*var, path, step));
                let inner = match (path.is_empty(), through) {
                    (true, _) => written,
                    (false, Some(name)) => Written {
                        keys: false,
                        held: written.any(),
                        parts: BTreeMap::from([(name, written.any())]),
                    },
                    (false, None) => written.contained(),
                };
                let keys = Written {
                    keys,
                    ..Written::default()
                };
                self.assign(*var, inner.or(keys));
            }
            StatementKind::Send {
                send,
                into: Some(var),
            } => {
                let written = self.sent(send);
                self.assign(*var, written);
            }
            StatementKind::Foreach {
                var, second, over, ..
            } => {
                let (first, held) = match over {
                    Over::Range(..) => (Written::default(), Written::default()),
                    Over::Value(value) => {
                        let of = self.value(value);
                        match &value.ty {
                            Type::Map(_, item) => (Written::held(of.keys), of.element(item)),
                            Type::Array(item) => {
                                let held = of.element(item);
                                (
                                    if second.is_some() {
                                        Written::default()
                                    } else {
                                        held.clone()
                                    },
                                    held,
                                )
                            }
                            _ => (of.clone(), of),
                        }
                    }
                };
                self.assign(*var, first);
                if let Some(second) = second {
                    self.assign(*second, held);
                }
            }
            StatementKind::Print(value) | StatementKind::Fail(value) => {
                self.value(value);
            }
            StatementKind::Assert(_, Some(message)) => {
                self.value(message);
            }
            StatementKind::Record { value, labels, .. } => {
                self.value(value);
                self.any_of(labels.iter().map(|(_, e)| e));
            }
            _ => {}
        }
    }

    fn assign(&mut self, var: VarId, written: Written) {
        let held = &mut self.variables[var.0 as usize];
        let risen = held.clone().or(written);
        self.changed |= risen != *held;
        *held = risen;
    }

    fn sent(&mut self, send: &Send) -> Written {
        let fields = send.layers.iter().flat_map(|literal| &literal.fields);
        let exprs = fields.flat_map(|(_, value)| match value {
            FieldSetting::Value(expr) => vec![expr],
            FieldSetting::Auto(..) => Vec::new(),
            FieldSetting::Options(options, _) => options.iter().flat_map(|o| o.exprs()).collect(),
        });
        Written::held(self.any_of(exprs.collect::<Vec<_>>()))
    }

    fn value(&mut self, expr: &Expr) -> Written {
        let written = self.written(expr);
        let known = &mut self.expressions[expr.id.0 as usize];
        self.changed |= written.any() && !*known;
        *known |= written.any();
        written
    }

    fn any_of<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> bool {
        // Each is looked at, also behind one that is known.
        let found: Vec<bool> = exprs.into_iter().map(|e| self.value(e).any()).collect();
        found.contains(&true)
    }

    fn written(&mut self, expr: &Expr) -> Written {
        match &expr.kind {
            ExprKind::Var(var) => self.variable(*var),
            ExprKind::Interpolate(pieces) => Written::held(self.interpolated(pieces)),
            ExprKind::Array(items) => {
                let all = items.iter().map(|item| self.value(item).contained());
                all.collect::<Vec<_>>()
                    .into_iter()
                    .fold(Written::default(), Written::or)
            }
            ExprKind::Record(names, items) => {
                let written: Vec<bool> = items.iter().map(|item| self.value(item).any()).collect();
                Written {
                    keys: false,
                    held: written.contains(&true),
                    parts: names.iter().map(Arc::clone).zip(written).collect(),
                }
            }
            ExprKind::Call { builtin, args } => self.call(builtin.name, args, &expr.ty),
            ExprKind::Field { packet, field, .. } => match field {
                FieldRef::Meta(_) => Written::default(),
                _ => Written::held(self.variable(*packet).any()),
            },
            ExprKind::Counter { counter, .. } => {
                let content = counter.label == Label::Content;
                Written {
                    keys: content,
                    ..Written::held(content)
                }
            }
            ExprKind::ErrorPart { message, .. } => Written::held(*message),
            ExprKind::At(base, index) => {
                let (of, by) = (self.value(base), self.value(index).any());
                if let (Type::Record(_), Some(name)) = (&base.ty, index.part_name()) {
                    return of.part(name);
                }
                // A word out of a list is the list's word; a byte or a number may be one of many.
                let chosen = by && expr.ty != Type::Str && !matches!(base.ty, Type::Map(..));
                match chosen {
                    true => Written::held(true),
                    false => of.element(&expr.ty),
                }
            }
            ExprKind::Slice(base, from, to) => {
                let ends = [from, to].into_iter().flatten().map(|e| &**e);
                let by = self.any_of(ends);
                Written::held(self.value(base).any() || by)
            }
            ExprKind::Negate(inner) => self.value(inner),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.any_of([&**a, &**b]);
                Written::default()
            }
            ExprKind::Binary(BinaryOp::Multiply, a, b) if expr.ty == Type::Bytes => {
                self.value(b);
                self.value(a)
            }
            ExprKind::Binary(_, a, b) => self.value(a).or(self.value(b)),
            ExprKind::Constant(_)
            | ExprKind::HasLayer { .. }
            | ExprKind::Not(_)
            | ExprKind::Compare(..)
            | ExprKind::InRange { .. } => Written::default(),
        }
    }

    fn variable(&self, var: VarId) -> Written {
        let of = &self.program.variables[var.0 as usize];
        match of.kind {
            VariableKind::Match | VariableKind::Error => Written::held(true),
            _ => self.variables[var.0 as usize].clone(),
        }
    }

    /// The name of the part that a step of a path leads to, if it is the step into a record.
    fn names_part(&self, var: VarId, path: &[Expr], step: &Expr) -> Option<Arc<str>> {
        let mut ty = &self.program.variables[var.0 as usize].ty;
        for before in path {
            if std::ptr::eq(before, step) {
                break;
            }
            ty = ty.behind(before)?;
        }
        match ty {
            Type::Record(_) => step.part_name().map(Arc::from),
            _ => None,
        }
    }

    /// Digits of numbers and addresses say nothing that could mislead; text does.
    fn interpolated(&mut self, pieces: &[StringPiece]) -> bool {
        let mut any = false;
        for piece in pieces {
            if let StringPiece::Hole(inner, _) = piece {
                any |= self.value(inner).any() && can_speak(&inner.ty);
            }
        }
        any
    }

    fn call(&mut self, name: &str, args: &[Expr], ty: &Type) -> Written {
        let written: Vec<Written> = args.iter().map(|arg| self.value(arg)).collect();
        let any = written.iter().any(Written::any);
        match name {
            "length" | "has" | "now" | "frames" | "source_for" => Written::default(),
            "keys" => Written::held(written.iter().any(|w| w.keys)),
            "remove" | "sort" => written.into_iter().next().unwrap_or_default(),
            "choose" | "one_of" if *ty == Type::Str => Written::default(),
            _ => Written::held(any),
        }
    }
}

fn can_speak(ty: &Type) -> bool {
    match ty {
        Type::Str | Type::Bytes | Type::Packet | Type::Error => true,
        Type::Array(item) => can_speak(item),
        Type::Map(key, item) => can_speak(key) || can_speak(item),
        Type::Record(parts) => parts.iter().any(|(_, part)| can_speak(part)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;

    /// Whether the one `print` of a program shows the network's words.
    #[track_caller]
    fn printed(body: &str, network: bool) {
        let head = "BUDGET = { max_duration: 60s }\nPERMISSIONS = { destinations: [192.0.2.1] }\nPORTS = { udp: [40000] }\nstate = \"unknown\"\nloot = bytes(\"\")\nn = 0\nnames = map(key=0, default=\"?\")\nseen = map(key=\"\", default=\"new\")\nwords = [\"open\", \"closed\"]\nrow = {state: \"new\", word: #00}\nrows = map(key=0, default={state: \"new\", word: #00})\ndeep = map(key=0, default=map(key=\"\", default=0))\n";
        let source = format!(
            "{head}/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {{\n  on linger=1s /IP!/UDP!/Bytes {{\n{body}\n  }}\n}}\n"
        );
        let checked = check(&source);
        let program = checked
            .program
            .unwrap_or_else(|| panic!("{body}: {:#?}", checked.reports));
        let received = infer(&program);
        let mut found = Vec::new();
        each_statement(&program.body, &mut |statement| {
            if let StatementKind::Print(value) = &statement.kind {
                found.push(received[value.id.0 as usize]);
            }
        });
        assert_eq!(found, [network], "{body}");
    }

    #[test]
    fn what_the_network_wrote_is_the_networks() {
        let data = "MATCH[Bytes].data";
        for (body, network) in [
            ("print(DATA)", true),
            ("print(text(DATA))", true),
            ("print(DATA[1:3])", true),
            ("print(\"it said ${text(DATA)}\")", true),
            ("loot := DATA\nprint(loot + #00)", true),
            (
                "foreach i 0..3 { loot += byte(one_of(int(DATA[i]), [65, 66])) }\nprint(loot)",
                true,
            ),
            (
                "foreach i 0..3 { loot += byte(int(DATA[i]) + 1) }\nprint(text(loot))",
                true,
            ),
            ("print(#414243[int(DATA[0]):3])", true),
            ("seen[text(DATA)] := \"old\"\nprint(keys(seen))", true),
            ("try { n := int(DATA) } else e { print(e.message) }", true),
            ("row := {state: \"x\", word: DATA}\nprint(row)", true),
            ("row.word := DATA\nprint(row.word)", true),
            (
                "rows[1].word := DATA\nforeach k, r rows { print(r.word) }",
                true,
            ),
            ("deep[1][text(DATA)] := 1\nprint(keys(deep[1]))", true),
            // The program's own words, whatever chose them.
            (
                "row := {state: \"open\", word: DATA}\nprint(row.state)",
                false,
            ),
            (
                "rows[1].word := DATA\nrows[1].state := \"open\"\nprint(rows[1].state)",
                false,
            ),
            (
                "rows[1].word := DATA\nforeach k, r rows { print(r.state) }",
                false,
            ),
            (
                "if DATA[0] == #41 { state := \"open\" }\nprint(state)",
                false,
            ),
            ("print(one_of(text(DATA), [\"open\", \"closed\"]))", false),
            ("print(words[int(DATA[0])])", false),
            ("names[int(DATA[0])] := \"first\"\nprint(names[1])", false),
            ("seen[text(DATA)] := \"old\"\nprint(seen[\"x\"])", false),
            (
                "n := int(DATA[0])\nstate := \"number ${n}\"\nprint(state)",
                false,
            ),
            ("print(#41 * int(DATA[0]))", false),
            ("try { n := int(DATA) } else e { print(e.kind) }", false),
            ("print(length(DATA))", false),
        ] {
            printed(&body.replace("DATA", data), network);
        }
    }
}
