//! How often each statement can run in a whole run, at most: the rounds of the loops around it, and
//! the matches of the handler around it, multiplied out.

use super::count::{Rounds, TrafficCounter};
use crate::check::Bindings;
use crate::ir::{Block, Program, Span, Statement, StatementKind};
use std::collections::BTreeMap;

/// Most executions by statement, and by block of a loop (whose head is computed once more than its
/// body runs).
#[derive(Clone, Debug, Default)]
pub struct Executions(BTreeMap<Span, Option<u64>>);

impl Executions {
    /// How often, at most; none if nothing bounds it.
    pub fn of(&self, within: Span) -> Option<u64> {
        self.0.get(&within).copied().flatten()
    }
}

/// Multiplies a program out.
pub fn executions(program: &Program, bound: &Bindings) -> Executions {
    executions_of(program, bound, None)
}

/// The same if a handler without `count` meets so many packets.
pub fn executions_of(program: &Program, bound: &Bindings, packets: Option<u64>) -> Executions {
    let mut walk = WorstCaseWalk {
        packets,
        counter: TrafficCounter::new(program, &bound.values, &bound.policy.budget),
        found: Executions::default(),
    };
    walk.block(&program.body, Some(1));
    walk.found
}

struct WorstCaseWalk<'p> {
    packets: Option<u64>,
    counter: TrafficCounter<'p>,
    found: Executions,
}

impl WorstCaseWalk<'_> {
    fn block(&mut self, block: &Block, times: Option<u64>) {
        for statement in &block.statements {
            self.found.0.insert(statement.span, times);
            let inner = self.inner(statement, times);
            for block in statement.blocks() {
                self.block(block, inner);
            }
        }
    }

    /// How often the blocks in a statement run.
    fn inner(&mut self, statement: &Statement, times: Option<u64>) -> Option<u64> {
        match &statement.kind {
            StatementKind::Foreach { over, body, .. } => {
                let rounds = self.counter.rounds_over(over);
                self.looped(times, rounds, body.span)
            }
            StatementKind::Repeat {
                count, pace, body, ..
            } => {
                let rounds = self.counter.rounds_of(count.as_ref(), pace);
                self.looped(times, rounds, body.span)
            }
            StatementKind::On { count, .. } => self.matches(times, count.as_ref()),
            StatementKind::Out(out) => self.matches(times, out.count.as_ref()),
            _ => times,
        }
    }

    fn looped(&mut self, times: Option<u64>, rounds: Rounds, body: Span) -> Option<u64> {
        let rounds = rounds.known.then_some(rounds.most);
        let heads = multiply(times, rounds.map(|n| n.saturating_add(1)));
        self.found.0.insert(body, heads);
        multiply(times, rounds)
    }

    fn matches(&self, times: Option<u64>, count: Option<&crate::ir::Expr>) -> Option<u64> {
        let matches = count.and_then(|e| self.counter.int_at_most(e));
        let matches = matches.map(|n| u64::try_from(n).unwrap_or(0));
        multiply(times, matches.or(self.packets))
    }
}

fn multiply(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(0), _) | (_, Some(0)) => Some(0),
        (a, b) => Some(a?.saturating_mul(b?)),
    }
}
