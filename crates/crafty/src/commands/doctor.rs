//! `crafty doctor`: what this machine lacks for real networks, each with its fix.

use super::Command;
use crate::{cli, output, status};
use clap::{Arg, ArgMatches};
use crafty_net::{Finding, Verdict, doctor};
use serde_json::json;

/// The command.
pub static COMMAND: Command = Command {
    name: "doctor",
    about: "Tell what this machine lacks to run on a real network, with the fix",
    more: "A lab (`crafty run --lab demo`) needs nothing of this.",
    args,
    run,
};

fn args() -> Vec<Arg> {
    vec![cli::json_arg()]
}

fn run(args: &ArgMatches) -> u8 {
    let findings = doctor();
    let lacking = findings.iter().any(|f| f.verdict == Verdict::Lacking);
    if args.get_flag("json") {
        let row = |f: &Finding| json!({ "subject": f.subject, "verdict": word(f.verdict), "found": f.found, "fix": f.fix });
        output::line(
            &json!({ "ok": !lacking, "checks": findings.iter().map(row).collect::<Vec<_>>() })
                .to_string(),
        );
    } else {
        findings.iter().for_each(tell);
    }
    if lacking {
        status::ENVIRONMENT
    } else {
        status::DONE
    }
}

fn tell(finding: &Finding) {
    output::line(&format!(
        "{:<6} {:<20} {}",
        word(finding.verdict),
        finding.subject,
        finding.found
    ));
    if let Some(fix) = &finding.fix {
        output::line(&format!("       fix: {fix}"));
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Good => "ok",
        Verdict::Lacking => "lacks",
        _ => "note",
    }
}
