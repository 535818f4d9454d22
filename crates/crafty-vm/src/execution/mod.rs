//! Running statements: the steps of a program, the variables they fill, the waits they make.

mod compile;
pub(crate) mod evaluate;
pub(crate) mod expect;
pub(crate) mod halt;
pub(crate) mod loops;
pub(crate) mod memory;
pub(crate) mod meter;
pub(crate) mod packets;
pub(crate) mod run;
pub(crate) mod steps;
pub(crate) mod thread;
pub(crate) mod unwind;
pub(crate) mod values;
