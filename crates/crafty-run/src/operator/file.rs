//! A policy file (TOML): `[budget]`, `[ports]`, `[permissions]` with the keys of programs.

use super::value::{self, ValueError, from_items, ports, wanted};
use super::write;
use crafty_policy::{
    AddressSet, Given, Policy, Ports, SECTIONS, SETTINGS, Setting, SettingKind, SettingsGroup,
    StatedBy,
};
use std::fmt;
use std::fs::Metadata;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Why a policy file cannot be read.
#[derive(Debug)]
pub enum FileError {
    /// The system refuses.
    Unreadable(io::Error),
    /// Others may write it, or replace it in its folder: it is nobody's policy.
    WritableByOthers(PathBuf),
    /// It belongs to somebody who has no say here.
    WrongOwner {
        /// The file or folder.
        path: PathBuf,
        /// The number of its owner.
        owner: u32,
    },
    /// It is a folder, a device or the like.
    NotAFile,
    /// It is longer than any policy.
    TooLong,
    /// It is not UTF-8.
    NotText,
    /// It is not TOML.
    Syntax(toml::de::Error),
    /// There is no such table.
    UnknownTable(String),
    /// This must be a table.
    NotATable(String),
    /// A table has no such key.
    UnknownKey {
        /// The table.
        table: String,
        /// The key.
        key: String,
    },
    /// A key has a value that does not fit.
    Value {
        /// The key.
        key: String,
        /// What is wrong with it.
        error: ValueError,
    },
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Unreadable(error) => write!(f, "cannot be read: {error}"),
            FileError::WritableByOthers(path) => {
                write!(
                    f,
                    "other users can write to it; `chmod go-w {}`",
                    path.display()
                )
            }
            FileError::WrongOwner { path, owner } => write!(
                f,
                "user {owner} owns {}, who has no say here; `chown root` it",
                path.display()
            ),
            FileError::NotAFile => f.write_str("is not a regular file"),
            FileError::TooLong => {
                write!(f, "is longer than {MOST_BYTES} bytes; name a policy file")
            }
            FileError::NotText => f.write_str("is not UTF-8"),
            FileError::Syntax(error) => error.fmt(f),
            FileError::UnknownTable(name) => write!(
                f,
                "there is no table `[{name}]`; the tables are {}",
                tables()
            ),
            FileError::NotATable(name) => write!(f, "`{name}` must be a table: `[{name}]`"),
            FileError::UnknownKey { table, key } => write!(
                f,
                "`[{table}]` has no key `{key}`; its keys are {}",
                keys(table)
            ),
            FileError::Value { key, error } => write!(f, "`{key}`: {error}"),
        }
    }
}

/// Whose files are trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Root's alone.
    Root,
    /// Root's, and those of whoever runs this.
    Owner,
}

/// Reads root's file; none if there is none. Anything else than its absence is an error: a link to
/// nowhere, a folder that cannot be searched.
pub fn read_if_there(path: &Path) -> Result<Option<Policy>, FileError> {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::Unreadable(error)),
        Ok(_) => read(path, Trust::Root).map(Some),
    }
}

/// Bytes of the longest policy that is read.
const MOST_BYTES: u64 = 4 << 20;

/// Reads a file that nobody else can have written.
pub fn read(path: &Path, trust: Trust) -> Result<Policy, FileError> {
    let file = crafty_net::open_to_read(path).map_err(FileError::Unreadable)?;
    let metadata = file.metadata().map_err(FileError::Unreadable)?;
    if !metadata.is_file() {
        return Err(FileError::NotAFile);
    }
    check(path, &metadata, trust)?;
    if trust == Trust::Root {
        // Who may write to the folder where a link leads chooses among root's files.
        let target = std::fs::canonicalize(path).map_err(FileError::Unreadable)?;
        for file in [path, &target] {
            let folder = file.parent().unwrap_or(Path::new("/"));
            let metadata = std::fs::metadata(folder).map_err(FileError::Unreadable)?;
            check(folder, &metadata, trust)?;
        }
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(FileError::Unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(FileError::TooLong);
    }
    parse(&String::from_utf8(bytes).map_err(|_| FileError::NotText)?)
}

/// Whether nobody but those trusted can have written what is at `path`.
fn check(path: &Path, metadata: &Metadata, trust: Trust) -> Result<(), FileError> {
    if metadata.mode() & 0o022 != 0 {
        return Err(FileError::WritableByOthers(path.into()));
    }
    let owner = metadata.uid();
    let own = || trust == Trust::Owner && owner == crafty_net::user();
    if owner == 0 || own() || is_from_outside(owner) && !crafty_net::may_write(path) {
        return Ok(());
    }
    Err(FileError::WrongOwner {
        path: path.into(),
        owner,
    })
}

/// In a user namespace, root outside of it and everybody else look like this user
/// (user_namespaces(7), `/proc/sys/kernel/overflowuid`).
fn is_from_outside(owner: u32) -> bool {
    let text = std::fs::read_to_string("/proc/sys/kernel/overflowuid");
    let overflow = text.ok().and_then(|text| text.trim().parse().ok());
    owner == overflow.unwrap_or(65_534) && crafty_net::is_in_user_namespace()
}

/// The text of a policy file.
pub fn parse(text: &str) -> Result<Policy, FileError> {
    let tables: toml::Table = text.parse().map_err(FileError::Syntax)?;
    let mut policy = Policy::everything();
    for (name, table) in &tables {
        let section = section(name).ok_or_else(|| FileError::UnknownTable(name.clone()))?;
        let entries = table
            .as_table()
            .ok_or_else(|| FileError::NotATable(name.clone()))?;
        for (key, value) in entries {
            let setting = crafty_policy::setting(section, key);
            let setting = setting.ok_or_else(|| FileError::UnknownKey {
                table: name.clone(),
                key: key.clone(),
            })?;
            let given = read_setting(setting, value).map_err(|error| FileError::Value {
                key: key.clone(),
                error,
            })?;
            write(setting, &mut policy, given);
        }
    }
    Ok(policy)
}

fn section(table: &str) -> Option<SettingsGroup> {
    SECTIONS
        .iter()
        .find(|(_, name)| name.to_lowercase() == table)
        .map(|(section, _)| *section)
}

fn tables() -> String {
    let names = SECTIONS.iter();
    let names: Vec<String> = names
        .map(|(_, name)| format!("`[{}]`", name.to_lowercase()))
        .collect();
    names.join(", ")
}

fn keys(table: &str) -> String {
    let in_table = |setting: &&Setting| section(table) == Some(setting.section);
    let keys: Vec<String> = SETTINGS
        .iter()
        .filter(in_table)
        .map(|setting| format!("`{}`", setting.key))
        .collect();
    keys.join(", ")
}

/// Exclusions alone narrow everything; where nothing is open, they leave it so.
fn read_setting(setting: &Setting, value: &toml::Value) -> Result<Given, ValueError> {
    let given = read_toml(setting.kind, value)?;
    let excludes = |item: &toml::Value| item.as_str().is_some_and(|text| text.starts_with('!'));
    let nothing = value
        .as_array()
        .is_some_and(|items| items.iter().all(excludes));
    let is_opened = setting.stated_by == StatedBy::Root && setting.kind == SettingKind::Addresses;
    Ok(if is_opened && nothing {
        Given::Addresses(AddressSet::none())
    } else {
        given
    })
}

/// TOML values are the language's: lists, everything else as the text of a literal.
fn read_toml(kind: SettingKind, value: &toml::Value) -> Result<Given, ValueError> {
    match (kind, value) {
        (SettingKind::PortGroup, toml::Value::Table(group)) => group
            .iter()
            .try_fold(Ports::default(), with_protocol)
            .map(Given::PortGroup),
        (_, toml::Value::Array(items)) => {
            from_items(kind, &items.iter().map(item_text).collect::<Vec<_>>())
        }
        (_, toml::Value::String(text)) => value::read(kind, text),
        (_, toml::Value::Integer(n)) => value::read(kind, &n.to_string()),
        (_, toml::Value::Boolean(b)) => value::read(kind, &b.to_string()),
        _ => Err(wanted(kind)),
    }
}

fn with_protocol(
    mut group: Ports,
    (protocol, list): (&String, &toml::Value),
) -> Result<Ports, ValueError> {
    let items = list
        .as_array()
        .ok_or_else(|| ValueError::NotAList(protocol.clone()))?;
    let set = ports(&items.iter().map(item_text).collect::<Vec<_>>())?;
    match protocol.as_str() {
        "tcp" => group.tcp = set,
        "udp" => group.udp = set,
        _ => return Err(ValueError::NoPorts(protocol.clone())),
    }
    Ok(group)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crafty_policy::{ExfiltrationMode, Power};

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
        assert_eq!(policy.exfiltration, ExfiltrationMode::None);
    }

    /// Nobody named is nobody who can approve, not nobody who must.
    #[test]
    fn an_empty_list_of_keys_demands_an_approval() {
        let keys = |text: &str| parse(text).unwrap().require_approval;
        let none = "[permissions]\nrequire_approval = []\n";
        assert_eq!(keys(none), Some(std::collections::BTreeSet::new()));
        assert_eq!(keys("[permissions]\n"), None);
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
                "`max_duration`: `5` does not fit: expected a duration",
            ),
            (
                "[permissions]\npowers = [\"all\"]",
                "there is no power `all`",
            ),
            (
                "[permissions]\ndestinations = [\"example\"]",
                "`example` is not an address",
            ),
        ];
        for (text, wanted) in rows {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        }
    }
}
