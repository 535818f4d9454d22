//! Calls of functions: which arguments, of which types (the rows of `builtins/`).

use super::checker::Checker;
use super::layers;
use super::shape::PacketOrigin;
use super::types::{adapt, article};
use super::words;
use crate::builtins::{self, Builtin, ExpectedArguments, LabelRule, MachineCall};
use crate::diagnostics as d;
use crate::ir::{Expr, ExprKind, Span, Type};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;

impl Checker<'_> {
    pub fn call(&mut self, name: &ast::Name, args: &[ast::Arg], span: Span) -> Option<Expr> {
        if let ([ast::Arg::Value(of), ast::Arg::Layer(layer)], "has") = (args, name.text.as_str()) {
            return self.has_layer(of, layer, span);
        }
        let Some(builtin) = builtins::find(&name.text) else {
            let report = self.unknown_function(name);
            self.tell(report);
            return None;
        };
        let args = self.arguments(builtin, args, span)?;
        self.apply(builtin, args, span)
    }

    fn unknown_function(&self, name: &ast::Name) -> Occurrence {
        let text = &name.text;
        let report = Occurrence::new(
            &d::unknown_function::DIAGNOSTIC,
            name.span,
            format!("there is no function `{text}`"),
        );
        if layers::is_option(text) {
            return report.help(format!(
                "`{text}` is an option of a header: `options=[{text}(…)]`"
            ));
        }
        match words::nearest(text, builtins::ALL.iter().map(|b| b.name)).or_else(|| elsewhere(text))
        {
            Some(near) => report.suggest(format!("did you mean `{near}`?"), name.span, near),
            None => report.help(format!(
                "the functions are {}",
                builtins::ALL
                    .iter()
                    .map(|b| b.name)
                    .collect::<Vec<_>>()
                    .join(", ")
            )),
        }
    }

    fn has_layer(&mut self, of: &ast::ExprSyntax, layer: &ast::Name, span: Span) -> Option<Expr> {
        let packet = self.packet(of);
        let layer = self.layer(layer)?;
        let kind = ExprKind::HasLayer {
            packet: packet?,
            layer,
        };
        Some(self.make(kind, Type::Bool, span))
    }

    /// The arguments in the order of the row.
    fn arguments(
        &mut self,
        builtin: &'static Builtin,
        args: &[ast::Arg],
        span: Span,
    ) -> Option<Vec<Expr>> {
        let (names, needed) = builtin.params;
        if args.is_empty() && matches!(builtin.name, "map" | "array") {
            let message = format!("`{}()` does not say which types it holds", builtin.name);
            let report = self.report(&d::empty_container::DIAGNOSTIC, span, message);
            report.help.push(format!(
                "show the types by example: `{}`",
                example(builtin.name)
            ));
            return None;
        }
        let mut slots: Vec<Option<Expr>> = names.iter().map(|_| None).collect();
        let mut whole = true;
        for (i, arg) in args.iter().enumerate() {
            let Some((slot, e)) = self.slot(builtin, i, arg, span) else {
                whole = false;
                continue;
            };
            match self.expr(e) {
                Some(value) if slots[slot].is_none() => slots[slot] = Some(value),
                Some(value) => {
                    return self.wrong_arguments(
                        builtin,
                        value.span,
                        format!("`{}` is given twice", names[slot]),
                    );
                }
                None => whole = false,
            }
        }
        let given = slots.iter().take_while(|s| s.is_some()).count();
        if !whole {
            return None;
        }
        if given < needed || slots[given..].iter().any(Option::is_some) {
            return self.wrong_arguments(
                builtin,
                span,
                format!(
                    "`{}` needs `{}`",
                    builtin.name,
                    names.get(given).unwrap_or(&"less")
                ),
            );
        }
        Some(slots.into_iter().flatten().collect())
    }

    fn slot<'a>(
        &mut self,
        builtin: &'static Builtin,
        i: usize,
        arg: &'a ast::Arg,
        span: Span,
    ) -> Option<(usize, &'a ast::ExprSyntax)> {
        let names = builtin.params.0;
        match arg {
            ast::Arg::Value(e) if i < names.len() => return Some((i, e)),
            ast::Arg::Value(e) => self.wrong_arguments(
                builtin,
                e.span,
                format!("`{}` takes at most {}", builtin.name, count(names.len())),
            ),
            ast::Arg::Named(key, e) => match names.iter().position(|n| *n == key.text) {
                Some(slot) => return Some((slot, e)),
                None => self.wrong_arguments(
                    builtin,
                    key.span,
                    format!("`{}` has no `{}`", builtin.name, key.text),
                ),
            },
            ast::Arg::Layer(layer) => {
                let message = format!("`{}` is a layer, not a value", layer.text);
                self.wrong_arguments(
                    builtin,
                    if layer.span == Span::default() {
                        span
                    } else {
                        layer.span
                    },
                    message,
                )
            }
        };
        None
    }

    fn wrong_arguments(
        &mut self,
        builtin: &Builtin,
        span: Span,
        message: String,
    ) -> Option<Vec<Expr>> {
        let way = format!("call it as `{}({})`", builtin.name, builtin.takes);
        self.report(&d::wrong_arguments::DIAGNOSTIC, span, message)
            .help
            .push(way);
        None
    }

    fn apply(
        &mut self,
        builtin: &'static Builtin,
        mut args: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        self.judge_call(builtin, &args)?;
        let ty = match gives(builtin, &mut args) {
            Ok(ty) => ty,
            Err(ExpectedArguments(wanted)) => {
                let given: Vec<String> = args.iter().map(|e| article(&e.ty)).collect();
                let message = format!(
                    "`{}` expects {wanted}, but got {}",
                    builtin.name,
                    list(&given)
                );
                let way = format!("call it as `{}({})`", builtin.name, builtin.takes);
                self.report(&d::argument_types::DIAGNOSTIC, span, message)
                    .help
                    .push(way);
                return None;
            }
        };
        Some(self.make(ExprKind::Call { builtin, args }, ty, span))
    }

    /// What a row's types cannot say.
    fn judge_call(&mut self, builtin: &'static Builtin, args: &[Expr]) -> Option<()> {
        if let (LabelRule::Lowers, Some(list)) = (
            builtin.label,
            args.get(1).filter(|list| !self.is_constant(list)),
        ) {
            let message = format!(
                "the list of `{}` must be constant, so that the program shows what can be chosen",
                builtin.name
            );
            self.report(&d::not_constant::DIAGNOSTIC, list.span, message);
            return None;
        }
        let sent = matches!(builtin.eval, builtins::Eval::Machine(MachineCall::Frames));
        let received = |e: &Expr| matches!(e.kind, ExprKind::Var(var) if self.shapes.get(&var).is_some_and(|s| s.origin == PacketOrigin::Matched));
        if let Some(packet) = args.first().filter(|e| sent && received(e)) {
            let message = "`frames` counts the frames of a send, and this packet was received";
            self.report(&d::argument_types::DIAGNOSTIC, packet.span, message);
            return None;
        }
        Some(())
    }
}

/// The type of the result; literals adapt to what the others are.
fn gives(builtin: &'static Builtin, args: &mut [Expr]) -> Result<Type, ExpectedArguments> {
    let types = |args: &[Expr]| args.iter().map(|e| e.ty.clone()).collect::<Vec<_>>();
    let first = (builtin.gives)(&types(args));
    if first.is_ok() {
        return first;
    }
    for to in alternatives(args) {
        let mut adapted = args.to_vec();
        adapted.iter_mut().for_each(|e| {
            adapt(e, &to);
        });
        if let Ok(ty) = (builtin.gives)(&types(&adapted)) {
            args.clone_from_slice(&adapted);
            return Ok(ty);
        }
    }
    first
}

/// Types that literals among the arguments may be meant as.
fn alternatives(args: &[Expr]) -> Vec<Type> {
    let mut wanted = vec![
        Type::Float,
        Type::Bytes,
        Type::Array(Type::Float.into()),
        Type::Array(Type::Bytes.into()),
    ];
    wanted.extend(args.iter().filter_map(|e| match &e.ty {
        Type::Map(key, _) => Some((**key).clone()),
        _ => None,
    }));
    wanted
}

/// Names that other languages have for the same.
fn elsewhere(name: &str) -> Option<&'static str> {
    const ROWS: &[(&str, &str)] = &[
        ("len", "length"),
        ("size", "length"),
        ("count", "length"),
        ("avg", "mean"),
        ("average", "mean"),
        ("str", "text"),
        ("string", "text"),
        ("to_string", "text"),
        ("time", "now"),
        ("percentile", "quantile"),
        ("std", "stddev"),
        ("delete", "remove"),
        ("contains", "has"),
        ("floor", "div"),
        ("dict", "map"),
        ("list", "array"),
        ("ord", "int"),
        ("chr", "byte"),
        ("sorted", "sort"),
    ];
    ROWS.iter()
        .find(|(from, _)| *from == name)
        .map(|(_, to)| *to)
}

fn example(name: &str) -> &'static str {
    if name == "map" {
        "map(key=0, default=0s)"
    } else {
        "array(init=0s, len=0)"
    }
}

fn count(n: usize) -> String {
    match n {
        0 => "no argument".into(),
        1 => "one argument".into(),
        n => format!("{n} arguments"),
    }
}

fn list(items: &[String]) -> String {
    if items.is_empty() {
        "nothing".into()
    } else {
        items.join(" and ")
    }
}
