//! Statements (§6). Loops, handlers and settings are in their own files.

use super::ask::AskSyntax;
use super::checker::Checker;
use crate::diagnostics as d;
use crate::ir::{Block, DrivenKind, Span, StackId, StackLayer, Statement, StatementKind};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;

impl Checker<'_> {
    /// The statements of a block; the caller has opened its scope.
    pub fn block(&mut self, block: &ast::BlockSyntax) -> Block {
        let lowered = Block {
            statements: self.statements(block),
            span: block.span,
        };
        self.judge_handlers(&lowered, block);
        lowered
    }

    pub fn statements(&mut self, block: &ast::BlockSyntax) -> Vec<Statement> {
        let written = block.statements.iter();
        written.filter_map(|s| self.statement(s)).collect()
    }

    /// A block with a scope of its own.
    pub fn inner(&mut self, block: &ast::BlockSyntax) -> Block {
        self.scoped(|c| c.block(block))
    }

    fn statement(&mut self, statement: &ast::StatementSyntax) -> Option<Statement> {
        let kind = match &statement.kind {
            ast::StatementKindSyntax::Setting { name, group } => {
                self.setting(name, group, statement.span);
                return None;
            }
            ast::StatementKindSyntax::Param { name, ty, default } => {
                self.param(name, ty.as_ref(), default.as_ref(), statement.span);
                return None;
            }
            ast::StatementKindSyntax::Declare { name, value } => self.declaration(name, value)?,
            other => {
                self.started = true;
                self.action(other, statement.span)?
            }
        };
        Some(Statement {
            kind,
            span: statement.span,
        })
    }

    fn action(&mut self, kind: &ast::StatementKindSyntax, span: Span) -> Option<StatementKind> {
        use ast::StatementKindSyntax as S;
        match kind {
            S::Assign {
                name,
                path,
                op,
                value,
            } => self.assign(name, path, *op, value, span),
            S::Send(stack) => self.send(stack).map(|s| StatementKind::Send {
                send: s.send,
                into: None,
            }),
            S::Wait(length) => self.wait(length, span),
            S::Release => self.release(span),
            S::Stop => self.stop(span),
            S::Exit => Some(StatementKind::Exit),
            S::Close => self.ends(span, "close").map(StatementKind::Close),
            S::Abort => self.ends(span, "abort").map(StatementKind::Abort),
            S::Fail(why) => self.text_of(why, "`fail`").map(StatementKind::Fail),
            S::Print(value) => self.print(value),
            S::Record { fields } => self.record(fields),
            S::Assert(condition, message) => self.assert(condition, message.as_ref()),
            other => self.with_blocks(other, span),
        }
    }

    /// Statements that have blocks of their own.
    fn with_blocks(
        &mut self,
        kind: &ast::StatementKindSyntax,
        span: Span,
    ) -> Option<StatementKind> {
        use ast::StatementKindSyntax as S;
        match kind {
            S::Open {
                stack,
                name,
                body,
                otherwise,
            } => self.open(stack, name.as_ref(), body, otherwise),
            S::If { arms, otherwise } => self.branch(arms, otherwise.as_ref()),
            S::Foreach {
                variable,
                second,
                over,
                to,
                options,
                body,
            } => {
                let variables = (variable, second.as_ref());
                self.foreach(variables, (over, to.as_ref()), options, body, span)
            }
            S::Repeat {
                options,
                counter,
                body,
            } => self.repeat(options, counter.as_ref(), body, span),
            S::On { options, arm, body } => self.on(options, arm, body, span),
            S::Out {
                words,
                options,
                arm,
                body,
            } => self.out(words, options, arm, body.as_ref(), span),
            S::Expect {
                options,
                arms,
                otherwise,
            } => self.expect(options, arms, otherwise.as_ref(), span),
            S::Ask {
                options,
                counter,
                body,
                expects,
                waiting,
                arms,
                otherwise,
            } => self.ask(
                &AskSyntax {
                    options,
                    counter: counter.as_ref(),
                    body,
                    expects: *expects,
                    waiting,
                    arms,
                    otherwise: otherwise.as_ref(),
                },
                span,
            ),
            S::Try {
                body,
                error,
                otherwise,
            } => Some(self.attempt(body, error.as_ref(), otherwise)),
            _ => None,
        }
    }

    fn branch(
        &mut self,
        arms: &[(ast::ExprSyntax, ast::BlockSyntax)],
        otherwise: Option<&ast::BlockSyntax>,
    ) -> Option<StatementKind> {
        let mut whole = true;
        let mut lowered = Vec::new();
        for (condition, block) in arms {
            let condition = self.condition(condition, "`if`");
            let block = self.inner(block);
            match condition {
                Some(condition) => lowered.push((condition, block)),
                None => whole = false,
            }
        }
        let otherwise = otherwise.map(|block| self.inner(block));
        whole.then_some(StatementKind::If {
            arms: lowered,
            otherwise,
        })
    }

    fn attempt(
        &mut self,
        body: &ast::BlockSyntax,
        error: Option<&ast::Name>,
        otherwise: &ast::BlockSyntax,
    ) -> StatementKind {
        let body = self.inner(body);
        let (error, otherwise) = self.otherwise(error, otherwise);
        StatementKind::Try {
            body,
            error,
            otherwise,
        }
    }

    fn stop(&mut self, span: Span) -> Option<StatementKind> {
        if self.place.loops > 0 {
            return Some(StatementKind::Stop);
        }
        let report = Occurrence::new(
            &d::stop_outside::DIAGNOSTIC,
            span,
            "`stop` ends the enclosing loop, and there is none",
        );
        let report = match (self.place.handler, self.place.outer_loops) {
            (true, 1..) => {
                report.help("a handler cannot end a loop of the main program: set a variable, and test it in the loop with `until=`")
            }
            (true, _) => report.help("a handler ends with its block; `exit` ends the program"),
            _ => report.suggest("`exit` ends the program successfully", span, "exit").help("`fail \"why\"` ends it with status 1"),
        };
        self.tell(report);
        None
    }

    /// `close` and `abort`: which block they end.
    fn ends(&mut self, span: Span, word: &str) -> Option<StackId> {
        if self.place.lost {
            return None;
        }
        let Some(id) = self.place.stacks.last().copied() else {
            let message = format!("`{word}` ends the enclosing driven block, and there is none");
            self.report(&d::close_outside::DIAGNOSTIC, span, message)
                .help
                .push("`exit` ends the program".into());
            return None;
        };
        if self.place.handler && self.place.peer != Some(id) {
            let message = format!("in a handler `{word}` can end only a peer of a serving block");
            self.report(&d::close_outside::DIAGNOSTIC, span, message)
                .help
                .push("set a variable, and close the block in the main program".into());
            return None;
        }
        let tcp = |layer: &StackLayer| matches!(layer, StackLayer::Driven(d) if d.kind == DrivenKind::Tcp);
        let connection = self.stack(id).layers.iter().any(tcp);
        if word == "abort" && !connection {
            let message = "`abort` resets a connection, and this block has none";
            self.report(&d::close_outside::DIAGNOSTIC, span, message)
                .help
                .push("`close` ends the block".into());
        }
        Some(id)
    }
}
