//! Source addresses that a program writes and does not declare.

use super::destination::DestinationCheck;
use crate::diagnostics as d;
use crate::ir::{FieldSetting, Program, SettingValue};
use crafty_policy::{Setting, SettingKind, SettingsGroup};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::Value;

/// In `sources`, the addresses of the host itself.
pub(super) const HOST: &str = "host";

/// Whether `!` may be before an item: before addresses, but not before `host`.
pub(super) fn can_be_excluded(row: &Setting, item: &ast::SettingValueSyntax) -> bool {
    let is_host = matches!(item, ast::SettingValueSyntax::Scalar(e) if matches!(&e.kind, ast::ExprKindSyntax::Name(word) if word == HOST));
    row.kind == SettingKind::Addresses && !is_host
}

impl DestinationCheck<'_> {
    /// A source that is known, declared by nobody, and not left to the route.
    pub fn source(&mut self, value: Option<&FieldSetting>) {
        let Some((e, Value::Ip(address))) = value.and_then(|v| self.known(v)) else {
            return;
        };
        let declared = self.policy.sources.contains(address) || names_host(self.program);
        if declared || address.is_unspecified() {
            return;
        }
        let message = format!("`{address}` is not among the sources of `PERMISSIONS`");
        let report = Occurrence::new(&d::source_not_permitted::DIAGNOSTIC, e.span, message)
            .help("if it is the host's own address, leave `src` out, or write `sources: [host]`");
        let item = self
            .setting_fix
            .written(e, SettingsGroup::Permissions)
            .unwrap_or_else(|| address.to_string());
        let report =
            self.setting_fix
                .add(report, SettingsGroup::Permissions, "sources", None, &item);
        self.reports.push(report);
    }
}

fn names_host(program: &Program) -> bool {
    let sources = program
        .settings
        .iter()
        .filter(|entry| entry.setting.key == "sources");
    let is_host = |item: &SettingValue| matches!(item, SettingValue::Word(word, _) if word == HOST);
    sources.into_iter().any(|entry| match &entry.value {
        SettingValue::List(items, _) => items.iter().any(|(_, item)| is_host(item)),
        _ => false,
    })
}
