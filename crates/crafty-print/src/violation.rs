//! What the referee found, as a line and as JSON.

use crafty_referee::{VantagePoint, Violation};
use serde_json::{Value, json};

/// A violation for machines, with the keys of a finding.
pub fn violation_json(violation: &Violation) -> Value {
    json!({
        "name": violation.rule,
        "severity": "error",
        "sentence": format!("{}: {}", violation.source, violation.sentence),
        "flow": format!("TCP {} to {}", violation.ends.0, violation.ends.1),
        "count": violation.count,
        "packets": [violation.index],
    })
}

/// A violation as a line for people, as findings have it.
pub fn violation_line(violation: &Violation) -> String {
    format!(
        "error[{}]: {} ({}), {} [TCP {} to {}{}]; first in packet {}",
        violation.rule,
        violation.sentence,
        violation.source,
        match violation.count {
            1 => "once".to_string(),
            n => format!("{n} times"),
        },
        violation.ends.0,
        violation.ends.1,
        match violation.view {
            VantagePoint::AtTheEnd => ", sent from here",
            VantagePoint::FromAfar => "",
        },
        violation.index
    )
}
