//! `on out` and `release`: the stack's own segments.

use super::checker::Checker;
use super::layers;
use super::shape::PacketShape;
use crate::diagnostics as d;
use crate::ir::{
    DrivenKind, Element, Out, OutAction, Pattern, Span, StackId, StackLayer, StatementKind, Type,
};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;

/// What can be done, as it is written.
const ACTIONS: &str = "`drop`, `hold`, `duplicate`, `delay=50ms` or `split=100`";

impl Checker<'_> {
    /// `on out drop count=1 PATTERN as m { }`
    pub fn out(
        &mut self,
        words: &[ast::Name],
        options: &[ast::Opt],
        arm: &ast::ArmSyntax,
        body: Option<&ast::BlockSyntax>,
        span: Span,
    ) -> Option<StatementKind> {
        self.refuse_in_handler(
            "`on`",
            Span {
                end: span.start + 2,
                ..span
            },
        );
        let known = self.known_options(options, &["count", "delay", "split"], "on out");
        let action = self.out_action(words, options, span);
        let count = self.given(options, "count", &Type::Int);
        let stack = self.sending_stack(span);
        let (handler, site) = (self.handler(), self.site());
        let pattern = self.own_pattern(&arm.pattern);
        let (arm, body) = self.arm_of(arm, pattern, stack, |c| {
            c.place.handler = true;
            c.place.outer_loops = c.place.loops;
            c.place.loops = 0;
            body.map(|body| c.inner(body))
        });
        let (action, stack) = (action?, stack?);
        if matches!(action, OutAction::Hold) {
            self.place.holds = true;
        }
        let out = Out {
            handler,
            site,
            stack,
            action,
            count: count?,
            arm: arm?,
            body,
        };
        Some(StatementKind::Out(Box::new(out))).filter(|_| known)
    }

    /// One word or option says what becomes of a segment.
    fn out_action(
        &mut self,
        words: &[ast::Name],
        options: &[ast::Opt],
        span: Span,
    ) -> Option<OutAction> {
        let given: Vec<&ast::Opt> = options
            .iter()
            .filter(|o| matches!(o.name.text.as_str(), "delay" | "split"))
            .collect();
        match (words, given.as_slice()) {
            ([word], []) => match word.text.as_str() {
                "drop" => Some(OutAction::Drop),
                "hold" => Some(OutAction::Hold),
                "duplicate" => Some(OutAction::Duplicate),
                other => self.no_action(
                    format!("`{other}` is not an action for a segment"),
                    word.span,
                ),
            },
            ([], [one]) if one.name.text == "delay" => self
                .option_value(one, &Type::Duration)
                .map(OutAction::Delay),
            ([], [one]) => self.split_after(one).map(OutAction::Split),
            ([], []) => {
                let head = Span {
                    end: options
                        .first()
                        .map_or(span.start + 6, |o| o.name.span.start.max(span.start + 6)),
                    ..span
                };
                self.no_action("`on out` needs an action for the segment".into(), head)
            }
            _ => {
                let places = words
                    .iter()
                    .map(|w| w.span)
                    .chain(given.iter().map(|o| o.name.span));
                let second = places.max_by_key(|s| s.start).unwrap_or(span);
                self.no_action(
                    "one `on out` has one action: use a second `on out` for another".into(),
                    second,
                )
            }
        }
    }

    fn no_action(&mut self, message: String, span: Span) -> Option<OutAction> {
        self.report(&d::out_action::DIAGNOSTIC, span, message)
            .help
            .push(format!("write {ACTIONS}"));
        None
    }

    fn split_after(&mut self, option: &ast::Opt) -> Option<crate::ir::Expr> {
        let octets = self.option_value(option, &Type::Int)?;
        if self.int(&octets).is_some_and(|n| n < 1) {
            self.report(
                &d::constant_fails::DIAGNOSTIC,
                option.value.span,
                "a segment is split after at least one byte of its payload",
            );
        }
        Some(octets)
    }

    /// The block whose stack sends automatically: one of `TCP!`, or of `IP!`, for the connections
    /// that are opened on it.
    fn sending_stack(&mut self, span: Span) -> Option<StackId> {
        let stack = self.place.stacks.last().copied();
        let top = stack.and_then(|id| self.stack(id).layers.last().cloned());
        let udp = matches!(&top, Some(StackLayer::Driven(top)) if top.kind == DrivenKind::Udp);
        if (stack.is_none() || udp) && !self.place.lost {
            let why = if udp {
                "`UDP!` sends only what the program writes"
            } else {
                "there is no enclosing driven block"
            };
            let word = Span {
                end: span.start + 6,
                ..span
            };
            let report = Occurrence::new(
                &d::out_outside::DIAGNOSTIC,
                word,
                format!("`on out` works on the segments of a connection, and {why}"),
            );
            self.tell(report.help("put it into the block of a `TCP!`, or into the enclosing `IP!` block before the connection opens"));
        }
        stack.filter(|_| !udp)
    }

    /// A pattern of segments as the wire will carry them: nothing is delivered on the fix.
    fn own_pattern(&mut self, pattern: &ast::PatternSyntax) -> Option<(Pattern, PacketShape)> {
        let below = if pattern.from_bottom {
            Vec::new()
        } else {
            self.below(pattern)?
        };
        self.refuse_driven(pattern)?;
        let mut elements: Vec<Option<Element>> =
            below.iter().map(|layer| Some(on_the_wire(layer))).collect();
        for element in &pattern.elements {
            elements.push(self.pattern_element(element, false, None));
        }
        let elements = elements.into_iter().collect::<Option<Vec<Element>>>()?;
        self.judge_run(&elements, pattern)?;
        let shape = self.pattern_shape(&elements, self.place.stacks.last().copied(), false);
        Some((
            Pattern {
                elements,
                stack: None,
                span: pattern.span,
            },
            shape,
        ))
    }

    fn refuse_driven(&mut self, pattern: &ast::PatternSyntax) -> Option<()> {
        let driven = pattern.elements.iter().filter_map(|element| match element {
            ast::ElementSyntax::Layer {
                name, driven: true, ..
            } => Some(name),
            _ => None,
        });
        let names: Vec<&ast::Name> = driven.collect();
        let Some(first) = names.first() else {
            return Some(());
        };
        let message = format!(
            "`{}!` means data that a stack delivers, and outgoing segments are seen as frames",
            first.text
        );
        let bang = |name: &&ast::Name| {
            let start = name.span.start + name.text.len() as u32;
            (
                Span {
                    start,
                    end: start + 1,
                },
                String::new(),
            )
        };
        let edits: Vec<(Span, String)> = names
            .iter()
            .map(bang)
            .filter(|(span, _)| self.text(*span) == "!")
            .collect();
        let report = Occurrence::new(&d::out_driven::DIAGNOSTIC, first.span, message);
        self.tell(report.fix_all("remove the `!`", edits));
        None
    }

    /// `release`
    pub fn release(&mut self, span: Span) -> Option<StatementKind> {
        if !self.place.holds && !self.place.lost {
            let report = Occurrence::new(
                &d::nothing_held::DIAGNOSTIC,
                span,
                "there is no `on out hold` before this `release`",
            );
            self.tell(report.help("write `on out hold count=1 TCP/Bytes` before it, in this block or an enclosing one"));
        }
        Some(StatementKind::Release(self.site()))
    }
}

/// A layer of the block as its frames carry it; `IP!` is of either family.
fn on_the_wire(layer: &StackLayer) -> Element {
    match layer {
        StackLayer::Literal(literal) => Element::Layer {
            layer: literal.layer,
            conditions: Vec::new(),
        },
        StackLayer::Driven(driven) => match (driven.kind, layers::find(driven.kind.name())) {
            (DrivenKind::Ip, _) | (_, None) => Element::Driven {
                kind: driven.kind,
                conditions: Vec::new(),
            },
            (_, Some(layer)) => Element::Layer {
                layer,
                conditions: Vec::new(),
            },
        },
    }
}
