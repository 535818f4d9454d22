//! The first lines of a program: every setting of the table, now and then.

use super::WideWriter;
use crafty_policy::{ExfiltrationMode, POWERS, SECTIONS, SETTINGS, Setting, StatedBy};

/// Text for a setting that lets a program run.
fn value(setting: &Setting, mode: ExfiltrationMode) -> String {
    let fixed = match setting.key {
        "max_duration" => "2s",
        "max_packets" | "max_packets_per_secs" => "4000",
        "max_bytes" | "max_bytes_per_secs" => "1MB",
        "max_syns" | "max_syns_per_secs" => "20",
        "spoofed_syns" => "5",
        "max_destinations" => "500",
        "tcp" => "[[1, 65535]]",
        "udp" => "[[1, 65535]]",
        "icmp" => "[7]",
        "destinations" => "[0.0.0.0/0, ::/0]",
        "destination_ports" => "{ tcp: [7, 9, 80], udp: [7, 9, 53] }",
        "sources" => "[host]",
        "interfaces" => "[\"test\"]",
        "observe" => "[10.0.0.2]",
        "max_leak_bits" => "900",
        "exfiltration" => mode.name(),
        _ => "",
    };
    match setting.key {
        "powers" => {
            let all: Vec<&str> = POWERS.iter().map(|power| power.name).collect();
            format!("[{}]", all.join(", "))
        }
        _ => fixed.into(),
    }
}

/// Settings without which most programs cannot run.
const ALWAYS: &[&str] = &[
    "max_duration",
    "max_packets",
    "max_packets_per_secs",
    "max_bytes",
    "max_syns",
    "tcp",
    "udp",
    "icmp",
    "destinations",
    "sources",
    "exfiltration",
];

impl WideWriter<'_> {
    /// Settings, the variables that all parts of a program share, and a packet that is kept.
    pub(super) fn head(&mut self) {
        for (section, name) in SECTIONS {
            let rows = SETTINGS
                .iter()
                .filter(|s| s.section == *section && s.stated_by == StatedBy::Anybody);
            let mut given = Vec::new();
            for setting in rows {
                let often = self.often(setting.key);
                if ALWAYS.contains(&setting.key) || self.dice.percent(often) {
                    given.push(format!("{}: {}", setting.key, value(setting, self.mode)));
                }
            }
            self.line(format!("{name} = {{ {} }}", given.join(", ")));
        }
        self.line("param extra = 3");
        for (name, _, first) in super::terms::variables() {
            self.line(format!("{name} = {first}"));
            self.line(format!("{name} := {name}"));
        }
        let payload = self.dice.one(&["\"p\"", "#00 * 700", "b"]);
        self.line(format!(
            "p = /IP(dst=10.0.0.2)/UDP(src=40000, dst=7)/Bytes({payload})"
        ));
    }

    /// How often, in percent, a setting is given that takes much away, or little.
    fn often(&self, key: &str) -> u64 {
        match key {
            "destination_ports" | "max_leak_bits" => 5,
            "powers" => 85,
            _ => 20,
        }
    }
}
