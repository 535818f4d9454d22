//! The price of declassification: where received content becomes an event, and how many ways it
//! can come out each time.
//!
//! `choose`, `one_of` and a test against something that changes turn content into an event. Once
//! that is nothing; a thousand times it is a whole message. So each such place has a price, each
//! send knows the places that it was reached from, and what they cost together has a limit
//! ([`declassified`]).

use super::{FlowRule, Labels, ending};
use crate::check::Bindings;
use crate::diagnostics::leak_over_limit;
use crate::eval::cost::Allowance;
use crate::eval::evaluate;
use crate::ir::{
    Arm, Block, Element, Expr, ExprId, ExprKind, FieldRef, FieldTest, Label, Meta, Operand,
    Pattern, Program, Span, Statement, StatementKind, StringPiece, Type, VarId, VariableKind,
};
use crate::worst::{Executions, executions};
use crafty_policy::{ExfiltrationMode, Policy, leak};
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::Value;

/// A declassifying place, by its number in [`Labels::prices`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PriceId(pub u32);

/// A place at which content becomes an event.
#[derive(Clone, Debug)]
pub struct Price {
    /// The call, or the arm of a handler or `expect`.
    pub span: Span,
    /// What it is executed with: the statement or block that holds it.
    pub within: Span,
    /// How it can come out.
    pub outcomes: Outcomes,
    /// Whether some send depends on it.
    pub paid: bool,
}

/// How an execution of a declassifying place can come out.
#[derive(Clone, Debug)]
pub enum Outcomes {
    /// One of a constant list; `one_of` may also find nothing.
    Choice {
        /// The call.
        call: ExprId,
        /// The list.
        list: Expr,
        /// Whether it can find nothing.
        misses: bool,
    },
    /// One of so many arms of an `expect` matches whose tests change, or none of them.
    Arms(u64),
    /// The test of a handler stays the same while it lives, and is another one the next time. Each
    /// packet is asked; with `count` it ends after so many matches.
    Handler(Option<Expr>),
    /// The test of a handler changes while it lives: each packet is another question. With `count`
    /// it ends after so many matches.
    Moving(Option<Expr>),
}

/// How much the operands of a test change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Moves {
    /// Known before the start.
    Never,
    /// From one execution of the statement to the next.
    Between,
    /// At any time.
    Always,
}

/// How often each variable is assigned in the text; twice stands for more.
pub(super) fn assignments(program: &Program) -> Vec<u8> {
    let mut counts = vec![0u8; program.variables.len()];
    each_statement(&program.body, &mut |statement| {
        let (var, by) = match &statement.kind {
            StatementKind::Set { var, .. } => (*var, 1),
            StatementKind::Send {
                into: Some(var), ..
            } => (*var, 1),
            StatementKind::Update { var, .. } => (*var, 2),
            _ => return,
        };
        let count = &mut counts[var.0 as usize];
        *count = count.saturating_add(by).min(2);
    });
    counts
}

/// Every statement of a block and of the blocks in it, in order of the text.
pub fn each_statement<'p>(block: &'p Block, visit: &mut impl FnMut(&'p Statement)) {
    for statement in &block.statements {
        visit(statement);
        for inner in statement.blocks() {
            each_statement(inner, visit);
        }
    }
}

/// All tests of a pattern, with the place of their element.
fn tests(pattern: &Pattern) -> impl Iterator<Item = (usize, &FieldTest)> {
    let elements = pattern.elements.iter().enumerate();
    elements
        .filter_map(|(at, element)| match element {
            Element::Layer { conditions, .. } | Element::Driven { conditions, .. } => {
                Some((at, conditions))
            }
            Element::Any | Element::End => None,
        })
        .flat_map(|(at, conditions)| conditions.iter().flatten().map(move |test| (at, test)))
}

/// What a test compares received bytes with, its slices' ends included.
pub fn operands(test: &FieldTest) -> impl Iterator<Item = &Expr> {
    let ends = test
        .slice
        .iter()
        .flat_map(|(from, to)| [from.as_ref(), to.as_ref()])
        .flatten();
    let values: Vec<&Expr> = match &test.operand {
        Operand::Value(value) => vec![value],
        Operand::Range(low, high) => vec![low, high],
        Operand::Checksum(_) | Operand::Option(_) => Vec::new(),
    };
    ends.chain(values)
}

impl super::walk::Pass<'_> {
    /// Notes a declassifying place; the same place has the same number in every round.
    pub(super) fn price(&mut self, span: Span, outcomes: Outcomes) -> PriceId {
        let known = self.prices.iter().position(|price| price.span == span);
        let at = known.unwrap_or_else(|| {
            self.prices.push(Price {
                span,
                within: self.within,
                outcomes,
                paid: false,
            });
            self.prices.len() - 1
        });
        PriceId(at as u32)
    }

    /// A send depends on all these.
    pub(super) fn pay(&mut self, prices: &super::tag::Prices) {
        for PriceId(at) in prices.iter() {
            self.prices[at as usize].paid = true;
        }
    }

    /// How much what this arm compares content with changes.
    pub(super) fn moves_of(&self, arm: &Arm) -> Moves {
        let of_tests = tests(&arm.pattern)
            .filter(|(_, test)| match test.field {
                FieldRef::Meta(meta) => meta == Meta::Len && self.own.contains(&arm.packet),
                _ => true,
            })
            .filter(|(at, test)| !self.asks_for_an_answer(&arm.pattern, *at, test))
            .flat_map(|(_, test)| operands(test))
            // Operands are computed when the statement starts and stay.
            .map(|operand| self.moves(operand, arm.packet).min(Moves::Between));
        let of_filter = arm
            .filter
            .iter()
            .filter(|filter| self.reads_content(filter, arm.packet))
            .map(|filter| self.moves(filter, arm.packet));
        of_tests.chain(of_filter).max().unwrap_or(Moves::Never)
    }

    /// Whether an expression reads bytes of this packet, and not only how long it is or when it
    /// came.
    fn reads_content(&self, expr: &Expr, packet: VarId) -> bool {
        match &expr.kind {
            ExprKind::Field {
                packet: of, field, ..
            } => {
                let free = matches!(field, FieldRef::Meta(meta) if *meta != Meta::Len || !self.own.contains(of));
                *of == packet && !free
            }
            ExprKind::Var(var) | ExprKind::HasLayer { packet: var, .. } => *var == packet,
            ExprKind::Call { builtin, args } if builtin.name == "length" => args
                .iter()
                .any(|arg| !self.has_free_length(arg, packet) && self.reads_content(arg, packet)),
            _ => parts(expr)
                .into_iter()
                .any(|part| self.reads_content(part, packet)),
        }
    }

    /// The packet, or its payload, if how long these are is an event.
    fn has_free_length(&self, expr: &Expr, packet: VarId) -> bool {
        let told = match &expr.kind {
            ExprKind::Var(var) if *var == packet => self.told_by_length(packet),
            ExprKind::Field {
                packet: of, layer, ..
            } if *of == packet && layer.name == "Bytes" && expr.ty == Type::Bytes => {
                self.told_by_payload(packet)
            }
            _ => return false,
        };
        told < Label::Content || !self.on(FlowRule::LengthHasPrice)
    }

    fn moves(&self, expr: &Expr, tested: VarId) -> Moves {
        let own = match &expr.kind {
            ExprKind::Var(var)
            | ExprKind::Field { packet: var, .. }
            | ExprKind::HasLayer { packet: var, .. }
            | ExprKind::ErrorPart { error: var, .. } => self.moves_var(*var, tested),
            ExprKind::Counter { .. } => Moves::Always,
            ExprKind::Call { builtin, .. } if builtin.name == "now" => Moves::Always,
            _ => Moves::Never,
        };
        parts(expr)
            .into_iter()
            .map(|part| self.moves(part, tested))
            .fold(own, Moves::max)
    }

    fn moves_var(&self, var: VarId, tested: VarId) -> Moves {
        match self.program.variables[var.0 as usize].kind {
            _ if var == tested => Moves::Never,
            VariableKind::Param | VariableKind::Constant => Moves::Never,
            VariableKind::Loop | VariableKind::Match | VariableKind::Error => Moves::Between,
            VariableKind::Local | VariableKind::Sent => {
                match self.assignments[var.0 as usize] > 1 {
                    true => Moves::Always,
                    false => Moves::Between,
                }
            }
        }
    }
}

/// The expressions that an expression is made of.
pub fn parts(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Interpolate(pieces) => pieces
            .iter()
            .filter_map(|piece| match piece {
                StringPiece::Hole(inner, _) => Some(inner),
                StringPiece::Text(_) => None,
            })
            .collect(),
        ExprKind::Array(items)
        | ExprKind::Record(_, items)
        | ExprKind::Call { args: items, .. } => items.iter().collect(),
        ExprKind::At(a, b) | ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) => vec![a, b],
        ExprKind::Slice(base, from, to) => std::iter::once(&**base)
            .chain([from, to].into_iter().flatten().map(|e| &**e))
            .collect(),
        ExprKind::Negate(inner) | ExprKind::Not(inner) => vec![inner],
        ExprKind::InRange {
            value, low, high, ..
        } => vec![value, low, high],
        ExprKind::Constant(_)
        | ExprKind::Var(_)
        | ExprKind::HasLayer { .. }
        | ExprKind::Field { .. }
        | ExprKind::Counter { .. }
        | ExprKind::ErrorPart { .. } => Vec::new(),
    }
}

/// When what a place costs is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriceCharge {
    /// When a function has a value.
    AtCall(ExprId),
    /// When the `on` or `expect` at the place begins.
    AtWait,
    /// Before the first frame.
    AtStart,
}

/// What a paid price costs, in thousandths of a bit; none if nothing bounds it.
#[derive(Clone, Debug)]
pub struct Cost {
    /// Where.
    pub span: Span,
    /// When it is charged.
    pub charge: PriceCharge,
    /// How often, at most.
    pub times: Option<u64>,
    /// Thousandths of a bit each time.
    pub each: u64,
}

impl Cost {
    /// Thousandths of a bit in all.
    pub fn total(&self) -> Option<u64> {
        self.times.map(|times| times.saturating_mul(self.each))
    }
}

/// What the declassifying places of a program cost that some send depends on: executions times
/// cost, by the same calculation as the worst case of what is sent.
pub fn costs(program: &Program, bound: &Bindings, labels: &Labels) -> Vec<Cost> {
    let early = labels
        .early_end
        .then(|| ending::cost(program, bound, labels));
    let early = early.flatten().filter(|_| program.sites > 0);
    if labels.prices.iter().all(|price| !price.paid) {
        return early.into_iter().collect();
    }
    let executions = executions(program, bound);
    let paid = labels.prices.iter().filter(|price| price.paid);
    paid.map(|price| cost(price, bound, &executions))
        .chain(early)
        .filter(|cost| cost.each > 0 && cost.times != Some(0))
        .collect()
}

fn cost(price: &Price, bound: &Bindings, executions: &Executions) -> Cost {
    let times = executions.of(price.within);
    let charge = match price.outcomes {
        Outcomes::Choice { call, .. } => PriceCharge::AtCall(call),
        _ => PriceCharge::AtWait,
    };
    let row = |times, outcomes| Cost {
        span: price.span,
        charge,
        times,
        each: leak::millibits(outcomes),
    };
    // A test that is made once against one value is like a constant: nothing changes.
    let again = times.map(|n| if n > 1 { n } else { 0 });
    match &price.outcomes {
        Outcomes::Choice { list, misses, .. } => {
            row(times, list_length(list, bound) + u64::from(*misses))
        }
        Outcomes::Arms(arms) => row(again, arms + 1),
        Outcomes::Handler(count) if again != Some(0) => each_packet(row(times, 2), count, bound),
        Outcomes::Handler(_) => row(again, 2),
        Outcomes::Moving(count) => each_packet(row(times, 2), count, bound),
    }
}

/// A handler tests each packet: which of them match, and when it has had them all.
fn each_packet(one: Cost, count: &Option<Expr>, bound: &Bindings) -> Cost {
    let matches = count.as_ref().and_then(|e| number(e, bound));
    Cost {
        times: one.times.filter(|_| matches.is_some()),
        each: one
            .each
            .saturating_mul(matches.unwrap_or(0).saturating_add(1)),
        ..one
    }
}

/// What may be computed to know what one place costs; there may be thousands.
const FOR_A_PRICE: u64 = 1_000_000;

/// How many values a constant list has.
pub fn list_length(list: &Expr, bound: &Bindings) -> u64 {
    match evaluate(
        list,
        &mut crate::worst::KnownValues(&bound.values, &Allowance::of(FOR_A_PRICE)),
    ) {
        Ok(Value::Array(items)) => items.len() as u64,
        _ => u64::MAX,
    }
}

fn number(expr: &Expr, bound: &Bindings) -> Option<u64> {
    match evaluate(
        expr,
        &mut crate::worst::KnownValues(&bound.values, &Allowance::of(FOR_A_PRICE)),
    ) {
        Ok(Value::Int(n)) => Some(u64::try_from(n).unwrap_or(0)),
        _ => None,
    }
}

/// How many whole bits all these cost; none if nothing bounds it.
pub fn bits(costs: &[Cost]) -> Option<u64> {
    let sum = costs.iter().try_fold(0u64, |sum, cost| {
        cost.total().map(|total| sum.saturating_add(total))
    });
    sum.map(leak::whole_bits)
}

/// Refuses what costs more than the policy lets it.
pub fn declassified(costs: &[Cost], policy: &Policy) -> Option<Occurrence> {
    if policy.exfiltration != ExfiltrationMode::False {
        return None;
    }
    let limit = leak::declassification_limit(policy);
    let total = bits(costs);
    if total.is_some_and(|total| total <= limit) {
        return None;
    }
    let dearest = costs
        .iter()
        .max_by_key(|cost| cost.total().unwrap_or(u64::MAX))?;
    let amount = total.map_or_else(
        || "an unknown number of".to_string(),
        |total| total.to_string(),
    );
    let message = format!(
        "received data may choose {amount} bits of what this program sends, but at most {limit} are allowed"
    );
    let report = Occurrence::new(&leak_over_limit::DIAGNOSTIC, dearest.span, message);
    let report = match dearest.times {
        _ if dearest.charge == PriceCharge::AtStart => report.note(
            dearest.span,
            format!(
                "received data decides here over so much memory or computing that it may end the run: {} bits",
                leak::decimal(dearest.each)
            ),
        ),
        Some(times) => report.note(
            dearest.span,
            format!(
                "this runs up to {times} times, {} bits each time",
                leak::decimal(dearest.each)
            ),
        ),
        None => report.note(dearest.span, "nothing bounds how often this runs"),
    };
    Some(
        report
            .help("let it run less often: `count=` on the loop or handler around it, or a shorter list")
            .help("or declare it, for the reviewer to see: `PERMISSIONS = { exfiltration: true }`; or `max_leak_bits: N`, with room for what reactions reveal, which the gate counts during the run"),
    )
}
