//! `crafty decode`: a capture file, or octets in hexadecimal, as layers.

use super::Command;
use crate::packet::{About, document, listing, summary};
use crate::{cli, output, status};
use clap::{Arg, ArgAction, ArgMatches};
use crafty_capture::{Error, Reader};
use crafty_wire::{Decoded, Layer, decode, layer, link};
use std::io::{BufReader, BufWriter, Read, Write};

/// The command.
pub static COMMAND: Command = Command {
    name: "decode",
    about: "Show a capture (pcap, pcapng) or octets in hexadecimal as layers",
    more: "Examples:\n  crafty decode capture.pcapng\n  crafty decode --json capture.pcapng\n  tcpdump -w - | crafty decode -\n  crafty decode --first IP 4500001c...",
    args,
    run,
};

fn args() -> Vec<Arg> {
    vec![
        Arg::new("what").value_name("FILE | HEX").required(true).help("A capture file, `-` for one on standard input, or octets in hexadecimal"),
        cli::json_arg().help("One JSON document a line"),
        Arg::new("summary").long("summary").action(ArgAction::SetTrue).help("One line a packet"),
        Arg::new("first").long("first").value_name("LAYER").help("The outermost layer, whatever the file says (for hexadecimal: `Eth` unless told)"),
        Arg::new("limit").long("limit").value_name("N").help("Stop after this many packets"),
    ]
}

/// How packets are shown.
#[derive(Clone, Copy)]
enum Form {
    Json,
    Summary,
    Full,
}

fn run(args: &ArgMatches) -> u8 {
    let what = args.get_one::<String>("what").map_or("-", String::as_str);
    let form = if args.get_flag("json") { Form::Json } else if args.get_flag("summary") { Form::Summary } else { Form::Full };
    let first = match args.get_one::<String>("first").map(|name| layer(name).ok_or(name)).transpose() {
        Ok(first) => first,
        Err(name) => return usage(&format!("there is no layer `{name}`"), "`crafty manual layers` lists them"),
    };
    let limit = match args.get_one::<String>("limit").map(|n| n.parse::<u64>()).transpose() {
        Ok(limit) => limit.unwrap_or(u64::MAX),
        Err(_) => return usage("`--limit` takes a whole number", "write `--limit 10`"),
    };
    if what == "-" {
        return capture(std::io::stdin().lock(), form, first, limit);
    }
    if std::path::Path::new(what).is_dir() {
        return usage(&format!("`{what}` is a folder"), "name a capture file in it");
    }
    match (std::fs::File::open(what), hex(what)) {
        (Ok(file), _) => capture(BufReader::with_capacity(1 << 18, file), form, first, limit),
        (Err(_), Some(octets)) => one(&octets, form, first),
        (Err(error), None) => usage(&format!("`{what}` is no file that can be read ({error}) and no hexadecimal"), "give a capture file, or an even number of hexadecimal digits"),
    }
}

fn usage(what: &str, fix: &str) -> u8 {
    output::error(what, fix);
    status::USAGE
}

/// Octets from digits; spaces, colons and underscores between them are fine.
fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.trim_start_matches(['#']).bytes().filter(|b| !b" :_\n\t".contains(b)).collect();
    if digits.is_empty() || !digits.len().is_multiple_of(2) {
        return None;
    }
    digits.chunks(2).map(|pair| std::str::from_utf8(pair).ok().and_then(|p| u8::from_str_radix(p, 16).ok())).collect()
}

fn one(octets: &[u8], form: Form, first: Option<&'static Layer>) -> u8 {
    let Some(first) = first.or_else(|| layer("Eth")) else { return status::USAGE };
    let mut decoded = Decoded::new();
    decode(first, octets, octets.len(), &mut decoded);
    let about = About { index: 1, time: None, wire_len: octets.len() };
    output::data(&shown(form, about, octets, &decoded));
    status::DONE
}

fn shown(form: Form, about: About, octets: &[u8], decoded: &Decoded) -> String {
    match form {
        Form::Json => format!("{}\n", document(about, octets, decoded)),
        Form::Summary => summary(about, octets, decoded) + "\n",
        Form::Full => format!("{}\n{}", summary(about, octets, decoded), listing(octets, decoded)),
    }
}

/// Packet by packet, so that memory does not grow with the file.
fn capture(from: impl Read, form: Form, first: Option<&'static Layer>, limit: u64) -> u8 {
    let mut reader = match Reader::new(from) {
        Ok(reader) => reader,
        Err(error) => return damaged(&error),
    };
    let mut out = BufWriter::with_capacity(1 << 18, std::io::stdout().lock());
    let mut decoded = Decoded::new();
    for index in 1..=limit {
        let record = match reader.record() {
            Ok(Some(record)) => record,
            Ok(None) => break,
            Err(error) => {
                let _ = out.flush();
                return damaged(&error);
            }
        };
        let first = first.unwrap_or_else(|| link(u32::from(record.link), &record.octets));
        decode(first, &record.octets, record.wire_len, &mut decoded);
        let about = About { index, time: record.time, wire_len: record.wire_len };
        if let Err(error) = out.write_all(shown(form, about, &record.octets, &decoded).as_bytes()) {
            output::written(Err(error));
            return status::DONE;
        }
    }
    output::written(out.flush());
    status::DONE
}

fn damaged(error: &Error) -> u8 {
    output::error(&format!("this capture cannot be read on: {error}"), "what could be read was shown; see whether the file is whole");
    status::USAGE
}
