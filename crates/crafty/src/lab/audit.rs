//! `crafty lab audit`: whether each kind of fault is found by its program when it is there, not
//! found when it is not, and leaves alone the path that it does not touch.

use crate::failure::Failure;
use crafty_run::{
    Event, GivenParam, LabMedium, LoadError, MediumError, Policy, Run, RunEvent, Source, load,
};
use crafty_sim::{Oracle, oracle_program, oracles};
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Seed of every run: an audit says the same each time.
const SEED: u64 = 1;

/// What became of one kind of fault.
#[derive(Debug)]
pub struct Audited {
    /// The row of the table.
    pub oracle: &'static Oracle,
    /// What its programs say of the healthy network.
    pub healthy: String,
    /// What they say of the one with the fault.
    pub faulty: String,
    /// What the control path says while the fault is there.
    pub control: String,
}

impl Audited {
    /// Whether all three are as they must be.
    pub fn is_sound(&self) -> bool {
        self.healthy.starts_with("CLEAR")
            && self.faulty.starts_with("FOUND")
            && self.control.starts_with("CLEAR")
    }

    /// A line, or the evidence where something is wrong.
    pub fn shown(&self) -> String {
        let name = self.oracle.fault;
        if self.is_sound() {
            return format!("ok    {name:<24} {}\n", self.faulty);
        }
        format!(
            "WRONG {name:<24} in {}:{}\n      healthy: {}\n      faulty:  {}\n      control: {}\n",
            self.oracle.network, self.oracle.planting, self.healthy, self.faulty, self.control
        )
    }
}

/// Audits the rows of these faults, or all, on every processor there is.
pub fn audit(faults: &[&str]) -> Result<Vec<Audited>, Failure> {
    let rows: Vec<&'static Oracle> = oracles()
        .iter()
        .filter(|row| faults.is_empty() || faults.contains(&row.fault))
        .collect();
    if let Some(unknown) = faults
        .iter()
        .find(|name| !rows.iter().any(|row| row.fault == **name))
    {
        return Err(Failure::usage(
            format!("there is no audit for a fault `{unknown}`"),
            "`crafty lab` lists the faults",
        ));
    }
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Audited)>> = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(row) = rows.get(number) else { break };
                    let audited = case(row);
                    if let Ok(mut done) = done.lock() {
                        done.push((number, audited));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|it| it.0);
    Ok(done.into_iter().map(|it| it.1).collect())
}

fn case(oracle: &'static Oracle) -> Audited {
    let word = oracle.word.and_then(|it| it.split_once('='));
    let faulty = format!("{}:{}", oracle.network, oracle.planting);
    let first = oracle.programs.first().map_or("", |it| it.1);
    Audited {
        oracle,
        healthy: verdict(oracle.network, oracle.programs, word),
        faulty: verdict(&faulty, oracle.programs, word),
        control: match oracle.control {
            Some(target) => verdict(&faulty, &[("control", first)], Some(("target", target))),
            None => "CLEAR nothing is left alone by it".into(),
        },
    }
}

/// The last line with a verdict that the programs print, or why there is none.
fn verdict(spec: &str, programs: &[(&str, &str)], word: Option<(&str, &str)>) -> String {
    printed(spec, programs, word).map_or_else(
        |error| format!("did not run: {error}"),
        |lines| {
            let is_verdict =
                |line: &&String| line.starts_with("FOUND") || line.starts_with("CLEAR");
            let last = lines.iter().rev().find(is_verdict).cloned();
            last.unwrap_or_else(|| format!("no verdict; printed {lines:?}"))
        },
    )
}

/// Why the programs of an oracle did not run.
#[derive(Debug)]
enum AuditError {
    /// The table names a program that is not there.
    NoProgram(String),
    /// A program, by its name, may not run.
    Refused(String, Box<LoadError>),
    /// The network is not there, or takes no program at this portal.
    Medium(MediumError),
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AuditError::NoProgram(name) => write!(f, "there is no program `{name}`"),
            AuditError::Refused(name, error) => {
                write!(f, "`{name}` may not run: {}", first_reason(error))
            }
            AuditError::Medium(error) => error.fmt(f),
        }
    }
}

/// What programs print in a network.
fn printed(
    spec: &str,
    programs: &[(&str, &str)],
    word: Option<(&str, &str)>,
) -> Result<Vec<String>, AuditError> {
    let medium = LabMedium::new(spec, SEED).map_err(AuditError::Medium)?;
    let mut run = Run::new(medium);
    for (name, portal) in programs {
        let text = oracle_program(name).ok_or_else(|| AuditError::NoProgram((*name).into()))?;
        let params = word.filter(|(key, _)| text.contains(&format!("param {key} ")));
        let params: Vec<GivenParam> = params
            .into_iter()
            .map(|(name, value)| GivenParam {
                name: name.into(),
                value: value.into(),
            })
            .collect();
        let source = Source::new(format!("{name}.crafty"), text);
        let program = load(source, &params, &Policy::everything())
            .map_err(|error| AuditError::Refused((*name).into(), Box::new(error)))?;
        run.add_at(program, Some(portal))
            .map_err(AuditError::Medium)?;
    }
    let mut events: Vec<RunEvent> = Vec::new();
    run.to_end(&mut events);
    Ok(events.into_iter().filter_map(text_of).collect())
}

fn text_of(event: RunEvent) -> Option<String> {
    match event {
        RunEvent::Program {
            event: Event::Print { text, .. },
            ..
        } => Some(text),
        _ => None,
    }
}

/// Why a program may not run, in a line: its first mistake, or what else keeps it.
fn first_reason(error: &LoadError) -> String {
    match error {
        LoadError::Mistakes(_, reports) | LoadError::Refused(_, reports, _) => reports
            .first()
            .map_or_else(|| error.to_string(), |report| report.message.clone()),
        _ => error.to_string(),
    }
}
