//! A TCP connection: what this side wrote, and how much it heard before it wrote on. The peer's
//! bytes are counted, not compared: dates and cookies differ from run to run.

use super::acts::{Act, ActContext, Clock, script as laid};
use super::literal::literal;
use super::{ConversationError, Role, ScriptBody};
use crafty_run::recording::{Flow, Progress, Recording, Step, segment};
use crafty_value::{Duration, Time};
use crafty_wire::protocols::tcp::{SYN_FLAG, TcpSegment};

/// A pause within what one side writes from which on it is written in two pieces.
const PAUSE: Duration = Duration::millis(20);
/// Bytes that are awaited at once; a stream does not keep much more for a program.
const AWAITED: u64 = 512 << 10;
/// How much longer a server waits for the first thing than in the recording.
const OPENING: Duration = Duration::seconds(10);

/// What one side writes until the other does, or until it pauses.
struct StreamTurn {
    ours: bool,
    began: Time,
    ended: Time,
    /// Of the peer nothing but their number counts.
    octets: Vec<u8>,
    /// Bytes that the side has written when the turn ends.
    total: u64,
}

/// A connection as this side saw it.
#[derive(Default)]
struct ObservedConnection {
    turns: Vec<StreamTurn>,
    /// When it was open for this side.
    opened: Option<Time>,
    /// Whether the peer refused, broke or never answered: then no error is a failure.
    troubled: bool,
}

/// The conversation from this side.
pub fn script(
    recording: &Recording,
    flow: &Flow,
    role: Role,
) -> Result<ScriptBody, ConversationError> {
    let seen = seen(recording, flow, role)?;
    let start = recording.frames.first().map_or(Time(0), |frame| frame.time);
    let mut clock = Clock(if role == Role::Client {
        seen.opened.unwrap_or(start)
    } else {
        start
    });
    let mut acts = Vec::new();
    if role == Role::Server && seen.turns.first().is_some_and(|turn| turn.ours) {
        let opened = seen.opened.unwrap_or(start);
        acts.push(hear(
            longer(clock.patience(opened)),
            "/IP!(src == peer)/TCP!(state == established)".into(),
            String::new(),
            "nobody connected",
        ));
    }
    for turn in &seen.turns {
        if turn.ours {
            acts.push(Act::Say {
                after: clock.pause(turn.began),
                statement: format!("Bytes({})", literal(&turn.octets)),
            });
        } else {
            acts.extend(heard(turn, role, acts.is_empty(), &mut clock));
        }
    }
    let total = seen
        .turns
        .iter()
        .filter(|turn| !turn.ours)
        .map(|turn| turn.total)
        .max();
    Ok(laid(&acts, role, &frame(flow, role, seen.troubled, total)))
}

fn frame(flow: &Flow, role: Role, troubled: bool, total: Option<u64>) -> ActContext {
    let (stack, otherwise) = match role {
        Role::Client if troubled => (
            "connect",
            " else e {\nprint(\"the connection ended: ${e.kind}\")\n}",
        ),
        Role::Client => (
            "connect",
            " else e {\nfail \"the connection did not hold: ${e.kind}\"\n}",
        ),
        Role::Server => ("serve", ""),
    };
    let port = flow.server.1;
    let stack = if stack == "serve" {
        format!("/IP!/TCP!(src={port}, listen=true)")
    } else {
        format!("/IP!(dst=peer)/TCP!(dst={port})")
    };
    let before = total.map_or("", |_| "\ngot = 0\n").to_string();
    let after = total.map_or(String::new(), |total| {
        format!("print(\"heard ${{got}} bytes, {total} were recorded\")\n")
    });
    ActContext {
        before,
        stack,
        otherwise: otherwise.into(),
        after,
    }
}

/// Waits for a turn of the peer, in pieces that a stream can keep.
fn heard(turn: &StreamTurn, role: Role, first: bool, clock: &mut Clock) -> Vec<Act> {
    let patience = clock.patience(turn.ended);
    let timeout = if first && role == Role::Server {
        longer(patience)
    } else {
        patience
    };
    let before = turn.total - turn.octets.len() as u64;
    let places = (1..)
        .map(|n| before + n * AWAITED)
        .take_while(|place| *place < turn.total)
        .chain([turn.total]);
    let from = if role == Role::Server {
        "/IP!(src == peer)"
    } else {
        "/IP!"
    };
    places
        .map(|place| {
            let pattern =
                format!("{from}/TCP!/Bytes where got + length(MATCH[Bytes].data) >= {place}");
            hear(
                timeout,
                pattern,
                "got += length(MATCH[Bytes].data)".into(),
                &format!("{place} bytes were recorded up to here, but fewer arrived"),
            )
        })
        .collect()
}

fn hear(timeout: Duration, pattern: String, heard: String, why: &str) -> Act {
    Act::Hear {
        timeout,
        pattern,
        heard,
        missed: format!("fail \"{why}\""),
    }
}

fn longer(patience: Duration) -> Duration {
    Duration(patience.0.saturating_add(OPENING.0))
}

fn seen(
    recording: &Recording,
    flow: &Flow,
    role: Role,
) -> Result<ObservedConnection, ConversationError> {
    let client = role == Role::Client;
    let mut seen = ObservedConnection {
        troubled: true,
        ..ObservedConnection::default()
    };
    let (mut own, mut peer) = (Progress::default(), Progress::default());
    for step in flow.steps.iter().filter(|step| !step.ends.quoted) {
        let Some(view) = recording.view_of(step.frame) else {
            continue;
        };
        let ours = step.from_client == client;
        let Some(segment) = segment(&view, step.ends.layer) else {
            seen.troubled |= !ours;
            continue;
        };
        if !ours && peer.isn.is_none() {
            seen.troubled = false;
        }
        seen.note(
            recording,
            step,
            &segment,
            ours,
            if ours { &mut own } else { &mut peer },
        )?;
    }
    Ok(seen)
}

impl ObservedConnection {
    fn note(
        &mut self,
        recording: &Recording,
        step: &Step,
        segment: &TcpSegment,
        ours: bool,
        progress: &mut Progress,
    ) -> Result<(), ConversationError> {
        let time = recording.frames[step.frame].time;
        if ours && !segment.has(SYN_FLAG) {
            self.opened.get_or_insert(time);
        }
        let before = progress.end.max(1);
        let start = progress.note(segment);
        let known = before.saturating_sub(start);
        if known >= segment.len() {
            return Ok(());
        }
        if ours && (start > before || segment.len() > segment.data.len() as u64) {
            return Err(ConversationError::Missing(
                recording.frames[step.frame].index,
            ));
        }
        // Of the peer only the number counts, whether the capture has the bytes or not.
        let fresh = match segment.data.get(known as usize..).filter(|_| ours) {
            Some(data) => data.to_vec(),
            None => vec![0; (start + segment.len() - before) as usize],
        };
        self.write(ours, time, fresh);
        Ok(())
    }

    fn write(&mut self, ours: bool, time: Time, fresh: Vec<u8>) {
        let count = fresh.len() as u64;
        if let Some(turn) = self
            .turns
            .last_mut()
            .filter(|turn| turn.ours == ours && (!ours || time.since(turn.ended) < PAUSE))
        {
            turn.octets.extend(fresh);
            (turn.ended, turn.total) = (time, turn.total + count);
            return;
        }
        let before = self
            .turns
            .iter()
            .rev()
            .find(|turn| turn.ours == ours)
            .map_or(0, |turn| turn.total);
        self.turns.push(StreamTurn {
            ours,
            began: time,
            ended: time,
            octets: fresh,
            total: before + count,
        });
    }
}
