//! What may end a run before its text does: memory that received data fills, and computing that it
//! decides over. After the end nothing is sent, so that how many frames there were tells what decided:
//! once, one of as many outcomes as the program may send frames.

use super::failing::most_bytes;
use super::price::{Cost, PriceCharge, parts};
use super::range::{self, Known};
use super::{Labels, price};
use crate::check::Bindings;
use crate::diagnostics::event_send;
use crate::eval::cost::{NODE, Reads, STATEMENT};
use crate::eval::{MAX_NESTED, MAX_VALUE};
use crate::ir::{Expr, ExprKind, Label, Program, Span, Statement, StatementKind, Type};
use crate::worst::{Executions, executions_of};
use crafty_policy::{ExfiltrationMode, leak};
use crafty_syntax::diagnostic::Occurrence;

/// Bytes that the variables over which received data decides may hold together.
pub const MAX_MEMORY: u64 = 64 << 20;

/// Packets that a handler may meet in a second, and bytes of each: a line of 1 Gbit/s.
const PACKETS: (u64, u64) = (100_000, 1_250);

/// What an early end may tell, if content can bring it about.
pub(super) fn cost(program: &Program, bound: &Bindings, labels: &Labels) -> Option<Cost> {
    let span = memory(program, labels).or_else(|| computing(program, bound, labels))?;
    Some(Cost {
        span,
        charge: PriceCharge::AtStart,
        times: Some(1),
        each: leak::millibits(bound.policy.budget.max_packets.saturating_add(1)),
    })
}

/// Under `none` nothing that is received may end a run: refuses what it could fill the memory with.
pub fn refused(program: &Program, labels: &Labels, mode: ExfiltrationMode) -> Option<Occurrence> {
    if mode != ExfiltrationMode::None || !labels.early_end || program.sites == 0 {
        return None;
    }
    let span = fills_memory(program, labels, Label::Event)?;
    let message = "received data may fill the memory of its variables and so end the run, and `exfiltration: none` allows nothing";
    Some(
        Occurrence::new(&event_send::DIAGNOSTIC, span, message)
            .help("keep received data in fewer texts, arrays and maps: their caps together must not be over 64 MiB")
            .help("write `exfiltration: false`: reactions are then allowed, and the review counts their bits"),
    )
}

/// Where content can fill the memory of the variables that depend on received data.
pub(super) fn memory(program: &Program, labels: &Labels) -> Option<Span> {
    fills_memory(program, labels, Label::Content)
}

/// The same for received data of a label.
pub(super) fn fills_memory(program: &Program, labels: &Labels, least: Label) -> Option<Span> {
    let received = || {
        let all = program.variables.iter().zip(&labels.variables);
        all.filter(|(variable, label)| **label > Label::Clean && most_held(&variable.ty) > 0)
    };
    let sum: u64 = received()
        .map(|(variable, _)| most_held(&variable.ty))
        .sum();
    let decides = received().find(|(_, label)| **label >= least)?;
    (sum > MAX_MEMORY).then_some(decides.0.span)
}

fn most_held(ty: &Type) -> u64 {
    match ty {
        Type::Str | Type::Bytes => MAX_VALUE as u64,
        Type::Array(_) | Type::Map(..) | Type::Record(_) => MAX_NESTED as u64,
        _ => 0,
    }
}

/// Where content decides over so much computing that it can use up what `max_duration` allows.
fn computing(program: &Program, bound: &Bindings, labels: &Labels) -> Option<Span> {
    if labels.decided.is_empty() {
        return None;
    }
    let duration = u64::try_from(bound.policy.budget.max_duration.0).unwrap_or(0);
    let packets = PACKETS.0.saturating_mul(duration.div_ceil(1_000_000_000));
    let executions = executions_of(program, bound, Some(packets));
    let known = range::of_constants(program);
    let (mut sum, mut dearest) = (0u64, (0, Span::default()));
    price::each_statement(&program.body, &mut |statement| {
        if labels.decided.contains(&statement.span) {
            let spent = spent(statement, &executions, &known);
            sum = sum.saturating_add(spent);
            dearest = dearest.max((spent, statement.span));
        }
    });
    (sum > duration).then_some(dearest.1)
}

fn spent(statement: &Statement, executions: &Executions, known: &Known) -> u64 {
    if is_removal(statement) {
        return STATEMENT.saturating_mul(executions.of(statement.span).unwrap_or(u64::MAX));
    }
    let own = statement.expressions().into_iter();
    let each = own.fold(STATEMENT, |sum, e| sum.saturating_add(most_spent(e, known)));
    let times = executions.of(statement.span).unwrap_or(u64::MAX);
    each.saturating_mul(times)
}

/// `m := remove(m, key)` is done in place.
fn is_removal(statement: &Statement) -> bool {
    let StatementKind::Set { var, value } = &statement.kind else {
        return false;
    };
    matches!(&value.kind, ExprKind::Call { builtin, args } if builtin.name == "remove"
        && matches!(args.first(), Some(Expr { kind: ExprKind::Var(of), .. }) if of == var))
}

/// Computing an expression costs at most so much: its nodes, and what they read of values that can
/// be large. Who holds a value reads nothing of it.
fn most_spent(expr: &Expr, known: &Known) -> u64 {
    let of_parts = || parts(expr).into_iter().map(|part| most_read(part, known));
    let read = match &expr.kind {
        ExprKind::Field { .. } => most_read(expr, known),
        ExprKind::Call { builtin, .. } if matches!(builtin.reads, Reads::Nothing | Reads::Key) => 0,
        ExprKind::Call { .. }
        | ExprKind::Binary(..)
        | ExprKind::Compare(..)
        | ExprKind::InRange { .. }
        | ExprKind::Interpolate(_)
        | ExprKind::Slice(..) => of_parts().fold(0, u64::saturating_add),
        _ => 0,
    };
    let inner = parts(expr).into_iter().map(|part| most_spent(part, known));
    inner.fold(NODE.saturating_add(read), u64::saturating_add)
}

/// What reading all of a value costs at most.
fn most_read(expr: &Expr, known: &Known) -> u64 {
    match (&expr.kind, &expr.ty) {
        (ExprKind::Field { .. } | ExprKind::Slice(..), Type::Bytes | Type::Str) => PACKETS.1,
        (_, Type::Str | Type::Bytes | Type::Array(_) | Type::Map(..) | Type::Record(_)) => {
            most_bytes(expr, known).unwrap_or(MAX_NESTED as u64)
        }
        _ => 0,
    }
}
