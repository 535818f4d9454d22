//! What a program sends, hears and prints, statement by statement, as far as it is known before it
//! runs: what a reviewer asks, and what the worst case is computed from. What only the run decides
//! is reported as such, never guessed.

mod hears;
pub mod layers;
mod parties;
mod powers;
mod sends;
pub mod size;
pub mod values;
mod words;

pub use hears::{HeardTraffic, PrintedOutput, ReadDepth};
pub use parties::{Party, PortsUsed, destination};
pub use sends::{SendAct, SentTraffic, frames_of, known_destinations};
pub use values::KnownSets;
pub use words::{group, link_group};

#[cfg(test)]
mod tests;

use crate::check::Bindings;
use crate::ir::{Expr, Program, VarId};

/// All that a program does with a network.
#[derive(Debug)]
pub struct Traffic {
    /// Every place that sends, in order of the text.
    pub sends: Vec<SentTraffic>,
    /// Every place that listens.
    pub hears: Vec<HeardTraffic>,
    /// Every place that prints or records.
    pub prints: Vec<PrintedOutput>,
    /// Params that decide who is reached.
    pub reach: Vec<VarId>,
}

/// Reads a program whose params have values.
pub fn traffic(program: &Program, bound: &Bindings) -> Traffic {
    let known = KnownSets::new(program, &bound.values);
    Traffic {
        sends: sends::of(program, bound, &known),
        hears: hears::listeners(program, &known),
        prints: hears::prints(program, &known),
        reach: reaching(program, &known),
    }
}

/// Params that an address or a port to send to, or `destinations`, is made of.
fn reaching(program: &Program, known: &KnownSets) -> Vec<VarId> {
    let mut vars = Vec::new();
    let mut heads: Vec<&Expr> = sends::addresses(program);
    heads.extend(program.settings.iter().flat_map(|entry| {
        let mut scalars = Vec::new();
        if ["destinations", "sources", "destination_ports", "opened"].contains(&entry.setting.key) {
            sends::scalars(&entry.value, &mut scalars);
        }
        scalars
    }));
    heads.iter().for_each(|expr| known.sources(expr, &mut vars));
    let is_param = |var: &VarId| program.params.iter().any(|param| param.var == *var);
    vars.retain(is_param);
    vars
}
