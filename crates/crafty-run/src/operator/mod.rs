//! The operator's policy: TOML files, then the environment, then what the caller gives. Each can
//! only narrow what the ones before leave. Knows no key of its own: all come from the gate's table.

mod file;
mod value;

pub use file::FileError;
use file::Trust;
pub use value::ValueError;

use crafty_policy::{Given, Policy, SETTINGS, Setting, StatedBy};
use std::fmt;
use std::path::{Path, PathBuf};

/// The file that is always read.
pub const SYSTEM_FILE: &str = "/etc/crafty/policy.toml";

/// One setting that a caller narrows, as text.
#[derive(Clone, Debug)]
pub struct Limit {
    /// Which one.
    pub setting: &'static Setting,
    /// Its value.
    pub text: String,
    /// What messages call the place it was given at: `--max-packets`.
    pub origin: String,
}

/// A policy that cannot be read: nothing may run.
#[derive(Debug)]
pub enum PolicyError {
    /// Of a file.
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: FileError,
    },
    /// Of an environment variable or of the caller's limits.
    Value {
        /// Which one.
        origin: String,
        /// What is wrong with it.
        error: ValueError,
    },
    /// A later layer states what only root's file may.
    RootOnly {
        /// Which one.
        origin: String,
        /// What it states.
        key: &'static str,
    },
    /// An environment variable is not text.
    NotText {
        /// Which one.
        name: String,
    },
    /// There is no such setting for an environment variable with our prefix.
    UnknownVariable {
        /// Its name.
        name: String,
    },
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PolicyError::File { path, error } => write!(f, "{}: {error}", path.display()),
            PolicyError::Value { origin, error } => write!(f, "{origin}: {error}"),
            PolicyError::RootOnly { origin, key } => write!(
                f,
                "{origin}: only {SYSTEM_FILE} can set `{key}`; remove it here, or set it there"
            ),
            PolicyError::NotText { name } => write!(
                f,
                "environment variable {name} is not UTF-8; set it again, or unset it"
            ),
            PolicyError::UnknownVariable { name } => write!(
                f,
                "environment variable {name} is not a setting; correct its name, or unset it"
            ),
        }
    }
}

impl std::error::Error for PolicyError {}

impl PolicyError {
    /// What to do about it.
    pub fn fix(&self) -> &'static str {
        "nothing runs until the policy can be read"
    }
}

/// The policy of this host: the system's file, the one that `CRAFTY_POLICY` names, `files`, the
/// environment, and `limits`.
///
/// # Errors
/// When one of them cannot be read, is not to be trusted, or would widen what the system's file
/// leaves.
pub fn operator_policy(limits: &[Limit], files: &[&Path]) -> Result<Policy, PolicyError> {
    if let Some(name) = unknown_variables().into_iter().next() {
        return Err(PolicyError::UnknownVariable { name });
    }
    let system = Path::new(SYSTEM_FILE);
    let root = file::read_if_there(system).map_err(|error| of_file(system, error))?;
    let named = std::env::var_os(POLICY_VARIABLE).map(PathBuf::from);
    let mut later = Vec::new();
    for path in named.as_deref().into_iter().chain(files.iter().copied()) {
        let policy = file::read(path, Trust::Owner).map_err(|error| of_file(path, error))?;
        if let Some(key) = roots_setting(&policy) {
            let origin = path.display().to_string();
            return Err(PolicyError::RootOnly { origin, key });
        }
        later.push(policy);
    }
    later.push(narrowed(&environment()?)?);
    later.push(narrowed(limits)?);
    Ok(Policy::operator(root, later))
}

/// What a later layer states of what only root's file may.
fn roots_setting(policy: &Policy) -> Option<&'static str> {
    let nothing = Policy::everything();
    let mut settings = SETTINGS.iter();
    settings
        .find(|row| row.stated_by == StatedBy::Root && row.read(policy) != row.read(&nothing))
        .map(|row| row.key)
}

fn of_file(path: &Path, error: FileError) -> PolicyError {
    PolicyError::File {
        path: path.into(),
        error,
    }
}

/// Names one more policy file.
const POLICY_VARIABLE: &str = "CRAFTY_POLICY";

/// What all our environment variables begin with.
const PREFIX: &str = "CRAFTY_";

/// Environment variables with our prefix that mean nothing: a mistyped limit would be none.
pub fn unknown_variables() -> Vec<String> {
    let known = |name: &str| {
        name == POLICY_VARIABLE || SETTINGS.iter().any(|setting| variable(setting) == name)
    };
    std::env::vars_os()
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .filter(|name| name.starts_with(PREFIX) && !known(name))
        .collect()
}

/// The name of the environment variable that narrows a setting.
pub fn variable(setting: &Setting) -> String {
    format!("CRAFTY_{}", setting.key.to_uppercase())
}

fn environment() -> Result<Vec<Limit>, PolicyError> {
    let mut limits = Vec::new();
    for setting in SETTINGS {
        let name = variable(setting);
        let Some(text) = std::env::var_os(&name) else {
            continue;
        };
        let Ok(text) = text.into_string() else {
            return Err(PolicyError::NotText { name });
        };
        limits.push(Limit {
            setting,
            text,
            origin: format!("environment variable {name}"),
        });
    }
    Ok(limits)
}

fn narrowed(limits: &[Limit]) -> Result<Policy, PolicyError> {
    let mut policy = Policy::everything();
    for limit in limits {
        let given = value::read(limit.setting.kind, &limit.text);
        let given = given.map_err(|error| PolicyError::Value {
            origin: limit.origin.clone(),
            error,
        })?;
        if limit.setting.stated_by == StatedBy::Root {
            let (origin, key) = (limit.origin.clone(), limit.setting.key);
            return Err(PolicyError::RootOnly { origin, key });
        }
        write(limit.setting, &mut policy, given);
    }
    Ok(policy)
}

fn write(setting: &Setting, policy: &mut Policy, given: Given) {
    let fits = setting.write(policy, given);
    debug_assert!(fits, "`{}` takes what its kind says", setting.key);
}
