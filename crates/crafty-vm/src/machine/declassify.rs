//! What received content chooses as the run goes: counted where it becomes an event that sends
//! depend on, told to the gate with the next frame.

use core::cell::Cell;
use crafty_lang::ir::{ExprId, Span};
use crafty_lang::labels::price::{Cost, PriceCharge};
use std::collections::BTreeMap;

/// Prices of the places at which content becomes an event, in thousandths of a bit, and what was
/// spent since the gate was informed.
#[derive(Debug, Default)]
pub(crate) struct Declassification {
    calls: BTreeMap<ExprId, u64>,
    waits: BTreeMap<Span, u64>,
    spent: Cell<u64>,
}

impl Declassification {
    pub fn new(costs: &[Cost]) -> Declassification {
        let mut all = Declassification::default();
        for cost in costs {
            match cost.charge {
                PriceCharge::AtCall(call) => drop(all.calls.insert(call, cost.each)),
                PriceCharge::AtWait => drop(all.waits.insert(cost.span, cost.each)),
                PriceCharge::AtStart => all.spend(Some(&cost.each)),
            }
        }
        all
    }

    /// `choose` or `one_of` has a value.
    pub fn chose(&self, call: ExprId) {
        self.spend(self.calls.get(&call));
    }

    /// A handler or an `expect` begins whose test is another one each time.
    pub fn tests(&self, at: Span) {
        self.spend(self.waits.get(&at));
    }

    /// So many bits of what went into a stream are the choice of events.
    pub fn streamed(&self, bits: u64) {
        self.spend(Some(&bits.saturating_mul(1000)));
    }

    fn spend(&self, price: Option<&u64>) {
        let price = price.copied().unwrap_or(0);
        self.spent.set(self.spent.get().saturating_add(price));
    }

    /// What was spent since the last time.
    pub fn take(&self) -> u64 {
        self.spent.take()
    }
}
