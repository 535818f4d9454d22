//! `crafty lab run`: a network at work in real time, with portals that any tool can use.

use crate::failure::Failure;
use crate::{args, output, status};
use clap::ArgMatches;
use crafty_net::{Capability, Interrupt, become_root_of_user_namespace, may, monotonic};
use crafty_portals::registry::Registry;
use crafty_portals::{Episode, EpisodePlan, EpisodeReport, LatenessLimit, PortalError};
use crafty_sim::span;
use crafty_value::Duration;
use std::os::fd::AsFd;
use std::path::Path;

/// What the command line asks for.
struct Wanted<'a> {
    plan: EpisodePlan,
    name: String,
    lasts: Option<Duration>,
    limit: LatenessLimit,
    record: Option<&'a Path>,
}

/// Runs a network until Ctrl-C, or for as long as asked.
pub fn run(network: &str, args: &ArgMatches) -> Result<u8, Failure> {
    let wanted = wanted(network, args)?;
    wanted.plan.check().map_err(told)?;
    let registry = Registry::open().map_err(told)?;
    let is_root_of_namespace = take_rights()?;
    let interrupt = Interrupt::listen().map_err(|error| {
        Failure::Environment(
            format!("cannot listen to signals: {error}"),
            TRY_AGAIN.into(),
        )
    })?;
    let mut episode = Episode::open(&wanted.plan, wanted.limit, wanted.record).map_err(told)?;
    let listed = registry.register(&wanted.name, is_root_of_namespace, episode.portals());
    let listed = listed.map_err(told)?;
    output::note(&opening(&wanted, &episode));
    let went_on = episode.go_on(wanted.lasts, interrupt.as_fd());
    drop(listed);
    let report = episode.end().map_err(told)?;
    went_on.map_err(told)?;
    output::data(&shown(&report, wanted.limit));
    Ok(match report.valid {
        true => status::DONE,
        false => status::FAILED,
    })
}

const TRY_AGAIN: &str = "try again";

fn wanted<'a>(network: &str, args: &'a ArgMatches) -> Result<Wanted<'a>, Failure> {
    let seed = match args::text(args, "seed") {
        // Any number will do: it is printed, so that the same run can be asked for again.
        Some("random") => monotonic().0.unsigned_abs() % 1_000_000_000,
        _ => args::number(args, "seed", "7")?.unwrap_or(1),
    };
    let warm_up = time(args, "warm-up", "60s")?.unwrap_or(Duration::seconds(60));
    Ok(Wanted {
        plan: EpisodePlan {
            network: network.to_string(),
            seed,
            warm_up,
            portals: args::texts(args, "portal").map(str::to_string).collect(),
        },
        name: args::text(args, "name").map_or_else(|| name_of(network), str::to_string),
        lasts: time(args, "for", "10min")?,
        limit: time(args, "max-lateness", "2ms")?
            .map_or_else(LatenessLimit::default, LatenessLimit),
        record: args::text(args, "record").map(Path::new),
    })
}

/// A time with its unit.
fn time(args: &ArgMatches, option: &str, example: &str) -> Result<Option<Duration>, Failure> {
    let Some(text) = args::text(args, option) else {
        return Ok(None);
    };
    span(text).map(Some).ok_or_else(|| {
        Failure::usage(
            format!("`{text}` is no time with its unit"),
            format!("write `--{option} {example}`"),
        )
    })
}

/// The network's own name, without folder, ending and faults.
fn name_of(network: &str) -> String {
    let network = match network.split_once(".toml") {
        Some((stem, _)) => Path::new(stem)
            .file_name()
            .map_or(stem.into(), |it| it.to_string_lossy()),
        None => network.split(':').next().unwrap_or_default().into(),
    };
    network
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '-'
            }
        })
        .collect()
}

/// Without the rights of root, they are taken in a user namespace of our own; says whether.
fn take_rights() -> Result<bool, Failure> {
    if may(Capability::SysAdmin) && may(Capability::NetAdmin) {
        return Ok(false);
    }
    become_root_of_user_namespace().map(|()| true).map_err(|error| {
        Failure::Environment(
            format!("portals need network namespaces, and this user may make none: {error}"),
            "run as root, or let users have namespaces of their own (`sysctl kernel.unprivileged_userns_clone=1`); `crafty run --lab` needs neither".into(),
        )
    })
}

/// What a failure around portals means for the person.
pub fn told(error: PortalError) -> Failure {
    let text = error.to_string();
    match error {
        PortalError::Lab(_) => Failure::usage(
            text,
            "`crafty lab` lists networks and faults, and `crafty lab NAME` its portals",
        ),
        PortalError::Content { .. } => Failure::usage(text, "name the folder that `--record` made"),
        PortalError::File { .. } => Failure::usage(text, "look at the path and its permissions"),
        PortalError::System { .. } | PortalError::Interface(_) => {
            Failure::Environment(text, "`crafty doctor` shows what this host can do".into())
        }
    }
}

fn opening(wanted: &Wanted, episode: &Episode) -> String {
    let plan = &wanted.plan;
    let mut text = format!(
        "lab {}: {} at work in real time, seed {}, after {} of warm-up\n",
        wanted.name, plan.network, plan.seed, plan.warm_up
    );
    for portal in episode.portals() {
        let at = &portal.attachment;
        let addresses: Vec<String> = at
            .addresses
            .iter()
            .map(|(address, len)| format!("{address}/{len}"))
            .collect();
        text += &format!("  portal {:<12} {}\n", at.portal, addresses.join(", "));
    }
    let first = episode
        .portals()
        .first()
        .map_or("PORTAL", |it| &it.attachment.portal);
    text + &format!("try `crafty lab exec {first} -- ip route`; Ctrl-C ends the lab")
}

fn shown(report: &EpisodeReport, limit: LatenessLimit) -> String {
    let mut text = format!(
        "lasted {}: {} frames from the portals, {} to them",
        report.lasted, report.sent, report.received
    );
    if report.refused > 0 {
        text += &format!(", {} not taken by their interface", report.refused);
    }
    text += &format!(
        "\nlateness of frames: {}\nlateness of turns:  {}\n",
        report.frames, report.turns
    );
    let dropped: u64 = report.drops.values().sum();
    text += &format!("dropped in the lab: {dropped}\n");
    match report.valid {
        true => text,
        false => {
            text + &format!(
                "NOT VALID: more than 1 % was later than {}; times measured in this episode mean nothing\n",
                limit.0
            )
        }
    }
}
