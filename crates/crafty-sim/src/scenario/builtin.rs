//! Networks that are in the binary, one file each. To add one: write its file in the folder
//! `scenarios` and add its name to the list below.

use super::{Scenario, read};
use crate::error::LabError;

macro_rules! networks {
    ($($name:literal)*) => {
        static NETWORKS: &[BuiltinNetwork] = &[$(BuiltinNetwork {
            name: $name,
            text: include_str!(concat!("../../../../scenarios/", $name, ".toml")),
        }),*];
    };
}

networks! {
    "acme"
    "campus"
    "demo"
}

/// A network that is built in.
#[derive(Debug)]
pub struct BuiltinNetwork {
    /// What `--lab NAME` calls it.
    pub name: &'static str,
    text: &'static str,
}

/// Every network that is built in.
pub fn networks() -> &'static [BuiltinNetwork] {
    NETWORKS
}

impl BuiltinNetwork {
    /// The scenario file.
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// What is in it, in a sentence or two.
    pub fn doc(&self) -> String {
        self.scenario().map(|it| it.doc).unwrap_or_default()
    }

    pub(crate) fn scenario(&self) -> Result<Scenario, LabError> {
        let file = format!("{}.toml", self.name);
        read::read(&file, self.text).map_err(LabError::Scenario)
    }
}

/// The network called `name`.
pub(crate) fn network_named(name: &str) -> Result<&'static BuiltinNetwork, LabError> {
    let names = networks().iter().map(|it| it.name);
    networks()
        .iter()
        .find(|network| network.name == name)
        .ok_or_else(|| LabError::unknown("network", name, Some("the lab"), names))
}
