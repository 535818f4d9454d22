//! `param`: what the command line may set, and which types it can give.

use super::checker::Checker;
use super::types::{adapt, article};
use super::words;
use crate::diagnostics as d;
use crate::ir::{Expr, Param, Span, Type, VariableKind};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;

impl Checker<'_> {
    /// `param target = 192.0.2.1`, `param target: ip`.
    pub fn param(
        &mut self,
        name: &ast::Name,
        ty: Option<&ast::Name>,
        default: Option<&ast::ExprSyntax>,
        span: Span,
    ) {
        if self.place.depth > 0 {
            let message = "a `param` must be at the top level of the program";
            self.report(
                &d::setting_place::DIAGNOSTIC,
                Span {
                    end: span.start + 5,
                    ..span
                },
                message,
            )
            .help
            .push("move it out of the block".into());
        }
        let written = ty.map(|ty| self.named_type(ty));
        let default = default.map(|e| self.default(e));
        let (ty, whole) = match (written, &default) {
            (Some(ty), None) => (ty, true),
            (Some(ty), Some(default)) => (ty, default.is_some()),
            (None, Some(Some(default))) => (Some(default.ty.clone()), true),
            _ => (None, false),
        };
        let default = match (&ty, default.flatten()) {
            (Some(ty), Some(default)) => self.default_fits(name, ty, default),
            _ => None,
        };
        let var = self.declare(name, ty.filter(|_| whole), VariableKind::Param);
        if let Some(known) = default.as_ref().and_then(|e| self.value(e)) {
            self.known[var.0 as usize] = known;
        }
        self.open.insert(var);
        self.params.push(Param { var, default, span });
    }

    fn default_fits(&mut self, name: &ast::Name, ty: &Type, mut default: Expr) -> Option<Expr> {
        if adapt(&mut default, ty) {
            return Some(default);
        }
        let message = format!(
            "`{}` takes {}, and its default is {}",
            name.text,
            article(ty),
            article(&default.ty)
        );
        self.report(&d::param_value::DIAGNOSTIC, default.span, message);
        None
    }

    fn default(&mut self, e: &ast::ExprSyntax) -> Option<Expr> {
        let value = self.setting_expr(e)?;
        if settable(&value.ty) {
            return Some(value);
        }
        let message = format!("the command line cannot give {}", article(&value.ty));
        self.report(&d::param_type::DIAGNOSTIC, e.span, message)
            .help
            .push(format!("the types are {}", type_names()));
        None
    }

    fn named_type(&mut self, name: &ast::Name) -> Option<Type> {
        if let Some((_, ty)) = PARAM_TYPES.iter().find(|(word, _)| *word == name.text) {
            return Some(ty.clone());
        }
        let report = Occurrence::new(
            &d::param_type::DIAGNOSTIC,
            name.span,
            format!("a param cannot have the type `{}`", name.text),
        );
        let words: Vec<&str> = PARAM_TYPES.iter().map(|(word, _)| *word).collect();
        self.tell(match words::nearest(&name.text, words) {
            Some(near) => report.suggest(format!("did you mean `{near}`?"), name.span, near),
            None => report.help(format!("the types are {}", type_names())),
        });
        None
    }
}

/// Types that a `param` may name.
const PARAM_TYPES: &[(&str, Type)] = &[
    ("int", Type::Int),
    ("float", Type::Float),
    ("bool", Type::Bool),
    ("string", Type::Str),
    ("bytes", Type::Bytes),
    ("duration", Type::Duration),
    ("ip", Type::Ip),
    ("net", Type::Net),
    ("mac", Type::Mac),
];

fn type_names() -> String {
    PARAM_TYPES
        .iter()
        .map(|(word, _)| *word)
        .collect::<Vec<_>>()
        .join(", ")
}

fn settable(ty: &Type) -> bool {
    match ty {
        Type::Array(item) => PARAM_TYPES.iter().any(|(_, t)| t == &**item),
        other => PARAM_TYPES.iter().any(|(_, t)| t == other),
    }
}
