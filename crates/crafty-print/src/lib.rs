//! Packets, findings, diagnostics and runs as text and as JSON, for crates that face the outside.
//! Writes into buffers and returns values; prints nothing itself.
#![forbid(unsafe_code)]

mod carried;
mod diagnostic;
mod finding;
pub mod packet;
mod review;
mod run;
mod terminal;
mod violation;

pub use carried::{Carried, Reassembly};
pub use diagnostic::{diagnostic_json, span_json};
pub use finding::{finding_json, finding_line};
pub use review::{cell, review_json, review_page, review_summary};
pub use run::{Line, divergence_words, event_json, event_line, totals_line, value_json};
pub use terminal::unsteered;
pub use violation::{violation_json, violation_line};
