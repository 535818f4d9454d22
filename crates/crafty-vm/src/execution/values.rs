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
