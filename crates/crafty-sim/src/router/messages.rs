//! What a router says of its own: echo replies, and in ICMP what it did not forward (RFC 1812, RFC 4443).

use super::neighbours::WaitingFrame;
use super::refusal::{self, Refusal};
use super::routes::Hop;
use super::settings::IcmpErrors;
use super::{Choice, Router, is_routable};
use crate::node::Outbox;
use crate::packet::{self, ETHERNET, Head};
use crafty_value::{Duration, Time};
use std::net::IpAddr;

/// Hops that a router's own datagrams may take.
const TTL: u8 = 255;

/// ICMP errors that may follow at once when their rate is limited.
const ICMP_BURST: i64 = 6;

/// ICMP errors that wait at a time.
const LATER: usize = 4096;

impl Router {
    /// A datagram to one of the router's own addresses, whole or in pieces.
    pub(super) fn on_own(
        &mut self,
        now: Time,
        port: usize,
        head: &Head,
        frame: &[u8],
        out: &mut Outbox,
    ) {
        if head.offset > 0 || head.more {
            let whole = self.joiner.take(now, frame.to_vec());
            if let Some(whole) = whole
                && let Ok(head) = Head::read(&whole[ETHERNET..])
            {
                self.on_own(now, port, &head, &whole, out);
            }
            return;
        }
        let datagram = &frame[ETHERNET..];
        match (head.proto, head.icmp_type(datagram)) {
            (packet::ICMP, Some(8)) | (packet::ICMP6, Some(128)) => {
                self.echo(now, port, head.dst, head, datagram, out)
            }
            (packet::ICMP6, Some(135 | 136)) => self.on_neighbour(now, port, head, frame, out),
            (packet::ICMP | packet::ICMP6, _) => {}
            (packet::UDP, _) => self.refuse(now, port, refusal::NO_PORT, head, datagram, out),
            (packet::TCP, _) => out.drops.push("TCP for the router itself"),
            _ => self.refuse(now, port, refusal::NO_PROTOCOL, head, datagram, out),
        }
    }

    /// A datagram to a group: only what all nodes or all routers are asked.
    pub(super) fn on_group(
        &mut self,
        now: Time,
        port: usize,
        head: &Head,
        frame: &[u8],
        out: &mut Outbox,
    ) {
        let datagram = &frame[ETHERNET..];
        match head.icmp_type(datagram) {
            Some(135 | 136) if head.proto == packet::ICMP6 => {
                self.on_neighbour(now, port, head, frame, out)
            }
            Some(128) if head.proto == packet::ICMP6 => {
                self.echo(now, port, self.address(port, head.src), head, datagram, out)
            }
            _ => {}
        }
    }

    fn echo(
        &mut self,
        now: Time,
        port: usize,
        from: IpAddr,
        head: &Head,
        datagram: &[u8],
        out: &mut Outbox,
    ) {
        let mut message = head.upper(datagram).to_vec();
        if message.len() < 8 {
            return;
        }
        message[0] = if head.proto == packet::ICMP { 0 } else { 129 };
        packet::seal_icmp(from, head.src, &mut message);
        self.say(now, port, from, head.src, &message, out);
    }

    /// Refuses a datagram in ICMP, where that is allowed (RFC 1812 §4.3.2.7, RFC 4443 §2.4).
    pub(super) fn refuse(
        &mut self,
        now: Time,
        port: usize,
        refusal: Refusal,
        head: &Head,
        datagram: &[u8],
        out: &mut Outbox,
    ) {
        out.drops.push(refusal.reason);
        let policy = self.settings.icmp;
        let says = match policy.says {
            IcmpErrors::All => true,
            IcmpErrors::NoMtu => !refusal.is_about_mtu(),
            IcmpErrors::None => false,
        };
        if !says || !may_be_refused(head, datagram) || !self.may_complain(now) {
            return;
        }
        let Some(mut message) = refusal.message(head.dst.is_ipv4(), datagram, &policy) else {
            return;
        };
        let own = self.address(port, head.src);
        let from = policy
            .source
            .filter(|it| it.is_ipv4() == own.is_ipv4())
            .unwrap_or(own);
        packet::seal_icmp(from, head.src, &mut message);
        if policy.delay == Duration::ZERO {
            return self.say(now, port, from, head.src, &message, out);
        }
        if self.later.len() < LATER {
            self.later
                .push_back((now.after(policy.delay), port, from, head.src, message));
        }
    }

    /// Whether one more ICMP error is within the rate.
    fn may_complain(&mut self, now: Time) -> bool {
        let Some(interval) = self.settings.icmp.interval else {
            return true;
        };
        let next = self.icmp_next.max(now);
        let allowed = next.since(now).0 <= interval.0.saturating_mul(ICMP_BURST - 1);
        if allowed {
            self.icmp_next = next.after(interval);
        }
        allowed
    }

    /// Sends an ICMP message of the router's own.
    pub(super) fn say(
        &mut self,
        now: Time,
        port: usize,
        from: IpAddr,
        to: IpAddr,
        message: &[u8],
        out: &mut Outbox,
    ) {
        self.id = self.id.wrapping_add(1);
        let proto = if to.is_ipv4() {
            packet::ICMP
        } else {
            packet::ICMP6
        };
        let frame = packet::framed(&packet::datagram(from, to, proto, TTL, self.id, message));
        let Ok(head) = Head::read(&frame[ETHERNET..]) else {
            return;
        };
        let on_link = matches!(to, IpAddr::V6(to) if to.is_unicast_link_local());
        let hop = if on_link {
            Choice::Hop(Hop {
                port,
                gateway: None,
            })
        } else {
            self.choose(&head, &frame[ETHERNET..])
        };
        match hop {
            Choice::Hop(hop) if !self.holds(to) => self.dispatch(now, hop, &head, frame, None, out),
            _ => out.drops.push("no route for the router's own message"),
        }
    }

    /// Tells the sender of a datagram for the router itself that pieces of it are missing.
    pub(super) fn give_up_fragments(&mut self, now: Time, first: &[u8], out: &mut Outbox) {
        let to = packet::ethernet(first).map(|it| it.1);
        let port = self.interfaces.iter().position(|it| Some(it.mac) == to);
        if let (Ok(head), Some(port)) = (Head::read(&first[ETHERNET..]), port) {
            self.refuse(
                now,
                port,
                refusal::NEVER_WHOLE,
                &head,
                &first[ETHERNET..],
                out,
            );
        }
    }

    pub(super) fn give_up(&mut self, now: Time, waiting: WaitingFrame, out: &mut Outbox) {
        let datagram = &waiting.frame[ETHERNET..];
        match (Head::read(datagram), waiting.arrival) {
            (Ok(head), Some(port)) => {
                self.refuse(now, port, refusal::NO_NEIGHBOUR, &head, datagram, out)
            }
            _ => out.drops.push(refusal::NO_NEIGHBOUR.reason),
        }
    }
}

pub(crate) fn may_be_refused(head: &Head, datagram: &[u8]) -> bool {
    let is_error = match head.icmp_type(datagram) {
        Some(kind) if head.dst.is_ipv4() => matches!(kind, 3 | 4 | 5 | 11 | 12),
        Some(kind) => kind < 128,
        None => false,
    };
    head.offset == 0 && !is_error && is_routable(head.src)
}
