//! The settings of programs and of policy files, one row each. The checker, the reader of policy
//! files, the flags of the command line and the manual all read this table; none of them knows a
//! key of its own.

use crate::{AddressSet, ExfiltrationMode, NameSet, Policy, PortSet, Ports, PowerSet};
use crafty_value::Duration;

/// A group of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsGroup {
    /// How much.
    Budget,
    /// Local ports.
    Ports,
    /// Who and what.
    Permissions,
}

/// Every section with its name in programs and in policy files.
pub static SECTIONS: &[(SettingsGroup, &str)] = &[
    (SettingsGroup::Budget, "BUDGET"),
    (SettingsGroup::Ports, "PORTS"),
    (SettingsGroup::Permissions, "PERMISSIONS"),
];

/// The type of a setting's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// A duration.
    Duration,
    /// A whole number, zero included.
    Count,
    /// A number of bytes.
    Size,
    /// A list of addresses and nets, with `!` for exclusions.
    Addresses,
    /// A list of ports and `[low, high]` ranges.
    Ports,
    /// A group with the keys `tcp` and `udp`, each a list of ports; a key left out is an empty
    /// list.
    PortGroup,
    /// A list of names.
    Names,
    /// A list of powers.
    Powers,
    /// `none`, `false` or `true`.
    Mode,
}

/// A value for a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// For `SettingKind::Duration`.
    Duration(Duration),
    /// For `SettingKind::Count` and `SettingKind::Size`.
    Number(u64),
    /// For `SettingKind::Addresses`.
    Addresses(AddressSet),
    /// For `SettingKind::Ports`.
    Ports(PortSet),
    /// For `SettingKind::PortGroup`.
    PortGroup(Ports),
    /// For `SettingKind::Names`.
    Names(NameSet),
    /// For `SettingKind::Powers`.
    Powers(PowerSet),
    /// For `SettingKind::Mode`.
    Mode(ExfiltrationMode),
}

/// Who may state a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatedBy {
    /// Programs, and every layer of the operator's policy.
    Anybody,
    /// Every layer of the operator's policy.
    Operator,
    /// Only root's policy file: a later layer could widen it, or is another's on each run.
    Root,
}

/// What a setting is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingScope {
    /// What one run may do: part of what is approved.
    Run,
    /// Which runs may begin on this host.
    Host,
}

/// One setting.
#[derive(Debug)]
pub struct Setting {
    /// Where it is.
    pub section: SettingsGroup,
    /// Its key.
    pub key: &'static str,
    /// The type of its value.
    pub kind: SettingKind,
    /// Who may state it.
    pub stated_by: StatedBy,
    /// Whether one run has it, or all runs of the host.
    pub scope: SettingScope,
    /// What it means, in one sentence.
    pub doc: &'static str,
    /// What a program has that leaves it out, as text.
    pub default: &'static str,
    write: fn(&mut Policy, Given) -> bool,
    read: fn(&Policy) -> Given,
}

impl Setting {
    /// Writes `given` into `policy`; false if it is of another type.
    #[must_use]
    pub fn write(&self, policy: &mut Policy, given: Given) -> bool {
        (self.write)(policy, given)
    }

    /// The value that `policy` has.
    pub fn read(&self, policy: &Policy) -> Given {
        (self.read)(policy)
    }
}

/// The setting of that section and key.
pub fn setting(section: SettingsGroup, key: &str) -> Option<&'static Setting> {
    SETTINGS
        .iter()
        .find(|setting| setting.section == section && setting.key == key)
}

macro_rules! setting {
    ($section:ident $key:literal $kind:ident $default:literal $doc:literal $given:ident $($field:ident).+) => {
        Setting {
            section: SettingsGroup::$section,
            key: $key,
            kind: SettingKind::$kind,
            stated_by: StatedBy::Anybody,
            scope: SettingScope::Run,
            doc: $doc,
            default: $default,
            write: |policy, given| match given {
                Given::$given(value) => {
                    policy.$($field).+ = value.into();
                    true
                }
                _ => false,
            },
            read: |policy| Given::$given(policy.$($field).+.clone().into()),
        }
    };
}

macro_rules! host_quota {
    ($key:literal $kind:ident $doc:literal $($field:ident).+) => {
        Setting {
            stated_by: StatedBy::Root,
            scope: SettingScope::Host,
            ..setting!(Budget $key $kind "no limit" $doc Number $($field).+)
        }
    };
}

/// Every setting, in the order of the manual.
pub static SETTINGS: &[Setting] = &[
    setting!(Budget "max_duration" Duration "60s" "time after the start when sending stops" Duration budget.max_duration),
    setting!(Budget "max_packets" Count "1000" "frames in total, including automatic ones" Number budget.max_packets),
    setting!(Budget "max_packets_per_secs" Count "100" "frames in any second" Number budget.max_packets_per_secs),
    setting!(Budget "max_bytes" Size "1MB" "bytes in total, including link headers" Number budget.max_bytes),
    setting!(Budget "max_bytes_per_secs" Size "max_bytes" "bytes in any second" Number budget.max_bytes_per_secs),
    setting!(Budget "max_syns" Count "20" "frames in total with SYN (a server's SYN-ACK too), SCTP INIT or QUIC Initial" Number budget.max_syns),
    setting!(Budget "max_syns_per_secs" Count "5" "such frames in any second" Number budget.max_syns_per_secs),
    setting!(Budget "spoofed_syns" Count "0" "such frames in total from addresses that are not the host's" Number budget.spoofed_syns),
    setting!(Budget "max_destinations" Count "256" "different destination addresses" Number budget.max_destinations),
    host_quota!("max_packets_per_hour" Count "frames of all runs of a user together, in any 60 minutes" host_quotas.hour.packets),
    host_quota!("max_bytes_per_hour" Size "bytes of all runs of a user together, in any 60 minutes" host_quotas.hour.bytes),
    host_quota!("max_syns_per_hour" Count "frames that open a connection of all runs of a user together, in any 60 minutes" host_quotas.hour.syns),
    host_quota!("max_packets_per_day" Count "frames of all runs of a user together, in any 24 hours" host_quotas.day.packets),
    host_quota!("max_bytes_per_day" Size "bytes of all runs of a user together, in any 24 hours" host_quotas.day.bytes),
    host_quota!("max_syns_per_day" Count "frames that open a connection of all runs of a user together, in any 24 hours" host_quotas.day.syns),
    setting!(Ports "tcp" Ports "[]" "local TCP ports that the program owns" Ports ports.tcp),
    setting!(Ports "udp" Ports "[]" "local UDP ports that the program owns" Ports ports.udp),
    setting!(Ports "icmp" Ports "[]" "ICMP echo identifiers that the program owns" Ports ports.icmp),
    setting!(Permissions "destinations" Addresses "[]" "addresses that may be sent to and received from" Addresses destinations),
    Setting {
        section: SettingsGroup::Permissions,
        key: "destination_ports",
        kind: SettingKind::PortGroup,
        stated_by: StatedBy::Anybody,
        scope: SettingScope::Run,
        doc: "their TCP and UDP ports; if given, all other ports are denied",
        default: "any",
        write: |policy, given| match given {
            Given::PortGroup(ports) => {
                policy.destination_ports = Some(Ports {
                    icmp: PortSet::none(),
                    ..ports
                });
                true
            }
            _ => false,
        },
        read: |policy| {
            let any = || Ports {
                tcp: PortSet::all(),
                udp: PortSet::all(),
                icmp: PortSet::none(),
            };
            Given::PortGroup(policy.destination_ports.clone().unwrap_or_else(any))
        },
    },
    setting!(Permissions "sources" Addresses "[]" "source addresses other than the host's own (spoofing)" Addresses sources),
    setting!(Permissions "interfaces" Names "any" "interfaces that frames may be sent on" Names interfaces),
    setting!(Permissions "powers" Powers "[]" "abilities that ordinary probing does not need" Powers powers),
    Setting {
        section: SettingsGroup::Permissions,
        key: "observe",
        kind: SettingKind::Addresses,
        stated_by: StatedBy::Anybody,
        scope: SettingScope::Run,
        doc: "whose traffic the power `observe` shows",
        default: "anybody's",
        write: |policy, given| match given {
            Given::Addresses(set) => {
                policy.observe = Some(set);
                true
            }
            _ => false,
        },
        read: |policy| Given::Addresses(policy.observe.clone().unwrap_or_else(AddressSet::all)),
    },
    setting!(Permissions "exfiltration" Mode "false" "which received data may reach or influence what is sent" Mode exfiltration),
    setting!(Permissions "max_leak_bits" Count "no limit" "bits in total that reactions may reveal" Number max_leak_bits),
    Setting {
        stated_by: StatedBy::Operator,
        scope: SettingScope::Host,
        ..setting!(Permissions "require_approval" Names "nobody" "public keys of those who approve: a run on a real network needs an approval that one of them signed" Names require_approval)
    },
    Setting {
        stated_by: StatedBy::Root,
        ..setting!(Permissions "opened" Addresses "[]" "exceptions to the addresses that are never destinations (the host's own, loopback, metadata services)" Addresses opened)
    },
];
