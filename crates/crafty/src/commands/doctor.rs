//! `crafty doctor`: what this host lacks for real networks, each with its fix.

use super::Command;
use crate::args::{self, OutputForm};
use crate::failure::Failure;
use crate::output::ledger_rows as rows;
use crate::{output, status};
use clap::{Arg, ArgMatches};
use crafty_net::{DoctorFinding, DoctorVerdict, doctor};
use crafty_run::admission::AdmissionDesk;
use serde_json::json;

/// The command.
pub static COMMAND: Command = Command {
    name: "doctor",
    about: "Check whether this host can run on a real network, with fixes",
    more: "The lab (`crafty run --lab demo`) needs none of this.",
    args,
    run,
};

fn args() -> Vec<Arg> {
    vec![args::json_flag()]
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    let findings = [doctor(), vec![ledger()]].concat();
    let lacking = findings.iter().any(|f| f.verdict == DoctorVerdict::Lacking);
    if args::form(args) == OutputForm::Json {
        let row = |f: &DoctorFinding| json!({ "subject": f.subject, "verdict": word(f.verdict), "found": f.found, "fix": f.fix });
        output::line(
            &json!({ "ok": !lacking, "checks": findings.iter().map(row).collect::<Vec<_>>() })
                .to_string(),
        );
    } else {
        findings.iter().for_each(tell);
    }
    Ok(match lacking {
        true => status::ENVIRONMENT,
        false => status::DONE,
    })
}

/// Whether runs can be counted, where the policy asks for that, and what is left.
fn ledger() -> DoctorFinding {
    let found = |verdict, found: String, fix: Option<String>| DoctorFinding {
        subject: "ledger".into(),
        verdict,
        found,
        fix,
    };
    let desk = match AdmissionDesk::of_this_host() {
        Ok(desk) => desk,
        Err(error) => {
            return found(DoctorVerdict::Lacking, error.to_string(), Some(error.fix()));
        }
    };
    let user = desk.journal.user();
    match desk.left() {
        Err(error) => found(
            DoctorVerdict::Lacking,
            format!("runs cannot be counted: {error}"),
            Some(error.fix()),
        ),
        Ok(None) => found(
            DoctorVerdict::Good,
            "the policy asks nobody to count runs".into(),
            None,
        ),
        Ok(Some(left)) if left.is_empty() => found(
            DoctorVerdict::Good,
            format!("runs of user {user} can be counted"),
            None,
        ),
        Ok(Some(left)) => found(
            DoctorVerdict::Good,
            format!("all runs of user {user} together have {} left", rows(&left)),
            None,
        ),
    }
}

fn tell(finding: &DoctorFinding) {
    output::line(&format!(
        "{:<8} {:<20} {}",
        word(finding.verdict),
        finding.subject,
        finding.found
    ));
    if let Some(fix) = &finding.fix {
        output::line(&format!("         fix: {fix}"));
    }
}

fn word(verdict: DoctorVerdict) -> &'static str {
    match verdict {
        DoctorVerdict::Good => "ok",
        DoctorVerdict::Lacking => "missing",
        _ => "note",
    }
}
