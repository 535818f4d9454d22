//! What a packet means in its flow: new bytes, bytes that come late or again, acknowledgements,
//! windows. Sequence numbers are counted from the first one seen of a side, in 64 bits, so that
//! they do not wrap.

use crate::flow::AnalysedFlow;
use crate::flow_side::{MOST_FINGERPRINTS, RoundTrips, SentRange};
use crate::observed_packet::ObservedPacket;
use crate::packet_meaning::{PacketMeaning, SynRecord};
use crafty_value::{Duration, Time};
use crafty_wire::protocols::tcp::{ACK_FLAG, RST_FLAG, SYN_FLAG, TcpSegment};

impl AnalysedFlow {
    pub(crate) fn take(&mut self, packet: &ObservedPacket<'_>) -> PacketMeaning {
        let mut meaning = PacketMeaning::default();
        self.sides[packet.side].packets += 1;
        self.sides[packet.side].known_again(packet, &mut meaning);
        if meaning.copy || meaning.duplicate.is_some() {
            meaning.rewritten = self.sides[packet.side].rewritten(packet);
            return meaning;
        }
        self.sides[packet.side].take_network(packet, &mut meaning);
        let Some(segment) = &packet.tcp else {
            return meaning;
        };
        if segment.has(RST_FLAG) {
            self.reset = self.reset.or(Some((packet.side, packet.index)));
            return meaning;
        }
        self.take_opening(packet, segment);
        if segment.has(ACK_FLAG) {
            self.take_ack(packet, segment, &mut meaning);
        }
        self.take_window(packet, segment, &mut meaning);
        self.take_bytes(packet, segment, &mut meaning);
        self.take_talk(packet, segment, &mut meaning);
        meaning
    }

    fn take_opening(&mut self, packet: &ObservedPacket<'_>, segment: &TcpSegment<'_>) {
        if segment.has(SYN_FLAG) {
            let side = &mut self.sides[packet.side];
            let opening = side.opening.get_or_insert_with(|| SynRecord {
                packets: Vec::new(),
                options: packet.tcp_options.clone(),
            });
            if opening.packets.len() < MOST_FINGERPRINTS {
                opening.packets.push(packet.index);
            }
            self.answered |= segment.has(ACK_FLAG);
            let at = if segment.has(ACK_FLAG) {
                &mut self.answered_at
            } else {
                &mut self.opened_at
            };
            *at = packet.time;
        } else if packet.side == self.opener && self.answered && !self.open && segment.has(ACK_FLAG)
        {
            self.open = true;
            let once = self.sides.iter().all(|side| {
                side.opening
                    .as_ref()
                    .is_some_and(|it| it.packets.len() == 1)
            });
            let between = |from: Option<Time>, to: Option<Time>| {
                from.zip(to)
                    .filter(|_| once)
                    .map(|(from, to)| to.since(from))
            };
            self.round_trip = between(self.opened_at, packet.time);
            self.trips[1 - self.opener] = between(self.opened_at, self.answered_at);
            self.trips[self.opener] = between(self.answered_at, packet.time);
        }
    }

    /// What the acknowledgement tells of the bytes of the other side.
    fn take_ack(
        &mut self,
        packet: &ObservedPacket<'_>,
        segment: &TcpSegment<'_>,
        meaning: &mut PacketMeaning,
    ) {
        let own = self.sides[packet.side].window;
        let same_window = own == Some(self.scaled(packet.side, segment));
        let data = &mut self.sides[1 - packet.side];
        let Some(ack) = data.offset(segment.ack) else {
            return;
        };
        let pure = segment.span() == 0;
        if ack > data.acked {
            // An advance while a loss is repaired tells of the next one (RFC 6582 §3.2).
            let partial = data.repeated_at[1]
                .and(packet.time)
                .filter(|_| ack < data.next);
            (data.repeats, data.repeated_at) = (0, [partial; 2]);
        } else if ack == data.acked
            && pure
            && data.next > ack
            && (same_window || !packet.tcp_options.sacks.is_empty())
        {
            data.repeats += 1;
            match data.repeats {
                1 => data.repeated_at[0] = data.repeated_at[0].or(packet.time),
                3 => data.repeated_at[1] = data.repeated_at[1].or(packet.time),
                _ => {}
            }
            meaning.repeated_ack = data.repeats;
        }
        meaning.unseen = data.acknowledge(ack);
        data.take_sacks(ack, &packet.tcp_options);
        data.judge_by_echo(ack, &packet.tcp_options);
    }

    fn take_window(
        &mut self,
        packet: &ObservedPacket<'_>,
        segment: &TcpSegment<'_>,
        meaning: &mut PacketMeaning,
    ) {
        if segment.has(SYN_FLAG) || !segment.has(ACK_FLAG) {
            return;
        }
        let window = self.scaled(packet.side, segment);
        let grain = self.shift(packet.side).map(|shift| 1_i64 << shift);
        let ack = self.sides[1 - packet.side].offset(segment.ack);
        let side = &mut self.sides[packet.side];
        let stale = side.offset(segment.seq).is_some_and(|at| at < side.next);
        if stale {
            return;
        }
        meaning.zero_window = window == 0 && side.window != Some(0);
        let edge = ack.map(|ack| ack + window as i64);
        // = RFC 9293 §3.8.6: a receiver should not shrink its window; scaling alone may take back
        // less than its grain.
        if let (Some(grain), Some(before), Some(edge)) = (grain, side.edge, edge) {
            meaning.taken_back =
                before.saturating_sub(edge).saturating_sub(grain - 1).max(0) as u64;
        }
        side.window = Some(window);
        side.edge = edge.or(side.edge);
    }

    /// The shift of the windows of a side; `None` where the opening was not seen.
    fn shift(&self, side: usize) -> Option<u8> {
        let [a, b] = [0, 1].map(|i| self.sides[i].opening.as_ref().map(|it| it.options.wscale));
        let (a, b) = (a?, b?);
        let agreed = a.is_some() && b.is_some();
        if agreed { [a, b][side] } else { Some(0) }
    }

    fn scaled(&self, side: usize, segment: &TcpSegment<'_>) -> u64 {
        let shift = if segment.has(SYN_FLAG) {
            0
        } else {
            self.shift(side).unwrap_or(0)
        };
        u64::from(segment.window) << shift
    }

    fn take_bytes(
        &mut self,
        packet: &ObservedPacket<'_>,
        segment: &TcpSegment<'_>,
        meaning: &mut PacketMeaning,
    ) {
        let span = segment.span() as i64;
        let probe = self.sides[1 - packet.side].window == Some(0) && segment.len() <= 1;
        let trips = RoundTrips {
            own: self.trips[packet.side],
            whole: self.round_trip,
        };
        let side = &mut self.sides[packet.side];
        side.base.get_or_insert(segment.seq);
        let Some(left) = side.offset(segment.seq).filter(|_| span > 0) else {
            return;
        };
        let (right, id) = (
            left + span,
            packet.network.and_then(|it| it.id).filter(|id| *id != 0),
        );
        let mut sent = SentRange {
            left,
            right,
            index: packet.index,
            time: packet.time,
            id,
            ts: packet.tcp_options.timestamps.map(|it| it.value),
            gap: None,
        };
        if left > side.next {
            side.open_gap(sent);
        } else if right <= side.next && side.packets > 1 {
            side.again(&mut sent, trips, segment.has(SYN_FLAG), probe, meaning);
        }
        side.next = side.next.max(right);
        side.remember(sent);
    }

    /// How long the side that was asked took to say its first byte.
    fn take_talk(
        &mut self,
        packet: &ObservedPacket<'_>,
        segment: &TcpSegment<'_>,
        meaning: &mut PacketMeaning,
    ) {
        let opener = packet.side == self.opener;
        if !self.open || self.sides[1 - self.opener].spoke {
            return;
        }
        if opener && (!segment.is_empty() || self.sides[self.opener].asked.is_none()) {
            self.sides[self.opener].asked = packet.time;
        } else if !opener && !segment.is_empty() {
            self.sides[packet.side].spoke = true;
            let took = self.sides[self.opener]
                .asked
                .zip(packet.time)
                .map(|(then, now)| now.since(then));
            meaning.first_byte = took
                .zip(self.round_trip)
                .map(|(took, trip)| Duration(took.0.saturating_sub(trip.0)));
        }
    }
}
