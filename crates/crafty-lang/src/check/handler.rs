//! `on`, `expect`, `wait`: who listens and who waits.

use super::checker::Checker;
use super::types::{ExpectedType, at};
use crate::diagnostics as d;
use crate::ir::{Block, Span, StatementKind, Type};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;

impl Checker<'_> {
    /// `wait 200ms`
    pub fn wait(&mut self, length: &ast::ExprSyntax, span: Span) -> Option<StatementKind> {
        self.refuse_in_handler(
            "`wait`",
            Span {
                end: span.start + 4,
                ..span
            },
        );
        let value = self.expr(length)?;
        let value = self.fit(
            value,
            ExpectedType {
                ty: &Type::Duration,
                by: "`wait`",
            },
        )?;
        if self.nanoseconds(&value).is_some_and(|n| n < 0) {
            self.report(
                &d::constant_fails::DIAGNOSTIC,
                value.span,
                "a wait cannot be negative",
            );
        }
        Some(StatementKind::Wait(value))
    }

    /// A handler never waits.
    pub fn refuse_in_handler(&mut self, what: &str, span: Span) {
        if self.place.handler {
            let message = format!("a handler cannot wait, so {what} is not allowed in it");
            self.report(&d::handler_waits::DIAGNOSTIC, span, message)
                .help
                .push("set a variable, and wait in the main program".into());
        }
    }

    /// `on linger=2s count=1 PATTERN as m { }`
    pub fn on(
        &mut self,
        options: &[ast::Opt],
        arm: &ast::ArmSyntax,
        body: &ast::BlockSyntax,
        span: Span,
    ) -> Option<StatementKind> {
        self.refuse_in_handler(
            "`on`",
            Span {
                end: span.start + 2,
                ..span
            },
        );
        let known = self.known_options(options, &["linger", "count"], "on");
        let linger = self.given(options, "linger", &Type::Duration);
        let count = self.given(options, "count", &Type::Int);
        let handler = self.handler();
        let (arm, body) = self.arm(arm, |c| {
            c.place.handler = true;
            c.place.outer_loops = c.place.loops;
            c.place.loops = 0;
            c.inner(body)
        });
        Some(StatementKind::On {
            handler,
            linger: linger?,
            count: count?,
            arm: arm?,
            body,
        })
        .filter(|_| known)
    }

    /// The value of an option that may be left out; none after a mistake.
    #[allow(clippy::option_option)]
    pub fn given(
        &mut self,
        options: &[ast::Opt],
        name: &str,
        ty: &Type,
    ) -> Option<Option<crate::ir::Expr>> {
        match options.iter().find(|o| o.name.text == name) {
            Some(option) => self.option_value(option, ty).map(Some),
            None => Some(None),
        }
    }

    /// `expect timeout=1s PATTERN { } or PATTERN { } else { }`
    pub fn expect(
        &mut self,
        options: &[ast::Opt],
        arms: &[(ast::ArmSyntax, ast::BlockSyntax)],
        otherwise: Option<&ast::BlockSyntax>,
        span: Span,
    ) -> Option<StatementKind> {
        let word = Span {
            end: span.start + 6,
            ..span
        };
        self.refuse_in_handler("`expect`", word);
        let known = self.known_options(options, &["timeout"], "expect");
        let timeout = self.given(options, "timeout", &Type::Duration);
        if options.iter().all(|o| o.name.text != "timeout") {
            let report = Occurrence::new(
                &d::missing_timeout::DIAGNOSTIC,
                word,
                "`expect` needs a `timeout`",
            );
            self.tell(report.fix("wait at most one second", at(word.end), " timeout=1s"));
        }
        let mut lowered = Vec::new();
        for (arm, block) in arms {
            let (arm, body) = self.arm(arm, |c| c.inner(block));
            lowered.push(arm.map(|arm| (arm, body)));
        }
        let otherwise = otherwise.map(|block| self.inner(block));
        let arms = lowered.into_iter().collect::<Option<Vec<_>>>()?;
        Some(StatementKind::Expect {
            timeout: timeout??,
            arms,
            otherwise,
        })
        .filter(|_| known)
    }

    /// A handler after which nothing waits never runs.
    pub fn judge_handlers(&mut self, block: &Block, written: &ast::BlockSyntax) {
        let lingers = block.statements.iter().any(|s| {
            matches!(
                s.kind,
                StatementKind::On {
                    linger: Some(_),
                    ..
                }
            )
        });
        let whole = written
            .statements
            .iter()
            .all(|s| !matches!(s.kind, ast::StatementKindSyntax::Broken))
            && !self.has_errors();
        if lingers || !whole {
            return;
        }
        for (n, statement) in block.statements.iter().enumerate() {
            let StatementKind::On { arm, .. } = &statement.kind else {
                continue;
            };
            let word = Span {
                end: statement.span.start + 2,
                ..statement.span
            };
            if block.statements[n + 1..].iter().any(|s| self.may_wait(s)) {
                continue;
            }
            let (diagnostic, message) = match n + 1 == block.statements.len() {
                true => (
                    &d::last_handler::DIAGNOSTIC,
                    "this handler is last in its block, which ends before the handler can run",
                ),
                false => (
                    &d::idle_handler::DIAGNOSTIC,
                    "nothing after this handler waits, so it never runs",
                ),
            };
            let report = Occurrence::new(diagnostic, word, message)
                .note(arm.pattern.span, "the packets that it handles");
            self.tell(report.suggest("keep the block open for it", at(word.end), " linger=1s"));
        }
    }
}
