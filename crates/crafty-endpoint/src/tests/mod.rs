//! The way of packets from a played interface to played handlers and back.

mod handlers;
mod hostile;
mod options;
mod passage;

use crate::action::AnswerLink;
use crate::decision::{DECISIONS, Decision, Fate};
use crate::door::Door;
use crate::far_end::FarEnd;
use crate::handlers::fixed::FixedHandler;
use crate::handlers::waker;
use crate::medium::{EndpointMedium, EndpointObserver, Handlers};
use crate::model::{ModelDesk, ModelServer};
use crate::option::EndpointOptions;
use crate::wire::{FoundPacket, Wire};
use crafty_policy::Policy;
use crafty_run::Time;
use crafty_value::{Duration, Mac};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Link address of the played host.
pub const NEAR_MAC: Mac = Mac([2, 0, 0, 0, 0, 1]);

/// What passed a played interface, and what was reported; clones are the same.
#[derive(Clone, Default)]
pub struct Seen {
    waiting: Arc<Mutex<VecDeque<Vec<u8>>>>,
    pub sent: Arc<Mutex<Vec<Vec<u8>>>>,
    pub log: Arc<Mutex<Vec<String>>>,
    pub events: Arc<Mutex<Vec<Value>>>,
    now: Arc<AtomicI64>,
    /// Whether its time hardly passes, so that nothing is late on a busy machine.
    patient: Arc<AtomicBool>,
}

impl Seen {
    pub fn be_patient(&self) {
        self.patient.store(true, Ordering::Relaxed);
    }
}

impl Wire for Seen {
    fn receive(&mut self, into: &mut [u8]) -> io::Result<Option<FoundPacket>> {
        let Some(packet) = self.waiting.lock().expect("a lock").pop_front() else {
            return Ok(None);
        };
        into[..packet.len()].copy_from_slice(&packet);
        Ok(Some(Ok(0..packet.len())))
    }

    fn send(&mut self, packet: &[u8]) -> io::Result<()> {
        self.sent.lock().expect("a lock").push(packet.to_vec());
        Ok(())
    }

    fn wait(&mut self, other: Option<BorrowedFd<'_>>, _until: Time) -> io::Result<()> {
        // Threads of handlers have real time; the interface has its own.
        let fds: Vec<_> = other.into_iter().collect();
        crafty_net::wait_any(&fds, crafty_net::now().after(Duration::millis(2)))?;
        let passed = if self.patient.load(Ordering::Relaxed) {
            1_000
        } else {
            1_000_000
        };
        self.now.fetch_add(passed, Ordering::Relaxed);
        Ok(())
    }

    fn now(&self) -> Time {
        Time(self.now.load(Ordering::Relaxed))
    }
}

impl EndpointObserver for Seen {
    fn event(&mut self, line: &str) {
        let event = serde_json::from_str(line).expect("an event is JSON");
        self.events.lock().expect("a lock").push(event);
    }

    fn fate(&mut self, fate: &Fate<'_>) {
        let line = fate.to_string();
        assert!(
            !line.contains(|c: char| c.is_control() || !c.is_ascii() && c != '…'),
            "{line:?}"
        );
        self.log.lock().expect("a lock").push(line);
    }

    fn warning(&mut self, text: &str) {
        self.log
            .lock()
            .expect("a lock")
            .push(format!("warning: {text}"));
    }
}

/// A model that always says the same, and counts.
pub struct Parrot(pub String, pub AtomicUsize);

impl ModelServer for Parrot {
    fn post(
        &self,
        _path: &str,
        _body: &Value,
        _within: Duration,
    ) -> Result<Value, crate::model::PostError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        Ok(json!({ "message": { "content": self.0 }, "done_reason": "stop" }))
    }

    fn now(&self) -> Time {
        Time(0)
    }
}

/// An endpoint on a played interface.
pub struct Played {
    pub medium: EndpointMedium,
    pub seen: Seen,
}

/// Options by names and values, both families given.
pub fn options(given: &[(&str, &str)]) -> EndpointOptions {
    let addresses = [("address", "10.7.0.1/24"), ("address", "fd00:7::1/64")];
    let all: Vec<(String, String)> = addresses
        .iter()
        .chain(given)
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect();
    EndpointOptions::new(&all).unwrap_or_else(|error| panic!("{error}: {}", error.fix))
}

impl Played {
    /// With these options, operator and handlers; `model` is asked where there is one.
    pub fn new(
        given: &[(&str, &str)],
        operator: &Policy,
        mut handlers: Handlers,
        model: Option<Arc<dyn ModelServer>>,
    ) -> Played {
        let options = options(given);
        let far = FarEnd::new(&options, "far0", Some(NEAR_MAC));
        let seen = Seen::default();
        let door = Door::new(&far, operator, options.powers, Time(0));
        if let Some(server) = model {
            let (waker, wakeups) = waker().expect("a pipe");
            let link = match options.mode {
                crate::option::EndpointMode::Tun => AnswerLink::Packets,
                crate::option::EndpointMode::Tap => AnswerLink::Frames,
            };
            handlers.model = ModelDesk::new(&options, server, link, waker);
            handlers.wakeups = Some(wakeups);
        }
        let (wire, observer) = (Box::new(seen.clone()), Box::new(seen.clone()));
        Played {
            medium: EndpointMedium::new(&options, far, door, wire, handlers, observer, 1),
            seen,
        }
    }

    /// Lets the host send a packet.
    pub fn hear(&mut self, packet: &[u8]) {
        self.seen
            .waiting
            .lock()
            .expect("a lock")
            .push_back(packet.to_vec());
        self.medium.step(None);
    }

    /// Lets time pass until this many packets have a fate.
    #[track_caller]
    pub fn until_told(&mut self, count: u64) {
        for _ in 0..20_000 {
            let told: u64 = DECISIONS
                .iter()
                .map(|row| self.medium.totals.of(row.decision))
                .sum();
            if told >= count {
                return;
            }
            self.medium.step(None);
        }
        panic!("{:?}", self.log());
    }

    pub fn sent(&self) -> Vec<Vec<u8>> {
        self.seen.sent.lock().expect("a lock").clone()
    }

    pub fn log(&self) -> Vec<String> {
        self.seen.log.lock().expect("a lock").clone()
    }

    #[track_caller]
    pub fn fates(&self, wanted: &[(Decision, u64)]) {
        let told: Vec<_> = DECISIONS
            .iter()
            .map(|row| (row.decision, self.medium.totals.of(row.decision)))
            .filter(|(_, count)| *count > 0)
            .collect();
        assert_eq!(told, wanted, "{:#?}", self.log());
    }
}

/// The static handler that answers pings of both families, on both layers.
pub fn ping_answers() -> FixedHandler {
    let text = r#"[{"type": "send_packet", "source": "{{event.destination}}", "destination": "{{event.source}}", "protocol": "{{event.protocol}}",
        "icmp_type": "echo_reply", "icmp_id": "{{event.icmp_id}}", "icmp_sequence": "{{event.icmp_sequence}}",
        "payload": "{{event.payload_preview}}", "payload_encoding": "{{event.payload_encoding}}"}]"#;
    FixedHandler::read(text).expect("a list of actions")
}

/// A packet built from an action, as the host would send it.
pub fn packet(mode: &str, action: Value) -> Vec<u8> {
    let options = options(&[("mode", mode), ("mtu", "60000")]);
    let mut far = FarEnd::new(&options, "far0", Some(crate::far_end::FAR_MAC));
    far.near_mac = Some(crate::far_end::FAR_MAC);
    let link = if mode == "tun" {
        AnswerLink::Packets
    } else {
        AnswerLink::Frames
    };
    let actions = crate::action::read_answer(&action, link).expect("an action");
    let crate::action::EndpointAction::SendPacket(packet) = &actions[0] else {
        panic!("{action}");
    };
    crate::action::build(packet, &far).expect("a packet")
}

/// An echo request of the host.
pub fn ping(mode: &str, destination: &str, sequence: u16) -> Vec<u8> {
    let (source, protocol) = match destination.contains(':') {
        false => ("10.7.0.1", "icmp"),
        true => ("fd00:7::1", "icmpv6"),
    };
    let mut action = json!({ "type": "send_packet", "source": source, "destination": destination, "protocol": protocol,
        "icmp_type": "echo_request", "icmp_id": 7, "icmp_sequence": sequence, "payload": "abcdefgh" });
    if mode == "tap" {
        action["source_mac"] = json!(NEAR_MAC.to_string());
        action["destination_mac"] = json!(crate::far_end::FAR_MAC.to_string());
    }
    packet(mode, action)
}
