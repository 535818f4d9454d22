//! How large values may be: a row for each limit, which says what stays below it.

use super::{MAX_ELEMENTS, MAX_NESTED, MAX_VALUE};
use crate::ir::Span;
use core::fmt;

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeLimit {
    /// Bytes of one string or of bytes.
    Value,
    /// Bytes of an array, map or record with all that is in it.
    Nested,
    /// Elements of one array or map.
    Elements,
    /// Bytes of one variable with all that is in it.
    Variable,
}

impl SizeLimit {
    /// The limit, its unit and owner, and how to stay below it.
    fn row(self) -> (usize, &'static str, &'static str) {
        match self {
            SizeLimit::Value => (
                MAX_VALUE,
                "bytes in one value",
                "keep or send it in smaller parts",
            ),
            SizeLimit::Nested => (
                MAX_NESTED,
                "bytes in one value with all that is in it",
                "keep it in several variables",
            ),
            SizeLimit::Elements => (
                MAX_ELEMENTS,
                "elements in one array or map",
                "keep sums and counts, or remove old elements",
            ),
            SizeLimit::Variable => (
                MAX_NESTED,
                "bytes in one variable",
                "keep less in it, or use several variables",
            ),
        }
    }
}

/// A value that would go over a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeExcess {
    /// What would be too large.
    pub span: Span,
    /// Which limit.
    pub limit: SizeLimit,
    /// The size that it would have, in the unit of the limit.
    pub size: usize,
}

impl fmt::Display for SizeExcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (most, unit, way) = self.limit.row();
        write!(
            f,
            "{} {unit} are more than the limit of {most}: {way}",
            self.size
        )
    }
}
