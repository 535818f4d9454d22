//! Every statement of a checked program, blocks included, in the order of the text.

use crate::ir::{Block, Send, StatementKind};

/// Calls `each` for every send of a block.
pub(super) fn sends<'p>(block: &'p Block, each: &mut dyn FnMut(&'p Send)) {
    for statement in &block.statements {
        if let StatementKind::Send { send, .. } = &statement.kind {
            each(send);
        }
        for inner in statement.blocks() {
            sends(inner, each);
        }
    }
}
