//! The values of settings as flags and variables have them: lists are separated by commas, ranges
//! are `a-b`, `tcp:80,udp:53` is a port group.

use crafty_lang::check::parse_value;
use crafty_lang::ir::Type;
use crafty_policy::{
    AddressListEntry, AddressSet, ExfiltrationMode, Given, POWERS, PortSet, Ports, Power, PowerSet,
    SettingKind,
};
use crafty_value::{Net, Value};
use std::collections::BTreeSet;
use std::fmt;

/// Why a value does not fit its setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueError {
    /// Something else is expected.
    Wanted(SettingKind),
    /// This text is not what is expected.
    DoesNotFit(String, SettingKind),
    /// Not an address or a network.
    NotAnAddress(String),
    /// Not a port or a range of ports.
    NotAPort(String),
    /// No such power.
    UnknownPower(String),
    /// A protocol of a port group that has no ports here.
    NoPorts(String),
    /// A protocol of a port group needs a list.
    NotAList(String),
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueError::Wanted(kind) => f.write_str(wanted_words(*kind)),
            ValueError::DoesNotFit(text, kind) => {
                write!(f, "`{text}` does not fit: {}", wanted_words(*kind))
            }
            ValueError::NotAnAddress(text) => write!(
                f,
                "`{text}` is not an address or a network; write `192.0.2.1`, `192.0.2.0/24` or `!192.0.2.7`"
            ),
            ValueError::NotAPort(text) => {
                write!(f, "`{text}` is not a port; write `80` or `1024-2047`")
            }
            ValueError::UnknownPower(name) => {
                let known: Vec<String> =
                    POWERS.iter().map(|row| format!("`{}`", row.name)).collect();
                write!(
                    f,
                    "there is no power `{name}`; the powers are {}",
                    known.join(", ")
                )
            }
            ValueError::NoPorts(protocol) => {
                write!(f, "`{protocol}` has no ports here; write `tcp` or `udp`")
            }
            ValueError::NotAList(protocol) => write!(f, "`{protocol}` needs a list of ports"),
        }
    }
}

impl std::error::Error for ValueError {}

/// Reads the text of a flag or variable.
pub fn read(kind: SettingKind, text: &str) -> Result<Given, ValueError> {
    let items: Vec<String> = text
        .split(',')
        .map(|s| s.trim().to_string())
        .filter(|s| !s.is_empty())
        .collect();
    let typed =
        |ty: Type| parse_value(&ty, text).map_err(|_| ValueError::DoesNotFit(text.into(), kind));
    match kind {
        SettingKind::Duration => match typed(Type::Duration)? {
            Value::Duration(d) => Ok(Given::Duration(d)),
            _ => Err(wanted(kind)),
        },
        SettingKind::Count | SettingKind::Size => match typed(Type::Int)? {
            Value::Int(n) => u64::try_from(n)
                .map(Given::Number)
                .map_err(|_| wanted(kind)),
            _ => Err(wanted(kind)),
        },
        SettingKind::Mode => ExfiltrationMode::NAMES
            .iter()
            .find(|(_, name)| *name == text)
            .map(|(m, _)| Given::Mode(*m))
            .ok_or_else(|| wanted(kind)),
        SettingKind::PortGroup => port_group(&items).map(Given::PortGroup),
        _ => from_items(kind, &items),
    }
}

fn port_group(items: &[String]) -> Result<Ports, ValueError> {
    let mut ports = Ports::default();
    for item in items {
        let (protocol, range) = item
            .split_once(':')
            .ok_or_else(|| wanted(SettingKind::PortGroup))?;
        let (low, high) = port_range(range)?;
        match protocol {
            "tcp" => ports.tcp.insert(low, high),
            "udp" => ports.udp.insert(low, high),
            _ => return Err(wanted(SettingKind::PortGroup)),
        }
    }
    Ok(ports)
}

pub fn from_items(kind: SettingKind, items: &[String]) -> Result<Given, ValueError> {
    match kind {
        SettingKind::Addresses => addresses(items).map(Given::Addresses),
        SettingKind::Ports => ports(items).map(Given::Ports),
        SettingKind::Names => Ok(Given::Names(Some(
            items.iter().cloned().collect::<BTreeSet<_>>(),
        ))),
        SettingKind::Powers => powers(items).map(Given::Powers),
        _ => Err(wanted(kind)),
    }
}

fn addresses(items: &[String]) -> Result<AddressSet, ValueError> {
    let mut set = AddressSet::none();
    for item in items {
        let (excluded, text) = item
            .strip_prefix('!')
            .map_or((false, item.as_str()), |rest| (true, rest));
        set.add(AddressListEntry {
            net: net(text)?,
            excluded,
        });
    }
    // A list of exclusions alone narrows everything.
    if !items.is_empty() && items.iter().all(|item| item.starts_with('!')) {
        let all = AddressSet::all();
        return items.iter().try_fold(all, |mut all, item| {
            net(&item[1..]).map(|n| (all.deny(n), all).1)
        });
    }
    Ok(set)
}

fn net(text: &str) -> Result<Net, ValueError> {
    match parse_value(&Type::Net, text).or_else(|_| parse_value(&Type::Ip, text)) {
        Ok(Value::Net(net)) => Ok(net),
        Ok(Value::Ip(address)) => Ok(Net::host(address)),
        _ => Err(ValueError::NotAnAddress(text.into())),
    }
}

pub fn ports(items: &[String]) -> Result<PortSet, ValueError> {
    let mut set = PortSet::none();
    for item in items {
        let (low, high) = port_range(item)?;
        set.insert(low, high);
    }
    Ok(set)
}

fn port_range(text: &str) -> Result<(u16, u16), ValueError> {
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    let port = |s: &str| {
        s.trim()
            .parse::<u16>()
            .map_err(|_| ValueError::NotAPort(s.into()))
    };
    Ok((port(low)?, port(high)?))
}

fn powers(items: &[String]) -> Result<PowerSet, ValueError> {
    items.iter().try_fold(PowerSet::NONE, |set, item| {
        Power::named(item)
            .map(|power| set.with(power))
            .ok_or_else(|| ValueError::UnknownPower(item.clone()))
    })
}

/// Something else is expected.
pub fn wanted(kind: SettingKind) -> ValueError {
    ValueError::Wanted(kind)
}

fn wanted_words(kind: SettingKind) -> &'static str {
    match kind {
        SettingKind::Duration => "expected a duration, such as `60s`",
        SettingKind::Count => "expected a whole number, such as `100`",
        SettingKind::Size => "expected a number of bytes, such as `1MB`",
        SettingKind::Addresses => {
            "expected addresses and networks, such as `192.0.2.0/24,!192.0.2.1`"
        }
        SettingKind::Ports => "expected ports, such as `80,1024-2047`",
        SettingKind::PortGroup => "expected ports by protocol, such as `tcp:80,tcp:443,udp:53`",
        SettingKind::Names => "expected names, such as `eth0,eth1`",
        SettingKind::Powers => "expected powers, such as `fragments,tunnels`",
        SettingKind::Mode => "expected `none`, `false` or `true`",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exclusions_alone_narrow_everything() {
        let set = addresses(&["!10.0.0.0/8".into()]).unwrap();
        assert!(
            !set.contains("10.1.1.1".parse().unwrap())
                && set.contains("192.0.2.1".parse().unwrap())
        );
    }
}
