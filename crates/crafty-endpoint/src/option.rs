//! What an operator may set, one row for each: the command line, configuration files, help and
//! documents read the same table.

use crate::filter::{FilterError, PacketFilter};
use crate::prefix::{PACKET_INFORMATION, PacketInformation};
use crafty_policy::{POWERS, Power, PowerSet};
use crafty_value::{Duration, Net};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

/// Which layer the interface carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndpointMode {
    /// Bare IP packets.
    #[default]
    Tun,
    /// Ethernet frames.
    Tap,
}

impl EndpointMode {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            EndpointMode::Tun => "tun",
            EndpointMode::Tap => "tap",
        }
    }
}

/// Whether a packet that no handler answered may reach the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Escalation {
    /// Never.
    Never,
    /// If the ceiling per minute allows it.
    #[default]
    Unhandled,
}

impl Escalation {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Escalation::Never => "never",
            Escalation::Unhandled => "unhandled",
        }
    }
}

/// Which HTTP interface a model is asked by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelApi {
    /// Ollama's own: `POST /api/chat`.
    #[default]
    Ollama,
    /// The one that OpenAI began and many serve: `POST /v1/chat/completions`.
    OpenAi,
}

/// Which packets' fates are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FateLog {
    /// All.
    #[default]
    All,
    /// Those of packets that became events.
    Events,
}

/// How an endpoint is set up.
#[derive(Clone, Debug, PartialEq)]
pub struct EndpointOptions {
    /// Name to ask for; the kernel chooses where there is none.
    pub interface_name: Option<String>,
    /// Layer 3 or 2.
    pub mode: EndpointMode,
    /// Addresses of the near end, which the host has, with the lengths of their prefixes. None of a
    /// length means that `netmask` says it.
    pub address: Vec<(IpAddr, Option<u8>)>,
    /// Length of the prefix of IPv4 addresses without one.
    pub netmask: Option<u8>,
    /// Largest IP packet in bytes.
    pub mtu: u32,
    /// Which packets become events.
    pub packet_filter: PacketFilter,
    /// Whether unhandled packets may reach the model.
    pub llm_escalation: Escalation,
    /// How often the model may be asked in any minute.
    pub llm_max_per_minute: u32,
    /// The prefix before packets.
    pub packet_information: PacketInformation,
    /// A program that answers.
    pub program: Option<String>,
    /// Its params, as `name=value`.
    pub params: Vec<String>,
    /// A JSON file of actions.
    pub static_handler: Option<PathBuf>,
    /// A command line of a process that answers, as words.
    pub process_handler: Vec<String>,
    /// How long the process may take for an event.
    pub process_timeout: Duration,
    /// Where the model listens.
    pub model_url: Option<String>,
    /// How it is asked.
    pub model_api: ModelApi,
    /// Which model of the server.
    pub model_name: Option<String>,
    /// How long the model may take for a packet, the repair included.
    pub model_timeout: Duration,
    /// Most tokens of an answer.
    pub model_max_tokens: u32,
    /// What the model is to do.
    pub model_instruction: Option<String>,
    /// A file with the key of the model's server.
    pub model_key_file: Option<PathBuf>,
    /// Abilities of actions.
    pub powers: PowerSet,
    /// Which packets' fates are told.
    pub log: FateLog,
}

impl EndpointOptions {
    /// Takes what was given, by names and values in their order, and defaults for the rest.
    ///
    /// # Errors
    /// When an option is unknown, has a value that it does not take, is given twice, or does not fit
    /// the others.
    pub fn new(given: &[(String, String)]) -> Result<EndpointOptions, OptionError> {
        if let Some((name, _)) = given
            .iter()
            .find(|(name, _)| endpoint_option(name).is_none())
        {
            return Err(unknown(name));
        }
        let mut options = EndpointOptions::unset();
        for row in OPTIONS {
            let values = given.iter().filter(|(name, _)| name == row.name);
            let values: Vec<&str> = values.map(|(_, value)| value.as_str()).collect();
            row.take(&mut options, &values)?;
        }
        let is_given = |wanted: &str| given.iter().any(|(name, _)| name == wanted);
        options.check_fit(is_given("netmask"))?;
        Ok(options)
    }

    /// The near end's addresses with the lengths of their prefixes.
    pub fn near(&self) -> Vec<(IpAddr, u8)> {
        let all = self.address.iter();
        all.map(|(address, bits)| (*address, bits.unwrap_or(self.default_bits(*address))))
            .collect()
    }

    fn default_bits(&self, address: IpAddr) -> u8 {
        match address {
            IpAddr::V4(_) => self.netmask.unwrap_or(24),
            IpAddr::V6(_) => 64,
        }
    }

    /// What only two options together can have wrong.
    fn check_fit(&self, netmask_given: bool) -> Result<(), OptionError> {
        let wrong = |name: &str, why: &str, fix: &str| {
            Err(OptionError {
                name: name.into(),
                why: why.into(),
                fix: fix.into(),
            })
        };
        let contradicts = |(address, bits): &(IpAddr, Option<u8>)| {
            address.is_ipv4() && bits.is_some() && *bits != self.netmask
        };
        if netmask_given && self.address.iter().any(contradicts) {
            return wrong(
                "netmask",
                "an address has another length of its prefix",
                "leave out one of them",
            );
        }
        if self.near().iter().any(|near| is_end_of_net(*near)) {
            return wrong(
                "address",
                "the first and the last address of a net are no host's",
                "take one between them",
            );
        }
        if self.mtu < 1_280 && self.address.iter().any(|(address, _)| address.is_ipv6()) {
            return wrong(
                "mtu",
                "IPv6 needs at least 1280 bytes (RFC 8200 section 5)",
                "raise it, or leave the IPv6 address out",
            );
        }
        if self.mode == EndpointMode::Tap && self.mtu > 65_521 {
            return wrong(
                "mtu",
                "an Ethernet header takes 14 of the 65535 bytes",
                "write at most 65521",
            );
        }
        if self.packet_information == PacketInformation::MacosUtun {
            return wrong(
                "packet_information",
                "`macos_utun` stands before packets on macOS only, and this is Linux",
                "write `auto`, `none` or `linux_pi`",
            );
        }
        if self.model_url.is_some() && self.model_name.is_none() {
            return wrong(
                "model_url",
                "nobody knows which model of that server to ask",
                "add `model_name`",
            );
        }
        if self.program.is_none() && !self.params.is_empty() {
            return wrong(
                "param",
                "there is no program that could take it",
                "add `program`",
            );
        }
        Ok(())
    }

    fn unset() -> EndpointOptions {
        EndpointOptions {
            interface_name: None,
            mode: EndpointMode::Tun,
            address: Vec::new(),
            netmask: None,
            mtu: 0,
            packet_filter: PacketFilter::none(),
            llm_escalation: Escalation::Never,
            llm_max_per_minute: 0,
            packet_information: PacketInformation::Auto,
            program: None,
            params: Vec::new(),
            static_handler: None,
            process_handler: Vec::new(),
            process_timeout: Duration::ZERO,
            model_url: None,
            model_api: ModelApi::Ollama,
            model_name: None,
            model_timeout: Duration::ZERO,
            model_max_tokens: 0,
            model_instruction: None,
            model_key_file: None,
            powers: PowerSet::NONE,
            log: FateLog::All,
        }
    }
}

/// One option.
pub struct EndpointOption {
    /// Its name in files; on the command line with dashes.
    pub name: &'static str,
    /// What stands for its value in the help.
    pub value: &'static str,
    /// What holds where it is not given.
    pub default: Option<&'static str>,
    /// Whether it may be given several times (in a file, as a list).
    pub repeats: Repeats,
    /// What it is, in one sentence.
    pub doc: &'static str,
    /// Takes a value; the error says what is wrong with it, and what is allowed.
    pub(crate) set: fn(&mut EndpointOptions, &str) -> Result<(), Wrong>,
}

/// How often an option may be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// Once.
    Once,
    /// As often as one likes.
    Many,
}

/// What is wrong with a value, and what is allowed.
pub(crate) type Wrong = (String, String);

/// A value that an option does not take, options that do not fit each other, or an unknown one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionError {
    /// The option.
    pub name: String,
    /// What is wrong.
    pub why: String,
    /// What is allowed.
    pub fix: String,
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.name, self.why)
    }
}

impl std::error::Error for OptionError {}

macro_rules! option {
    ($name:literal $value:literal $default:expr, $repeats:ident, $doc:literal, $set:expr) => {
        EndpointOption {
            name: $name,
            value: $value,
            default: $default,
            repeats: Repeats::$repeats,
            doc: $doc,
            set: $set,
        }
    };
}

/// Every option.
pub static OPTIONS: &[EndpointOption] = &[
    option!("interface_name" "NAME" None, Once, "Name to ask for; without one the kernel chooses, and the real one is told", |o, text| {
        o.interface_name = Some(interface_name(text)?);
        Ok(())
    }),
    option!("mode" "MODE" Some("tun"), Once, "`tun` (bare IP packets) or `tap` (Ethernet frames)", |o, text| {
        o.mode = one_of(text, &[("tun", EndpointMode::Tun), ("tap", EndpointMode::Tap)])?;
        Ok(())
    }),
    option!("address" "ADDRESS" Some("10.7.0.1"), Many, "Address of the near end, which the host has, IPv4 or IPv6, with the length of its prefix or without", |o, text| {
        o.address.push(near_address(text)?);
        Ok(())
    }),
    option!("netmask" "MASK" Some("255.255.255.0"), Once, "Netmask of IPv4 addresses that are given without a length", |o, text| {
        o.netmask = Some(netmask(text)?);
        Ok(())
    }),
    option!("mtu" "BYTES" Some("1500"), Once, "Largest IP packet, 576 to 65535 (with `tap` to 65521, with IPv6 from 1280)", |o, text| {
        o.mtu = number(text, 576, 65_535)?;
        Ok(())
    }),
    option!("packet_filter" "FILTER" Some("icmp"), Once, "Which packets become events: `all`, `none`, or terms joined by `+` (and) and `,` (or)", |o, text| {
        let wrong = |error: FilterError| (error.to_string(), FilterError::fix());
        o.packet_filter = PacketFilter::parse(text).map_err(wrong)?;
        Ok(())
    }),
    option!("llm_escalation" "WHEN" Some("unhandled"), Once, "Whether a packet that no handler answered may reach the model: `never` or `unhandled`", |o, text| {
        o.llm_escalation = one_of(text, &[("never", Escalation::Never), ("unhandled", Escalation::Unhandled)])?;
        Ok(())
    }),
    option!("llm_max_per_minute" "CALLS" Some("6"), Once, "How often the model may be asked in any minute, 0 to 3600; more packets are dropped, not queued", |o, text| {
        o.llm_max_per_minute = number(text, 0, 3_600)?;
        Ok(())
    }),
    option!("packet_information" "PREFIX" Some("auto"), Once, "The prefix of 4 bytes before each packet, checked: `auto`, `none`, `linux_pi` or `macos_utun`", |o, text| {
        let rows: Vec<_> = PACKET_INFORMATION.iter().map(|(value, name)| (*name, *value)).collect();
        o.packet_information = one_of(text, &rows)?;
        Ok(())
    }),
    option!("program" "FILE" None, Once, "A Crafty program that answers", |o, text| {
        o.program = Some(text.into());
        Ok(())
    }),
    option!("param" "NAME=VALUE" None, Many, "A param of the program", |o, text| {
        o.params.push(text.into());
        Ok(())
    }),
    option!("static_handler" "FILE" None, Once, "A JSON file with a list of actions, in which {{event.FIELD}} stands for a field of the event", |o, text| {
        o.static_handler = Some(text.into());
        Ok(())
    }),
    option!("process_handler" "COMMAND" None, Once, "A program and its words, which reads an event a line and writes an answer a line", |o, text| {
        o.process_handler = text.split_whitespace().map(String::from).collect();
        match o.process_handler.is_empty() {
            true => Err(wrong("is empty", "write a command and its words")),
            false => Ok(()),
        }
    }),
    option!("process_timeout" "MILLISECONDS" Some("1000"), Once, "How long the process may take to answer an event, 1 to 60000", |o, text| {
        o.process_timeout = Duration::millis(number(text, 1, 60_000)?.into());
        Ok(())
    }),
    option!("model_url" "URL" None, Once, "Where the model's server is, as `http://127.0.0.1:11434`", |o, text| {
        o.model_url = Some(url(text)?);
        Ok(())
    }),
    option!("model_api" "API" Some("ollama"), Once, "How the model is asked: `ollama` (/api/chat) or `openai` (/v1/chat/completions)", |o, text| {
        o.model_api = one_of(text, &[("ollama", ModelApi::Ollama), ("openai", ModelApi::OpenAi)])?;
        Ok(())
    }),
    option!("model_name" "NAME" None, Once, "Which model of that server", |o, text| {
        o.model_name = Some(text.into());
        Ok(())
    }),
    option!("model_timeout" "MILLISECONDS" Some("2000"), Once, "How long the model may take for a packet, a repair included, 1 to 60000", |o, text| {
        o.model_timeout = Duration::millis(number(text, 1, 60_000)?.into());
        Ok(())
    }),
    option!("model_max_tokens" "TOKENS" Some("512"), Once, "Most tokens of an answer of the model, 16 to 8192", |o, text| {
        o.model_max_tokens = number(text, 16, 8_192)?;
        Ok(())
    }),
    option!("model_instruction" "TEXT" None, Once, "What the model is to do with packets, in words", |o, text| {
        o.model_instruction = Some(text.into());
        Ok(())
    }),
    option!("model_key_file" "FILE" None, Once, "A file that holds the key of the model's server", |o, text| {
        o.model_key_file = Some(text.into());
        Ok(())
    }),
    option!("power" "POWER" None, Many, "An ability of actions beside answering: `control`, `infrastructure` and the others of PERMISSIONS", |o, text| {
        o.powers.insert(power(text)?);
        Ok(())
    }),
    option!("log" "WHICH" Some("all"), Once, "Whose fate is told: `all` packets, or those that became `events`", |o, text| {
        o.log = one_of(text, &[("all", FateLog::All), ("events", FateLog::Events)])?;
        Ok(())
    }),
];

impl EndpointOption {
    fn take(&self, options: &mut EndpointOptions, values: &[&str]) -> Result<(), OptionError> {
        let error = |(why, fix): Wrong| OptionError {
            name: self.name.into(),
            why,
            fix,
        };
        if values.len() > 1 && self.repeats == Repeats::Once {
            return Err(error(wrong(
                "it is given more than once",
                "leave one of them",
            )));
        }
        let values = match (values, self.default) {
            ([], Some(default)) => &[default],
            (given, _) => given,
        };
        let mut all = values.iter();
        all.try_for_each(|value| (self.set)(options, value).map_err(error))
    }
}

fn unknown(name: &str) -> OptionError {
    let names: Vec<&str> = OPTIONS.iter().map(|row| row.name).collect();
    OptionError {
        name: name.into(),
        why: "there is no such option".into(),
        fix: format!("write one of {}", names.join(", ")),
    }
}

/// Whether an IPv4 address stands for its whole net (RFC 922 section 7).
fn is_end_of_net((address, bits): (IpAddr, u8)) -> bool {
    let ends = |net: Net| net.address() == address || net.last() == address;
    address.is_ipv4() && bits < 31 && Net::new(address, bits).is_some_and(ends)
}

/// The option of this name.
pub fn endpoint_option(name: &str) -> Option<&'static EndpointOption> {
    OPTIONS.iter().find(|row| row.name == name)
}

fn wrong(why: impl Into<String>, fix: impl Into<String>) -> Wrong {
    (why.into(), fix.into())
}

fn one_of<T: Copy>(text: &str, rows: &[(&str, T)]) -> Result<T, Wrong> {
    let row = rows.iter().find(|(name, _)| *name == text);
    row.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<String> = rows.iter().map(|(name, _)| format!("`{name}`")).collect();
        wrong(
            format!("`{}` is not a value of it", text.escape_debug()),
            format!("write one of {}", names.join(", ")),
        )
    })
}

fn number(text: &str, least: u32, most: u32) -> Result<u32, Wrong> {
    let number = text.parse::<u32>().ok();
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| {
            wrong(
                format!("`{}` is not allowed", text.escape_debug()),
                format!("write a whole number from {least} to {most}"),
            )
        })
}

/// Names that Linux takes (`dev_valid_name`), of characters that no shell minds.
fn interface_name(text: &str) -> Result<String, Wrong> {
    let plain = text
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    match plain && (1..=15).contains(&text.len()) && !matches!(text, "." | "..") {
        true => Ok(text.into()),
        false => Err(wrong(
            format!("`{}` is not a name of an interface", text.escape_debug()),
            "write 1 to 15 letters, digits, `_`, `-` or `.`",
        )),
    }
}

fn near_address(text: &str) -> Result<(IpAddr, Option<u8>), Wrong> {
    let bad = |why: &str| {
        wrong(
            format!("`{}` {why}", text.escape_debug()),
            "write an address that a host can have, as 10.7.0.1, 10.7.0.1/24 or fd00:7::1/64",
        )
    };
    let (address, bits) = match text.split_once('/') {
        Some((address, bits)) => (address, Some(bits)),
        None => (text, None),
    };
    let address: IpAddr = address.parse().map_err(|_| bad("is not an address"))?;
    if address.is_loopback() || address.is_multicast() || address.is_unspecified() {
        return Err(bad("is not an address that a host can have"));
    }
    let most = if address.is_ipv4() { 32 } else { 128 };
    let bits = match bits.map(str::parse::<u8>) {
        None => None,
        Some(Ok(bits)) if (1..=most).contains(&bits) => Some(bits),
        Some(_) => return Err(bad("has an invalid length of its prefix")),
    };
    Ok((address, bits))
}

/// A netmask, or the length of a prefix.
fn netmask(text: &str) -> Result<u8, Wrong> {
    let bits = match text.parse::<Ipv4Addr>() {
        Ok(mask) if mask.to_bits().leading_ones() + mask.to_bits().trailing_zeros() == 32 => {
            Some(mask.to_bits().leading_ones() as u8)
        }
        Ok(_) => None,
        Err(_) => text.parse::<u8>().ok(),
    };
    bits.filter(|bits| (1..=32).contains(bits)).ok_or_else(|| {
        wrong(
            format!("`{}` is not a netmask", text.escape_debug()),
            "write one as 255.255.255.0, or its length as 24",
        )
    })
}

fn url(text: &str) -> Result<String, Wrong> {
    let host = text
        .strip_prefix("http://")
        .or_else(|| text.strip_prefix("https://"));
    let plain = host.is_some_and(|host| {
        !host.is_empty() && host.chars().all(|c| c.is_ascii_graphic() && c != '@')
    });
    match plain {
        true => Ok(text.trim_end_matches('/').into()),
        false => Err(wrong(
            format!("`{}` is not an address of a server", text.escape_debug()),
            "write `http://HOST:PORT` or `https://HOST`; a key goes into `model_key_file`",
        )),
    }
}

fn power(text: &str) -> Result<Power, Wrong> {
    Power::named(text).ok_or_else(|| {
        let names: Vec<&str> = POWERS.iter().map(|row| row.name).collect();
        wrong(
            format!("`{}` is not a power", text.escape_debug()),
            format!("write one of {}", names.join(", ")),
        )
    })
}
