//! The corrected line of a setting that lacks something.

use crate::ir::{Expr, ExprKind, Program, SettingEntry, SettingValue, Span, VariableKind};
use crafty_policy::SettingsGroup;
use crafty_syntax::diagnostic::Occurrence;

/// Where the settings of a program are.
pub(super) struct SettingFix<'p> {
    pub program: &'p Program,
    /// Sections with their braces; empty if that is not known.
    pub sections: &'p [(SettingsGroup, Span)],
}

impl SettingFix<'_> {
    /// Adds to a report the edit that puts `item` into the list of `key` (of `part` of it, where it
    /// is a group).
    pub fn add(
        &self,
        report: Occurrence,
        section: SettingsGroup,
        key: &str,
        part: Option<&str>,
        item: &str,
    ) -> Occurrence {
        let title = format!("add it to `{}`", super::setting::section_name(section));
        match self.edit(section, key, part, item) {
            Some((span, text)) => report.suggest(title, span, text),
            None => {
                let value = part.map_or_else(
                    || format!("[{item}]"),
                    |part| format!("{{ {part}: [{item}] }}"),
                );
                report.help(format!(
                    "write `{} = {{ {key}: {value} }}`",
                    super::setting::section_name(section)
                ))
            }
        }
    }

    fn edit(
        &self,
        section: SettingsGroup,
        key: &str,
        part: Option<&str>,
        item: &str,
    ) -> Option<(Span, String)> {
        let entry = self
            .program
            .settings
            .iter()
            .find(|e| e.setting.section == section && e.setting.key == key);
        match (entry, part) {
            (Some(entry), None) => into_list(&entry.value, item),
            (Some(entry), Some(part)) => into_group(entry, part, item),
            (None, None) => self.new_key(section, &format!("{key}: [{item}]")),
            (None, Some(part)) => self.new_key(section, &format!("{key}: {{ {part}: [{item}] }}")),
        }
    }

    fn new_key(&self, section: SettingsGroup, entry: &str) -> Option<(Span, String)> {
        if let Some((_, braces)) = self.sections.iter().find(|(s, _)| *s == section) {
            let empty = self
                .program
                .settings
                .iter()
                .all(|e| e.setting.section != section);
            let text = if empty {
                format!(" {entry} ")
            } else {
                format!(" {entry},")
            };
            return Some((super::types::at(braces.start + 1), text));
        }
        let name = super::setting::section_name(section);
        self.sections.last().map(|(_, braces)| {
            (
                super::types::at(braces.end),
                format!("\n{name} = {{ {entry} }}"),
            )
        })
    }

    /// The word that the program has for a value, if a setting may use it: a param or constant
    /// declared above the section.
    pub fn written(&self, e: &Expr, section: SettingsGroup) -> Option<String> {
        let ExprKind::Var(var) = e.kind else {
            return None;
        };
        let variable = &self.program.variables[var.0 as usize];
        let above = match self
            .sections
            .iter()
            .find(|(s, _)| *s == section)
            .or_else(|| self.sections.last())
        {
            Some((_, braces)) => variable.span.end < braces.start,
            None => false,
        };
        (above && matches!(variable.kind, VariableKind::Param | VariableKind::Constant))
            .then(|| variable.name.clone())
    }
}

fn into_list(value: &SettingValue, item: &str) -> Option<(Span, String)> {
    let SettingValue::List(items, span) = value else {
        return None;
    };
    let text = if items.is_empty() {
        item.to_string()
    } else {
        format!(", {item}")
    };
    Some((super::types::at(span.end - 1), text))
}

fn into_group(entry: &SettingEntry, part: &str, item: &str) -> Option<(Span, String)> {
    let SettingValue::Group(entries) = &entry.value else {
        return None;
    };
    match entries.iter().find(|(key, ..)| key == part) {
        Some((_, list, _)) => into_list(list, item),
        None => {
            let text = if entries.is_empty() {
                format!(" {part}: [{item}] ")
            } else {
                format!(", {part}: [{item}] ")
            };
            Some((super::types::at(entry.span.end - 1), text))
        }
    }
}
