//! Statements that read a variable which rose are walked again by themselves, before the next round.
//!
//! A round passes what it learns on to what lies ahead in the text. What lies behind would wait for
//! the next round: a chain of assignments against the order of the text would take as many rounds
//! as it has links, each over the whole program. Here each link is one statement. Nothing rises
//! that a round would not raise, since a statement is walked with what was known where it is; and
//! the rounds go on until one of them finds nothing to add.

use super::super::price::parts;
use super::{LabelContext, Pass};
use crate::ir::{Block, Expr, ExprKind, Over, Statement, StatementKind, VarId};
use crate::labels::tag::Tag;
use std::collections::{BTreeMap, VecDeque};

/// The statements as the last walk over them met them.
#[derive(Default)]
pub(super) struct Worklist<'p> {
    met: Vec<Met<'p>>,
    /// Where a statement is in `met`, by its address in the tree.
    known: BTreeMap<*const Statement, usize>,
    /// By variable: the statements that read it.
    readers: BTreeMap<VarId, Vec<usize>>,
    /// Variables that rose and whose readers have not been walked since.
    risen: Vec<VarId>,
}

/// A statement, and what was known where it is.
struct Met<'p> {
    statement: &'p Statement,
    place: LabelContext,
    clock: Tag,
}

impl<'p> Worklist<'p> {
    /// A variable rose.
    pub fn rose(&mut self, var: VarId) {
        self.risen.push(var);
    }

    /// A statement is being walked.
    pub fn meet(&mut self, statement: &'p Statement, place: &LabelContext, clock: &Tag) {
        let met = Met {
            statement,
            place: place.clone(),
            clock: clock.clone(),
        };
        if let Some(at) = self.known.get(&std::ptr::from_ref(statement)) {
            self.met[*at] = met;
            return;
        }
        let read = reads(statement);
        if read.is_empty() {
            return;
        }
        let at = self.met.len();
        self.met.push(met);
        self.known.insert(std::ptr::from_ref(statement), at);
        for var in read {
            self.readers.entry(var).or_default().push(at);
        }
    }
}

impl Pass<'_> {
    /// Walks the readers of what rose, and the readers of what rises by that.
    pub(super) fn settle(&mut self) {
        let mut queue = VecDeque::new();
        let mut queued = vec![false; self.worklist.met.len()];
        loop {
            for var in std::mem::take(&mut self.worklist.risen) {
                for at in self.worklist.readers.get(&var).into_iter().flatten() {
                    if !std::mem::replace(&mut queued[*at], true) {
                        queue.push_back(*at);
                    }
                }
            }
            let Some(at) = queue.pop_front() else { return };
            queued[at] = false;
            self.again(at);
        }
    }

    fn again(&mut self, at: usize) {
        let Met {
            statement,
            place,
            clock,
        } = &self.worklist.met[at];
        let (statement, place) = (*statement, place.clone());
        let around = (
            std::mem::replace(&mut self.clock, clock.clone()),
            std::mem::replace(&mut self.within, statement.span),
        );
        self.failing = None;
        self.growing = Tag::clean();
        self.statement(statement, &place, &mut Vec::new());
        (self.clock, self.within) = around;
    }
}

/// Variables that a statement reads itself, not in its blocks; each once.
fn reads(statement: &Statement) -> Vec<VarId> {
    let mut found = Vec::new();
    for expr in own(statement) {
        gather(expr, &mut found);
    }
    if let StatementKind::Update { var, .. } = &statement.kind {
        found.push(*var);
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn gather(expr: &Expr, found: &mut Vec<VarId>) {
    if let ExprKind::Var(var)
    | ExprKind::Field { packet: var, .. }
    | ExprKind::HasLayer { packet: var, .. }
    | ExprKind::ErrorPart { error: var, .. } = &expr.kind
    {
        found.push(*var);
    }
    for part in parts(expr) {
        gather(part, found);
    }
}

/// The expressions of a statement whose labels other variables may take.
fn own(statement: &Statement) -> Vec<&Expr> {
    match &statement.kind {
        StatementKind::Set { value, .. } => vec![value],
        StatementKind::Update { path, value, .. } => path.iter().chain([value]).collect(),
        StatementKind::If { arms, .. } if is_small(statement) => {
            arms.iter().map(|(condition, _)| condition).collect()
        }
        StatementKind::Foreach { over, .. } if is_small(statement) => match over {
            Over::Range(low, high) => vec![low, high],
            Over::Value(value) => vec![value],
        },
        StatementKind::Repeat { count, pace, .. } if is_small(statement) => {
            count.iter().chain(&pace.until).collect()
        }
        _ => Vec::new(),
    }
}

/// Statements in blocks that are walked again with what they stand in; larger ones wait for the next
/// round.
const SMALL: usize = 64;

fn is_small(statement: &Statement) -> bool {
    fn count(block: &Block, left: &mut usize) {
        for statement in &block.statements {
            *left = left.saturating_sub(1);
            if *left == 0 {
                return;
            }
            statement
                .blocks()
                .into_iter()
                .for_each(|inner| count(inner, left));
        }
    }
    let mut left = SMALL;
    statement
        .blocks()
        .into_iter()
        .for_each(|block| count(block, &mut left));
    left > 0
}
