//! A recorded conversation as a program: what one side said, when it said it, and what it waited
//! for. What changes from run to run is left to the stack (sequence numbers, time stamps,
//! checksums) or is in a variable (identifiers of DNS); limits are what was seen. Bytes of the
//! capture are in the program as literals only. Gives no program that does not check.

mod acts;
mod datagrams;
mod error;
mod limits;
mod literal;
mod segments;
mod stream;

use crafty_capture::Direction;
use crafty_lang::check::check;
use crafty_lang::eval::show;
use crafty_run::recording::{EndpointAddress, Flow, Proto, Recording, Step};
use crafty_syntax::diagnostic::Severity;
use crafty_value::{Duration, Time};
pub use error::ConversationError;
use limits::Limits;
use std::net::IpAddr;

/// Longest program that there can be, in bytes.
const MOST: usize = 64 << 10;

/// Which side of a conversation the program takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Whoever began.
    Client,
    /// Whoever answered.
    Server,
}

/// How a TCP connection is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpStyle {
    /// By what was written; the stack makes segments of it.
    Stream,
    /// By its segments.
    Segments,
}

/// A program without its settings.
struct ScriptBody {
    body: String,
    /// Waits and time-outs in all.
    lasts: Duration,
    /// Statements that send.
    sends: usize,
}

/// All conversations, a line each.
pub fn listing(recording: &Recording) -> String {
    let mut text = String::new();
    for (i, flow) in recording.flows.iter().enumerate() {
        let whole = if scripted(flow).is_ok() {
            ""
        } else {
            " (cannot be made into a program)"
        };
        text += &format!("{:>4}  {}{whole}\n", i + 1, about(recording, flow));
    }
    text
}

/// `TCP 10.0.0.1:45000 > 10.0.0.2:80, 12 packets in 50ms`.
fn about(recording: &Recording, flow: &Flow) -> String {
    let end = |(address, port): EndpointAddress| match flow.proto {
        Proto::Tcp | Proto::Udp if address.is_ipv6() => format!("[{address}]:{port}"),
        Proto::Tcp | Proto::Udp => format!("{address}:{port}"),
        _ => address.to_string(),
    };
    let packets = flow.steps.len();
    format!(
        "{} {} > {}, {packets} packets in {}",
        flow.proto.name(),
        end(flow.client),
        end(flow.server),
        lasted(recording, flow)
    )
}

fn lasted(recording: &Recording, flow: &Flow) -> Duration {
    let time = |step: Option<&Step>| step.map_or(Time(0), |step| recording.frames[step.frame].time);
    time(flow.steps.last()).since(time(flow.steps.first()))
}

/// Whether there are programs for such conversations.
fn scripted(flow: &Flow) -> Result<(), ConversationError> {
    let one = |address: IpAddr| {
        !(address.is_multicast() || matches!(address, IpAddr::V4(a) if a.is_broadcast()))
    };
    match flow.proto {
        Proto::Tcp | Proto::Udp | Proto::Echo if one(flow.client.0) && one(flow.server.0) => Ok(()),
        Proto::Tcp | Proto::Udp | Proto::Echo => Err(ConversationError::ManyHosts),
        _ => Err(ConversationError::Protocol(flow.proto.name())),
    }
}

/// The side that the recording was made on, if it says so; else the client.
pub fn likely_role(recording: &Recording, flow: &Flow) -> Role {
    let told = flow.steps.iter().find_map(|step| {
        recording.frames[step.frame]
            .direction
            .map(|way| (way, step.from_client))
    });
    match told {
        Some((Direction::Outbound, false) | (Direction::Inbound, true)) => Role::Server,
        _ => Role::Client,
    }
}

/// The program of a conversation; `name` is the file's, for its first line.
///
/// # Errors
/// Why there is none.
pub fn program(
    recording: &Recording,
    number: usize,
    role: Role,
    form: TcpStyle,
    name: &str,
) -> Result<String, ConversationError> {
    let flow = &recording.flows[number].seen_by(recording, role == Role::Client);
    scripted(flow)?;
    let script = match (flow.proto, role, form) {
        (Proto::Tcp, Role::Client, TcpStyle::Segments) => segments::script(recording, flow)?,
        (Proto::Tcp, Role::Server, TcpStyle::Segments) => {
            return Err(ConversationError::ServerSegments);
        }
        (Proto::Tcp, _, TcpStyle::Stream) => stream::script(recording, flow, role)?,
        (Proto::Echo, Role::Server, _) => {
            return Err(ConversationError::EchoServer);
        }
        _ => datagrams::script(recording, flow, role)?,
    };
    let limits = Limits::of(recording, flow, role, &script);
    let side = if role == Role::Client {
        "client"
    } else {
        "server"
    };
    let title = format!(
        "# Conversation {} of {}: {}; as its {side}.",
        number + 1,
        show::escaped(name.as_bytes(), 128),
        about(recording, flow)
    );
    settled(&format!("{title}\n{}\n{}", limits.text(), script.body))
}

/// Formatted, and without a mistake.
fn settled(source: &str) -> Result<String, ConversationError> {
    if source.len() > MOST {
        return Err(ConversationError::TooLong(source.len()));
    }
    let text = crafty_syntax::format(source).unwrap_or_else(|_| source.to_string());
    let mistake = check(&text)
        .reports
        .into_iter()
        .find(|report| report.diagnostic.severity == Severity::Error);
    match mistake {
        Some(report) => Err(ConversationError::Invalid(report.message)),
        None => Ok(text),
    }
}
