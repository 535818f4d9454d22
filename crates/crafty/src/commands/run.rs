//! `crafty run`: a program on this machine's network, or several in a simulated one.

use super::Command;
use super::check::refused;
use crate::drive::sink::{LINKTYPES, Passed, Sink, summary};
use crate::drive::{Ended, Runner, lab, live, place, replay as replaying};
use crate::output::unsteered;
use crate::program::{Loaded, Refusal};
use crate::recording::Recording;
use crate::replay::Replay;
use crate::{cli, operator, output, program, status};
use clap::{Arg, ArgAction, ArgMatches};
use crafty_capture::Direction;
use crafty_lang::ir::VariableKind;
use crafty_policy::Policy;
use crafty_sim::{Lab, LabOptions, parse_spec};
use crafty_value::Time;
use crafty_vm::{Environment, Machine, Stamp, StampSource};
use std::io::BufReader;
use std::path::Path;

/// The command.
pub static COMMAND: Command = Command {
    name: "run",
    about: "Run a program: in a simulated network (`--lab`) or on this machine's",
    more: "Examples:\n  crafty run --lab demo ping.crafty\n  crafty run --lab demo:loss=10 ping.crafty target=192.0.2.80\n  crafty run --lab demo server.crafty@east client.crafty@west\n  crafty run --iface eth0 --pcap out.pcapng ping.crafty target=192.0.2.9\n  crafty run --replay out.pcapng ping.crafty target=192.0.2.9\n  crafty run --max-packets 50 ping.crafty target=192.0.2.9\n\nA word that holds `=` is a param of the programs; all others are files (`FILE@PLACE` in a lab, `-` is standard input).",
    args,
    run,
};

fn args() -> Vec<Arg> {
    let own = vec![
        Arg::new("words").value_name("FILE[@PLACE] | name=value").num_args(1..).required(true).help("Programs and their params"),
        Arg::new("lab").long("lab").value_name("NAME").help("Run in this simulated network, in virtual time; faults follow a colon: `demo:loss=5`"),
        Arg::new("replay").long("replay").value_name("FILE").conflicts_with_all(["lab", "iface", "dry-run"]).help("Run against the peer that this capture recorded, in virtual time; where the program leaves it, that is told"),
        Arg::new("iface").long("iface").value_name("NAME").conflicts_with("lab").help("Use this interface, whatever the routes say"),
        cli::json_arg().help("JSON lines on standard output: prints, records, errors, and a last line with the totals"),
        Arg::new("pcap").long("pcap").value_name("FILE").help("Write all frames to this pcapng file, each sent one with the program's line and the gate's verdict as comments"),
        Arg::new("findings")
            .long("findings")
            .action(ArgAction::SetTrue)
            .help("Tell at the end what the frames showed (loss, retransmissions, resets …); with `--json` also as soon as it shows"),
        Arg::new("dry-run").long("dry-run").action(ArgAction::SetTrue).help("Do everything but send; `--pcap` has what would have been sent"),
        Arg::new("seed").long("seed").value_name("N").help("Seed of initial sequence numbers, identifiers and of the lab's dice"),
    ];
    [own, cli::policy_args()].concat()
}

fn run(args: &ArgMatches) -> u8 {
    match prepared(args) {
        Ok(programs) => launch(args, programs),
        Err((name, source, refusal)) => refused(args, &name, &source, &refusal),
    }
}

/// A program with the place it stands at.
struct Prepared {
    loaded: Loaded,
    source: String,
    place: Option<String>,
}

fn prepared(args: &ArgMatches) -> Result<Vec<Prepared>, Refused> {
    let words: Vec<&String> = args
        .get_many::<String>("words")
        .into_iter()
        .flatten()
        .collect();
    let (params, files): (Vec<_>, Vec<_>) = words.into_iter().partition(|w| is_param(w));
    let usage = |what: &str, fix: &str| {
        (
            String::new(),
            String::new(),
            Refusal::Usage(what.into(), fix.into()),
        )
    };
    if files.is_empty() {
        return Err(usage(
            "no program is given",
            "name a `.crafty` file, or `-` for standard input",
        ));
    }
    if files.len() > 1 && !args.contains_id("lab") {
        return Err(usage(
            "several programs run only in a lab",
            "add `--lab demo`, or run them one by one",
        ));
    }
    let params: Vec<_> = params
        .iter()
        .filter_map(|w| w.split_once('='))
        .map(|(n, v)| (n.to_string(), v.to_string()))
        .collect();
    let file = args.get_one::<String>("policy").map(Path::new);
    let operator = operator::policy(&cli::limits(args), file)
        .map_err(|invalid| (String::new(), String::new(), invalid.into()))?;
    let programs: Vec<Text> = files
        .into_iter()
        .map(|word| read(word))
        .collect::<Result<_, _>>()?;
    let sources: Vec<&str> = programs.iter().map(|text| text.source.as_str()).collect();
    let shares = program::shares(&params, &sources)
        .map_err(|refusal| (String::new(), String::new(), refusal))?;
    programs
        .into_iter()
        .zip(shares)
        .map(|(text, share)| prepare(text, &share, &operator))
        .collect()
}

/// `name=value` with a name of the language; anything else is a file.
fn is_param(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    })
}

/// A program as it was named: `FILE[@PLACE]`.
struct Text {
    name: String,
    source: String,
    place: Option<String>,
}

/// A refusal with the name and the text of its program; both empty where it is of none.
type Refused = (String, String, Refusal);

fn read(word: &str) -> Result<Text, Refused> {
    let (name, place) = match word.rsplit_once('@') {
        Some((name, place)) if !place.contains('/') && !Path::new(word).exists() => {
            (name, Some(place.to_string()))
        }
        _ => (word, None),
    };
    let source =
        program::read(name).map_err(|refusal| (name.to_string(), String::new(), refusal))?;
    Ok(Text {
        name: name.to_string(),
        source,
        place,
    })
}

fn prepare(
    text: Text,
    params: &[(String, String)],
    operator: &Policy,
) -> Result<Prepared, Refused> {
    let Text {
        name,
        source,
        place,
    } = text;
    match program::load(&name, source.clone(), params, operator) {
        Ok(loaded) => Ok(Prepared {
            loaded,
            source,
            place,
        }),
        Err(refusal) => Err((name, source, refusal)),
    }
}

fn launch(args: &ArgMatches, programs: Vec<Prepared>) -> u8 {
    if !args.get_flag("json") {
        programs
            .iter()
            .for_each(|p| program::tell(&p.source, &p.loaded.name, &p.loaded.warnings));
    }
    let seed = match args
        .get_one::<String>("seed")
        .map(|s| s.parse::<u64>())
        .transpose()
    {
        Ok(seed) => seed,
        Err(_) => return usage("`--seed` takes a whole number", "write `--seed 7`"),
    };
    let sources = programs
        .iter()
        .map(|p| (p.loaded.name.clone(), p.source.clone()))
        .collect();
    let mut sink = Sink::new(args.get_flag("json"), sources);
    if args.get_flag("findings") {
        sink.analyse();
    }
    if let Some(spec) = args.get_one::<String>("lab") {
        if args.get_flag("dry-run") {
            return usage(
                "a lab sends nothing that leaves this process",
                "leave `--dry-run` out, or leave `--lab` out",
            );
        }
        return in_lab(args, spec, seed.unwrap_or(1), programs, sink);
    }
    let Some(one) = programs.into_iter().next() else {
        return status::USAGE;
    };
    if one.place.is_some() {
        return usage("`FILE@PLACE` names a place of a lab", "add `--lab demo`");
    }
    if let Some(path) = args.get_one::<String>("replay") {
        return against_recording(args, path, seed.unwrap_or(1), one, sink);
    }
    let seed = seed.unwrap_or_else(|| crafty_net::now().0 as u64);
    let only = args.get_one::<String>("iface").map(String::as_str);
    match place::find(&one.loaded.bound.policy, only, seed) {
        Ok(place) if args.get_flag("dry-run") => dry(args, place, one, sink),
        Ok(place) => on_wire(args, &place, one, sink),
        Err(error) => environment_lacks(&error),
    }
}

fn usage(what: &str, fix: &str) -> u8 {
    output::error(what, fix);
    status::USAGE
}

fn environment_lacks(error: &crafty_net::NetError) -> u8 {
    output::error(&error.to_string(), &error.fix());
    status::ENVIRONMENT
}

fn machine(loaded: Loaded, environment: Environment, start: Time) -> Runner {
    Runner {
        machine: Machine::new(loaded.program, loaded.bound, environment, start),
        name: loaded.name,
    }
}

fn in_lab(args: &ArgMatches, spec: &str, seed: u64, programs: Vec<Prepared>, mut sink: Sink) -> u8 {
    let built = parse_spec(spec).and_then(|spec| {
        Lab::named(
            &spec.network,
            &LabOptions {
                faults: spec.faults,
                seed,
            },
        )
    });
    let mut lab = match built {
        Ok(lab) => lab,
        Err(what) => return usage(&what.to_string(), "`crafty lab` lists networks and faults"),
    };
    let mut runners = Vec::new();
    let mut interfaces = Vec::new();
    for prepared in programs {
        let at = match lab.attach(prepared.place.as_deref()) {
            Ok(at) => at,
            Err(what) => {
                return usage(
                    &what.to_string(),
                    &format!("`crafty lab {spec}` shows the places"),
                );
            }
        };
        interfaces.push((at.portal.clone(), LINKTYPES.0));
        runners.push((
            machine(prepared.loaded, lab::environment(&at, seed), Time(0)),
            at,
        ));
    }
    if let Err(status) = capture(args, &mut sink, &interfaces) {
        return status;
    }
    let names: Vec<String> = runners.iter().map(|(r, _)| r.name.clone()).collect();
    let ended = lab::run(&mut lab, runners, &mut sink);
    let statistics: Vec<(u64, u64)> = ended
        .iter()
        .map(|e| (e.report.received.packets + e.report.ignored.packets, 0))
        .collect();
    close(args, &mut sink, &names, &ended, &statistics)
}

fn against_recording(
    args: &ArgMatches,
    path: &str,
    seed: u64,
    one: Prepared,
    mut sink: Sink,
) -> u8 {
    let read = std::fs::File::open(path)
        .map_err(|error| error.to_string())
        .and_then(|file| Recording::read(BufReader::new(file)));
    let recording = match read {
        Ok(recording) => recording,
        Err(what) => {
            return usage(
                &format!("cannot replay `{path}`: {what}"),
                "give a capture (pcap or pcapng) of one conversation or a few",
            );
        }
    };
    if let Some(damage) = &recording.damage {
        output::note(&format!(
            "warning: `{path}` is damaged, what comes before is replayed: {damage}"
        ));
    }
    let policy = one.loaded.bound.policy.clone();
    let mut replay = match Replay::new(recording, &policy) {
        Ok(replay) => replay,
        Err(what) => {
            return usage(
                &format!("cannot replay `{path}`: {what}"),
                "`crafty from-pcap FILE` lists its conversations; params choose the destination",
            );
        }
    };
    let link = if replay.is_ethernet() {
        LINKTYPES.0
    } else {
        LINKTYPES.1
    };
    if let Err(status) = capture(args, &mut sink, &[("recording".into(), link)]) {
        return status;
    }
    let mut runner = machine(
        one.loaded,
        replay.environment(&policy, seed),
        replay.start(),
    );
    let ended = replaying::run(&mut replay, &mut runner, &mut sink);
    let statistics = [(
        ended.report.received.packets + ended.report.ignored.packets,
        0,
    )];
    close(args, &mut sink, &[runner.name], &[ended], &statistics)
}

fn capture(args: &ArgMatches, sink: &mut Sink, interfaces: &[(String, u16)]) -> Result<(), u8> {
    let Some(path) = args.get_one::<String>("pcap") else {
        return Ok(());
    };
    sink.record_into(path, interfaces).map_err(|error| {
        output::error(
            &format!("cannot write `{path}`: {error}"),
            "name a file in a folder that you may write",
        );
        status::ENVIRONMENT
    })
}

fn on_wire(args: &ArgMatches, place: &place::Place, one: Prepared, mut sink: Sink) -> u8 {
    if let Err(status) = capture(args, &mut sink, &live::Live::interfaces(place)) {
        return status;
    }
    if !args.get_flag("json") {
        place
            .environment
            .routes
            .iter()
            .take(4)
            .for_each(|r| output::note(&route(r, place)));
        if let Some(address) = place::example(&one.loaded.bound.policy) {
            output::note(&format!(
                "note: {address} is an address for examples, and this run sends for real; `--lab demo` runs in the lab"
            ));
        }
    }
    let has = |kind| one.loaded.program.variables.iter().any(|v| v.kind == kind);
    let asks = live::Asks {
        stamps: has(VariableKind::Sent) || sink.records(),
        hears: has(VariableKind::Match),
    };
    let mut live = match live::Live::open(place, &one.loaded.bound.policy, asks) {
        Ok(live) => live,
        Err(error) => return environment_lacks(&error),
    };
    let mut runner = machine(one.loaded, place.environment.clone(), crafty_net::now());
    if let Err(error) = live.lock_down() {
        return environment_lacks(&error);
    }
    let ended = live.run(&mut runner, &mut sink);
    close(
        args,
        &mut sink,
        &[runner.name],
        &[ended],
        &live.statistics(),
    )
}

fn route(route: &crafty_vm::Route, place: &place::Place) -> String {
    let via = route.gateway.map_or(String::new(), |g| format!(" via {g}"));
    let from = route.source.map_or(String::new(), |s| format!(" from {s}"));
    format!(
        "route: {} on {}{via}{from}",
        route.net, place.interfaces[route.interface].name
    )
}

/// Everything but the send: frames go into the capture file only, and nothing answers.
fn dry(args: &ArgMatches, place: place::Place, one: Prepared, mut sink: Sink) -> u8 {
    let interfaces = live::Live::interfaces(&place);
    if let Err(status) = capture(args, &mut sink, &interfaces) {
        return status;
    }
    let mut runner = machine(
        one.loaded,
        place::with_imagined_neighbours(place.environment),
        Time(0),
    );
    let mut now = Time(0);
    loop {
        while let Some(event) = runner.machine.poll_event() {
            sink.event(0, &event);
        }
        if let Some(transmit) = runner.machine.poll_transmit() {
            let time = transmit.at.max(now);
            let comments = sink.comments(0, &transmit);
            let octets = &transmit.octets;
            sink.frame(
                Passed {
                    interface: transmit.interface,
                    link: interfaces[transmit.interface].1,
                    time,
                    direction: Direction::Outbound,
                },
                octets,
                octets.len(),
                comments,
            );
            runner.machine.handle_stamp(
                transmit.frame,
                Stamp {
                    time,
                    source: StampSource::Clock,
                },
            );
            continue;
        }
        let next = runner
            .machine
            .poll_timeout()
            .filter(|_| runner.machine.outcome().is_none());
        let Some(next) = next else { break };
        now = now.max(next);
        runner.machine.handle_timeout(now);
    }
    let outcome = runner.machine.outcome();
    let ended = Ended {
        status: outcome.map_or(6, |o| o.status),
        why: outcome.and_then(|o| o.why.clone()),
        report: runner.machine.report(),
    };
    close(args, &mut sink, &[runner.name], &[ended], &[])
}

/// The totals, the capture's end, and the exit status: 1 over 6 over 4 over 0.
fn close(
    args: &ArgMatches,
    sink: &mut Sink,
    names: &[String],
    ended: &[Ended],
    statistics: &[(u64, u64)],
) -> u8 {
    sink.findings();
    for (name, end) in names.iter().zip(ended) {
        match args.get_flag("json") {
            true => output::line(&summary(name, end).to_string()),
            false => output::note(&totals(name, end)),
        }
    }
    if let Err(error) = sink.finish(statistics) {
        output::error(&format!("the capture file is not whole: {error}"), "");
        return status::ENVIRONMENT;
    }
    let rank = |status: &u8| {
        [0, 4, 6, 1, 5]
            .iter()
            .position(|s| s == status)
            .unwrap_or(usize::MAX)
    };
    ended
        .iter()
        .map(|e| e.status)
        .max_by_key(rank)
        .unwrap_or(status::DONE)
}

/// What happened how often, whatever the line: each once, in order of the first.
fn reasons<'w>(places: impl Iterator<Item = (&'w str, u64)>) -> Vec<(&'w str, u64)> {
    let mut merged: Vec<(&str, u64)> = Vec::new();
    for (what, count) in places {
        match merged.iter_mut().find(|(known, _)| *known == what) {
            Some((_, sum)) => *sum = sum.saturating_add(count),
            None => merged.push((what, count)),
        }
    }
    merged
}

fn totals(name: &str, end: &Ended) -> String {
    let report = &end.report;
    let mut text = format!(
        "{name}: sent {} packets ({} bytes), received {}",
        report.sent.packets, report.sent.bytes, report.received.packets
    );
    if report.lost_captures > 0 {
        text += &format!(
            "; the capture lost {} packets, so missing answers prove nothing",
            report.lost_captures
        );
    }
    for (what, count) in reasons(
        report
            .dropped
            .iter()
            .chain(&report.errors)
            .map(|place| (place.what.as_ref(), place.count)),
    ) {
        text += &format!("; {count} × {what}");
    }
    if let Some(why) = &end.why {
        text += &format!("\n{name}: {}", unsteered(why).replace('\n', "\\n"));
    }
    if end.status == status::ENVIRONMENT {
        text += "\n  help: is the next hop alive, and is it on this link? `ip route get ADDRESS` and `ip neigh` tell; `--iface` names another interface";
    }
    text
}
