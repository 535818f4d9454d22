//! Flows that the program makes of single segments: what `auto` means on them.

use crate::receiving::view::DecodedPacket;
use core::net::IpAddr;
use crafty_stack::tcp::Segment as Received;
use crafty_stack::tcp::segment::flags::{ACK, FIN, RST, SYN};
use crafty_wire::FieldValue;
use std::collections::BTreeMap;

/// Flows remembered at most; the oldest is not replaced.
const MAX_FLOWS: usize = 4096;

/// Address and port of both ends, own first.
pub(crate) type FlowEnds = ((IpAddr, u16), (IpAddr, u16));

/// A segment that the program crafted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CraftedSegment {
    pub ends: FlowEnds,
    /// One past its last sequence number.
    pub end: u32,
    pub payload: Vec<u8>,
    pub fin: bool,
    pub reset: bool,
    pub advance: bool,
}

/// What is known of the flows.
#[derive(Debug, Default)]
pub(crate) struct CraftedFlows {
    flows: BTreeMap<FlowEnds, CraftedFlow>,
}

/// Next sequence numbers, as far as known.
#[derive(Clone, Copy, Debug, Default)]
struct CraftedFlow {
    snd_nxt: u32,
    rcv_nxt: Option<u32>,
    /// Whether the peer has answered a SYN, and nobody has reset the flow since.
    open: bool,
}

impl CraftedFlows {
    /// The program has sent a segment.
    pub fn sent(&mut self, segment: &CraftedSegment) {
        if self.flows.len() < MAX_FLOWS || self.flows.contains_key(&segment.ends) {
            let flow = self.flows.entry(segment.ends).or_default();
            flow.snd_nxt = segment.end;
            flow.open &= !segment.reset;
        }
    }

    /// A frame came; what is next in order on its flow moves on.
    pub fn received(&mut self, view: &DecodedPacket, checksum_ready: bool) {
        if self.flows.is_empty() {
            return;
        }
        let Some(segment) = view
            .network_bytes()
            .and_then(|o| Received::of_datagram(o, checksum_ready))
        else {
            return;
        };
        let Some((remote, local)) = segment.ends() else {
            return;
        };
        let ends = ((local.ip(), local.port()), (remote.ip(), remote.port()));
        let Some(flow) = self.flows.get_mut(&ends) else {
            return;
        };
        let Some((seq, length, flags)) = extent(segment.octets) else {
            return;
        };
        let syn = flags & SYN != 0;
        flow.open = (flow.open || flags & (SYN | ACK) == SYN | ACK) && flags & RST == 0;
        if syn || flow.rcv_nxt.is_none_or(|next| next == seq) {
            flow.rcv_nxt = Some(seq.wrapping_add(length));
        }
    }

    /// Flows that the peer holds open, with the sequence number that a reset of them must have.
    pub fn half_open(&self) -> Vec<(FlowEnds, u32)> {
        self.flows
            .iter()
            .filter(|(_, flow)| flow.open)
            .map(|(ends, flow)| (*ends, flow.snd_nxt))
            .collect()
    }

    /// What `seq=auto` and `ack=auto` mean on a flow.
    pub fn live(&self, ends: FlowEnds) -> Vec<(&'static str, FieldValue)> {
        let Some(flow) = self.flows.get(&ends) else {
            return Vec::new();
        };
        let mut live = vec![("seq", FieldValue::Uint(flow.snd_nxt.into()))];
        live.extend(
            flow.rcv_nxt
                .map(|next| ("ack", FieldValue::Uint(next.into()))),
        );
        live
    }
}

/// Sequence number, length in sequence space, and flags (RFC 9293 §3.1, §3.4).
fn extent(octets: &[u8]) -> Option<(u32, u32, u8)> {
    let seq = u32::from_be_bytes(octets.get(4..8)?.try_into().ok()?);
    let header = usize::from(octets.get(12)? >> 4) * 4;
    let flags = *octets.get(13)?;
    let data = u32::try_from(octets.len().checked_sub(header)?).ok()?;
    let (syn, fin) = (flags & SYN != 0, flags & FIN != 0);
    Some((
        seq,
        data.wrapping_add(u32::from(syn))
            .wrapping_add(u32::from(fin)),
        flags,
    ))
}
