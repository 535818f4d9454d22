//! What a program says: `print`, `record`, `assert`, and the words of `fail`.

use super::checker::Checker;
use super::types::{ExpectedType, article};
use crate::diagnostics as d;
use crate::ir::{Expr, StatementKind, Type};
use crafty_syntax::ast;
use crafty_syntax::diagnostics::packet_read;

impl Checker<'_> {
    pub fn text_of(&mut self, e: &ast::ExprSyntax, by: &str) -> Option<Expr> {
        let value = self.expr(e)?;
        self.fit(value, ExpectedType { ty: &Type::Str, by })
    }

    pub fn print(&mut self, e: &ast::ExprSyntax) -> Option<StatementKind> {
        let value = self.expr(e)?;
        if value.ty == Type::Packet {
            let text = self.text(e.span);
            let message = format!("`{text}` is a packet, and only its fields can be printed");
            self.report(&packet_read::DIAGNOSTIC, e.span, message)
                .help
                .push(format!("write `print(\"${{{text}[IP].src}}\")`"));
            return None;
        }
        Some(StatementKind::Print(self.shown(value)))
    }

    pub fn record(&mut self, fields: &[(ast::Name, ast::ExprSyntax)]) -> Option<StatementKind> {
        let mut lowered: Vec<Option<(String, Expr)>> = Vec::new();
        for (n, (name, e)) in fields.iter().enumerate() {
            if fields[..n]
                .iter()
                .any(|(before, _)| before.text == name.text)
            {
                self.report(
                    &d::repeated_field::DIAGNOSTIC,
                    name.span,
                    format!("`{}` is given twice", name.text),
                );
            }
            let value = self.expr(e).filter(|v| self.recordable(v));
            let value = value.map(|v| self.shown(v));
            lowered.push(value.map(|v| (name.text.clone(), v)));
        }
        let mut lowered: Vec<(String, Expr)> = lowered.into_iter().collect::<Option<_>>()?;
        if lowered.is_empty() {
            return None;
        }
        let (name, value) = lowered.remove(0);
        Some(StatementKind::Record {
            name,
            value,
            labels: lowered,
        })
    }

    fn recordable(&mut self, value: &Expr) -> bool {
        if !matches!(value.ty, Type::Packet | Type::Error | Type::Map(..)) {
            return true;
        }
        let message = format!(
            "a record can hold only plain values, and this is {}",
            article(&value.ty)
        );
        self.report(&d::type_mismatch::DIAGNOSTIC, value.span, message);
        false
    }

    pub fn assert(
        &mut self,
        condition: &ast::ExprSyntax,
        message: Option<&ast::ExprSyntax>,
    ) -> Option<StatementKind> {
        let condition = self.condition(condition, "`assert`");
        match message {
            None => Some(StatementKind::Assert(condition?, None)),
            Some(message) => {
                let message = self.text_of(message, "the message of `assert`");
                Some(StatementKind::Assert(condition?, Some(message?)))
            }
        }
    }
}
