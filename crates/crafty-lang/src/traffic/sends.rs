//! Every place of a program that sends.

use super::layers::{self, SentLayer, SentStack};
use super::parties::{Party, PortsUsed, destination, link_destination, ports, source};
use super::powers;
use super::size::{self, FrameSize};
use super::values::KnownSets;
use super::words;
use crate::check::Bindings;
use crate::ir::{
    Block, DrivenKind, Expr, Onto, Out, OutAction, Program, Send, SettingValue, SiteId, Span,
    StackId, Statement, StatementKind,
};
use crate::labels::price::each_statement;
use crate::worst::{Executions, executions};
use crafty_policy::PowerSet;
use crafty_value::{Mac, Value};
use crafty_wire::LayerRole;

/// How something comes to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendAct {
    /// A packet as written.
    Packet,
    /// Bytes into a stream: in how many packets is the stream's doing.
    Stream,
    /// A driven block: what its protocol needs to open, to go on and to close.
    Block,
    /// A driven block of datagrams: it sends nothing automatically.
    Idle,
    /// A block is closed or reset by a statement.
    Close,
    /// What the block's stack sends is kept back or changed.
    Altered,
    /// What was kept back leaves.
    Released,
}

/// A place that sends.
#[derive(Clone, Debug)]
pub struct SentTraffic {
    /// Its number.
    pub site: SiteId,
    /// Where.
    pub span: Span,
    /// How.
    pub act: SendAct,
    /// In words.
    pub what: String,
    /// What it does to whoever receives it, in words.
    pub effects: Vec<&'static str>,
    /// Names of its layers, outermost first.
    pub layers: Vec<&'static str>,
    /// Powers that it may need.
    pub powers: PowerSet,
    /// Whom it says that it comes from.
    pub from: Party,
    /// Whom it goes to.
    pub to: Party,
    /// Addresses of the link that it names.
    pub link: Option<Vec<Mac>>,
    /// From these ports.
    pub from_ports: PortsUsed,
    /// To these ports.
    pub to_ports: PortsUsed,
    /// How large, each time; none where a protocol decides.
    pub size: Option<FrameSize>,
    /// How often, at most; none where nothing bounds it but the budget.
    pub times: Option<u64>,
    /// The handler that it is in.
    pub handler: Option<Span>,
    /// The block that it is on.
    pub stack: Option<StackId>,
}

/// All of a program, in order of the text.
pub(super) fn of(program: &Program, bound: &Bindings, known: &KnownSets) -> Vec<SentTraffic> {
    let mut walk = SendWalk {
        program,
        known,
        executions: executions(program, bound),
        handlers: Vec::new(),
        found: Vec::new(),
    };
    walk.block(&program.body);
    walk.found
}

struct SendWalk<'p> {
    program: &'p Program,
    known: &'p KnownSets<'p>,
    executions: Executions,
    handlers: Vec<Span>,
    found: Vec<SentTraffic>,
}

impl<'p> SendWalk<'p> {
    fn block(&mut self, block: &'p Block) {
        for statement in &block.statements {
            self.statement(statement);
            let handles = matches!(
                statement.kind,
                StatementKind::On { .. } | StatementKind::Out(_)
            );
            if handles {
                self.handlers.push(statement.span);
            }
            for inner in statement.blocks() {
                self.block(inner);
            }
            if handles {
                self.handlers.pop();
            }
        }
    }

    fn statement(&mut self, statement: &'p Statement) {
        match &statement.kind {
            StatementKind::Send { send, .. } => self.packet(send, statement.span),
            StatementKind::Open { stack, .. } => self.opened(*stack, statement.span),
            StatementKind::Close(stack) => self.closed(*stack, statement.span, "closes"),
            StatementKind::Abort(stack) => self.closed(*stack, statement.span, "resets"),
            StatementKind::Out(out) => self.altered(out, statement.span),
            StatementKind::Release(site) => self.released(*site, statement.span),
            _ => {}
        }
    }

    /// What all lines have.
    fn line(&self, site: SiteId, span: Span, act: SendAct, stack: &SentStack) -> SentTraffic {
        SentTraffic {
            site,
            span,
            act,
            what: words::what(self.known, &stack.layers),
            effects: words::effects(self.known, &stack.layers),
            layers: stack.layers.iter().map(|layer| layer.name()).collect(),
            powers: powers::may_need(self.known, stack),
            from: source(self.known, stack),
            to: destination(self.known, stack),
            link: link_destination(self.known, stack),
            from_ports: ports(self.known, stack, "src"),
            to_ports: ports(self.known, stack, "dst"),
            size: None,
            times: self.executions.of(span),
            handler: self.handlers.last().copied(),
            stack: None,
        }
    }

    fn packet(&mut self, send: &'p Send, span: Span) {
        let stack = SentStack::of_send(self.program, send);
        let on_stream = matches!(send.onto, Onto::Above(..)) && layers::is_stream(&stack.layers);
        let act = match on_stream {
            true => SendAct::Stream,
            false => SendAct::Packet,
        };
        let line = self.line(send.site, span, act, &stack);
        let size = (!on_stream).then(|| frames_of(self.known, send, &stack));
        let what = match on_stream {
            true => "data in a stream".to_string(),
            false => line.what.clone(),
        };
        self.found.push(SentTraffic {
            what,
            size,
            stack: layers::stack_of(send),
            ..line
        });
    }

    /// What a driven block sends automatically. One of datagrams alone sends nothing automatically.
    fn opened(&mut self, id: StackId, span: Span) {
        let info = &self.program.stacks[id.0 as usize];
        let stack = SentStack::of_block(self.program, id);
        let (act, what) = of_block(&stack);
        let line = self.line(info.site, span, act, &stack);
        self.found.push(SentTraffic {
            what: what.into(),
            effects: Vec::new(),
            span: info.span,
            stack: Some(id),
            ..line
        });
    }

    fn closed(&mut self, id: StackId, span: Span, how: &str) {
        let info = &self.program.stacks[id.0 as usize];
        let stack = SentStack::of_block(self.program, id);
        let line = self.line(info.site, span, SendAct::Close, &stack);
        self.found.push(SentTraffic {
            what: format!("{how} its own connection"),
            stack: Some(id),
            ..line
        });
    }

    fn altered(&mut self, out: &'p Out, span: Span) {
        let stack = SentStack::of_block(self.program, out.stack);
        let line = self.line(out.site, span, SendAct::Altered, &stack);
        self.found.push(SentTraffic {
            what: format!("{} its own stack's packets", of_action(&out.action)),
            times: None,
            stack: Some(out.stack),
            ..line
        });
    }

    fn released(&mut self, site: SiteId, span: Span) {
        let everywhere = SentStack::default();
        let line = self.line(site, span, SendAct::Released, &everywhere);
        self.found.push(SentTraffic {
            what: "packets of its own stack that it held".into(),
            to: Party::Asker,
            ..line
        });
    }
}

/// What a block's own stack sends.
fn of_block(stack: &SentStack) -> (SendAct, &'static str) {
    let driven = || {
        let layers = stack.layers.iter().rev();
        layers.filter_map(|layer| match layer {
            SentLayer::Driven(driven, _) => Some(driven.kind),
            _ => None,
        })
    };
    let act = driven().find_map(|kind| kind.layer().act);
    let connected = driven().any(|kind| kind == DrivenKind::Tcp);
    let serves = stack.value(LayerRole::Network, "dst").is_none();
    let idle = (SendAct::Idle, "nothing automatically");
    let Some(act) = act else { return idle };
    let what = match act.served.filter(|_| serves) {
        Some(served) => Some(served),
        None if connected => Some(act.over_connection),
        None => act.in_datagrams,
    };
    what.map_or(idle, |what| (SendAct::Block, what))
}

fn of_action(action: &OutAction) -> &'static str {
    match action {
        OutAction::Drop => "drops",
        OutAction::Hold => "holds",
        OutAction::Duplicate => "sends twice",
        OutAction::Delay(_) => "delays",
        OutAction::Split(_) => "splits",
    }
}

/// The frames of a literal send.
pub fn frames_of(known: &KnownSets, send: &Send, stack: &SentStack) -> FrameSize {
    let may_cut = matches!(send.onto, Onto::Above(..));
    size::of_stack(known, stack, may_cut)
}

/// All expressions that say whom or what port a program sends to.
pub(super) fn addresses(program: &Program) -> Vec<&Expr> {
    let mut found = Vec::new();
    for stack in 0..program.stacks.len() {
        let layers = layers::of_stack(program, StackId(stack as u32));
        found.extend(layers.into_iter().filter_map(target));
    }
    each_statement(&program.body, &mut |statement| {
        if let StatementKind::Send { send, .. } = &statement.kind {
            let literals = send.layers.iter().map(SentLayer::Literal);
            found.extend(literals.filter_map(target));
        }
    });
    found
}

fn target(layer: SentLayer<'_>) -> Option<&Expr> {
    let decides = [LayerRole::Network, LayerRole::Transport, LayerRole::Link];
    decides
        .contains(&layer.role())
        .then(|| layer.value("dst"))
        .flatten()
}

/// The expressions in the value of a setting.
pub(super) fn scalars<'p>(value: &'p SettingValue, found: &mut Vec<&'p Expr>) {
    match value {
        SettingValue::Group(entries) => {
            entries
                .iter()
                .for_each(|(_, value, _)| scalars(value, found));
        }
        SettingValue::List(items, _) => {
            items.iter().for_each(|(_, value)| scalars(value, found));
        }
        SettingValue::Scalar(expr) => found.push(expr),
        SettingValue::Word(..) => {}
    }
}

/// Different addresses that a program is known to send to, for which neighbours are asked.
pub fn known_destinations(program: &Program, known: &KnownSets) -> usize {
    let mut all: Vec<Value> = addresses(program)
        .into_iter()
        .filter_map(|expr| known.possible(expr))
        .flatten()
        .filter(|value| matches!(value, Value::Ip(_)))
        .collect();
    all.sort();
    all.dedup();
    all.len()
}
