//! A finding, as a line and as JSON.

use crafty_findings::{Finding, MAX_EVIDENCE};
use serde_json::{Value, json};

/// A finding as a line for people, without its end.
pub fn finding_line(finding: &Finding) -> String {
    let flow = finding
        .flow
        .as_ref()
        .map_or(String::new(), |flow| format!(" [{flow}]"));
    let more = if finding.evidence.len() < MAX_EVIDENCE {
        ""
    } else {
        ", …"
    };
    let numbers: Vec<String> = finding.evidence.iter().map(u64::to_string).collect();
    format!(
        "{}[{}]: {}{flow}; packets {}{more}",
        finding.severity,
        finding.name,
        finding.sentence,
        numbers.join(", ")
    )
}

/// A finding for machines (`crafty schema finding`).
pub fn finding_json(finding: &Finding) -> Value {
    json!({
        "name": finding.name,
        "severity": finding.severity.to_string(),
        "sentence": finding.sentence,
        "flow": finding.flow,
        "count": finding.count,
        "packets": finding.evidence,
    })
}
