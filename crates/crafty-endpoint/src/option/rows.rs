//! The rows themselves.

use super::values::{interface_name, near_address, netmask, number, one_of, power, url, wrong};
use super::{EndpointMode, EndpointOption, Escalation, FateLog, ModelApi, Repeats};
use crate::filter::{FilterError, PacketFilter};
use crate::prefix::PACKET_INFORMATION;
use crafty_value::Duration;

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
    option!("interface_name" "NAME" None, Once, "Name to ask for; without one the kernel chooses, and the real one is reported", |o, text| {
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
    option!("log" "WHICH" Some("all"), Once, "Packets whose fate is reported: `all` packets, or those that became `events`", |o, text| {
        o.log = one_of(text, &[("all", FateLog::All), ("events", FateLog::Events)])?;
        Ok(())
    }),
];
