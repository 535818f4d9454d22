//! Labels of expressions, and of their failing.

use super::tag::{LabelPair, Tag};
use super::walk::{LabelContext, Pass};
use super::{FlowRule, range};
use crate::driven::LayerCounter;
use crate::ir::{
    BinaryOp, Expr, ExprKind, FieldRef, Label, Span, StringPiece, Type, VarId, VariableKind,
};

impl Pass<'_> {
    /// The labels of a value, noted under its number. What may fail on the way is gathered in
    /// [`Pass::failing`].
    pub(super) fn value(&mut self, expr: &Expr, place: &LabelContext) -> LabelPair {
        let pair = self.labels_of(expr, place);
        self.note_expression(expr.id, pair.all().label);
        pair
    }

    /// What the whole value may reveal.
    pub(super) fn all(&mut self, expr: &Expr, place: &LabelContext) -> Tag {
        self.value(expr, place).all()
    }

    fn labels_of(&mut self, expr: &Expr, place: &LabelContext) -> LabelPair {
        match &expr.kind {
            ExprKind::Constant(_) => LabelPair::default(),
            ExprKind::Var(var) => self.held(*var, expr.span, place),
            ExprKind::Interpolate(pieces) => {
                let tag = self.pieces(pieces, place);
                self.may_be_too_large(expr, &tag);
                LabelPair::both(tag)
            }
            ExprKind::Array(items) | ExprKind::Record(_, items) => {
                let pair = self.joined(items, place);
                self.may_be_too_large(expr, &pair.structure);
                pair
            }
            ExprKind::Call { builtin, args } => self.call(builtin, args, expr, place),
            ExprKind::HasLayer { packet, .. } => LabelPair::scalar(self.of_packet(
                *packet,
                Label::Content,
                expr.span,
                "which layers a received packet has",
                place,
            )),
            ExprKind::Field {
                packet,
                field,
                nth,
                layer,
            } => {
                if self.may_be_absent(*packet, layer, *nth, field) {
                    self.may_lack_field(*packet, expr.span, place);
                }
                if matches!(field, FieldRef::Meta(meta) if meta.is_of_departure()) {
                    self.may_not_be_sent(*packet, expr.span);
                }
                self.field(*packet, layer.name, field, expr, place)
            }
            ExprKind::Counter { counter, .. } => self.counter(counter, expr.span),
            ExprKind::ErrorPart { error, message } => self.error_part(*error, *message, expr.span),
            ExprKind::At(base, index) => self.element(base, index, place),
            ExprKind::Slice(base, from, to) => {
                self.slice(base, from.as_deref(), to.as_deref(), place)
            }
            ExprKind::Negate(inner) => LabelPair::scalar(self.negated(inner, place)),
            ExprKind::Not(inner) => LabelPair::scalar(self.all(inner, place)),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr, place),
            ExprKind::Compare(_, left, right) => {
                LabelPair::scalar(self.compared(left, right, place))
            }
            ExprKind::InRange {
                value, low, high, ..
            } => {
                let ends = self.all(low, place).join(&self.all(high, place));
                let all = ends.join(&self.all(value, place));
                LabelPair::scalar(self.kept(self.on(FlowRule::CompareKeeps), all))
            }
        }
    }

    /// How many a container of a peer's words has, and how long they are, is its word too. Dates of
    /// certificates may lie anywhere.
    fn counter(&mut self, counter: &LayerCounter, span: Span) -> LabelPair {
        let label = if self.peers.steer(counter.of, counter.name) {
            Label::Content
        } else {
            counter.label
        };
        let tag = Tag::source(
            label,
            span,
            format!("`{}` depends on what was received", counter.name),
        );
        match counter.ty() {
            Type::Array(_) | Type::Map(..) | Type::Str | Type::Bytes
                if self.on(FlowRule::CounterTellsStructure) =>
            {
                LabelPair::both(tag)
            }
            Type::Time => {
                self.computes_time();
                LabelPair::scalar(tag)
            }
            _ => LabelPair::scalar(tag),
        }
    }

    /// A variable; a matched packet that is taken whole is all its bytes.
    fn held(&self, var: VarId, span: Span, place: &LabelContext) -> LabelPair {
        match self.program.variables[var.0 as usize].kind {
            VariableKind::Match => LabelPair::both(self.of_packet(
                var,
                Label::Content,
                span,
                "a received packet is kept",
                place,
            )),
            _ => self.variable(var),
        }
    }

    /// The lowest number of 64 bits has no opposite.
    fn negated(&mut self, inner: &Expr, place: &LabelContext) -> Tag {
        let tag = self.all(inner, place);
        if inner.ty != Type::Float
            && range::of(inner, &self.known).is_none_or(|(low, _)| low <= i128::from(i64::MIN))
        {
            self.may_fail(&tag);
        }
        tag
    }

    /// The line of a `print`: each hole is judged separately.
    pub(super) fn says(&mut self, line: &Expr, place: &LabelContext) {
        let ExprKind::Interpolate(pieces) = &line.kind else {
            self.told(line, place);
            return;
        };
        let mut tag = Tag::clean();
        for piece in pieces {
            if let StringPiece::Hole(inner, _) = piece {
                tag = tag.join(&self.told(inner, place));
            }
        }
        self.may_be_too_large(line, &tag);
        self.note_expression(line.id, tag.label);
    }

    /// A value that is only told shows what a packet lacks as absent, and does not fail. But where
    /// it may fail otherwise, what a packet lacks decides whether it comes to that.
    pub(super) fn told(&mut self, expr: &Expr, place: &LabelContext) -> Tag {
        let failing = self.failing.take();
        self.lacking = Some(Tag::clean());
        let tag = self.all(expr, place);
        let lacking = self.lacking.take().unwrap_or_default();
        let otherwise = core::mem::replace(&mut self.failing, failing);
        if let Some(otherwise) = otherwise {
            self.may_fail(&otherwise.join(&lacking));
        }
        tag
    }

    /// A field is read that a packet may lack.
    fn may_lack_field(&mut self, packet: VarId, span: Span, place: &LabelContext) {
        let what = "a field that a packet may lack";
        let tag = self.of_packet(packet, Label::Content, span, what, place);
        self.may_lack(&tag);
    }

    fn may_lack(&mut self, tag: &Tag) {
        match &mut self.lacking {
            Some(lacking) => drop(lacking.raise(tag)),
            None => self.may_fail(tag),
        }
    }

    /// What is evaluated only under a condition fails only under it.
    pub(super) fn value_if(
        &mut self,
        condition: &Tag,
        expr: &Expr,
        place: &LabelContext,
    ) -> LabelPair {
        let before = self.failing.take();
        if let Some(lacking) = &mut self.lacking {
            lacking.raise(condition);
        }
        let pair = self.value(expr, place);
        let inner = self.failing.take().map(|tag| tag.join(condition));
        self.failing = before;
        inner.iter().for_each(|tag| self.may_fail(tag));
        pair
    }

    pub(super) fn kept(&self, keep: bool, tag: Tag) -> Tag {
        if keep { tag } else { Tag::clean() }
    }

    fn pieces(&mut self, pieces: &[StringPiece], place: &LabelContext) -> Tag {
        let mut tag = Tag::clean();
        for piece in pieces {
            if let StringPiece::Hole(inner, _) = piece {
                tag = tag.join(&self.all(inner, place));
            }
        }
        tag
    }

    /// A literal array: how large it is its items decide, though not how many they are.
    fn joined(&mut self, items: &[Expr], place: &LabelContext) -> LabelPair {
        let sizes = self.on(FlowRule::GrowthMayFail);
        items.iter().fold(LabelPair::default(), |pair, item| {
            let of = self.value(item, place);
            pair.join(&LabelPair {
                content: of.all(),
                structure: self.kept(sizes, of.structure),
            })
        })
    }

    fn error_part(&mut self, error: VarId, message: bool, span: Span) -> LabelPair {
        let label = if message {
            Label::Content
        } else {
            Label::Event
        };
        LabelPair::both(self.variable(error).all().join(&Tag::source(
            label,
            span,
            "the error depends on what the network did",
        )))
    }

    fn element(&mut self, base: &Expr, index: &Expr, place: &LabelContext) -> LabelPair {
        let of = self.value(base, place);
        let key = self.all(index, place);
        let key_told = self.kept(self.on(FlowRule::KeyTellsStructure), key.clone());
        match base.ty {
            Type::Map(..) => {
                let keys = self.kept(self.on(FlowRule::HasTellsStructure), of.structure.clone());
                LabelPair::both(of.content.join(&keys).join(&key_told))
            }
            // A record has all its parts; what one reveals also reveals the others.
            Type::Record(_) => LabelPair::both(of.all()),
            _ => {
                self.may_fail(&of.structure.join(&key));
                LabelPair {
                    structure: self.inner_structure(&base.ty, &of, &key_told),
                    content: of.content.join(&key_told),
                }
            }
        }
    }

    /// An element of bytes has one byte; an element of an array may be a container of its own.
    fn inner_structure(&self, base: &Type, of: &LabelPair, key: &Tag) -> Tag {
        if *base == Type::Bytes {
            Tag::clean()
        } else {
            of.content.join(key)
        }
    }

    fn slice(
        &mut self,
        base: &Expr,
        from: Option<&Expr>,
        to: Option<&Expr>,
        place: &LabelContext,
    ) -> LabelPair {
        let of = self.value(base, place);
        let mut ends = Tag::clean();
        for end in [from, to].into_iter().flatten() {
            ends = ends.join(&self.all(end, place));
        }
        self.may_fail(&of.structure.join(&ends));
        LabelPair {
            structure: of.structure.join(&ends),
            content: of.content.join(&ends),
        }
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        whole: &Expr,
        place: &LabelContext,
    ) -> LabelPair {
        let ty = &whole.ty;
        let a = self.value(left, place);
        let b = match op {
            BinaryOp::And | BinaryOp::Or => self.value_if(&a.all(), right, place),
            _ => self.value(right, place),
        };
        if *ty == Type::Time {
            self.computes_time();
        }
        self.operator_may_fail((op, left, right), ty, (&a, &b));
        let pair = match (ty, op) {
            (Type::Bytes, BinaryOp::Multiply) => {
                let count = self.kept(self.on(FlowRule::LengthTells), b.all());
                LabelPair {
                    structure: a.structure.join(&count),
                    content: a.content,
                }
            }
            (Type::Bytes | Type::Str | Type::Array(_), _) => a.join(&b),
            _ => return LabelPair::scalar(a.all().join(&b.all())),
        };
        self.may_be_too_large(whole, &pair.structure);
        pair
    }

    fn compared(&mut self, left: &Expr, right: &Expr, place: &LabelContext) -> Tag {
        let (a, b) = (self.all(left, place), self.all(right, place));
        let keeps = self.on(FlowRule::CompareKeeps);
        self.kept(keeps, a.join(&b))
    }
}
