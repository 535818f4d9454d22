//! A question to a name server and its answer (RFC 1035, RFC 7766, RFC 6891). Asks again until an
//! answer comes; ignores answers that do not match the question. Follows no alias and asks no other
//! server.

use crate::failure::{FailureCause, SessionFailure};
use core::net::IpAddr;
use crafty_value::{Duration, Time, Value};
use crafty_wire::protocols::dns;
use crafty_wire::{FieldValue, Header, encode};

/// Bytes of a header.
const HEADER: usize = 12;
/// Longest name as text, without the final dot (RFC 1035 §3.1).
const MAX_NAME: usize = 253;
const MAX_LABEL: usize = 63;
/// The type that leads from an address to a name.
const PTR: u16 = 12;
/// Tries at most, whatever is asked for.
const MAX_TRIES: u32 = 64;

/// What is asked, and how patiently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DnsRequest {
    /// As text, with or without the final dot; an address where `kind` asks for its name.
    pub name: String,
    /// Type of the records wanted.
    pub kind: u16,
    /// Of the first try; the following ones count up.
    pub id: u16,
    /// Whether the server is to ask others.
    pub recursion: bool,
    /// Bytes of an answer that may come in a datagram (EDNS, RFC 6891); 0 says nothing of it.
    pub edns: u16,
    /// How long one try waits.
    pub timeout: Duration,
    /// How often it is asked at most; a stream asks once.
    pub tries: u32,
}

/// A question under way.
#[derive(Debug)]
pub struct DnsClient {
    ask: DnsRequest,
    /// Whether messages go in a stream, behind their lengths (RFC 1035 §4.2.2).
    stream: bool,
    /// When each try left.
    asked: Vec<Time>,
    outgoing: Vec<Vec<u8>>,
    /// Bytes of a stream that no message has been made of.
    heard: Vec<u8>,
    answer: Option<DnsAnswer>,
}

/// The answer that fits.
#[derive(Debug)]
struct DnsAnswer {
    message: Vec<u8>,
    rtt: Duration,
}

/// A value told of a question and its answer.
#[derive(Debug)]
pub struct DnsCounter {
    /// As written after `STACK[DNS].`.
    pub name: &'static str,
    read: fn(&DnsClient) -> Option<Value>,
}

const fn row(name: &'static str, read: fn(&DnsClient) -> Option<Value>) -> DnsCounter {
    DnsCounter { name, read }
}

/// All of them.
pub static COUNTERS: &[DnsCounter] = &[
    row("rcode", |c| c.bits(3, 0x0f)),
    row("authoritative", |c| c.flag(2, 0x04)),
    row("truncated", |c| c.flag(2, 0x02)),
    row("recursion", |c| c.flag(3, 0x80)),
    row("authenticated", |c| c.flag(3, 0x20)),
    row("answers", |c| {
        c.message()
            .map(|m| Value::array(dns::answer_lines(m).map(Value::text).collect()))
    }),
    row("addresses", |c| {
        c.message()
            .map(|m| Value::array(dns::answer_addresses(m).map(Value::Ip).collect()))
    }),
    row("ttl", |c| {
        dns::answer_ttls(c.message()?)
            .min()
            .map(|ttl| Value::Int(ttl.into()))
    }),
    row("size", |c| c.message().map(|m| Value::Int(m.len() as i64))),
    row("rtt", |c| c.answer.as_ref().map(|a| Value::Duration(a.rtt))),
    row("tries", |c| Some(Value::Int(c.asked.len() as i64))),
];

impl DnsClient {
    /// A question that can be asked. Fails if its name is invalid.
    pub fn new(ask: DnsRequest, stream: bool) -> Result<DnsClient, SessionFailure> {
        let address = ask.name.parse().ok().filter(|_| ask.kind == PTR);
        let name = address.map_or_else(|| ask.name.clone(), reverse_name);
        judge_name(&name)?;
        let tries = if stream {
            1
        } else {
            ask.tries.clamp(1, MAX_TRIES)
        };
        let ask = DnsRequest { name, tries, ..ask };
        Ok(DnsClient {
            ask,
            stream,
            asked: Vec::new(),
            outgoing: Vec::new(),
            heard: Vec::new(),
            answer: None,
        })
    }

    /// The way is open: asks.
    pub fn handle_up(&mut self, now: Time) {
        let message = self.question(self.id_of(self.asked.len()));
        let length = u16::try_from(message.len())
            .unwrap_or(u16::MAX)
            .to_be_bytes();
        self.asked.push(now);
        self.outgoing.push(if self.stream {
            [&length[..], &message].concat()
        } else {
            message
        });
    }

    /// A datagram came. One that is not an answer to this question is passed over.
    pub fn handle_datagram(&mut self, now: Time, octets: &[u8]) -> Result<(), SessionFailure> {
        let Some(since) = self.asked_with(octets) else {
            return Ok(());
        };
        if octets[2] & 0x02 != 0 && !self.stream {
            return Err(SessionFailure::new(
                FailureCause::Truncated,
                "the answer does not fit into a datagram: ask it over `TCP!(dst=53)`",
            ));
        }
        let promised = usize::from(u16::from_be_bytes([octets[6], octets[7]]));
        let read = dns::answer_lines(octets).count();
        if read < promised {
            return Err(SessionFailure::new(
                FailureCause::Malformed,
                format!("the answer announces {promised} records, but only {read} can be read"),
            ));
        }
        self.answer = Some(DnsAnswer {
            message: octets.to_vec(),
            rtt: now.since(since),
        });
        Ok(())
    }

    /// More bytes of a stream. Gives back what follows the answer.
    pub fn handle_data(&mut self, now: Time, octets: &[u8]) -> Result<Vec<u8>, SessionFailure> {
        self.heard.extend_from_slice(octets);
        while let Some((length, rest)) = self.heard.split_first_chunk::<2>() {
            let length = usize::from(u16::from_be_bytes(*length));
            let Some((message, behind)) = rest.split_at_checked(length) else {
                break;
            };
            let (message, behind) = (message.to_vec(), behind.to_vec());
            self.heard = behind;
            self.handle_datagram(now, &message)?;
            if self.answer.is_some() {
                return Ok(core::mem::take(&mut self.heard));
            }
        }
        Ok(Vec::new())
    }

    /// When the try under way has waited long enough.
    pub fn poll_timeout(&self) -> Option<Time> {
        let last = self.asked.last().filter(|_| self.answer.is_none())?;
        Some(last.after(self.ask.timeout))
    }

    /// Asks again, or gives up.
    pub fn handle_timeout(&mut self, now: Time) -> Result<(), SessionFailure> {
        if self.poll_timeout().is_none_or(|due| due > now) {
            return Ok(());
        }
        let tries = self.asked.len();
        if tries >= self.ask.tries as usize {
            return Err(SessionFailure::new(
                FailureCause::Timeout,
                format!("no answer after {tries} tries of {} each", self.ask.timeout),
            ));
        }
        self.handle_up(now);
        Ok(())
    }

    /// The next message to send.
    pub fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        (!self.outgoing.is_empty()).then(|| self.outgoing.remove(0))
    }

    /// How long the answer may take.
    pub fn patience(&self) -> Duration {
        Duration(self.ask.timeout.0.saturating_mul(self.ask.tries.into()))
    }

    /// Whether the answer is there.
    pub fn is_done(&self) -> bool {
        self.answer.is_some()
    }

    /// A value by its name; nothing where the answer does not tell.
    pub fn counter(&self, name: &str) -> Option<Value> {
        COUNTERS
            .iter()
            .find(|c| c.name == name)
            .and_then(|c| (c.read)(self))
    }

    fn message(&self) -> Option<&[u8]> {
        self.answer.as_ref().map(|a| a.message.as_slice())
    }

    fn bits(&self, at: usize, mask: u8) -> Option<Value> {
        self.message()?
            .get(at)
            .map(|octet| Value::Int((octet & mask).into()))
    }

    fn flag(&self, at: usize, bit: u8) -> Option<Value> {
        self.message()?
            .get(at)
            .map(|octet| Value::Bool(octet & bit != 0))
    }

    fn id_of(&self, n: usize) -> u16 {
        self.ask.id.wrapping_add(n as u16)
    }

    fn question(&self, id: u16) -> Vec<u8> {
        let mut header = Header::new(&dns::LAYER);
        let mut set = |name: &str, value: FieldValue| {
            if let Some((index, _)) = dns::LAYER.field(name) {
                // The fields are those of the table, and the values fit them.
                let _ = header.set(index, value);
            }
        };
        set("id", FieldValue::Uint(id.into()));
        set("rd", FieldValue::Uint(self.ask.recursion.into()));
        set(
            "qname",
            FieldValue::Text(self.ask.name.trim_end_matches('.').to_string()),
        );
        set("qtype", FieldValue::Uint(self.ask.kind.into()));
        if self.ask.edns > 0 {
            set("edns_size", FieldValue::Uint(self.ask.edns.into()));
        }
        let mut octets = Vec::new();
        encode(&[header], &mut octets);
        octets
    }

    /// When the question left that this message answers: same number, a response, the question
    /// given back (RFC 5452 §9.1). A server that refuses may leave the question out.
    fn asked_with(&self, message: &[u8]) -> Option<Time> {
        let header = message.get(..HEADER).filter(|_| self.answer.is_none())?;
        let id = u16::from_be_bytes([header[0], header[1]]);
        let since = (0..self.asked.len())
            .find(|n| self.id_of(*n) == id)
            .map(|n| self.asked[n])?;
        let (response, questions, refuses) = (
            header[2] & 0x80 != 0,
            u16::from_be_bytes([header[4], header[5]]),
            header[3] & 0x0f != 0,
        );
        let same = match questions {
            0 => refuses,
            1 => self.is_same_question(message),
            _ => false,
        };
        (response && same).then_some(since)
    }

    /// Names are compared without regard to case (RFC 4343).
    fn is_same_question(&self, message: &[u8]) -> bool {
        let own = self.question(0);
        let end = HEADER
            + own[HEADER..]
                .iter()
                .position(|octet| *octet == 0)
                .unwrap_or(0)
            + 5;
        match (own.get(HEADER..end), message.get(HEADER..end)) {
            (Some(own), Some(theirs)) => own.eq_ignore_ascii_case(theirs),
            _ => false,
        }
    }
}

fn judge_name(name: &str) -> Result<(), SessionFailure> {
    let bare = name.strip_suffix('.').unwrap_or(name);
    let bad = |why: &str| {
        Err(SessionFailure::new(
            FailureCause::Unsayable,
            format!("`{name}` is not a valid DNS name: {why}"),
        ))
    };
    if bare.is_empty() {
        return if name == "." {
            Ok(())
        } else {
            bad("it is empty; the root is `.`")
        };
    }
    if bare.len() > MAX_NAME {
        return bad("a name has at most 253 characters");
    }
    match bare
        .split('.')
        .map(str::len)
        .find(|length| !(1..=MAX_LABEL).contains(length))
    {
        Some(0) => bad("a label is empty"),
        Some(_) => bad("a label has at most 63 characters"),
        None => Ok(()),
    }
}

/// The name that an address is looked up by (RFC 1035 §3.5, RFC 3596 §2.5).
fn reverse_name(address: IpAddr) -> String {
    match address {
        IpAddr::V4(a) => {
            let [a, b, c, d] = a.octets();
            format!("{d}.{c}.{b}.{a}.in-addr.arpa")
        }
        IpAddr::V6(a) => {
            let nibbles = a
                .octets()
                .into_iter()
                .rev()
                .flat_map(|octet| [octet & 0x0f, octet >> 4]);
            nibbles
                .map(|nibble| format!("{nibble:x}."))
                .collect::<String>()
                + "ip6.arpa"
        }
    }
}

#[cfg(test)]
mod tests;
