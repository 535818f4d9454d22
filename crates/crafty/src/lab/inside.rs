//! `crafty lab exec`: a command inside a portal of a lab that is at work.

use super::real_time::told;
use crate::failure::Failure;
use crafty_net::enter_namespace_of;
use crafty_portals::registry::{Registry, RunningLab};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The labs that are at work, with their portals.
pub fn listing() -> Result<String, Failure> {
    let labs = at_work()?;
    let mut text = String::new();
    for lab in &labs {
        text += &format!("{} (process {})\n", lab.name, lab.process);
        for (portal, _, addresses) in &lab.portals {
            text += &format!("  {portal:<12} {addresses}\n");
        }
    }
    match text.is_empty() {
        true => Ok("no lab is at work; `crafty lab run demo` starts one\n".into()),
        false => Ok(text),
    }
}

fn at_work() -> Result<Vec<RunningLab>, Failure> {
    Registry::open().and_then(|it| it.running()).map_err(told)
}

/// Becomes the command, inside the portal. Comes back only if that fails.
pub fn exec(portal: &str, lab: Option<&str>, command: &[&str]) -> Result<u8, Failure> {
    let Some((program, words)) = command.split_first() else {
        return Err(Failure::usage(
            "there is no command",
            format!("write `crafty lab exec {portal} -- ping -c 3 192.0.2.10`"),
        ));
    };
    let labs = at_work()?;
    let (lab, thread) = find(&labs, portal, lab)?;
    let resolver = lab.resolver(portal);
    let entered = enter_namespace_of(lab.process, thread, lab.in_user_namespace, Some(&resolver));
    entered.map_err(|error| {
        Failure::Environment(
            format!(
                "cannot enter the portal `{portal}` of `{}`: {error}",
                lab.name
            ),
            "run it as the user who started the lab".into(),
        )
    })?;
    let error = Command::new(program).args(words).exec();
    Err(Failure::usage(
        format!("cannot run `{program}`: {error}"),
        "the command is looked for as in your shell",
    ))
}

/// The lab with this portal, and the thread in it.
fn find<'a>(
    labs: &'a [RunningLab],
    portal: &str,
    name: Option<&str>,
) -> Result<(&'a RunningLab, i32), Failure> {
    let asked = labs
        .iter()
        .filter(|it| name.is_none_or(|name| it.name == name));
    let found: Vec<_> = asked
        .filter_map(|lab| Some((lab, lab.portals.iter().find(|it| it.0 == portal)?.1)))
        .collect();
    match found[..] {
        [only] => Ok(only),
        [] => Err(Failure::usage(
            match name {
                Some(name) => format!("no lab `{name}` with a portal `{portal}` is at work"),
                None => format!("no lab with a portal `{portal}` is at work"),
            },
            "`crafty lab running` lists the labs at work and their portals",
        )),
        _ => Err(Failure::usage(
            format!("{} labs at work have a portal `{portal}`", found.len()),
            format!(
                "write `crafty lab exec {portal} --name {} -- …`",
                found[0].0.name
            ),
        )),
    }
}
