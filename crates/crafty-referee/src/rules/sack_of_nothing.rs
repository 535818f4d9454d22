//! A selective acknowledgement of what never came.

use super::{TcpRule, sent_here};

pub static RULE: TcpRule = TcpRule {
    name: "sack_of_nothing",
    source: "RFC 2018 §4, RFC 2883 §4",
    doc: "A SACK block names bytes that did not arrive. Checked only at the end itself, and only if the trace has the handshake.",
    judge: |end, _, event| {
        let seen = sent_here(end, event)?;
        let known = end.peer_syn.is_some() && !end.arrived.overflown;
        let ack = seen.ack.filter(|_| known)?;
        let place = |number: u32| ack + i64::from(number.wrapping_sub(seen.packet.ack) as i32);
        let lie = |&&(left, right): &&(u32, u32)| !end.arrived.holds(place(left), place(right));
        let (left, right) = seen.packet.sacks.iter().find(lie)?;
        Some(format!(
            "the SACK block {} to {} names bytes that did not arrive",
            place(*left),
            place(*right)
        ))
    },
};
