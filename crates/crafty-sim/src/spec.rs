//! The text after `--lab`: `NETWORK`, or `NETWORK:FAULT,FAULT=VALUE,FAULT=VALUE@LINK`.

use crate::error::{LabError, quoted};
use crate::faults::Planting;
use crate::scenario::network_named;

/// A network and the faults planted in it, by name. Both exist, and the values are within their
/// bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Name of a network that is built in, or the path of a scenario file (`FILE.toml`).
    pub network: String,
    /// Faults as they were written: `loss=5`.
    pub faults: Vec<String>,
}

/// Reads `demo:loss=5,mtu_hole`.
///
/// # Errors
/// What is not known, with what there is; a value out of its bounds.
pub fn parse_spec(text: &str) -> Result<Spec, LabError> {
    let (network, rest) = split(text);
    if !is_scenario_file(network) {
        network_named(network)?;
    }
    let faults = split_faults(rest);
    if faults.is_empty() && text.len() > network.len() {
        let names: Vec<&str> = crate::faults::faults().iter().map(|it| it.name).collect();
        return Err(LabError::Impossible(format!(
            "`{text}` has no fault after its colon: write `{network}:FAULT`, or `{network}` alone; there are {}",
            quoted(&names)
        )));
    }
    for item in &faults {
        Planting::read(item)?;
    }
    Ok(Spec {
        network: network.into(),
        faults,
    })
}

/// Splits a list of faults at its commas.
fn split_faults(text: &str) -> Vec<String> {
    let items = text.split(',').map(str::trim);
    items
        .filter(|item| !item.is_empty())
        .map(String::from)
        .collect()
}

/// Whether the network of a [`Spec`] is a scenario file, which the caller reads: this crate opens
/// none.
pub fn is_scenario_file(network: &str) -> bool {
    network.ends_with(".toml")
}

/// The network and what follows its colon; a path may hold colons itself.
fn split(text: &str) -> (&str, &str) {
    let after = text.find(".toml").map_or(0, |at| at + ".toml".len());
    match text[after..].find(':') {
        Some(colon) => (&text[..after + colon], &text[after + colon + 1..]),
        None => (text, ""),
    }
}
