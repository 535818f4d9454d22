//! The options of a layer of a head, as they were given or are by default.

use core::net::IpAddr;
use crafty_lang::ir::DrivenKind;
use crafty_value::{Duration, Value};
use std::collections::BTreeMap;

/// Options by name. What has no default and was not given is absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BlockOptions(BTreeMap<&'static str, Value>);

impl BlockOptions {
    /// The defaults of a layer.
    pub fn defaults(kind: DrivenKind) -> BlockOptions {
        let rows = kind.layer().options.iter();
        BlockOptions(
            rows.filter_map(|row| Some((row.name, row.default_value()?)))
                .collect(),
        )
    }

    /// Sets one.
    pub fn set(&mut self, name: &'static str, value: Value) {
        self.0.insert(name, value);
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    /// A number.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.0.get(name)? {
            Value::Int(n) => Some(*n),
            _ => None,
        }
    }

    /// A number of a port; none where the number is not a port.
    pub fn port(&self, name: &str) -> Option<u16> {
        u16::try_from(self.int(name)?).ok()
    }

    /// An address.
    pub fn address(&self, name: &str) -> Option<IpAddr> {
        match self.0.get(name)? {
            Value::Ip(address) => Some(*address),
            _ => None,
        }
    }

    /// Yes or no.
    pub fn bool(&self, name: &str) -> Option<bool> {
        match self.0.get(name)? {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// Whether it is set to `true`.
    pub fn is_true(&self, name: &str) -> bool {
        self.bool(name) == Some(true)
    }

    /// A duration; zero where there is none.
    pub fn duration(&self, name: &str) -> Duration {
        match self.0.get(name) {
            Some(Value::Duration(duration)) => *duration,
            _ => Duration::ZERO,
        }
    }

    /// A string.
    pub fn text(&self, name: &str) -> Option<String> {
        match self.0.get(name)? {
            Value::Str(text) => Some(text.to_string()),
            _ => None,
        }
    }

    /// The strings of a list; none where there is no list.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let Some(Value::Array(items)) = self.0.get(name) else {
            return Vec::new();
        };
        let texts = items.iter().filter_map(|item| match item {
            Value::Str(text) => Some(text.to_string()),
            _ => None,
        });
        texts.collect()
    }

    /// Bytes; none where there are none.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        match self.0.get(name) {
            Some(Value::Bytes(bytes)) => bytes.to_vec(),
            _ => Vec::new(),
        }
    }
}
