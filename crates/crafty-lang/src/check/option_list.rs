//! Lists of options as a whole: whether one is in it, and how it is shown.

use super::checker::Checker;
use super::layers;
use crate::diagnostics as d;
use crate::ir::{Expr, ExprKind, FieldRef, OptionQuestion, RelOp, Span, Type};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;
use crafty_wire::Layer;

impl Checker<'_> {
    /// `m[TCP].options has mss`; none if no list of options is asked.
    #[allow(clippy::option_option)]
    pub fn has_option(
        &mut self,
        op: RelOp,
        of: &Expr,
        word: &ast::ExprSyntax,
        span: Span,
    ) -> Option<Option<Expr>> {
        let ast::ExprKindSyntax::Name(name) = &word.kind else {
            return None;
        };
        let (layer, field) = options_of(of)?;
        let list = &layer.fields[field];
        let Some(option) = layers::option_name(list, name) else {
            let message = format!("{} has no option `{name}`", layer.name);
            let report = Occurrence::new(&d::unknown_option::DIAGNOSTIC, word.span, message);
            let names = layers::option_names(list);
            self.tell(layers::offer(report, word.span, name, &names));
            return Some(None);
        };
        let asked = self.asked(of, OptionQuestion::Has(option), Type::Bool, span);
        Some(Some(match op {
            RelOp::NotHas => self.make(ExprKind::Not(asked.into()), Type::Bool, span),
            _ => asked,
        }))
    }

    /// A list that is only told is shown by the names of its options; all else stays.
    pub fn shown(&mut self, value: Expr) -> Expr {
        match options_of(&value) {
            Some(_) => self.asked(&value, OptionQuestion::Shown, Type::Str, value.span),
            None => value,
        }
    }

    fn asked(&mut self, of: &Expr, question: OptionQuestion, ty: Type, span: Span) -> Expr {
        let ExprKind::Field {
            packet,
            layer,
            nth,
            field: FieldRef::Wire { field, .. },
        } = of.kind
        else {
            return of.clone();
        };
        let field = FieldRef::OptionList {
            layer,
            field,
            question,
        };
        let kind = ExprKind::Field {
            packet,
            layer,
            nth,
            field,
        };
        self.make(kind, ty, span)
    }
}

/// The list of options that an expression reads.
fn options_of(expr: &Expr) -> Option<(&'static Layer, usize)> {
    match expr.kind {
        ExprKind::Field {
            field: FieldRef::Wire { layer, field },
            ..
        } if layers::holds_options(&layer.fields[field]) => Some((layer, field)),
        _ => None,
    }
}
