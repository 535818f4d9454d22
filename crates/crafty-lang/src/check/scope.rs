//! Names and their scopes: every block is one; a name is visible from its declaration to the end of
//! its block.

use super::checker::Checker;
use super::words;
use crate::builtins;
use crate::diagnostics as d;
use crate::ir::{Span, StackId, Type, VarId, Variable, VariableKind};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::Value;
use std::collections::BTreeMap;

/// After so many mistakes no nearest name is looked for any more: a text that has none right is not
/// worth the time.
pub(super) const GUESSES: usize = 100;

/// What other languages call the absence of a value.
const NOTHING: &[&str] = &["null", "nil", "none", "undefined"];

/// The names of one block.
#[derive(Default)]
pub(super) struct Scope {
    names: BTreeMap<String, Binding>,
}

/// What a name stands for.
#[derive(Clone, Copy)]
pub(super) enum Binding {
    Variable(VarId),
    Block(StackId),
}

impl Checker<'_> {
    /// Does something in a scope of its own; its place is restored afterwards.
    pub fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let place = self.place.clone();
        self.place.depth += 1;
        self.scopes.push(Scope::default());
        let value = inside(self);
        self.scopes.pop();
        self.place = place;
        value
    }

    pub fn lookup(&self, name: &str) -> Option<Binding> {
        self.scopes
            .iter()
            .rev()
            .find_map(|scope| scope.names.get(name))
            .copied()
    }

    /// A new variable; `ty` is none if its value could not be understood.
    pub fn declare(&mut self, name: &ast::Name, ty: Option<Type>, kind: VariableKind) -> VarId {
        self.refuse_visible(name);
        let var = self.cell(&name.text, ty, kind, name.span);
        self.bind_name(&name.text, Binding::Variable(var));
        var
    }

    /// A cell that no name reaches yet.
    pub fn cell(&mut self, name: &str, ty: Option<Type>, kind: VariableKind, span: Span) -> VarId {
        let var = VarId(self.variables.len() as u32);
        self.sound.push(ty.is_some());
        self.known.push(Value::Nothing);
        self.variables.push(Variable {
            name: name.to_string(),
            ty: ty.unwrap_or(Type::Int),
            span,
            kind,
        });
        var
    }

    pub fn bind_name(&mut self, name: &str, binding: Binding) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name.to_string(), binding);
        }
    }

    /// Declaring a visible name is a mistake.
    pub fn refuse_visible(&mut self, name: &ast::Name) {
        let Some(binding) = self.lookup(&name.text) else {
            return;
        };
        let before = self.declared_at(binding);
        let report = Occurrence::new(
            &d::redeclared::DIAGNOSTIC,
            name.span,
            format!("`{}` is already declared", name.text),
        )
        .note(before, "declared here");
        let assigned = match binding {
            Binding::Variable(var) => matches!(
                self.variable(var).kind,
                VariableKind::Local | VariableKind::Constant
            ),
            Binding::Block(_) => false,
        };
        self.tell(self.fix_redeclared(report, name, assigned));
    }

    /// `assigned` says whether what the name stands for can be assigned.
    fn fix_redeclared(&self, report: Occurrence, name: &ast::Name, assigned: bool) -> Occurrence {
        let after = &self.source[name.span.end as usize..];
        let gap = after.len() - after.trim_start_matches([' ', '\t']).len();
        let at = name.span.end + gap as u32;
        if assigned && after[gap..].starts_with('=') && !after[gap..].starts_with("==") {
            return report.fix(
                format!("to change it, write `{} :=`", name.text),
                Span {
                    start: at,
                    end: at + 1,
                },
                ":=",
            );
        }
        report.help("give one of them another name")
    }

    fn declared_at(&self, binding: Binding) -> Span {
        match binding {
            Binding::Variable(var) => self.variable(var).span,
            Binding::Block(stack) => self.stack(stack).span,
        }
    }

    /// The variable of that name; reports if there is none.
    pub fn resolve(&mut self, name: &str, span: Span) -> Option<VarId> {
        match self.lookup(name) {
            Some(Binding::Variable(var)) => Some(var),
            Some(Binding::Block(_)) => {
                let message = format!("`{name}` is a block, not a value");
                self.report(&d::unknown_name::DIAGNOSTIC, span, message)
                    .help
                    .push(format!("read its state: `{name}[TCP].srtt`"));
                None
            }
            None => {
                self.unknown_name(name, span);
                None
            }
        }
    }

    fn unknown_name(&mut self, name: &str, span: Span) {
        if self.may_be_lost(name) {
            return;
        }
        let mut report = Occurrence::new(
            &d::unknown_name::DIAGNOSTIC,
            span,
            format!("`{name}` is not declared"),
        );
        if self.reports.len() > GUESSES {
            return self.tell(report);
        }
        let visible: Vec<String> = self
            .scopes
            .iter()
            .flat_map(|s| s.names.keys().cloned())
            .collect();
        if let Some(near) = words::nearest(name, visible.iter().map(String::as_str)) {
            report = report.suggest(format!("did you mean `{near}`?"), span, near);
        } else if NOTHING.contains(&name) {
            report = report
                .help("there is no null: start with a value of the right type; `has(m, key)` tests whether a map has a key");
        } else if let Some(layer) = super::layers::layers_of_named(name).next() {
            let title = format!(
                "`{name}` is a value of {layer}; outside its field it needs the layer's name"
            );
            let only = super::layers::layers_of_named(name).count() == 1;
            report = report.edits(title, vec![(span, format!("{layer}.{name}"))], only);
        } else if builtins::find(name).is_some() {
            report = report.help(format!(
                "`{name}` is a function: `{name}({})`",
                builtins::find(name).map_or("", |b| b.takes)
            ));
        } else {
            report = report.help(format!(
                "declare it with `{name} = …`, in the block that uses it or an enclosing one"
            ));
        }
        self.tell(report);
    }
}
