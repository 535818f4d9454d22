//! Reading in brackets: elements and slices.

use super::checker::Checker;
use super::layers;
use super::scope::Binding;
use super::types::{ExpectedType, adapt, article};
use crate::diagnostics as d;
use crate::ir::{Expr, ExprKind, Span, Type};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;
use crafty_syntax::diagnostics::packet_read;

impl Checker<'_> {
    pub fn index(
        &mut self,
        base: &ast::ExprSyntax,
        index: &ast::Index,
        span: Span,
    ) -> Option<Expr> {
        match index {
            ast::Index::Layer(layer, _) => {
                let text = self.text(span);
                let field = layers::find(&layer.text)
                    .and_then(|l| l.fields.first())
                    .map_or("len", |f| f.name);
                let message = format!("`{text}` is a layer, and only its fields can be read");
                self.report(&packet_read::DIAGNOSTIC, span, message)
                    .help
                    .push(format!("write `{text}.{field}`"));
                None
            }
            ast::Index::At(at) => self.element(base, at, span),
            ast::Index::Slice(from, to) => self.slice(base, (from.as_ref(), to.as_ref()), span),
        }
    }

    fn element(
        &mut self,
        base: &ast::ExprSyntax,
        at: &ast::ExprSyntax,
        span: Span,
    ) -> Option<Expr> {
        if self.small_layer(base, at) {
            return None;
        }
        let (base, at) = (self.expr(base), self.expr(at));
        let (base, mut at) = (base?, at?);
        let ty = self.element_type(&base, &mut at)?;
        self.judge_index(&at, &base.ty);
        let expr = self.make(ExprKind::At(base.into(), at.into()), ty, span);
        self.fold(expr)
    }

    /// `MATCH[tcp]`: tells of a layer that is not written as it is called.
    fn small_layer(&mut self, base: &ast::ExprSyntax, at: &ast::ExprSyntax) -> bool {
        let ast::ExprKindSyntax::Name(written) = &at.kind else {
            return false;
        };
        let packet = match &base.kind {
            ast::ExprKindSyntax::Match | ast::ExprKindSyntax::Stack => true,
            ast::ExprKindSyntax::Name(name) => match self.lookup(name) {
                Some(Binding::Variable(var)) => self.variable(var).ty == Type::Packet,
                Some(Binding::Block(_)) => true,
                None => false,
            },
            _ => false,
        };
        let Some(layer) =
            layers::elsewhere(written).filter(|_| packet && self.lookup(written).is_none())
        else {
            return false;
        };
        let report = Occurrence::new(
            &d::unknown_layer::DIAGNOSTIC,
            at.span,
            format!("there is no layer `{written}`"),
        );
        self.tell(report.fix(format!("it is called `{layer}` here"), at.span, layer));
        true
    }

    /// The type of `base[at]`; the index adapts.
    pub fn element_type(&mut self, base: &Expr, at: &mut Expr) -> Option<Type> {
        let text = self.text(base.span).to_string();
        let (wanted, gives) = match &base.ty {
            Type::Array(item) => (Type::Int, (**item).clone()),
            Type::Bytes => (Type::Int, Type::Bytes),
            Type::Map(key, value) => ((**key).clone(), (**value).clone()),
            other => {
                let message = format!("`{text}` is {}, which has no elements", article(other));
                let report = Occurrence::new(&d::no_elements::DIAGNOSTIC, base.span, message);
                self.tell(match other {
                    Type::Packet => {
                        report.help(format!("read a packet by layer: `{text}[IP].ttl`"))
                    }
                    Type::Record(parts) => match at.part_name() {
                        Some(name) if other.part(name).is_some() => report.fix(
                            "a part comes after a dot",
                            base.span.to(Span {
                                end: at.span.end + 1,
                                ..at.span
                            }),
                            format!("{text}.{name}"),
                        ),
                        _ => report.help(format!(
                            "read a part by its name: `{text}.{}`",
                            parts.first().map_or("part", |(name, _)| &**name)
                        )),
                    },
                    Type::Str => report.help(format!(
                        "for the bytes of a string write `bytes({text})[0]`"
                    )),
                    _ => report,
                });
                return None;
            }
        };
        if adapt(at, &wanted) {
            return Some(gives);
        }
        let by = if matches!(base.ty, Type::Map(..)) {
            format!("the key of `{text}`")
        } else {
            format!("the index of `{text}`")
        };
        self.fit(
            at.clone(),
            ExpectedType {
                ty: &wanted,
                by: &by,
            },
        )
        .map(|_| gives)
    }

    fn judge_index(&mut self, at: &Expr, of: &Type) {
        if matches!(of, Type::Map(..)) {
            return;
        }
        if self.int(at).is_some_and(|i| i < 0) {
            let message = "an index counts from the start and cannot be negative";
            self.report(&d::constant_fails::DIAGNOSTIC, at.span, message)
                .help
                .push("the last element is `xs[length(xs) - 1]`".into());
        }
    }

    fn slice(
        &mut self,
        base: &ast::ExprSyntax,
        (from, to): (Option<&ast::ExprSyntax>, Option<&ast::ExprSyntax>),
        span: Span,
    ) -> Option<Expr> {
        let base = self.expr(base);
        let from = self.slice_end(from);
        let to = self.slice_end(to);
        let (base, from, to) = (base?, from?, to?);
        if base.ty != Type::Bytes {
            let message = format!(
                "only bytes can be sliced, and this is {}",
                article(&base.ty)
            );
            let report = Occurrence::new(&d::no_elements::DIAGNOSTIC, base.span, message);
            let text = self.text(base.span);
            self.tell(if base.ty == Type::Str {
                report.fix("use its bytes", base.span, format!("bytes({text})"))
            } else {
                report
            });
            return None;
        }
        let expr = self.make(
            ExprKind::Slice(base.into(), from.map(Box::new), to.map(Box::new)),
            Type::Bytes,
            span,
        );
        self.fold(expr)
    }

    /// An end of a slice, which may be left out.
    #[allow(clippy::option_option)]
    pub fn slice_end(&mut self, end: Option<&ast::ExprSyntax>) -> Option<Option<Expr>> {
        let Some(end) = end else { return Some(None) };
        let end = self.expr(end)?;
        let end = self.fit(
            end,
            ExpectedType {
                ty: &Type::Int,
                by: "a slice",
            },
        )?;
        self.judge_index(&end, &Type::Bytes);
        Some(Some(end))
    }
}
