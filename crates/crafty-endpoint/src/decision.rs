//! What became of a packet: one word of a fixed list for each, and the line of the log that says it.

use crate::heard::{HeardPacket, protocol_name};
use std::fmt;

macro_rules! decisions {
    ($($name:ident $word:literal $doc:literal)*) => {
        /// What became of a packet.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Decision { $(#[doc = $doc] $name,)* }

        /// Every decision, with its word in the log and what it means.
        pub static DECISIONS: &[DecisionRow] = &[
            $(DecisionRow { decision: Decision::$name, word: $word, doc: $doc },)*
        ];
    };
}

/// What is known of a decision.
#[derive(Debug)]
pub struct DecisionRow {
    /// The decision.
    pub decision: Decision,
    /// Its word in the log.
    pub word: &'static str,
    /// What it means, in one line.
    pub doc: &'static str,
}

decisions! {
    Unreadable "unreadable" "It is not an IP packet that can be read, or its prefix lies; nobody is asked."
    LinkAnswered "link_answered" "It asked for a link address behind the interface (ARP, ND) and was answered; nobody is asked."
    Filtered "filtered" "The filter does not let it become an event; it is counted and dropped."
    HandlerSend "handler_send" "A handler answered, and what it sent was written to the interface."
    HandlerDrop "handler_drop" "A handler said `drop_packet`."
    HandlerSilent "handler_silent" "A handler took it and sent nothing, or did not answer in time."
    ModelSend "model_send" "The model answered, and what it sent was written to the interface."
    ModelDrop "model_drop" "The model said `drop_packet`."
    ModelSilent "model_silent" "The model said `no_response`."
    ModelError "fail_closed_model_error" "The model could not be asked, or did not answer as it must, in time."
    BuildError "fail_closed_build_error" "An action broke a rule of its fields, so nothing was sent."
    RateLimited "fail_closed_rate_limited" "The model was asked as often as `llm_max_per_minute` allows already."
    Budget "fail_closed_budget" "The answer was over a limit of the budget."
    Permission "fail_closed_permission" "The answer was something that the permissions do not grant."
    ModelDisabled "model_disabled" "No handler answered, and no model may be asked."
}

impl Decision {
    /// Its row.
    pub fn row(self) -> &'static DecisionRow {
        &DECISIONS[self as usize]
    }

    /// Whether something was to be sent and was not.
    pub fn is_failure(self) -> bool {
        self.word().starts_with("fail_closed")
    }

    /// Its word in the log.
    pub fn word(self) -> &'static str {
        self.row().word
    }
}

/// One packet's fate: a line of the log.
#[derive(Clone, Copy, Debug)]
pub struct Fate<'a> {
    /// Number of the packet, from 1 on.
    pub number: u64,
    /// What became of it.
    pub decision: Decision,
    /// Which packet it was, if it could be read.
    pub packet: Option<&'a HeardPacket>,
    /// Why, in words that may quote the packet or an answer, escaped; may be empty.
    pub detail: &'a str,
}

/// Without the end of the line. Allocates nothing.
impl fmt::Display for Fate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "packet={} decision={}",
            self.number,
            self.decision.word()
        )?;
        if let Some(packet) = self.packet {
            write!(f, " {}", Summary(packet))?;
        }
        match self.detail {
            "" => Ok(()),
            detail => write!(f, ": {detail}"),
        }
    }
}

/// A packet in one line: `10.7.0.1 > 10.7.0.2 icmp echo_request length 84`.
pub struct Summary<'a>(pub &'a HeardPacket);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HeardPacket {
            source,
            destination,
            protocol,
            length,
            ..
        } = *self.0;
        match self.0.ports {
            Some((from, to)) => write!(f, "{source} port {from} > {destination} port {to} ")?,
            None => write!(f, "{source} > {destination} ")?,
        }
        match protocol_name(protocol) {
            Some(name) => f.write_str(name)?,
            None => write!(f, "ip-proto-{protocol}")?,
        }
        match crate::heard::icmp_type_name(self.0) {
            Some(name) => write!(f, " {name}")?,
            None => self
                .0
                .icmp_type
                .map_or(Ok(()), |kind| write!(f, " type {kind}"))?,
        }
        write!(f, " length {length}")
    }
}
