//! What an approval signs: the digest of one text that holds the program as the formatter writes it,
//! the values of its params and its effective limits. A blank more changes nothing; anything that a
//! run depends on does.

use crate::load::LoadedProgram;
use crafty_lang::eval::show::{hex, shown};
use crafty_policy::{Policy, SECTIONS, SETTINGS, Setting, SettingScope};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The head of the text; another form would have another number.
const HEAD: &str = "crafty review 1";

/// The text that is digested, kept so that a later review can show what changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewedDocument(pub String);

impl ReviewedDocument {
    /// Of a program with its values and limits.
    pub fn of(program: &LoadedProgram) -> ReviewedDocument {
        let mut text = format!("{HEAD}\n");
        for param in &program.program.params {
            let at = param.var.0 as usize;
            let name = &program.program.variables[at].name;
            let value = shown(&program.bound.values[at]);
            // A value is one line, whatever is in it.
            let _ = writeln!(text, "param {name} = {}", value.escape_debug());
        }
        for setting in SETTINGS.iter().filter(|setting| decides(setting)) {
            let _ = writeln!(text, "limit {}", limit_line(setting, &program.bound.policy));
        }
        text.push_str("program\n");
        let source = &program.source.text;
        text.push_str(&crafty_syntax::format(source).unwrap_or_else(|_| source.clone()));
        ReviewedDocument(text)
    }

    /// Its SHA-256, in hexadecimal digits.
    pub fn digest(&self) -> String {
        hex(&Sha256::digest(self.0.as_bytes()))
    }
}

/// The digest of a program that is reviewed.
pub fn digest_of(program: &LoadedProgram) -> String {
    ReviewedDocument::of(program).digest()
}

/// Whether a setting decides what a run does; who must approve it, and what other runs leave, do not.
fn decides(setting: &Setting) -> bool {
    setting.scope == SettingScope::Run
}

/// `BUDGET.max_packets = 1000`.
fn limit_line(setting: &Setting, policy: &Policy) -> String {
    let section = SECTIONS
        .iter()
        .find(|(section, _)| *section == setting.section)
        .map_or("", |(_, name)| name);
    let value = super::limits::words(&setting.read(policy));
    format!("{section}.{} = {value}", setting.key)
}
