//! The text after `--lab`: `NETWORK`, or `NETWORK:FAULT,FAULT=VALUE,FAULT=VALUE@LINK`.

use crate::faults::{Fault, Parameter, Planting, Unit, faults};
use crate::networks::{Network, networks};

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
/// A sentence that names what is not known and what there is.
pub fn parse_spec(text: &str) -> Result<Spec, String> {
    let (network, rest) = text.split_once(':').unwrap_or((text, ""));
    network_named(network)?;
    let faults: Vec<String> = rest
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .map(String::from)
        .collect();
    if faults.is_empty() && text.contains(':') {
        return Err(format!(
            "no fault follows the colon of `{text}`: write `{network}:FAULT`, or `{network}` alone; {}",
            known_faults()
        ));
    }
    faults
        .iter()
        .try_for_each(|item| planting(item).map(drop))?;
    Ok(Spec {
        network: network.into(),
        faults,
    })
}

/// The network called `name`.
pub(crate) fn network_named(name: &str) -> Result<&'static Network, String> {
    let known = || {
        networks()
            .iter()
            .map(|network| format!("`{}`", network.name))
            .collect::<Vec<_>>()
            .join(", ")
    };
    networks()
        .iter()
        .copied()
        .find(|network| network.name == name)
        .ok_or_else(|| {
            format!(
                "there is no network `{name}` in the lab; there is {}",
                known()
            )
        })
}

/// Reads one fault: `loss`, `loss=5`, `loss=5@r1-r2`.
pub(crate) fn planting(item: &str) -> Result<Planting<'_>, String> {
    let (measure, place) = item
        .split_once('@')
        .map_or((item, None), |(measure, place)| (measure, Some(place)));
    let (name, value) = measure
        .split_once('=')
        .map_or((measure, None), |(name, value)| (name, Some(value)));
    let fault = fault_named(name)?;
    let value = match (&fault.parameter, value) {
        (None, None) => 0,
        (Some(parameter), None) => parameter.default,
        (Some(parameter), Some(text)) => measured(fault, parameter, text)?,
        (None, Some(text)) => {
            return Err(format!(
                "the fault `{name}` takes no value, and `{text}` was given: write `{name}`"
            ));
        }
    };
    Ok(Planting {
        fault,
        value,
        place,
    })
}

fn fault_named(name: &str) -> Result<&'static Fault, String> {
    faults()
        .iter()
        .copied()
        .find(|fault| fault.name == name)
        .ok_or_else(|| format!("there is no fault `{name}`; {}", known_faults()))
}

fn known_faults() -> String {
    let names: Vec<String> = faults()
        .iter()
        .map(|fault| format!("`{}`", fault.name))
        .collect();
    format!("there are {}", names.join(", "))
}

fn measured(fault: &Fault, parameter: &Parameter, text: &str) -> Result<i64, String> {
    let range = || {
        let (least, most) = (
            parameter.unit.show(parameter.least),
            parameter.unit.show(parameter.most),
        );
        format!(
            "the {} of `{}` is `{text}`, and must lie between {least} and {most}, as in `{}={}`",
            parameter.name,
            fault.name,
            fault.name,
            parameter.unit.show(parameter.default)
        )
    };
    let value = parameter.unit.read(text).ok_or_else(range)?;
    if (parameter.least..=parameter.most).contains(&value) {
        Ok(value)
    } else {
        Err(range())
    }
}

impl Unit {
    /// Name and size of the suffixes that a number may have; the first is meant when there is none.
    const fn suffixes(self) -> &'static [(&'static str, i64)] {
        match self {
            Unit::Percent => &[("%", 10_000)],
            Unit::Octets => &[("B", 1)],
            Unit::Time => &[
                ("ms", 1_000_000),
                ("us", 1_000),
                ("ns", 1),
                ("s", 1_000_000_000),
            ],
            Unit::PerSecond => &[("/s", 1)],
        }
    }

    /// Reads a decimal number with a suffix or without; nothing smaller than the unit's smallest
    /// part.
    pub(crate) fn read(self, text: &str) -> Option<i64> {
        let (number, scale) = self
            .suffixes()
            .iter()
            .find_map(|(name, scale)| Some((text.strip_suffix(name)?, *scale)))
            .unwrap_or((text, self.suffixes()[0].1));
        let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
        let digits = |text: &str| {
            (text.len() <= 9 && text.bytes().all(|c| c.is_ascii_digit()))
                .then(|| text.parse::<i64>().ok())
                .flatten()
        };
        let parts = digits(part)?.checked_mul(scale)?;
        let tenth = 10_i64.pow(part.len() as u32);
        (parts % tenth == 0).then(|| {
            digits(whole)?
                .checked_mul(scale)?
                .checked_add(parts / tenth)
        })?
    }

    /// A value as one would write it.
    pub fn show(self, value: i64) -> String {
        match self {
            Unit::Percent if value % 10_000 == 0 => format!("{}%", value / 10_000),
            Unit::Percent => format!(
                "{}.{}%",
                value / 10_000,
                format!("{:04}", value % 10_000).trim_end_matches('0')
            ),
            Unit::Octets => value.to_string(),
            Unit::Time => crafty_value::Duration(value).to_string(),
            Unit::PerSecond => format!("{value}/s"),
        }
    }
}
