//! Datagrams and echo requests: what this side sent, each answer awaited. Answers are recognized by
//! where they come from and by what they repeat of their question, never by what else is in them.

use super::acts::{Act, ActContext, Clock, script as laid};
use super::literal::{literal, sum};
use super::{ConversationError, Role, ScriptBody};
use crafty_run::recording::{Flow, Proto, RecordedPacketView, Recording, Step};
use crafty_value::{Duration, Time};
use crafty_wire::Unverifiable;
use std::collections::BTreeMap;

/// Times to live below this one were chosen, not the system's own.
const CHOSEN: u64 = 32;
/// How much longer a server waits for the first thing than in the recording.
const OPENING: Duration = Duration::seconds(10);

/// A conversation on its way to being a program.
struct Telling<'a> {
    recording: &'a Recording,
    flow: &'a Flow,
    role: Role,
    clock: Clock,
    acts: Vec<Act>,
    /// Answers so far.
    answers: usize,
    /// Variables for identifiers of DNS questions, by identifier.
    questions: BTreeMap<u64, String>,
}

/// The conversation from this side.
pub fn script(
    recording: &Recording,
    flow: &Flow,
    role: Role,
) -> Result<ScriptBody, ConversationError> {
    let start = recording.frames.first().map_or(Time(0), |frame| frame.time);
    let began = flow
        .steps
        .first()
        .map_or(start, |step| recording.frames[step.frame].time);
    let clock = Clock(if role == Role::Client { began } else { start });
    let mut telling = Telling {
        recording,
        flow,
        role,
        clock,
        acts: Vec::new(),
        answers: 0,
        questions: BTreeMap::new(),
    };
    for step in &flow.steps {
        let Some(view) = recording.view_of(step.frame) else {
            continue;
        };
        match step.from_client == (role == Role::Client) {
            true => telling.said(step, &view)?,
            false => telling.heard(step, &view),
        }
    }
    Ok(laid(&telling.acts, role, &telling.frame()))
}

impl Telling<'_> {
    fn frame(&self) -> ActContext {
        let stack = match (self.flow.proto, self.role) {
            (Proto::Echo, _) => "/IP!(dst=peer)".into(),
            (_, Role::Client) => format!("/IP!(dst=peer)/UDP!(dst={})", self.flow.server.1),
            (_, Role::Server) => format!("/IP!/UDP!(src={})", self.flow.server.1),
        };
        let mut before: String = self
            .questions
            .iter()
            .map(|(id, name)| format!("{name} = {id}\n"))
            .collect();
        let mut after = String::new();
        if self.answers > 0 {
            before += "missed = 0\n";
            after += &format!(
                "if missed > 0 {{\nfail \"${{missed}} of {} did not come\"\n}}\n",
                self.answers
            );
        }
        ActContext {
            before: format!("\n{before}"),
            stack,
            otherwise: String::new(),
            after,
        }
    }

    fn time(&self, step: &Step) -> Time {
        self.recording.frames[step.frame].time
    }

    fn said(&mut self, step: &Step, view: &RecordedPacketView) -> Result<(), ConversationError> {
        let layer = step.ends.layer;
        if step.ends.quoted
            || (self.flow.proto == Proto::Echo && !view.has(layer, "type", "echo_request"))
        {
            return Ok(());
        }
        let index = self.recording.frames[step.frame].index;
        if view
            .decoded
            .layers
            .get(layer)
            .is_some_and(|found| found.partial != Unverifiable::Whole)
        {
            return Err(ConversationError::NotWhole(index));
        }
        let octets = view.carried(layer);
        let what = match self.flow.proto {
            Proto::Echo => self.echo(view, layer, octets),
            _ => self.datagram(view, layer, octets),
        };
        let statement = format!("{}{what}", self.hops(view, layer));
        self.acts.push(Act::Say {
            after: self.clock.pause(self.time(step)),
            statement,
        });
        Ok(())
    }

    /// The IP header where its time to live was chosen, or it was to stay whole.
    fn hops(&self, view: &RecordedPacketView, layer: usize) -> String {
        let ip = layer.saturating_sub(1);
        let name = if self.flow.server.0.is_ipv4() {
            "IP"
        } else {
            "IP6"
        };
        let ttl = view
            .number(ip, "ttl")
            .filter(|ttl| *ttl < CHOSEN)
            .map(|ttl| format!("ttl={ttl}"));
        // That routers must not cut it matters where one said that it did not fit.
        let whole =
            self.flow.steps.iter().any(|step| step.ends.quoted) && view.has(ip, "flags", "df");
        let fields: Vec<String> = ttl
            .into_iter()
            .chain(whole.then(|| "flags=df".to_string()))
            .collect();
        let above = if self.flow.proto == Proto::Udp {
            "UDP/"
        } else {
            ""
        };
        if fields.is_empty() || view.name(ip) != name {
            String::new()
        } else {
            format!("{name}({})/{above}", fields.join(", "))
        }
    }

    fn echo(&self, view: &RecordedPacketView, layer: usize, octets: &[u8]) -> String {
        let data = if octets.is_empty() {
            String::new()
        } else {
            format!("/Bytes({})", literal(octets))
        };
        let seq = view.number(layer, "seq").unwrap_or(0);
        format!(
            "{}(type=echo_request, id={}, seq={seq}){data}",
            self.icmp(),
            self.flow.client.1
        )
    }

    /// The identifier of a DNS question is a variable.
    fn datagram(&mut self, view: &RecordedPacketView, layer: usize, octets: &[u8]) -> String {
        let Some(id) = self
            .question(view, layer)
            .filter(|_| self.role == Role::Client)
        else {
            return format!("Bytes({})", literal(octets));
        };
        let next = self.questions.len() + 1;
        let name = self
            .questions
            .entry(id)
            .or_insert_with(|| format!("query_id_{next}"));
        let rest = octets.get(2..).unwrap_or_default();
        format!("Bytes(bytes({name}, 2) + {})", sum(rest))
    }

    fn question(&self, view: &RecordedPacketView, layer: usize) -> Option<u64> {
        view.number(layer + 1, "id")
            .filter(|_| self.flow.proto == Proto::Udp && view.name(layer + 1) == "DNS")
    }

    fn icmp(&self) -> &'static str {
        if self.flow.server.0.is_ipv4() {
            "ICMP"
        } else {
            "ICMP6"
        }
    }

    fn heard(&mut self, step: &Step, view: &RecordedPacketView) {
        let layer = step.ends.layer;
        if self.flow.proto == Proto::Echo
            && !step.ends.quoted
            && !view.has(layer, "type", "echo_reply")
        {
            return;
        }
        let first = self.acts.is_empty() && self.role == Role::Server;
        let patience = self.clock.patience(self.time(step));
        let timeout = if first {
            Duration(patience.0.saturating_add(OPENING.0))
        } else {
            patience
        };
        self.answers += 1;
        let n = self.answers;
        let (pattern, heard) = match (step.ends.quoted, self.flow.proto) {
            (true, _) => self.error(view, layer),
            (false, Proto::Echo) => {
                let seq = view.number(layer, "seq").unwrap_or(0);
                let name = if self.flow.server.0.is_ipv4() {
                    "IP"
                } else {
                    "IP6"
                };
                let pattern = format!(
                    "/{name}(src == peer)/{}(type == echo_reply, id == {}, seq == {seq})",
                    self.icmp(),
                    self.flow.client.1
                );
                (pattern, format!("print(\"{n}: answered\")"))
            }
            _ if view.carried(layer).is_empty() => (
                self.answer(view, layer),
                format!("print(\"{n}: an empty datagram\")"),
            ),
            _ => {
                let recorded = view.carried(layer).len();
                (
                    self.answer(view, layer),
                    format!(
                        "print(\"{n}: ${{length(MATCH[Bytes].data)}} bytes, {recorded} were recorded\")"
                    ),
                )
            }
        };
        self.acts.push(Act::Hear {
            timeout,
            pattern,
            heard,
            missed: "missed += 1".into(),
        });
    }

    /// A datagram of the peer; an answer to a question of ours has its identifier.
    fn answer(&self, view: &RecordedPacketView, layer: usize) -> String {
        let question = self
            .question(view, layer)
            .and_then(|id| self.questions.get(&id))
            .filter(|_| self.role == Role::Client);
        let from = if self.role == Role::Server {
            "/IP!(src == peer)/UDP!"
        } else {
            "/IP!/UDP!"
        };
        match question {
            Some(name) => format!("{from}/Bytes(data[0:2] == bytes({name}, 2))"),
            None if view.carried(layer).is_empty() => from.into(),
            None => format!("{from}/Bytes"),
        }
    }

    /// An ICMP error about what this side sent.
    fn error(&self, view: &RecordedPacketView, layer: usize) -> (String, String) {
        let icmp = view.position(&["ICMP", "ICMP6"], 0).unwrap_or(0);
        let ip = if self.flow.server.0.is_ipv4() {
            "IP"
        } else {
            "IP6"
        };
        let kind = view.number(icmp, "type").unwrap_or(0);
        let named = view
            .decoded
            .layers
            .get(icmp)
            .and_then(|found| found.layer.field("type"))
            .and_then(|(_, field)| field.name_of(kind));
        let kind = named.map_or(kind.to_string(), str::to_string);
        let quoted = match self.flow.proto {
            Proto::Echo => format!(
                "{}(seq == {})",
                self.icmp(),
                view.number(layer, "seq").unwrap_or(0)
            ),
            _ => format!("UDP(dst == {})", self.flow.server.1),
        };
        let pattern = format!("/{ip}/{}(type == {kind})/{ip}/{quoted}", self.icmp());
        (
            pattern,
            format!(
                "print(\"{}: {kind} from ${{MATCH[{ip}].src}}\")",
                self.answers
            ),
        )
    }
}
