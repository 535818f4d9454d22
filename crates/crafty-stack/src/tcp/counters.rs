//! What a connection tells of itself: one row a name, read by `STACK[TCP]`, reports and the manual.

use super::Connection;
use crafty_value::{Duration, Value};

/// What kind of value a row gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterKind {
    /// Whole number.
    Int,
    /// Truth value.
    Bool,
    /// Text.
    Text,
    /// Span of time.
    Duration,
}

/// One counter or piece of live state.
#[derive(Debug)]
pub struct TcpCounter {
    /// As written after `STACK[TCP].`.
    pub name: &'static str,
    /// Kind of its value.
    pub kind: CounterKind,
    /// One sentence, with its unit.
    pub doc: &'static str,
    /// Its value now.
    pub read: fn(&Connection) -> Value,
}

/// The row of a counter.
pub fn counter(name: &str) -> Option<&'static TcpCounter> {
    COUNTERS.iter().find(|c| c.name == name)
}

macro_rules! table {
    (counts { $($count:ident: $count_doc:literal,)* } live { $($name:ident $kind:ident: $doc:literal, $read:expr;)* }) => {
        /// What happened so far, each counted from the first SYN on.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct TcpCounters {
            $(#[doc = $count_doc] pub $count: u64,)*
        }

        /// All rows.
        pub static COUNTERS: &[TcpCounter] = &[
            $(TcpCounter { name: stringify!($name), kind: CounterKind::$kind, doc: $doc, read: $read },)*
            $(TcpCounter { name: stringify!($count), kind: CounterKind::Int, doc: $count_doc, read: |c| int(c.counters().$count) },)*
        ];
    };
}

table! {
    counts {
        segments_in: "Segments received.",
        segments_out: "Segments sent.",
        bytes_in: "Bytes of data received in order.",
        bytes_out: "Bytes of data sent, first transmissions.",
        bytes_acked: "Bytes of data that the peer acknowledged.",
        bytes_dropped: "Bytes received in order and dropped because nobody read them; the oldest 1 MiB is kept.",
        retransmits: "Segments retransmitted.",
        timeouts: "Times the retransmission timer fired.",
        probes: "Tail loss probes sent (RFC 8985).",
        fast_recoveries: "Times a loss was repaired without a timeout.",
        spurious: "Retransmissions that turned out to be spurious: the peer reported a duplicate (RFC 2883), or answered the original (RFC 3522).",
        dup_acks: "Duplicate acknowledgements received.",
        out_of_order: "Segments received out of order.",
        duplicates: "Segments received that brought nothing new.",
        zero_windows: "Times the peer's window closed.",
        window_probes: "Probes sent into a closed window.",
        keep_alives: "Keep-alive probes sent.",
        checksum_errors: "Segments received with a wrong checksum.",
        malformed: "Segments received with an invalid header.",
        paws_drops: "Segments dropped for an old time stamp (RFC 7323).",
        resets_in: "Resets received, valid or not.",
        challenge_acks: "Challenge acknowledgements sent (RFC 5961).",
        ecn_marks: "Segments received with Congestion Experienced.",
        ecn_echoes: "Times an echoed congestion mark reduced the window.",
        icmp_errors: "ICMP errors that quote this connection's segments.",
        mtu_reductions: "Times the segment size was lowered for the path.",
        mtu_probes: "Larger segments sent to learn whether the path takes them (RFC 4821).",
        urgent: "Segments received with urgent data.",
    }
    live {
        src Int: "Own port.", |c| int(c.local().port());
        dst Int: "Peer's port.", |c| int(c.remote().port());
        state Text: "State of the connection (RFC 9293 §3.3.2), in lower case.", |c| Value::text(c.state().name());
        snd_una Int: "Oldest sequence number not acknowledged.", |c| int(c.snd_una().0);
        snd_nxt Int: "Next sequence number to send.", |c| int(c.snd_nxt().0);
        rcv_nxt Int: "Next sequence number expected.", |c| int(c.rcv_nxt().0);
        cwnd Int: "Congestion window in bytes.", |c| int(c.window().cwnd);
        ssthresh Int: "Slow start threshold in bytes.", |c| int(c.window().ssthresh);
        srtt Duration: "Smoothed round-trip time (RFC 6298).", |c| Value::Duration(c.rtt().srtt.unwrap_or_default());
        rttvar Duration: "Variation of the round-trip time.", |c| Value::Duration(c.rtt().rttvar);
        min_rtt Duration: "Smallest round-trip time seen.", |c| Value::Duration(c.rtt().min.unwrap_or_default());
        rto Duration: "Retransmission timeout.", |c| Value::Duration(c.rtt().rto());
        mss Int: "Largest segment we send, in bytes.", |c| int(c.mss());
        peer_mss Int: "Maximum segment size that the peer announced.", |c| int(c.peer_mss());
        peer_window Int: "Window the peer offers, scaled, in bytes.", |c| int(c.peer_window());
        peer_wscale Int: "Window scale of the peer; 0 if it offered none.", |c| int(c.peer_wscale());
        sack_ok Bool: "Whether both ends use selective acknowledgement.", |c| Value::Bool(c.sack_ok());
        timestamps Bool: "Whether both ends use time stamps.", |c| Value::Bool(c.timestamps());
        ecn Bool: "Whether both ends use ECN.", |c| Value::Bool(c.ecn());
        handshake Duration: "From the first SYN to the SYN-ACK.", |c| Value::Duration(c.handshake().unwrap_or(Duration::ZERO));
        reordering Int: "Largest reordering seen, in segments.", |c| int(c.reordering());
        bytes_in_flight Int: "Bytes in flight: sent, not acknowledged and not considered lost.", |c| int(c.bytes_in_flight());
        unsent Int: "Bytes waiting to be sent for the first time.", |c| int(c.unsent());
    }
}

fn int(n: impl Into<u64>) -> Value {
    Value::Int(i64::try_from(n.into()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_row() {
        for (n, row) in COUNTERS.iter().enumerate() {
            assert!(
                !COUNTERS[..n].iter().any(|other| other.name == row.name),
                "{}",
                row.name
            );
            assert!(row.doc.ends_with('.'), "{}", row.name);
        }
    }
}
