//! What a program made from a conversation may do: reach the peer that was seen, from the port that
//! was seen, with about as many packets.

use super::{Role, ScriptBody};
use crafty_run::recording::{EndpointAddress, Flow, Proto, Recording};
use crafty_value::Duration;

/// Packets that resolving a neighbour and answering its questions may take.
const NEIGHBOURS: usize = 6;
/// Packets that a connection may take beyond twice those that were seen: acknowledgements come as
/// they come, and some are sent again.
const CONNECTION: usize = 20;
/// Bytes of such a packet.
const SMALL: usize = 100;
/// What the checker assumes for a datagram whose length it does not know.
const WHOLE: usize = 1514;
/// Opening and closing of a connection, and what a machine is late by.
const SLACK: Duration = Duration::seconds(10);

/// Settings of a program.
pub struct Limits {
    proto: Proto,
    role: Role,
    own: EndpointAddress,
    peer: EndpointAddress,
    packets: usize,
    /// In the busiest second.
    rate: usize,
    octets: usize,
    duration: Duration,
}

impl Limits {
    /// As the conversation was seen from this side.
    pub fn of(recording: &Recording, flow: &Flow, role: Role, script: &ScriptBody) -> Limits {
        let client = role == Role::Client;
        let (own, peer) = if client {
            (flow.client, flow.server)
        } else {
            (flow.server, flow.client)
        };
        let ours = flow
            .steps
            .iter()
            .filter(|step| step.from_client == client)
            .map(|step| &recording.frames[step.frame]);
        let (times, octets): (Vec<i64>, Vec<usize>) = ours
            .map(|frame| (frame.time.0, frame.wire_len.max(60)))
            .unzip();
        let within = |i: usize| {
            times[i..]
                .iter()
                .take_while(|time| **time - times[i] <= 1_000_000_000)
                .count()
        };
        let busiest = (0..times.len()).map(within).max().unwrap_or(0);
        let (times_seen, more) = if flow.proto == Proto::Tcp {
            (2, CONNECTION + NEIGHBOURS)
        } else {
            (1, NEIGHBOURS)
        };
        let octets = octets.iter().sum::<usize>() * times_seen;
        Limits {
            proto: flow.proto,
            role,
            own,
            peer,
            packets: times.len() * times_seen + more,
            rate: busiest * times_seen + more,
            octets: octets.max(script.sends * WHOLE) + more * SMALL,
            duration: Duration(script.lasts.0.saturating_add(SLACK.0)),
        }
    }

    /// The first lines.
    pub fn text(&self) -> String {
        let seconds = self.duration.0 / 1_000_000_000 + 1;
        let syns = if self.proto == Proto::Tcp {
            ", max_syns: 3"
        } else {
            ""
        };
        let budget = format!(
            "BUDGET = {{ max_duration: {seconds}s, max_packets: {}, max_packets_per_secs: {}, max_bytes: {}, max_bytes_per_secs: {}{syns} }}",
            self.packets, self.rate, self.octets, self.octets
        );
        let (protocol, own) = match self.proto {
            Proto::Tcp => ("tcp", self.own.1),
            Proto::Udp => ("udp", self.own.1),
            _ => ("icmp", self.own.1),
        };
        // A server needs no port of its peer: it answers whoever asked.
        let ports = match self.role {
            Role::Client if protocol != "icmp" => format!("{protocol}: [{}]", self.peer.1),
            _ => "tcp: []".into(),
        };
        format!(
            "param peer = {}\n{budget}\nPERMISSIONS = {{ destinations: [peer], destination_ports: {{ {ports} }} }}\nPORTS = {{ {protocol}: [{own}] }}\n",
            self.peer.0
        )
    }
}
