//! Stacks that are sent: where they go, and what they become.

use super::checker::Checker;
use super::layers;
use super::scope::Binding;
use super::shape::{PacketOrigin, PacketShape, SeenLayer};
use super::types::at;
use crate::diagnostics as d;
use crate::ir::{DrivenKind, Literal, Onto, Send, Span, StackId, StackLayer};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;

/// A send with what may be read of its packet.
pub(super) struct CheckedSend {
    pub send: Send,
    pub shape: PacketShape,
    /// It goes into a stream: when it left is known only after waiting.
    pub streamed: bool,
}

impl Checker<'_> {
    pub fn send(&mut self, stack: &ast::Stack) -> Option<CheckedSend> {
        if let Some(driven) = stack.layers.iter().find(|l| l.driven) {
            self.driven_without_block(stack, driven);
            return None;
        }
        let target = self.target(stack);
        let layers: Vec<Option<Literal>> = stack.layers.iter().map(|l| self.literal(l)).collect();
        let layers = layers.into_iter().collect::<Option<Vec<Literal>>>()?;
        let onto = self.onto(stack, &layers, target?)?;
        self.judge_layers(&layers, onto);
        self.judge_peer(&layers, onto, stack.span);
        let site = self.site();
        let shape = PacketShape {
            layers: self.sent_layers(&layers, onto),
            any: false,
            stream: false,
            origin: PacketOrigin::Sent,
        };
        let streamed = matches!(onto, Onto::Above(id, n) if self.seen_at(id, n).is_some_and(|s| matches!(s, SeenLayer::Driven(kind, _) if kind.is_stream())));
        Some(CheckedSend {
            send: Send {
                site,
                onto,
                layers,
                span: stack.span,
            },
            shape,
            streamed,
        })
    }

    /// `/IP!(…)/UDP!(…)/Bytes("x")`.
    fn driven_without_block(&mut self, stack: &ast::Stack, driven: &ast::LayerUse) {
        let last = stack.layers.iter().rposition(|l| l.driven).unwrap_or(0);
        let head = Span {
            start: stack.span.start,
            end: stack.layers[last].span.end,
        };
        let rest: Vec<&str> = stack.layers[last + 1..]
            .iter()
            .map(|l| self.text(l.span))
            .collect();
        let message = format!(
            "`{}!` is driven, so it needs a block: its stack runs as long as the block",
            driven.name.text
        );
        let block = match rest.is_empty() {
            true => format!("{} {{\n}}", self.text(head)),
            false => format!("{} {{\n  {}\n}}", self.text(head), rest.join("/")),
        };
        let report = Occurrence::new(&d::driven_without_block::DIAGNOSTIC, driven.span, message);
        self.tell(report.suggest("open a block, and send inside it", stack.span, block));
    }

    /// The block that a send without leading `/` goes through; the outer option is none if there
    /// was a mistake.
    #[allow(clippy::option_option)]
    fn target(&mut self, stack: &ast::Stack) -> Option<Option<StackId>> {
        let Some(name) = &stack.through else {
            return Some(self.place.stacks.last().copied());
        };
        match self.lookup(&name.text) {
            Some(Binding::Block(id)) => Some(Some(id)),
            _ if self.place.lost => None,
            _ => {
                let named: Vec<String> = self
                    .place
                    .stacks
                    .iter()
                    .filter_map(|id| self.stack(*id).name.clone())
                    .collect();
                let report = Occurrence::new(
                    &d::unknown_block::DIAGNOSTIC,
                    name.span,
                    format!("no enclosing block is named `{}`", name.text),
                );
                self.tell(match named.first() {
                    Some(known) => {
                        report.suggest(format!("did you mean `{known}`?"), name.span, known.clone())
                    }
                    None => report.help(format!(
                        "name a block before its brace: `/IP!(…)/TCP!(…) as {} {{ }}`",
                        name.text
                    )),
                });
                None
            }
        }
    }

    fn onto(
        &mut self,
        stack: &ast::Stack,
        literals: &[Literal],
        target: Option<StackId>,
    ) -> Option<Onto> {
        let first = SeenLayer::Wire(literals[0].layer);
        if stack.from_bottom {
            if !layers::at_bottom(first) {
                self.not_at_bottom(stack, first.name());
                return None;
            }
            return Some(Onto::Bottom);
        }
        if self.place.lost {
            return None;
        }
        let Some(id) = target else {
            self.nowhere(stack, first, "there is no enclosing driven block");
            return None;
        };
        let full: Vec<SeenLayer> = self.full_stack(id).into_iter().map(layers::seen).collect();
        let driven = |seen: &SeenLayer| matches!(seen, SeenLayer::Driven(..));
        if let Some(at) = full
            .iter()
            .rposition(|seen| driven(seen) && layers::replaces(first, *seen))
        {
            return Some(Onto::Replace(id, at));
        }
        if let Some(at) = full
            .iter()
            .rposition(|seen| driven(seen) && layers::carries(*seen, first))
        {
            return Some(Onto::Above(id, at));
        }
        self.nowhere(stack, first, "no driven layer of the block can carry it");
        None
    }

    fn nowhere(&mut self, stack: &ast::Stack, first: SeenLayer, why: &str) {
        let text = self.text(stack.span);
        let message = format!("`{}` has no stack to go on: {why}", first.name());
        let report = Occurrence::new(&d::nowhere_to_go::DIAGNOSTIC, stack.layers[0].span, message);
        self.tell(match layers::at_bottom(first) {
            true => report.suggest("start at the bottom of the stack", at(stack.span.start), "/"),
            false => report.help(format!(
                "put it into a driven block, or start at the bottom of the stack: `/IP(dst=…)/{text}`"
            )),
        });
    }

    /// A stack that begins with `/TCP` or `/Bytes`.
    pub fn not_at_bottom(&mut self, stack: &ast::Stack, first: &str) {
        let message = format!("`{first}` cannot be at the bottom of a stack");
        let report = Occurrence::new(&d::not_at_bottom::DIAGNOSTIC, stack.layers[0].span, message);
        let report = report.help("if this continues the line above, end that line with `/`");
        let inside = !self.place.stacks.is_empty() && stack.from_bottom;
        let slash = Span {
            start: stack.span.start,
            end: stack.layers[0].span.start,
        };
        self.tell(if inside {
            report.suggest(
                "to send on the stack of the block, remove the `/`",
                slash,
                "",
            )
        } else {
            report
        });
    }

    pub fn not_carried(&mut self, below: &str, above: &str, span: Span) {
        let message = format!("`{above}` cannot be directly on top of `{below}`");
        let report = Occurrence::new(&d::not_carried::DIAGNOSTIC, span, message);
        let on = layers::carriers(above);
        self.tell(match on.is_empty() {
            true => report.help("to write other bytes there, use `Bytes`"),
            false => report.help(format!(
                "it goes on top of {}; to write other bytes there, use `Bytes`",
                on.join(", ")
            )),
        });
    }

    /// Each layer lies on the one before, unless the program says by number what follows.
    fn judge_layers(&mut self, literals: &[Literal], onto: Onto) {
        for pair in literals.windows(2) {
            let (below, above) = (&pair[0], &pair[1]);
            let (lower, upper) = (SeenLayer::Wire(below.layer), SeenLayer::Wire(above.layer));
            let carried = layers::carries(lower, upper) || layers::quotes(lower, upper);
            if !carried && !layers::says_next(below) {
                self.not_carried(below.layer.name, above.layer.name, above.span);
            }
        }
        if let (Onto::Bottom, 17..) = (onto, literals.len()) {
            self.report(
                &d::bad_pattern::DIAGNOSTIC,
                literals[16].span,
                "a packet has at most 16 layers",
            );
        }
    }

    /// In a serving block a send outside an arm has no peer.
    fn judge_peer(&mut self, literals: &[Literal], onto: Onto, span: Span) {
        let (Onto::Replace(id, _) | Onto::Above(id, _)) = onto else {
            return;
        };
        if !self.serves(id) {
            return;
        }
        let sets_dst = |l: &Literal| {
            l.fields
                .iter()
                .any(|(n, _)| l.layer.fields[*n].name == "dst")
        };
        let answered = self.place.peer == Some(id);
        if answered {
            for (_, value) in literals.iter().flat_map(|l| {
                l.fields
                    .iter()
                    .filter(|(n, _)| l.layer.fields[*n].name == "dst")
            }) {
                self.judge_answer(value, span);
            }
        } else if !literals.iter().any(sets_dst) {
            let message = "this send has no receiver: the block serves many peers, and nothing was matched here";
            let report = Occurrence::new(&d::to_whom::DIAGNOSTIC, span, message);
            self.tell(report.help("send in an arm or handler of `/IP!/UDP!/Bytes`: there it goes to the peer that sent the matched data"));
        }
    }

    fn seen_at(&self, id: StackId, n: usize) -> Option<SeenLayer> {
        self.full_stack(id).get(n).map(|l| layers::seen(l))
    }

    fn sent_layers(&self, literals: &[Literal], onto: Onto) -> Vec<SeenLayer> {
        let (id, kept) = match onto {
            Onto::Bottom => return literals.iter().map(|l| SeenLayer::Wire(l.layer)).collect(),
            Onto::Replace(id, n) => (id, n),
            Onto::Above(id, n) => (id, n + 1),
        };
        let mut seen: Vec<SeenLayer> = self
            .full_stack(id)
            .into_iter()
            .take(kept)
            .map(|l| self.sent_layer(l))
            .collect();
        seen.extend(literals.iter().map(|l| SeenLayer::Wire(l.layer)));
        seen
    }

    /// A layer of a block as its frames carry it: of either family unless that is known, else as on
    /// the wire.
    fn sent_layer(&self, layer: &StackLayer) -> SeenLayer {
        match layer {
            StackLayer::Literal(literal) => SeenLayer::Wire(literal.layer),
            StackLayer::Driven(driven) if driven.kind == DrivenKind::Ip => {
                SeenLayer::Driven(DrivenKind::Ip, self.family_of(driven))
            }
            StackLayer::Driven(driven) => layers::find(driven.kind.name())
                .map_or_else(|| layers::seen(layer), SeenLayer::Wire),
        }
    }
}
