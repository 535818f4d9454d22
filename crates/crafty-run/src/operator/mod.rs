//! The operator's policy: a TOML file, then the environment, then the command line. Each can only
//! narrow what the ones before leave. Knows no key of its own: all come from the gate's table.

use crafty_lang::check::parse_value;
use crafty_lang::ir::Type;
use crafty_policy::{
    AddressSet, Entry, Given, Mode, Policy, PortSet, Ports, Power, PowerSet, SECTIONS, SETTINGS,
    Setting, SettingKind,
};
use crafty_value::{Net, Value};
use std::collections::BTreeSet;
use std::path::Path;

/// Where the file lies that is always read.
pub const SYSTEM_FILE: &str = "/etc/crafty/policy.toml";

/// A policy that could not be read: which source, and what is wrong.
#[derive(Debug)]
pub struct Invalid {
    /// File, variable or flag.
    pub source: String,
    /// What is wrong and what is wanted.
    pub what: String,
}

/// The policy of this machine: `flags` are the command line's settings by key, `file` one more file
/// that it names.
pub fn policy(
    flags: &[(&'static Setting, String)],
    file: Option<&Path>,
) -> Result<Policy, Invalid> {
    let mut layers = Vec::new();
    let system = Path::new(SYSTEM_FILE);
    if system.exists() {
        layers.push(from_file(system)?);
    }
    let named = std::env::var_os("CRAFTY_POLICY").map(std::path::PathBuf::from);
    for path in named.iter().map(|p| p.as_path()).chain(file) {
        layers.push(from_file(path)?);
    }
    layers.push(from_environment()?);
    layers.push(from_flags(flags)?);
    Ok(Policy::operator(layers))
}

/// The name of the variable that sets a key.
pub fn variable(setting: &Setting) -> String {
    format!("CRAFTY_{}", setting.key.to_uppercase())
}

fn from_environment() -> Result<Policy, Invalid> {
    let given = SETTINGS
        .iter()
        .filter_map(|s| std::env::var(variable(s)).ok().map(|text| (s, text)));
    from_texts(given, |s| format!("environment variable {}", variable(s)))
}

fn from_flags(flags: &[(&'static Setting, String)]) -> Result<Policy, Invalid> {
    from_texts(flags.iter().map(|(s, text)| (*s, text.clone())), |s| {
        format!("--{}", crate::cli::flag(s))
    })
}

fn from_texts(
    given: impl Iterator<Item = (&'static Setting, String)>,
    source: impl Fn(&Setting) -> String,
) -> Result<Policy, Invalid> {
    let mut policy = Policy::everything();
    for (setting, text) in given {
        let invalid = |what| Invalid {
            source: source(setting),
            what,
        };
        write(
            setting,
            &mut policy,
            read_text(setting.kind, &text).map_err(invalid)?,
        );
    }
    Ok(policy)
}

fn write(setting: &Setting, policy: &mut Policy, given: Given) {
    let fits = setting.write(policy, given);
    debug_assert!(fits, "`{}` takes what its kind says", setting.key);
}

/// A file that others may write is no policy.
fn from_file(path: &Path) -> Result<Policy, Invalid> {
    let source = path.display().to_string();
    let invalid = |what: String| Invalid {
        source: source.clone(),
        what,
    };
    guard(path).map_err(invalid)?;
    let text =
        std::fs::read_to_string(path).map_err(|e| invalid(format!("cannot be read: {e}")))?;
    parse(&text).map_err(invalid)
}

fn guard(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path)
        .map_err(|e| format!("cannot be read: {e}"))?
        .permissions()
        .mode();
    match mode & 0o022 {
        0 => Ok(()),
        _ => Err(format!(
            "others may write it; `chmod go-w {}`",
            path.display()
        )),
    }
}

/// The text of a policy file: `[budget]`, `[ports]`, `[permissions]` with the keys of programs.
pub fn parse(text: &str) -> Result<Policy, String> {
    let tables: toml::Table = text.parse().map_err(|e: toml::de::Error| e.to_string())?;
    let mut policy = Policy::everything();
    for (name, table) in &tables {
        let section = SECTIONS.iter().find(|(_, s)| s.to_lowercase() == *name);
        let (section, _) = section.ok_or_else(|| {
            format!(
                "there is no table `[{name}]`; the tables are {}",
                tables_known()
            )
        })?;
        let entries = table
            .as_table()
            .ok_or_else(|| format!("`{name}` must be a table: `[{name}]`"))?;
        for (key, value) in entries {
            let rows = || SETTINGS.iter().filter(|s| s.section == *section);
            let keys = || {
                rows()
                    .map(|s| format!("`{}`", s.key))
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let setting = rows()
                .find(|s| s.key == key)
                .ok_or_else(|| format!("`[{name}]` has no key `{key}`; its keys are {}", keys()))?;
            let given =
                read_toml(setting.kind, value).map_err(|what| format!("`{key}`: {what}"))?;
            write(setting, &mut policy, given);
        }
    }
    Ok(policy)
}

fn tables_known() -> String {
    SECTIONS
        .iter()
        .map(|(_, s)| format!("`[{}]`", s.to_lowercase()))
        .collect::<Vec<_>>()
        .join(", ")
}

/// TOML values are the language's: lists as lists, everything else as the text of a literal.
fn read_toml(kind: SettingKind, value: &toml::Value) -> Result<Given, String> {
    match (kind, value) {
        (SettingKind::PortGroup, toml::Value::Table(group)) => group
            .iter()
            .try_fold(Ports::default(), with_protocol)
            .map(Given::PortGroup),
        (_, toml::Value::Array(items)) => {
            from_items(kind, &items.iter().map(item_text).collect::<Vec<_>>())
        }
        (_, toml::Value::String(text)) => read_text(kind, text),
        (_, toml::Value::Integer(n)) => read_text(kind, &n.to_string()),
        (_, toml::Value::Boolean(b)) => read_text(kind, &b.to_string()),
        _ => Err(wanted(kind)),
    }
}

fn with_protocol(
    mut ports: Ports,
    (protocol, list): (&String, &toml::Value),
) -> Result<Ports, String> {
    let items = list
        .as_array()
        .ok_or_else(|| format!("`{protocol}` wants a list of ports"))?;
    let set = ports_of(&items.iter().map(item_text).collect::<Vec<_>>())?;
    match protocol.as_str() {
        "tcp" => ports.tcp = set,
        "udp" => ports.udp = set,
        _ => {
            return Err(format!(
                "`{protocol}` has no ports here; write `tcp` or `udp`"
            ));
        }
    }
    Ok(ports)
}

/// `[a, b]` inside a list is a range.
fn item_text(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(ends) => ends.iter().map(item_text).collect::<Vec<_>>().join("-"),
        toml::Value::Integer(n) => n.to_string(),
        toml::Value::Float(x) => x.to_string(),
        toml::Value::Boolean(b) => b.to_string(),
        toml::Value::Datetime(_) | toml::Value::Table(_) => String::new(),
    }
}

/// The text of a flag or variable: lists are separated by commas, ranges are `a-b`, `tcp:80,udp:53`
/// is a port group.
pub fn read_text(kind: SettingKind, text: &str) -> Result<Given, String> {
    let items: Vec<String> = text
        .split(',')
        .map(|s| s.trim().to_string())
        .filter(|s| !s.is_empty())
        .collect();
    let typed = |ty: Type| {
        parse_value(&ty, text).map_err(|_| format!("`{text}` does not fit: {}", wanted(kind)))
    };
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
        SettingKind::Mode => Mode::NAMES
            .iter()
            .find(|(_, name)| *name == text)
            .map(|(m, _)| Given::Mode(*m))
            .ok_or_else(|| wanted(kind)),
        SettingKind::PortGroup => port_group(&items).map(Given::PortGroup),
        _ => from_items(kind, &items),
    }
}

fn port_group(items: &[String]) -> Result<Ports, String> {
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

fn from_items(kind: SettingKind, items: &[String]) -> Result<Given, String> {
    match kind {
        SettingKind::Addresses => addresses(items).map(Given::Addresses),
        SettingKind::Ports => ports_of(items).map(Given::Ports),
        SettingKind::Names => Ok(Given::Names(Some(
            items.iter().cloned().collect::<BTreeSet<_>>(),
        ))),
        SettingKind::Powers => powers(items).map(Given::Powers),
        _ => Err(wanted(kind)),
    }
}

fn addresses(items: &[String]) -> Result<AddressSet, String> {
    let mut set = AddressSet::none();
    for item in items {
        let (excluded, text) = item
            .strip_prefix('!')
            .map_or((false, item.as_str()), |rest| (true, rest));
        set.add(Entry {
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

fn net(text: &str) -> Result<Net, String> {
    match parse_value(&Type::Net, text).or_else(|_| parse_value(&Type::Ip, text)) {
        Ok(Value::Net(net)) => Ok(net),
        Ok(Value::Ip(address)) => Ok(Net::host(address)),
        _ => Err(format!(
            "`{text}` is no address and no net; write `192.0.2.1`, `192.0.2.0/24` or `!192.0.2.7`"
        )),
    }
}

fn ports_of(items: &[String]) -> Result<PortSet, String> {
    let mut set = PortSet::none();
    for item in items {
        let (low, high) = port_range(item)?;
        set.insert(low, high);
    }
    Ok(set)
}

fn port_range(text: &str) -> Result<(u16, u16), String> {
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    let port = |s: &str| {
        s.trim()
            .parse::<u16>()
            .map_err(|_| format!("`{s}` is no port; write `80` or `1024-2047`"))
    };
    Ok((port(low)?, port(high)?))
}

fn powers(items: &[String]) -> Result<PowerSet, String> {
    let known = || {
        crafty_policy::POWERS
            .iter()
            .map(|row| format!("`{}`", row.name))
            .collect::<Vec<_>>()
            .join(", ")
    };
    items.iter().try_fold(PowerSet::NONE, |set, item| {
        Power::named(item)
            .map(|p| set.with(p))
            .ok_or_else(|| format!("there is no power `{item}`; the powers are {}", known()))
    })
}

fn wanted(kind: SettingKind) -> String {
    match kind {
        SettingKind::Duration => "a duration is wanted, such as `60s`",
        SettingKind::Count => "a whole number is wanted, such as `100`",
        SettingKind::Size => "a number of bytes is wanted, such as `1MB`",
        SettingKind::Addresses => {
            "addresses and nets are wanted, such as `192.0.2.0/24,!192.0.2.1`"
        }
        SettingKind::Ports => "ports are wanted, such as `80,1024-2047`",
        SettingKind::PortGroup => "ports by protocol are wanted, such as `tcp:80,tcp:443,udp:53`",
        SettingKind::Names => "names are wanted, such as `eth0,eth1`",
        SettingKind::Powers => "powers are wanted, such as `fragments,tunnels`",
        SettingKind::Mode => "`none`, `false` or `true` is wanted",
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_vocabulary_of_programs() {
        let text = "[budget]\nmax_packets = 50\nmax_duration = \"5s\"\n[permissions]\ndestinations = [\"192.0.2.0/24\", \"!192.0.2.9\"]\npowers = [\"fragments\"]\ndestination_ports = { tcp = [80, [1000, 2000]] }\nexfiltration = \"none\"\n";
        let policy = parse(text).unwrap();
        assert_eq!(policy.budget.max_packets, 50);
        assert!(
            policy.destinations.contains("192.0.2.1".parse().unwrap())
                && !policy.destinations.contains("192.0.2.9".parse().unwrap())
        );
        assert!(policy.powers.has(Power::Fragments) && !policy.powers.has(Power::Tunnels));
        assert!(policy.destination_ports.unwrap().tcp.contains(1500));
        assert_eq!(policy.exfiltration, Mode::None);
    }

    #[test]
    fn mistakes_say_what_is_wanted() {
        let rows = [
            (
                "[budgets]\nmax_packets = 1",
                "there is no table `[budgets]`",
            ),
            (
                "[budget]\nmax_packet = 1",
                "`[budget]` has no key `max_packet`",
            ),
            (
                "[budget]\nmax_duration = 5",
                "`max_duration`: `5` does not fit: a duration is wanted",
            ),
            (
                "[permissions]\npowers = [\"all\"]",
                "there is no power `all`",
            ),
            (
                "[permissions]\ndestinations = [\"example\"]",
                "`example` is no address",
            ),
        ];
        for (text, wanted) in rows {
            let error = parse(text).unwrap_err();
            assert!(error.contains(wanted), "{error}");
        }
    }

    #[test]
    fn exclusions_alone_narrow_everything() {
        let set = addresses(&["!10.0.0.0/8".into()]).unwrap();
        assert!(
            !set.contains("10.1.1.1".parse().unwrap())
                && set.contains("192.0.2.1".parse().unwrap())
        );
    }
}
