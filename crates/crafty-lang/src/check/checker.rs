//! What the checker carries through a program: names, numbers, what was found, and where it is.

use super::scope::Scope;
use super::shape::PacketShape;
use crate::eval::cost::Allowance;
use crate::ir::*;
use crafty_policy::SettingsGroup;
use crafty_syntax::diagnostic::{Diagnostic, Occurrence, Severity};
use crafty_value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The pass. Every method reports what it finds and continues; what could not be understood is
/// `None`, and nothing is said of it twice.
pub(super) struct Checker<'s> {
    pub source: &'s str,
    pub reports: Vec<Occurrence>,
    pub variables: Vec<Variable>,
    /// By variable: whether its type is known. What was declared wrong keeps its name, so that its
    /// uses are not mistakes.
    pub sound: Vec<bool>,
    /// Of variables that hold packets: what may be read of them.
    pub shapes: BTreeMap<VarId, PacketShape>,
    /// Values known before the start, with the defaults of params.
    pub known: Vec<Value>,
    /// What may still be computed for them.
    pub allowance: Allowance,
    /// Params, and constants that a param is part of: the command line may change them.
    pub open: BTreeSet<VarId>,
    pub params: Vec<Param>,
    pub constants: Vec<(VarId, Expr)>,
    pub settings: Vec<SettingEntry>,
    /// Sections that were written, with the braces.
    pub sections: Vec<(SettingsGroup, Span)>,
    pub stacks: Vec<StackInfo>,
    pub scopes: Vec<Scope>,
    pub place: CheckContext,
    /// By name: where it is assigned last.
    pub assigned: BTreeMap<String, u32>,
    /// Packets that went into a stream: reading when they were on the wire waits.
    pub streamed: BTreeSet<VarId>,
    /// The text could not be read as a whole: a name that is missing may be in the part that was
    /// lost.
    pub partial: bool,
    /// Words on the lines that could not be read.
    pub unread: BTreeSet<&'s str>,
    /// The first statement that is not a declaration has come.
    pub started: bool,
    pub sites: u32,
    pub handlers: u32,
    pub expressions: u32,
}

/// Where a statement is.
#[derive(Clone, Default)]
pub(super) struct CheckContext {
    /// Driven blocks around it, innermost last.
    pub stacks: Vec<StackId>,
    /// The packet that `MATCH` means.
    pub packet: Option<VarId>,
    /// The serving block whose peer sent that packet.
    pub peer: Option<StackId>,
    /// A block around it could not be understood: nothing is said of what would go through it.
    pub lost: bool,
    /// Whether it is in a handler.
    pub handler: bool,
    /// Whether an `on out hold` is before it, in its block or in one around it.
    pub holds: bool,
    /// Loops that `stop` may end.
    pub loops: u32,
    /// Loops around it that are outside the handler.
    pub outer_loops: u32,
    /// How many blocks deep.
    pub depth: u32,
}

impl<'s> Checker<'s> {
    pub fn new(source: &'s str) -> Checker<'s> {
        Checker {
            source,
            reports: Vec::new(),
            variables: Vec::new(),
            sound: Vec::new(),
            shapes: BTreeMap::new(),
            known: Vec::new(),
            allowance: Allowance::default(),
            open: BTreeSet::new(),
            params: Vec::new(),
            constants: Vec::new(),
            settings: Vec::new(),
            sections: Vec::new(),
            stacks: Vec::new(),
            scopes: vec![Scope::default()],
            place: CheckContext::default(),
            assigned: BTreeMap::new(),
            streamed: BTreeSet::new(),
            partial: false,
            unread: BTreeSet::new(),
            started: false,
            sites: 0,
            handlers: 0,
            expressions: 0,
        }
    }

    /// Notes a mistake; the caller may add to it.
    pub fn report(
        &mut self,
        diagnostic: &'static Diagnostic,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Occurrence {
        self.reports
            .push(Occurrence::new(diagnostic, span, message));
        self.reports.last_mut().expect("one was just pushed")
    }

    /// Notes a mistake that was put together already.
    pub fn tell(&mut self, report: Occurrence) {
        self.reports.push(report);
    }

    pub fn has_errors(&self) -> bool {
        self.reports
            .iter()
            .any(|r| r.diagnostic.severity == Severity::Error)
    }

    /// Notes what could not be read.
    pub fn note_unread(&mut self, reports: &[Occurrence]) {
        self.partial |= reports.len() > super::scope::GUESSES;
        let reports = if self.partial { &[] } else { reports };
        for report in reports {
            let (start, end) = (report.span.start as usize, report.span.end as usize);
            let from = self
                .source
                .get(..start)
                .and_then(|s| s.rfind('\n'))
                .map_or(0, |n| n + 1);
            let to = self
                .source
                .get(end..)
                .and_then(|s| s.find('\n'))
                .map_or(self.source.len(), |n| end + n);
            let lines = self.source.get(from..to).unwrap_or("");
            self.unread
                .extend(lines.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
        }
    }

    /// Whether a name that is missing may have been lost.
    pub fn may_be_lost(&self, name: &str) -> bool {
        self.partial || self.unread.contains(name)
    }

    /// The text of a place.
    pub fn text(&self, span: Span) -> &'s str {
        self.source
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// An expression with a number of its own.
    pub fn make(&mut self, kind: ExprKind, ty: Type, span: Span) -> Expr {
        let id = ExprId(self.expressions);
        self.expressions += 1;
        Expr { kind, ty, id, span }
    }

    pub fn site(&mut self) -> SiteId {
        self.sites += 1;
        SiteId(self.sites - 1)
    }

    pub fn handler(&mut self) -> HandlerId {
        self.handlers += 1;
        HandlerId(self.handlers - 1)
    }

    pub fn stack(&self, id: StackId) -> &StackInfo {
        &self.stacks[id.0 as usize]
    }

    pub fn variable(&self, var: VarId) -> &Variable {
        &self.variables[var.0 as usize]
    }
}
