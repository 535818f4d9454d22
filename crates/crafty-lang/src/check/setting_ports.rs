//! The ports of `PORTS` and of port lists in `PERMISSIONS`: numbers and ranges (§3).

use super::checker::Checker;
use super::setting::value_span;
use super::types::ExpectedType;
use crate::diagnostics as d;
use crate::ir::{Expr, SettingValue, Span, Type};
use crafty_policy::Setting;
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;

impl Checker<'_> {
    /// `{ tcp: [80], udp: [53] }`
    pub(super) fn port_group(
        &mut self,
        row: &'static Setting,
        value: &ast::SettingValueSyntax,
    ) -> Option<SettingValue> {
        let ast::SettingValueSyntax::Group(group) = value else {
            return self.odd_value(row, value_span(value));
        };
        let mut entries = Vec::new();
        let mut whole = true;
        for (key, value) in &group.entries {
            if !matches!(key.text.as_str(), "tcp" | "udp") {
                let message = format!(
                    "`{}` has the keys `tcp` and `udp`, not `{}`",
                    row.key, key.text
                );
                self.report(&d::unknown_setting::DIAGNOSTIC, key.span, message);
                whole = false;
                continue;
            }
            let ports = match value {
                ast::SettingValueSyntax::List(items, span) => {
                    self.ports(row, &key.text, items, *span)
                }
                ast::SettingValueSyntax::Scalar(e) => self.array_of(row, e, &[Type::Int]),
                ast::SettingValueSyntax::Group(group) => self.odd_value(row, group.span),
            };
            whole &= ports.is_some();
            entries.extend(ports.map(|value| (key.text.clone(), value, key.span)));
        }
        whole.then_some(SettingValue::Group(entries))
    }

    /// `[53000, [40000, 40100]]`
    pub(super) fn ports(
        &mut self,
        row: &'static Setting,
        key: &str,
        items: &[(bool, ast::SettingValueSyntax)],
        span: Span,
    ) -> Option<SettingValue> {
        let lowered: Vec<Option<(bool, SettingValue)>> = items
            .iter()
            .map(|(_, item)| Some((false, self.port_item(row, item)?)))
            .collect();
        if let Some((_, item)) = items.iter().find(|(out, _)| *out) {
            self.report(
                &d::setting_value::DIAGNOSTIC,
                value_span(item),
                "`!` can exclude only addresses",
            );
        }
        self.judge_meant_range(key, items, span);
        Some(SettingValue::List(
            lowered.into_iter().collect::<Option<_>>()?,
            span,
        ))
    }

    fn port_item(
        &mut self,
        row: &'static Setting,
        item: &ast::SettingValueSyntax,
    ) -> Option<SettingValue> {
        match item {
            ast::SettingValueSyntax::Scalar(e) => self.port(e).map(SettingValue::Scalar),
            ast::SettingValueSyntax::List(ends, span) => match ends.as_slice() {
                [
                    (false, ast::SettingValueSyntax::Scalar(low)),
                    (false, ast::SettingValueSyntax::Scalar(high)),
                ] => {
                    let (low, high) = (self.port(low), self.port(high));
                    let (low, high) = (low?, high?);
                    self.judge_ends(&low, &high, *span);
                    Some(SettingValue::List(
                        vec![
                            (false, SettingValue::Scalar(low)),
                            (false, SettingValue::Scalar(high)),
                        ],
                        *span,
                    ))
                }
                _ => {
                    self.report(
                        &d::setting_value::DIAGNOSTIC,
                        *span,
                        "a range of ports is `[low, high]`, both included",
                    );
                    None
                }
            },
            ast::SettingValueSyntax::Group(group) => self.odd_value(row, group.span),
        }
    }

    fn port(&mut self, e: &ast::ExprSyntax) -> Option<Expr> {
        let value = self.setting_expr(e)?;
        let value = self.fit(
            value,
            ExpectedType {
                ty: &Type::Int,
                by: "a port",
            },
        )?;
        if self.int(&value).is_some_and(|n| !(0..=65_535).contains(&n)) {
            let message = format!(
                "a port is a number from 0 to 65535, and this is {}",
                self.int(&value).unwrap_or_default()
            );
            self.report(&d::setting_value::DIAGNOSTIC, value.span, message);
        }
        Some(value)
    }

    fn judge_ends(&mut self, low: &Expr, high: &Expr, span: Span) {
        if let Some((a, b)) = self.int(low).zip(self.int(high)).filter(|(a, b)| a > b) {
            let report = Occurrence::new(
                &d::setting_value::DIAGNOSTIC,
                span,
                format!("the range from {a} to {b} is empty"),
            );
            self.tell(report.fix("write the lower end first", span, format!("[{b}, {a}]")));
        }
    }

    /// `tcp: [45000, 45100]` is two ports.
    fn judge_meant_range(
        &mut self,
        key: &str,
        items: &[(bool, ast::SettingValueSyntax)],
        span: Span,
    ) {
        let [
            (false, ast::SettingValueSyntax::Scalar(low)),
            (false, ast::SettingValueSyntax::Scalar(high)),
        ] = items
        else {
            return;
        };
        let (ast::ExprKindSyntax::Int { value: a, .. }, ast::ExprKindSyntax::Int { value: b, .. }) =
            (&low.kind, &high.kind)
        else {
            return;
        };
        if b.saturating_sub(*a) >= 10 && *a >= 1024 && a % 10 == 0 && b % 10 == 0 {
            let report = Occurrence::new(
                &d::two_ports::DIAGNOSTIC,
                span,
                format!("`{key}: [{a}, {b}]` is two ports"),
            );
            self.tell(report.suggest("for all ports between them", span, format!("[[{a}, {b}]]")));
        }
    }
}
