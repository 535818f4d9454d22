//! Expressions: literals, names, strings, arrays. Operators, calls and reading of packets are in
//! their own files.

use super::checker::Checker;
use super::hint::Hint;
use super::layers;
use super::scope::Binding;
use super::types::{adapt, article};
use crate::diagnostics as d;
use crate::ir::{self, Expr, ExprKind, Span, Type, VarId};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;
use crafty_syntax::diagnostics::packet_read;
use crafty_value::Value;

impl Checker<'_> {
    /// An expression that no field gives names to.
    pub fn expr(&mut self, e: &ast::ExprSyntax) -> Option<Expr> {
        self.expr_in(e, None)
    }

    /// An expression beside a field.
    pub fn expr_in(&mut self, e: &ast::ExprSyntax, hint: Option<Hint>) -> Option<Expr> {
        match &e.kind {
            ast::ExprKindSyntax::Name(name) => self.name(name, e.span, hint),
            ast::ExprKindSyntax::String(pieces) => self.string(pieces, e.span),
            ast::ExprKindSyntax::Array(items) => self.array(items, e.span, hint),
            ast::ExprKindSyntax::Record(parts) => self.record_value(parts, e.span),
            ast::ExprKindSyntax::Paren(inner) => self.expr_in(inner, hint).map(|inner| Expr {
                span: e.span,
                ..inner
            }),
            ast::ExprKindSyntax::Named { layer, value } => self.named(layer, value, e.span),
            ast::ExprKindSyntax::Call { name, args } => self.call(name, args, e.span),
            ast::ExprKindSyntax::Match => self.matched(e.span),
            ast::ExprKindSyntax::Index(base, index) => self.index(base, index, e.span),
            ast::ExprKindSyntax::Member(..) => self.member(e),
            ast::ExprKindSyntax::Negate(inner) => self.negate(inner, e.span),
            ast::ExprKindSyntax::Not(inner) => self.not(inner, e.span),
            ast::ExprKindSyntax::Binary(op, left, right) => {
                self.binary(*op, (left, right), e.span, hint)
            }
            ast::ExprKindSyntax::Compare(op, left, right) => self.compare(*op, left, right, e.span),
            _ => self.plain(e),
        }
    }

    /// A literal, or a word that has no value here.
    fn plain(&mut self, e: &ast::ExprSyntax) -> Option<Expr> {
        let (value, ty) = match &e.kind {
            ast::ExprKindSyntax::Int { value, .. } => (Value::Int(*value), Type::Int),
            ast::ExprKindSyntax::Float(x) => (Value::Float(*x), Type::Float),
            ast::ExprKindSyntax::Duration(length) => (Value::Duration(*length), Type::Duration),
            ast::ExprKindSyntax::Bool(b) => (Value::Bool(*b), Type::Bool),
            ast::ExprKindSyntax::Bytes(octets) => (Value::bytes(octets.clone()), Type::Bytes),
            ast::ExprKindSyntax::Ip(address, None) => (Value::Ip(*address), Type::Ip),
            ast::ExprKindSyntax::Net(net) => (Value::Net(*net), Type::Net),
            ast::ExprKindSyntax::Mac(mac) => (Value::Mac(*mac), Type::Mac),
            _ => return self.valueless(e),
        };
        Some(self.constant(value, ty, e.span))
    }

    fn valueless(&mut self, e: &ast::ExprSyntax) -> Option<Expr> {
        let report = match &e.kind {
            ast::ExprKindSyntax::Ip(address, Some(zone)) => {
                let report = Occurrence::new(
                    &d::zone_place::DIAGNOSTIC,
                    e.span,
                    format!("a value cannot have a zone such as `%{zone}`"),
                );
                report.help(format!(
                    "to name the interface, write `IP!(dst={address}, interface=\"{zone}\")`"
                ))
            }
            ast::ExprKindSyntax::Auto => Occurrence::new(
                &d::auto_place::DIAGNOSTIC,
                e.span,
                "`auto` is what the stack would fill in, and only a field can be set to it",
            )
            .help("read the stack's state with `STACK[TCP].snd_nxt`"),
            ast::ExprKindSyntax::Stack => Occurrence::new(
                &packet_read::DIAGNOSTIC,
                e.span,
                "read `STACK` by layer and counter",
            )
            .help("write `STACK[TCP].srtt`"),
            _ => return None,
        };
        self.tell(report);
        None
    }

    pub fn constant(&mut self, value: Value, ty: Type, span: Span) -> Expr {
        self.make(ExprKind::Constant(value), ty, span)
    }

    fn name(&mut self, name: &str, span: Span, hint: Option<Hint>) -> Option<Expr> {
        if let Some(named) = hint.and_then(|h| layers::named_value(h.field, name)) {
            let (value, ty) = named;
            if let Some(var) = self.variable_fits(name, &ty) {
                self.ambiguous(name, span, var, hint);
                return None;
            }
            return Some(self.constant(value, ty, span));
        }
        if let (Some(h), None) = (hint, self.lookup(name)) {
            return self.unnamed(name, span, h);
        }
        let var = self.resolve(name, span)?;
        self.read(var, span)
    }

    /// The variable of that name, if its value could be where a value of this type or a list of
    /// them does. One of another type cannot be meant there.
    pub fn variable_fits(&self, name: &str, wanted: &Type) -> Option<VarId> {
        let Some(Binding::Variable(var)) = self.lookup(name) else {
            return None;
        };
        let fits = |ty: &Type| match (ty, wanted) {
            (Type::Int, Type::Flags(_)) | (Type::Flags(_), Type::Int) => true,
            (Type::Int | Type::Float, Type::Int) => true,
            _ => ty == wanted,
        };
        let held = &self.variable(var).ty;
        let listed = matches!(held, Type::Array(item) if fits(item));
        (self.sound[var.0 as usize] && (fits(held) || listed)).then_some(var)
    }

    /// The value of a variable.
    pub fn read(&mut self, var: VarId, span: Span) -> Option<Expr> {
        if !self.sound[var.0 as usize] {
            return None;
        }
        let ty = self.variable(var).ty.clone();
        Some(self.make(ExprKind::Var(var), ty, span))
    }

    fn ambiguous(&mut self, name: &str, span: Span, var: VarId, hint: Option<Hint>) {
        let declared = self.variable(var).span;
        let field = hint.map_or("", |h| h.field.name);
        let message = format!("`{name}` is both a value of the field `{field}` and a variable");
        let report = Occurrence::new(&d::ambiguous_name::DIAGNOSTIC, span, message)
            .note(declared, "the variable");
        self.tell(report.help("give the variable another name"));
    }

    /// Neither a value of the field nor a variable.
    fn unnamed(&mut self, name: &str, span: Span, hint: Hint) -> Option<Expr> {
        let names = layers::value_names(hint.field);
        if names.is_empty() {
            self.resolve(name, span);
            return None;
        }
        let message = format!(
            "`{}` of {} has no value `{name}`, and there is no such variable",
            hint.field.name, hint.layer.name
        );
        let report = Occurrence::new(&d::unknown_value::DIAGNOSTIC, span, message);
        let asked = format!("{name}_request");
        self.tell(match names.iter().find(|known| **known == asked) {
            Some(request) => report.suggest(
                format!("did you mean `{request}`? the reply has a name of its own"),
                span,
                *request,
            ),
            None => layers::offer(report, span, name, &names),
        });
        None
    }

    /// `ICMP.echo_reply`
    fn named(&mut self, layer: &ast::Name, value: &ast::Name, span: Span) -> Option<Expr> {
        let table = self.layer(layer)?;
        if let Some((value, ty)) = table
            .fields
            .iter()
            .find_map(|f| layers::named_value(f, &value.text))
        {
            return Some(self.constant(value, ty, span));
        }
        let names: Vec<&str> = table.fields.iter().flat_map(layers::value_names).collect();
        let message = format!("no field of {} has a value `{}`", table.name, value.text);
        let report = Occurrence::new(&d::unknown_value::DIAGNOSTIC, value.span, message);
        self.tell(layers::offer(report, value.span, &value.text, &names));
        None
    }

    fn string(&mut self, pieces: &[ast::StringPieceSyntax], span: Span) -> Option<Expr> {
        self.judge_braces(span);
        let mut lowered = Vec::new();
        let mut whole = true;
        for piece in pieces {
            match piece {
                ast::StringPieceSyntax::Text(octets) => {
                    lowered.push(ir::StringPiece::Text(octets.as_slice().into()))
                }
                ast::StringPieceSyntax::Hole(e, format) => match self.hole(e, *format) {
                    Some(value) => {
                        let value = self.shown(value);
                        lowered.push(ir::StringPiece::Hole(value, *format));
                    }
                    None => whole = false,
                },
            }
        }
        whole.then(|| self.joined(lowered, span))
    }

    /// `{n}` without its `$`, where `n` is a variable.
    fn judge_braces(&mut self, span: Span) {
        let text = self.text(span);
        for (at, _) in text
            .match_indices('{')
            .filter(|(at, _)| !text[..*at].ends_with('$'))
        {
            let rest = &text[at + 1..];
            let name = &rest[..rest
                .bytes()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == b'_')
                .count()];
            if let (true, Some(Binding::Variable(_))) =
                (rest[name.len()..].starts_with('}'), self.lookup(name))
            {
                let start = span.start + at as u32;
                self.tell(d::hole_sign::at(
                    Span {
                        start,
                        end: start + name.len() as u32 + 2,
                    },
                    name,
                ));
            }
        }
    }

    fn hole(&mut self, e: &ast::ExprSyntax, format: ir::FormatSpec) -> Option<Expr> {
        let value = self.expr(e)?;
        if format.percent {
            return self.share(value);
        }
        if value.ty != Type::Packet {
            return Some(value);
        }
        let text = self.text(e.span);
        let message = format!("`{text}` is a packet, and only its fields can be printed");
        self.report(&packet_read::DIAGNOSTIC, e.span, message)
            .help
            .push(format!("write `${{{text}[IP].src}}`"));
        None
    }

    /// `${x:.1%}`: only a number is a share of something.
    fn share(&mut self, value: Expr) -> Option<Expr> {
        if matches!(value.ty, Type::Int | Type::Float) {
            return Some(value);
        }
        let text = self.text(value.span);
        let message = format!(
            "`%` shows a number in percent, and `{text}` is {}",
            article(&value.ty)
        );
        self.report(&d::type_mismatch::DIAGNOSTIC, value.span, message)
            .help
            .push("divide it by the whole first".into());
        None
    }

    /// Text without holes is a constant; bytes that are no UTF-8 can only stand for bytes.
    fn joined(&mut self, pieces: Vec<ir::StringPiece>, span: Span) -> Expr {
        let text = |p: &ir::StringPiece| matches!(p, ir::StringPiece::Text(octets) if core::str::from_utf8(octets).is_err());
        let binary = pieces.iter().any(text);
        let ty = if binary { Type::Bytes } else { Type::Str };
        if pieces
            .iter()
            .any(|p| matches!(p, ir::StringPiece::Hole(..)))
        {
            return self.make(ExprKind::Interpolate(pieces), ty, span);
        }
        let octets: Vec<u8> = pieces
            .iter()
            .flat_map(|p| {
                if let ir::StringPiece::Text(t) = p {
                    t.to_vec()
                } else {
                    Vec::new()
                }
            })
            .collect();
        let value = match binary {
            true => Value::bytes(octets),
            false => Value::text(String::from_utf8_lossy(&octets).into_owned()),
        };
        self.constant(value, ty, span)
    }

    fn array(&mut self, items: &[ast::ExprSyntax], span: Span, hint: Option<Hint>) -> Option<Expr> {
        if items.is_empty() {
            let message = "`[]` does not say which type its elements have";
            self.report(&d::empty_container::DIAGNOSTIC, span, message)
                .help
                .push("show the type by example: `array(init=0s, len=0)`".into());
            return None;
        }
        let items: Vec<Option<Expr>> = items.iter().map(|e| self.expr_in(e, hint)).collect();
        let mut items = items.into_iter().collect::<Option<Vec<Expr>>>()?;
        let like = items
            .iter()
            .find(|e| matches!(e.ty, Type::Float | Type::Bytes))
            .unwrap_or(&items[0])
            .ty
            .clone();
        if like == Type::Float {
            for item in &mut items {
                self.widen(item);
            }
        }
        if let Some(odd) = items
            .iter_mut()
            .find_map(|e| (!adapt(e, &like)).then_some((e.span, article(&e.ty))))
        {
            let message = format!(
                "all values of an array have one type: this is {}, and others are {}",
                odd.1,
                article(&like)
            );
            self.report(&d::mixed_array::DIAGNOSTIC, odd.0, message);
            return None;
        }
        if matches!(like, Type::Packet | Type::Error) {
            let message = "packets and errors can be kept only in variables";
            self.report(&d::packet_stored::DIAGNOSTIC, span, message)
                .help
                .push("keep the fields that you need: `p[Eth].ts`".into());
            return None;
        }
        let array = self.make(ExprKind::Array(items), Type::Array(like.into()), span);
        self.fold(array)
    }

    /// `MATCH`: the packet of the innermost arm.
    fn matched(&mut self, span: Span) -> Option<Expr> {
        match self.place.packet {
            Some(packet) => self.read(packet, span),
            None => {
                let message = "`MATCH` is the matched packet: it exists only in an arm of `expect`, in a handler and in a `where`";
                self.report(&d::match_outside::DIAGNOSTIC, span, message)
                    .help
                    .push(
                        "to read a sent packet, name it: `p = Bytes(\"hi\")`, then `p[Eth].ts`"
                            .into(),
                    );
                None
            }
        }
    }
}
