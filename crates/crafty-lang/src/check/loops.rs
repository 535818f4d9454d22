//! Loops and their bounds.

use super::checker::Checker;
use super::types::{ExpectedType, adapt, article};
use super::waiting;
use super::words;
use crate::diagnostics as d;
use crate::ir::{
    Block, Expr, ExprKind, LoopPace, Over, Span, StatementKind, Type, VarId, VariableKind,
};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;

/// Options of others that send again.
const AGAIN: &[&str] = &[
    "tries", "retries", "retry", "attempts", "count", "repeat", "times",
];

impl Checker<'_> {
    /// `foreach x xs every=1ms { }`, `foreach i, x xs { }`
    pub fn foreach(
        &mut self,
        (variable, second): (&ast::Name, Option<&ast::Name>),
        (over, to): (&ast::ExprSyntax, Option<&ast::ExprSyntax>),
        options: &[ast::Opt],
        body: &ast::BlockSyntax,
        span: Span,
    ) -> Option<StatementKind> {
        let over = match to {
            Some(to) => self.range(over, to),
            None => self.container(over),
        };
        let pace = self.pace(options, &["every", "until", "for"], "foreach");
        let over = over.and_then(|(over, item)| self.pairs(over, item, second));
        let (item, inner) = match &over {
            Some((_, item, inner)) => (Some(item.clone()), inner.clone()),
            None => (None, None),
        };
        let (vars, body) = self.loop_body(&[(Some(variable), item), (second, inner)], body);
        let (over, pace) = (over?.0, pace?);
        if let Over::Range(low, high) = &over {
            self.judge_bounds(&[low, high], "a range", &pace, &body)?;
        }
        self.judge_pace(&pace, &body, span);
        Some(StatementKind::Foreach {
            var: vars[0]?,
            second: vars[1],
            over,
            pace,
            body,
        })
    }

    /// `repeat count=5 every=10ms until=done as n { }`
    pub fn repeat(
        &mut self,
        options: &[ast::Opt],
        counter: Option<&ast::Name>,
        body: &ast::BlockSyntax,
        span: Span,
    ) -> Option<StatementKind> {
        let count = options
            .iter()
            .find(|o| o.name.text == "count")
            .map(|o| self.rounds(&o.value, "`count`"));
        let pace = self.pace(options, &["count", "every", "until", "for"], "repeat");
        let (counters, body) = self.loop_body(&[(counter, Some(Type::Int))], body);
        let pace = pace?;
        if let Some(Some(count)) = &count {
            self.judge_bounds(&[count], "`count`", &pace, &body)?;
        }
        if count.is_none() && pace.every.is_none() && !waiting::always(&body) {
            let message = "this loop may never end: it has no `count`, and a path through its body does not wait";
            let report = Occurrence::new(
                &d::endless_loop::DIAGNOSTIC,
                Span {
                    end: span.start + 6,
                    ..span
                },
                message,
            );
            self.tell(report.help("write `repeat count=100 { }`, `repeat every=10ms { }`, or wait on every path through the body"));
        }
        self.judge_pace(&pace, &body, span);
        let count = match count {
            Some(count) => Some(count?),
            None => None,
        };
        Some(StatementKind::Repeat {
            count,
            counter: counters[0],
            pace,
            body,
        })
    }

    /// The body, with the variables that it begins with.
    fn loop_body(
        &mut self,
        variables: &[(Option<&ast::Name>, Option<Type>)],
        body: &ast::BlockSyntax,
    ) -> (Vec<Option<VarId>>, Block) {
        self.scoped(|c| {
            c.place.loops += 1;
            let vars = variables
                .iter()
                .map(|(name, ty)| name.map(|n| c.declare(n, ty.clone(), VariableKind::Loop)));
            (vars.collect(), c.block(body))
        })
    }

    /// The types of the loop variables: one takes elements or keys, two take positions and
    /// elements, or keys and values.
    fn pairs(
        &mut self,
        over: Over,
        item: Type,
        second: Option<&ast::Name>,
    ) -> Option<(Over, Type, Option<Type>)> {
        let Some(second) = second else {
            return Some((over, item, None));
        };
        match &over {
            Over::Value(value) => match &value.ty {
                Type::Map(_, held) => {
                    let held = (**held).clone();
                    Some((over, item, Some(held)))
                }
                _ => Some((over, Type::Int, Some(item))),
            },
            Over::Range(..) => {
                let message = "a range has no second value: two variables take the positions and elements of an array, or the keys and values of a map";
                self.report(&d::not_a_collection::DIAGNOSTIC, second.span, message);
                None
            }
        }
    }

    fn range(&mut self, low: &ast::ExprSyntax, high: &ast::ExprSyntax) -> Option<(Over, Type)> {
        let (low, high) = (self.rounds(low, "a range"), self.rounds(high, "a range"));
        Some((Over::Range(low?, high?), Type::Int))
    }

    /// How often something that sends or waits runs must be known before the start, or have a
    /// constant above it; what only computes is bounded by the time that it takes.
    pub fn judge_bounds(
        &mut self,
        ends: &[&Expr],
        by: &str,
        pace: &LoopPace,
        body: &Block,
    ) -> Option<()> {
        if pace.every.is_none() && self.only_computes(body) {
            return Some(());
        }
        let mut bounded = Some(());
        for end in ends {
            if self.bounded(end) {
                continue;
            }
            let text = self.text(end.span);
            let message = format!(
                "{by} of a loop that sends or waits must be constant or have a constant upper bound, and `{text}` has neither"
            );
            let report = Occurrence::new(&d::not_bounded::DIAGNOSTIC, end.span, message);
            self.tell(report.suggest(
                "give it an upper bound",
                end.span,
                format!("min({text}, 100)"),
            ));
            bounded = None;
        }
        bounded
    }

    /// Whether nothing in a block sends, opens, listens, waits or closes.
    fn only_computes(&self, block: &Block) -> bool {
        block.statements.iter().all(|statement| {
            let quiet = matches!(
                statement.kind,
                StatementKind::Set { .. }
                    | StatementKind::Update { .. }
                    | StatementKind::If { .. }
                    | StatementKind::Foreach { .. }
                    | StatementKind::Repeat { .. }
                    | StatementKind::Try { .. }
                    | StatementKind::Stop
                    | StatementKind::Exit
                    | StatementKind::Fail(_)
                    | StatementKind::Print(_)
                    | StatementKind::Record { .. }
                    | StatementKind::Assert(..)
            );
            let inner = statement.blocks();
            quiet && !self.may_wait(statement) && inner.into_iter().all(|b| self.only_computes(b))
        })
    }

    /// A number of rounds, or an end of a range.
    pub fn rounds(&mut self, e: &ast::ExprSyntax, by: &str) -> Option<Expr> {
        let value = self.expr(e)?;
        let value = self.fit(value, ExpectedType { ty: &Type::Int, by })?;
        if matches!(by, "`count`" | "`tries`") && self.int(&value).is_some_and(|n| n < 0) {
            self.report(
                &d::constant_fails::DIAGNOSTIC,
                e.span,
                "a loop cannot run a negative number of times",
            );
        }
        Some(value)
    }

    /// `min(x, constant)`, `choose(x, list)`, a constant.
    fn bounded(&self, e: &Expr) -> bool {
        if self.is_constant(e) {
            return true;
        }
        match &e.kind {
            ExprKind::Call { builtin, args } if builtin.name == "min" && args.len() == 2 => {
                args.iter().any(|a| self.is_constant(a))
            }
            ExprKind::Call { builtin, .. } => matches!(builtin.name, "choose" | "one_of"),
            _ => false,
        }
    }

    fn container(&mut self, e: &ast::ExprSyntax) -> Option<(Over, Type)> {
        let value = self.expr(e)?;
        let item = match &value.ty {
            Type::Array(item) => (**item).clone(),
            Type::Map(key, _) => (**key).clone(),
            other => {
                let text = self.text(e.span);
                let message = format!(
                    "`foreach` loops over an array, the keys of a map or a range, and `{text}` is {}",
                    article(other)
                );
                let report = Occurrence::new(&d::not_a_collection::DIAGNOSTIC, e.span, message);
                self.tell(match other {
                    Type::Int => report.suggest("a range", e.span, format!("1..{text}")),
                    Type::Bytes => report.help(format!(
                        "loop over positions: `foreach i 0..min(length({text}), 1500) - 1`"
                    )),
                    _ => report,
                });
                return None;
            }
        };
        Some((Over::Value(value), item))
    }

    /// `every=`, `until=`, `for=`.
    fn pace(&mut self, options: &[ast::Opt], allowed: &[&str], word: &str) -> Option<LoopPace> {
        let mut pace = LoopPace::default();
        let mut whole = self.known_options(options, allowed, word);
        for option in options {
            let slot = match option.name.text.as_str() {
                "every" => &mut pace.every,
                "for" => &mut pace.span,
                "until" => &mut pace.until,
                _ => continue,
            };
            let ty = if option.name.text == "until" {
                Type::Bool
            } else {
                Type::Duration
            };
            *slot = self.option_value(option, &ty);
            whole &= slot.is_some();
            if option.name.text == "every" {
                self.refuse_in_handler("the pause of `every`", option.name.span);
            }
        }
        whole &= self.judge_every(&pace, options);
        whole.then_some(pace)
    }

    /// The value of `every=`, `timeout=` and the like.
    pub fn option_value(&mut self, option: &ast::Opt, ty: &Type) -> Option<Expr> {
        let mut value = self.expr(&option.value)?;
        let by = format!("`{}`", option.name.text);
        if !adapt(&mut value, ty) {
            value = self.fit(value, ExpectedType { ty, by: &by })?;
        }
        if self.nanoseconds(&value).is_some_and(|n| n < 0) {
            self.report(
                &d::constant_fails::DIAGNOSTIC,
                option.value.span,
                format!("{by} cannot be negative"),
            );
        }
        Some(value)
    }

    fn judge_every(&mut self, pace: &LoopPace, options: &[ast::Opt]) -> bool {
        let zero = pace
            .every
            .as_ref()
            .is_some_and(|e| self.nanoseconds(e) == Some(0));
        let option = options.iter().find(|o| o.name.text == "every");
        if let (true, Some(option)) = (zero, option) {
            let message = "`every=0s` leaves no time to wait between rounds";
            self.report(&d::constant_fails::DIAGNOSTIC, option.value.span, message)
                .help
                .push("remove it, or write `every=1ms`".into());
        }
        !zero
    }

    /// Options that the statement does not take, or that are given twice.
    pub fn known_options(&mut self, options: &[ast::Opt], allowed: &[&str], word: &str) -> bool {
        let mut fine = true;
        for (n, option) in options.iter().enumerate() {
            let name = &option.name;
            if options[..n]
                .iter()
                .any(|before| before.name.text == name.text)
            {
                self.report(
                    &d::repeated_field::DIAGNOSTIC,
                    name.span,
                    format!("`{}` is given twice", name.text),
                );
                fine = false;
            }
            if !allowed.contains(&name.text.as_str()) {
                self.unknown_option(name, allowed, word);
                fine = false;
            }
        }
        fine
    }

    fn unknown_option(&mut self, name: &ast::Name, allowed: &[&str], word: &str) {
        const COMMON: &[(&str, &str)] = &[
            ("times", "count"),
            ("n", "count"),
            ("interval", "every"),
            ("within", "timeout"),
            ("while", "until"),
            ("max", "count"),
            ("wait", "timeout"),
            ("count", "tries"),
            ("retries", "tries"),
            ("attempts", "tries"),
            ("times", "tries"),
        ];
        let report = Occurrence::new(
            &d::unknown_statement_option::DIAGNOSTIC,
            name.span,
            format!("`{word}` has no option `{}=`", name.text),
        );
        let meant = COMMON
            .iter()
            .find(|(from, to)| *from == name.text && allowed.contains(to))
            .map(|(_, to)| *to);
        let near = meant.or_else(|| words::nearest(&name.text, allowed.iter().copied()));
        if word == "expect" && AGAIN.contains(&name.text.as_str()) {
            return self.tell(report.help(
                "to send again while no answer comes: `ask tries=3 { … } expect timeout=1s PATTERN { } else { }`",
            ));
        }
        let list: Vec<String> = allowed.iter().map(|w| format!("`{w}=`")).collect();
        self.tell(match near {
            Some(near) => report.suggest(format!("did you mean `{near}=`?"), name.span, near),
            None => report.help(format!("its options are {}", list.join(", "))),
        });
    }

    /// A body that cannot end before the next point of the grid.
    fn judge_pace(&mut self, pace: &LoopPace, body: &Block, span: Span) {
        let Some(every) = pace.every.as_ref() else {
            return;
        };
        let Some(grid) = self.nanoseconds(every) else {
            return;
        };
        let least = self.least_wait(body);
        if least > grid {
            let longest = crafty_value::Duration(least);
            let message = format!(
                "the body waits at least {longest}, but `every` is {}: some rounds are skipped",
                crafty_value::Duration(grid)
            );
            let at = Span {
                start: every.span.start,
                end: every.span.end.max(span.start),
            };
            self.report(&d::slow_body::DIAGNOSTIC, at, message)
                .help
                .push(format!("write `every={longest}` or more"));
        }
    }
}
