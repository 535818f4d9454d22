//! Every place of a program that listens, and every place that prints.

use super::layers::SentStack;
use super::parties::{Party, destination};
use super::values::{Definition, KnownSets, variables};
use crate::ir::{
    Arm, Element, Expr, ExprKind, FieldRef, Label, Operand, Program, RelOp, Span, StackId,
    StackLayer, StatementKind, VarId,
};
use crate::labels::price::{each_statement, parts};
use core::net::IpAddr;
use crafty_value::Value;
use crafty_wire::LayerRole;
use std::collections::BTreeSet;

/// How much of what is received a program looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadDepth {
    /// That it came, when, and how long it is.
    Arrival,
    /// Headers.
    Headers,
    /// What is carried.
    Payload,
}

/// A place that listens.
#[derive(Clone, Debug)]
pub struct HeardTraffic {
    /// Where.
    pub span: Span,
    /// Names of the layers that the pattern asks for, outermost first; `*` is any.
    pub layers: Vec<&'static str>,
    /// Whose traffic.
    pub from: Party,
    /// The block whose peer it hears.
    pub stack: Option<StackId>,
    /// How much of it.
    pub depth: ReadDepth,
    /// Whether it reacts to each packet that comes, and not to one that is waited for.
    pub handler: bool,
}

/// A place that prints or records.
#[derive(Clone, Debug)]
pub struct PrintedOutput {
    /// Where.
    pub span: Span,
    /// What of the network is in it.
    pub label: Label,
    /// How much of packets is in it, if content is.
    pub depth: ReadDepth,
}

/// All places that listen, in order of the text.
pub(super) fn listeners(program: &Program, known: &KnownSets) -> Vec<HeardTraffic> {
    let payloads = payload_readers(program);
    let mut found = Vec::new();
    each_statement(&program.body, &mut |statement| {
        let listener = |arm: &Arm, handler| listener(program, known, &payloads, arm, handler);
        match &statement.kind {
            StatementKind::On { arm, .. } => found.push(listener(arm, true)),
            StatementKind::Expect { arms, .. } => {
                found.extend(arms.iter().map(|(arm, _)| listener(arm, false)));
            }
            _ => {}
        }
    });
    found
}

fn listener(
    program: &Program,
    known: &KnownSets,
    payloads: &BTreeSet<VarId>,
    arm: &Arm,
    handler: bool,
) -> HeardTraffic {
    let pattern = &arm.pattern;
    let names = pattern.elements.iter().filter_map(|element| match element {
        Element::Layer { layer, .. } => Some(layer.name),
        Element::Driven { kind, .. } => Some(kind.name()),
        Element::Any => Some("*"),
        Element::End => None,
    });
    let carried = pattern.elements.iter().any(|element| match element {
        Element::Layer { layer, conditions } => {
            let looks = |role| role == LayerRole::Data || role == LayerRole::Message;
            looks(layer.role) && !conditions.is_empty()
        }
        _ => false,
    });
    let depth = match carried || pattern.is_stream() || payloads.contains(&arm.packet) {
        true => ReadDepth::Payload,
        false => ReadDepth::Headers,
    };
    HeardTraffic {
        span: arm.span,
        layers: names.collect(),
        from: heard_from(program, known, arm),
        stack: pattern.stack,
        depth,
        handler,
    }
}

/// Whose packets a pattern lets through: the block's peer, an address that it tests, or anybody's.
fn heard_from(program: &Program, known: &KnownSets, arm: &Arm) -> Party {
    if let Some(stack) = arm.pattern.stack {
        return destination(known, &SentStack::of_block(program, stack));
    }
    let outer = arm
        .pattern
        .elements
        .iter()
        .find_map(|element| match element {
            Element::Layer { layer, conditions } if layer.role == LayerRole::Network => {
                Some(conditions)
            }
            _ => None,
        });
    let tested = outer
        .into_iter()
        .flatten()
        .find_map(|any| match any.as_slice() {
            [test] if !test.negated && test.op == RelOp::Eq && is_source(&test.field) => {
                match &test.operand {
                    Operand::Value(expr) => addresses(known, expr),
                    _ => None,
                }
            }
            _ => None,
        });
    tested.map_or(Party::Computed, Party::Addresses)
}

fn addresses(known: &KnownSets, expr: &Expr) -> Option<Vec<IpAddr>> {
    let address = |value: &Value| match value {
        Value::Ip(address) => Some(*address),
        _ => None,
    };
    known.possible(expr)?.iter().map(address).collect()
}

fn is_source(field: &FieldRef) -> bool {
    match field {
        FieldRef::Wire { layer, field } => layer.fields[*field].name == "src",
        FieldRef::Either { name, .. } => *name == "src",
        _ => false,
    }
}

/// All places that print, in order of the text.
pub(super) fn prints(program: &Program, known: &KnownSets) -> Vec<PrintedOutput> {
    let mut found = Vec::new();
    each_statement(&program.body, &mut |statement| {
        let values: Vec<&Expr> = match &statement.kind {
            StatementKind::Print(value) | StatementKind::Fail(value) => vec![value],
            StatementKind::Record { value, labels, .. } => std::iter::once(value)
                .chain(labels.iter().map(|(_, label)| label))
                .collect(),
            _ => return,
        };
        let label = |expr: &&Expr| program.labels.get(expr.id.0 as usize).copied();
        let labels = values.iter().filter_map(label);
        let mut seen = Vec::new();
        let depth = values.iter().map(|value| depth(known, value, &mut seen));
        found.push(PrintedOutput {
            span: statement.span,
            depth: depth.max().unwrap_or(ReadDepth::Arrival),
            label: labels.max().unwrap_or_default(),
        });
    });
    found
}

/// How much of packets an expression holds, at whatever remove.
fn depth(known: &KnownSets, expr: &Expr, seen: &mut Vec<VarId>) -> ReadDepth {
    let own = match &expr.kind {
        ExprKind::Field {
            field: FieldRef::Meta(_),
            ..
        }
        | ExprKind::HasLayer { .. } => ReadDepth::Arrival,
        ExprKind::Field { layer, .. } => depth_of(layer.role),
        ExprKind::Counter { counter, .. } if counter.label == Label::Content => ReadDepth::Payload,
        _ => ReadDepth::Arrival,
    };
    let mut vars = Vec::new();
    if let ExprKind::Var(_) = &expr.kind {
        variables(expr, &mut vars);
    }
    vars.retain(|var| !seen.contains(var));
    seen.extend(&vars);
    let definitions = vars.iter().flat_map(|var| known.definitions(*var));
    let behind = definitions.map(|definition| match definition {
        Definition::Value(value) | Definition::Changed(value) => depth(known, value, seen),
        _ => ReadDepth::Arrival,
    });
    let behind = behind.max().unwrap_or(ReadDepth::Arrival);
    let inside = parts(expr).into_iter().map(|part| depth(known, part, seen));
    own.max(behind)
        .max(inside.max().unwrap_or(ReadDepth::Arrival))
}

fn depth_of(role: LayerRole) -> ReadDepth {
    match role {
        LayerRole::Data | LayerRole::Message => ReadDepth::Payload,
        _ => ReadDepth::Headers,
    }
}

/// Packets of which something carried is read anywhere.
fn payload_readers(program: &Program) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    each_statement(&program.body, &mut |statement| {
        for expr in statement.expressions() {
            readers(expr, &mut found);
        }
    });
    let layers = program.stacks.iter().flat_map(|stack| &stack.layers);
    for expr in layers.flat_map(StackLayer::expressions) {
        readers(expr, &mut found);
    }
    found
}

fn readers(expr: &Expr, found: &mut BTreeSet<VarId>) {
    if let ExprKind::Field {
        packet,
        layer,
        field,
        ..
    } = &expr.kind
        && !matches!(field, FieldRef::Meta(_))
        && depth_of(layer.role) == ReadDepth::Payload
    {
        found.insert(*packet);
    }
    parts(expr)
        .into_iter()
        .for_each(|part| readers(part, found));
}
