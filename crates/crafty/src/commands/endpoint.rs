//! `crafty endpoint`: the far end of a TUN or TAP interface.

use super::Command;
use crate::args::{self, split_words};
use crate::failure::Failure;
use crate::printer::{PrintForm, RunPrinter};
use crate::{output, status};
use clap::{Arg, ArgAction, ArgMatches};
use crafty_endpoint::{
    Endpoint, EndpointEnd, EndpointError, EndpointObserver, EndpointOption, EndpointOptions, Fate,
    OPTIONS, OptionError, Repeats, read_configuration,
};
use crafty_net::Interrupt;
use crafty_policy::Policy;
use crafty_run::admission::{AdmissionDesk, AdmissionError, admit_run};
use crafty_run::approval::approval_path;
use crafty_run::{GivenParam, LoadedProgram, load};
use std::io::Write;
use std::path::Path;

/// The command.
pub static COMMAND: Command = Command {
    name: "endpoint",
    about: "Answer at a TUN or TAP interface",
    more: "Events (JSON, one a line) go to standard output, what became of each packet to standard error.\n\nExamples:\n  crafty endpoint far_ping.crafty\n  crafty endpoint --mode tap --address 10.7.0.1/24 --address fd00:7::1/64 --packet-filter icmp,icmpv6 --static-handler answers.json\n  crafty endpoint --config endpoint.toml --llm-escalation never",
    args,
    run,
};

fn args() -> Vec<Arg> {
    let own = vec![
        Arg::new("words")
            .value_name("FILE | name=value")
            .num_args(0..)
            .help("A program that answers, and its params"),
        Arg::new("config").long("config").value_name("FILE").help(
            "A TOML file with these options (`packet_filter = \"icmp\"`); the command line wins",
        ),
    ];
    let options = OPTIONS.iter().map(option_arg).collect();
    [own, options, args::policy_options()].concat()
}

fn option_arg(row: &'static EndpointOption) -> Arg {
    let help = match row.default {
        Some(default) => format!("{} [default: {default}]", row.doc),
        None => row.doc.into(),
    };
    let action = match row.repeats {
        Repeats::Once => ArgAction::Set,
        Repeats::Many => ArgAction::Append,
    };
    Arg::new(row.name)
        .long(row.name.replace('_', "-"))
        .alias(row.name)
        .value_name(row.value)
        .action(action)
        .help(help)
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    let options = options(args)?;
    let operator = args::operator(args)?;
    let program = program(&options, &operator)?;
    let sources = program.iter().map(|program| program.source.clone());
    let mut printer = RunPrinter::new(PrintForm::Json, sources.collect());
    let interrupt = Interrupt::listen().map_err(|error| {
        Failure::Environment(format!("cannot listen for Ctrl-C: {error}"), String::new())
    })?;
    let admitted = program.map(|program| {
        let beside = approval_path(Path::new(&program.source.name));
        let admitted = admit_run(&program, Some(&beside), &AdmissionDesk::of_this_host()?)?;
        Ok::<_, AdmissionError>((program, admitted))
    });
    let seed = crafty_net::now().0 as u64;
    let mut endpoint = Endpoint::open(
        &options,
        &operator,
        admitted.transpose()?,
        Box::new(EndpointPrinter::default()),
        seed,
    )?;
    let end = endpoint.to_end(&mut printer, move || interrupt.came());
    Ok(exit_status(&end))
}

/// Being stopped is how an endpoint ends well; a program that ended by itself has its own status.
fn exit_status(end: &EndpointEnd) -> u8 {
    match (&end.program, end.reason.as_str()) {
        (_, "stopped") => status::DONE,
        (Some(report), _) => status::of(report.ending),
        (None, _) => status::ENVIRONMENT,
    }
}

/// What the file and the command line say; the command line replaces an option of the file.
fn options(args: &ArgMatches) -> Result<EndpointOptions, Failure> {
    let mut given: Vec<(String, String)> = Vec::new();
    for row in OPTIONS {
        let texts = args::texts(args, row.name);
        given.extend(texts.map(|text| (row.name.into(), text.into())));
    }
    let (params, files) = split_words(args::texts(args, "words"));
    given.extend(files.iter().map(|file| ("program".into(), (*file).into())));
    let params = params
        .iter()
        .map(|param| format!("{}={}", param.name, param.value));
    given.extend(params.map(|param| ("param".into(), param)));
    if let Some(path) = args::text(args, "config") {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::usage(format!("cannot read `{path}`: {error}"), "name a TOML file")
        })?;
        let file = read_configuration(&text).map_err(|error| in_file(path, error))?;
        let on_line: Vec<String> = given.iter().map(|(name, _)| name.clone()).collect();
        given.extend(file.into_iter().filter(|(name, _)| !on_line.contains(name)));
    }
    Ok(EndpointOptions::new(&given)?)
}

fn in_file(path: &str, error: OptionError) -> Failure {
    Failure::usage(format!("`{path}`: {error}"), error.fix)
}

fn program(options: &EndpointOptions, operator: &Policy) -> Result<Option<LoadedProgram>, Failure> {
    let Some(path) = &options.program else {
        return Ok(None);
    };
    let params: Vec<GivenParam> = options
        .params
        .iter()
        .map(|text| {
            GivenParam::parse(text).ok_or_else(|| {
                Failure::usage(format!("`{text}` is not a param"), "write `name=value`")
            })
        })
        .collect::<Result<_, _>>()?;
    let source = args::source(path)?;
    Ok(Some(load(source, &params, operator)?))
}

/// Prints events and fates; the line of a fate is put together in the same room each time.
#[derive(Default)]
struct EndpointPrinter {
    line: Vec<u8>,
}

impl EndpointObserver for EndpointPrinter {
    fn event(&mut self, line: &str) {
        output::line(line);
    }

    fn fate(&mut self, fate: &Fate<'_>) {
        self.line.clear();
        let _ = writeln!(self.line, "{fate}");
        output::note_bytes(&self.line);
    }

    fn warning(&mut self, text: &str) {
        output::note(&format!("warning: {text}"));
    }
}

impl From<OptionError> for Failure {
    fn from(error: OptionError) -> Failure {
        let name = error.name.replace('_', "-");
        Failure::usage(format!("`--{name}`: {}", error.why), error.fix)
    }
}

impl From<EndpointError> for Failure {
    fn from(error: EndpointError) -> Failure {
        match error {
            EndpointError::Network(error) => error.into(),
            EndpointError::Program(error) => error.into(),
            EndpointError::Handler(what, fix) => Failure::usage(what, fix),
        }
    }
}
