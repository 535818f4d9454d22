//! From the settings of a checked program to a policy, once the params have values. Never meets it
//! with an operator's.

use super::constants::{Fixed, stopped};
use super::sources::HOST;
use crate::diagnostics as d;
use crate::eval::cost::Allowance;
use crate::eval::evaluate;
use crate::ir::{Expr, Program, SettingEntry, SettingValue, Span};
use crafty_policy::{AddressListEntry, AddressSet};
use crafty_policy::{
    ExfiltrationMode, Given, Policy, PortSet, Ports, Power, PowerSet, SettingKind,
};
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::{Duration, Net, Value};
use std::collections::BTreeSet;

/// What a program's settings ask for.
pub(super) fn policy(program: &Program, values: &[Value]) -> Result<Policy, Vec<Occurrence>> {
    let mut policy = Policy::program();
    let mut reports = Vec::new();
    let mut rate_given = false;
    for entry in &program.settings {
        rate_given |= entry.setting.key == "max_bytes_per_secs";
        match (GivenSettings {
            values,
            allowance: Allowance::default(),
        })
        .given(entry)
        {
            Ok(given) if entry.setting.write(&mut policy, given.clone()) => {}
            Ok(_) => reports.push(unfit(entry.span, entry.setting.key)),
            Err(report) => reports.push(*report),
        }
    }
    if !rate_given {
        policy.budget.max_bytes_per_secs = policy.budget.max_bytes;
    }
    if reports.is_empty() {
        Ok(policy)
    } else {
        Err(reports)
    }
}

struct GivenSettings<'v> {
    values: &'v [Value],
    allowance: Allowance,
}

type SettingResult<T> = Result<T, Box<Occurrence>>;

impl GivenSettings<'_> {
    fn given(&self, entry: &SettingEntry) -> SettingResult<Given> {
        let value = &entry.value;
        Ok(match entry.setting.kind {
            SettingKind::Duration => Given::Duration(self.duration(entry)?),
            SettingKind::Count | SettingKind::Size => Given::Number(self.number(entry)?),
            SettingKind::Addresses => Given::Addresses(self.addresses(value, entry)?),
            SettingKind::Ports => Given::Ports(self.ports(value, entry)?),
            SettingKind::PortGroup => Given::PortGroup(self.port_group(value, entry)?),
            SettingKind::Names => Given::Names(Some(self.names(value, entry)?)),
            SettingKind::Powers => Given::Powers(powers(value)),
            SettingKind::Mode => Given::Mode(mode(value)),
        })
    }

    fn value(&self, e: &Expr) -> SettingResult<Value> {
        evaluate(e, &mut Fixed(self.values, &self.allowance))
            .map_err(|stop| Box::new(stopped(e.span, stop)))
    }

    fn scalar(&self, entry: &SettingEntry) -> SettingResult<Value> {
        match &entry.value {
            SettingValue::Scalar(e) => self.value(e),
            _ => Err(Box::new(unfit(entry.span, entry.setting.key))),
        }
    }

    fn duration(&self, entry: &SettingEntry) -> SettingResult<Duration> {
        match self.scalar(entry)? {
            Value::Duration(length) if length.0 >= 0 => Ok(length),
            _ => Err(Box::new(negative(entry))),
        }
    }

    fn number(&self, entry: &SettingEntry) -> SettingResult<u64> {
        match self.scalar(entry)? {
            Value::Int(n) => u64::try_from(n).map_err(|_| Box::new(negative(entry))),
            _ => Err(Box::new(unfit(entry.span, entry.setting.key))),
        }
    }

    fn addresses(&self, value: &SettingValue, entry: &SettingEntry) -> SettingResult<AddressSet> {
        let mut set = AddressSet::none();
        match value {
            SettingValue::List(items, _) => {
                for (excluded, item) in items {
                    for net in self.nets(item, entry)? {
                        set.add(AddressListEntry {
                            net,
                            excluded: *excluded,
                        });
                    }
                }
            }
            other => {
                for net in self.nets(other, entry)? {
                    set.add(AddressListEntry {
                        net,
                        excluded: false,
                    });
                }
            }
        }
        Ok(set)
    }

    /// The networks that an entry of a list names.
    fn nets(&self, item: &SettingValue, entry: &SettingEntry) -> SettingResult<Vec<Net>> {
        let e = match item {
            SettingValue::Scalar(e) => e,
            // The host's own addresses need no grant: the gate always allows them.
            SettingValue::Word(word, _) if word == HOST => return Ok(Vec::new()),
            _ => return Err(Box::new(unfit(entry.span, entry.setting.key))),
        };
        let value = self.value(e)?;
        let values = match &value {
            Value::Array(items) => items.to_vec(),
            one => vec![one.clone()],
        };
        let net = |value| match value {
            Value::Ip(address) => Ok(Net::host(address)),
            Value::Net(net) => Ok(net),
            _ => Err(Box::new(unfit(e.span, entry.setting.key))),
        };
        values.into_iter().map(net).collect()
    }

    fn ports(&self, value: &SettingValue, entry: &SettingEntry) -> SettingResult<PortSet> {
        let mut set = PortSet::none();
        match value {
            SettingValue::List(items, _) => {
                for (_, item) in items {
                    self.add_ports(item, entry, &mut set)?;
                }
            }
            SettingValue::Scalar(e) => {
                let Value::Array(items) = self.value(e)? else {
                    return Err(Box::new(unfit(e.span, entry.setting.key)));
                };
                for item in items.iter() {
                    let port = port(item, e.span)?;
                    set.insert(port, port);
                }
            }
            _ => return Err(Box::new(unfit(entry.span, entry.setting.key))),
        }
        Ok(set)
    }

    fn add_ports(
        &self,
        item: &SettingValue,
        entry: &SettingEntry,
        set: &mut PortSet,
    ) -> SettingResult<()> {
        let one = |e: &Expr| port(&self.value(e)?, e.span);
        match item {
            SettingValue::Scalar(e) => {
                let port = one(e)?;
                set.insert(port, port);
            }
            SettingValue::List(ends, _) => match ends.as_slice() {
                [
                    (_, SettingValue::Scalar(low)),
                    (_, SettingValue::Scalar(high)),
                ] => set.insert(one(low)?, one(high)?),
                _ => return Err(Box::new(unfit(entry.span, entry.setting.key))),
            },
            _ => return Err(Box::new(unfit(entry.span, entry.setting.key))),
        }
        Ok(())
    }

    fn port_group(&self, value: &SettingValue, entry: &SettingEntry) -> SettingResult<Ports> {
        let mut ports = Ports::default();
        let SettingValue::Group(entries) = value else {
            return Err(Box::new(unfit(entry.span, entry.setting.key)));
        };
        for (key, value, _) in entries {
            let set = self.ports(value, entry)?;
            match key.as_str() {
                "tcp" => ports.tcp = set,
                _ => ports.udp = set,
            }
        }
        Ok(ports)
    }

    fn names(&self, value: &SettingValue, entry: &SettingEntry) -> SettingResult<BTreeSet<String>> {
        let SettingValue::List(items, _) = value else {
            return Err(Box::new(unfit(entry.span, entry.setting.key)));
        };
        let mut names = BTreeSet::new();
        for (_, item) in items {
            names.insert(match item {
                SettingValue::Word(word, _) => word.clone(),
                SettingValue::Scalar(e) => match self.value(e)? {
                    Value::Str(name) => name.to_string(),
                    _ => return Err(Box::new(unfit(e.span, entry.setting.key))),
                },
                _ => return Err(Box::new(unfit(entry.span, entry.setting.key))),
            });
        }
        Ok(names)
    }
}

fn powers(value: &SettingValue) -> PowerSet {
    let SettingValue::List(items, _) = value else {
        return PowerSet::NONE;
    };
    let word = |item: &SettingValue| match item {
        SettingValue::Word(word, _) => Power::named(word),
        _ => None,
    };
    items.iter().filter_map(|(_, item)| word(item)).collect()
}

fn mode(value: &SettingValue) -> ExfiltrationMode {
    let SettingValue::Word(word, _) = value else {
        return ExfiltrationMode::False;
    };
    ExfiltrationMode::NAMES
        .iter()
        .find(|(_, name)| name == word)
        .map_or(ExfiltrationMode::False, |(mode, _)| *mode)
}

fn port(value: &Value, span: Span) -> SettingResult<u16> {
    let number = match value {
        Value::Int(n) => u16::try_from(*n).ok(),
        _ => None,
    };
    number.ok_or_else(|| {
        Box::new(Occurrence::new(
            &d::setting_value::DIAGNOSTIC,
            span,
            "a port is a number from 0 to 65535",
        ))
    })
}

fn negative(entry: &SettingEntry) -> Occurrence {
    Occurrence::new(
        &d::setting_value::DIAGNOSTIC,
        entry.span,
        format!(
            "`{}` cannot be negative; zero means none",
            entry.setting.key
        ),
    )
}

fn unfit(span: Span, key: &str) -> Occurrence {
    Occurrence::new(
        &d::setting_value::DIAGNOSTIC,
        span,
        format!("this is not a value for `{key}`"),
    )
}
