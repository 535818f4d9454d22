//! Names, types, stacks, patterns and settings: from the tree to a checked program. Never runs one,
//! never touches a network, and never stops at the first mistake: what was not understood causes no
//! further messages.

pub mod bind;

mod access;
mod ask;
mod assignment;
mod call;
mod checker;
mod compare;
mod condition;
mod constants;
mod destination;
mod expr;
mod field_ref;
mod given;
mod handler;
mod hint;
mod layers;
mod literal;
mod loops;
mod member;
mod operators;
mod option_list;
mod out;
mod output;
mod param;
mod pattern;
mod powers;
mod quoted;
mod record;
mod sample;
mod scope;
mod send;
mod session;
mod setting;
mod setting_fix;
mod setting_phrases;
mod setting_ports;
mod shape;
mod sources;
mod stack;
mod statement;
mod states;
mod types;
mod visit;
mod waiting;
mod words;

pub use bind::{Bindings, LiteralError, bind, parse_value};

use crate::ir::{Block, Program};
use checker::Checker;
use crafty_syntax::ast;
use crafty_syntax::diagnostic::{Occurrence, Severity};
use std::collections::BTreeMap;

/// What checking a text gives.
#[derive(Debug)]
pub struct Checked {
    /// The program; none if there is any error among the reports.
    pub program: Option<Program>,
    /// Mistakes and warnings, in order of place.
    pub reports: Vec<Occurrence>,
}

/// Parses and checks a program. Any text gets an answer, and all its mistakes at once. What it may
/// reveal and how much it may send is judged afterwards, under a policy ([`crate::judge`]).
pub fn check(source: &str) -> Checked {
    let parsed = crafty_syntax::parse(source);
    let mut checker = Checker::new(source);
    checker.partial = is_broken(&parsed.program);
    checker.note_unread(&parsed.reports);
    note_assignments(&parsed.program, &mut checker.assigned);
    let body = checker.block(&parsed.program);
    let mut reports = parsed.reports;
    reports.append(&mut checker.reports);
    let sections = std::mem::take(&mut checker.sections);
    let program = checker.finish(body);
    if !refused(&reports) {
        let (values, _) = bind::values(&program, &BTreeMap::new(), false);
        match given::policy(&program, &values) {
            Ok(policy) => reports.extend(destination::judge(&program, &values, &policy, &sections)),
            Err(_) if values_missing(&program) => {}
            Err(more) => reports.extend(more),
        }
    }
    reports.sort_by_key(|r| (r.span.start, r.span.end, r.diagnostic.code));
    reports.dedup_by(|a, b| a.span == b.span && a.message == b.message);
    Checked {
        program: (!refused(&reports)).then_some(program),
        reports,
    }
}

fn refused(reports: &[Occurrence]) -> bool {
    reports
        .iter()
        .any(|r| r.diagnostic.severity == Severity::Error)
}

/// A setting may use a param that only the command line gives.
fn values_missing(program: &Program) -> bool {
    program.params.iter().any(|p| p.default.is_none())
}

impl Checker<'_> {
    fn finish(self, body: Block) -> Program {
        Program {
            source: self.source.into(),
            params: self.params,
            constants: self.constants,
            settings: self.settings,
            variables: self.variables,
            stacks: self.stacks,
            sites: self.sites,
            handlers: self.handlers,
            expressions: self.expressions,
            body,
            labels: Vec::new(),
            from_network: Vec::new(),
        }
    }
}

/// Whether a statement was lost; what it declared is missing.
fn is_broken(block: &ast::BlockSyntax) -> bool {
    let broken = |s: &ast::StatementSyntax| {
        matches!(s.kind, ast::StatementKindSyntax::Broken)
            || inner_blocks(&s.kind).into_iter().any(is_broken)
    };
    block.statements.iter().any(broken)
}

/// Where each name is assigned last: a name that is assigned is not a constant.
fn note_assignments(block: &ast::BlockSyntax, assigned: &mut BTreeMap<String, u32>) {
    for statement in &block.statements {
        if let ast::StatementKindSyntax::Assign { name, .. } = &statement.kind {
            assigned.insert(name.text.clone(), name.span.start);
        }
        for inner in inner_blocks(&statement.kind) {
            note_assignments(inner, assigned);
        }
    }
}

fn inner_blocks(kind: &ast::StatementKindSyntax) -> Vec<&ast::BlockSyntax> {
    use ast::StatementKindSyntax as S;
    match kind {
        S::Open {
            body, otherwise, ..
        } => [body]
            .into_iter()
            .chain(otherwise.iter().map(|(_, b)| b))
            .collect(),
        S::If { arms, otherwise } => arms.iter().map(|(_, b)| b).chain(otherwise).collect(),
        S::Foreach { body, .. } | S::Repeat { body, .. } | S::On { body, .. } => vec![body],
        S::Out { body, .. } => body.iter().collect(),
        S::Expect {
            arms, otherwise, ..
        } => arms.iter().map(|(_, b)| b).chain(otherwise).collect(),
        S::Ask {
            body,
            arms,
            otherwise,
            ..
        } => [body]
            .into_iter()
            .chain(arms.iter().map(|(_, b)| b))
            .chain(otherwise)
            .collect(),
        S::Try {
            body, otherwise, ..
        } => vec![body, otherwise],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
