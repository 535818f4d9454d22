//! The text after `--lab`: `NETWORK`, or `NETWORK:FAULT,FAULT=VALUE,FAULT=VALUE@LINK`.

use crate::error::{LabError, quoted};
use crate::faults::Planting;
use crate::scenario::network_named;

/// A network and the faults planted in it, by name. Both exist, and the values are within their
/// bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Name of the network.
    pub network: String,
    /// Faults as they were written: `loss=5`.
    pub faults: Vec<String>,
}

/// Reads `demo:loss=5,mtu_hole`.
///
/// # Errors
/// What is not known, with what there is; a value out of its bounds.
pub fn parse_spec(text: &str) -> Result<Spec, LabError> {
    let (network, rest) = text.split_once(':').unwrap_or((text, ""));
    network_named(network)?;
    let faults = split_faults(rest);
    if faults.is_empty() && text.contains(':') {
        let names: Vec<&str> = crate::faults::faults().iter().map(|it| it.name).collect();
        return Err(LabError::Impossible(format!(
            "no fault follows the colon of `{text}`: write `{network}:FAULT`, or `{network}` alone; there are {}",
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
