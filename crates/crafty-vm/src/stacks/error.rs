//! Why a driven block does not open, breaks, or cannot send: what `else e` and `try` get.

use core::fmt;
use core::net::IpAddr;
use crafty_apps::{FailureCause, SessionFailure};
use crafty_lang::ir::ErrorKind;
use crafty_stack::udp::MAX_PEERS;

/// One reason each; [`BlockError::kind`] is what the program can compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BlockError {
    /// `interface=` names none of this host.
    UnknownInterface(String),
    /// No route leads there.
    NoRoute(IpAddr),
    /// The route leads through an interface that this run does not use.
    OtherInterface { to: IpAddr, used: String },
    /// The neighbour does not answer ARP or neighbour discovery.
    NoNeighbour(IpAddr),
    /// `peers` is out of range.
    PeersOutOfRange(i64),
    /// Another block has this port towards the same peer.
    PortInUse(u16),
    /// `PORTS` has no port left.
    NoFreePort,
    /// An option has a value that TCP does not take.
    InvalidOption { name: &'static str, value: String },
    /// Neighbour, handshake or answer took too long.
    OpeningTooSlow,
    /// The block has been left.
    BlockClosed,
    /// A block that listens has no peer here.
    NoPeer,
    /// The connection is closed for sending.
    ConnectionClosed,
    /// More would wait to be sent than the stack keeps.
    SendBufferFull,
    /// The peer sent RST on a connection that was up.
    ResetByPeer,
    /// The peer answered the SYN by RST.
    ConnectionRefused,
    /// Nobody answered the SYN.
    NoAnswerToSyn,
    /// What was sent is not acknowledged any more.
    PeerSilent,
    /// An ICMP error came in answer to the SYN.
    SynUnreachable,
    /// A read of the time stamp of a send whose segment has not left.
    NotSentYet,
    /// ICMP port unreachable in answer to a question.
    QuestionRefused,
    /// Another ICMP error in answer to a question.
    QuestionUnreachable,
    /// A layer above the transport failed.
    Session(SessionFailure),
}

impl BlockError {
    /// The word that the program compares.
    pub fn kind(&self) -> ErrorKind {
        match self {
            BlockError::UnknownInterface(_)
            | BlockError::NoRoute(_)
            | BlockError::OtherInterface { .. } => ErrorKind::NoRoute,
            BlockError::NoNeighbour(_) => ErrorKind::NoNeighbour,
            BlockError::PeersOutOfRange(_)
            | BlockError::PortInUse(_)
            | BlockError::NoFreePort
            | BlockError::InvalidOption { .. }
            | BlockError::SendBufferFull => ErrorKind::Busy,
            BlockError::BlockClosed | BlockError::NoPeer | BlockError::ConnectionClosed => {
                ErrorKind::Closed
            }
            BlockError::OpeningTooSlow
            | BlockError::NoAnswerToSyn
            | BlockError::PeerSilent
            | BlockError::NotSentYet => ErrorKind::Timeout,
            BlockError::ResetByPeer => ErrorKind::Reset,
            BlockError::ConnectionRefused | BlockError::QuestionRefused => ErrorKind::Refused,
            BlockError::SynUnreachable | BlockError::QuestionUnreachable => ErrorKind::Unreachable,
            BlockError::Session(failure) => session_kind(failure.cause),
        }
    }
}

fn session_kind(cause: FailureCause) -> ErrorKind {
    match cause {
        FailureCause::Unsayable => ErrorKind::Range,
        FailureCause::Timeout => ErrorKind::Timeout,
        FailureCause::Refused => ErrorKind::Refused,
        FailureCause::Closed => ErrorKind::Closed,
        FailureCause::Malformed => ErrorKind::Malformed,
        FailureCause::Truncated => ErrorKind::Truncated,
        FailureCause::Untrusted => ErrorKind::Untrusted,
        FailureCause::Missing => ErrorKind::Unreachable,
    }
}

impl fmt::Display for BlockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentence = match self {
            BlockError::UnknownInterface(name) => {
                return write!(f, "there is no interface `{name}`");
            }
            BlockError::NoRoute(to) => return write!(f, "there is no route to {to}"),
            BlockError::OtherInterface { to, used } => {
                return write!(
                    f,
                    "the route to {to} does not use `{used}`, the interface of this run"
                );
            }
            BlockError::NoNeighbour(hop) => return write!(f, "{hop} does not answer on the link"),
            BlockError::PeersOutOfRange(n) => {
                return write!(f, "`peers` is from 1 to {MAX_PEERS}, not {n}");
            }
            BlockError::PortInUse(port) => {
                return write!(f, "port {port} is in use by another block");
            }
            BlockError::InvalidOption { name, value } => {
                return write!(
                    f,
                    "`{name}` cannot be {value}: `crafty manual stack` lists what is allowed"
                );
            }
            BlockError::Session(failure) => return write!(f, "{failure}"),
            BlockError::NoFreePort => "`PORTS` has no free port for this block",
            BlockError::OpeningTooSlow => "the block did not open in time",
            BlockError::BlockClosed => "the block is closed",
            BlockError::NoPeer => "there is no peer to send to",
            BlockError::ConnectionClosed => "the connection is closed",
            BlockError::SendBufferFull => "more than 1 MiB is waiting to be sent",
            BlockError::ResetByPeer => "the peer reset the connection",
            BlockError::ConnectionRefused => "the peer refused the connection",
            BlockError::NoAnswerToSyn => "the peer did not answer in time",
            BlockError::PeerSilent => "the peer stopped answering",
            BlockError::SynUnreachable => "an ICMP error answered the SYN",
            BlockError::NotSentYet => "the stream has not sent this data yet",
            BlockError::QuestionRefused => "no program listens on the server's port",
            BlockError::QuestionUnreachable => "an ICMP error answered the query",
        };
        f.write_str(sentence)
    }
}
