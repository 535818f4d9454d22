//! What the variables of a program hold: values, and the packets that values name.

use crate::execution::memory::Variables;
use crate::execution::packets::PacketTable;
use crafty_value::Value;
use std::collections::BTreeSet;

/// Variables, and the packets that they hold.
#[derive(Debug)]
pub(crate) struct Values {
    pub variables: Variables,
    pub packets: PacketTable,
}

impl Values {
    /// Forgets packets that no variable holds.
    pub fn sweep(&mut self) {
        let variables = &self.variables;
        self.packets.sweep(|| {
            variables
                .values()
                .filter_map(packet_of)
                .collect::<BTreeSet<_>>()
        });
    }
}

fn packet_of(value: &Value) -> Option<u64> {
    match value {
        Value::Packet(id) => Some(*id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::packets::{PacketEntry, SentPacket};
    use crafty_lang::ir::{Span, VarId};
    use std::sync::Arc;

    #[test]
    fn only_packets_in_variables_stay() {
        let mut values = Values {
            variables: Variables::new(Vec::new(), &[false]),
            packets: PacketTable::default(),
        };
        let mut add = || {
            values.packets.add(PacketEntry::Sent(SentPacket {
                view: None,
                interface: Arc::from(""),
                frames: Vec::new(),
                bytes: None,
                stream: false,
                unsent: None,
            }))
        };
        let held = add();
        let last = (0..10_000).map(|_| add()).last().expect("a packet");
        let set = values
            .variables
            .set(VarId(0), Value::Packet(held), Span::default());
        assert!(set.is_ok());
        values.sweep();
        assert!(values.packets.get(held).is_some());
        assert!(values.packets.get(last).is_none());
    }
}
