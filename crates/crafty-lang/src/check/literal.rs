//! Literal layers: `Layer(field=value, …)`, `auto`, lists of options.

use super::checker::Checker;
use super::hint::Hint;
use super::layers;
use super::quoted::quoted;
use super::types::{ExpectedType, adapt};
use crate::diagnostics as d;
use crate::ir::{
    BinaryOp, Expr, ExprKind, FieldSetting, Literal, OptionArg, OptionLiteral, Span, Type,
};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::Value;
use crafty_wire::{Field, Layer, OptionRow, OptionShape};

impl Checker<'_> {
    pub fn literal(&mut self, written: &ast::LayerUse) -> Option<Literal> {
        let Some(layer) = self.layer(&written.name) else {
            for (_, e) in &written.args {
                self.quietly(e);
            }
            return None;
        };
        let mut literal = Literal {
            layer,
            fields: Vec::new(),
            advance: false,
            span: written.span,
        };
        let mut whole = true;
        for (name, value) in &written.args {
            whole &= self.argument(&mut literal, name.as_ref(), value).is_some();
        }
        whole.then_some(literal)
    }

    /// Looks at an expression whose place was not understood: its own mistakes are reported, but
    /// none that the place would decide.
    fn quietly(&mut self, e: &ast::ExprSyntax) {
        if !matches!(
            e.kind,
            ast::ExprKindSyntax::Name(_)
                | ast::ExprKindSyntax::Array(_)
                | ast::ExprKindSyntax::Auto
                | ast::ExprKindSyntax::Binary(..)
        ) {
            self.expr(e);
        }
    }

    fn argument(
        &mut self,
        literal: &mut Literal,
        name: Option<&ast::Name>,
        e: &ast::ExprSyntax,
    ) -> Option<()> {
        let layer = literal.layer;
        let Some(name) = name else {
            return self.positional(literal, e);
        };
        if name.text == "advance" {
            literal.advance = self.advance(e)?;
            return Some(());
        }
        let Some((number, field)) = layer.field(&name.text) else {
            self.unknown_field(layer, name);
            self.quietly(e);
            return None;
        };
        self.set(literal, number, field, e, name.span)
    }

    /// Only `Bytes` takes a value without a name.
    fn positional(&mut self, literal: &mut Literal, e: &ast::ExprSyntax) -> Option<()> {
        if literal.layer.name == "Bytes" {
            let (number, field) = literal.layer.field("data")?;
            return self.set(literal, number, field, e, e.span);
        }
        let layer = literal.layer;
        let first = layer.fields.first().map_or("field", |f| f.name);
        let meant = if self.is_destination(e) && layers::has_field(layer.name, "dst") {
            "dst"
        } else {
            first
        };
        let message = format!("`{}` takes its fields by name", layer.name);
        let report = Occurrence::new(&d::positional_field::DIAGNOSTIC, e.span, message);
        let text = self.text(e.span);
        self.tell(match meant {
            "dst" => report.suggest(
                "the destination is called `dst`",
                super::types::at(e.span.start),
                "dst=",
            ),
            _ => report.help(format!("write `{}({meant}={text})`", layer.name)),
        });
        None
    }

    /// Whether a value without a name is an address or a port: in other tools those are first.
    pub fn is_destination(&self, e: &ast::ExprSyntax) -> bool {
        matches!(
            e.kind,
            ast::ExprKindSyntax::Ip(..)
                | ast::ExprKindSyntax::Mac(_)
                | ast::ExprKindSyntax::Int { .. }
        )
    }

    fn set(
        &mut self,
        literal: &mut Literal,
        number: usize,
        field: &'static Field,
        e: &ast::ExprSyntax,
        span: Span,
    ) -> Option<()> {
        if literal.fields.iter().any(|(n, _)| *n == number) {
            self.report(
                &d::repeated_field::DIAGNOSTIC,
                span,
                format!("`{}` is set twice", field.name),
            );
        }
        let value = self.field_value(
            Hint {
                layer: literal.layer,
                field,
            },
            e,
        )?;
        literal.fields.push((number, value));
        Some(())
    }

    fn advance(&mut self, e: &ast::ExprSyntax) -> Option<bool> {
        let value = self.condition(e, "`advance`")?;
        match self.settled(&value) {
            Some(Value::Bool(advance)) => Some(advance),
            _ => {
                self.report(
                    &d::not_constant::DIAGNOSTIC,
                    e.span,
                    "`advance` must be `true` or `false`",
                );
                None
            }
        }
    }

    pub fn unknown_field(&mut self, layer: &'static Layer, name: &ast::Name) {
        let report = Occurrence::new(
            &d::unknown_field::DIAGNOSTIC,
            name.span,
            format!("{} has no field `{}`", layer.name, name.text),
        );
        let names: Vec<&str> = layer.fields.iter().map(|f| f.name).collect();
        let report = match layers::field_elsewhere(layer.name, &name.text) {
            Some(known) => report.fix(format!("it is called `{known}` here"), name.span, known),
            None if layers::driven_option(layer.name, &name.text) => report.help(format!(
                "`{}` is an option of the driven layer: `{}!({}=…)`",
                name.text, layer.name, name.text
            )),
            None => layers::offer(report, name.span, &name.text, &names),
        };
        self.tell(report);
    }

    /// What a field is set to.
    pub fn field_value(&mut self, hint: Hint, e: &ast::ExprSyntax) -> Option<FieldSetting> {
        if mentions_auto(e) {
            return self.auto(hint, e);
        }
        if let (true, ast::ExprKindSyntax::Array(items)) =
            (layers::holds_options(hint.field), &e.kind)
        {
            return self.options(hint, items, e.span);
        }
        let value = self.expr_in(e, Some(hint))?;
        self.plain_value(hint, value).map(FieldSetting::Value)
    }

    fn plain_value(&mut self, hint: Hint, mut value: Expr) -> Option<Expr> {
        let ty = layers::type_of(hint.field);
        let raw_flags = matches!(ty, Type::Flags(_)) && value.ty == Type::Int;
        if matches!((&ty, &value.ty), (Type::Flags(a), Type::Flags(b)) if a != b) {
            let message = format!(
                "these are not flags of `{}` of {}",
                hint.field.name, hint.layer.name
            );
            self.report(&d::foreign_flags::DIAGNOSTIC, value.span, message);
            return None;
        }
        if !raw_flags && !adapt(&mut value, &ty) {
            let by = format!("`{}` of {}", hint.field.name, hint.layer.name);
            if let Some(report) = quoted(&value, &ty, Some(hint), &by) {
                self.tell(report);
                return None;
            }
            value = self.fit(value, ExpectedType { ty: &ty, by: &by })?;
        }
        self.judge_width(hint.field.name, hint, &value);
        if let Some(address) = self.known_address(&value) {
            self.judge_address(hint, address, value.span);
        }
        Some(value)
    }

    /// Whether a known number fits.
    pub fn judge_width(&mut self, name: &str, hint: Hint, value: &Expr) {
        let (Some(width), Some(n)) = (layers::number_width(hint.field), self.int(value)) else {
            return;
        };
        let negative = hint.field.signed && n < 0 && n >= i64::MIN >> (64 - width.clamp(1, 64));
        if hint.field.modular || negative {
            return;
        }
        let message = match n {
            0.. if bits(n) <= width => return,
            0.. => format!("`{name}` has {width} bits, but {n} needs {}", bits(n)),
            _ => format!("`{name}` has {width} bits, and {n} is negative"),
        };
        let most = if width >= 63 {
            i64::MAX
        } else {
            (1 << width) - 1
        };
        self.report(&d::too_wide::DIAGNOSTIC, value.span, message)
            .help
            .push(format!("its range is 0 to {most}"));
    }

    /// `auto`, `auto + n`, `auto - n`.
    fn auto(&mut self, hint: Hint, e: &ast::ExprSyntax) -> Option<FieldSetting> {
        match &e.kind {
            ast::ExprKindSyntax::Auto => return Some(FieldSetting::Auto(None, e.span)),
            ast::ExprKindSyntax::Paren(inner) => return self.auto(hint, inner),
            ast::ExprKindSyntax::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, by)
                if matches!(left.kind, ast::ExprKindSyntax::Auto)
                    && !mentions_auto(by)
                    && layers::number_width(hint.field).is_some() =>
            {
                return self.moved_auto(*op, by, e.span);
            }
            _ => {}
        }
        let message = "`auto` is what the stack would send; only `auto`, `auto + n` and `auto - n` with a number are allowed";
        self.report(&d::auto_place::DIAGNOSTIC, e.span, message)
            .help
            .push(format!("write `{}=auto`", hint.field.name));
        None
    }

    fn moved_auto(
        &mut self,
        op: BinaryOp,
        by: &ast::ExprSyntax,
        span: Span,
    ) -> Option<FieldSetting> {
        let by = self.expr(by)?;
        let by = self.fit(
            by,
            ExpectedType {
                ty: &Type::Int,
                by: "`auto`",
            },
        )?;
        let by = match op {
            BinaryOp::Subtract => {
                let at = by.span;
                let negated = self.make(ExprKind::Negate(by.into()), Type::Int, at);
                self.fold(negated)?
            }
            _ => by,
        };
        Some(FieldSetting::Auto(Some(by), span))
    }

    /// `[mss(1460), nop, raw(#0203)]`
    pub fn options(
        &mut self,
        hint: Hint,
        items: &[ast::ExprSyntax],
        span: Span,
    ) -> Option<FieldSetting> {
        self.option_list(hint, items)
            .map(|list| FieldSetting::Options(list, span))
    }

    fn option_list(&mut self, hint: Hint, items: &[ast::ExprSyntax]) -> Option<Vec<OptionLiteral>> {
        let lowered: Vec<Option<OptionLiteral>> =
            items.iter().map(|item| self.option(hint, item)).collect();
        lowered.into_iter().collect()
    }

    fn option(&mut self, hint: Hint, item: &ast::ExprSyntax) -> Option<OptionLiteral> {
        let (name, args, span): (&str, &[ast::Arg], Span) = match &item.kind {
            ast::ExprKindSyntax::Name(name) => (name, &[], item.span),
            ast::ExprKindSyntax::Call { name, args } => (&name.text, args, name.span),
            _ => {
                let message = "write an option by name: `mss(1460)`, `nop`, `raw(#0203)`";
                self.report(&d::unknown_option::DIAGNOSTIC, item.span, message);
                return None;
            }
        };
        if name == "raw" {
            return self.raw_option(args, item.span);
        }
        let Some(known) = layers::option(hint.field, name) else {
            let names = layers::option_names(hint.field);
            let report = Occurrence::new(
                &d::unknown_option::DIAGNOSTIC,
                span,
                format!("{} has no option `{name}`", hint.layer.name),
            );
            self.tell(
                layers::offer(report, span, name, &names)
                    .help("write any other option as bytes: `raw(#fd04_1234)`"),
            );
            return None;
        };
        let args = self.option_args(hint, known, args, item.span)?;
        Some(OptionLiteral {
            name: name.to_string(),
            args,
            span: item.span,
        })
    }

    fn raw_option(&mut self, args: &[ast::Arg], span: Span) -> Option<OptionLiteral> {
        let [ast::Arg::Value(octets)] = args else {
            self.report(
                &d::option_values::DIAGNOSTIC,
                span,
                "`raw` takes the bytes of the option, including kind and length",
            );
            return None;
        };
        let octets = self.expr(octets)?;
        let octets = self.fit(
            octets,
            ExpectedType {
                ty: &Type::Bytes,
                by: "`raw`",
            },
        )?;
        Some(OptionLiteral {
            name: "raw".into(),
            args: vec![OptionArg::Value(octets)],
            span,
        })
    }

    fn option_args(
        &mut self,
        hint: Hint,
        option: &'static OptionRow,
        args: &[ast::Arg],
        span: Span,
    ) -> Option<Vec<OptionArg>> {
        let fields: Vec<&'static Field> = option.shape.fields().collect();
        let once = match option.shape {
            OptionShape::Repeat(once, _) => once.len(),
            _ => fields.len(),
        };
        let group = fields.len() - once;
        let fits = args.len() == once
            || group > 0 && args.len() > once && (args.len() - once).is_multiple_of(group);
        if !fits {
            let count = if fields.is_empty() {
                "no values"
            } else {
                "other values"
            };
            let message = format!(
                "the option `{0}` takes {count}: write `{0}{1}`",
                option.name,
                form(&fields, group > 0)
            );
            self.report(&d::option_values::DIAGNOSTIC, span, message);
            return None;
        }
        let mut values = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let field = if i < once {
                fields[i]
            } else {
                fields[once + (i - once) % group]
            };
            values.push(self.option_arg(
                Hint {
                    layer: hint.layer,
                    field,
                },
                arg,
                span,
            ));
        }
        values.into_iter().collect()
    }

    fn option_arg(&mut self, hint: Hint, arg: &ast::Arg, span: Span) -> Option<OptionArg> {
        let (ast::Arg::Value(e) | ast::Arg::Named(_, e)) = arg else {
            self.report(
                &d::option_values::DIAGNOSTIC,
                span,
                "an option takes values, not layers",
            );
            return None;
        };
        if let (true, ast::ExprKindSyntax::Array(items)) =
            (layers::holds_options(hint.field), &e.kind)
        {
            return self.option_list(hint, items).map(OptionArg::Options);
        }
        let value = self.expr_in(e, Some(hint))?;
        self.plain_value(hint, value).map(OptionArg::Value)
    }
}

/// `(val, ecr)`, `(left, right, …)`, or nothing.
fn form(fields: &[&Field], repeats: bool) -> String {
    let names: Vec<&str> = fields
        .iter()
        .map(|f| f.name)
        .chain(repeats.then_some("…"))
        .collect();
    if names.is_empty() {
        String::new()
    } else {
        format!("({})", names.join(", "))
    }
}

/// Bits that a number needs.
fn bits(n: i64) -> u16 {
    (64 - n.leading_zeros()) as u16
}

fn mentions_auto(e: &ast::ExprSyntax) -> bool {
    match &e.kind {
        ast::ExprKindSyntax::Auto => true,
        ast::ExprKindSyntax::Paren(inner) | ast::ExprKindSyntax::Negate(inner) => {
            mentions_auto(inner)
        }
        ast::ExprKindSyntax::Binary(_, a, b) => mentions_auto(a) || mentions_auto(b),
        _ => false,
    }
}
