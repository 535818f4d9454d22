//! A program file on its way to being run: read once, checked, bound, met with the operator's
//! policy, judged. Prints every mistake.

use crate::operator::Invalid;
use crate::{output, status};
use crafty_lang::check::{Bound, bind, check, parse_value};
use crafty_lang::ir::{Program, Type};
use crafty_lang::judge::{Judged, judge};
use crafty_policy::Policy;
use crafty_syntax::diagnostic::{Report, Severity};
use crafty_syntax::render;
use crafty_value::Value;
use std::collections::BTreeMap;
use std::io::Read;
use std::net::{IpAddr, ToSocketAddrs};

/// Mistakes that are told to a person; `--json` has all.
const MOST_TOLD: usize = 50;

/// Longest program that is read.
const MOST_SOURCE: u64 = 64 * 1024 + 1;

/// A program that may run.
#[derive(Debug)]
pub struct Loaded {
    /// As given, `-` for standard input.
    pub name: String,
    /// The checked program, labels noted.
    pub program: Program,
    /// Its values; the policy is the effective one.
    pub bound: Bound,
    /// What the program asks for by itself.
    pub asked: Policy,
    /// What it may do.
    pub judged: Judged,
    /// Warnings.
    pub warnings: Vec<Report>,
}

/// Why a program may not run, with the exit status.
#[derive(Debug)]
pub enum Refusal {
    /// The file cannot be read, or a param is wrong: what, and the fix.
    Usage(String, String),
    /// Mistakes in the text.
    Mistakes(String, Vec<Report>),
    /// The operator does not allow it.
    Policy(String, Vec<Report>, String),
}

impl Refusal {
    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            Refusal::Usage(..) | Refusal::Mistakes(..) => status::USAGE,
            Refusal::Policy(..) => status::REFUSED,
        }
    }

    /// All that is wrong, for machines.
    pub fn reports(&self) -> &[Report] {
        match self {
            Refusal::Usage(..) => &[],
            Refusal::Mistakes(_, reports) | Refusal::Policy(_, reports, _) => reports,
        }
    }

    /// Tells a person; `name` is the file's.
    pub fn tell(&self, name: &str) {
        match self {
            Refusal::Usage(what, fix) => output::error(what, fix),
            Refusal::Mistakes(source, reports) => tell(source, name, reports),
            Refusal::Policy(source, reports, what) => {
                tell(source, name, reports);
                output::error(
                    what,
                    "`crafty review FILE` shows what the policy leaves; ask the operator, or narrow the program",
                );
            }
        }
    }
}

impl From<Invalid> for Refusal {
    fn from(invalid: Invalid) -> Refusal {
        Refusal::Usage(
            format!("{}: {}", invalid.source, invalid.what),
            "a policy that cannot be read lets nothing run".into(),
        )
    }
}

/// Prints reports for a person.
pub fn tell(source: &str, name: &str, reports: &[Report]) {
    for report in reports.iter().take(MOST_TOLD) {
        output::note(render::human(source, name, report, output::coloured()).trim_end());
        output::note("");
    }
    if reports.len() > MOST_TOLD {
        output::note(&format!("and {} more", reports.len() - MOST_TOLD));
    }
}

/// Reads a file, or standard input for `-`.
pub fn read(name: &str) -> Result<String, Refusal> {
    let unreadable = |e: std::io::Error| {
        Refusal::Usage(
            format!("cannot read `{name}`: {e}"),
            "give a `.crafty` file, or `-` for standard input".into(),
        )
    };
    let mut octets = Vec::new();
    match name {
        "-" => std::io::stdin()
            .lock()
            .take(MOST_SOURCE)
            .read_to_end(&mut octets)
            .map_err(unreadable)?,
        path => std::fs::File::open(path)
            .map_err(unreadable)?
            .take(MOST_SOURCE)
            .read_to_end(&mut octets)
            .map_err(unreadable)?,
    };
    String::from_utf8(octets).map_err(|_| {
        Refusal::Usage(
            format!("`{name}` is no text"),
            "a program is ASCII outside strings and comments".into(),
        )
    })
}

/// Reads, checks, binds and judges a program.
pub fn load(
    name: &str,
    source: String,
    params: &[(String, String)],
    operator: &Policy,
) -> Result<Loaded, Refusal> {
    let checked = check(&source);
    let (errors, warnings): (Vec<_>, Vec<_>) = checked
        .reports
        .into_iter()
        .partition(|r| r.diagnostic.severity == Severity::Error);
    let Some(mut program) = checked.program.filter(|_| errors.is_empty()) else {
        return Err(Refusal::Mistakes(source, [errors, warnings].concat()));
    };
    let given = given(name, &program, params)?;
    let bound =
        bind(&program, &given).map_err(|reports| Refusal::Mistakes(source.clone(), reports))?;
    let own = judge(&mut program, &bound, &bound.policy);
    refuse_errors(&source, own.reports, &warnings)?;
    let effective = bound.policy.meet(operator);
    let judged = judge(&mut program, &bound, &effective);
    let (errors, more): (Vec<_>, Vec<_>) = judged
        .reports
        .iter()
        .cloned()
        .partition(|r| r.diagnostic.severity == Severity::Error);
    if !errors.is_empty() {
        return Err(Refusal::Policy(
            source,
            errors,
            "the operator's policy does not allow this program".into(),
        ));
    }
    let emptied = effective.destinations.is_empty() && !bound.policy.destinations.is_empty();
    if emptied {
        return Err(Refusal::Policy(
            source,
            Vec::new(),
            "the operator's policy allows none of the program's destinations".into(),
        ));
    }
    let asked = bound.policy.clone();
    let bound = Bound {
        policy: effective,
        ..bound
    };
    Ok(Loaded {
        name: name.into(),
        program,
        bound,
        asked,
        judged,
        warnings: [warnings, more].concat(),
    })
}

fn refuse_errors(source: &str, reports: Vec<Report>, warnings: &[Report]) -> Result<(), Refusal> {
    let errors: Vec<_> = reports
        .into_iter()
        .filter(|r| r.diagnostic.severity == Severity::Error)
        .collect();
    if errors.is_empty() {
        Ok(())
    } else {
        Err(Refusal::Mistakes(
            source.into(),
            [errors, warnings.to_vec()].concat(),
        ))
    }
}

/// The params that each of these programs has. One that no program has is refused; a text that
/// cannot be read is given all, and told of when it is loaded.
pub fn shares(
    params: &[(String, String)],
    sources: &[&str],
) -> Result<Vec<Vec<(String, String)>>, Refusal> {
    if sources.len() < 2 {
        return Ok(vec![params.to_vec(); sources.len()]);
    }
    let programs: Vec<Option<Program>> =
        sources.iter().map(|source| check(source).program).collect();
    let has = |program: &Option<Program>, name: &str| {
        program.as_ref().is_none_or(|p| {
            p.params
                .iter()
                .any(|q| p.variables[q.var.0 as usize].name == name)
        })
    };
    if let Some((name, _)) = params
        .iter()
        .find(|(name, _)| !programs.iter().any(|p| has(p, name)))
    {
        return Err(Refusal::Usage(
            format!("none of the programs has a param `{name}`"),
            "declare it in one of them: `param name = value`".into(),
        ));
    }
    Ok(programs
        .iter()
        .map(|p| {
            params
                .iter()
                .filter(|(name, _)| has(p, name))
                .cloned()
                .collect()
        })
        .collect())
}

/// Values of the params that the command line gives, and a refusal for those it must give and does
/// not.
fn given(
    file: &str,
    program: &Program,
    params: &[(String, String)],
) -> Result<BTreeMap<String, Value>, Refusal> {
    let mut given = BTreeMap::new();
    for (name, text) in params {
        let param = program
            .params
            .iter()
            .map(|p| &program.variables[p.var.0 as usize])
            .find(|v| v.name == *name);
        let variable = param.ok_or_else(|| {
            Refusal::Usage(
                format!("`{file}` has no param `{name}`"),
                known_params(program),
            )
        })?;
        given.insert(
            name.clone(),
            value(&variable.ty, text, default_is_v6(program, name))
                .map_err(|what| Refusal::Usage(format!("param `{name}`: {what}"), String::new()))?,
        );
    }
    for param in program.params.iter().filter(|p| p.default.is_none()) {
        let name = &program.variables[param.var.0 as usize].name;
        if !given.contains_key(name) {
            return Err(Refusal::Usage(
                format!("param `{name}` of `{file}` has no default"),
                format!("give it on the command line: `{name}=…`"),
            ));
        }
    }
    Ok(given)
}

fn known_params(program: &Program) -> String {
    let names: Vec<_> = program
        .params
        .iter()
        .map(|p| format!("`{}`", program.variables[p.var.0 as usize].name))
        .collect();
    if names.is_empty() {
        "declare it: `param name = value`".into()
    } else {
        format!("its params are {}", names.join(", "))
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

fn value(ty: &Type, text: &str, v6_first: bool) -> Result<Value, String> {
    let literal = parse_value(ty, text).map_err(|e| e.to_string());
    match (ty, literal) {
        (Type::Ip, Err(what)) => resolve(text, v6_first).map(Value::Ip).ok_or(what),
        (_, literal) => literal,
    }
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
