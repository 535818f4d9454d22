//! Labels of calls: each function by the rule of its row.

use super::FlowRule;
use super::price::Outcomes;
use super::tag::{LabelPair, Tag};
use super::walk::{LabelContext, Pass};
use crate::builtins::{Builtin, LabelRule};
use crate::ir::{Expr, ExprKind, Label, Span, Type, VariableKind};

impl Pass<'_> {
    pub(super) fn call(
        &mut self,
        builtin: &'static Builtin,
        args: &[Expr],
        call: &Expr,
        place: &LabelContext,
    ) -> LabelPair {
        let span = call.span;
        let pairs: Vec<LabelPair> = args.iter().map(|arg| self.value(arg, place)).collect();
        let lowered = match builtin.label {
            LabelRule::Lowers => self.lowered(builtin, args, &pairs, call),
            _ => LabelPair::default(),
        };
        self.call_may_fail(builtin, args, &pairs);
        match builtin.label {
            LabelRule::Clean => {
                LabelPair::scalar(pairs.iter().fold(Tag::clean(), |t, p| t.join(&p.all())))
            }
            LabelRule::Content => {
                let cut = Tag::source(
                    Label::Content,
                    span,
                    "the number of frames depends on the path or the peer",
                );
                LabelPair::scalar(pairs.iter().fold(cut, |t, p| t.join(&p.all())))
            }
            LabelRule::Clock => LabelPair::scalar(self.clock_at(place)),
            LabelRule::Lowers => lowered,
            LabelRule::Length => LabelPair::scalar(self.length(&args[0], &pairs[0], span, place)),
            LabelRule::Join => self.call_joins(builtin, &pairs),
        }
    }

    /// `choose` and `one_of`: what content picks from a constant list is an event, at a price.
    fn lowered(
        &mut self,
        builtin: &Builtin,
        args: &[Expr],
        pairs: &[LabelPair],
        call: &Expr,
    ) -> LabelPair {
        let whole = pairs.iter().fold(Tag::clean(), |t, p| t.join(&p.all()));
        let capped = whole.capped(Label::Event);
        match args.get(1) {
            Some(list) if whole.label == Label::Content && self.on(FlowRule::ChoiceHasPrice) => {
                let outcomes = Outcomes::Choice {
                    call: call.id,
                    list: list.clone(),
                    misses: builtin.name == "one_of",
                };
                LabelPair::both(capped.at_price(self.price(call.span, outcomes)))
            }
            _ => LabelPair::both(capped),
        }
    }

    /// Containers keep their two labels through the functions that keep them containers.
    fn call_joins(&mut self, builtin: &Builtin, pairs: &[LabelPair]) -> LabelPair {
        let whole = pairs.iter().fold(Tag::clean(), |t, p| t.join(&p.all()));
        match (builtin.name, pairs) {
            ("has", [map, key]) => {
                let keys = self.kept(self.on(FlowRule::HasTellsStructure), map.structure.clone());
                let key = self.kept(self.on(FlowRule::KeyTellsStructure), key.all());
                LabelPair::scalar(if self.on(FlowRule::HasTellsStructure) {
                    keys.join(&key)
                } else {
                    Tag::clean()
                })
            }
            ("keys", [map]) => LabelPair::both(map.structure.clone()),
            ("remove", [map, key]) => {
                let key = self.kept(self.on(FlowRule::KeyTellsStructure), key.all());
                map.join(&LabelPair::both(key))
            }
            ("sort" | "hex" | "bytes", [one]) => one.clone(),
            ("array", [init, len]) => LabelPair {
                structure: len.all(),
                content: init.all().join(&len.all()),
            },
            ("map", [_, default]) => LabelPair::scalar(default.all()),
            ("byte", _) => LabelPair::scalar(whole),
            ("bytes", [_, len]) => LabelPair {
                structure: len.all(),
                content: whole,
            },
            ("text", _) => LabelPair::both(whole),
            _ => LabelPair::scalar(whole),
        }
    }

    pub(super) fn length(
        &mut self,
        arg: &Expr,
        pair: &LabelPair,
        span: Span,
        place: &LabelContext,
    ) -> Tag {
        match arg.ty {
            Type::Packet => match &arg.kind {
                ExprKind::Var(var)
                    if self.program.variables[var.0 as usize].kind != VariableKind::Match =>
                {
                    self.own_length(*var, span)
                }
                ExprKind::Var(var) => self.of_packet(
                    *var,
                    self.told_by_length(*var),
                    span,
                    "the length of a received packet",
                    place,
                ),
                _ => pair.all(),
            },
            Type::Bytes | Type::Str => pair.structure.clone(),
            _ if self.on(FlowRule::OwnLengthTells) => pair.structure.clone(),
            _ => pair.structure.capped(Label::Event),
        }
    }
}
