//! Declarations and assignments: `name = value`, `name := value`, `+=` and `-=` (§6).

use super::checker::Checker;
use super::scope::Binding;
use super::send::CheckedSend;
use super::types::{ExpectedType, adapt, article};
use super::words;
use crate::diagnostics as d;
use crate::ir::{
    AssignOp, BinaryOp, Expr, ExprKind, Span, StatementKind, Type, VarId, VariableKind,
};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;
use crafty_syntax::diagnostics::field_assign;

impl Checker<'_> {
    /// `name = value`: a constant, a variable or a send.
    pub(super) fn declaration(
        &mut self,
        name: &ast::Name,
        value: &ast::Rhs,
    ) -> Option<StatementKind> {
        match value {
            ast::Rhs::Expr(e) => self.declare_value(name, e),
            ast::Rhs::Stack(stack) => {
                self.started = true;
                let sending = self.send(stack);
                let ty = sending.as_ref().map(|_| Type::Packet);
                let var = self.declare(name, ty, VariableKind::Sent);
                sending.map(|s| self.keep(s, var))
            }
        }
    }

    fn declare_value(&mut self, name: &ast::Name, e: &ast::ExprSyntax) -> Option<StatementKind> {
        let value = self.expr(e);
        let value = value.filter(|v| self.holdable(v));
        let constant = value.as_ref().is_some_and(|v| {
            self.place.depth == 0 && self.is_constant(v) && !self.assigned_after(name)
        });
        let kind = match &value {
            Some(v) if v.ty == Type::Packet => VariableKind::Sent,
            _ if constant => VariableKind::Constant,
            _ => VariableKind::Local,
        };
        let var = self.declare(name, value.as_ref().map(|v| v.ty.clone()), kind);
        let value = value?;
        self.copy_shape(var, &value);
        if constant {
            self.note_constant(var, value);
            return None;
        }
        self.started |= self.place.depth > 0;
        Some(StatementKind::Set { var, value })
    }

    fn assigned_after(&self, name: &ast::Name) -> bool {
        self.assigned
            .get(&name.text)
            .is_some_and(|at| *at > name.span.start)
    }

    fn holdable(&mut self, value: &Expr) -> bool {
        if value.ty != Type::Error {
            return true;
        }
        let text = self.text(value.span);
        let message = "an error can be kept only by the `e` of its `else`";
        self.report(&d::packet_stored::DIAGNOSTIC, value.span, message)
            .help
            .push(format!("keep `{text}.kind` or `{text}.message`"));
        false
    }

    fn copy_shape(&mut self, var: VarId, value: &Expr) {
        let (Type::Packet, ExprKind::Var(from)) = (&value.ty, &value.kind) else {
            return;
        };
        if let Some(shape) = self.shapes.get(from).cloned() {
            self.shapes.insert(var, shape);
        }
        if self.streamed.contains(from) {
            self.streamed.insert(var);
        }
    }

    fn keep(&mut self, sending: CheckedSend, var: VarId) -> StatementKind {
        self.shapes.insert(var, sending.shape);
        if sending.streamed {
            self.streamed.insert(var);
        }
        StatementKind::Send {
            send: sending.send,
            into: Some(var),
        }
    }

    pub(super) fn assign(
        &mut self,
        name: &ast::Name,
        path: &[ast::StepSyntax],
        op: AssignOp,
        value: &ast::Rhs,
        span: Span,
    ) -> Option<StatementKind> {
        let Some(var) = self.assigned_variable(name, op, path.is_empty()) else {
            if let ast::Rhs::Expr(e) = value {
                self.expr(e);
            }
            return None;
        };
        let e = match value {
            ast::Rhs::Expr(e) => e,
            ast::Rhs::Stack(stack) => return self.assign_send(var, stack, span),
        };
        let value = self.expr(e);
        if !self.sound[var.0 as usize] {
            return None;
        }
        match (op, path) {
            (AssignOp::Set, []) => self.set_variable(var, value?),
            _ => self.update(var, path, op, value?),
        }
    }

    /// The variable, if it may be assigned.
    fn assigned_variable(&mut self, name: &ast::Name, op: AssignOp, whole: bool) -> Option<VarId> {
        if self.lookup(&name.text).is_none()
            && op == AssignOp::Set
            && whole
            && !self.may_be_lost(&name.text)
        {
            let visible = self.nearest_variable(&name.text);
            let report = Occurrence::new(
                &d::unknown_name::DIAGNOSTIC,
                name.span,
                format!("`{}` is not declared", name.text),
            );
            self.tell(match visible {
                Some(near) => report.suggest(format!("did you mean `{near}`?"), name.span, near),
                None => report.help(format!(
                    "declare it with `{} = …`, in the block where it is needed",
                    name.text
                )),
            });
            return None;
        }
        let var = self.resolve(&name.text, name.span)?;
        let why = match self.variable(var).kind {
            VariableKind::Param => "only the command line sets a param",
            VariableKind::Loop => "the loop sets it",
            VariableKind::Match => "a matched packet cannot change",
            VariableKind::Error => "an error cannot change",
            _ => return Some(var),
        };
        let declared = self.variable(var).span;
        let report = Occurrence::new(
            &d::not_assignable::DIAGNOSTIC,
            name.span,
            format!("`{}` cannot be assigned: {why}", name.text),
        );
        self.tell(
            report
                .note(declared, "declared here")
                .help("declare another variable, and assign that"),
        );
        None
    }

    fn nearest_variable(&self, name: &str) -> Option<String> {
        if self.reports.len() > super::scope::GUESSES {
            return None;
        }
        let names: Vec<&str> = self
            .variables
            .iter()
            .filter(|v| v.kind == VariableKind::Local)
            .map(|v| v.name.as_str())
            .collect();
        let near = words::nearest(
            name,
            names
                .into_iter()
                .filter(|n| matches!(self.lookup(n), Some(Binding::Variable(_)))),
        )?;
        Some(near.to_string())
    }

    fn assign_send(&mut self, var: VarId, stack: &ast::Stack, span: Span) -> Option<StatementKind> {
        let sending = self.send(stack)?;
        let ty = self.variable(var).ty.clone();
        if !self.sound[var.0 as usize] {
            return None;
        }
        if ty != Type::Packet {
            let message = format!(
                "`{}` is {}, and a send gives a packet",
                self.variable(var).name,
                article(&ty)
            );
            self.report(&d::type_mismatch::DIAGNOSTIC, span, message);
            return None;
        }
        self.judge_shape(var, &sending.shape, span);
        if self.streamed.contains(&var) || sending.streamed {
            self.streamed.insert(var);
        }
        Some(StatementKind::Send {
            send: sending.send,
            into: Some(var),
        })
    }

    /// A variable holds packets of the same layers, or what may be read of it would not be known.
    fn judge_shape(&mut self, var: VarId, shape: &super::shape::PacketShape, span: Span) {
        let Some(held) = self.shapes.get(&var).cloned() else {
            return;
        };
        if held.same(shape) {
            return;
        }
        let message = format!(
            "`{}` holds packets like `{}`, and this is `{}`",
            self.variable(var).name,
            held.shown(),
            shape.shown()
        );
        let declared = self.variable(var).span;
        let report = Occurrence::new(&d::other_packet::DIAGNOSTIC, span, message)
            .note(declared, "declared here");
        self.tell(report.help("use another variable for this packet"));
    }

    fn set_variable(&mut self, var: VarId, value: Expr) -> Option<StatementKind> {
        let (ty, name) = (
            self.variable(var).ty.clone(),
            self.variable(var).name.clone(),
        );
        let value = self.fit(
            value,
            ExpectedType {
                ty: &ty,
                by: &format!("`{name}`"),
            },
        )?;
        if let ExprKind::Var(from) = &value.kind
            && let Some(shape) = self.shapes.get(from).cloned()
        {
            self.judge_shape(var, &shape, value.span);
        }
        Some(StatementKind::Set { var, value })
    }

    fn update(
        &mut self,
        var: VarId,
        path: &[ast::StepSyntax],
        op: AssignOp,
        value: Expr,
    ) -> Option<StatementKind> {
        let mut at = self.read(var, self.variable(var).span)?;
        let mut keys = Vec::new();
        let here = self.variable(var).span;
        for step in path {
            let (key, ty) = self.step(
                &Expr {
                    span: here,
                    ..at.clone()
                },
                step,
            )?;
            at = Expr { ty, ..at };
            keys.push(key);
        }
        let value = self.updated(&at.ty, op, value, &self.variable(var).name.clone())?;
        Some(StatementKind::Update {
            var,
            path: keys,
            op,
            value,
        })
    }

    /// A step into a value that is assigned: a key, an index, or the name of a part.
    fn step(&mut self, of: &Expr, step: &ast::StepSyntax) -> Option<(Expr, Type)> {
        match step {
            ast::StepSyntax::At(at) => {
                let mut key = self.expr(at)?;
                let ty = self.element_type(of, &mut key)?;
                if of.ty == Type::Bytes {
                    let message = "single bytes of a value cannot be assigned";
                    self.report(&d::no_elements::DIAGNOSTIC, at.span, message)
                        .help
                        .push("build a new value: `b[:2] + #00 + b[3:]`".into());
                    return None;
                }
                Some((key, ty))
            }
            ast::StepSyntax::Part(name) => {
                if let Some(ty) = of.ty.part(&name.text).cloned() {
                    return Some((self.part_step(name), ty));
                }
                let report = match of.ty {
                    Type::Packet => {
                        let message = format!(
                            "`{}` is a packet, and packets cannot change",
                            self.text(of.span)
                        );
                        Occurrence::new(&field_assign::DIAGNOSTIC, name.span, message)
                            .help("set its fields where it is sent: `IP(ttl=3)/UDP(…)`")
                    }
                    _ => self.no_part(of, name),
                };
                self.tell(report);
                None
            }
        }
    }

    /// The right side of `:=` on an element, `+=` or `-=`.
    fn updated(&mut self, held: &Type, op: AssignOp, mut value: Expr, name: &str) -> Option<Expr> {
        let by = format!("`{name}`");
        let sign = match op {
            AssignOp::Set => return self.fit(value, ExpectedType { ty: held, by: &by }),
            AssignOp::Add => BinaryOp::Add,
            AssignOp::Subtract => BinaryOp::Subtract,
        };
        let fits = match (held, sign) {
            (Type::Array(item), BinaryOp::Add) => {
                adapt(&mut value, item) || adapt(&mut value, held)
            }
            (Type::Str | Type::Bytes | Type::Int | Type::Float | Type::Duration, BinaryOp::Add) => {
                adapt(&mut value, held)
            }
            (Type::Int | Type::Float | Type::Duration, BinaryOp::Subtract) => {
                adapt(&mut value, held)
            }
            (Type::Flags(_), _) => value.ty == *held,
            (Type::Time, _) => value.ty == Type::Duration,
            (Type::Ip, _) => value.ty == Type::Int,
            _ => false,
        };
        if fits {
            return Some(value);
        }
        let wanted = match held {
            Type::Array(item) if sign == BinaryOp::Add => (**item).clone(),
            Type::Int | Type::Float | Type::Duration | Type::Str | Type::Bytes => held.clone(),
            _ => {
                let message = format!(
                    "`{}=` cannot change {} by {}",
                    super::operators::sign(sign),
                    article(held),
                    article(&value.ty)
                );
                self.report(&d::operator_types::DIAGNOSTIC, value.span, message);
                return None;
            }
        };
        if sign == BinaryOp::Subtract && matches!(held, Type::Array(_) | Type::Str | Type::Bytes) {
            self.report(
                &d::operator_types::DIAGNOSTIC,
                value.span,
                format!("`-=` cannot change {}", article(held)),
            );
            return None;
        }
        self.fit(
            value,
            ExpectedType {
                ty: &wanted,
                by: &by,
            },
        )
    }
}
