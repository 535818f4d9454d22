//! From literal layers to the bytes of a frame.

pub(crate) mod assemble;
pub(crate) mod block_layers;
pub(crate) mod crafted_flows;
pub(crate) mod frame;
pub(crate) mod identification;
pub(crate) mod layer;
pub(crate) mod prepared;
pub(crate) mod prepared_frame;
pub(crate) mod send;
