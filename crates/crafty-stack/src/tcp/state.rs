//! The states of a connection and the ways between them, as one table (RFC 9293 §3.3.2, figure 5).
//! Effects are elsewhere.

use alloc::string::String;
use core::fmt::Write;

/// State of a connection. LISTEN belongs to a port, which has no connection yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpState {
    /// There is no connection, or no more.
    Closed,
    /// Waits for a SYN.
    Listen,
    /// Our SYN was sent.
    SynSent,
    /// Both sent a SYN; ours is not acknowledged.
    SynReceived,
    /// Data flows.
    Established,
    /// We closed; our FIN is not acknowledged.
    FinWait1,
    /// Our FIN is acknowledged; the peer may still send.
    FinWait2,
    /// The peer closed; we may still send.
    CloseWait,
    /// Both closed at once; our FIN is not acknowledged.
    Closing,
    /// The peer closed, then we did; our FIN is not acknowledged.
    LastAck,
    /// Both FINs are acknowledged; late segments are waited for.
    TimeWait,
}

/// What moves a connection from state to state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateInput {
    /// We open.
    Open,
    /// A SYN came.
    Syn,
    /// A SYN came that acknowledges ours.
    SynAck,
    /// Our SYN is acknowledged.
    SynAcked,
    /// We close.
    Close,
    /// A FIN came, in order.
    Fin,
    /// Our FIN is acknowledged.
    FinAcked,
    /// A reset came or goes, or time ran out.
    Reset,
    /// TIME-WAIT is over.
    Expire,
}

use StateInput::{Close, Expire, Fin, FinAcked, Open, Reset, Syn, SynAck, SynAcked};
use TcpState::{
    CloseWait, Closed, Closing, Established, FinWait1, FinWait2, LastAck, Listen, SynReceived,
    SynSent, TimeWait,
};

/// State, input, next state. What is not listed does not move.
pub static TRANSITIONS: &[(TcpState, StateInput, TcpState)] = &[
    (Closed, Open, SynSent),
    (Listen, Syn, SynReceived),
    (SynSent, Syn, SynReceived),
    (SynSent, SynAck, Established),
    (SynSent, Close, Closed),
    (SynReceived, SynAcked, Established),
    (Established, Close, FinWait1),
    (Established, Fin, CloseWait),
    (FinWait1, FinAcked, FinWait2),
    (FinWait1, Fin, Closing),
    (FinWait2, Fin, TimeWait),
    (CloseWait, Close, LastAck),
    (Closing, FinAcked, TimeWait),
    (LastAck, FinAcked, Closed),
    (TimeWait, Expire, Closed),
    (SynSent, Reset, Closed),
    (SynReceived, Reset, Closed),
    (Established, Reset, Closed),
    (FinWait1, Reset, Closed),
    (FinWait2, Reset, Closed),
    (CloseWait, Reset, Closed),
    (Closing, Reset, Closed),
    (LastAck, Reset, Closed),
    (TimeWait, Reset, Closed),
];

/// Names as `STACK[TCP].state` gives them.
static NAMES: &[(TcpState, &str)] = &[
    (Closed, "closed"),
    (Listen, "listen"),
    (SynSent, "syn_sent"),
    (SynReceived, "syn_received"),
    (Established, "established"),
    (FinWait1, "fin_wait_1"),
    (FinWait2, "fin_wait_2"),
    (CloseWait, "close_wait"),
    (Closing, "closing"),
    (LastAck, "last_ack"),
    (TimeWait, "time_wait"),
];

impl TcpState {
    /// The state after `input`.
    pub fn after(self, input: StateInput) -> TcpState {
        TRANSITIONS
            .iter()
            .find(|(from, by, _)| (*from, *by) == (self, input))
            .map_or(self, |(_, _, to)| *to)
    }

    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        NAMES
            .iter()
            .find(|(state, _)| *state == self)
            .map_or("", |(_, name)| name)
    }

    /// Whether both ends know each other's sequence numbers.
    pub fn synchronised(self) -> bool {
        !matches!(self, Closed | Listen | SynSent | SynReceived)
    }

    /// Whether the program may still send.
    pub fn sends(self) -> bool {
        matches!(self, SynSent | SynReceived | Established | CloseWait)
    }

    /// Whether the peer may still send.
    pub fn receives(self) -> bool {
        matches!(self, Established | FinWait1 | FinWait2)
    }

    /// The table drawn, for Graphviz.
    pub fn dot() -> String {
        let mut dot = String::from("digraph tcp {\n");
        for (from, by, to) in TRANSITIONS {
            let _ = writeln!(
                dot,
                "  {} -> {} [label=\"{by:?}\"];",
                from.name(),
                to.name()
            );
        }
        dot.push_str("}\n");
        dot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drawing_is_the_table() {
        assert_eq!(TcpState::dot(), include_str!("state.dot"));
    }

    #[test]
    fn a_pair_of_state_and_input_has_one_way() {
        for (n, (from, by, _)) in TRANSITIONS.iter().enumerate() {
            assert!(
                !TRANSITIONS[..n]
                    .iter()
                    .any(|(f, b, _)| (f, b) == (from, by)),
                "{from:?} {by:?}"
            );
        }
    }
}
