//! Packets put together to conversations.

use super::ends::{EndpointAddress, Ends, Proto, ends};
use super::{RecordedPacketView, Recording};
use crafty_capture::Direction;
use std::collections::BTreeMap;

/// A conversation.
#[derive(Clone, Debug)]
pub struct Flow {
    /// What it speaks.
    pub proto: Proto,
    /// Who began, as far as the recording shows.
    pub client: EndpointAddress,
    /// The other end.
    pub server: EndpointAddress,
    /// Its packets, in order.
    pub steps: Vec<Step>,
    /// Whether a TCP connection is over.
    over: bool,
}

/// A packet of a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Number in [`Recording::frames`].
    pub frame: usize,
    /// Whether the client's side sent it (or it answers, as an error message, what the server
    /// sent).
    pub from_client: bool,
    /// Positions of its ends.
    pub ends: Ends,
}

type RecordedFlowKey = (Proto, EndpointAddress, EndpointAddress);

/// All conversations.
pub fn flows(recording: &Recording) -> Vec<Flow> {
    let mut flows: Vec<Flow> = Vec::new();
    let mut known: BTreeMap<RecordedFlowKey, usize> = BTreeMap::new();
    for frame in 0..recording.frames.len() {
        let Some(view) = recording.view_of(frame) else {
            continue;
        };
        let Some(ends) = ends(&view) else { continue };
        let key = (ends.proto, ends.src.min(ends.dst), ends.src.max(ends.dst));
        let opens = !ends.quoted && opens(&view, &ends);
        let at = known
            .get(&key)
            .copied()
            .filter(|at| !(opens && flows[*at].over));
        let at = at.unwrap_or_else(|| {
            flows.push(begun(&view, &ends));
            flows.len() - 1
        });
        known.insert(key, at);
        flows[at].add(frame, ends, &view);
    }
    flows
}

/// Whether it asks for a new TCP connection.
fn opens(view: &RecordedPacketView, ends: &Ends) -> bool {
    ends.proto == Proto::Tcp
        && view.has(ends.layer, "flags", "syn")
        && !view.has(ends.layer, "flags", "ack")
}

/// A conversation whose first packet this is. Whoever answers did not begin.
fn begun(view: &RecordedPacketView, ends: &Ends) -> Flow {
    let answers = match ends.proto {
        Proto::Tcp => view.has(ends.layer, "flags", "syn") && view.has(ends.layer, "flags", "ack"),
        Proto::Echo => view.has(ends.layer, "type", "echo_reply"),
        Proto::Arp => view.has(ends.layer, "op", "reply"),
        _ => false,
    };
    let (client, server) = if answers {
        (ends.dst, ends.src)
    } else {
        (ends.src, ends.dst)
    };
    Flow {
        proto: ends.proto,
        client,
        server,
        steps: Vec::new(),
        over: false,
    }
}

impl Flow {
    /// The conversation as one side saw it: where the file has it from several interfaces, the
    /// packets of the one by which that side sent.
    pub fn seen_by(&self, recording: &Recording, client: bool) -> Flow {
        let interface = |step: &Step| recording.frames[step.frame].interface;
        let sent = |step: &&Step| {
            step.from_client == client
                && recording.frames[step.frame].direction == Some(Direction::Outbound)
        };
        let by = self.steps.iter().find(sent).map(interface);
        let steps = self
            .steps
            .iter()
            .copied()
            .filter(|step| by.is_none_or(|by| by == interface(step)))
            .collect();
        Flow {
            steps,
            ..self.clone()
        }
    }

    fn add(&mut self, frame: usize, ends: Ends, view: &RecordedPacketView) {
        // An error message goes to whoever sent what it quotes.
        let from_client = (ends.src == self.client) != ends.quoted;
        let ended =
            |flag| ends.proto == Proto::Tcp && !ends.quoted && view.has(ends.layer, "flags", flag);
        self.over |= ended("fin") || ended("rst");
        self.steps.push(Step {
            frame,
            from_client,
            ends,
        });
    }
}
