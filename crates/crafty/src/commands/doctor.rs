//! `crafty doctor`: what this host lacks for real networks, each with its fix.

use super::Command;
use crate::args::{self, OutputForm};
use crate::failure::Failure;
use crate::{output, status};
use clap::{Arg, ArgMatches};
use crafty_net::{DoctorFinding, DoctorVerdict, doctor};
use serde_json::json;

/// The command.
pub static COMMAND: Command = Command {
    name: "doctor",
    about: "Check whether this host can run programs on a real network, with the fixes",
    more: "The lab (`crafty run --lab demo`) needs none of this.",
    args,
    run,
};

fn args() -> Vec<Arg> {
    vec![args::json_flag()]
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    let findings = doctor();
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
