//! Records: values with named parts, `{state: "open", ttl: 3}`.

use super::checker::Checker;
use super::types::article;
use super::words;
use crate::builtins::type_name;
use crate::diagnostics as d;
use crate::ir::{Expr, ExprKind, Span, Type};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::Value;
use std::sync::Arc;

impl Checker<'_> {
    /// `{state: "open", ttl: 3}`; the parts are kept in the order of their names.
    pub fn record_value(
        &mut self,
        written: &[(ast::Name, ast::ExprSyntax)],
        span: Span,
    ) -> Option<Expr> {
        let mut parts: Vec<(Arc<str>, Expr)> = Vec::new();
        let mut whole = true;
        for (name, value) in written {
            let value = self.expr(value).filter(|v| self.may_be_part(v));
            if parts.iter().any(|(before, _)| **before == *name.text) {
                let message = format!("`{}` is given twice", name.text);
                self.report(&d::repeated_field::DIAGNOSTIC, name.span, message);
                whole = false;
            }
            match value {
                Some(value) => parts.push((name.text.as_str().into(), value)),
                None => whole = false,
            }
        }
        if !whole {
            return None;
        }
        parts.sort_by(|(a, _), (b, _)| a.cmp(b));
        let types = parts
            .iter()
            .map(|(name, part)| (Arc::clone(name), part.ty.clone()));
        let ty = Type::Record(types.collect());
        let (names, values): (Vec<Arc<str>>, Vec<Expr>) = parts.into_iter().unzip();
        let record = self.make(ExprKind::Record(names.into(), values), ty, span);
        self.fold(record)
    }

    fn may_be_part(&mut self, value: &Expr) -> bool {
        let stored = !matches!(value.ty, Type::Packet | Type::Error);
        if !stored {
            let message = "packets and errors can be kept only in variables";
            self.report(&d::packet_stored::DIAGNOSTIC, value.span, message)
                .help
                .push("keep the fields that you need: `p[Eth].ts`".into());
        }
        stored
    }

    /// `r.part` of a value that is a record.
    pub fn record_part(&mut self, of: Expr, name: &ast::Name) -> Option<Expr> {
        let Some(ty) = of.ty.part(&name.text).cloned() else {
            let report = self.no_part(&of, name);
            self.tell(report);
            return None;
        };
        let step = self.part_step(name);
        let span = of.span.to(name.span);
        let part = self.make(ExprKind::At(of.into(), step.into()), ty, span);
        self.fold(part)
    }

    /// The name of a part, as the step that leads to it.
    pub fn part_step(&mut self, name: &ast::Name) -> Expr {
        self.constant(Value::text(name.text.as_str()), Type::Str, name.span)
    }

    /// A record that lacks a part of this name.
    pub fn no_part(&self, of: &Expr, name: &ast::Name) -> Occurrence {
        let (text, part) = (self.text(of.span), &name.text);
        let message = format!("`{text}` is {}, which has no `{part}`", article(&of.ty));
        let report = Occurrence::new(&d::no_member::DIAGNOSTIC, name.span, message);
        let Type::Record(parts) = &of.ty else {
            return report;
        };
        match words::nearest(part, parts.iter().map(|(name, _)| &**name)) {
            Some(near) => report.suggest(format!("did you mean `{near}`?"), name.span, near),
            None => report.help(
                "a record has the parts that it was first given: add this one there, with its first value",
            ),
        }
    }
}

/// How one record differs from what is wanted, as a fix.
pub(super) fn difference(wanted: &[(Arc<str>, Type)], given: &[(Arc<str>, Type)]) -> String {
    let lacks = |parts: &[(Arc<str>, Type)], name: &str| parts.iter().all(|(of, _)| **of != *name);
    let missing = wanted.iter().find(|(name, _)| lacks(given, name));
    let foreign = given.iter().find(|(name, _)| lacks(wanted, name));
    let other = wanted.iter().zip(given).find(|(w, g)| w.1 != g.1);
    match (missing, foreign, other) {
        (Some((name, ty)), None, _) => format!("give `{name}` too, {}", article(ty)),
        (None, Some((name, _)), _) => {
            format!("leave `{name}` out, or give it a first value where the record is declared")
        }
        (Some((missing, _)), Some((foreign, _)), _) => {
            format!("write `{missing}` instead of `{foreign}`")
        }
        (None, None, Some((w, g))) => {
            format!(
                "`{}` is {} there, not {}",
                w.0,
                type_name(&w.1),
                type_name(&g.1)
            )
        }
        _ => "give the same parts".to_string(),
    }
}
