//! Every statement of a checked program, blocks included, in the order of the text.

use crate::ir::{Block, Send, Statement, StatementKind};

/// Blocks inside a statement.
pub(super) fn blocks(statement: &Statement) -> Vec<&Block> {
    match &statement.kind {
        StatementKind::Open {
            body, otherwise, ..
        } => [body]
            .into_iter()
            .chain(otherwise.iter().map(|(_, b)| b))
            .collect(),
        StatementKind::If { arms, otherwise } => {
            arms.iter().map(|(_, b)| b).chain(otherwise).collect()
        }
        StatementKind::Foreach { body, .. }
        | StatementKind::Repeat { body, .. }
        | StatementKind::On { body, .. } => vec![body],
        StatementKind::Out(out) => out.body.iter().collect(),
        StatementKind::Expect {
            arms, otherwise, ..
        } => arms.iter().map(|(_, b)| b).chain(otherwise).collect(),
        StatementKind::Try {
            body, otherwise, ..
        } => vec![body, otherwise],
        _ => Vec::new(),
    }
}

/// Calls `each` for every send of a block.
pub(super) fn sends<'p>(block: &'p Block, each: &mut dyn FnMut(&'p Send)) {
    for statement in &block.statements {
        if let StatementKind::Send { send, .. } = &statement.kind {
            each(send);
        }
        for inner in blocks(statement) {
            sends(inner, each);
        }
    }
}
