//! What commands share of their options: how they are declared, and one accessor for each.

use crate::failure::Failure;
use clap::{Arg, ArgAction, ArgMatches};
use crafty_policy::{Policy, SETTINGS, Setting, SettingsGroup, StatedBy};
use crafty_run::{GivenParam, Limit, PolicyError, Source, SourceError, operator_policy};
use std::path::Path;

/// Who reads the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputForm {
    /// Lines for people.
    People,
    /// JSON.
    Json,
}

/// `FILE` and the params after it.
pub fn program_and_params() -> Vec<Arg> {
    vec![
        Arg::new("file")
            .value_name("FILE")
            .required(true)
            .help("A program; `-` reads standard input"),
        Arg::new("params")
            .value_name("name=value")
            .num_args(0..)
            .help("Params of the program"),
    ]
}

/// `--json`.
pub fn json_flag() -> Arg {
    Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("JSON on standard output")
}

/// `--policy FILE` and one option for each limit that an operator may set.
pub fn policy_options() -> Vec<Arg> {
    let file = Arg::new("policy")
        .long("policy")
        .value_name("FILE")
        .action(ArgAction::Append)
        .help("An additional policy file (TOML); it can only narrow");
    std::iter::once(file)
        .chain(limits().map(limit_option))
        .collect()
}

/// What a command line may narrow.
fn limits() -> impl Iterator<Item = &'static Setting> {
    SETTINGS
        .iter()
        .filter(|setting| setting.stated_by != StatedBy::Root)
}

fn limit_option(setting: &'static Setting) -> Arg {
    Arg::new(setting.key)
        .long(limit_name(setting))
        .value_name("LIMIT")
        .help(format!("Narrow: {}", setting.doc))
        .help_heading("Limits")
}

/// The option of a setting: its key with dashes; local ports say what they are.
pub fn limit_name(setting: &Setting) -> String {
    let ports = if setting.section == SettingsGroup::Ports {
        "-ports"
    } else {
        ""
    };
    format!("{}{ports}", setting.key.replace('_', "-"))
}

/// The value of an option or word.
pub fn text<'a>(args: &'a ArgMatches, id: &str) -> Option<&'a str> {
    args.get_one::<String>(id).map(String::as_str)
}

/// All values of an option or word.
pub fn texts<'a>(args: &'a ArgMatches, id: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    let values = args.get_many::<String>(id).into_iter().flatten();
    values.map(String::as_str)
}

/// The value of an option that is a whole number; the error shows `example`.
pub fn number(args: &ArgMatches, id: &str, example: &str) -> Result<Option<u64>, Failure> {
    text(args, id)
        .map(|text| text.parse::<u64>())
        .transpose()
        .map_err(|_| {
            Failure::usage(
                format!("`--{id}` needs a whole number"),
                format!("write `--{id} {example}`"),
            )
        })
}

/// Who reads the output.
pub fn form(args: &ArgMatches) -> OutputForm {
    match args.get_flag("json") {
        true => OutputForm::Json,
        false => OutputForm::People,
    }
}

/// The operator's policy, narrowed by the command line.
pub fn operator(args: &ArgMatches) -> Result<Policy, PolicyError> {
    let given = |setting: &'static Setting| {
        Some(Limit {
            setting,
            text: text(args, setting.key)?.into(),
            origin: format!("--{}", limit_name(setting)),
        })
    };
    let limits: Vec<Limit> = limits().filter_map(given).collect();
    let files: Vec<&Path> = texts(args, "policy").map(Path::new).collect();
    operator_policy(&limits, &files)
}

/// A program's text: a file, or standard input for `-`.
pub fn source(name: &str) -> Result<Source, SourceError> {
    match name {
        "-" => Source::read(name, std::io::stdin().lock()),
        path => Source::open(path),
    }
}

/// Params and files, separated: a param has a name of the language before its `=`.
pub fn split_words<'a>(words: impl Iterator<Item = &'a str>) -> (Vec<GivenParam>, Vec<&'a str>) {
    let (mut params, mut files) = (Vec::new(), Vec::new());
    for word in words {
        match GivenParam::parse(word) {
            Some(param) => params.push(param),
            None => files.push(word),
        }
    }
    (params, files)
}
