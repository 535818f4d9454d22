//! What an operator may set, one row for each: the command line, configuration files, help and
//! documents read the same table.

mod rows;
mod values;

pub use rows::OPTIONS;

use crate::filter::PacketFilter;
use crate::prefix::PacketInformation;
use crafty_policy::PowerSet;
use crafty_value::{Duration, Net};
use std::fmt;
use std::net::IpAddr;
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

/// Which packets' fates are reported.
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
    /// Which packets' fates are reported.
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
                "`macos_utun` comes before packets on macOS only, and this is Linux",
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

impl EndpointOption {
    fn take(&self, options: &mut EndpointOptions, values: &[&str]) -> Result<(), OptionError> {
        let error = |(why, fix): Wrong| OptionError {
            name: self.name.into(),
            why,
            fix,
        };
        if values.len() > 1 && self.repeats == Repeats::Once {
            return Err(error(values::wrong(
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

/// Whether an option takes a value, whatever the others are.
///
/// # Errors
/// When there is no such option, or it does not take the value.
pub fn check_option(name: &str, value: &str) -> Result<(), OptionError> {
    let row = endpoint_option(name).ok_or_else(|| unknown(name))?;
    row.take(&mut EndpointOptions::unset(), &[value])
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
