//! Stacks that are opened: driven layers, their options, what they continue.

use super::checker::Checker;
use super::hint::Hint;
use super::layers;
use super::quoted::quoted;
use super::scope::Binding;
use super::shape::{Family, SeenLayer};
use super::types::{ExpectedType, adapt};
use super::words;
use crate::diagnostics as d;
use crate::driven;
use crate::ir::{
    Block, Driven, DrivenKind, Expr, ExprKind, FieldSetting, Span, StackId, StackInfo, StackLayer,
    StatementKind, Type, VariableKind,
};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::Value;

/// The `else e { }` of a block.
pub(super) type Else = Option<(Option<ast::Name>, ast::BlockSyntax)>;

impl Checker<'_> {
    /// A stack with a block.
    pub fn open(
        &mut self,
        stack: &ast::Stack,
        name: Option<&ast::Name>,
        body: &ast::BlockSyntax,
        otherwise: &Else,
    ) -> Option<StatementKind> {
        if self.place.handler {
            let message = "a handler cannot wait, so it cannot open a driven block";
            self.report(&d::handler_waits::DIAGNOSTIC, stack.span, message)
                .help
                .push("set a variable, and open the block in the main program".into());
        }
        let id = self.head(stack, name);
        let body = self.scoped(|c| {
            match id {
                Some(id) => {
                    c.place.stacks.push(id);
                    c.place.lost = false;
                    c.name_block(name, id);
                }
                None => c.place.lost = true,
            }
            c.block(body)
        });
        let otherwise = otherwise
            .as_ref()
            .map(|(error, block)| self.otherwise(error.as_ref(), block));
        Some(StatementKind::Open {
            stack: id?,
            body,
            otherwise,
        })
    }

    fn name_block(&mut self, name: Option<&ast::Name>, id: StackId) {
        if let Some(name) = name {
            self.refuse_visible(name);
            self.bind_name(&name.text, Binding::Block(id));
        }
    }

    /// A block that takes an error.
    pub fn otherwise(
        &mut self,
        error: Option<&ast::Name>,
        block: &ast::BlockSyntax,
    ) -> (Option<crate::ir::VarId>, Block) {
        self.scoped(|c| {
            let error = error.map(|name| c.declare(name, Some(Type::Error), VariableKind::Error));
            (error, c.block(block))
        })
    }

    /// The layers of a block; its number is given even if some were wrong, so that its body can be
    /// checked.
    fn head(&mut self, stack: &ast::Stack, name: Option<&ast::Name>) -> Option<StackId> {
        let lowered: Vec<Option<StackLayer>> =
            stack.layers.iter().map(|l| self.stack_layer(l)).collect();
        let layers = lowered.into_iter().collect::<Option<Vec<StackLayer>>>()?;
        if !matches!(layers.last(), Some(StackLayer::Driven(_))) {
            self.no_driven(stack);
            return None;
        }
        let parent = if stack.from_bottom {
            None
        } else {
            Some(self.continued(stack, &layers)?)
        };
        let site = self.site();
        let id = StackId(self.stacks.len() as u32);
        let name = name.map(|n| n.text.clone());
        self.stacks.push(StackInfo {
            name,
            parent,
            layers,
            span: stack.span,
            site,
        });
        self.judge_head(id, stack);
        Some(id)
    }

    fn no_driven(&mut self, stack: &ast::Stack) {
        let Some(last) = stack.layers.last() else {
            return;
        };
        let message = format!(
            "the stack of a block must end in a driven layer, and `{}` is literal",
            last.name.text
        );
        let report = Occurrence::new(&d::block_without_driven::DIAGNOSTIC, last.span, message);
        let report = match driven::named(&last.name.text) {
            Some(_) => {
                let (edits, surely) = driven_by(stack);
                report.edits("let the stack drive it with `!`", edits, surely)
            }
            None => report.help("put the literal layers into the block: `/IP!(…) { … }`"),
        };
        self.tell(report);
    }

    fn stack_layer(&mut self, layer: &ast::LayerUse) -> Option<StackLayer> {
        if !layer.driven {
            return self.literal(layer).map(StackLayer::Literal);
        }
        let kind = self.drivable(&layer.name)?;
        let mut driven = Driven {
            kind,
            options: Vec::new(),
            span: layer.span,
        };
        let mut whole = true;
        for (name, e) in &layer.args {
            whole &= self.driven_option(&mut driven, name.as_ref(), e).is_some();
        }
        whole.then_some(StackLayer::Driven(driven))
    }

    /// The driven layer of that name.
    pub fn drivable(&mut self, name: &ast::Name) -> Option<DrivenKind> {
        if let Some(kind) = driven::named(&name.text) {
            return Some(kind);
        }
        let report = Occurrence::new(
            &d::not_drivable::DIAGNOSTIC,
            name.span,
            format!(
                "`{}!` does not exist: this layer cannot be driven",
                name.text
            ),
        );
        self.tell(match name.text.as_str() {
            "IP6" | "IPv6" | "IPv4" => report.fix("`IP!` takes the family of its addresses", name.span, "IP"),
            _ => report.help("`IP!`, `UDP!`, `TCP!`, `TLS!`, `HTTP!` and `DNS!` can be driven; write any other layer without `!`"),
        });
        None
    }

    fn driven_option(
        &mut self,
        driven: &mut Driven,
        name: Option<&ast::Name>,
        e: &ast::ExprSyntax,
    ) -> Option<()> {
        let kind = driven.kind;
        let layer = kind.name();
        let Some(name) = name else {
            let text = self.text(e.span);
            let message = format!("`{layer}!` takes its options by name");
            let first = kind.layer().options.first().map_or("dst", |row| row.name);
            let report = Occurrence::new(&d::positional_field::DIAGNOSTIC, e.span, message);
            self.tell(match first {
                "dst" if self.is_destination(e) => report.suggest(
                    "the destination is called `dst`",
                    super::types::at(e.span.start),
                    "dst=",
                ),
                _ => report.help(format!("write `{layer}!({first}={text})`")),
            });
            return None;
        };
        let Some(option) = kind.option(&name.text) else {
            self.unknown_driven_option(kind, name);
            return None;
        };
        if driven.options.iter().any(|(o, _)| o.name == option.name) {
            self.report(
                &d::repeated_field::DIAGNOSTIC,
                name.span,
                format!("`{}` is set twice", name.text),
            );
        }
        let value = match &e.kind {
            ast::ExprKindSyntax::Ip(address, Some(zone)) if kind == DrivenKind::Ip => {
                FieldSetting::Value(self.zoned(driven, *address, zone, e.span))
            }
            ast::ExprKindSyntax::Array(items)
                if Hint::of_option(option)
                    .is_some_and(|hint| layers::holds_options(hint.field)) =>
            {
                self.options(Hint::of_option(option)?, items, e.span)?
            }
            _ => FieldSetting::Value(self.driven_value(kind, option, e)?),
        };
        driven.options.push((option, value));
        Some(())
    }

    /// `fe80::1%eth0` says the interface too.
    fn zoned(
        &mut self,
        driven: &mut Driven,
        address: std::net::IpAddr,
        zone: &str,
        span: Span,
    ) -> Expr {
        if let Some(interface) = DrivenKind::Ip.option("interface") {
            let name = self.constant(Value::text(zone), Type::Str, span);
            driven.options.push((interface, FieldSetting::Value(name)));
        }
        self.constant(Value::Ip(address), Type::Ip, span)
    }

    fn driven_value(
        &mut self,
        kind: DrivenKind,
        option: &'static driven::DrivenOption,
        e: &ast::ExprSyntax,
    ) -> Option<Expr> {
        let ty = option.ty();
        let hint = Hint::of_option(option).filter(|h| layers::type_of(h.field) == ty);
        let mut value = self.expr_in(e, hint)?;
        if !adapt(&mut value, &ty) {
            let by = format!("`{}` of `{}!`", option.name, kind.name());
            if let Some(report) = quoted(&value, &ty, hint, &by) {
                self.tell(report);
                return None;
            }
            value = self.fit(value, ExpectedType { ty: &ty, by: &by })?;
        }
        if let Some(hint) = hint {
            self.judge_width(option.name, hint, &value);
        }
        Some(value)
    }

    fn unknown_driven_option(&mut self, kind: DrivenKind, name: &ast::Name) {
        let layer = kind.name();
        let report = Occurrence::new(
            &d::unknown_option::DIAGNOSTIC,
            name.span,
            format!("`{layer}!` has no option `{}`", name.text),
        );
        let known: Vec<&str> = kind.layer().options.iter().map(|row| row.name).collect();
        let mut elsewhere = kind.layer().elsewhere.iter();
        let elsewhere = elsewhere.find(|(written, _)| written.contains(&name.text.as_str()));
        let report = match kind
            .layer()
            .misnomers
            .iter()
            .find(|(written, _)| *written == name.text)
        {
            Some((_, known)) => {
                report.fix(format!("it is called `{known}` here"), name.span, *known)
            }
            None if let Some((_, help)) = elsewhere => report.help(*help),
            None if words::nearest(&name.text, known.iter().copied()).is_none()
                && layers::has_field(layer, &name.text) =>
            {
                report.help(format!(
                    "`{}` is a field of one packet: write `{layer}({}=…)` inside the block",
                    name.text, name.text
                ))
            }
            None => layers::offer(report, name.span, &name.text, &known),
        };
        self.tell(report);
    }

    /// The block that a stack without leading `/` continues.
    fn continued(&mut self, stack: &ast::Stack, layers: &[StackLayer]) -> Option<StackId> {
        let first = layers::seen(&layers[0]);
        let carrier = self.place.stacks.iter().rev().copied().find(|id| {
            let top = self.stack(*id).layers.last().map(layers::seen);
            top.is_some_and(|top| layers::carries(top, first))
        });
        if carrier.is_none() && !self.place.lost {
            let message = match self.place.stacks.is_empty() {
                true => format!(
                    "`{}` continues an enclosing block, and there is none",
                    first.name()
                ),
                false => format!(
                    "no enclosing block ends in a layer that can carry `{}`",
                    first.name()
                ),
            };
            let report = Occurrence::new(&d::nowhere_to_go::DIAGNOSTIC, stack.span, message);
            let below = if layers::at_bottom(first) {
                String::new()
            } else {
                "/IP!(dst=…)".into()
            };
            self.tell(report.help(format!(
                "start at the bottom of the stack: `{below}/{}`",
                self.text(stack.span)
            )));
        }
        carrier
    }

    /// What the layers of a head must say together.
    fn judge_head(&mut self, id: StackId, stack: &ast::Stack) {
        let full: Vec<SeenLayer> = self.full_stack(id).into_iter().map(layers::seen).collect();
        if stack.from_bottom && !layers::at_bottom(full[0]) {
            self.not_at_bottom(stack, full[0].name());
        }
        let start = full.len() - self.stack(id).layers.len();
        for i in start.max(1)..full.len() {
            let span = stack.layers[i - start].span;
            match full[i] {
                SeenLayer::Driven(kind, _) if kind.is_session() => {
                    self.judge_session(kind, full[i - 1], i == start, span)
                }
                _ if !layers::carries(full[i - 1], full[i]) => {
                    self.not_carried(full[i - 1].name(), full[i].name(), span)
                }
                _ => {}
            }
        }
        self.judge_requests(id);
        self.judge_destinations(id);
    }

    /// `TCP!` needs a `dst` or `listen=true`; who has a port to send to has an address too.
    fn judge_destinations(&mut self, id: StackId) {
        let Some(top) = self.transport(id).cloned() else {
            return;
        };
        let has = |name: &str| top.options.iter().any(|(o, _)| o.name == name);
        let asks = self
            .driven_kinds(id)
            .into_iter()
            .find(|kind| kind.is_session())
            .map(DrivenKind::name);
        if let (Some(asks), false) = (asks, has("dst") && !self.listens(&top)) {
            let below = top.kind.name();
            let report = Occurrence::new(
                &d::missing_destination::DIAGNOSTIC,
                top.span,
                format!("`{asks}!` needs a peer to ask, and this `{below}!` has none"),
            );
            self.tell(report.help(format!("write `{below}!(dst=…)`")));
        } else if top.kind == DrivenKind::Tcp && !has("dst") && !self.listens(&top) {
            let message = "`TCP!` needs a port to connect to or to listen on";
            let report = Occurrence::new(&d::missing_destination::DIAGNOSTIC, top.span, message);
            self.tell(
                report.help("write `TCP!(dst=80)`, or `TCP!(src=8080, listen=true)` to serve"),
            );
        } else if top.kind != DrivenKind::Ip && has("dst") && !self.addressed(id) {
            let message = format!(
                "`{}!(dst=…)` has a port to send to, but its `IP!` has no address",
                top.kind.name()
            );
            self.report(&d::missing_destination::DIAGNOSTIC, top.span, message)
                .help
                .push("write `/IP!(dst=192.0.2.1)/…`".into());
        }
    }

    fn listens(&self, driven: &Driven) -> bool {
        driven.options.iter().any(|(o, value)| match value {
            FieldSetting::Value(e) => {
                o.name == "listen" && self.value(e) != Some(Value::Bool(false))
            }
            _ => false,
        })
    }

    /// Whether the innermost `IP!` of a block has a destination.
    pub fn addressed(&self, id: StackId) -> bool {
        let ip = self.full_stack(id).into_iter().rev().find_map(|l| match l {
            StackLayer::Driven(driven) if driven.kind == DrivenKind::Ip => Some(driven),
            _ => None,
        });
        ip.is_some_and(|ip| ip.options.iter().any(|(o, _)| o.name == "dst"))
    }

    /// Whether peers come and go.
    pub fn serves(&self, id: StackId) -> bool {
        match self.transport(id) {
            Some(top) if top.kind == DrivenKind::Ip => !self.addressed(id),
            Some(top) if top.kind == DrivenKind::Tcp => self.listens(top),
            Some(top) => !top.options.iter().any(|(o, _)| o.name == "dst"),
            None => false,
        }
    }

    /// The highest layer of a block's own that is on the wire: what is above asks through it.
    fn transport(&self, id: StackId) -> Option<&Driven> {
        self.stack(id)
            .layers
            .iter()
            .rev()
            .find_map(|layer| match layer {
                StackLayer::Driven(driven) if !driven.kind.is_session() => Some(driven),
                _ => None,
            })
    }

    /// The family of a block's innermost `IP!`, if its addresses tell.
    pub fn family(&self, id: StackId) -> Option<Family> {
        let layers = self.full_stack(id);
        layers.into_iter().rev().find_map(|l| match l {
            StackLayer::Driven(driven) if driven.kind == DrivenKind::Ip => {
                Some(self.family_of(driven))
            }
            _ => None,
        })?
    }

    pub fn family_of(&self, ip: &Driven) -> Option<Family> {
        ip.options.iter().find_map(|(option, value)| match value {
            FieldSetting::Value(e) if option.ty() == Type::Ip => {
                self.known_address(e).map(Family::of)
            }
            _ => None,
        })
    }

    /// A value that names the peer of a serving block by what was received.
    pub fn judge_answer(&mut self, value: &FieldSetting, span: Span) {
        let FieldSetting::Value(e) = value else {
            return;
        };
        let received = |e: &Expr| matches!(&e.kind, ExprKind::Field { packet, .. } if Some(*packet) == self.place.packet);
        if self.place.peer.is_some() && super::constants::any(e, &mut |e| received(e)) {
            let message = "the answer goes to the sender automatically";
            self.report(&d::answer_to_sender::DIAGNOSTIC, span, message)
                .help
                .push("remove it: in this arm a send goes to the peer of the matched data".into());
        }
    }
}

/// A `!` for each layer of a stack that a stack can run, and whether all of them take it: what they
/// set are options.
fn driven_by(stack: &ast::Stack) -> (Vec<(Span, String)>, bool) {
    let mut edits = Vec::new();
    let mut surely = true;
    for layer in stack.layers.iter().filter(|layer| !layer.driven) {
        let kind = driven::named(&layer.name.text);
        let option = |name: &Option<ast::Name>| {
            name.as_ref()
                .zip(kind)
                .is_some_and(|(name, kind)| kind.option(&name.text).is_some())
        };
        surely &= layer.args.iter().all(|(name, _)| option(name));
        if kind.is_some() {
            edits.push((super::types::at(layer.name.span.end), "!".to_string()));
        }
    }
    (edits, surely)
}
