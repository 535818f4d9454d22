//! Driven blocks and sends: what is sent, and what sending it reveals.

use super::super::peers::{echoes, serves};
use super::*;

/// What a session says after its first words, and whether it asks again, follows what it heard.
fn reacting(place: &LabelContext, span: Span) -> LabelContext {
    let mut pc = place.pc.clone();
    pc.raise(&Tag::source(
        Label::Event,
        span,
        "whether it asks again depends on what the peer answered",
    ));
    LabelContext {
        pc,
        ..place.clone()
    }
}

impl<'p> Pass<'p> {
    pub(super) fn open(
        &mut self,
        stack: StackId,
        body: &'p Block,
        otherwise: Option<&'p (Option<VarId>, Block)>,
        place: &LabelContext,
    ) -> Option<Tag> {
        let info = &self.program.stacks[stack.0 as usize];
        let content = self.opening(info, place);
        self.heads[stack.0 as usize] = self.heads[stack.0 as usize].max(self.chosen);
        self.chosen = self.head(stack);
        let waits = info
            .layers
            .iter()
            .any(|layer| is_tcp(layer) || is_session(layer));
        let known = content.1;
        let mut inner = place.clone();
        inner.stacks.push(stack);
        inner.pc.raise(&self.may_be_skipped(info.span));
        // Its frames carry what the head says, so that is judged here even where opening sends
        // nothing.
        if waits || !known || content.0.label > Label::Clean {
            self.judge(info.site, &content.0, info.span, place);
        }
        if info.layers.iter().any(is_session) && self.on(FlowRule::SessionsReact) {
            self.judge(
                info.site,
                &content.0,
                info.span,
                &reacting(place, info.span),
            );
        }
        if waits || !known {
            let opened = Tag::source(
                Label::Event,
                info.span,
                "the stack opens when the peer answers",
            )
            .join(&content.0);
            self.clock_rises(&opened, place);
            inner.pc.raise(&opened);
        }
        inner.pc.raise(&self.closes[stack.0 as usize].clone());
        let failing = self.failing.take();
        let ended = self.block(body, &inner);
        self.closing(info, &ended, place);
        let failed_open = self.recover(info.span, otherwise, &inner);
        self.failing = failing;
        let escaped = self.escaping(ended, place);
        join_options(escaped, failed_open)
    }

    /// `else e` of a stack: it runs because of what the network did.
    pub(super) fn recover(
        &mut self,
        span: Span,
        otherwise: Option<&'p (Option<VarId>, Block)>,
        place: &LabelContext,
    ) -> Option<Tag> {
        let (error, block) = otherwise?;
        let mut inner = place.clone();
        inner.pc.raise(&Tag::source(
            Label::Event,
            span,
            "the stack could not open or broke",
        ));
        if let Some(var) = error {
            self.assign(
                *var,
                LabelPair::default(),
                span,
                &inner,
                FlowRule::AssignTakesPc,
            );
        }
        let ended = self.block(block, &inner);
        self.escaping(ended, place)
    }

    /// What the opening shows, and whether all of it is known before the start.
    pub(super) fn opening(&mut self, info: &'p StackInfo, place: &LabelContext) -> (Tag, bool) {
        let (mut content, mut known) = (Tag::clean(), true);
        self.chosen = ChosenBytes::Nothing;
        for layer in &info.layers {
            match layer {
                StackLayer::Literal(literal) => {
                    content = content.join(&self.literal(literal, place))
                }
                StackLayer::Driven(driven) => {
                    for (option, value) in &driven.options {
                        let pair = self.setting(value, place);
                        let tag = pair.all();
                        if option.on_wire && self.on(FlowRule::HeadsAreChosen) {
                            self.chosen = self.chosen.and(chosen(&pair, width_of(&option.ty())));
                        }
                        known &=
                            self.known_before_start(value) || !matches!(option.name, "dst" | "src");
                        content = content.join(&tag);
                    }
                }
            }
        }
        (content, known)
    }

    /// How much of each of its frames events choose by the head of a stack, and of those that it
    /// continues.
    fn head(&self, stack: StackId) -> ChosenBytes {
        let parent = self.program.stacks[stack.0 as usize].parent;
        let below = parent.map_or(ChosenBytes::Nothing, |of| self.head(of));
        self.heads[stack.0 as usize].and(below)
    }

    pub(super) fn known_before_start(&self, value: &FieldSetting) -> bool {
        match value {
            FieldSetting::Value(expr) => self.expr_known(expr),
            _ => false,
        }
    }

    pub(super) fn expr_known(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Constant(_) => true,
            ExprKind::Var(var) => range::is_known_before_start(self.program, *var),
            ExprKind::Binary(_, a, b) | ExprKind::At(a, b) => {
                self.expr_known(a) && self.expr_known(b)
            }
            ExprKind::Call { args, .. } => args.iter().all(|a| self.expr_known(a)),
            _ => false,
        }
    }

    /// FIN or RST shows whether an error happened.
    pub(super) fn closing(&mut self, info: &'p StackInfo, ended: &Ended, place: &LabelContext) {
        if !info.layers.iter().any(is_tcp) {
            return;
        }
        if self.on(FlowRule::CloseIsSend) {
            let end = LabelContext {
                pc: ended.pc.clone(),
                ..place.clone()
            };
            self.judge(info.site, &Tag::clean(), info.span, &end);
        }
        self.clock_rises(
            &Tag::source(Label::Event, info.span, "closing waits for the peer"),
            place,
        );
    }

    pub(super) fn close(&mut self, stack: StackId, span: Span, place: &LabelContext) {
        let info = &self.program.stacks[stack.0 as usize];
        self.judge(info.site, &Tag::clean(), span, place);
        let pc = place
            .pc
            .step(span, "the stack is closed under this condition");
        self.changed |= self.closes[stack.0 as usize].raise(&pc);
        self.clock_rises(&pc, place);
    }

    pub(super) fn goes_into_stream(&self, send: &Send) -> bool {
        match send.onto {
            Onto::Above(stack, at) => self.driven_at(stack, at).is_some_and(DrivenKind::is_stream),
            _ => false,
        }
    }

    /// The driven layer at a place of a stack, its parents' layers counted first.
    pub(super) fn driven_at(&self, stack: StackId, at: usize) -> Option<DrivenKind> {
        match self.layers(stack).get(at) {
            Some(StackLayer::Driven(driven)) => Some(driven.kind),
            _ => None,
        }
    }

    pub(super) fn layers(&self, stack: StackId) -> Vec<&'p StackLayer> {
        let info = &self.program.stacks[stack.0 as usize];
        let mut layers = info
            .parent
            .map_or_else(Vec::new, |parent| self.layers(parent));
        layers.extend(&info.layers);
        layers
    }

    pub(super) fn send(&mut self, send: &'p Send, into: Option<VarId>, place: &LabelContext) {
        let mut content = Tag::clean();
        self.chosen = match send.onto {
            Onto::Bottom => ChosenBytes::Nothing,
            Onto::Replace(stack, _) | Onto::Above(stack, _) => self.head(stack),
        };
        for literal in &send.layers {
            content = content.join(&self.literal(literal, place));
        }
        if self.diverts(send) {
            let echoed =
                "this would reveal to another address what the peer of this connection sent";
            content = content.join(&Tag::source(Label::Content, send.span, echoed));
        }
        content = content.join(&self.echoed(send));
        let resolved = self.resolved(send);
        self.clock_rises(&resolved, place);
        self.may_fail(&content);
        self.judge(send.site, &content.join(&resolved), send.span, place);
        if let Some(var) = into {
            let stream = self.goes_into_stream(send);
            self.streams.insert(var, stream);
            self.assign(
                var,
                LabelPair {
                    structure: resolved,
                    content,
                },
                send.span,
                place,
                FlowRule::AssignTakesPc,
            );
        }
    }

    /// What `auto` gives back of a peer's words: to that peer it is an event that only `none`
    /// minds, to anybody else it is content.
    fn echoed(&self, send: &Send) -> Tag {
        if !send.layers.iter().any(echoes) {
            return Tag::clean();
        }
        let filled = |label| {
            let text = "`auto` fills this in from what the peer sent";
            Tag::source(label, send.span, text)
        };
        if self.strays(send) && self.on(FlowRule::AutoStaysHome) {
            return filled(Label::Content);
        }
        match self.mode == ExfiltrationMode::None && self.on(FlowRule::AutoTells) {
            true => filled(Label::Event),
            false => Tag::clean(),
        }
    }

    /// Whether a segment goes anywhere but straight to the address in its own IP header: through a
    /// tunnel, by a route of the program's, to a link address of the program's.
    fn strays(&self, send: &Send) -> bool {
        let below = match send.onto {
            Onto::Bottom => Vec::new(),
            Onto::Replace(stack, at) => self.layers(stack)[..at].to_vec(),
            Onto::Above(stack, at) => self.layers(stack)[..=at].to_vec(),
        };
        let mut networks = 0;
        for layer in below {
            match layer {
                StackLayer::Literal(literal) if is_detour(literal) => return true,
                StackLayer::Literal(literal) => networks += u32::from(is_network(literal)),
                StackLayer::Driven(driven) => networks += u32::from(driven.kind == DrivenKind::Ip),
            }
        }
        let around = send.layers.iter().take_while(|literal| !echoes(literal));
        for literal in around {
            if is_detour(literal) {
                return true;
            }
            networks += u32::from(is_network(literal));
        }
        networks != 1
    }

    /// A neighbour that is not known before the start is asked for in the middle of the run:
    /// whether and when it answers decides over this frame.
    fn resolved(&self, send: &Send) -> Tag {
        let own_link = send
            .layers
            .first()
            .is_some_and(|l| l.layer.name == "Eth" && is_given(l, "dst"));
        let addressed = send.layers.iter().find(|literal| is_network(literal));
        let below = match send.onto {
            Onto::Bottom => false,
            Onto::Replace(stack, at) => {
                self.layers(stack)[..at].iter().any(|l| is_network_layer(l))
            }
            Onto::Above(stack, at) => self.layers(stack)[..=at]
                .iter()
                .any(|l| is_network_layer(l)),
        };
        let to = addressed.and_then(|literal| {
            let field = |(f, _): &&(usize, FieldSetting)| literal.layer.fields[*f].name == "dst";
            literal.fields.iter().find(field).map(|(_, value)| value)
        });
        match to {
            Some(FieldSetting::Value(to))
                if !own_link
                    && !below
                    && !self.expr_known(to)
                    && self.on(FlowRule::NeighbourTells) =>
            {
                Tag::source(
                    Label::Event,
                    to.span,
                    "this neighbour is resolved during the run, and may answer or not",
                )
            }
            _ => Tag::clean(),
        }
    }

    /// Whether a segment of a connection, whose unset fields come from its live state, is given
    /// another address.
    fn diverts(&self, send: &Send) -> bool {
        let (Onto::Replace(stack, _) | Onto::Above(stack, _)) = send.onto else {
            return false;
        };
        let readdressed = |l: &Literal| {
            l.layer.role == crafty_wire::LayerRole::Network
                && l.fields
                    .iter()
                    .any(|(f, _)| l.layer.fields[*f].name == "dst")
        };
        let segment = self.layers(stack).iter().any(|layer| is_tcp(layer))
            && send.layers.iter().any(|l| l.layer.name == "TCP");
        let answer = self.is_opened_by_a_peer(stack) && self.on(FlowRule::ServersAnswer);
        (segment || answer) && send.layers.iter().any(|l| readdressed(l) || is_route(l))
    }

    /// Whether a peer opens this stack: who it is and its ports fill what the program leaves unset.
    fn is_opened_by_a_peer(&self, stack: StackId) -> bool {
        let info = &self.program.stacks[stack.0 as usize];
        serves(info) || info.parent.is_some_and(|of| self.is_opened_by_a_peer(of))
    }

    /// What a literal layer shows of values: all of its fields, lengths included.
    pub(super) fn literal(&mut self, literal: &'p Literal, place: &LabelContext) -> Tag {
        let mut content = Tag::clean();
        for (field, value) in &literal.fields {
            let pair = self.setting(value, place);
            let width = literal.layer.fields[*field].width();
            self.chosen = self.chosen.and(chosen(&pair, width));
            content = content.join(&pair.all());
        }
        content
    }

    fn setting(&mut self, value: &'p FieldSetting, place: &LabelContext) -> LabelPair {
        match value {
            FieldSetting::Value(expr) => self.value(expr, place),
            _ => LabelPair::scalar(self.field_value(value, place)),
        }
    }

    pub(super) fn field_value(&mut self, value: &'p FieldSetting, place: &LabelContext) -> Tag {
        match value {
            FieldSetting::Value(expr) => self.all(expr, place),
            FieldSetting::Auto(None, _) => Tag::clean(),
            FieldSetting::Auto(Some(offset), _) => self.all(offset, place),
            FieldSetting::Options(options, _) => {
                let mut tag = Tag::clean();
                for expr in options.iter().flat_map(|option| option.exprs()) {
                    tag = tag.join(&self.all(expr, place));
                }
                tag
            }
        }
    }

    /// Whether a send may leave: its content and its guard against the mode.
    pub(super) fn judge(&mut self, site: SiteId, content: &Tag, span: Span, place: &LabelContext) {
        let pc = if self.on(FlowRule::SendTakesPc) {
            place.pc.join(&self.may_be_skipped(span))
        } else {
            Tag::clean()
        };
        let guard = if place.handler.is_some() {
            pc
        } else {
            pc.join(&self.clock)
        };
        self.pay(&content.prices);
        self.pay(&guard.prices);
        let held = site_mut(&mut self.sites, site);
        held.chosen = held.chosen.max(std::mem::take(&mut self.chosen));
        held.content = held.content.max(content.label);
        held.guard = held.guard.max(guard.label);
        held.in_handler |= place.handler.is_some();
        held.span = span;
        let most = allowed(self.mode);
        if content.label > most {
            self.report_content(content, span);
        } else if guard.label > most {
            self.report_guard(&guard, span);
        }
    }
}

/// Bits of a field that an event chooses: as many as it is wide; of a payload all, or only how long
/// it is.
fn chosen(pair: &LabelPair, width: u16) -> ChosenBytes {
    /// Lengths of a datagram.
    const LENGTH: u64 = 16;
    let (content, structure) = (
        pair.content.label > Label::Clean,
        pair.structure.label > Label::Clean,
    );
    match (content, structure) {
        (true, _) if width == 0 => ChosenBytes::Bytes,
        (true, _) => ChosenBytes::Bits(u64::from(width)),
        (false, true) => ChosenBytes::Bits(LENGTH),
        (false, false) => ChosenBytes::Nothing,
    }
}

/// Bits of an option's value on the wire; 0 where they vary.
fn width_of(ty: &Type) -> u16 {
    match ty {
        Type::Bool => 1,
        Type::Int => 32,
        Type::Ip => 128,
        Type::Duration => 64,
        _ => 0,
    }
}

fn is_network(literal: &Literal) -> bool {
    matches!(literal.layer.name, "IP" | "IP6")
}

fn is_network_layer(layer: &StackLayer) -> bool {
    match layer {
        StackLayer::Literal(literal) => is_network(literal),
        StackLayer::Driven(driven) => driven.kind == DrivenKind::Ip,
    }
}

fn is_given(literal: &Literal, field: &str) -> bool {
    literal
        .fields
        .iter()
        .any(|(f, _)| literal.layer.fields[*f].name == field)
}

/// Takes a packet to a station or along a route that the program chose.
fn is_detour(literal: &Literal) -> bool {
    match literal.layer.name {
        "Eth" => is_given(literal, "dst"),
        "IP" | "IP6" => is_given(literal, "options"),
        _ => is_route(literal),
    }
}

/// Takes a packet to somebody whom the address in its IP header does not name.
fn is_route(literal: &Literal) -> bool {
    literal.layer.name == "Routing"
}
