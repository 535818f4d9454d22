//! What a reviewer learns of a program, as a page for people and as a JSON document.

mod cell;
mod json;
mod page;
mod words;

pub use cell::cell;
pub use json::review_json;
pub use page::{review_page, review_summary};
