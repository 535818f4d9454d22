//! Why a command did not do what was asked: told on standard error with the fix, and given back as
//! an exit status.

use crate::output;
use crate::status::{ENVIRONMENT, REFUSED, USAGE};
use crafty_net::NetError;
use crafty_run::admission::AdmissionError;
use crafty_run::{
    LoadError, MediumError, ParamError, PolicyError, RecordingError, Source, SourceError,
};
use crafty_syntax::diagnostic::Occurrence;
use crafty_syntax::render;

/// Reports that are reported to a person; `--json` has all.
const MAX_TOLD: usize = 50;

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// It was used wrongly: what, and the fix.
    Usage(String, String),
    /// The host lacks something: what, and the fix.
    Environment(String, String),
    /// The operator's policy refuses it: what, and the fix.
    Refused(String, String),
    /// A program may not run.
    Load(Box<LoadError>),
}

impl Failure {
    /// Wrong usage.
    pub fn usage(what: impl Into<String>, fix: impl Into<String>) -> Failure {
        Failure::Usage(what.into(), fix.into())
    }

    /// A file that cannot be written.
    pub fn unwritable(path: &str, error: &std::io::Error, fix: &str) -> Failure {
        Failure::Environment(format!("cannot write `{path}`: {error}"), fix.into())
    }

    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            Failure::Usage(..) => USAGE,
            Failure::Environment(..) => ENVIRONMENT,
            Failure::Refused(..) => REFUSED,
            Failure::Load(error) => load_status(error),
        }
    }

    /// Tells a person.
    pub fn tell(&self) {
        match self {
            Failure::Usage(what, fix)
            | Failure::Environment(what, fix)
            | Failure::Refused(what, fix) => output::error(what, fix),
            Failure::Load(error) => tell_load(error),
        }
    }
}

/// The exit status of a program that may not run.
pub fn load_status(error: &LoadError) -> u8 {
    match error {
        LoadError::Refused(..) => REFUSED,
        LoadError::Source(_)
        | LoadError::Param(_)
        | LoadError::Policy(_)
        | LoadError::Mistakes(..) => USAGE,
    }
}

/// What to do about a program that may not run.
pub fn load_fix(error: &LoadError) -> String {
    match error {
        LoadError::Source(error) => error.fix().into(),
        LoadError::Param(error) => error.fix(),
        LoadError::Policy(error) => error.fix().into(),
        LoadError::Mistakes(..) => String::new(),
        LoadError::Refused(_, _, conflict) => conflict.fix().into(),
    }
}

/// Tells a person why a program may not run.
pub fn tell_load(error: &LoadError) {
    if let LoadError::Mistakes(source, reports) | LoadError::Refused(source, reports, _) = error {
        tell_reports(source, reports);
    }
    if !matches!(error, LoadError::Mistakes(..)) {
        output::error(&error.to_string(), &load_fix(error));
    }
}

/// Prints reports for a person.
pub fn tell_reports(source: &Source, reports: &[Occurrence]) {
    for report in reports.iter().take(MAX_TOLD) {
        let text = render::human(&source.text, &source.name, report, output::coloured());
        output::note(text.trim_end());
        output::note("");
    }
    if reports.len() > MAX_TOLD {
        output::note(&format!("and {} more", reports.len() - MAX_TOLD));
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        Failure::Load(Box::new(error))
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Failure {
        LoadError::from(error).into()
    }
}

impl From<ParamError> for Failure {
    fn from(error: ParamError) -> Failure {
        LoadError::from(error).into()
    }
}

impl From<PolicyError> for Failure {
    fn from(error: PolicyError) -> Failure {
        LoadError::from(error).into()
    }
}

impl From<NetError> for Failure {
    fn from(error: NetError) -> Failure {
        Failure::Environment(error.to_string(), error.fix())
    }
}

impl From<RecordingError> for Failure {
    fn from(error: RecordingError) -> Failure {
        Failure::Usage(error.to_string(), error.fix().into())
    }
}

impl From<AdmissionError> for Failure {
    fn from(error: AdmissionError) -> Failure {
        match error {
            AdmissionError::Policy(error) => error.into(),
            AdmissionError::NoHostName(_) | AdmissionError::NoRandomness(_) => {
                Failure::Environment(error.to_string(), error.fix())
            }
            _ => Failure::Refused(error.to_string(), error.fix()),
        }
    }
}

impl From<MediumError> for Failure {
    fn from(error: MediumError) -> Failure {
        let fix = match error {
            MediumError::Network(error) => return error.into(),
            MediumError::Recording(error) => return error.into(),
            MediumError::Lab(_) => "`crafty lab` lists networks and faults",
            MediumError::Place(_) => "`crafty lab NETWORK` shows the places",
            MediumError::NoPlaces => "add `--lab demo`",
            MediumError::NotAdmitted => "admit the program that is to run",
            MediumError::Occupied => "add `--lab demo`, or run them one by one",
        };
        Failure::usage(error.to_string(), fix)
    }
}
