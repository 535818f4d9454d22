//! How many packets came and what became of them.

use crate::decision::{DECISIONS, Decision};

/// Counters of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndpointTotals {
    /// Packets that came out of the interface.
    pub received: u64,
    /// Of those, how many became events.
    pub escalated: u64,
    /// Packets that were written to the interface, neighbours' answers among them.
    pub sent: u64,
    /// How often the model was asked.
    pub model_calls: u64,
    fates: [u64; 15],
}

const _: () = assert!(DECISIONS.len() == 15);

impl EndpointTotals {
    /// One more packet had this fate.
    pub fn count(&mut self, decision: Decision) {
        self.fates[decision as usize] += 1;
    }

    /// How many packets had a fate.
    pub fn of(&self, decision: Decision) -> u64 {
        self.fates[decision as usize]
    }

    /// Packets that were not answered, by cause; causes that did not occur are left out.
    pub fn dropped(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        let sent = [
            Decision::HandlerSend,
            Decision::ModelSend,
            Decision::LinkAnswered,
        ];
        DECISIONS
            .iter()
            .filter(move |row| !sent.contains(&row.decision))
            .map(|row| (row.word, self.of(row.decision)))
            .filter(|(_, count)| *count > 0)
    }
}
