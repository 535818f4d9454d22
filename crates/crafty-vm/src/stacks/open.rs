//! Opening and closing driven blocks.

use crate::api::LinkLayer;
use crate::building::frame::FrameBuilder;
use crate::execution::halt::{Halt, NextInstruction};
use crate::execution::steps::ProgramCounter;
use crate::execution::thread::{ExecutionScope, Wait};
use crate::machine::Machine;
use crate::receiving::admitted::FrameMetadata;
use crate::receiving::layers;
use crate::sending::routing::ResolvedRoute;
use crate::stacks::blocks::OpenBlocks;
use crate::stacks::error::BlockError;
use crate::stacks::open_block::CloseBy;
use crate::stacks::open_block::{
    BlockCounts, BlockLayer, IpSettings, OpenBlock, PortPair, TcpSettings,
};
use crate::stacks::options::BlockOptions;
use crate::stacks::ports::WantedEnds;
use crate::stacks::{session, tcp_settings};
use core::net::{IpAddr, SocketAddr};
use crafty_apps::Session;
use crafty_lang::ir::{
    Driven, DrivenKind, FieldSetting, OptionLiteral, Span, StackId, StackLayer, VarId,
};
use crafty_stack::udp::{MAX_PEERS, USUAL_PEERS, UdpPeers};
use crafty_stack::{NeighbourResolution, Neighbours};
use crafty_value::{Duration, Time, Value};
use crafty_wire::{FieldKind, Layer};
use std::sync::Arc;

/// How long an opening waits for a neighbour that was not known at the start; its own tries end
/// before.
const NEIGHBOUR_WAIT: Duration = Duration::seconds(5);

/// A layer of a head with its values.
enum OpeningLayer {
    Literal(&'static Layer, Vec<(usize, crafty_wire::FieldValue)>),
    Driven(DrivenKind, BlockOptions),
}

/// What the layers of a head come to.
struct BlockHead {
    pieces: Vec<BlockLayer>,
    tcp: Option<TcpSettings>,
    hop: Option<IpAddr>,
    peers: UdpPeers,
    sessions: Vec<(DrivenKind, BlockOptions)>,
}

impl Machine {
    /// Evaluates the head, enters the block, opens the stack; the block waits until it is up.
    pub(crate) fn open(
        &mut self,
        id: StackId,
        otherwise: Option<(Option<VarId>, ProgramCounter)>,
        end: ProgramCounter,
        span: Span,
    ) -> Result<NextInstruction, Halt> {
        let program = Arc::clone(&self.script.program);
        let info = &program.stacks[id.0 as usize];
        let layers = info
            .layers
            .iter()
            .map(|layer| self.head_layer(layer, span))
            .collect::<Result<Vec<_>, _>>()?;
        self.begin_wait(span)?;
        self.threads
            .running_mut()
            .scopes
            .push(ExecutionScope::Stack { id, otherwise, end });
        self.threads.running_mut().pc += 1;
        self.reception.inbox.sending(self.clocks.now);
        self.open_layers(id, info.parent, layers)?;
        Ok(NextInstruction::Stay)
    }

    fn head_layer(&mut self, layer: &StackLayer, span: Span) -> Result<OpeningLayer, Halt> {
        Ok(match layer {
            StackLayer::Literal(literal) => {
                OpeningLayer::Literal(literal.layer, self.fixed_fields(literal)?)
            }
            StackLayer::Driven(driven) => {
                OpeningLayer::Driven(driven.kind, self.options(driven, span)?)
            }
        })
    }

    fn options(&mut self, driven: &Driven, span: Span) -> Result<BlockOptions, Halt> {
        let mut options = BlockOptions::defaults(driven.kind);
        for (option, value) in &driven.options {
            let value = match value {
                FieldSetting::Value(expr) => self.eval(expr, span)?,
                FieldSetting::Options(list, span) => self.option_bytes(list, *span)?,
                FieldSetting::Auto(..) => continue,
            };
            options.set(option.name, value);
        }
        Ok(options)
    }

    /// Options of TCP as bytes.
    fn option_bytes(&mut self, list: &[OptionLiteral], span: Span) -> Result<Value, Halt> {
        let mut octets = Vec::new();
        let field = crafty_wire::layer("TCP")
            .and_then(|layer| layer.field("options"))
            .map(|(_, field)| field);
        if let Some((field, FieldKind::Options(tlv))) = field.map(|field| (field, field.kind)) {
            crafty_wire::encode_options(tlv, &self.option_list(field, list, span)?, &mut octets);
        }
        Ok(Value::bytes(octets))
    }

    fn open_layers(
        &mut self,
        id: StackId,
        parent: Option<StackId>,
        layers: Vec<OpeningLayer>,
    ) -> Result<(), Halt> {
        let parent = parent.and_then(|parent| self.stacks.get(parent));
        let mut head = BlockHead {
            pieces: parent.map(|open| open.pieces.clone()).unwrap_or_default(),
            tcp: None,
            hop: None,
            peers: UdpPeers::with_room(USUAL_PEERS),
            sessions: Vec::new(),
        };
        for layer in layers {
            self.add_layer(&mut head, layer)
                .map_err(|error| self.stack_error(error, id))?;
        }
        let session = self
            .session(&head)
            .map_err(|error| self.stack_error(error, id))?;
        self.start_stack(OpenBlock {
            id,
            generation: 0,
            pieces: head.pieces,
            tcp: head.tcp,
            path_mtu: self.uplink.mtu(),
            hop: head.hop,
            peers: head.peers,
            counts: BlockCounts::default(),
            session,
            broken: None,
        })
    }

    fn add_layer(&self, head: &mut BlockHead, layer: OpeningLayer) -> Result<(), BlockError> {
        let (kind, options) = match layer {
            OpeningLayer::Driven(kind, options) => (kind, options),
            OpeningLayer::Literal(layer, fields) => {
                head.pieces.push(BlockLayer::Literal(layer, fields));
                return Ok(());
            }
        };
        if let Some(n) = options.int("peers") {
            head.peers = room_for(n)?;
        }
        match kind {
            DrivenKind::Ip => {
                let (ip, route) = self.ip_settings(&head.pieces, &options)?;
                // Only links with link addresses have neighbours to wait for.
                let neighbour = route.filter(|_| self.uplink.link() == LinkLayer::Ethernet);
                head.hop = head.hop.or(neighbour.map(|route| route.next_hop));
                head.pieces.push(BlockLayer::Ip(ip));
            }
            DrivenKind::Udp => {
                let ports = self.ports(kind, &head.pieces, &options)?;
                head.pieces.push(BlockLayer::Udp(ports));
            }
            DrivenKind::Tcp => {
                let around = FrameBuilder::around_payload(&head.pieces);
                let room = self.uplink.mtu().saturating_sub(around);
                let room = u32::try_from(room).unwrap_or(u32::MAX);
                head.tcp = Some(tcp_settings::settings(&options, room)?);
                let ports = self.ports(kind, &head.pieces, &options)?;
                head.pieces.push(BlockLayer::Tcp(ports));
            }
            _ => head.sessions.push((kind, options)),
        }
        Ok(())
    }

    /// The layers above the transport, if there are any.
    fn session(&mut self, head: &BlockHead) -> Result<Option<Session>, BlockError> {
        let OpenBlocks {
            connections,
            sessions,
            ..
        } = &mut self.stacks;
        let draw = || connections.draw();
        let plan = session::plan(&head.sessions, &head.pieces, sessions, draw);
        if plan.is_empty() {
            return Ok(None);
        }
        Session::new(plan, self.threads.running().time)
            .map(Some)
            .map_err(BlockError::Session)
    }

    /// Up at once if nothing has to be waited for.
    fn start_stack(&mut self, open: OpenBlock) -> Result<(), Halt> {
        let (id, now) = (open.id, self.threads.running().time);
        let connects = open.tcp.clone().filter(|s| !s.listen);
        let ends = open.ends();
        if let (Some(settings), Some(ends)) = (&connects, ends) {
            let about = FrameMetadata::of_opening(now, self.uplink.interface_name());
            self.stacks
                .connections
                .forget_detached(ends.0.port(), ends.1);
            self.stacks
                .connections
                .open(&open, settings, ends, about, self.clocks.now);
        }
        self.stacks.insert(open);
        let up = self
            .stacks
            .is_up(id, &mut self.uplink.neighbours, self.clocks.now);
        if let Some(error) = self.stacks.take_break(id) {
            return Err(self.stack_error(error, id));
        }
        if !up {
            let wait = connects.map_or(NEIGHBOUR_WAIT, |s| s.config.timeout);
            let above = self
                .stacks
                .get(id)
                .and_then(|o| o.session.as_ref())
                .map_or(Duration::ZERO, Session::patience);
            let wait = Duration(wait.0.saturating_add(above.0));
            self.threads.main.wait = Some(Wait::Opening {
                stack: id,
                until: now.after(wait),
            });
        }
        Ok(())
    }

    fn ip_settings(
        &self,
        below: &[BlockLayer],
        options: &BlockOptions,
    ) -> Result<(IpSettings, Option<ResolvedRoute>), BlockError> {
        let dst = options.address("dst");
        let outermost = !below.iter().any(|layer| match layer {
            BlockLayer::Ip(_) => true,
            BlockLayer::Literal(layer, _) => layers::is_ip(layer),
            BlockLayer::Udp(_) | BlockLayer::Tcp(_) => false,
        });
        let by = match options.text("interface") {
            Some(name) => match self.uplink.environment.interface_named(&name) {
                Some(interface) => Some(interface),
                None => return Err(BlockError::UnknownInterface(name)),
            },
            None => None,
        };
        let route = dst
            .filter(|_| outermost)
            .map(|to| self.route(to, by))
            .transpose()?;
        let src = options
            .address("src")
            .or(route.and_then(|route| route.source))
            .or_else(|| dst.and_then(|to| self.uplink.address_towards(to)));
        let ip = IpSettings {
            src,
            dst,
            ttl: options.int("ttl").unwrap_or_default(),
            dscp: options.int("dscp").unwrap_or_default(),
            df: options.bool("df"),
        };
        Ok((ip, route))
    }

    /// The route to an address; it must lead through the interface of this run.
    fn route(&self, to: IpAddr, by: Option<usize>) -> Result<ResolvedRoute, BlockError> {
        let route = self.uplink.environment.route_to(to, by);
        let route = route.ok_or(BlockError::NoRoute(to))?;
        if route.interface == self.uplink.outbox.interface {
            return Ok(route);
        }
        let used = self.uplink.interface_name().to_string();
        Err(BlockError::OtherInterface { to, used })
    }

    fn ports(
        &self,
        kind: DrivenKind,
        below: &[BlockLayer],
        options: &BlockOptions,
    ) -> Result<PortPair, BlockError> {
        let innermost = below.iter().rev().find_map(|layer| match layer {
            BlockLayer::Ip(ip) => Some(ip.dst),
            _ => None,
        });
        let ports = &self.uplink.outbox.gate.policy().ports;
        let owned = match kind {
            DrivenKind::Tcp => &ports.tcp,
            _ => &ports.udp,
        };
        let owned: Vec<(u16, u16)> = owned.ranges().collect();
        let wanted = WantedEnds {
            kind,
            local: options.port("src"),
            remote: innermost.flatten(),
            remote_port: options.port("dst"),
        };
        self.stacks.ports(wanted, &owned)
    }

    /// Closes the stack of a block that is left; false if that has to be waited for.
    pub(crate) fn stack_closed(&mut self, id: StackId, by: CloseBy) -> bool {
        let now = self.clocks.now;
        let late = self.threads.main.time >= self.clocks.deadline;
        let broken = self.stacks.get(id).is_none_or(|o| o.tcp.is_none());
        if broken || by == CloseBy::Reset || late || self.stacks.connections.are_over(id) {
            self.stacks.cut(id, now);
            self.flush();
            self.stacks.connections.orphan(id);
            self.stacks.remove(id);
            return true;
        }
        let patience = self
            .stacks
            .get(id)
            .and_then(|o| o.tcp.as_ref())
            .map_or(Duration::seconds(1), |s| s.config.close);
        self.stacks.close(id, now);
        self.flush();
        let until = self.threads.main.time.after(patience);
        self.threads.main.wait = Some(Wait::Closing { stack: id, until });
        false
    }
}

/// Room for as many peers as the program asks for.
fn room_for(peers: i64) -> Result<UdpPeers, BlockError> {
    match usize::try_from(peers) {
        Ok(n @ 1..=MAX_PEERS) => Ok(UdpPeers::with_room(n)),
        _ => Err(BlockError::PeersOutOfRange(peers)),
    }
}

impl FrameMetadata {
    /// What is known of a connection before anything was received on it.
    fn of_opening(time: Time, interface: Arc<str>) -> FrameMetadata {
        FrameMetadata {
            time,
            source: "clock",
            last: time,
            len: 0,
            interface,
            checksum_ready: true,
        }
    }
}

impl OpenBlock {
    /// Both ends, own first, where both are known.
    fn ends(&self) -> Option<(SocketAddr, SocketAddr)> {
        let (ip, port) = (self.innermost()?, self.port()?);
        Some((
            SocketAddr::new(ip.src?, port.src),
            SocketAddr::new(ip.dst?, port.dst?),
        ))
    }
}

impl OpenBlocks {
    /// Whether a stack is up; a neighbour that does not answer breaks it.
    pub(crate) fn is_up(&mut self, id: StackId, neighbours: &mut Neighbours, now: Time) -> bool {
        let Some(open) = self.get_mut(id) else {
            return true;
        };
        if let Some(hop) = open.hop {
            match neighbours.lookup(now, hop) {
                NeighbourResolution::Known(_) => open.hop = None,
                NeighbourResolution::Pending => return false,
                NeighbourResolution::Failed => {
                    open.broken = Some(BlockError::NoNeighbour(hop));
                    return false;
                }
            }
        }
        let connects = open.tcp.as_ref().is_some_and(|s| !s.listen);
        if let (false, Some(session)) = (connects, &mut open.session) {
            session.handle_up(now);
        }
        let answered = open.session.as_ref().is_none_or(Session::is_up);
        answered
            && (!connects
                || self
                    .connections
                    .of(id)
                    .is_some_and(|c| self.connections.is_up(c)))
    }
}
