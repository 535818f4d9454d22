//! `ask`: send, wait for an answer, and send again while none comes.
//!
//! It is lowered to what a program would write by hand, so that nothing below the checker has rules
//! of its own for it: a variable that tells whether an answer came, a loop until it did, and a branch
//! for the case that none did. Its loop ends by the answer alone, so a `stop` in it ends the loop
//! around the `ask`.

use super::checker::Checker;
use super::constants::any;
use super::types::at;
use crate::diagnostics as d;
use crate::ir::{
    Arm, Block, Expr, ExprKind, FieldRef, LoopEnd, LoopPace, Meta, Span, Statement, StatementKind,
    Type, VarId, VariableKind,
};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::Value;
use std::collections::BTreeSet;

/// The parts of an `ask` as written.
pub(super) struct AskSyntax<'a> {
    pub options: &'a [ast::Opt],
    pub counter: Option<&'a ast::Name>,
    pub body: &'a ast::BlockSyntax,
    pub expects: Span,
    pub waiting: &'a [ast::Opt],
    pub arms: &'a [(ast::ArmSyntax, ast::BlockSyntax)],
    pub otherwise: Option<&'a ast::BlockSyntax>,
}

impl Checker<'_> {
    /// `ask tries=3 as n { } expect timeout=1s PATTERN { } else { }`
    pub fn ask(&mut self, ask: &AskSyntax, span: Span) -> Option<StatementKind> {
        let word = Span {
            end: span.start + 3,
            ..span
        };
        self.refuse_in_handler("`ask`", word);
        let known = self.known_options(ask.options, &["tries"], "ask");
        let tries = self.tries(ask, word);
        let answered = self.cell("answered", Some(Type::Bool), VariableKind::Local, word);
        let rounds = self.rounds_of(ask, answered, span);
        let otherwise = ask.otherwise.map(|block| self.inner(block));
        let (tries, (counter, body)) = (tries?, rounds?);
        let pace = LoopPace {
            until: Some(self.read_flag(answered, word)),
            ended_by: LoopEnd::Answer,
            ..LoopPace::default()
        };
        self.judge_bounds(&[&tries], "`tries`", &pace, &body)?;
        let mut statements = vec![
            self.flag(answered, false, word),
            Statement {
                kind: StatementKind::Repeat {
                    count: Some(tries),
                    counter,
                    pace,
                    body,
                },
                span,
            },
        ];
        statements.extend(otherwise.map(|block| self.unanswered(answered, block, word)));
        known.then(|| self.together(statements, span))
    }

    fn tries(&mut self, ask: &AskSyntax, word: Span) -> Option<Expr> {
        let Some(option) = ask.options.iter().find(|o| o.name.text == "tries") else {
            let report = Occurrence::new(
                &d::missing_tries::DIAGNOSTIC,
                word,
                "`ask` needs `tries`: how often it asks at most",
            );
            self.tell(report.suggest("ask at most three times", at(word.end), " tries=3"));
            return None;
        };
        let tries = self.rounds(&option.value, "`tries`")?;
        if self.int(&tries).is_some_and(|n| n < 1) {
            let message = "`ask` asks at least once";
            self.report(&d::constant_fails::DIAGNOSTIC, option.value.span, message);
            return None;
        }
        Some(tries)
    }

    /// One round: what asks, and the wait for its answer. What the first block declares, the blocks
    /// of the answers read.
    fn rounds_of(
        &mut self,
        ask: &AskSyntax,
        answered: VarId,
        span: Span,
    ) -> Option<(Option<VarId>, Block)> {
        let waits = Span {
            start: ask.expects.start,
            end: ask
                .arms
                .last()
                .map_or(span.end, |(_, block)| block.span.end),
        };
        self.scoped(|c| {
            let counter = ask
                .counter
                .map(|name| c.declare(name, Some(Type::Int), VariableKind::Loop));
            let mut statements = c.statements(ask.body);
            let mut kind = c.expect(ask.waiting, ask.arms, None, waits)?;
            if let StatementKind::Expect { arms, .. } = &mut kind {
                c.judge_measures(&statements, counter, arms);
                for (arm, block) in arms {
                    block.statements.insert(0, c.flag(answered, true, arm.span));
                }
            }
            statements.push(Statement { kind, span: waits });
            let body = Block {
                statements,
                span: ask.body.span.to(waits),
            };
            c.judge_handlers(&body, ask.body);
            Some((counter, body))
        })
    }

    /// Whether an answer to an earlier try would be measured from a later one: the block reads when
    /// a question left, and the pattern compares with nothing that tells the tries apart.
    fn judge_measures(
        &mut self,
        asks: &[Statement],
        counter: Option<VarId>,
        arms: &[(Arm, Block)],
    ) {
        let mut varies: BTreeSet<VarId> = counter.into_iter().collect();
        let mut sent = BTreeSet::new();
        each_in(asks, &mut |statement| match &statement.kind {
            StatementKind::Set { var, .. } | StatementKind::Update { var, .. } => {
                varies.insert(*var);
            }
            StatementKind::Send {
                into: Some(var), ..
            } => {
                sent.insert(*var);
            }
            _ => {}
        });
        varies.extend(&sent);
        for (arm, block) in arms {
            let told = arm.expressions().into_iter().any(|e| reads(e, &varies));
            let mut measured = None;
            each_in(&block.statements, &mut |statement| {
                let expressions = statement.expressions();
                measured = measured.or(expressions.into_iter().find_map(|e| stamp_of(e, &sent)));
            });
            if let (false, Some(place)) = (told, measured) {
                let message =
                    "the answer may be to an earlier try, and this is when the last one was sent";
                let report = Occurrence::new(&d::measured_try::DIAGNOSTIC, place, message);
                self.tell(report.note(arm.pattern.span, "all tries are answered alike").help(
                    "count the tries with `as n`, send `n` (as `seq=n`), and compare it in the pattern",
                ));
            }
        }
    }

    fn flag(&mut self, var: VarId, to: bool, span: Span) -> Statement {
        Statement {
            kind: StatementKind::Set {
                var,
                value: self.constant(Value::Bool(to), Type::Bool, span),
            },
            span,
        }
    }

    fn read_flag(&mut self, var: VarId, span: Span) -> Expr {
        self.make(ExprKind::Var(var), Type::Bool, span)
    }

    fn unanswered(&mut self, answered: VarId, block: Block, word: Span) -> Statement {
        let flag = self.read_flag(answered, word);
        let none = self.make(ExprKind::Not(Box::new(flag)), Type::Bool, word);
        Statement {
            span: block.span,
            kind: StatementKind::If {
                arms: vec![(none, block)],
                otherwise: None,
            },
        }
    }

    /// Several statements where one is written.
    fn together(&mut self, statements: Vec<Statement>, span: Span) -> StatementKind {
        let always = self.constant(Value::Bool(true), Type::Bool, span);
        StatementKind::If {
            arms: vec![(always, Block { statements, span })],
            otherwise: None,
        }
    }
}

fn each_in<'p>(statements: &'p [Statement], visit: &mut impl FnMut(&'p Statement)) {
    for statement in statements {
        visit(statement);
        for block in statement.blocks() {
            each_in(&block.statements, visit);
        }
    }
}

fn reads(expr: &Expr, varies: &BTreeSet<VarId>) -> bool {
    any(expr, &mut |part| match &part.kind {
        ExprKind::Var(var) | ExprKind::Field { packet: var, .. } => varies.contains(var),
        _ => false,
    })
}

/// Where an expression reads when one of these packets left.
fn stamp_of(expr: &Expr, sent: &BTreeSet<VarId>) -> Option<Span> {
    let mut place = None;
    any(expr, &mut |part| {
        if let ExprKind::Field {
            packet,
            field: FieldRef::Meta(Meta::Ts | Meta::LastTs),
            ..
        } = &part.kind
            && sent.contains(packet)
        {
            place = Some(part.span);
        }
        place.is_some()
    });
    place
}
