//! The way of a packet from the interface: link answers, the filter, the event, and the handlers in their
//! order. What a handler says is done as a whole or not at all.

use crate::action::{ActionError, AnswerLink, EndpointAction, build, read_answer, shown};
use crate::decision::{Decision, Summary};
use crate::door::Closed;
use crate::event::packet_received;
use crate::filter::filter_for;
use crate::handlers::AskedEvent;
use crate::handlers::process::ProcessAnswer;
use crate::heard::HeardPacket;
use crate::link_answer;
use crate::medium::{EndpointMedium, PacketForProgram};
use crate::model::ModelAnswer;
use crate::option::EndpointMode;
use crafty_run::Time;
use serde_json::Value;
use std::net::IpAddr;

/// Events that may wait for the program; behind it more are not kept.
const MAX_WAITING: usize = 4_096;

/// Who says something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Handler(&'static str),
    Model,
}

/// What an answer asks for, ready to be written.
struct Deed {
    decision: Decision,
    detail: String,
    packets: Vec<(Time, Vec<u8>)>,
}

impl Deed {
    fn nothing(decision: Decision, detail: impl Into<String>) -> Deed {
        Deed {
            decision,
            detail: detail.into(),
            packets: Vec::new(),
        }
    }
}

impl EndpointMedium {
    /// The interface is up: the operator is reported, and the process, which may answer.
    pub(crate) fn announce(&mut self, event: Value) {
        self.observer.event(&event.to_string());
        let now = self.wire.now();
        let asked = AskedEvent {
            number: 0,
            heard: None,
            event,
        };
        let process = self.handlers.process.as_mut();
        // One that does not read yet is reported about its first packet.
        let _ = process.map(|process| process.ask(&asked, now));
    }

    /// The interface goes: what nobody has answered yet stays so, and is reported.
    pub(crate) fn give_up(&mut self) {
        const WHY: &str = "the endpoint ends";
        let waiting = std::mem::take(&mut self.for_program);
        let mut unanswered: Vec<(AskedEvent, Decision)> = waiting
            .into_iter()
            .map(|packet| (packet.asked, Decision::HandlerSilent))
            .collect();
        if let Some(process) = &mut self.handlers.process {
            let owed = process.give_up().into_iter();
            unanswered.extend(owed.map(|asked| (asked, Decision::HandlerSilent)));
        }
        if let Some(model) = &mut self.handlers.model {
            let asked = model.give_up().into_iter();
            unanswered.extend(asked.map(|asked| (asked, Decision::ModelError)));
        }
        for (asked, decision) in unanswered {
            self.decide(&asked, decision, WHY);
        }
    }

    /// The interface is down: nobody can answer.
    pub(crate) fn farewell(&mut self, event: &str) {
        self.observer.event(event);
        if let Some(process) = &mut self.handlers.process {
            process.tell(event);
        }
    }

    /// A packet whose prefix lies.
    pub(crate) fn take_unreadable(&mut self, why: &str) {
        self.totals.received += 1;
        self.tell(self.totals.received, None, Decision::Unreadable, why);
    }

    /// One packet from the interface.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        let heard = self.reader.read_from(self.far.mode, bytes);
        if self.far.mode == EndpointMode::Tap && self.answer_neighbour(bytes, heard.as_ref()) {
            return;
        }
        let Some(heard) = heard else {
            return self.take_unreadable("it is not IP");
        };
        self.totals.received += 1;
        let number = self.totals.received;
        if !self.filter.passes(&heard) {
            self.warn_of_filter(&heard);
            return self.tell(number, Some(&heard), Decision::Filtered, "");
        }
        self.totals.escalated += 1;
        let event = packet_received(number, &heard, &self.reader.view(bytes));
        self.observer.event(&event.to_string());
        let asked = AskedEvent {
            number,
            heard: Some(heard),
            event,
        };
        match self.has_program {
            false => self.after_program(asked),
            true if self.for_program.len() >= MAX_WAITING => {
                self.decide(&asked, Decision::HandlerSilent, "the program is too slow");
            }
            true => self.for_program.push_back(PacketForProgram {
                time: self.wire.now(),
                bytes: bytes.to_vec(),
                asked,
            }),
        }
    }

    /// Answers a question for a link address. False if it is none, or not for us.
    fn answer_neighbour(&mut self, frame: &[u8], heard: Option<&HeardPacket>) -> bool {
        let now = self.wire.now();
        let view = self.reader.view(frame);
        let Some(answer) = link_answer::answer(&self.far, &view, frame, now) else {
            return false;
        };
        self.totals.received += 1;
        let number = self.totals.received;
        match self.door.admit_neighbour(now, &answer) {
            Ok(at) => {
                self.write_at(at, answer);
                self.tell(number, heard, Decision::LinkAnswered, "");
            }
            Err(Closed { decision, why }) => self.tell(number, heard, decision, &why),
        }
        true
    }

    /// A packet to an address of ours that nobody gets to see may be a mistake: told once.
    fn warn_of_filter(&mut self, heard: &HeardPacket) {
        if !self.warned_of_filter && self.far.owns(heard.destination) {
            self.warned_of_filter = true;
            self.observer.warning(&format!(
                "{} does not pass the filter `{}`; `--packet-filter {}` lets such packets pass",
                Summary(heard),
                self.filter,
                filter_for(heard)
            ));
        }
    }

    /// The program did not take it, or there is none: the list of actions, the process, the model.
    pub(crate) fn after_program(&mut self, asked: AskedEvent) {
        if let Some(fixed) = &self.handlers.fixed {
            let answer = fixed.answer(&asked.event);
            let actions = answer
                .map_err(|error| ActionError::Form(error.to_string()))
                .and_then(|answer| read_answer(&answer, self.link()));
            if self.answered(&asked, actions, Speaker::Handler("the static handler")) {
                return;
            }
        }
        let now = self.wire.now();
        match self.handlers.process.as_mut().map(|it| it.ask(&asked, now)) {
            None => self.after_process(asked),
            Some(Ok(())) => {}
            Some(Err(why)) => self.decide(&asked, Decision::HandlerSilent, why),
        }
    }

    /// No handler has answered.
    fn after_process(&mut self, asked: AskedEvent) {
        let now = self.wire.now();
        match self.handlers.model.as_mut().map(|it| it.ask(&asked, now)) {
            None => self.decide(&asked, Decision::ModelDisabled, ""),
            Some(Ok(())) => {}
            Some(Err(why)) => self.decide(&asked, Decision::RateLimited, why),
        }
    }

    /// Takes what the process and the model have said meanwhile.
    pub(crate) fn hear_answers(&mut self) {
        if let Some(wakeups) = &mut self.handlers.wakeups {
            wakeups.clear();
        }
        let now = self.wire.now();
        while let Some(answer) = self.handlers.process.as_mut().and_then(|it| it.poll(now)) {
            self.hear_process(answer);
        }
        while let Some(answer) = self.handlers.model.as_mut().and_then(|it| it.poll()) {
            self.hear_model(answer);
        }
        self.totals.model_calls = self.handlers.model.as_ref().map_or(0, |it| it.calls());
    }

    fn hear_process(&mut self, ProcessAnswer { asked, line }: ProcessAnswer) {
        let line = match line {
            Ok(line) => line,
            Err(why) => return self.decide(&asked, Decision::HandlerSilent, why),
        };
        let actions = serde_json::from_str::<Value>(&line)
            .map_err(|error| {
                ActionError::Form(format!("it is not JSON ({error}): {}", shown(&line)))
            })
            .and_then(|answer| read_answer(&answer, self.link()));
        let is_answered = self.answered(&asked, actions, Speaker::Handler("the process"));
        if !is_answered && asked.heard.is_some() {
            self.after_process(asked);
        }
    }

    fn hear_model(&mut self, (asked, said): ModelAnswer) {
        match said {
            Ok(actions) => {
                if !self.answered(&asked, Ok(actions), Speaker::Model) {
                    self.decide(&asked, Decision::ModelSilent, "");
                }
            }
            Err(failure) => self.decide(&asked, failure.decision, &failure.why),
        }
    }

    /// Does what an answer says. False if it says nothing, not even that nothing is to be done.
    fn answered(
        &mut self,
        asked: &AskedEvent,
        actions: Result<Vec<EndpointAction>, ActionError>,
        by: Speaker,
    ) -> bool {
        let deed = match actions {
            Ok(actions) if actions.is_empty() => return false,
            Ok(actions) => self.deed(asked, &actions, by),
            Err(error) => Deed::nothing(Decision::BuildError, error.to_string()),
        };
        for (at, packet) in deed.packets {
            self.write_at(at, packet);
        }
        let detail = match (by, deed.detail.as_str()) {
            (Speaker::Handler(who), "") => who.into(),
            (Speaker::Handler(who), detail) => format!("{who}: {detail}"),
            (Speaker::Model, detail) => detail.into(),
        };
        self.decide(asked, deed.decision, &detail);
        true
    }

    /// Builds everything, then lets everything pass the door; only then anything is written.
    fn deed(&mut self, asked: &AskedEvent, actions: &[EndpointAction], by: Speaker) -> Deed {
        let mut built = Vec::new();
        let mut dropped = None;
        for action in actions {
            match action {
                EndpointAction::SendPacket(packet) => match build(packet, &self.far) {
                    Some(bytes) => built.push((packet.ends.destination, bytes)),
                    None => {
                        let why = format!("the packet is longer than the MTU of {}", self.far.mtu);
                        return Deed::nothing(Decision::BuildError, why);
                    }
                },
                EndpointAction::DropPacket { reason } => dropped = Some(reason.clone()),
                EndpointAction::NoResponse => {}
            }
        }
        let now = self.wire.now();
        let mut packets = Vec::new();
        for (destination, bytes) in built {
            let passed = self
                .door
                .admit_answer(now, &bytes, destination, |it| may_get(&self.far, asked, it));
            match passed {
                Ok(at) => packets.push((at, bytes)),
                Err(Closed { decision, why }) => return Deed::nothing(decision, why),
            }
        }
        let (send, drop, silent) = match by {
            Speaker::Handler(_) => (
                Decision::HandlerSend,
                Decision::HandlerDrop,
                Decision::HandlerSilent,
            ),
            Speaker::Model => (
                Decision::ModelSend,
                Decision::ModelDrop,
                Decision::ModelSilent,
            ),
        };
        match (packets.is_empty(), dropped) {
            (false, _) => Deed {
                decision: send,
                detail: String::new(),
                packets,
            },
            (true, Some(reason)) => Deed::nothing(drop, reason),
            (true, None) => Deed::nothing(silent, ""),
        }
    }

    fn link(&self) -> AnswerLink {
        match self.far.mode {
            EndpointMode::Tun => AnswerLink::Packets,
            EndpointMode::Tap => AnswerLink::Frames,
        }
    }

    /// What became of an event. Events of the interface have no fate but a failure.
    pub(crate) fn decide(&mut self, asked: &AskedEvent, decision: Decision, detail: &str) {
        match &asked.heard {
            Some(heard) => self.tell(asked.number, Some(heard), decision, detail),
            None if decision.is_failure() => self.observer.warning(&format!(
                "the answer to `interface_up` was not sent: decision={} {detail}",
                decision.word()
            )),
            None => {}
        }
    }
}

/// Whether an address may get the answer to an event: who sent the packet, and of an event of the
/// interface its near end.
fn may_get(far: &crate::far_end::FarEnd, asked: &AskedEvent, address: IpAddr) -> bool {
    match &asked.heard {
        Some(heard) => heard.source == address,
        None => far.is_near(address),
    }
}
