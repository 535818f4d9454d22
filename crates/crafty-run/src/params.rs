//! What a caller sets of a program: its params, as text.

use crafty_lang::check::{LiteralError, check, parse_value};
use crafty_lang::ir::{Program, Type};
use crafty_value::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, ToSocketAddrs};

/// A param of a program, set from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenParam {
    /// Its name.
    pub name: String,
    /// Its value, as the language writes it; for an address also a host name.
    pub value: String,
}

/// Why the params of a program are wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamError {
    /// The program has no such param.
    Unknown {
        /// The program.
        program: String,
        /// The param.
        name: String,
        /// Those that it has.
        known: Vec<String>,
    },
    /// None of several programs has it.
    UnknownToAll {
        /// The param.
        name: String,
    },
    /// It has no default, and no value is given.
    Missing {
        /// The program.
        program: String,
        /// The param.
        name: String,
    },
    /// Its value does not have its type.
    Invalid {
        /// The param.
        name: String,
        /// Which text is not a literal of which type.
        error: LiteralError,
    },
    /// Its value is a host name, and whoever loads the program looks up none.
    HostName {
        /// The param.
        name: String,
        /// Its value, or the beginning of it.
        value: String,
    },
}

impl GivenParam {
    /// Reads `name=value`; `None` where no name of the language is before a `=`.
    pub fn parse(word: &str) -> Option<GivenParam> {
        let (name, value) = word.split_once('=')?;
        let in_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let is_name = !name.is_empty() && name.chars().all(in_name);
        is_name.then(|| GivenParam {
            name: name.into(),
            value: value.into(),
        })
    }
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamError::Unknown { program, name, .. } => {
                write!(f, "`{program}` has no param `{name}`")
            }
            ParamError::UnknownToAll { name } => {
                write!(f, "none of the programs has a param `{name}`")
            }
            ParamError::Missing { program, name } => {
                write!(f, "param `{name}` of `{program}` has no default")
            }
            ParamError::Invalid { name, error } => write!(f, "param `{name}`: {error}"),
            ParamError::HostName { name, value } => write!(
                f,
                "param `{name}`: `{value}` is not an address; names are not looked up here: give an IPv4 or IPv6 address"
            ),
        }
    }
}

impl std::error::Error for ParamError {}

impl ParamError {
    /// What to do about it; empty where the error says so already.
    pub fn fix(&self) -> String {
        match self {
            ParamError::Unknown { known, .. } if known.is_empty() => {
                "declare it: `param name = value`".into()
            }
            ParamError::Unknown { known, .. } => {
                let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                format!("its params are {}", names.join(", "))
            }
            ParamError::UnknownToAll { .. } => {
                "declare it in one of them: `param name = value`".into()
            }
            ParamError::Missing { name, .. } => {
                format!("give it on the command line: `{name}=…`")
            }
            ParamError::Invalid { .. } | ParamError::HostName { .. } => String::new(),
        }
    }
}

/// The params that each of several programs has. A text that cannot be read is given all, and
/// reported when it is loaded.
///
/// # Errors
/// A param that none of them has.
pub fn shares(params: &[GivenParam], sources: &[&str]) -> Result<Vec<Vec<GivenParam>>, ParamError> {
    if sources.len() < 2 {
        return Ok(vec![params.to_vec(); sources.len()]);
    }
    let programs: Vec<Option<Program>> =
        sources.iter().map(|source| check(source).program).collect();
    let has = |program: &Option<Program>, param: &GivenParam| {
        program
            .as_ref()
            .is_none_or(|program| names(program).any(|name| name == param.name))
    };
    let unknown = |param: &&GivenParam| !programs.iter().any(|program| has(program, param));
    if let Some(param) = params.iter().find(unknown) {
        return Err(ParamError::UnknownToAll {
            name: param.name.clone(),
        });
    }
    let share = |program| {
        let own = params.iter().filter(|param| has(program, param));
        own.cloned().collect()
    };
    Ok(programs.iter().map(share).collect())
}

fn names(program: &Program) -> impl Iterator<Item = &str> {
    program
        .params
        .iter()
        .map(|param| program.variables[param.var.0 as usize].name.as_str())
}

/// Values of the params that are given, and an error for those that must be given and are not.
pub(crate) fn given(
    file: &str,
    program: &Program,
    params: &[GivenParam],
) -> Result<BTreeMap<String, Value>, ParamError> {
    let mut given = BTreeMap::new();
    for GivenParam { name, value: text } in params {
        let variables = program
            .params
            .iter()
            .map(|param| &program.variables[param.var.0 as usize]);
        let mut named = variables.filter(|variable| variable.name == *name);
        let variable = named.next().ok_or_else(|| ParamError::Unknown {
            program: file.into(),
            name: name.clone(),
            known: names(program).map(String::from).collect(),
        })?;
        let value = value(program, name, &variable.ty, text);
        let value = value.map_err(|error| ParamError::Invalid {
            name: name.clone(),
            error,
        })?;
        given.insert(name.clone(), value);
    }
    for param in program.params.iter().filter(|p| p.default.is_none()) {
        let name = &program.variables[param.var.0 as usize].name;
        if !given.contains_key(name) {
            return Err(ParamError::Missing {
                program: file.into(),
                name: name.clone(),
            });
        }
    }
    Ok(given)
}

fn value(program: &Program, name: &str, ty: &Type, text: &str) -> Result<Value, LiteralError> {
    match (ty, parse_value(ty, text)) {
        (Type::Ip, Err(error)) => resolve(text, default_is_v6(program, name))
            .map(Value::Ip)
            .ok_or(error),
        (_, literal) => literal,
    }
}

/// A name resolves to IPv4 first, unless the default is IPv6.
fn default_is_v6(program: &Program, name: &str) -> bool {
    use crafty_lang::ir::ExprKind;
    let param = program
        .params
        .iter()
        .find(|p| program.variables[p.var.0 as usize].name == name);
    let default = param.and_then(|p| p.default.as_ref());
    matches!(
        default.map(|d| &d.kind),
        Some(ExprKind::Constant(Value::Ip(IpAddr::V6(_))))
    )
}

/// A host name, resolved once before the start: the address is pinned for the run.
fn resolve(name: &str, v6_first: bool) -> Option<IpAddr> {
    let plausible = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-')
        && name.chars().any(|c| c.is_ascii_alphabetic());
    if !plausible {
        return None;
    }
    let mut found: Vec<IpAddr> = (name, 0).to_socket_addrs().ok()?.map(|a| a.ip()).collect();
    found.sort_by_key(|a| a.is_ipv6() != v6_first);
    found.first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_a_param_where_a_name_of_the_language_stands_before_its_sign() {
        let check = |word: &str, wanted: Option<(&str, &str)>| {
            let read = GivenParam::parse(word).map(|param| (param.name, param.value));
            let wanted = wanted.map(|(name, value)| (name.to_string(), value.to_string()));
            assert_eq!(read, wanted, "{word}");
        };
        check("target=192.0.2.1", Some(("target", "192.0.2.1")));
        check("a_1=b=c", Some(("a_1", "b=c")));
        check("x=", Some(("x", "")));
        check("=x", None);
        check("A=1", None);
        check("dir/a=b.crafty", None);
        check("ping.crafty", None);
    }

    #[test]
    fn programs_share_params_and_an_unknown_one_is_told() {
        let (a, b) = ("param one = 1\n", "param one = 1\nparam two = 2\n");
        let params = ["one=5", "two=6"].map(|word| GivenParam::parse(word).expect("a param"));
        let shared = shares(&params, &[a, b]).expect("known");
        assert_eq!(shared.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2]);
        let other = [GivenParam::parse("three=1").expect("a param")];
        let error = shares(&other, &[a, b]).expect_err("unknown");
        assert_eq!(
            error,
            ParamError::UnknownToAll {
                name: "three".into()
            }
        );
    }
}
