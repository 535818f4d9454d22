//! The operator's policy: TOML files, then the environment, then what the caller gives. Each can
//! only narrow what the ones before leave. Knows no key of its own: all come from the gate's table.

mod file;
mod value;

pub use file::FileError;
pub use value::ValueError;

use crafty_policy::{Given, Policy, SETTINGS, Setting};
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
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PolicyError::File { path, error } => write!(f, "{}: {error}", path.display()),
            PolicyError::Value { origin, error } => write!(f, "{origin}: {error}"),
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

/// The policy of this host: the system's file, the one that `CRAFTY_POLICY` names, `file`, the
/// environment, and `limits`.
///
/// # Errors
/// When one of them cannot be read.
pub fn operator_policy(limits: &[Limit], file: Option<&Path>) -> Result<Policy, PolicyError> {
    let system = Some(Path::new(SYSTEM_FILE)).filter(|path| path.exists());
    let named = std::env::var_os("CRAFTY_POLICY").map(PathBuf::from);
    let files = system.into_iter().chain(named.as_deref()).chain(file);
    let mut layers = files
        .map(|path| {
            file::read(path).map_err(|error| PolicyError::File {
                path: path.into(),
                error,
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    layers.push(narrowed(&environment())?);
    layers.push(narrowed(limits)?);
    Ok(Policy::operator(layers))
}

/// The name of the environment variable that narrows a setting.
pub fn variable(setting: &Setting) -> String {
    format!("CRAFTY_{}", setting.key.to_uppercase())
}

fn environment() -> Vec<Limit> {
    let limit = |setting: &'static Setting| {
        let name = variable(setting);
        let text = std::env::var(&name).ok()?;
        Some(Limit {
            setting,
            text,
            origin: format!("environment variable {name}"),
        })
    };
    SETTINGS.iter().filter_map(limit).collect()
}

fn narrowed(limits: &[Limit]) -> Result<Policy, PolicyError> {
    let mut policy = Policy::everything();
    for limit in limits {
        let given = value::read(limit.setting.kind, &limit.text);
        let given = given.map_err(|error| PolicyError::Value {
            origin: limit.origin.clone(),
            error,
        })?;
        write(limit.setting, &mut policy, given);
    }
    Ok(policy)
}

fn write(setting: &Setting, policy: &mut Policy, given: Given) {
    let fits = setting.write(policy, given);
    debug_assert!(fits, "`{}` takes what its kind says", setting.key);
}
