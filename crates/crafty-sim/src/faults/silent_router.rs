//! Routers that say nothing.

use super::Fault;

pub static FAULT: Fault = Fault {
    name: "silent_router",
    parameter: None,
    doc: "Routers send no ICMP errors at all: no hop shows in a trace, and the path's MTU is not told. `@ROUTER` for one router.",
    plant: |lab, planting| lab.each_router(planting, |router, _| router.silent = true),
};
