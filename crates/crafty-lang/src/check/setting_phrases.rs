//! Phrases for the kinds of settings.

use crafty_policy::SettingKind;

/// What a setting of this kind takes.
pub(super) fn takes(kind: SettingKind) -> &'static str {
    match kind {
        SettingKind::Duration => "a duration",
        SettingKind::Count => "a whole number",
        SettingKind::Size => "a number of bytes",
        SettingKind::Addresses => "a list of addresses and nets",
        SettingKind::Ports => "a list of ports and `[low, high]` ranges",
        SettingKind::PortGroup => "a group of lists of ports",
        SettingKind::Names => "a list of names",
        SettingKind::Powers => "a list of powers",
        SettingKind::Mode => "`none`, `false` or `true`",
    }
}

/// A value of this kind, as a program writes it.
pub(super) fn example(kind: SettingKind) -> &'static str {
    match kind {
        SettingKind::Duration => "60s",
        SettingKind::Count => "100",
        SettingKind::Size => "1MB",
        SettingKind::Addresses => "[192.0.2.0/24, !192.0.2.1]",
        SettingKind::Ports => "[53000, [40000, 40100]]",
        SettingKind::PortGroup => "{ tcp: [80, 443] }",
        SettingKind::Names => "[\"eth0\"]",
        SettingKind::Powers => "[fragments]",
        SettingKind::Mode => "false",
    }
}
