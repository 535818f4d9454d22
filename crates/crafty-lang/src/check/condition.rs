//! Conditions of patterns: `field op value`.

use super::checker::Checker;
use super::compare::sign;
use super::hint::Hint;
use super::layers;
use super::shape::SeenLayer;
use super::states::is_state_field;
use super::types::{adapt, article};
use crate::diagnostics as d;
use crate::driven;
use crate::ir::{
    CHECKSUM_STATES, DrivenKind, Expr, FieldRef, FieldTest, Meta, Operand, RelOp, Span, Type,
};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;
use crafty_wire::Layer;

impl Checker<'_> {
    pub fn conditions(
        &mut self,
        layer: &'static Layer,
        seen: SeenLayer,
        stream: bool,
        written: &[Vec<ast::FieldTestSyntax>],
    ) -> Option<Vec<Vec<FieldTest>>> {
        let mut whole = true;
        let mut all = Vec::new();
        for alternatives in written {
            let tests: Vec<Option<FieldTest>> = alternatives
                .iter()
                .map(|t| self.test(layer, seen, stream, t))
                .collect();
            match tests.into_iter().collect::<Option<Vec<FieldTest>>>() {
                Some(tests) => all.push(tests),
                None => whole = false,
            }
        }
        whole.then_some(all)
    }

    fn test(
        &mut self,
        layer: &'static Layer,
        seen: SeenLayer,
        stream: bool,
        test: &ast::FieldTestSyntax,
    ) -> Option<FieldTest> {
        let path: Vec<&ast::Name> = test.field.iter().collect();
        if stream {
            self.judge_stream(seen, path[0], test.span)?;
        }
        let (field, mut ty) = self.field_ref(layer, seen, &path)?;
        let slice = match &test.slice {
            None => None,
            Some(index) => Some(self.test_slice(index, &ty, test.span)?),
        };
        if slice.is_some() {
            ty = Type::Bytes;
        }
        let operand = self.operand(layer, &field, &ty, test)?;
        Some(FieldTest {
            negated: test.negated,
            field,
            slice,
            op: test.op,
            operand,
            span: test.span,
        })
    }

    /// Flags asked of stream data.
    fn judge_stream(&mut self, seen: SeenLayer, name: &ast::Name, span: Span) -> Option<()> {
        let allowed: &[&str] = match seen {
            SeenLayer::Driven(DrivenKind::Ip, _) => &["src", "dst"],
            SeenLayer::Driven(DrivenKind::Tcp, _) => &["src", "dst", "state"],
            SeenLayer::Driven(kind, _) if kind.is_session() && kind.is_stream() => &[],
            _ => return Some(()),
        };
        if allowed.contains(&name.text.as_str()) || !layers::has_field(seen.name(), &name.text) {
            return Some(());
        }
        self.tell(of_stream(seen.name(), &name.text, span));
        None
    }

    /// `data[a:b]`, `data[i]`.
    #[allow(clippy::type_complexity)]
    fn test_slice(
        &mut self,
        index: &ast::Index,
        ty: &Type,
        span: Span,
    ) -> Option<(Option<Expr>, Option<Expr>)> {
        if *ty != Type::Bytes {
            let message = format!(
                "only bytes can be sliced, and this field is {}",
                article(ty)
            );
            self.report(&d::no_elements::DIAGNOSTIC, span, message);
            return None;
        }
        match index {
            ast::Index::Slice(from, to) => {
                Some((self.slice_end(from.as_ref())?, self.slice_end(to.as_ref())?))
            }
            ast::Index::At(at) => self.one_byte(at),
            ast::Index::Layer(..) => None,
        }
    }

    /// `data[i]` is `data[i:i+1]`.
    #[allow(clippy::type_complexity)]
    fn one_byte(&mut self, at: &ast::ExprSyntax) -> Option<(Option<Expr>, Option<Expr>)> {
        let from = self.slice_end(Some(at))??;
        let again = self.slice_end(Some(at))??;
        let one = self.constant(crafty_value::Value::Int(1), Type::Int, at.span);
        let kind = crate::ir::ExprKind::Binary(crate::ir::BinaryOp::Add, again.into(), one.into());
        let to = self.make(kind, Type::Int, at.span);
        let to = self.fold(to)?;
        Some((Some(from), Some(to)))
    }

    fn operand(
        &mut self,
        layer: &'static Layer,
        field: &FieldRef,
        ty: &Type,
        test: &ast::FieldTestSyntax,
    ) -> Option<Operand> {
        match &test.operand {
            ast::OperandSyntax::Range(low, high) => {
                self.range_operand(field, ty, test, (low, high))
            }
            ast::OperandSyntax::Value(e)
                if is_state_field(field)
                    && let Some(state) = self.state_word(e) =>
            {
                self.equality(test, "a state is compared with `==` or `!=` only")?;
                state.map(Operand::Value)
            }
            ast::OperandSyntax::Value(e) => match self.word_operand(field, test, e) {
                Some(found) => found,
                None => self.value_operand(layer, field, ty, test, e),
            },
        }
    }

    fn range_operand(
        &mut self,
        field: &FieldRef,
        ty: &Type,
        test: &ast::FieldTestSyntax,
        (low, high): (&ast::ExprSyntax, &ast::ExprSyntax),
    ) -> Option<Operand> {
        if !matches!(test.op, RelOp::In | RelOp::NotIn) {
            self.report(
                &d::range_place::DIAGNOSTIC,
                test.span,
                "a range can be used only after `in` and `foreach`",
            );
            return None;
        }
        let hint = layers::hint(field);
        let (low, high) = (self.expr_in(low, hint), self.expr_in(high, hint));
        let (mut low, mut high) = (low?, high?);
        if !adapt(&mut low, ty) || !adapt(&mut high, ty) || !super::compare::ordered(ty) {
            let message = format!(
                "{} cannot be in a range from {} to {}",
                article(ty),
                article(&low.ty),
                article(&high.ty)
            );
            self.report(&d::comparison_types::DIAGNOSTIC, test.span, message);
            return None;
        }
        Some(Operand::Range(low, high))
    }

    /// `checksum == bad`, `options has mss`: words that are not values.
    #[allow(clippy::option_option)]
    fn word_operand(
        &mut self,
        field: &FieldRef,
        test: &ast::FieldTestSyntax,
        e: &ast::ExprSyntax,
    ) -> Option<Option<Operand>> {
        let ast::ExprKindSyntax::Name(word) = &e.kind else {
            return None;
        };
        let FieldRef::Wire { layer, field } = field else {
            return None;
        };
        let field = &layer.fields[*field];
        let free = self.variable_fits(word, &layers::type_of(field)).is_none();
        if let (true, Some(state)) = (
            layers::is_checksum(field),
            CHECKSUM_STATES.iter().find(|s| *s == word),
        ) {
            return Some(
                self.equality(
                    test,
                    &format!(
                        "`{}` is compared with `{word}` by `==` or `!=` only",
                        field.name
                    ),
                )
                .map(|()| Operand::Checksum(state)),
            );
        }
        if !matches!(test.op, RelOp::Has | RelOp::NotHas) || !layers::holds_options(field) || !free
        {
            return None;
        }
        match layers::option_name(field, word) {
            Some(option) => Some(Some(Operand::Option(option))),
            None => {
                let names = layers::option_names(field);
                let report = Occurrence::new(
                    &d::unknown_option::DIAGNOSTIC,
                    e.span,
                    format!("{} has no option `{word}`", layer.name),
                );
                self.tell(layers::offer(report, e.span, word, &names));
                Some(None)
            }
        }
    }

    fn equality(&mut self, test: &ast::FieldTestSyntax, why: &str) -> Option<()> {
        if matches!(test.op, RelOp::Eq | RelOp::Ne) {
            return Some(());
        }
        let message = format!("{why}, not with `{}`", sign(test.op));
        self.report(&d::comparison_types::DIAGNOSTIC, test.span, message);
        None
    }

    fn value_operand(
        &mut self,
        layer: &'static Layer,
        field: &FieldRef,
        ty: &Type,
        test: &ast::FieldTestSyntax,
        e: &ast::ExprSyntax,
    ) -> Option<Operand> {
        let hint = layers::hint(field);
        let mut value = self.expr_in(e, hint)?;
        if value.ty == Type::Packet {
            self.report(
                &d::comparison_types::DIAGNOSTIC,
                e.span,
                "a field can be compared with a value, not with a packet",
            );
            return None;
        }
        let mut left = self.constant(crafty_value::Value::Nothing, ty.clone(), test.span);
        self.expressions -= 1;
        if !super::compare::related(test.op, &mut left, &mut value) {
            let report = self.unrelated_test(layer, ty, &value, test);
            self.tell(report);
            return None;
        }
        if let Some(hint) = hint.filter(|_| !matches!(test.op, RelOp::In | RelOp::NotIn)) {
            self.judge_operand(hint, field, &value);
        }
        Some(Operand::Value(value))
    }

    /// A comparison that can never hold, because the field is too narrow or of the other family.
    fn judge_operand(&mut self, hint: Hint, field: &FieldRef, value: &Expr) {
        self.judge_width(hint.field.name, hint, value);
        if let (FieldRef::Wire { .. }, Some(address)) = (field, self.known_address(value)) {
            self.judge_address(hint, address, value.span);
        }
    }

    fn unrelated_test(
        &self,
        layer: &Layer,
        ty: &Type,
        value: &Expr,
        test: &ast::FieldTestSyntax,
    ) -> Occurrence {
        let field: Vec<&str> = test.field.iter().map(|n| n.text.as_str()).collect();
        let (name, text) = (field.join("."), self.text(value.span));
        let message = format!(
            "`{name}` of {} is {}, and `{} {text}` cannot test it: `{text}` is {}",
            layer.name,
            article(ty),
            sign(test.op),
            article(&value.ty)
        );
        let report = Occurrence::new(&d::comparison_types::DIAGNOSTIC, test.span, message);
        match (ty, &value.ty, test.op) {
            (Type::Bytes, Type::Int, _) => {
                report.suggest("write it as one byte", value.span, format!("byte({text})"))
            }
            (Type::Ip, Type::Net, RelOp::Eq) => report.fix(
                "to test whether an address is in a net, use `in`",
                test.span,
                format!("{name} in {text}"),
            ),
            (Type::Ip | Type::Int, Type::Array(_), RelOp::Eq) => report.fix(
                "to test for one of several values, use `in`",
                test.span,
                format!("{name} in {text}"),
            ),
            (Type::Int, Type::Duration, _) => {
                report.help("fields are plain numbers without a unit")
            }
            (Type::Flags(_), _, _) => report.help("test flags with `has`: `flags has syn+ack`"),
            _ => report,
        }
    }
}

/// What stream data does not have, with the pattern that does.
pub(super) fn of_stream(layer: &str, field: &str, span: Span) -> Occurrence {
    let message = format!("stream data has no `{field}`: it comes from many segments");
    let way = match layer {
        session if driven::named(session).is_some_and(DrivenKind::is_session) => {
            format!("what was agreed on is in `STACK[{session}]`")
        }
        "TCP" => format!("match the frames: `/IP/TCP({field} …)/Bytes`"),
        _ => format!("match the frames: `/IP({field} …)/TCP/Bytes`"),
    };
    Occurrence::new(&d::stream_fields::DIAGNOSTIC, span, message).help(way)
}

/// What is known of a packet beside its bytes, by word.
pub(super) fn meta(word: &str) -> Option<(Meta, Type)> {
    Some(match word {
        "ts" => (Meta::Ts, Type::Time),
        "ts_source" => (Meta::TsSource, Type::Str),
        "last_ts" => (Meta::LastTs, Type::Time),
        "len" => (Meta::Len, Type::Int),
        "interface" => (Meta::Interface, Type::Str),
        _ => return None,
    })
}
