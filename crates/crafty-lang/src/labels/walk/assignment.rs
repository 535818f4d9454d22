//! Settings of variables: what is assigned, to which part, and what may fail on the way.

use super::LabelContext;
use super::Pass;
use crate::ir::*;
use crate::labels::FlowRule;
use crate::labels::tag::{LabelPair, Tag};

impl<'p> Pass<'p> {
    pub(super) fn set(&mut self, var: VarId, value: &Expr, span: Span, place: &LabelContext) {
        let pair = self.value(value, place);
        self.assign(var, pair, span, place, FlowRule::AssignTakesPc);
    }

    /// Raises a variable by what it is given and by the pc; a step is added to the way.
    pub(super) fn assign(
        &mut self,
        var: VarId,
        pair: LabelPair,
        span: Span,
        place: &LabelContext,
        rule: FlowRule,
    ) {
        let pc = if self.on(rule) {
            place.pc.step(span, "assigned only under this condition")
        } else {
            Tag::clean()
        };
        let name = &self.program.variables[var.0 as usize].name;
        let skipped = self.may_be_skipped(span);
        let structure = pair
            .structure
            .step(span, format!("`{name}` takes its size from it"))
            .join(&pc)
            .join(&skipped);
        let content = pair
            .content
            .step(span, format!("`{name}` is set from it"))
            .join(&pc)
            .join(&skipped);
        let held = &mut self.vars[var.0 as usize];
        if held.structure.raise(&structure) | held.content.raise(&content) {
            self.changed = true;
            self.worklist.rose(var);
        }
    }

    pub(super) fn update(
        &mut self,
        var: VarId,
        path: &[Expr],
        op: AssignOp,
        value: &Expr,
        span: Span,
        place: &LabelContext,
    ) {
        let given = self.value(value, place);
        let mut keys = Tag::clean();
        for key in path {
            keys = keys.join(&self.all(key, place));
        }
        let keys_told = if self.on(FlowRule::KeyTellsStructure) {
            keys.clone()
        } else {
            Tag::clean()
        };
        let old = self.variable(var);
        let ty = &self.program.variables[var.0 as usize].ty;
        if op != AssignOp::Set && *leaf(ty, path) == Type::Time {
            self.computes_time();
        }
        if is_indexed(ty, path) {
            let of = if path.len() > 1 {
                old.all()
            } else {
                old.structure.clone()
            };
            self.may_fail(&of.join(&keys));
        }
        if op != AssignOp::Set
            && !matches!(value.ty, Type::Str | Type::Bytes | Type::Flags(_))
            && !grows(ty, path)
        {
            self.may_fail(&given.all().join(&old.all()).join(&keys));
        }
        // A write over a variable's cap is not made: whether it was depends on how large the parts
        // are.
        let structure = if path.is_empty() {
            given.structure.clone()
        } else {
            keys_told.join(&given.structure)
        };
        let pair = LabelPair {
            structure,
            content: given.all().join(&keys_told),
        };
        self.assign(
            var,
            pair,
            span,
            place,
            if path.is_empty() {
                FlowRule::AssignTakesPc
            } else {
                FlowRule::ContainerTakesPc
            },
        );
    }
}

/// The type of what a path leads to.
fn leaf<'t>(ty: &'t Type, path: &[Expr]) -> &'t Type {
    let mut steps = path.iter();
    steps.try_fold(ty, |ty, step| ty.behind(step)).unwrap_or(ty)
}

/// Whether a path leads through an array, whose index may be wrong; maps take any key, and records
/// have all their parts.
fn is_indexed(ty: &Type, path: &[Expr]) -> bool {
    let mut ty = ty;
    for step in path {
        ty = match (ty, ty.behind(step)) {
            (Type::Map(..) | Type::Record(_), Some(inner)) => inner,
            _ => return true,
        };
    }
    false
}

/// Whether `+=` appends to a container, which cannot fail.
pub(super) fn grows(ty: &Type, path: &[Expr]) -> bool {
    matches!(leaf(ty, path), Type::Array(_))
}
