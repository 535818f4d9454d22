//! Dots: fields of packets, counters of driven layers, parts of errors, layers by name.

use super::checker::Checker;
use super::layers;
use super::scope::Binding;
use super::shape::{PacketOrigin, SeenLayer};
use super::types::article;
use super::words;
use crate::diagnostics as d;
use crate::driven;
use crate::ir::{
    DrivenKind, Expr, ExprKind, FieldRef, Meta, Span, StackId, StackLayer, Type, VarId,
};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;
use crafty_syntax::diagnostics::packet_read;
use crafty_value::Value;
use crafty_wire::Layer;

impl Checker<'_> {
    /// `p[IP].ttl`, `p[TCP].options.mss`, `STACK[TCP].srtt`, `web[TCP].srtt`, `e.kind`.
    pub fn member(&mut self, e: &ast::ExprSyntax) -> Option<Expr> {
        let (root, path) = unchain(e);
        let ast::ExprKindSyntax::Index(base, index) = &root.kind else {
            return self.part(root, &path, e.span);
        };
        let ast::Index::Layer(layer, nth) = &**index else {
            return self.part(root, &path, e.span);
        };
        match &base.kind {
            ast::ExprKindSyntax::Stack => self.live(layer, path[0], e.span),
            ast::ExprKindSyntax::Name(name) => match self.lookup(name) {
                Some(Binding::Block(stack)) => self.counter(stack, layer, path[0], e.span),
                _ => self.field(base, (layer, nth.unwrap_or(0)), &path, e.span),
            },
            _ => self.field(base, (layer, nth.unwrap_or(0)), &path, e.span),
        }
    }

    /// `row.state`, `e.kind`, and members of what has none.
    fn part(&mut self, root: &ast::ExprSyntax, path: &[&ast::Name], span: Span) -> Option<Expr> {
        let name = path[0];
        if let ast::ExprKindSyntax::Stack = root.kind {
            let text = &name.text;
            self.report(&packet_read::DIAGNOSTIC, span, "read `STACK` by layer")
                .help
                .push(format!("write `STACK[TCP].{text}`"));
            return None;
        }
        if self.host_name(root, span) {
            return None;
        }
        let value = self.expr(root)?;
        if let (Type::Error, ExprKind::Var(error), word @ ("kind" | "message")) =
            (&value.ty, &value.kind, name.text.as_str())
        {
            let kind = ExprKind::ErrorPart {
                error: *error,
                message: word == "message",
            };
            return Some(self.make(kind, Type::Str, span));
        }
        let mut value = value;
        for name in path {
            if !matches!(value.ty, Type::Record(_)) {
                let report = self.no_member(&value, name);
                self.tell(report);
                return None;
            }
            value = self.record_part(value, name)?;
        }
        Some(value)
    }

    /// `www.example.com` without quotes: tells that no names are looked up.
    fn host_name(&mut self, root: &ast::ExprSyntax, span: Span) -> bool {
        let ast::ExprKindSyntax::Name(first) = &root.kind else {
            return false;
        };
        let text = self.text(span);
        let meant = self.lookup(first).is_none()
            && text.matches('.').count() > 1
            && super::quoted::is_host(text);
        if meant {
            let message = format!("`{text}` is a DNS name, and a program cannot look names up");
            let way = "`param target: ip` accepts a name on the command line, `DNS!(name=\"…\")` asks a server";
            self.report(&d::unknown_name::DIAGNOSTIC, span, message)
                .help
                .push(way.into());
        }
        meant
    }

    fn no_member(&self, value: &Expr, name: &ast::Name) -> Occurrence {
        let (text, member) = (self.text(value.span), &name.text);
        let report = Occurrence::new(
            &d::no_member::DIAGNOSTIC,
            name.span,
            format!(
                "`{text}` is {}, which has no `{member}`",
                article(&value.ty)
            ),
        );
        match (&value.ty, member.as_str()) {
            (Type::Error, _) => report.help("an error has `kind` and `message`"),
            (Type::Packet, "ts" | "ts_source" | "last_ts") => {
                report.help(format!("write `{text}[Eth].{member}`"))
            }
            (Type::Packet, _) => match layers::layer_of_field(member) {
                Some(layer) => report.help(format!(
                    "read a packet by layer: `{text}[{layer}].{member}`"
                )),
                None => report.help(format!("read a packet by layer: `{text}[IP].ttl`")),
            },
            (
                Type::Array(_) | Type::Bytes | Type::Str | Type::Map(..),
                "length" | "len" | "size",
            ) => report.help(format!("write `length({text})`")),
            _ => report,
        }
    }

    /// The cell of a packet.
    pub fn packet(&mut self, e: &ast::ExprSyntax) -> Option<VarId> {
        let value = self.expr(e)?;
        match value {
            Expr {
                kind: ExprKind::Var(var),
                ty: Type::Packet,
                ..
            } => Some(var),
            other => {
                let message = format!(
                    "`{}` is {}, not a packet",
                    self.text(other.span),
                    article(&other.ty)
                );
                self.report(&packet_read::DIAGNOSTIC, other.span, message);
                None
            }
        }
    }

    fn live(&mut self, layer: &ast::Name, name: &ast::Name, span: Span) -> Option<Expr> {
        match self.place.stacks.last() {
            _ if self.place.lost => None,
            Some(stack) => self.counter(*stack, layer, name, span),
            None => {
                let message =
                    "`STACK` is the state of the enclosing driven block, and there is none here";
                self.report(&d::stack_outside::DIAGNOSTIC, span, message)
                    .help
                    .push("store the value in a variable before the block ends".into());
                None
            }
        }
    }

    /// A counter of the block, or of a block that it continues.
    fn counter(
        &mut self,
        stack: StackId,
        layer: &ast::Name,
        name: &ast::Name,
        span: Span,
    ) -> Option<Expr> {
        let driven: Vec<DrivenKind> = self.driven_kinds(stack);
        let Some(kind) = driven::named(&layer.text).filter(|kind| driven.contains(kind)) else {
            let has: Vec<String> = driven.iter().map(|k| format!("`{}`", k.name())).collect();
            let message = format!(
                "this block does not drive `{}!`; it has {}",
                layer.text,
                has.join(" and ")
            );
            self.report(&d::unknown_counter::DIAGNOSTIC, layer.span, message);
            return None;
        };
        if let Some(counter) = kind.counter(&name.text) {
            return Some(self.make(ExprKind::Counter { stack, counter }, counter.ty(), span));
        }
        let message = format!("`STACK[{}]` has no `{}`", layer.text, name.text);
        let report = Occurrence::new(&d::unknown_counter::DIAGNOSTIC, name.span, message);
        let names: Vec<&str> = kind.layer().counters.iter().map(|row| row.name).collect();
        self.tell(layers::offer(report, name.span, &name.text, &names));
        None
    }

    /// Driven layers of a block and of those that it continues, outermost first.
    pub fn driven_kinds(&self, stack: StackId) -> Vec<DrivenKind> {
        let driven = |l: &StackLayer| match l {
            StackLayer::Driven(driven) => Some(driven.kind),
            StackLayer::Literal(_) => None,
        };
        self.full_stack(stack)
            .into_iter()
            .filter_map(driven)
            .collect()
    }

    /// All layers of a block, those of the blocks that it continues first.
    pub fn full_stack(&self, stack: StackId) -> Vec<&StackLayer> {
        let info = self.stack(stack);
        let mut layers = info
            .parent
            .map_or_else(Vec::new, |parent| self.full_stack(parent));
        layers.extend(&info.layers);
        layers
    }

    pub(super) fn field(
        &mut self,
        base: &ast::ExprSyntax,
        (name, nth): (&ast::Name, i64),
        path: &[&ast::Name],
        span: Span,
    ) -> Option<Expr> {
        let packet = self.packet(base);
        let layer = self.layer(name)?;
        let packet = packet?;
        let seen = self.readable(packet, layer, nth, span)?;
        let (field, ty) = self.field_ref(layer, seen, path)?;
        self.judge_stamp(packet, &field, span);
        let expr = self.make(
            ExprKind::Field {
                packet,
                layer,
                nth,
                field,
            },
            ty,
            span,
        );
        Some(expr)
    }

    /// Whether that layer may be read of that packet.
    fn readable(
        &mut self,
        packet: VarId,
        layer: &'static Layer,
        nth: i64,
        span: Span,
    ) -> Option<SeenLayer> {
        let shape = self.shapes.get(&packet)?.clone();
        if let Some(seen) = shape.find(layer.name, nth) {
            return Some(seen);
        }
        if shape.any || nth == 0 && layers::is_link(layer) && !(shape.stream && layer.name != "Eth")
        {
            return Some(SeenLayer::Wire(layer));
        }
        let report = self.unread(packet, layer, nth, span, &shape);
        self.tell(report);
        None
    }

    fn unread(
        &self,
        packet: VarId,
        layer: &Layer,
        nth: i64,
        span: Span,
        shape: &super::shape::PacketShape,
    ) -> Occurrence {
        let name = &self.variable(packet).name;
        let (l, shown) = (layer.name, shape.shown());
        let which = if nth == 0 {
            l.to_string()
        } else {
            format!("{l}, {nth}")
        };
        if shape.origin == PacketOrigin::Sent {
            return Occurrence::new(
                &d::unread_layer::DIAGNOSTIC,
                span,
                format!("`{name}` was sent as `{shown}`, which has no `[{which}]`"),
            );
        }
        let message =
            format!("the pattern of `{name}` is `{shown}`, which does not name `[{which}]`");
        let report = Occurrence::new(&d::unread_layer::DIAGNOSTIC, span, message)
            .note(self.variable(packet).span, "matched here");
        if l == "IP6" && shape.find("IP", 0).is_some() {
            return report.help(
                "under `IP!`, `[IP]` reads the fields that both families have: src dst ttl dscp ecn proto len",
            );
        }
        report.help(format!(
            "name it in the pattern: `{shown}/{l}`, or `{shown}/*` to read any layer"
        ))
    }

    /// When stream data of ours left is known only after waiting.
    fn judge_stamp(&mut self, packet: VarId, field: &FieldRef, span: Span) {
        let stamped = matches!(
            field,
            FieldRef::Meta(Meta::Ts | Meta::LastTs | Meta::TsSource)
        );
        if stamped && self.place.handler && self.streamed.contains(&packet) {
            let message =
                "reading when stream data was sent has to wait, and a handler cannot wait";
            self.report(&d::handler_waits::DIAGNOSTIC, span, message)
                .help
                .push("set a variable, and read this in the main program".into());
        }
    }

    /// An address that is known, of an expression.
    pub fn known_address(&self, e: &Expr) -> Option<std::net::IpAddr> {
        match self.settled(e)? {
            Value::Ip(address) => Some(address),
            _ => None,
        }
    }

    /// The layer of that name; reports if there is none.
    pub fn layer(&mut self, name: &ast::Name) -> Option<&'static Layer> {
        if let Some(layer) = layers::find(&name.text) {
            return Some(layer);
        }
        let report = Occurrence::new(
            &d::unknown_layer::DIAGNOSTIC,
            name.span,
            format!("there is no layer `{}`", name.text),
        );
        let report = match layers::elsewhere(&name.text) {
            Some(known) => report.fix(format!("it is called `{known}` here"), name.span, known),
            None => match words::nearest(&name.text, layers::names()) {
                Some(near) => report.suggest(format!("did you mean `{near}`?"), name.span, near),
                None => report.help("`crafty manual` lists the layers; anything else can be written and read as `Bytes`"),
            },
        };
        self.tell(report);
        None
    }
}

/// The value that members are read of, and their names, first read first.
fn unchain(e: &ast::ExprSyntax) -> (&ast::ExprSyntax, Vec<&ast::Name>) {
    let mut path = Vec::new();
    let mut root = e;
    while let ast::ExprKindSyntax::Member(inner, name) = &root.kind {
        path.push(name);
        root = inner;
    }
    path.reverse();
    (root, path)
}
