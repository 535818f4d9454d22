//! `crafty run`: a program on this host's network or against a recording, or several in a simulated
//! network.

use super::Command;
use super::check::refused;
use crate::args::{self, OutputForm, split_words};
use crate::failure::{Failure, tell_reports};
use crate::output::ledger_rows;
use crate::output_queue::Backpressure;
use crate::printer::{PrintForm, RunPrinter};
use crate::{output, status};
use clap::{Arg, ArgAction, ArgMatches};
use crafty_net::Interrupt;
use crafty_run::admission::{AdmissionDesk, AdmissionError, AdmittedRun, admit_run};
use crafty_run::approval::approval_path;
use crafty_run::recording::Recording;
use crafty_run::{
    CaptureFile, CapturePathError, DryMedium, GivenParam, HostNetwork, LabMedium, LiveMedium,
    LiveOptions, LoadError, LoadedProgram, Medium, MediumError, Observer, Overwrite, ProgramReport,
    RecordingError, ReplayMedium, Run, RunInterface, RunProgress, Source, Stamping, WithFindings,
    create_capture_file, documentation_address, load, shares,
};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The command.
pub static COMMAND: Command = Command {
    name: "run",
    about: "Run a program: in a simulated network (`--lab`) or on this host's",
    more: "Examples:\n  crafty run --lab demo ping.crafty\n  crafty run --lab demo:loss=10 ping.crafty target=192.0.2.80\n  crafty run --lab demo server.crafty@east client.crafty@west\n  crafty run --iface eth0 --pcap out.pcapng ping.crafty target=192.0.2.9\n  crafty run --replay out.pcapng ping.crafty target=192.0.2.9\n  crafty run --max-packets 50 ping.crafty target=192.0.2.9\n\nA word `name=value` sets a param of the programs; all others are files (`FILE@PLACE` in a lab, `-` is standard input).",
    args,
    run,
};

fn args() -> Vec<Arg> {
    let own = vec![
        Arg::new("words").value_name("FILE[@PLACE] | name=value").num_args(1..).required(true).help("Programs and their params"),
        Arg::new("lab").long("lab").value_name("NAME").help("Run in this simulated network, in virtual time; faults follow a colon: `demo:loss=5`"),
        Arg::new("replay").long("replay").value_name("FILE").conflicts_with_all(["lab", "iface", "dry-run"]).help("Run against the peer recorded in this capture, in virtual time; report where the program diverges from the recording"),
        Arg::new("iface").long("iface").value_name("NAME").conflicts_with("lab").help("Use this interface, whatever the routes say"),
        args::json_flag().help("JSON lines on standard output: prints, records, errors, and a last line with the totals"),
        Arg::new("pcap").long("pcap").value_name("FILE").help("Write all frames to this pcapng file; each sent frame has the program's line and the gate's verdict as comments"),
        Arg::new("force").long("force").requires("pcap").action(ArgAction::SetTrue).help("Let `--pcap` overwrite a file that is not a capture"),
        Arg::new("findings")
            .long("findings")
            .action(ArgAction::SetTrue)
            .help("Report at the end what the frames showed (loss, retransmissions, resets …); with `--json` also as soon as it is seen"),
        Arg::new("dry-run").long("dry-run").action(ArgAction::SetTrue).help("Do everything except send; `--pcap` has what would have been sent"),
        // For a process that runs this one for others: each row has its line for people too, and this process ends with that one.
        Arg::new("lines").long("lines").action(ArgAction::SetTrue).hide(true),
        Arg::new("parent").long("parent").value_name("PID").hide(true),
        Arg::new("approval").long("approval").value_name("FILE").conflicts_with_all(["lab", "replay", "dry-run"]).help("The approval of this run, where the policy demands one (usually FILE.approval)"),
        Arg::new("seed").long("seed").value_name("N").help("Seed of initial sequence numbers, identifiers and the lab's random faults"),
    ];
    [own, args::policy_options()].concat()
}

/// A program with the place it runs at.
struct Placed {
    program: LoadedProgram,
    place: Option<String>,
}

/// What the programs run in.
enum Where<'a> {
    Lab(&'a str),
    Recording(&'a str),
    Host(SendMode),
}

/// Whether frames are sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SendMode {
    Live,
    Dry,
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    follow_parent(args)?;
    let programs = match programs(args) {
        Ok(programs) => programs,
        Err(Failure::Load(error)) => return Ok(refused(args, &error)),
        Err(failure) => return Err(failure),
    };
    if args::form(args) == OutputForm::People {
        let loaded = programs.iter().map(|placed| &placed.program);
        loaded.for_each(|program| tell_reports(&program.source, &program.warnings));
    }
    let seed = args::number(args, "seed", "7")?;
    let place = place_of(args)?;
    let is_lab = matches!(place, Where::Lab(_));
    if !is_lab && programs.iter().any(|placed| placed.place.is_some()) {
        return Err(MediumError::NoPlaces.into());
    }
    match place {
        Where::Lab(spec) => in_lab(args, spec, seed.unwrap_or(1), programs),
        Where::Recording(path) => against_recording(args, path, seed.unwrap_or(1), programs),
        Where::Host(sending) => {
            let seed = seed.unwrap_or_else(|| crafty_net::now().0 as u64);
            on_host(args, sending, seed, programs)
        }
    }
}

/// Ends with the process that runs this one, if it says so.
fn follow_parent(args: &ArgMatches) -> Result<(), Failure> {
    let Some(parent) = args::number(args, "parent", "1234")? else {
        return Ok(());
    };
    let parent = u32::try_from(parent).unwrap_or(0);
    match crafty_net::end_with_parent(parent) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Failure::usage("the parent is another process", "")),
        Err(error) => Err(Failure::Environment(error.to_string(), String::new())),
    }
}

fn place_of(args: &ArgMatches) -> Result<Where<'_>, Failure> {
    let sending = if args.get_flag("dry-run") {
        SendMode::Dry
    } else {
        SendMode::Live
    };
    match (args::text(args, "lab"), args::text(args, "replay")) {
        (Some(_), _) if sending == SendMode::Dry => Err(Failure::usage(
            "a lab sends nothing outside this process",
            "leave out `--dry-run` or `--lab`",
        )),
        (Some(spec), _) => Ok(Where::Lab(spec)),
        (None, Some(path)) => Ok(Where::Recording(path)),
        (None, None) => Ok(Where::Host(sending)),
    }
}

/// Reads and judges all programs.
fn programs(args: &ArgMatches) -> Result<Vec<Placed>, Failure> {
    let (params, files) = split_words(args::texts(args, "words"));
    if files.is_empty() {
        return Err(Failure::usage(
            "no program is given",
            "name a `.crafty` file, or `-` for standard input",
        ));
    }
    if files.len() > 1 && !args.contains_id("lab") {
        return Err(MediumError::Occupied.into());
    }
    let operator = args::operator(args)?;
    let files: Vec<(&str, Option<&str>)> = files.into_iter().map(name_and_place).collect();
    let sources = files.iter().map(|(name, _)| args::source(name));
    let sources: Vec<Source> = sources.collect::<Result<_, _>>()?;
    let texts: Vec<&str> = sources.iter().map(|source| source.text.as_str()).collect();
    let shares: Vec<Vec<GivenParam>> = shares(&params, &texts)?;
    let loaded = sources.into_iter().zip(shares).zip(&files);
    let placed = loaded.map(|((source, params), (_, place))| {
        Ok(Placed {
            program: load(source, &params, &operator)?,
            place: place.map(String::from),
        })
    });
    Ok(placed.collect::<Result<_, LoadError>>()?)
}

/// A program as it was named: `FILE[@PLACE]`.
fn name_and_place(word: &str) -> (&str, Option<&str>) {
    match word.rsplit_once('@') {
        Some((name, place)) if !place.contains('/') && !Path::new(word).exists() => {
            (name, Some(place))
        }
        _ => (word, None),
    }
}

fn in_lab(args: &ArgMatches, spec: &str, seed: u64, programs: Vec<Placed>) -> Result<u8, Failure> {
    let run = Run::new(LabMedium::new(spec, seed)?);
    let (run, sources) = added(run, programs, Backpressure::OfTheReader)?;
    let capture = capture(args, run.interfaces(), &sources)?;
    to_end(args, run, sources, capture)
}

fn against_recording(
    args: &ArgMatches,
    path: &str,
    seed: u64,
    programs: Vec<Placed>,
) -> Result<u8, Failure> {
    let unusable = |error: RecordingError| {
        Failure::usage(format!("cannot replay `{path}`: {error}"), error.fix())
    };
    let recording = Recording::open(path).map_err(unusable)?;
    if let Some(damage) = &recording.damage {
        output::note(&format!(
            "warning: `{path}` is damaged; the part before the damage is replayed: {damage}"
        ));
    }
    let run = Run::new(ReplayMedium::new(recording, seed));
    let (run, sources) =
        added(run, programs, Backpressure::OfTheReader).map_err(|error| match error {
            MediumError::Recording(error) => unusable(error),
            other => other.into(),
        })?;
    let capture = capture(args, run.interfaces(), &sources)?;
    to_end(args, run, sources, capture)
}

fn on_host(
    args: &ArgMatches,
    sending: SendMode,
    seed: u64,
    programs: Vec<Placed>,
) -> Result<u8, Failure> {
    let mut policies = programs.iter().map(|placed| &placed.program.bound.policy);
    let policy = policies.next().cloned().unwrap_or_default();
    let host = HostNetwork::find(&policy, args::text(args, "iface"), seed)?;
    let sources = sources(&programs);
    // Before the program begins: from then on nothing may make it late.
    let capture = capture(args, &RunInterface::all(&host.environment), &sources)?;
    if sending == SendMode::Dry {
        let (run, sources) = added(
            Run::new(DryMedium::new(&host)),
            programs,
            Backpressure::OfTheReader,
        )?;
        return to_end(args, run, sources, capture);
    }
    if args::form(args) == OutputForm::People {
        tell_routes(&host);
        if let Some(address) = documentation_address(&policy) {
            output::note(&format!(
                "note: {address} is an address for documentation, and this run sends for real; `--lab demo` runs in the lab"
            ));
        }
    }
    let [placed] = programs.as_slice() else {
        return Err(MediumError::Occupied.into());
    };
    let admitted = admitted(args, &placed.program)?;
    if args::form(args) == OutputForm::People && !admitted.left.is_empty() {
        output::note(&format!(
            "ledger: beside this run, all runs of this user together have {} left",
            ledger_rows(&admitted.left)
        ));
    }
    let options = LiveOptions {
        stamping: match capture.is_some() || args.get_flag("findings") {
            true => Stamping::Always,
            false => Stamping::WhenAsked,
        },
    };
    let medium = LiveMedium::new(host, options, admitted);
    let (mut run, sources) = added(Run::new(medium), programs, Backpressure::OfTheRun)?;
    run.medium_mut().lock_down()?;
    to_end(args, run, sources, capture)
}

/// Asks for the run of a program: policy, approval and ledger.
fn admitted(args: &ArgMatches, program: &LoadedProgram) -> Result<AdmittedRun, AdmissionError> {
    let beside = approval_path(Path::new(&program.source.name));
    let approval = args::text(args, "approval").map_or(beside, PathBuf::from);
    admit_run(program, Some(&approval), &AdmissionDesk::of_this_host()?)
}

fn sources(programs: &[Placed]) -> Vec<Source> {
    let programs = programs.iter();
    programs
        .map(|placed| placed.program.source.clone())
        .collect()
}

/// Adds all programs to a run.
fn added<M: Medium>(
    mut run: Run<M>,
    programs: Vec<Placed>,
    pace: Backpressure,
) -> Result<(Run<M>, Vec<Source>), MediumError> {
    let sources = sources(&programs);
    // Without it Ctrl-C ends the run without a report: worth having, not worth failing for. Programs
    // compute as soon as they are added.
    let token = run.cancel_token();
    if let Ok(interrupt) = Interrupt::listen() {
        let interrupt = Arc::new(interrupt);
        let asked = Arc::clone(&interrupt);
        run.cancel_when(move || interrupt.came());
        // Without a queue a slow reader makes the run late: likewise.
        let _ = output::begin_run(pace, move || asked.came() || token.is_cancelled());
    }
    for placed in programs {
        run.add_at(placed.program, placed.place.as_deref())?;
    }
    Ok((run, sources))
}

fn print_form(args: &ArgMatches) -> PrintForm {
    match (args::form(args), args.get_flag("lines")) {
        (OutputForm::People, _) => PrintForm::People,
        (OutputForm::Json, false) => PrintForm::Json,
        (OutputForm::Json, true) => PrintForm::JsonWithLines,
    }
}

type RunCaptureFile = CaptureFile<BufWriter<File>>;

/// The capture file, if one is wanted.
fn capture(
    args: &ArgMatches,
    interfaces: &[RunInterface],
    sources: &[Source],
) -> Result<Option<RunCaptureFile>, Failure> {
    let Some(path) = args::text(args, "pcap") else {
        return Ok(None);
    };
    let overwrite = match args.get_flag("force") {
        true => Overwrite::AnyFile,
        false => Overwrite::Captures,
    };
    let create = || {
        let file = BufWriter::new(create_capture_file(Path::new(path), overwrite)?);
        Ok(CaptureFile::new(file, interfaces, sources.to_vec())?)
    };
    create().map(Some).map_err(|error: CapturePathError| {
        let fix = match error {
            CapturePathError::NotACapture => "name a new file, or overwrite it with `--force`",
            CapturePathError::Io(_) => "name a new file in a folder that you may write to",
        };
        Failure::Environment(format!("cannot write `{path}`: {error}"), fix.into())
    })
}

fn tell_routes(host: &HostNetwork) {
    for route in host.environment.routes.iter().take(4) {
        let via = route.gateway.map_or(String::new(), |g| format!(" via {g}"));
        let from = route.source.map_or(String::new(), |s| format!(" from {s}"));
        output::note(&format!(
            "route: {} on {}{via}{from}",
            route.net, host.interfaces[route.interface].name
        ));
    }
}

/// All turns of a run; what it prints goes on meanwhile.
fn turns<M: Medium>(run: &mut Run<M>, observer: &mut impl Observer) -> Vec<ProgramReport> {
    while run.turn(observer) == RunProgress::Next {
        output::drain_run();
    }
    run.finish(observer)
}

/// Runs the programs; the totals, the end of the capture, and the exit status.
fn to_end<M: Medium>(
    args: &ArgMatches,
    mut run: Run<M>,
    sources: Vec<Source>,
    mut capture: Option<RunCaptureFile>,
) -> Result<u8, Failure> {
    let mut observers = (capture.as_mut(), RunPrinter::new(print_form(args), sources));
    let reports = match args.get_flag("findings") {
        true => turns(&mut run, &mut WithFindings::new(observers)),
        false => turns(&mut run, &mut observers),
    };
    if let Some(Err(error)) = capture.map(|capture| capture.finish(run.counts())) {
        return Err(Failure::Environment(
            format!("the capture file is not complete: {error}"),
            String::new(),
        ));
    }
    let endings = reports.iter().map(|report| report.ending);
    Ok(status::of_run(endings))
}
