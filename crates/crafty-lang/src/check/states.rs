//! States of a connection, which may be written bare beside `state` as named values are beside
//! their field.

use super::checker::Checker;
use super::layers;
use crate::diagnostics as d;
use crate::ir::{Expr, ExprKind, FieldRef, Meta, Span, Type};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::Value;

/// As RFC 9293 §3.3.2 names them, in lower case.
const STATES: &[&str] = &[
    "closed",
    "listen",
    "syn_sent",
    "syn_received",
    "established",
    "fin_wait_1",
    "fin_wait_2",
    "close_wait",
    "closing",
    "last_ack",
    "time_wait",
];

/// Whether a value is the state of a connection.
pub(super) fn is_state(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Counter { counter, .. } => counter.name == "state",
        ExprKind::Field { field, .. } => is_state_field(field),
        _ => false,
    }
}

pub(super) fn is_state_field(field: &FieldRef) -> bool {
    matches!(field, FieldRef::Meta(Meta::State))
}

impl Checker<'_> {
    /// A bare word beside `state`; none if it is something else, so that the usual way is gone.
    #[allow(clippy::option_option)]
    pub fn state_word(&mut self, e: &ast::ExprSyntax) -> Option<Option<Expr>> {
        let word = match &e.kind {
            ast::ExprKindSyntax::Name(word) if self.lookup(word).is_none() => word.clone(),
            ast::ExprKindSyntax::String(pieces) => match pieces.as_slice() {
                [ast::StringPieceSyntax::Text(text)] => String::from_utf8_lossy(text).into_owned(),
                _ => return None,
            },
            _ => return None,
        };
        if STATES.contains(&word.as_str()) {
            return Some(Some(self.constant(Value::text(word), Type::Str, e.span)));
        }
        self.no_state(&word, e.span);
        Some(None)
    }

    fn no_state(&mut self, word: &str, span: Span) {
        let report = Occurrence::new(
            &d::unknown_value::DIAGNOSTIC,
            span,
            format!("there is no connection state `{word}`"),
        );
        self.tell(layers::offer(report, span, word, STATES));
    }
}
