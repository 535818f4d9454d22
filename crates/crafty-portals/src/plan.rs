//! What fixes an episode: with the same plan and the same frames at the same times, the same happens.

use crate::PortalError;
use crafty_sim::{Lab, LabOptions, is_scenario_file, parse_spec};
use crafty_value::{Duration, Time};
use std::path::{Path, PathBuf};

/// A network, its faults and its seed; how long it runs before anybody can look; who can look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpisodePlan {
    /// As for `--lab`: `NETWORK` or `FILE.toml`, with `:FAULT,FAULT=VALUE`.
    pub network: String,
    /// Fixes all chance in the lab.
    pub seed: u64,
    /// How long the network is at work before its portals open; in virtual time.
    pub warm_up: Duration,
    /// Portals that are opened, in order; if empty, all that replace no host of the network's own.
    pub portals: Vec<String>,
}

impl EpisodePlan {
    /// The network as it is when the portals open. Its portals are not attached yet.
    ///
    /// # Errors
    /// There is no such network or fault, or its file has mistakes.
    pub fn build(&self) -> Result<Lab, PortalError> {
        let told = |error: crafty_sim::LabError| PortalError::Lab(error.to_string());
        let spec = parse_spec(&self.network).map_err(told)?;
        let options = LabOptions {
            faults: spec.faults,
            seed: self.seed,
        };
        if !is_scenario_file(&spec.network) {
            return Lab::named(&spec.network, &options).map_err(told);
        }
        let text = std::fs::read_to_string(&spec.network)
            .map_err(PortalError::file(spec.network.as_str()))?;
        Lab::from_scenario(&spec.network, &text, &options).map_err(told)
    }

    /// Whether the network can be built and has these portals: asked before anything is made.
    ///
    /// # Errors
    /// As [`EpisodePlan::build`]; or a portal is not known, or named twice.
    pub fn check(&self) -> Result<(), PortalError> {
        let mut lab = self.build()?;
        for portal in self.portals_of(&lab) {
            lab.attach(Some(&portal))
                .map_err(|it| PortalError::Lab(it.to_string()))?;
        }
        Ok(())
    }

    /// The names of the portals that are opened.
    pub fn portals_of(&self, lab: &Lab) -> Vec<String> {
        match self.portals.is_empty() {
            true => lab.free_portals().map(str::to_string).collect(),
            false => self.portals.clone(),
        }
    }

    /// The lab's time at which the portals open.
    pub fn opens_at(&self) -> Time {
        Time(self.warm_up.0)
    }

    /// As it is written into a recording.
    pub fn to_toml(&self) -> String {
        let portals: Vec<String> = self.portals.iter().map(|it| quoted(it)).collect();
        format!(
            "network = {}\nseed = {}\nwarm_up_ns = {}\nportals = [{}]\n",
            quoted(&self.network),
            quoted(&self.seed.to_string()),
            self.warm_up.0,
            portals.join(", ")
        )
    }

    /// Reads what [`EpisodePlan::to_toml`] wrote; `file` is what messages call it.
    ///
    /// # Errors
    /// The text is of another kind.
    pub fn from_toml(file: &Path, text: &str) -> Result<EpisodePlan, PortalError> {
        let wrong = |what: String| PortalError::content(file, what);
        let table: toml::Table = text
            .parse()
            .map_err(|it: toml::de::Error| wrong(it.to_string()))?;
        let of = |key: &str| {
            table
                .get(key)
                .ok_or_else(|| wrong(format!("`{key}` is missing")))
        };
        let text_of = |key: &str| {
            let value = of(key)?.as_str();
            value.ok_or_else(|| wrong(format!("`{key}` must be a text")))
        };
        let network = text_of("network")?.to_string();
        let seed = text_of("seed")?.parse();
        let warm_up = of("warm_up_ns")?.as_integer().filter(|it| *it >= 0);
        let names = of("portals")?.as_array();
        let portals =
            names.and_then(|it| it.iter().map(|it| Some(it.as_str()?.to_string())).collect());
        Ok(EpisodePlan {
            network,
            seed: seed.map_err(|_| wrong("`seed` must be a number in quotes".into()))?,
            warm_up: Duration(
                warm_up
                    .ok_or_else(|| wrong("`warm_up_ns` must be a number, not negative".into()))?,
            ),
            portals: portals.ok_or_else(|| wrong("`portals` must be a list of names".into()))?,
        })
    }

    /// The same plan with the path of its scenario file made absolute: a recording may be read from
    /// another folder.
    pub fn with_absolute_path(mut self) -> EpisodePlan {
        let (network, faults) = match self.network.split_once(".toml:") {
            Some((stem, faults)) => (format!("{stem}.toml"), format!(":{faults}")),
            None => (self.network.clone(), String::new()),
        };
        if is_scenario_file(&network)
            && let Ok(path) = std::path::absolute(PathBuf::from(&network))
        {
            self.network = format!("{}{faults}", path.display());
        }
        self
    }
}

/// A basic string of TOML: its escapes are those of Rust's debug form for what can be in a name.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_as_it_was_written() {
        let plan = EpisodePlan {
            network: "we\"ird\\net\t.toml:loss=5@r1-r2,mtu_hole".into(),
            seed: u64::MAX,
            warm_up: Duration::seconds(60),
            portals: vec!["west".into(), "e\u{7f}ast".into()],
        };
        let read = EpisodePlan::from_toml(Path::new("it"), &plan.to_toml()).unwrap();
        assert_eq!(read, plan);
    }

    #[test]
    fn what_is_missing_or_of_another_kind_is_told() {
        for (text, word) in [
            ("", "`network`"),
            ("network = 3", "`network` must be"),
            (
                "network = \"demo\"\nseed = \"x\"\nwarm_up_ns = 0\nportals = []",
                "`seed`",
            ),
            (
                "network = \"demo\"\nseed = \"1\"\nwarm_up_ns = -1\nportals = []",
                "`warm_up_ns`",
            ),
            (
                "network = \"demo\"\nseed = \"1\"\nwarm_up_ns = 0\nportals = [3]",
                "`portals`",
            ),
            ("=", "`it`"),
        ] {
            let error = EpisodePlan::from_toml(Path::new("it"), text)
                .unwrap_err()
                .to_string();
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}
