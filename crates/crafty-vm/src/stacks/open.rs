//! Opening and closing driven blocks.

use crate::Link;
use crate::building::frame::FrameBuilder;
use crate::execution::halt::Halt;
use crate::execution::halt::NextInstruction;
use crate::execution::steps::ProgramCounter;
use crate::execution::thread::{ExecutionScope, Wait};
use crate::machine::Machine;
use crate::receiving::heard::FrameMetadata;
use crate::sending::routing::ResolvedRoute;
use crate::stacks::blocks::OpenBlocks;
use crate::stacks::open_block::TcpSettings;
use crate::stacks::open_block::{BlockCounts, BlockLayer, IpSettings, OpenBlock, PortPair};
use crate::stacks::session;
use core::net::{IpAddr, SocketAddr};
use crafty_apps::Session;
use crafty_lang::ir::{
    Driven, DrivenKind, ErrorKind, FieldValue, OptionLiteral, Span, StackId, StackLayer, VarId,
};
use crafty_stack::tcp::{self, Config, WindowScale, congestion};
use crafty_stack::udp::{MAX_PEERS, Peers, USUAL_PEERS, lowest_free};
use crafty_stack::{Neighbours, Resolution};
use crafty_value::{Duration, Time, Value};
use crafty_wire::Kind;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How long an opening waits for a neighbour that was not known at the start; its own tries end
/// before.
const NEIGHBOUR_WAIT: Duration = Duration::seconds(5);

/// Options of a head: those that were given, and the defaults of the others.
type Options = BTreeMap<&'static str, Value>;

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
        let mut own = Vec::new();
        for layer in &info.layers {
            own.push(match layer {
                StackLayer::Literal(literal) => {
                    OpeningLayer::Literal(literal.layer, self.fixed_fields(literal)?)
                }
                StackLayer::Driven(driven) => {
                    OpeningLayer::Driven(driven.kind, self.options(driven, span)?)
                }
            });
        }
        self.begin_wait(span)?;
        self.threads
            .running_mut()
            .scopes
            .push(ExecutionScope::Stack { id, otherwise, end });
        self.threads.running_mut().pc += 1;
        self.reception.inbox.sending(self.clocks.now);
        self.open_layers(id, info.parent, own)?;
        Ok(NextInstruction::Stay)
    }

    fn options(&mut self, driven: &Driven, span: Span) -> Result<Options, Halt> {
        let rows = driven.kind.layer().options.iter();
        let mut options: Options = rows
            .filter_map(|row| Some((row.name, row.default_value()?)))
            .collect();
        for (option, value) in &driven.options {
            let value = match value {
                FieldValue::Value(expr) => self.eval(expr, span)?,
                FieldValue::Options(list, span) => self.option_bytes(list, *span)?,
                FieldValue::Auto(..) => continue,
            };
            options.insert(option.name, value);
        }
        Ok(options)
    }

    /// Options of TCP as bytes.
    fn option_bytes(&mut self, list: &[OptionLiteral], span: Span) -> Result<Value, Halt> {
        let mut octets = Vec::new();
        let field = crafty_wire::layer("TCP")
            .and_then(|layer| layer.field("options"))
            .map(|(_, field)| field);
        if let Some((field, Kind::Options(tlv))) = field.map(|field| (field, field.kind)) {
            crafty_wire::encode_options(tlv, &self.option_list(field, list, span)?, &mut octets);
        }
        Ok(Value::bytes(octets))
    }

    fn open_layers(
        &mut self,
        id: StackId,
        parent: Option<StackId>,
        own: Vec<OpeningLayer>,
    ) -> Result<(), Halt> {
        let mut pieces = parent
            .and_then(|p| self.stacks.get(p))
            .map(|p| p.pieces.clone())
            .unwrap_or_default();
        let mut tcp = None;
        let mut hop = None;
        let mut sessions = Vec::new();
        let mut peers = Peers::with_room(USUAL_PEERS);
        for head in own {
            if let OpeningLayer::Driven(_, options) = &head {
                peers = self.room(id, options)?.unwrap_or(peers);
            }
            match head {
                OpeningLayer::Driven(
                    kind @ (DrivenKind::Tls | DrivenKind::Http | DrivenKind::Dns),
                    options,
                ) => sessions.push((kind, options)),
                OpeningLayer::Literal(layer, fields) => {
                    pieces.push(BlockLayer::Literal(layer, fields))
                }
                OpeningLayer::Driven(DrivenKind::Ip, options) => {
                    let (side, way) = self.ip_side(id, &pieces, &options)?;
                    // Only links with link addresses have neighbours to wait for.
                    hop = hop.or(way
                        .filter(|_| self.uplink.link() == Link::Ethernet)
                        .map(|w| w.next_hop));
                    pieces.push(BlockLayer::Ip(side));
                }
                OpeningLayer::Driven(DrivenKind::Udp, options) => pieces.push(BlockLayer::Udp(
                    self.port(id, DrivenKind::Udp, &pieces, &options)?,
                )),
                OpeningLayer::Driven(DrivenKind::Tcp, options) => {
                    tcp = Some(self.settings(id, &pieces, &options)?);
                    pieces.push(BlockLayer::Tcp(self.port(
                        id,
                        DrivenKind::Tcp,
                        &pieces,
                        &options,
                    )?));
                }
            }
        }
        let path_mtu = self
            .uplink
            .environment
            .interfaces
            .get(self.uplink.outbox.interface)
            .map_or(1500, |i| i.mtu as usize);
        let session = self.session(id, &sessions, &pieces)?;
        let counts = BlockCounts::default();
        self.start_stack(OpenBlock {
            id,
            generation: 0,
            pieces,
            tcp,
            path_mtu,
            hop,
            peers,
            counts,
            session,
            broken: None,
        })
    }

    /// The layers above the transport, if there are any.
    fn session(
        &mut self,
        id: StackId,
        heads: &[(DrivenKind, Options)],
        pieces: &[BlockLayer],
    ) -> Result<Option<Session>, Halt> {
        let OpenBlocks {
            connections,
            sessions,
            ..
        } = &mut self.stacks;
        let plan = session::plan(heads, pieces, sessions, || connections.draw());
        if plan.is_empty() {
            return Ok(None);
        }
        let now = self.threads.running().time;
        let session = Session::new(plan, now).map_err(session::told);
        session
            .map(Some)
            .map_err(|(kind, message)| self.stack_error(kind, message, id))
    }

    /// Up at once if nothing has to be waited for.
    fn start_stack(&mut self, open: OpenBlock) -> Result<(), Halt> {
        let (id, now) = (open.id, self.threads.running().time);
        let connects = open.tcp.clone().filter(|s| !s.listen);
        let ends = open.ends();
        if let (Some(settings), Some(ends)) = (&connects, ends) {
            let about = FrameMetadata::of_opening(now, self.uplink.interface_name());
            self.stacks.connections.displace(ends.0.port(), ends.1);
            self.stacks
                .connections
                .open(&open, settings, ends, about, self.clocks.now);
        }
        self.stacks.insert(open);
        let up = self
            .stacks
            .is_up(id, &mut self.uplink.neighbours, self.clocks.now);
        if let Some((kind, message)) = self.stacks.take_break(id) {
            return Err(self.stack_error(kind, message, id));
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

    /// Room for as many peers as the program asks for.
    fn room(&self, id: StackId, options: &Options) -> Result<Option<Peers>, Halt> {
        let Some(Value::Int(n)) = options.get("peers") else {
            return Ok(None);
        };
        match usize::try_from(*n) {
            Ok(n @ 1..=MAX_PEERS) => Ok(Some(Peers::with_room(n))),
            _ => Err(self.stack_error(
                ErrorKind::Busy,
                format!("`peers` is from 1 to {MAX_PEERS}, not {n}"),
                id,
            )),
        }
    }

    fn ip_side(
        &mut self,
        id: StackId,
        below: &[BlockLayer],
        options: &Options,
    ) -> Result<(IpSettings, Option<ResolvedRoute>), Halt> {
        let dst = address(options, "dst");
        let outermost = !below.iter().any(|p| {
            matches!(p, BlockLayer::Ip(_))
                || matches!(p, BlockLayer::Literal(l, _) if matches!(l.name, "IP" | "IP6"))
        });
        let by = match options.get("interface") {
            Some(Value::Str(name)) => Some(
                self.uplink
                    .environment
                    .interface_named(name)
                    .ok_or_else(|| {
                        self.stack_error(
                            ErrorKind::NoRoute,
                            format!("there is no interface `{name}`"),
                            id,
                        )
                    })?,
            ),
            _ => None,
        };
        let way = dst
            .filter(|_| outermost)
            .map(|to| self.way(to, by, id))
            .transpose()?;
        let src = address(options, "src")
            .or(way.and_then(|w| w.source))
            .or_else(|| dst.and_then(|to| self.own_address(to)));
        let number = |name, unset| {
            if let Some(Value::Int(n)) = options.get(name) {
                *n
            } else {
                unset
            }
        };
        let df = if let Some(Value::Bool(df)) = options.get("df") {
            Some(*df)
        } else {
            None
        };
        Ok((
            IpSettings {
                src,
                dst,
                ttl: number("ttl", 64),
                dscp: number("dscp", 0),
                df,
            },
            way,
        ))
    }

    /// The way to an address, by the interface of this run.
    fn way(&mut self, to: IpAddr, by: Option<usize>, id: StackId) -> Result<ResolvedRoute, Halt> {
        let way = self.uplink.environment.way_to(to, by).ok_or_else(|| {
            self.stack_error(ErrorKind::NoRoute, format!("there is no route to {to}"), id)
        })?;
        if way.interface == self.uplink.outbox.interface {
            return Ok(way);
        }
        let name = self.uplink.interface_name();
        Err(self.stack_error(
            ErrorKind::NoRoute,
            format!(
                "the route to {to} leaves by another interface than `{name}`, which this run uses"
            ),
            id,
        ))
    }

    fn own_address(&self, to: IpAddr) -> Option<IpAddr> {
        self.uplink
            .environment
            .address_of(self.uplink.outbox.interface, to)
    }

    /// The port asked for, or the lowest free one; the same ends twice are `busy`.
    fn port(
        &mut self,
        id: StackId,
        kind: DrivenKind,
        below: &[BlockLayer],
        options: &Options,
    ) -> Result<PortPair, Halt> {
        let given = number(options, "src");
        let dst = number(options, "dst");
        let remote = below
            .iter()
            .rev()
            .find_map(|p| {
                if let BlockLayer::Ip(ip) = p {
                    Some(ip.dst)
                } else {
                    None
                }
            })
            .flatten();
        let taken = |port: u16| {
            self.stacks
                .all()
                .any(|o| o.last_kind() == kind && o.port().is_some_and(|p| p.src == port))
        };
        let clash = |port: u16| {
            self.stacks
                .all()
                .any(|o| o.last_kind() == kind && o.is_between(port, remote, dst))
        };
        let src = match given {
            Some(port) if clash(port) => {
                return Err(self.stack_error(
                    ErrorKind::Busy,
                    format!("port {port} is in use by another block"),
                    id,
                ));
            }
            Some(port) => port,
            None => {
                let ports = &self.uplink.outbox.gate.policy().ports;
                let owned = if kind == DrivenKind::Tcp {
                    &ports.tcp
                } else {
                    &ports.udp
                };
                let ranges: Vec<(u16, u16)> = owned.ranges().collect();
                let used = |p: u16| {
                    remote.zip(dst).and_then(|(a, d)| {
                        self.stacks.connections.last_used(p, SocketAddr::new(a, d))
                    })
                };
                let free = lowest_free(&ranges, |p| taken(p) || used(p).is_some());
                let free = free.or_else(|| {
                    let ports = ranges
                        .iter()
                        .flat_map(|(low, high)| *low..=*high)
                        .filter(|p| !taken(*p));
                    ports.min_by_key(|p| used(*p))
                });
                free.ok_or_else(|| {
                    self.stack_error(
                        ErrorKind::Busy,
                        "`PORTS` has no free port for this block",
                        id,
                    )
                })?
            }
        };
        Ok(PortPair { src, dst })
    }

    fn settings(
        &mut self,
        id: StackId,
        below: &[BlockLayer],
        options: &Options,
    ) -> Result<TcpSettings, Halt> {
        let mtu = self
            .uplink
            .environment
            .interfaces
            .get(self.uplink.outbox.interface)
            .map_or(1500, |i| i.mtu);
        let around = u32::try_from(FrameBuilder::around_payload(below)).unwrap_or(u32::MAX);
        let room = mtu.saturating_sub(around);
        let mut config = Config {
            mss: u16::try_from(room).unwrap_or(u16::MAX),
            ..Config::default()
        };
        for (name, value) in options {
            if !configure(&mut config, name, value) {
                let shown = crafty_lang::eval::show::shown(value);
                let message = format!(
                    "`{name}` cannot be {shown}: `crafty manual stack` tells what it takes"
                );
                return Err(self.stack_error(ErrorKind::Busy, message, id));
            }
        }
        let isn = if let Some(Value::Int(n)) = options.get("isn") {
            Some(*n as u64 as u32)
        } else {
            None
        };
        let stall = if let Some(Value::Duration(d)) = options.get("stall") {
            *d
        } else {
            Duration::ZERO
        };
        Ok(TcpSettings {
            config,
            isn,
            listen: matches!(options.get("listen"), Some(Value::Bool(true))),
            stall,
        })
    }

    /// Closes the stack of a block that is left; false if that has to be waited for.
    pub(crate) fn stack_closed(&mut self, id: StackId, reset: bool) -> bool {
        let now = self.clocks.now;
        let late = self.threads.main.time >= self.clocks.deadline;
        let broken = self.stacks.get(id).is_none_or(|o| o.tcp.is_none());
        if broken || reset || late || self.stacks.connections.are_over(id) {
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

/// A layer of a head with its values.
enum OpeningLayer {
    Literal(
        &'static crafty_wire::Layer,
        Vec<(usize, crafty_wire::FieldValue)>,
    ),
    Driven(DrivenKind, Options),
}

fn address(options: &Options, name: &str) -> Option<IpAddr> {
    if let Some(Value::Ip(address)) = options.get(name) {
        Some(*address)
    } else {
        None
    }
}

fn number(options: &Options, name: &str) -> Option<u16> {
    if let Some(Value::Int(n)) = options.get(name) {
        u16::try_from(*n).ok()
    } else {
        None
    }
}

/// One option of `TCP!`; false if its value does not fit.
fn configure(config: &mut Config, name: &str, value: &Value) -> bool {
    match (name, value) {
        ("timeout", Value::Duration(d)) => config.timeout = *d,
        ("close", Value::Duration(d)) => config.close = *d,
        ("mss", Value::Int(n)) => return u16::try_from(*n).map(|n| config.mss = n).is_ok(),
        ("window", Value::Int(n)) => return u32::try_from(*n).map(|n| config.window = n).is_ok(),
        ("wscale", Value::Int(-1)) => config.wscale = WindowScale::Off,
        ("wscale", Value::Int(n @ 0..=14)) => config.wscale = WindowScale::Shift(*n as u8),
        ("wscale", _) => return false,
        ("sack", Value::Bool(b)) => config.sack = *b,
        ("timestamps", Value::Bool(b)) => config.timestamps = *b,
        ("ecn", Value::Bool(b)) => config.ecn = *b,
        ("cc", Value::Str(name)) => {
            return congestion::control(name).map(|cc| config.cc = cc).is_some();
        }
        ("keep_alive", Value::Duration(d)) => {
            config.keep_alive = Some(*d).filter(|d| *d > Duration::ZERO)
        }
        ("give_up", Value::Duration(d)) => config.give_up = *d,
        ("hystart", Value::Bool(b)) => config.hystart = *b,
        ("probing", Value::Bool(b)) => config.mtu_probing = *b,
        ("options", Value::Bytes(octets)) if octets.len() <= tcp::options::ROOM => {
            config.options = Some(octets.to_vec())
        }
        ("options", _) => return false,
        ("nagle", Value::Bool(b)) => config.nagle = *b,
        ("delayed_ack", Value::Duration(d)) => {
            (config.delayed_ack, config.ack_delay) = (*d > Duration::ZERO, *d)
        }
        ("initial_window", Value::Int(n)) => {
            return u16::try_from(*n).map(|n| config.initial_window = n).is_ok();
        }
        _ => {}
    }
    true
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

    fn is_between(&self, local: u16, remote: Option<IpAddr>, dst: Option<u16>) -> bool {
        let same_remote = self
            .innermost()
            .is_some_and(|ip| ip.dst.is_none() || remote.is_none() || ip.dst == remote);
        self.port()
            .is_some_and(|p| p.src == local && (p.dst.is_none() || dst.is_none() || p.dst == dst))
            && same_remote
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
                Resolution::Known(_) => open.hop = None,
                Resolution::Pending => return false,
                Resolution::Failed => {
                    open.broken = Some((
                        ErrorKind::NoNeighbour,
                        format!("{hop} does not answer on the link"),
                    ));
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
