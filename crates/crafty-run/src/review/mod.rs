//! What a reviewer must know of a program before it runs, as values: every place that sends, what
//! is received from whom and sent to whom, what it may and does not, its limits, and the digest
//! that an approval signs. Each statement is true of every run; what only a run decides is reported
//! as such.

mod difference;
mod digest;
mod flows;
mod grants;
mod limits;
mod warnings;

pub use difference::difference;
pub use digest::{ReviewedDocument, digest_of};
pub use flows::InformationFlow;
pub use grants::UnusedGrant;
pub use limits::{ChangedLimit, WorstCase, addresses, ports, ranges_of};

use crate::load::LoadedProgram;
use crafty_lang::driven::LAYERS;
use crafty_lang::eval::show::shown;
use crafty_lang::ir::{DrivenKind, StackLayer};
use crafty_lang::labels::price::{self, Cost};
use crafty_lang::traffic::{KnownSets, Traffic, traffic};
use crafty_policy::{AddressSet, StatedBy, leak};
use std::net::IpAddr;

/// What a reviewer must know of a program.
#[derive(Debug)]
pub struct Review {
    /// What an approval signs: SHA-256 of [`ReviewedDocument`], in hexadecimal digits.
    pub digest: String,
    /// What to look at first, worst first.
    pub warnings: Vec<String>,
    /// What it sends, hears and prints.
    pub traffic: Traffic,
    /// What is received and may decide over what is sent.
    pub flows: Vec<InformationFlow>,
    /// Places at which received bytes choose.
    pub choices: Vec<Cost>,
    /// Bits that received bytes choose by themselves; none if nothing bounds it.
    pub chosen_bits: Option<u64>,
    /// The most of them that the limits allow.
    pub chosen_limit: u64,
    /// What protocols of driven layers tell a peer of what that peer sent.
    pub echoes: Vec<&'static str>,
    /// Its params.
    pub params: Vec<ReviewedParam>,
    /// The limits that are not those of a program that says nothing.
    pub limits: Vec<ChangedLimit>,
    /// How much it sends at most.
    pub worst: WorstCase,
    /// What it may do and no line does.
    pub unused: Vec<UnusedGrant>,
    /// What the operator's list of destinations takes away, first and last of each range; none where
    /// there is no list.
    pub outside: Option<Vec<(IpAddr, IpAddr)>>,
    /// Whether the operator's policy takes something away.
    pub narrowed: bool,
}

/// A param with the value that is reviewed.
#[derive(Clone, Debug)]
pub struct ReviewedParam {
    /// Its name.
    pub name: String,
    /// Its value, as text.
    pub value: String,
    /// Its default, as text; none where it has to be given.
    pub default: Option<String>,
    /// Whether it decides who is reached.
    pub decides_reach: bool,
}

impl Review {
    /// Reviews a program that may run.
    pub fn of(program: &LoadedProgram) -> Review {
        let traffic = traffic(&program.program, &program.bound);
        let policy = &program.bound.policy;
        let flows = flows::of(program, &traffic);
        let unused = grants::unused(program, &traffic);
        let worst = limits::worst_case(program, &traffic);
        Review {
            digest: digest_of(program),
            warnings: warnings::of(program, &traffic, &flows),
            params: params(program, &traffic),
            choices: program.judged.costs.clone(),
            chosen_bits: price::bits(&program.judged.costs),
            chosen_limit: leak::declassification_limit(policy),
            echoes: echoes(program),
            limits: limits::changed(policy),
            outside: outside(program),
            narrowed: narrowed(program),
            traffic,
            flows,
            worst,
            unused,
        }
    }
}

fn params(program: &LoadedProgram, traffic: &Traffic) -> Vec<ReviewedParam> {
    let known = KnownSets::new(&program.program, &program.bound.values);
    let row = |param: &crafty_lang::ir::Param| ReviewedParam {
        name: program.program.variables[param.var.0 as usize].name.clone(),
        value: shown(&program.bound.values[param.var.0 as usize]),
        default: param
            .default
            .as_ref()
            .and_then(|default| known.value(default))
            .map(|value| shown(&value)),
        decides_reach: traffic.reach.contains(&param.var),
    };
    program.program.params.iter().map(row).collect()
}

/// What driven layers tell a peer of what that peer sent, because their protocols have it so; it is
/// not the program's doing.
fn echoes(program: &LoadedProgram) -> Vec<&'static str> {
    let driven = |kind: DrivenKind| {
        let mut layers = program
            .program
            .stacks
            .iter()
            .flat_map(|stack| &stack.layers);
        layers.any(|layer| matches!(layer, StackLayer::Driven(driven) if driven.kind == kind))
    };
    let layers = LAYERS.iter().filter(|layer| driven(layer.kind));
    layers.filter_map(|layer| layer.echo).collect()
}

/// What the program asks for and the operator's list does not have.
fn outside(program: &LoadedProgram) -> Option<Vec<(IpAddr, IpAddr)>> {
    if program.operator.destinations == AddressSet::all() {
        return None;
    }
    let left = &program.bound.policy.destinations;
    Some(program.asked.destinations.without(left).ranges())
}

/// Whether the operator's policy takes something away (what only an operator may state is not the
/// program's to ask).
fn narrowed(program: &LoadedProgram) -> bool {
    crafty_policy::SETTINGS
        .iter()
        .filter(|setting| setting.stated_by == StatedBy::Anybody)
        .any(|setting| setting.read(&program.bound.policy) != setting.read(&program.asked))
}
