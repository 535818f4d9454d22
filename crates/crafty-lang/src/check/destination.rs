//! Destinations, ports and powers that a program uses and its settings lack, as far as they are
//! known before the start.

use super::constants::{Fixed, any};
use super::setting_fix::SettingFix;
use super::visit;
use crate::diagnostics as d;
use crate::eval::cost::Allowance;
use crate::eval::evaluate;
use crate::ir::{
    Driven, DrivenKind, Expr, ExprKind, FieldSetting, Literal, Onto, Program, Send, Span, StackId,
    StackInfo, StackLayer,
};
use crafty_policy::{Policy, PortSet, Power, SettingsGroup};
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::{Net, Value};

/// Judges every driven block and every send. `sections` are the places of the settings, for the
/// corrected lines.
pub(super) fn judge(
    program: &Program,
    values: &[Value],
    policy: &Policy,
    sections: &[(SettingsGroup, Span)],
) -> Vec<Occurrence> {
    let mut judge = DestinationCheck {
        program,
        values,
        allowance: Allowance::default(),
        policy,
        setting_fix: SettingFix { program, sections },
        reports: Vec::new(),
    };
    for (id, stack) in (0..).map(StackId).zip(&program.stacks) {
        judge.stack(id, stack);
    }
    visit::sends(&program.body, &mut |send| judge.send(send));
    judge.nothing_permitted();
    judge.reports
}

/// What is asked about one program.
pub(super) struct DestinationCheck<'p> {
    pub program: &'p Program,
    values: &'p [Value],
    allowance: Allowance,
    pub policy: &'p Policy,
    pub setting_fix: SettingFix<'p>,
    pub reports: Vec<Occurrence>,
}

/// Layers that belong to one family, and their like in the other.
const FAMILIES: &[(&str, &str)] = &[("IP", "IP6"), ("ICMP", "ICMP6")];

/// A transport with ports.
#[derive(Clone, Copy, PartialEq)]
enum PortTransport {
    Tcp,
    Udp,
}

impl PortTransport {
    fn of(layer: &str) -> Option<PortTransport> {
        match layer {
            "TCP" => Some(PortTransport::Tcp),
            "UDP" => Some(PortTransport::Udp),
            _ => None,
        }
    }

    fn key(self) -> &'static str {
        if self == PortTransport::Tcp {
            "tcp"
        } else {
            "udp"
        }
    }
}

impl<'p> DestinationCheck<'p> {
    fn stack(&mut self, id: StackId, stack: &'p StackInfo) {
        for layer in &stack.layers {
            match layer {
                StackLayer::Literal(literal) => self.addresses(literal),
                StackLayer::Driven(driven) => self.driven(driven),
            }
        }
        self.powers_of_block(id, stack.span);
    }

    fn driven(&mut self, driven: &Driven) {
        let option = |name: &str| {
            driven
                .options
                .iter()
                .find(|(o, _)| o.name == name)
                .map(|(_, value)| value)
        };
        let transport = match driven.kind {
            DrivenKind::Ip => {
                self.source(option("src"));
                return self.destination(option("dst"));
            }
            DrivenKind::Udp => PortTransport::Udp,
            DrivenKind::Tcp => PortTransport::Tcp,
            _ => return,
        };
        self.port(transport, option("dst"));
        if self.own(transport).is_empty() {
            let message = format!(
                "`{}!` takes its ports from `PORTS`, which has none for {}",
                driven.kind.name(),
                transport.key()
            );
            self.no_ports(transport.key(), driven.span, message, option("src"));
            return;
        }
        self.own_port(transport, option("src"));
    }

    fn send(&mut self, send: &'p Send) {
        if let Onto::Replace(id, _) | Onto::Above(id, _) = send.onto
            && self.is_of_other_family(id, &send.layers[0])
        {
            return;
        }
        let quoting = send
            .layers
            .iter()
            .position(|l| l.layer.quotes.is_some())
            .unwrap_or(send.layers.len());
        let outside = &send.layers[..quoting.min(send.layers.len())];
        outside.iter().for_each(|l| self.addresses(l));
        if let Some(transport) = outside
            .iter()
            .find(|l| PortTransport::of(l.layer.name).is_some())
        {
            self.transport(transport, send.onto);
        }
        if let Some(echo) = send
            .layers
            .iter()
            .find(|l| l.layer.role == crafty_wire::LayerRole::Control)
        {
            self.echo(echo);
        }
        self.powers_of_send(send);
    }

    /// `IP(…)` or `ICMP(…)` in a block that turns out to be IPv6.
    fn is_of_other_family(&mut self, id: StackId, first: &Literal) -> bool {
        let Some(Value::Ip(address)) = self.peer(id) else {
            return false;
        };
        let name = first.layer.name;
        let right = FAMILIES
            .iter()
            .find_map(|(v4, v6)| match address.is_ipv4() {
                true => (name == *v6).then_some(*v4),
                false => (name == *v4).then_some(*v6),
            });
        let Some(right) = right else { return false };
        let message = format!(
            "the block's `IP!` goes to `{address}`, and `{name}` belongs to the other family"
        );
        let written = Span {
            end: first.span.start + name.len() as u32,
            ..first.span
        };
        let report = Occurrence::new(&d::wrong_family::DIAGNOSTIC, first.span, message);
        self.reports
            .push(report.fix(format!("write `{right}`"), written, right));
        true
    }

    /// The destination of a block's innermost `IP!`, if it is known.
    fn peer(&self, id: StackId) -> Option<Value> {
        let stack = &self.program.stacks[id.0 as usize];
        let ip = stack.layers.iter().rev().find_map(|layer| match layer {
            StackLayer::Driven(driven) if driven.kind == DrivenKind::Ip => Some(driven),
            _ => None,
        });
        match ip {
            Some(ip) => ip
                .options
                .iter()
                .find(|(o, _)| o.name == "dst")
                .and_then(|(_, v)| self.known(v))
                .map(|(_, value)| value),
            None => self.peer(stack.parent?),
        }
    }

    /// Addresses of a literal network layer.
    fn addresses(&mut self, literal: &Literal) {
        if !literal.layer.pseudo.is_empty() {
            self.source(field(literal, "src"));
            self.destination(field(literal, "dst"));
        }
    }

    fn destination(&mut self, value: Option<&FieldSetting>) {
        let Some((e, Value::Ip(address))) = value.and_then(|v| self.known(v)) else {
            return;
        };
        if self.policy.destinations.contains(address) {
            return;
        }
        let mut listed = self.policy.destinations.clone();
        listed.allow(Net::host(address));
        if !listed.contains(address) {
            let message = format!("`{address}` is excluded from the destinations of `PERMISSIONS`");
            let report =
                Occurrence::new(&d::destination_not_permitted::DIAGNOSTIC, e.span, message);
            return self.reports.push(report.help(
                "an exclusion (`!`) wins wherever it is in the list: make it narrower, or send to another address",
            ));
        }
        let message = format!("`{address}` is not among the destinations of `PERMISSIONS`");
        let report = Occurrence::new(&d::destination_not_permitted::DIAGNOSTIC, e.span, message);
        let item = self
            .setting_fix
            .written(e, SettingsGroup::Permissions)
            .unwrap_or_else(|| address.to_string());
        self.reports.push(self.setting_fix.add(
            report,
            SettingsGroup::Permissions,
            "destinations",
            None,
            &item,
        ));
    }

    fn transport(&mut self, literal: &Literal, onto: Onto) {
        let Some(transport) = PortTransport::of(literal.layer.name) else {
            return;
        };
        self.port(transport, field(literal, "dst"));
        let replaces =
            matches!(onto, Onto::Replace(id, n) if self.driven_at(id, n) != Some(DrivenKind::Ip));
        let prefilled = replaces
            || matches!(onto, Onto::Replace(id, _) if self.program.stacks[id.0 as usize].layers.iter().any(runs_transport));
        match field(literal, "src") {
            Some(src) if !self.opens(literal) && !self.policy.powers.has(Power::Inject) => {
                self.own_port(transport, Some(src))
            }
            Some(_) => {}
            None if !prefilled && self.own(transport).is_empty() => {
                let message = format!(
                    "`{}` takes its source port from `PORTS`, which has none for {}",
                    literal.layer.name,
                    transport.key()
                );
                self.no_ports(transport.key(), literal.span, message, None);
            }
            None => {}
        }
    }

    /// What drives layer `at` of a block.
    pub fn driven_at(&self, id: StackId, at: usize) -> Option<DrivenKind> {
        let stack = &self.program.stacks[id.0 as usize];
        let inherited = stack.parent.map_or(0, |parent| self.depth(parent));
        if at < inherited {
            return self.driven_at(stack.parent?, at);
        }
        match stack.layers.get(at - inherited)? {
            StackLayer::Driven(driven) => Some(driven.kind),
            StackLayer::Literal(_) => None,
        }
    }

    fn depth(&self, id: StackId) -> usize {
        let stack = &self.program.stacks[id.0 as usize];
        stack.layers.len() + stack.parent.map_or(0, |parent| self.depth(parent))
    }

    /// A SYN opens a flow of its own: any source port will do.
    fn opens(&self, literal: &Literal) -> bool {
        let Some(flags) = field(literal, "flags") else {
            return false;
        };
        let bits = match self.known(flags) {
            Some((_, Value::Flags(bits, _))) => bits,
            Some((_, Value::Int(n))) => n as u64,
            _ => return true,
        };
        let bit = |name: &str| {
            literal
                .layer
                .field("flags")
                .and_then(|(_, f)| f.named(name))
                .unwrap_or(0)
        };
        literal.layer.name == "TCP" && bits & bit("syn") != 0 && bits & bit("ack") == 0
    }

    /// An echo request without `id` takes the first of `PORTS.icmp`.
    fn echo(&mut self, literal: &Literal) {
        let request = literal
            .layer
            .field("type")
            .and_then(|(_, f)| f.named("echo_request"));
        let asked = field(literal, "type").and_then(|v| self.known(v));
        let is_request = matches!((asked, request), (Some((_, Value::Int(n))), Some(r)) if u64::try_from(n) == Ok(r));
        if is_request && field(literal, "id").is_none() && self.policy.ports.icmp.is_empty() {
            let message =
                "an echo request takes its `id` from `PORTS`, which has none for icmp".to_string();
            self.no_ports("icmp", literal.span, message, None);
        }
    }

    fn own(&self, transport: PortTransport) -> &PortSet {
        if transport == PortTransport::Tcp {
            &self.policy.ports.tcp
        } else {
            &self.policy.ports.udp
        }
    }

    /// A local port that `PORTS` lacks.
    fn own_port(&mut self, transport: PortTransport, value: Option<&FieldSetting>) {
        let Some((e, Value::Int(port))) = value.and_then(|v| self.known(v)) else {
            return;
        };
        let Ok(number) = u16::try_from(port) else {
            return;
        };
        if self.own(transport).contains(number) {
            return;
        }
        let message = format!("the {} port {port} is not in `PORTS`", transport.key());
        let report = Occurrence::new(&d::port_not_owned::DIAGNOSTIC, e.span, message);
        self.reports.push(self.setting_fix.add(
            report,
            SettingsGroup::Ports,
            transport.key(),
            None,
            &port.to_string(),
        ));
    }

    fn no_ports(
        &mut self,
        key: &'static str,
        span: Span,
        message: String,
        src: Option<&FieldSetting>,
    ) {
        let known = src.and_then(|v| self.known(v)).and_then(|(_, v)| {
            if let Value::Int(n) = v {
                Some(n.to_string())
            } else {
                None
            }
        });
        let wanted = known.unwrap_or_else(|| {
            if key == "icmp" {
                "77".into()
            } else {
                "[40000, 40100]".into()
            }
        });
        let report = Occurrence::new(&d::no_ports::DIAGNOSTIC, span, message);
        self.reports.push(
            self.setting_fix
                .add(report, SettingsGroup::Ports, key, None, &wanted),
        );
    }

    /// A port of the destinations.
    fn port(&mut self, transport: PortTransport, value: Option<&FieldSetting>) {
        let Some((e, Value::Int(port))) = value.and_then(|v| self.known(v)) else {
            return;
        };
        let (Some(allowed), Ok(number)) = (&self.policy.destination_ports, u16::try_from(port))
        else {
            return;
        };
        let set = if transport == PortTransport::Tcp {
            &allowed.tcp
        } else {
            &allowed.udp
        };
        if set.contains(number) {
            return;
        }
        let message = format!(
            "the {} port {port} is not in `destination_ports`",
            transport.key()
        );
        let report = Occurrence::new(&d::port_not_permitted::DIAGNOSTIC, e.span, message);
        self.reports.push(self.setting_fix.add(
            report,
            SettingsGroup::Permissions,
            "destination_ports",
            Some(transport.key()),
            &port.to_string(),
        ));
    }

    /// Without `destinations` nothing may be sent.
    fn nothing_permitted(&mut self) {
        let first = self.program.stacks.first().map(|s| s.span);
        if !self.policy.destinations.is_empty() || !self.reports.is_empty() {
            return;
        }
        if let Some(span) = first {
            let message = "nothing may be sent: `PERMISSIONS` has no destinations";
            let report = Occurrence::new(&d::destination_not_permitted::DIAGNOSTIC, span, message);
            self.reports
                .push(report.help("write `PERMISSIONS = { destinations: [192.0.2.0/24] }`"));
        }
    }

    /// An expression with its value, if that is known.
    pub fn known<'e>(&self, value: &'e FieldSetting) -> Option<(&'e Expr, Value)> {
        let FieldSetting::Value(e) = value else {
            return None;
        };
        self.value(e).map(|value| (e, value))
    }

    /// The value of an expression, if it is known.
    pub fn value(&self, e: &Expr) -> Option<Value> {
        let open = any(e, &mut |e| match &e.kind {
            ExprKind::Var(var) => self.values[var.0 as usize] == Value::Nothing,
            ExprKind::Field { .. }
            | ExprKind::Counter { .. }
            | ExprKind::HasLayer { .. }
            | ExprKind::ErrorPart { .. } => true,
            ExprKind::Call { builtin, .. } => {
                matches!(builtin.eval, crate::builtins::Eval::Machine(_))
            }
            _ => false,
        });
        if open {
            return None;
        }
        evaluate(e, &mut Fixed(self.values, &self.allowance)).ok()
    }
}

/// What a literal sets a field to.
pub(super) fn field<'l>(literal: &'l Literal, name: &str) -> Option<&'l FieldSetting> {
    let (number, _) = literal.layer.field(name)?;
    literal
        .fields
        .iter()
        .find(|(n, _)| *n == number)
        .map(|(_, value)| value)
}

fn runs_transport(layer: &StackLayer) -> bool {
    matches!(layer, StackLayer::Driven(driven) if driven.kind != DrivenKind::Ip)
}
