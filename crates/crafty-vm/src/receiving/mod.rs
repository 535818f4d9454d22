//! From a received frame to the handler or `expect` that takes it.

pub(crate) mod admitted;
pub(crate) mod attempt;
pub(crate) mod deliver;
pub(crate) mod evaluate_pattern;
pub(crate) mod field_values;
pub(crate) mod inbox;
pub(crate) mod layers;
pub(crate) mod messages;
pub(crate) mod misses;
pub(crate) mod near;
pub(crate) mod option_text;
pub(crate) mod pattern;
pub(crate) mod reception;
pub(crate) mod search;
pub(crate) mod view;
