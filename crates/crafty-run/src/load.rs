//! A program on its way to being run: checked, bound to its params, met with the operator's policy,
//! judged.

use crate::operator::PolicyError;
use crate::params::{GivenParam, ParamError, given};
use crate::source::{Source, SourceError};
use crafty_lang::check::{Bindings, bind, check};
use crafty_lang::ir::Program;
use crafty_lang::judge::{Judged, judge};
use crafty_policy::Policy;
use crafty_syntax::diagnostic::{Occurrence, Severity};
use std::fmt;

/// A program that may run.
#[derive(Debug)]
pub struct LoadedProgram {
    /// Its text.
    pub source: Source,
    /// The checked program, labels noted.
    pub program: Program,
    /// Its values; the policy is the effective one.
    pub bound: Bindings,
    /// What the program itself asks for.
    pub asked: Policy,
    /// What the operator allows.
    pub operator: Policy,
    /// What it may do.
    pub judged: Judged,
    /// Warnings.
    pub warnings: Vec<Occurrence>,
}

/// Why a program may not run.
#[derive(Debug)]
pub enum LoadError {
    /// Its text cannot be read.
    Source(SourceError),
    /// A param is missing, unknown or wrong.
    Param(ParamError),
    /// The operator's policy cannot be read: nothing may run.
    Policy(PolicyError),
    /// Mistakes in the text, and its warnings.
    Mistakes(Source, Vec<Occurrence>),
    /// The operator does not allow it: which statements, where single ones are the reason.
    Refused(Source, Vec<Occurrence>, PolicyConflict),
}

/// Why the operator's policy refuses a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyConflict {
    /// It is not sure to keep to what the policy leaves.
    NotAllowed,
    /// The policy leaves none of its destinations.
    NoDestination,
}

impl fmt::Display for PolicyConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PolicyConflict::NotAllowed => "the operator's policy does not allow this program",
            PolicyConflict::NoDestination => {
                "the operator's policy allows none of the program's destinations"
            }
        })
    }
}

impl PolicyConflict {
    /// What to do about it.
    pub fn fix(self) -> &'static str {
        "`crafty review FILE` shows what the policy leaves; ask the operator, or narrow the program"
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Source(error) => error.fmt(f),
            LoadError::Param(error) => error.fmt(f),
            LoadError::Policy(error) => error.fmt(f),
            LoadError::Mistakes(source, reports) => {
                let first = reports.first().map_or("", |report| &report.message);
                write!(f, "{}: {first} ({} reports)", source.name, reports.len())
            }
            LoadError::Refused(_, _, conflict) => conflict.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<SourceError> for LoadError {
    fn from(error: SourceError) -> LoadError {
        LoadError::Source(error)
    }
}

impl From<ParamError> for LoadError {
    fn from(error: ParamError) -> LoadError {
        LoadError::Param(error)
    }
}

impl From<PolicyError> for LoadError {
    fn from(error: PolicyError) -> LoadError {
        LoadError::Policy(error)
    }
}

impl LoadError {
    /// All that is wrong with the text.
    pub fn reports(&self) -> &[Occurrence] {
        match self {
            LoadError::Mistakes(_, reports) | LoadError::Refused(_, reports, _) => reports,
            LoadError::Source(_) | LoadError::Param(_) | LoadError::Policy(_) => &[],
        }
    }
}

/// Checks, binds and judges a program, for an operator with this policy
/// ([`Policy::everything`] where there is none).
///
/// # Errors
/// When it may not run.
pub fn load(
    source: Source,
    params: &[GivenParam],
    operator: &Policy,
) -> Result<LoadedProgram, LoadError> {
    let (mut program, warnings) = checked(&source)?;
    let given = given(&source.name, &program, params)?;
    let bound = match bind(&program, &given) {
        Ok(bound) => bound,
        Err(reports) => return Err(LoadError::Mistakes(source, reports)),
    };
    let own = judge(&mut program, &bound, &bound.policy);
    let (errors, _) = apart(own.reports);
    if !errors.is_empty() {
        return Err(LoadError::Mistakes(source, [errors, warnings].concat()));
    }
    let effective = bound.policy.meet(operator);
    let judged = judge(&mut program, &bound, &effective);
    let (errors, more) = apart(judged.reports.clone());
    let conflict = if !errors.is_empty() {
        Some(PolicyConflict::NotAllowed)
    } else if effective.destinations.is_empty() && !bound.policy.destinations.is_empty() {
        Some(PolicyConflict::NoDestination)
    } else {
        None
    };
    if let Some(conflict) = conflict {
        return Err(LoadError::Refused(source, errors, conflict));
    }
    let asked = bound.policy.clone();
    let bound = Bindings {
        policy: effective,
        ..bound
    };
    Ok(LoadedProgram {
        source,
        program,
        bound,
        asked,
        operator: operator.clone(),
        judged,
        warnings: [warnings, more].concat(),
    })
}

/// The checked program with its warnings.
fn checked(source: &Source) -> Result<(Program, Vec<Occurrence>), LoadError> {
    let checked = check(&source.text);
    let (errors, warnings) = apart(checked.reports);
    match checked.program {
        Some(program) if errors.is_empty() => Ok((program, warnings)),
        _ => Err(LoadError::Mistakes(
            source.clone(),
            [errors, warnings].concat(),
        )),
    }
}

/// Errors and warnings.
fn apart(reports: Vec<Occurrence>) -> (Vec<Occurrence>, Vec<Occurrence>) {
    reports
        .into_iter()
        .partition(|report| report.diagnostic.severity == Severity::Error)
}
