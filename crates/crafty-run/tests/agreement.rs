//! What `check` asks for is what the gate asks for: a program with all the powers that the checker
//! names is refused by the gate for lack of one. Tried with the example of every layer, every value
//! that has a name, every option, and every way to wrap them.

use crafty_lang::check::check;
use crafty_run::*;
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::{Mac, Net};
use crafty_wire::{Field, FieldKind, Layer};
use std::net::IpAddr;

/// A network that never answers, with one neighbour who is known.
struct Silent(Time);

const OWN: [&str; 2] = ["192.0.2.99", "2001:db8::99"];
const GATEWAYS: [&str; 2] = ["192.0.2.254", "2001:db8::fe"];

fn address(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

impl Medium for Silent {
    fn attach(&mut self, _: &LoadedProgram, _: Option<&str>) -> Result<Attached, MediumError> {
        let mut environment = Environment {
            kernel_answers: true,
            ..Environment::default()
        };
        environment.interfaces.push(InterfaceInfo {
            name: "silent".into(),
            mac: Mac([2, 0, 0, 0, 0, 9]),
            mtu: 1500,
            addresses: OWN
                .map(|own| (address(own), if own.contains(':') { 128 } else { 32 }))
                .into(),
            link: LinkLayer::Ethernet,
        });
        for (own, gateway) in OWN.iter().zip(GATEWAYS) {
            let any = if own.contains(':') { "::" } else { "0.0.0.0" };
            environment.routes.push(Route {
                net: Net::new(address(any), 0).expect("a net"),
                gateway: Some(address(gateway)),
                interface: 0,
                source: Some(address(own)),
            });
            environment
                .neighbours
                .insert((0, address(gateway)), Mac([2, 0, 0, 0, 0, 0xfe]));
        }
        Ok(Attached {
            environment,
            start: self.0,
        })
    }

    fn send(&mut self, _: ProgramId, frame: Transmit) -> Departure {
        Departure::At(Stamp {
            time: frame.at.max(self.0),
            source: StampSource::Software,
        })
    }

    fn wait(&mut self, until: Option<Time>) -> Option<Time> {
        self.0 = until?.max(self.0);
        Some(self.0)
    }

    fn receive(&mut self, _: ProgramId) -> Option<Arrival> {
        None
    }
}

/// A program that sends this, with these powers; groups and sources in it are declared.
fn program(send: &str, powers: &[String]) -> String {
    let words = send.split(|c: char| !(c.is_ascii_hexdigit() || ":.".contains(c)));
    let groups: Vec<String> = words
        .filter_map(|word| word.parse::<IpAddr>().ok())
        .filter(|a| a.is_multicast() || *a == address("255.255.255.255"))
        .map(|a| format!(", {a}"))
        .collect();
    format!(
        "BUDGET = {{ max_duration: 5s, max_packets: 50, spoofed_syns: 50, max_destinations: 50 }}\nPORTS = {{ tcp: [[40000, 60000]], udp: [[40000, 60000], 2152, 53, 67, 68, 123, 179, 520, 521, 546, 1701, 1985, 5060, 50000], icmp: [[0, 65535]] }}\nPERMISSIONS = {{ destinations: [0.0.0.0/0, ::/0{}], sources: [198.51.100.7], powers: [{}] }}\n{send}\n",
        groups.concat(),
        powers.join(", ")
    )
}

/// The power that a message names.
fn named_power(report: &Occurrence) -> Option<String> {
    let (_, rest) = report.message.split_once("needs the power `")?;
    Some(rest.split('`').next()?.to_string())
}

/// The program with every power that the checker asks for; none if it has another mistake.
fn granted(send: &str) -> Option<String> {
    let mut powers: Vec<String> = Vec::new();
    loop {
        let text = program(send, &powers);
        let checked = check(&text);
        if checked.program.is_some() {
            return Some(text);
        }
        let missing: Vec<String> = checked.reports.iter().filter_map(named_power).collect();
        if missing.is_empty() || missing.iter().any(|power| powers.contains(power)) {
            return None;
        }
        powers.extend(missing);
        powers.sort();
        powers.dedup();
    }
}

/// What the gate says of the program for lack of a power.
fn refusals(text: &str) -> Vec<String> {
    let source = Source::new("law.crafty", text.to_string());
    let Ok(program) = load(source, &[], &Policy::everything()) else {
        return Vec::new();
    };
    let mut run = Run::new(Silent(Time(0)));
    if run.add(program).is_err() {
        return Vec::new();
    }
    let mut events: Vec<RunEvent> = Vec::new();
    run.to_end(&mut events);
    let dropped = events.into_iter().filter_map(|event| match event {
        RunEvent::Program {
            event: Event::Dropped { message, .. },
            ..
        } => Some(message),
        _ => None,
    });
    dropped
        .filter(|message| message.contains("`powers`"))
        .collect()
}

/// A test that cannot fail proves nothing: without its power the gate drops the frame, and it is
/// seen here.
#[test]
fn a_refusal_is_seen() {
    let text = program(
        "lie = 5\non /IP/ICMP { lie := 6 }\n/IP(dst=192.0.2.1)/UDP(src=50000, dst=9, len=lie)",
        &[],
    );
    assert!(check(&text).program.is_some());
    assert!(refusals(&text)[0].contains("`malformed`"));
}

/// Tries all of these; at least so many must be accepted by the checker.
fn law(sends: Vec<String>, at_least: usize) {
    let accepted: Vec<String> = sends.iter().filter_map(|send| granted(send)).collect();
    let wrong: Vec<String> = accepted
        .iter()
        .map(|text| (text, refusals(text)))
        .filter(|(_, refusals)| !refusals.is_empty())
        .map(|(text, refusals)| format!("{text}{refusals:?}\n"))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        accepted.len(),
        wrong.concat()
    );
    assert!(
        accepted.len() >= at_least,
        "{} of {} were accepted",
        accepted.len(),
        sends.len()
    );
}

/// Examples that are sends of their own.
fn examples() -> impl Iterator<Item = &'static Layer> {
    crafty_wire::all()
        .iter()
        .copied()
        .filter(|layer| layer.example.starts_with('/'))
}

#[test]
fn of_the_example_of_every_layer() {
    let sends: Vec<String> = examples().map(|layer| layer.example.to_string()).collect();
    let most = sends.len() - 4;
    law(sends, most);
}

/// The example with another value for a field of its own layer.
fn with(layer: &Layer, field: &str, value: &str) -> Option<String> {
    let name = format!("/{}", layer.name);
    let at = layer
        .example
        .match_indices(&name)
        .map(|(at, _)| at + name.len())
        .find(|at| !layer.example[*at..].starts_with(|c: char| c.is_alphanumeric()))?;
    let (head, rest) = layer.example.split_at(at);
    let (args, rest) = match rest.strip_prefix('(') {
        None => ("", rest),
        Some(inside) => {
            let mut depth = 1;
            let end = inside.find(|c| {
                depth += match c {
                    '(' => 1,
                    ')' => -1,
                    _ => 0,
                };
                depth == 0
            })?;
            (&inside[..end], &inside[end + 1..])
        }
    };
    let mut kept: Vec<String> = Vec::new();
    let mut depth = 0;
    for piece in args.split_inclusive(|c| {
        depth += match c {
            '(' | '[' => 1,
            ')' | ']' => -1,
            _ => 0,
        };
        c == ',' && depth == 0
    }) {
        kept.push(piece.trim().trim_end_matches(',').to_string());
    }
    kept.retain(|arg| !arg.is_empty() && arg.split('=').next() != Some(field));
    kept.push(format!("{field}={value}"));
    Some(format!("{head}({}){rest}", kept.join(", ")))
}

/// A value for a field of an option.
fn any_value(field: &Field) -> String {
    match field.kind {
        FieldKind::Uint => "1".into(),
        FieldKind::Named(names) => names
            .first()
            .map_or("1".into(), |(number, _)| number.to_string()),
        FieldKind::Flags(_) => "0".into(),
        FieldKind::Ip4 => "192.0.2.7".into(),
        FieldKind::Ip6 => "2001:db8::7".into(),
        FieldKind::Mac => "02:00:00:00:00:07".into(),
        FieldKind::Text => "\"a\"".into(),
        FieldKind::Options(_) => "[]".into(),
        FieldKind::Bytes | FieldKind::Custom(_) => "#00010203".into(),
    }
}

fn named_values(field: &Field) -> Vec<String> {
    match field.kind {
        FieldKind::Named(names) => names.iter().map(|(_, name)| name.to_string()).collect(),
        FieldKind::Flags(names) => names
            .iter()
            .filter(|n| !n.is_empty())
            .map(|n| n.to_string())
            .collect(),
        FieldKind::Options(tlv) => tlv
            .options
            .iter()
            .map(|row| {
                let args: Vec<String> = row.shape.fields().map(any_value).collect();
                match args.is_empty() {
                    true => format!("[{}]", row.name),
                    false => format!("[{}({})]", row.name, args.join(", ")),
                }
            })
            .collect(),
        FieldKind::Uint => vec!["0".into(), "1".into()],
        _ => Vec::new(),
    }
}

#[test]
fn of_every_value_and_option_that_has_a_name() {
    let fields = examples().flat_map(|layer| layer.fields.iter().map(move |field| (layer, field)));
    // Where a message is announced as options, its checksum is read as lengths: it depends on the
    // host's own address, which only the run knows.
    let is_telling = |value: &String| !["hop_by_hop", "dest_opts"].contains(&value.as_str());
    let sends: Vec<String> = fields
        .flat_map(|(layer, field)| {
            let values = named_values(field).into_iter().filter(is_telling);
            values.filter_map(move |value| with(layer, field.name, &value))
        })
        .collect();
    law(sends, 1_000);
}

/// Ways to carry a packet.
const WRAPS: &[&str] = &[
    "/Eth",
    "/Eth/VLAN(id=5)",
    "/Eth/VLAN(id=5)/VLAN(id=6)",
    "/Eth/MPLS(label=16)",
    "/Eth/PPPoE(session=7)/PPP",
    "/IP(dst=192.0.2.1)",
    "/IP6(dst=2001:db8::1)",
    "/IP6(dst=2001:db8::1)/HopByHop(options=[router_alert(0)])",
    "/IP(dst=192.0.2.1)/GRE(key=7)",
    "/IP(dst=192.0.2.1)/GRE(seq=1)/ERSPAN(session=5)/Eth",
    "/IP(dst=192.0.2.1)/UDP(src=50000)/VXLAN(vni=7)/Eth",
    "/IP(dst=192.0.2.1)/UDP(src=50000)/GENEVE(vni=7)/Eth",
    "/IP(dst=192.0.2.1)/UDP(src=2152)/GTPU(teid=7)",
    "/IP(dst=192.0.2.1)/AH(spi=0x100, seq=1, icv=#000000000000000000000000)",
];

#[test]
fn of_every_way_to_wrap() {
    let inner = || {
        examples()
            .map(|layer| layer.example)
            .filter(|text| text.starts_with("/IP"))
    };
    let wrapped = WRAPS
        .iter()
        .flat_map(|wrap| inner().map(move |inner| format!("{wrap}{inner}")));
    // In a block, in place of its last layer and on top of it.
    let v4 = || inner().filter_map(|text| text.strip_prefix("/IP(dst=192.0.2.1)/"));
    let blocks = v4().map(|rest| format!("/IP!(dst=192.0.2.1) {{\n  {rest}\n}}"));
    let replaced = v4().map(|rest| format!("/IP!(dst=192.0.2.1) {{\n  IP(ttl=3)/{rest}\n}}"));
    let tunnelled =
        v4().map(|rest| format!("/IP(dst=192.0.2.2)/GRE/IP!(dst=192.0.2.1) {{\n  {rest}\n}}"));
    let sends: Vec<String> = wrapped
        .chain(blocks)
        .chain(replaced)
        .chain(tunnelled)
        .collect();
    law(sends, 500);
}

/// As somebody else, and from every port of the tables.
#[test]
fn of_other_sources_and_ports() {
    let ports = [
        7, 53, 67, 123, 161, 179, 389, 520, 1701, 1900, 4500, 4789, 5353, 6081, 11211, 40000, 51820,
    ];
    let sends = ports.iter().flat_map(|port| {
        ["", "src=198.51.100.7, "]
            .into_iter()
            .flat_map(move |from| {
                let ip = format!("/IP({from}dst=192.0.2.1)");
                [
                    format!("{ip}/UDP(src=50000, dst={port})/Bytes(\"x\")"),
                    format!("{ip}/UDP(src={port}, dst=50000)/Bytes(\"x\")"),
                    format!("{ip}/TCP(src=50000, dst={port}, flags=syn)"),
                    format!("{ip}/TCP(src=50000, dst={port}, flags=ack)"),
                    format!("{ip}/TCP(src={port}, dst=50000, flags=syn)"),
                    format!("/IP(dst=192.0.2.1)/GRE{ip}/TCP(src={port}, dst=50000, flags=ack)"),
                ]
            })
    });
    law(sends.collect(), 90);
}
