//! The layers above the transport of a block: what their heads ask for, how they use their
//! transport, their counters.

use crate::building::frame::FrameBuilder;
use crate::machine::Machine;
use crate::receiving::view::DecodedPacket;
use crate::sending::outbox::OutgoingFrame;
use crate::stacks::blocks::OpenBlocks;
use crate::stacks::error::BlockError;
use crate::stacks::open_block::{BlockLayer, IpSettings, OpenBlock};
use crate::stacks::options::BlockOptions;
use crate::stacks::peer::ConnectionId;
use crate::stacks::tcp::Connections;
use crate::stacks::tcp::held::HeldConnection;
use core::net::IpAddr;
use crafty_apps::{Session, SessionLayer, SessionPlan, dns, http, tls};
use crafty_lang::driven::LayerCounter;
use crafty_lang::ir::{DrivenKind, StackId, Type};
use crafty_policy::Author;
use crafty_stack::icmp;
use crafty_stack::tcp::SendError;
use crafty_value::{Duration, Map, Time, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of a body that are kept at most: no value holds more.
const MAX_BODY: usize = 1 << 20;

/// A driven layer above the transport: which part of a session it is, and what its head asks for.
struct SessionPart {
    kind: DrivenKind,
    layer: SessionLayer,
    ask: fn(&BlockOptions, &mut PlanContext<'_>, &mut SessionPlan),
}

/// The lowest first: what a higher one leaves out may follow from a lower one.
static PARTS: &[SessionPart] = &[
    SessionPart {
        kind: DrivenKind::Tls,
        layer: SessionLayer::Tls,
        ask: |options, context, plan| plan.tls = Some(tls_ask(options, context)),
    },
    SessionPart {
        kind: DrivenKind::Http,
        layer: SessionLayer::Http,
        ask: |options, context, plan| plan.http = Some(http_ask(options, context)),
    },
    SessionPart {
        kind: DrivenKind::Dns,
        layer: SessionLayer::Dns,
        ask: |options, context, plan| plan.dns = Some(dns_ask(options, context)),
    },
];

/// What a plan is made from, beside the options of its layers.
struct PlanContext<'a> {
    peer: SessionPeer,
    /// The name that the layer below asks for, if one is given.
    name: Option<String>,
    sessions: &'a mut Option<tls::SessionCache>,
    /// Gives the number of a question.
    draw: &'a mut dyn FnMut() -> u32,
}

/// What the heads of a block's layers ask for; `draw` gives the number of a question.
pub(crate) fn plan(
    heads: &[(DrivenKind, BlockOptions)],
    pieces: &[BlockLayer],
    sessions: &mut Option<tls::SessionCache>,
    mut draw: impl FnMut() -> u32,
) -> SessionPlan {
    let peer = SessionPeer::of(pieces);
    let mut plan = SessionPlan {
        stream: peer.stream,
        ..SessionPlan::default()
    };
    let mut context = PlanContext {
        peer,
        name: None,
        sessions,
        draw: &mut draw,
    };
    for part in PARTS {
        if let Some((_, options)) = heads.iter().find(|(kind, _)| *kind == part.kind) {
            (part.ask)(options, &mut context, &mut plan);
        }
    }
    plan
}

/// The peer of a block.
struct SessionPeer {
    address: IpAddr,
    port: u16,
    stream: bool,
}

impl SessionPeer {
    fn of(pieces: &[BlockLayer]) -> SessionPeer {
        let address = pieces.iter().rev().find_map(|p| {
            if let BlockLayer::Ip(IpSettings { dst, .. }) = p {
                *dst
            } else {
                None
            }
        });
        let port = pieces.iter().rev().find_map(|p| {
            if let BlockLayer::Udp(port) | BlockLayer::Tcp(port) = p {
                port.dst
            } else {
                None
            }
        });
        let stream = matches!(pieces.last(), Some(BlockLayer::Tcp(_)));
        SessionPeer {
            address: address.unwrap_or(IpAddr::from([0; 4])),
            port: port.unwrap_or(0),
            stream,
        }
    }

    /// Header `Host`: name or address, with the port where it is not the usual one (RFC 9110 §7.2).
    fn host(&self, name: Option<String>) -> String {
        let usual = if name.is_some() { 443 } else { 80 };
        let bare = match self.address {
            IpAddr::V6(address) => format!("[{address}]"),
            IpAddr::V4(address) => address.to_string(),
        };
        let host = name.unwrap_or(bare);
        if self.port == usual {
            host
        } else {
            format!("{host}:{}", self.port)
        }
    }
}

fn tls_ask(options: &BlockOptions, context: &mut PlanContext<'_>) -> tls::TlsRequest {
    context.name = options.text("sni");
    let address = || context.peer.address.to_string();
    let version = |name| options.text(name).unwrap_or_default();
    tls::TlsRequest {
        sni: context.name.clone().unwrap_or_else(address),
        alpn: options.texts("alpn"),
        versions: (version("min"), version("max")),
        verify: options.is_true("verify"),
        resume: options.is_true("resume"),
        sessions: context.sessions.get_or_insert_default().clone(),
        timeout: options.duration("timeout"),
    }
}

fn http_ask(options: &BlockOptions, context: &PlanContext<'_>) -> http::HttpRequest {
    let host = || context.peer.host(context.name.clone());
    let ways = [("get", "GET"), ("head", "HEAD"), ("post", "POST")];
    let (method, path) = ways
        .iter()
        .find_map(|(option, method)| Some((*method, options.text(option)?)))
        .unwrap_or(("GET", String::new()));
    let most = usize::try_from(options.int("max").unwrap_or_default())
        .unwrap_or(0)
        .min(MAX_BODY);
    http::HttpRequest {
        method,
        path,
        host: options.text("host").unwrap_or_else(host),
        headers: options.texts("headers"),
        body: options.bytes("body"),
        timeout: options.duration("timeout"),
        most,
    }
}

fn dns_ask(options: &BlockOptions, context: &mut PlanContext<'_>) -> dns::DnsRequest {
    let word = |name| options.int(name).unwrap_or_default() as u64 as u16;
    let id = options
        .int("id")
        .map_or_else(&mut context.draw, |id| id as u64 as u32);
    dns::DnsRequest {
        name: options.text("name").unwrap_or_default(),
        kind: word("type"),
        id: id as u16,
        recursion: options.is_true("recursion"),
        edns: word("edns"),
        timeout: options.duration("timeout"),
        tries: u32::try_from(options.int("tries").unwrap_or_default()).unwrap_or(1),
    }
}

impl OpenBlock {
    /// What became of the layers above the transport: a failure breaks the block.
    pub(crate) fn settle_session(&mut self) {
        let failure = self.session.as_mut().and_then(Session::take_failure);
        if let Some(failure) = failure {
            self.broken.get_or_insert(BlockError::Session(failure));
        }
    }

    /// A datagram came for this block: the answer, perhaps.
    pub(crate) fn handle_answer(&mut self, now: Time, view: &DecodedPacket) {
        if let (Some(session), Some(octets)) = (&mut self.session, view.datagram_payload()) {
            session.handle_datagram(now, octets);
        }
        self.settle_session();
    }

    /// An ICMP error came for a question that waits for its answer.
    pub(crate) fn refuse_question(&mut self, error: &icmp::IcmpError) {
        let waits = self.tcp.is_none() && self.session.as_ref().is_some_and(|s| !s.is_up());
        // Port unreachable in either family (RFC 792, RFC 4443 §3.1).
        let port = if error.flow.destination.is_ipv4() {
            3
        } else {
            4
        };
        if let (true, icmp::IcmpErrorKind::Unreachable { code }) = (waits, error.kind) {
            let error = match code == port {
                true => BlockError::QuestionRefused,
                false => BlockError::QuestionUnreachable,
            };
            self.broken.get_or_insert(error);
        }
    }

    /// A value of a layer above the transport; what the peer did not say is the empty value of its
    /// type.
    pub(crate) fn session_counter(&self, counter: &LayerCounter) -> Option<Value> {
        let layer = PARTS.iter().find(|part| part.kind == counter.of)?.layer;
        let session = self.session.as_ref()?;
        session
            .counter(layer, counter.name)
            .or_else(|| empty(&counter.ty()))
    }
}

fn empty(ty: &Type) -> Option<Value> {
    Some(match ty {
        Type::Int => Value::Int(0),
        Type::Bool => Value::Bool(false),
        Type::Str => Value::text(""),
        Type::Bytes => Value::bytes(Vec::new()),
        Type::Duration => Value::Duration(Duration::ZERO),
        Type::Time => Value::Time(Time(0)),
        Type::Array(_) => Value::array(Vec::new()),
        Type::Map(_, of) => Value::Map(Arc::new(Map {
            default: empty(of)?,
            entries: BTreeMap::new(),
        })),
        _ => return None,
    })
}

impl HeldConnection {
    /// Bytes of the stream, through the layers above it, into `into`; how many are the program's.
    pub(crate) fn read_through(
        tcp: &mut crafty_stack::tcp::Connection,
        session: &mut Session,
        now: Time,
        into: &mut Vec<u8>,
    ) -> usize {
        let (mut octets, before) = (Vec::new(), into.len());
        if tcp.read(&mut octets) > 0 {
            session.handle_up(now);
            session.handle_data(now, &octets);
        }
        session.read(into);
        into.len() - before
    }

    /// Hands what the layers above have to say to the stream.
    pub(crate) fn send_session_output(
        &mut self,
        session: &mut Session,
    ) -> Result<core::ops::Range<u64>, SendError> {
        let mut said: Option<core::ops::Range<u64>> = None;
        while let Some(octets) = session.poll_transmit() {
            let range = self.tcp.send(&octets)?;
            said = Some(said.map_or(range.clone(), |so_far| so_far.start..range.end));
        }
        Ok(said.unwrap_or(0..0))
    }

    /// Lets the layers above begin, wait and speak.
    pub(crate) fn drive_session(&mut self, open: &mut OpenBlock, now: Time, up: bool) {
        let Some(session) = &mut open.session else {
            return;
        };
        if up {
            session.handle_up(now);
        }
        session.handle_timeout(now);
        if self.send_session_output(session) == Err(SendError::Busy) {
            open.broken.get_or_insert(BlockError::SendBufferFull);
        }
        open.settle_session();
    }
}

impl Connections {
    /// The layers above close.
    pub(crate) fn close_session(&mut self, id: ConnectionId, session: Option<&mut Session>) {
        if let (Some(held), Some(session)) = (self.get_mut(id), session) {
            session.close();
            // What does not go out any more is not missed.
            let _ = held.send_session_output(session);
        }
    }
}

impl OpenBlocks {
    /// Retries queries that go in datagrams.
    pub(crate) fn ask_again(&mut self, now: Time) {
        for open in self.all_mut().filter(|open| open.tcp.is_none()) {
            if let Some(session) = &mut open.session {
                session.handle_timeout(now);
                open.settle_session();
            }
        }
    }

    /// When a layer above a transport has a timer due.
    pub(crate) fn session_timeout(&self) -> Option<Time> {
        self.all()
            .filter(|open| open.broken.is_none())
            .filter_map(|open| open.session.as_ref()?.poll_timeout())
            .min()
    }

    /// The next query to send in a datagram, and its block.
    fn next_question(&mut self) -> Option<(StackId, Vec<u8>)> {
        let mut asking = self.all_mut().filter(|open| open.tcp.is_none());
        asking.find_map(|open| Some((open.id, open.session.as_mut()?.poll_transmit()?)))
    }

    /// Secrets of TLS made since this was asked last.
    pub(crate) fn take_secrets(&mut self) -> String {
        let of_open: String = self
            .all_mut()
            .filter_map(|open| open.session.as_mut())
            .map(Session::secrets)
            .collect();
        core::mem::take(&mut self.secrets) + &of_open
    }
}

impl Machine {
    /// Sends the questions that are due, as datagrams of their block.
    pub(crate) fn flush_questions(&mut self) {
        while let Some((id, octets)) = self.stacks.next_question() {
            let Some(open) = self.stacks.get(id) else {
                continue;
            };
            let pieces = open.pieces.clone();
            let info = self.script.block(id);
            let (line, site) = (info.span, info.site);
            let mut build = FrameBuilder::datagram(&pieces, &octets);
            let hop = build.fill_below(&mut self.uplink);
            let whole = build.encode();
            let origin = self.script.origin(site, Author::Main, whole.len());
            self.dispatch(
                OutgoingFrame {
                    whole: None,
                    pieces: vec![whole],
                    origin,
                    line,
                    packets: Vec::new(),
                },
                hop,
            );
            self.count_out(Some(id), octets.len() as i64);
        }
    }
}
