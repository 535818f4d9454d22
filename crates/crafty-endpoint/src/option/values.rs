//! How values are read: what they may be, and what is said of those that they may not.

use super::Wrong;
use crafty_policy::{POWERS, Power};
use std::net::{IpAddr, Ipv4Addr};

pub(super) fn wrong(why: impl Into<String>, fix: impl Into<String>) -> Wrong {
    (why.into(), fix.into())
}

pub(super) fn one_of<T: Copy>(text: &str, rows: &[(&str, T)]) -> Result<T, Wrong> {
    let row = rows.iter().find(|(name, _)| *name == text);
    row.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<String> = rows.iter().map(|(name, _)| format!("`{name}`")).collect();
        wrong(
            format!("`{}` is not a value of it", text.escape_debug()),
            format!("write one of {}", names.join(", ")),
        )
    })
}

pub(super) fn number(text: &str, least: u32, most: u32) -> Result<u32, Wrong> {
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
pub(super) fn interface_name(text: &str) -> Result<String, Wrong> {
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

pub(super) fn near_address(text: &str) -> Result<(IpAddr, Option<u8>), Wrong> {
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
pub(super) fn netmask(text: &str) -> Result<u8, Wrong> {
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

pub(super) fn url(text: &str) -> Result<String, Wrong> {
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

pub(super) fn power(text: &str) -> Result<Power, Wrong> {
    Power::named(text).ok_or_else(|| {
        let names: Vec<&str> = POWERS.iter().map(|row| row.name).collect();
        wrong(
            format!("`{}` is not a power", text.escape_debug()),
            format!("write one of {}", names.join(", ")),
        )
    })
}
