//! `crafty decode`: a capture file, or bytes in hexadecimal, as layers.

use super::Command;
use crate::args::{self, OutputForm};
use crate::failure::Failure;
use crate::{output, status};
use clap::{Arg, ArgAction, ArgMatches};
use crafty_capture::{CaptureError, CaptureReader, Item, Record, Statistics};
use crafty_lang::eval::show;
use crafty_print::packet::{PacketContext, document, listing, summary};
use crafty_print::{Carried, Reassembly};
use crafty_wire::{Decoded, Layer, LayerRole, decode, framed_by, layer, link};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};

/// The command.
pub static COMMAND: Command = Command {
    name: "decode",
    about: "Show a capture (pcap or pcapng, gzip, zstd) or hexadecimal bytes as layers",
    more: "Examples:\n  crafty decode capture.pcapng\n  crafty decode --json capture.pcapng\n  tcpdump -w - | crafty decode -\n  crafty decode --first IP 4500001c...",
    args,
    run,
};

fn args() -> Vec<Arg> {
    vec![
        Arg::new("what")
            .value_name("FILE | HEX")
            .required(true)
            .help("A capture file, `-` for one on standard input, or bytes in hexadecimal"),
        args::json_flag().help("One JSON document per line"),
        Arg::new("summary")
            .long("summary")
            .action(ArgAction::SetTrue)
            .help("One line per packet"),
        Arg::new("first")
            .long("first")
            .value_name("LAYER")
            .help("The outermost layer, whatever the file says (default for hexadecimal: `Eth`)"),
        Arg::new("apart")
            .long("no-reassembly")
            .action(ArgAction::SetTrue)
            .help("Show each packet on its own: no reassembled messages or datagrams"),
        Arg::new("as")
            .long("as")
            .value_name("PORT=LAYER")
            .action(ArgAction::Append)
            .help("Read the streams of this port as this layer: `--as 8000=HTTP`"),
        Arg::new("limit")
            .long("limit")
            .value_name("N")
            .help("Stop after this many packets"),
    ]
}

/// How packets are shown.
#[derive(Clone, Copy)]
enum OutputFormat {
    Json,
    Summary,
    Full,
}

/// What is wanted of a capture.
struct DecodeRequest {
    form: OutputFormat,
    first: Option<&'static Layer>,
    limit: u64,
    /// What puts pieces together; none to show each packet on its own.
    reassembly: Option<Reassembly>,
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    let what = args::text(args, "what").unwrap_or("-");
    let wanted = wanted(args)?;
    if what == "-" {
        return capture(std::io::stdin().lock(), wanted);
    }
    if std::path::Path::new(what).is_dir() {
        return Err(Failure::usage(
            format!("`{what}` is a folder"),
            "name a capture file in it",
        ));
    }
    match (std::fs::File::open(what), hex(what)) {
        (Ok(file), _) => capture(file, wanted),
        (Err(_), Some(bytes)) => one(&bytes, wanted),
        (Err(error), None) => Err(Failure::usage(
            format!("`{what}` is neither a readable file ({error}) nor hexadecimal"),
            "give a capture file, or an even number of hexadecimal digits",
        )),
    }
}

fn wanted(args: &ArgMatches) -> Result<DecodeRequest, Failure> {
    let form = match args::form(args) {
        OutputForm::Json => OutputFormat::Json,
        OutputForm::People if args.get_flag("summary") => OutputFormat::Summary,
        OutputForm::People => OutputFormat::Full,
    };
    let named = |name| {
        layer(name).ok_or_else(|| {
            Failure::usage(
                format!("there is no layer `{name}`"),
                "`crafty manual layers` lists them",
            )
        })
    };
    Ok(DecodeRequest {
        form,
        first: args::text(args, "first").map(named).transpose()?,
        limit: args::number(args, "limit", "10")?.unwrap_or(u64::MAX),
        reassembly: reassembly(args)?,
    })
}

/// What puts pieces together, unless that is not wanted.
fn reassembly(args: &ArgMatches) -> Result<Option<Reassembly>, Failure> {
    let mut reassembly = Reassembly::new();
    for word in args::texts(args, "as") {
        let pair = word
            .split_once('=')
            .and_then(|(port, name)| Some((port.parse().ok()?, layer(name)?)));
        pair.filter(|(port, layer)| reassembly.ask(*port, layer))
            .ok_or_else(|| {
                Failure::usage(
                    format!("`--as {word}` does not name a port and a layer of streams"),
                    format!("write `--as 8000=HTTP`; it can be {}", in_streams()),
                )
            })?;
    }
    Ok(match args.get_flag("apart") {
        true => None,
        false => Some(reassembly),
    })
}

/// Layers whose messages streams carry.
fn in_streams() -> String {
    let framed = crafty_wire::all()
        .iter()
        .filter(|layer| framed_by(layer).is_some());
    framed
        .map(|layer| format!("`{}`", layer.name))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Bytes from digits; spaces, colons and underscores between them are fine.
fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .trim_start_matches(['#'])
        .bytes()
        .filter(|b| !b" :_\n\t".contains(b))
        .collect();
    if digits.is_empty() || !digits.len().is_multiple_of(2) {
        return None;
    }
    digits
        .chunks(2)
        .map(|pair| {
            std::str::from_utf8(pair)
                .ok()
                .and_then(|p| u8::from_str_radix(p, 16).ok())
        })
        .collect()
}

fn one(octets: &[u8], wanted: DecodeRequest) -> Result<u8, Failure> {
    let Some(first) = wanted.first.or_else(|| layer("Eth")) else {
        return Ok(status::USAGE);
    };
    let mut decoded = Decoded::new();
    decode(first, octets, octets.len(), &mut decoded);
    let about = PacketContext {
        index: 1,
        wire_len: octets.len(),
        ..PacketContext::default()
    };
    let mut out = Vec::new();
    append(
        wanted.form,
        about,
        octets,
        &decoded,
        &Carried::default(),
        &mut out,
    );
    output::octets(&out);
    Ok(status::DONE)
}

/// Appends a packet in its form.
fn append(
    form: OutputFormat,
    about: PacketContext,
    octets: &[u8],
    decoded: &Decoded,
    carried: &Carried,
    out: &mut Vec<u8>,
) {
    match form {
        OutputFormat::Json => {
            document(about, octets, decoded, out);
            carried.put(out);
        }
        OutputFormat::Summary | OutputFormat::Full => {
            summary(about, octets, decoded, out);
            carried.glance(out);
        }
    }
    out.push(b'\n');
    if let OutputFormat::Full = form {
        listing(about, octets, decoded, out);
        carried.lines(out);
    }
}

/// Packet by packet, so that memory does not grow with the file; each is shown before the next is
/// waited for.
fn capture(from: impl Read, mut wanted: DecodeRequest) -> Result<u8, Failure> {
    let out = RefCell::new(BufWriter::with_capacity(BUFFER, std::io::stdout().lock()));
    let from = BufReader::with_capacity(BUFFER, Prompt { from, out: &out });
    let mut shown = 0;
    let read = CaptureReader::new(from)
        .and_then(|mut reader| all(&mut reader, &out, &mut wanted, &mut shown));
    output::written(out.borrow_mut().flush());
    match read {
        Ok(()) => Ok(status::DONE),
        Err(CaptureError::Io(error)) if error.kind() == NOBODY_READS => Ok(status::DONE),
        Err(error) => Err(damaged(&error, shown)),
    }
}

/// Shows packets until the file, the limit or whoever reads them ends; counts them.
fn all<R: Read>(
    reader: &mut CaptureReader<R>,
    out: &RefCell<impl Write>,
    wanted: &mut DecodeRequest,
    index: &mut u64,
) -> Result<(), CaptureError> {
    let (mut decoded, mut text) = (Decoded::new(), Vec::new());
    let mut unknown_links = BTreeSet::new();
    while *index < wanted.limit {
        let record = match reader.item()? {
            Some(Item::Packet(record)) => record,
            Some(Item::Statistics(statistics)) => {
                tell_losses(statistics, reader.interface_name(statistics.interface));
                continue;
            }
            Some(_) => continue,
            None => break,
        };
        *index += 1;
        let first = wanted
            .first
            .unwrap_or_else(|| link(u32::from(record.link), &record.octets));
        if wanted.first.is_none() && first.role == LayerRole::Data {
            tell_unknown_link(record.link, &mut unknown_links);
        }
        decode(first, &record.octets, record.wire_len, &mut decoded);
        let interface = reader.interface_name(record.interface);
        let Record {
            time,
            wire_len,
            direction,
            ref comments,
            ref octets,
            ..
        } = record;
        let about = PacketContext {
            index: *index,
            time,
            wire_len,
            interface,
            direction,
            comments,
        };
        let carried = wanted
            .reassembly
            .as_mut()
            .map_or_else(Carried::default, |reassembly| {
                reassembly.packet(*index, time, octets, &mut decoded)
            });
        text.clear();
        append(wanted.form, about, octets, &decoded, &carried, &mut text);
        if let Err(error) = out.borrow_mut().write_all(&text) {
            output::written(Err(error));
            break;
        }
    }
    wanted.reassembly.iter().for_each(tell_bounds);
    Ok(())
}

/// Packets that begin with a link header that no layer reads are bytes, and that is reported once.
fn tell_unknown_link(link_type: u16, told: &mut BTreeSet<u16>) {
    if told.insert(link_type) {
        output::note(&format!(
            "note: link type {link_type} is not known here: its packets are shown as bytes; `--first LAYER` says what they begin with"
        ));
    }
}

/// What was discarded to keep memory bounded is reported.
fn tell_bounds(reassembly: &Reassembly) {
    if reassembly.let_go() > 0 {
        output::note(&format!(
            "note: memory is limited: {} streams were dropped before they ended",
            reassembly.let_go()
        ));
    }
}

/// A capture that lost packets proves nothing by what it lacks.
fn tell_losses(statistics: Statistics, name: Option<&str>) {
    let lost = statistics
        .dropped
        .unwrap_or(0)
        .saturating_add(statistics.os_dropped.unwrap_or(0));
    if lost > 0 {
        let of = name.map_or_else(
            || format!("interface {}", statistics.interface),
            |name| show::escaped(name.as_bytes(), 64),
        );
        output::note(&format!(
            "note: the capture lost {lost} packets of {of}: missing packets prove nothing"
        ));
    }
}

/// How a source says that what was shown went nowhere: told already, where it is worth telling.
const NOBODY_READS: ErrorKind = ErrorKind::WriteZero;

/// Bytes that are read and written at once.
const BUFFER: usize = 1 << 18;

/// A source that shows what there is before it waits for more: a capture that grows is shown as it
/// grows.
struct Prompt<'a, R, W: Write> {
    from: R,
    out: &'a RefCell<W>,
}

impl<R: Read, W: Write> Read for Prompt<'_, R, W> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if let Err(error) = self.out.borrow_mut().flush() {
            output::written(Err(error));
            return Err(NOBODY_READS.into());
        }
        self.from.read(into)
    }
}

fn damaged(error: &CaptureError, shown: u64) -> Failure {
    match shown {
        0 => Failure::usage(
            format!("this is not a capture that can be read: {error}"),
            "give a pcap or pcapng file; programs are for `crafty check`",
        ),
        _ => Failure::usage(
            format!("cannot read the rest of this capture: {error}"),
            "the packets before are shown; is the file complete?",
        ),
    }
}
