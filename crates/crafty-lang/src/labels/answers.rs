//! Tests that only ask whether an answer came: an event, and no choice of the peer's content.
//!
//! Two kinds of field come back as they were sent. A protocol copies some for the sender to know
//! its answer by: what an ICMP error quotes (RFC 792, RFC 4443), the identifier and sequence number
//! of an echo reply. And a payload comes back whole, with the serial number in it that the program
//! counted up and sent.

use super::FlowRule;
use super::price::{each_statement, parts};
use super::range::Range;
use super::walk::Pass;
use crate::ir::{
    AssignOp, BinaryOp, Element, Expr, ExprKind, FieldRef, FieldTest, Operand, Pattern, Program,
    RelOp, Statement, StatementKind, VarId, VariableKind,
};
use crafty_value::Value;
use std::collections::BTreeSet;

/// Bytes of a serial number at least: shorter ones would be met by chance.
const SERIAL: i64 = 4;

/// Fields by which a quoted packet, or an echo reply, is known.
const KEYS: &[(&str, &[&str])] = &[
    ("IP", &["id", "src", "dst"]),
    ("IP6", &["flow", "src", "dst"]),
    ("UDP", &["src", "dst"]),
    ("TCP", &["src", "dst", "seq"]),
    ("ICMP", &["id", "seq"]),
    ("ICMP6", &["id", "seq"]),
];

/// Where serial numbers begin at most.
const FIRST: i64 = 65_535;

/// By how much they grow at most. In as many statements as a main program may run they stay below
/// 0x1800_0000: their first byte is none that text has, so that they are not met in a peer's text
/// by counting up to it.
const GROWTH: i64 = 4;

/// Variables that only count: set once to a small constant, then moved by a small constant upwards,
/// by the main program; and sent, for the peer to send back.
pub(super) fn serials(program: &Program) -> BTreeSet<VarId> {
    let mut found: BTreeSet<VarId> = BTreeSet::new();
    let mut other: BTreeSet<VarId> = BTreeSet::new();
    let mut visit = |statement: &Statement| match &statement.kind {
        StatementKind::Update {
            var,
            path,
            op: AssignOp::Add,
            value,
        } if path.is_empty() && counts_up(value) => {
            found.insert(*var);
        }
        StatementKind::Set { var, value } if is_beginning(value) && found.insert(*var) => {}
        StatementKind::Set { var, .. } | StatementKind::Update { var, .. } => {
            other.insert(*var);
        }
        // Handlers count when they like, and in a loop a number would begin again.
        StatementKind::On { body, .. } => each_statement(body, &mut |inner| {
            if let StatementKind::Update { var, .. } = &inner.kind {
                other.insert(*var);
            }
        }),
        StatementKind::Foreach { body, .. } | StatementKind::Repeat { body, .. } => {
            each_statement(body, &mut |inner| {
                if let StatementKind::Set { var, .. } = &inner.kind {
                    other.insert(*var);
                }
            })
        }
        _ => {}
    };
    each_statement(&program.body, &mut visit);
    &found - &other
}

fn counts_up(by: &Expr) -> bool {
    matches!(by.kind, ExprKind::Constant(Value::Int(n)) if (1..=GROWTH).contains(&n))
}

fn is_beginning(value: &Expr) -> bool {
    matches!(value.kind, ExprKind::Constant(Value::Int(n)) if (0..=FIRST).contains(&n))
}

/// Variables that some packet carries, or that make a variable which one carries.
pub(super) fn carried(program: &Program) -> BTreeSet<VarId> {
    let (mut found, mut makes) = (BTreeSet::new(), Vec::new());
    each_statement(&program.body, &mut |statement| {
        let mut read = BTreeSet::new();
        statement
            .expressions()
            .into_iter()
            .for_each(|e| variables(e, &mut read));
        match &statement.kind {
            StatementKind::Send { .. } => found.extend(read),
            StatementKind::Set { var, .. } => makes.push((*var, read)),
            _ => {}
        }
    });
    // Each statement may make known one more; the text has them mostly in their order.
    while let Some((_, read)) = makes
        .iter()
        .find(|(var, read)| found.contains(var) && !read.is_subset(&found))
    {
        found.extend(read.iter().copied());
    }
    found
}

fn variables(expr: &Expr, found: &mut BTreeSet<VarId>) {
    if let ExprKind::Var(var) = &expr.kind {
        found.insert(*var);
    }
    for part in parts(expr) {
        variables(part, found);
    }
}

fn is_constant(value: &Expr) -> bool {
    matches!(value.kind, ExprKind::Constant(_))
}

/// Whether a loop over these numbers counts like a serial number.
pub(super) fn counts_from_small(numbers: Option<Range>) -> bool {
    numbers.is_some_and(|(low, _)| (0..=i128::from(FIRST)).contains(&low))
}

impl Pass<'_> {
    /// Whether a number that only counts is one by which an answer is known.
    fn numbers_answers(&self, var: VarId) -> bool {
        let small = !self.on(FlowRule::SerialsAreSmall);
        self.serials.contains(&var) && (small || self.carried.contains(&var))
    }

    /// Whether a test asks no more than whether an answer came.
    pub(super) fn asks_for_an_answer(
        &self,
        pattern: &Pattern,
        at: usize,
        test: &FieldTest,
    ) -> bool {
        !test.negated && test.op == RelOp::Eq && is_key(pattern, at, test)
            || self.is_echoed_serial(test)
    }

    fn is_echoed_serial(&self, test: &FieldTest) -> bool {
        let whole = |(from, to): &(Option<Expr>, Option<Expr>)| {
            [from, to].into_iter().flatten().all(is_constant)
        };
        let payload = matches!(&test.field, FieldRef::Wire { layer, .. } if layer.name == "Bytes");
        let asks = !test.negated && matches!(test.op, RelOp::Eq | RelOp::Has);
        match &test.operand {
            Operand::Value(value) if payload && asks => {
                test.slice.as_ref().is_none_or(whole) && self.is_serial(value)
            }
            _ => false,
        }
    }

    /// A serial number in at least four bytes; constant bytes may be around it.
    fn is_serial(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Call { builtin, args } if builtin.name == "bytes" => match args.as_slice() {
                [number, width] => {
                    matches!(width.kind, ExprKind::Constant(Value::Int(n)) if n >= SERIAL)
                        && matches!(number.kind, ExprKind::Var(var) if self.numbers_answers(var))
                }
                _ => false,
            },
            ExprKind::Binary(BinaryOp::Add, a, b) => {
                self.is_serial(a) && is_constant(b) || is_constant(a) && self.is_serial(b)
            }
            ExprKind::Var(var) => self.definition(*var).is_some_and(|e| self.is_serial(e)),
            _ => false,
        }
    }

    /// The one expression that a variable is set from.
    fn definition(&self, var: VarId) -> Option<&Expr> {
        let local = self.program.variables[var.0 as usize].kind == VariableKind::Local;
        self.definitions
            .get(&var)
            .copied()
            .filter(|_| local && self.assignments[var.0 as usize] == 1)
    }
}

/// Whether the peer's stack copies this field from what we sent.
fn is_key(pattern: &Pattern, at: usize, test: &FieldTest) -> bool {
    let named = |layer: &str, field: &str| {
        KEYS.iter()
            .any(|(of, fields)| *of == layer && fields.contains(&field))
    };
    let (layer, field) = match &test.field {
        FieldRef::Wire { layer, field } => (layer.name, layer.fields[*field].name),
        FieldRef::Either { name, .. } => ("IP", *name),
        FieldRef::Option { .. } | FieldRef::OptionList { .. } | FieldRef::Meta(_) => return false,
    };
    let quoted = pattern.elements[..at].iter().any(is_icmp);
    named(layer, field) && (quoted || is_echo_reply(&pattern.elements[at]))
}

fn is_icmp(element: &Element) -> bool {
    matches!(element, Element::Layer { layer, .. } if matches!(layer.name, "ICMP" | "ICMP6"))
}

/// `ICMP(type == echo_reply, …)` (0 in RFC 792, 129 in RFC 4443).
fn is_echo_reply(element: &Element) -> bool {
    let Element::Layer { layer, conditions } = element else {
        return false;
    };
    let reply = match layer.name {
        "ICMP" => 0,
        "ICMP6" => 129,
        _ => return false,
    };
    conditions.iter().any(|any| {
        matches!(any.as_slice(), [test]
            if !test.negated
                && test.op == RelOp::Eq
                && matches!(&test.field, FieldRef::Wire { layer, field } if layer.fields[*field].name == "type")
                && matches!(&test.operand, Operand::Value(Expr { kind: ExprKind::Constant(Value::Int(n)), .. }) if *n == reply))
    })
}
