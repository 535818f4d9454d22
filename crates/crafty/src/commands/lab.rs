//! `crafty lab`: which networks can be simulated, where a program can be in them, which faults can
//! be planted and whether each is found; scenario files are checked and made up; a network runs in
//! real time, with portals for any tool.

use super::Command;
use crate::failure::Failure;
use crate::lab::{audit, inside, page, real_time, replayed, scenario};
use crate::{args, output, status};
use clap::{Arg, ArgAction, ArgMatches};
use crafty_sim::{Size, faults, networks};

/// The command.
pub static COMMAND: Command = Command {
    name: "lab",
    about: "Show, make, audit and run networks",
    more: "Examples:\n  crafty lab\n  crafty lab demo\n  crafty lab new --routers 70 --seed 7\n  crafty lab audit mtu_hole\n  crafty lab show demo --svg\n  crafty lab running\n  crafty run --lab demo:loss=5,mtu_hole ping.crafty",
    args,
    run,
};

fn args() -> Vec<Arg> {
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    let number = |name, help| option(name, "N", help);
    vec![
        Arg::new("words")
            .value_name("[show] NAME | FILE | check FILE | new | audit [FAULT] | run NAME | exec PORTAL | running | replay FOLDER")
            .num_args(0..)
            .help("A network or scenario file to show, or an action"),
        number("routers", "With `new`: how many routers (70)"),
        number("hosts", "With `new`: how many hosts (20)"),
        number(
            "packets",
            "With `new`: packets a second of background traffic (2000)",
        ),
        number(
            "seed",
            "With `new` and `run`: the same seed gives the same (1); `run` takes `random` too",
        ),
        option("for", "TIME", "With `run`: end by itself after this time, such as 10min"),
        option(
            "warm-up",
            "TIME",
            "With `run`: how long the network works before its portals open, at full speed (60s)",
        ),
        option("portal", "NAME", "With `run`: open this portal only; may be repeated")
            .action(ArgAction::Append),
        option(
            "record",
            "FOLDER",
            "With `run`: record all that passes the portals into a new folder",
        ),
        option(
            "max-lateness",
            "TIME",
            "With `run`: if more than 1 % is later than this, the run is not valid (2ms)",
        ),
        option("name", "NAME", "With `run` and `exec`: the name of the lab at work"),
        option("page", "FILE", "With `replay`: write a page that plays the episode (HTML)"),
        Arg::new("svg")
            .long("svg")
            .action(ArgAction::SetTrue)
            .help("With `show`: the picture of the network (SVG)"),
        Arg::new("command")
            .value_name("COMMAND")
            .num_args(1..)
            .last(true)
            .help("With `exec`: the command, after `--`"),
    ]
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    let words: Vec<&str> = args::texts(args, "words").collect();
    let text = match words[..] {
        [] => listing(),
        ["audit", ref faults @ ..] => return tell_audit(faults),
        ["check", file] => scenario::check(file)?,
        ["check", ..] => {
            return Err(Failure::usage(
                "`check` takes one scenario file",
                "write `crafty lab check FILE.toml`",
            ));
        }
        ["new"] => made_up(args)?,
        ["run", network] => return real_time::run(network, args),
        ["exec", portal] => {
            let command: Vec<&str> = args::texts(args, "command").collect();
            return inside::exec(portal, args::text(args, "name"), &command);
        }
        ["running"] => inside::listing()?,
        ["replay", folder] => {
            return match args::text(args, "page") {
                Some(file) => page::write(folder, file),
                None => replayed::run(folder),
            };
        }
        ["show", name] => match args.get_flag("svg") {
            true => scenario::open(name)?.picture(),
            false => scenario::open(name)?.describe().to_string(),
        },
        [word @ ("run" | "exec" | "replay" | "show"), ..] => {
            return Err(Failure::usage(
                format!("`{word}` takes one name"),
                "write `crafty lab run NAME`, `crafty lab exec PORTAL -- COMMAND`, `crafty lab replay FOLDER` or `crafty lab show NAME`",
            ));
        }
        [name] => scenario::open(name)?.describe().to_string(),
        _ => {
            return Err(Failure::usage(
                format!("unexpected word `{}`", words.join(" ")),
                "see `crafty lab --help`",
            ));
        }
    };
    output::data(&text);
    Ok(status::DONE)
}

fn made_up(args: &ArgMatches) -> Result<String, Failure> {
    let number = |name: &str, example: &str, usual: u64, most: u64| {
        let given = args::number(args, name, example)?.unwrap_or(usual);
        match given <= most {
            true => Ok(given),
            false => Err(Failure::usage(
                format!("`--{name}` is {given}, but at most {most} is allowed"),
                format!("write `{example}`"),
            )),
        }
    };
    let size = Size {
        routers: number("routers", "--routers 70", 70, 1000)? as usize,
        hosts: number("hosts", "--hosts 20", 20, 1000)? as usize,
        packets: number("packets", "--packets 2000", 2000, 1_000_000)? as usize,
    };
    let seed = args::number(args, "seed", "--seed 7")?.unwrap_or(1);
    Ok(scenario::new(size, seed))
}

fn tell_audit(faults: &[&str]) -> Result<u8, Failure> {
    let audited = audit::audit(faults)?;
    let wrong = audited.iter().filter(|it| !it.is_sound()).count();
    let lines: String = audited.iter().map(|it| it.shown()).collect();
    output::data(&lines);
    output::note(&format!(
        "{} fault kinds checked, {wrong} wrong",
        audited.len()
    ));
    Ok(if wrong == 0 {
        status::DONE
    } else {
        status::FAILED
    })
}

/// Networks and faults, a line each.
fn listing() -> String {
    let mut text = String::from("networks:\n");
    for network in networks() {
        text += &format!("  {:<12} {}\n", network.name, network.doc());
    }
    text += "\nfaults (`--lab NAME:fault,fault=value,fault=value;key=value@place`; each also takes from, until, every, during):\n";
    for fault in faults() {
        let keys: Vec<&str> = fault.parameters.iter().map(|it| it.name).collect();
        let keys = match keys[..] {
            [] => String::new(),
            _ => format!(" [{}]", keys.join(", ")),
        };
        let place = fault.place.word();
        text += &format!("  {:<24} {} (at a {place}){keys}\n", fault.name, fault.doc);
    }
    text
}
