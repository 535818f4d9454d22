//! `BUDGET`, `PORTS`, `PERMISSIONS`: where they are and what their keys take (§3). The keys are
//! rows of the gate's table.

use super::checker::Checker;
use super::setting_phrases::{example, takes};
use super::sources::{HOST, can_be_excluded};
use super::types::{ExpectedType, article};
use super::words;
use crate::diagnostics as d;
use crate::ir::{Expr, SettingEntry, SettingValue, Span, Type};
use crafty_policy::{
    ExfiltrationMode, POWERS, SECTIONS, SETTINGS, Setting, SettingKind, SettingsGroup, StatedBy,
    setting,
};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::Value;

impl Checker<'_> {
    /// `BUDGET = { … }`
    pub fn setting(&mut self, name: &ast::Name, group: &ast::Group, span: Span) {
        let Some((section, _)) = SECTIONS.iter().find(|(_, known)| *known == name.text) else {
            return;
        };
        self.judge_setting_place(name, span);
        if let Some((_, before)) = self.sections.iter().find(|(s, _)| s == section) {
            let before = *before;
            let report = Occurrence::new(
                &d::repeated_setting::DIAGNOSTIC,
                name.span,
                format!("`{}` is given twice", name.text),
            )
            .note(before, "given first here");
            self.tell(report.help("put all its keys into one group"));
        }
        self.sections.push((*section, group.span));
        for (key, value) in &group.entries {
            self.entry(*section, key, value);
        }
    }

    /// Settings are at top level, before the first statement that is not a declaration.
    fn judge_setting_place(&mut self, name: &ast::Name, span: Span) {
        let why = match (self.place.depth, self.started) {
            (1.., _) => "not in a block",
            (_, true) => "before the first statement that does something",
            _ => return,
        };
        let message = format!("`{}` must be at the top of the program, {why}", name.text);
        let text = self.text(span).to_string();
        let removed = Span {
            start: span.start,
            end: span.end,
        };
        let report = Occurrence::new(&d::setting_place::DIAGNOSTIC, name.span, message);
        self.tell(report.suggest_all(
            "move it to the top",
            vec![
                (super::types::at(0), format!("{text}\n")),
                (removed, String::new()),
            ],
        ));
    }

    fn entry(&mut self, section: SettingsGroup, key: &ast::Name, value: &ast::SettingValueSyntax) {
        let Some(row) =
            setting(section, &key.text).filter(|row| row.stated_by == StatedBy::Anybody)
        else {
            let report = unknown_key(section, key);
            self.tell(report);
            return;
        };
        if self
            .settings
            .iter()
            .any(|e| e.setting.section == section && e.setting.key == row.key)
        {
            self.report(
                &d::repeated_setting::DIAGNOSTIC,
                key.span,
                format!("`{}` is given twice", key.text),
            );
        }
        let span = key.span.to(value_span(value));
        if let Some(value) = self.setting_value(row, value) {
            self.settings.push(SettingEntry {
                setting: row,
                value,
                span,
            });
        }
    }

    pub(super) fn setting_value(
        &mut self,
        row: &'static Setting,
        value: &ast::SettingValueSyntax,
    ) -> Option<SettingValue> {
        match row.kind {
            SettingKind::Duration => self.scalar(row, value, &Type::Duration),
            SettingKind::Count | SettingKind::Size => self.scalar(row, value, &Type::Int),
            SettingKind::Mode => self.mode(row, value),
            SettingKind::PortGroup => self.port_group(row, value),
            SettingKind::Addresses
            | SettingKind::Ports
            | SettingKind::Names
            | SettingKind::Powers => self.list(row, value),
        }
    }

    fn scalar(
        &mut self,
        row: &'static Setting,
        value: &ast::SettingValueSyntax,
        ty: &Type,
    ) -> Option<SettingValue> {
        let ast::SettingValueSyntax::Scalar(e) = value else {
            return self.odd_value(row, value_span(value));
        };
        let value = self.setting_expr(e)?;
        let value = self.fit(
            value,
            ExpectedType {
                ty,
                by: &format!("`{}`", row.key),
            },
        )?;
        let negative = match self.value(&value) {
            Some(Value::Int(n)) => n < 0,
            Some(Value::Duration(length)) => length.0 < 0,
            _ => false,
        };
        if negative {
            self.report(
                &d::setting_value::DIAGNOSTIC,
                value.span,
                format!("`{}` cannot be negative; zero means none", row.key),
            );
        }
        Some(SettingValue::Scalar(value))
    }

    /// An expression of literals, params and constants above.
    pub fn setting_expr(&mut self, e: &ast::ExprSyntax) -> Option<Expr> {
        let value = self.expr(e)?;
        if self.is_constant(&value) {
            return Some(value);
        }
        let message =
            "settings can use only literals, params and constants that are declared above them";
        let text = self.text(e.span).to_string();
        let report = self.report(&d::not_constant::DIAGNOSTIC, e.span, message);
        report.help.push(format!(
            "`{text}` is assigned later, so it is not a constant"
        ));
        None
    }

    pub(super) fn odd_value(&mut self, row: &'static Setting, span: Span) -> Option<SettingValue> {
        let message = format!("`{}` takes {}", row.key, takes(row.kind));
        self.report(&d::setting_value::DIAGNOSTIC, span, message)
            .help
            .push(format!("write `{}: {}`", row.key, example(row.kind)));
        None
    }

    /// `exfiltration: false`, `none`, `true`.
    fn mode(
        &mut self,
        row: &'static Setting,
        value: &ast::SettingValueSyntax,
    ) -> Option<SettingValue> {
        let ast::SettingValueSyntax::Scalar(e) = value else {
            return self.odd_value(row, value_span(value));
        };
        let word = match &e.kind {
            ast::ExprKindSyntax::Bool(b) => b.to_string(),
            ast::ExprKindSyntax::Name(name) => name.clone(),
            _ => String::new(),
        };
        if ExfiltrationMode::NAMES
            .iter()
            .any(|(_, name)| *name == word)
        {
            return Some(SettingValue::Word(word, e.span));
        }
        self.odd_value(row, e.span)
    }

    fn list(
        &mut self,
        row: &'static Setting,
        value: &ast::SettingValueSyntax,
    ) -> Option<SettingValue> {
        let (items, span) = match value {
            ast::SettingValueSyntax::List(items, span) => (items, *span),
            ast::SettingValueSyntax::Scalar(e) if row.kind == SettingKind::Addresses => {
                return self.array_of(row, e, &[Type::Ip, Type::Net]);
            }
            ast::SettingValueSyntax::Scalar(e) if row.kind == SettingKind::Ports => {
                return self.array_of(row, e, &[Type::Int]);
            }
            other => return self.odd_value(row, value_span(other)),
        };
        if row.kind == SettingKind::Ports {
            return self.ports(row, row.key, items, span);
        }
        let lowered: Vec<Option<(bool, SettingValue)>> = items
            .iter()
            .map(|(out, item)| Some((*out, self.item(row, item)?)))
            .collect();
        if let Some((_, item)) = items
            .iter()
            .find(|(out, item)| *out && !can_be_excluded(row, item))
        {
            self.report(
                &d::setting_value::DIAGNOSTIC,
                value_span(item),
                "`!` can exclude only addresses",
            );
        }
        Some(SettingValue::List(
            lowered.into_iter().collect::<Option<_>>()?,
            span,
        ))
    }

    /// `destinations: targets`, where the constant is an array; one value alone wants brackets.
    pub(super) fn array_of(
        &mut self,
        row: &'static Setting,
        e: &ast::ExprSyntax,
        items: &[Type],
    ) -> Option<SettingValue> {
        let value = self.setting_expr(e)?;
        if matches!(&value.ty, Type::Array(item) if items.contains(item)) {
            return Some(SettingValue::Scalar(value));
        }
        let text = self.text(e.span);
        let report = Occurrence::new(
            &d::setting_value::DIAGNOSTIC,
            e.span,
            format!("`{}` takes {}", row.key, takes(row.kind)),
        );
        let single = items.contains(&value.ty);
        self.tell(if single {
            report.fix("write a list with one entry", e.span, format!("[{text}]"))
        } else {
            report.help(format!("write `{}: {}`", row.key, example(row.kind)))
        });
        None
    }

    pub(super) fn item(
        &mut self,
        row: &'static Setting,
        item: &ast::SettingValueSyntax,
    ) -> Option<SettingValue> {
        let ast::SettingValueSyntax::Scalar(e) = item else {
            return self.odd_value(row, value_span(item));
        };
        match (row.kind, &e.kind) {
            (SettingKind::Powers, ast::ExprKindSyntax::Name(word)) => self.power(word, e.span),
            (SettingKind::Names, ast::ExprKindSyntax::Name(word))
                if self.lookup(word).is_none() =>
            {
                Some(SettingValue::Word(word.clone(), e.span))
            }
            (SettingKind::Powers, _) => self.odd_value(row, e.span),
            (SettingKind::Addresses, ast::ExprKindSyntax::Name(word))
                if row.key == "sources" && word == HOST && self.lookup(word).is_none() =>
            {
                Some(SettingValue::Word(word.clone(), e.span))
            }
            _ => self.scalar_item(row, e),
        }
    }

    fn scalar_item(&mut self, row: &'static Setting, e: &ast::ExprSyntax) -> Option<SettingValue> {
        let value = self.setting_expr(e)?;
        let fits = match row.kind {
            SettingKind::Names => value.ty == Type::Str,
            _ => {
                matches!(&value.ty, Type::Ip | Type::Net)
                    || matches!(&value.ty, Type::Array(item) if matches!(**item, Type::Ip | Type::Net))
            }
        };
        if fits {
            return Some(SettingValue::Scalar(value));
        }
        let report = Occurrence::new(
            &d::setting_value::DIAGNOSTIC,
            e.span,
            format!(
                "`{}` takes {}, and this is {}",
                row.key,
                takes(row.kind),
                article(&value.ty)
            ),
        );
        self.tell(match value.ty {
            Type::Str => report.help("write an address without quotes; to use a name, declare a `param` and give the name on the command line"),
            _ => report,
        });
        None
    }

    fn power(&mut self, word: &str, span: Span) -> Option<SettingValue> {
        if POWERS.iter().any(|row| row.name == word) {
            return Some(SettingValue::Word(word.to_string(), span));
        }
        let report = Occurrence::new(
            &d::unknown_power::DIAGNOSTIC,
            span,
            format!("there is no power `{word}`"),
        );
        self.tell(super::layers::offer(
            report,
            span,
            word,
            &POWERS.iter().map(|row| row.name).collect::<Vec<_>>(),
        ));
        None
    }
}

fn unknown_key(section: SettingsGroup, key: &ast::Name) -> Occurrence {
    let keys = || SETTINGS.iter().filter(|s| s.stated_by == StatedBy::Anybody);
    let report = Occurrence::new(
        &d::unknown_setting::DIAGNOSTIC,
        key.span,
        format!("`{}` has no key `{}`", section_name(section), key.text),
    );
    let own: Vec<&str> = keys()
        .filter(|s| s.section == section)
        .map(|s| s.key)
        .collect();
    if let Some(near) = words::nearest(&key.text, own.iter().copied()) {
        return report.suggest(format!("did you mean `{near}`?"), key.span, near);
    }
    if let Some(other) = keys().find(|s| s.key == key.text) {
        return report.help(format!(
            "`{}` belongs to `{}`",
            key.text,
            section_name(other.section)
        ));
    }
    if POWERS.iter().any(|row| row.name == key.text) {
        return report.help(format!(
            "`{}` is a power: `powers: [{}]`",
            key.text, key.text
        ));
    }
    report.help(format!("its keys are {}", own.join(", ")))
}

/// `BUDGET` and its siblings.
pub(super) fn section_name(section: SettingsGroup) -> &'static str {
    SECTIONS
        .iter()
        .find(|(s, _)| *s == section)
        .map_or("", |(_, name)| name)
}

pub(super) fn value_span(value: &ast::SettingValueSyntax) -> Span {
    match value {
        ast::SettingValueSyntax::Group(group) => group.span,
        ast::SettingValueSyntax::List(_, span) => *span,
        ast::SettingValueSyntax::Scalar(e) => e.span,
    }
}
