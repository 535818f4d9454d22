//! A round: five tickets, one after another, for at most half an hour; and what each of them cost.

use crate::desk::since;
use crate::diagnosis::{CallProblem, Diagnosis};
use crate::error::BenchError;
use crate::network::form;
use crate::score::score;
use crate::ticket::{Case, Working, plan};
use crate::toolset::ToolSet;
use crafty_net::monotonic;
use crafty_portals::EpisodeRecording;
use crafty_sim::tickets;
use crafty_value::{Direction, Time};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// Tickets of a round.
const TICKETS: usize = 5;
/// How long a round may take.
const LASTS: Duration = Duration::from_secs(30 * 60);
/// How long a command may take, unless less is asked for.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a round is about.
#[derive(Clone, Debug)]
pub struct RoundPlan {
    /// The network; it must have tickets.
    pub network: String,
    /// Chooses the tickets, and fixes the chance in the network: the same for all candidates of a
    /// comparison.
    pub seed: u64,
    /// What the candidate is called in the results.
    pub candidate: String,
    /// Its tools.
    pub tools: &'static ToolSet,
    /// The folder that `build` made of them.
    pub root: PathBuf,
    /// A new folder for the record.
    pub folder: PathBuf,
}

/// What is counted while a ticket is open.
#[derive(Clone, Debug, Default)]
struct TicketCost {
    calls: u64,
    /// Bytes of commands and programs.
    said: usize,
    /// Bytes of what came back.
    heard: usize,
    /// Bytes and seconds spent on manuals and on looking for tools: recorded, not counted.
    reading: usize,
    reading_seconds: f64,
}

struct Open {
    case: Case,
    working: Working,
    since: Time,
    cost: TicketCost,
    free_text: Option<String>,
}

/// A round at work.
pub(crate) struct Round {
    plan: RoundPlan,
    cases: Vec<Case>,
    begun: Time,
    open: Option<Open>,
    closed: Vec<Value>,
    next: usize,
}

impl Round {
    /// Chooses the tickets and makes the folder.
    pub fn begin(plan: RoundPlan) -> Result<Round, BenchError> {
        let cases = chosen(&plan.network, plan.seed)?;
        fs::create_dir(&plan.folder).map_err(BenchError::file(&plan.folder))?;
        Ok(Round {
            plan,
            cases,
            begun: monotonic(),
            open: None,
            closed: Vec::new(),
            next: 0,
        })
    }

    /// Whether the candidate has `run_program`.
    pub fn has_crafty(&self) -> bool {
        self.plan.tools.has_crafty
    }

    /// Opens the next ticket. One that is open is closed without a diagnosis.
    pub fn next_ticket(&mut self) -> Result<Value, BenchError> {
        if let Some(open) = self.open.take() {
            self.close(open, None)?;
        }
        let left = LASTS.saturating_sub(since(self.begun));
        let Some(case) = self
            .cases
            .get(self.next)
            .cloned()
            .filter(|_| !left.is_zero())
        else {
            return Ok(json!({ "over": true, "closed": self.closed.len() }));
        };
        self.next += 1;
        let folder = self.plan.folder.join(format!("ticket-{}", self.next));
        let working = Working::open(
            &self.plan.network,
            self.plan.seed,
            &case,
            &self.plan.root,
            &folder,
        )?;
        let told = json!({
            "ticket": self.next,
            "of": self.cases.len(),
            "portal": case.ticket.portal,
            "complaint": case.ticket.complaint,
            "portals": working.portals(),
            "seconds_left": left.as_secs(),
        });
        self.open = Some(Open {
            case,
            working,
            since: monotonic(),
            cost: TicketCost::default(),
            free_text: None,
        });
        Ok(told)
    }

    /// Runs a command in a portal.
    pub fn exec(
        &mut self,
        portal: &str,
        line: &str,
        input: &[u8],
        seconds: Option<u64>,
    ) -> Result<Value, CallProblem> {
        let left = LASTS.saturating_sub(since(self.begun));
        let open = self
            .open
            .as_mut()
            .ok_or_else(|| CallProblem("no ticket is open: call `next_ticket`".into()))?;
        if left.is_zero() {
            return Err(CallProblem(
                "the half hour of this round is over: submit what you know, then leave".into(),
            ));
        }
        let room = open.working.room(portal).ok_or_else(|| {
            CallProblem(format!(
                "there is no portal `{portal}`; there are {}",
                open.working.portals().join(", ")
            ))
        })?;
        let patience = seconds
            .map_or(PATIENCE, Duration::from_secs)
            .min(PATIENCE)
            .min(left);
        let done = room
            .run(line, input, patience)
            .map_err(|it| CallProblem(format!("the command did not start: {it}")))?;
        open.cost.calls += 1;
        match is_reading(line) {
            true => {
                open.cost.reading += line.len() + done.output.len();
                open.cost.reading_seconds += done.took.as_secs_f64();
            }
            false => {
                open.cost.said += line.len() + input.len();
                open.cost.heard += done.output.len();
            }
        }
        Ok(json!({
            "output": done.output,
            "status": done.status,
            "cut_bytes": done.said.saturating_sub(done.output.len()),
            "killed_after_seconds": done.late.then_some(patience.as_secs()),
        }))
    }

    /// The first step freezes the free text and shows the form; the second closes the ticket.
    pub fn submit(&mut self, given: &Map<String, Value>) -> Result<Value, CallProblem> {
        let open = self
            .open
            .as_mut()
            .ok_or_else(|| CallProblem("no ticket is open: call `next_ticket`".into()))?;
        if open.free_text.is_none() {
            let text = given
                .get("diagnosis")
                .and_then(Value::as_str)
                .filter(|it| !it.trim().is_empty());
            let text = text.ok_or_else(|| CallProblem("first submit {\"diagnosis\": \"...\"}: what is wrong, where, how much and why you think so, in your words".into()))?;
            open.free_text = Some(text.to_string());
            let plan = plan(&self.plan.network, self.plan.seed, &open.case);
            let lab = plan.build().map_err(|it| CallProblem(it.to_string()))?;
            return Ok(
                json!({ "frozen": true, "now": "submit {where, what, how_much, evidence, fix} with names of this form", "form": form(&lab) }),
            );
        }
        let diagnosis = Diagnosis::read(given)?;
        if let Some(open) = self.open.take() {
            self.close(open, Some(diagnosis))
                .map_err(|it| CallProblem(it.to_string()))?;
        }
        Ok(json!({ "closed": self.closed.len(), "left": self.cases.len() - self.next }))
    }

    fn close(&mut self, open: Open, diagnosis: Option<Diagnosis>) -> Result<(), BenchError> {
        let seconds = since(open.since).as_secs_f64() - open.cost.reading_seconds;
        let folder = open.working.folder.clone();
        let portals = open.working.portals();
        let report = open.working.end()?;
        let recording = EpisodeRecording::open(&folder)?;
        let elements = plan(&self.plan.network, self.plan.seed, &open.case)
            .build()?
            .elements();
        let given = diagnosis.clone().unwrap_or_default();
        let score = score(&open.case, &given, &elements, &recording.frames, &portals);
        let sent: Vec<_> = recording
            .frames
            .iter()
            .filter(|it| it.direction == Some(Direction::Outbound))
            .collect();
        let cost = &open.cost;
        self.closed.push(json!({
            "ticket": open.case.ticket.id,
            "answered": diagnosis.is_some(),
            "valid": report.valid,
            "seconds": seconds,
            "calls": cost.calls,
            "bytes": cost.said + cost.heard,
            "reading_bytes": cost.reading,
            "packets": sent.len(),
            "packet_bytes": sent.iter().map(|it| it.wire_len).sum::<usize>(),
            "free_text": open.free_text,
            "diagnosis": given.to_json(),
            "truth": { "where": open.case.truth.location, "faults": open.case.truth.faults, "how_much": open.case.truth.measure },
            "score": score.to_json(),
        }));
        self.write()
    }

    /// Closes what is open, and writes the record for the last time.
    pub fn end(&mut self) -> Result<(), BenchError> {
        match self.open.take() {
            Some(open) => self.close(open, None),
            None => self.write(),
        }
    }

    fn write(&self) -> Result<(), BenchError> {
        let path = self.plan.folder.join("run.json");
        let record = json!({
            "candidate": self.plan.candidate,
            "tools": self.plan.tools.name,
            "network": self.plan.network,
            "seed": self.plan.seed,
            "tickets_of_round": self.cases.iter().map(|it| it.ticket.id).collect::<Vec<_>>(),
            "tickets": self.closed,
        });
        let text = serde_json::to_string_pretty(&record).unwrap_or_default();
        fs::write(&path, text + "\n").map_err(BenchError::file(path))
    }
}

/// Whether a command only reads a manual or looks for tools. A line that could do anything else beside
/// it is work: what is not counted must not carry what is.
fn is_reading(line: &str) -> bool {
    let mut parts = line.trim().split('|').map(str::trim);
    let first = parts.next().unwrap_or_default();
    let cuts = |part: &str| ["head", "tail", "grep", "wc"].contains(&word(part, 0));
    let is_plain = |part: &str| !part.contains([';', '&', '$', '`', '<', '>', '\n']);
    parts.all(|part| cuts(part) && is_plain(part))
        && (is_python_help(first) || (is_plain(first) && asks(first)))
}

fn word(line: &str, number: usize) -> &str {
    line.split_whitespace().nth(number).unwrap_or_default()
}

fn asks(line: &str) -> bool {
    let crafty = ["manual", "explain", "examples", "help", "schema", "--help"];
    let looks = ["which", "ls", "type", "man", "help"];
    (word(line, 0) == "crafty" && crafty.contains(&word(line, 1)))
        || looks.contains(&word(line, 0))
        || line.starts_with("command -v ")
        || line.ends_with(" --help")
}

/// `python3 -c` with one question to its help or to Scapy's lists, and nothing else.
fn is_python_help(line: &str) -> bool {
    let code = line.strip_prefix("python3 -c ").unwrap_or_default();
    let code = code.trim_matches(['\'', '"']);
    let code = code
        .strip_prefix("from scapy.all import *;")
        .unwrap_or(code);
    let question = code
        .trim()
        .strip_suffix(')')
        .and_then(|it| it.split_once('('));
    question.is_some_and(|(name, of)| {
        let is_name = of.chars().all(|c| c.is_alphanumeric() || "._".contains(c));
        ["help", "ls", "lsc"].contains(&name) && is_name
    })
}

/// A number below `limit`: SplitMix64 (Steele, Lea and Flood, 2014).
pub(crate) fn draw(state: &mut u64, limit: usize) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = *state;
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((word ^ (word >> 31)) % limit as u64) as usize
}

/// Five tickets of a network by the seed: at least one is of a healthy network.
fn chosen(network: &str, seed: u64) -> Result<Vec<Case>, BenchError> {
    let (tickets, truths) = tickets(network).map_err(|it| BenchError::Network(it.to_string()))?;
    let cases = tickets.into_iter().filter_map(|ticket| {
        let truth = truths.iter().find(|it| it.id == ticket.id)?.clone();
        Some(Case { ticket, truth })
    });
    let (mut healthy, mut faulty): (Vec<Case>, Vec<Case>) =
        cases.partition(|it| it.truth.faults.is_empty());
    if healthy.is_empty() || faulty.len() < TICKETS - 1 {
        return Err(BenchError::Network(format!(
            "the network `{network}` has too few tickets; `acme` has enough"
        )));
    }
    let mut state = seed;
    let mut draw_from = |from: &mut Vec<Case>| {
        let number = draw(&mut state, from.len());
        from.swap_remove(number)
    };
    let mut cases: Vec<Case> = (0..TICKETS - 1).map(|_| draw_from(&mut faulty)).collect();
    let place = seed as usize % TICKETS;
    cases.insert(place, draw_from(&mut healthy));
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_differ_by_seed_and_have_one_healthy_network() {
        let ids = |seed| -> Vec<u32> {
            chosen("acme", seed)
                .unwrap()
                .iter()
                .map(|it| it.ticket.id)
                .collect()
        };
        assert_eq!(ids(1), ids(1));
        assert_ne!(ids(1), ids(2));
        for seed in 0..50 {
            let cases = chosen("acme", seed).unwrap();
            let healthy = cases.iter().filter(|it| it.truth.faults.is_empty()).count();
            let different: std::collections::BTreeSet<u32> = ids(seed).into_iter().collect();
            assert_eq!(
                (cases.len(), healthy, different.len()),
                (TICKETS, 1, TICKETS)
            );
        }
        assert!(chosen("demo", 1).is_err());
    }

    #[test]
    fn reading_is_told_from_work() {
        for line in [
            "crafty manual",
            "crafty examples dhcp",
            "which ping",
            "ls /usr/bin",
            "crafty run --help",
            "python3 -c 'help(print)'",
            "python3 -c 'from scapy.all import *; ls(IP)' | head -40",
            "crafty manual | grep -n ask | head",
        ] {
            assert!(is_reading(line), "{line}");
        }
        for line in [
            "crafty run x.crafty",
            "ping -c 1 10.0.0.1",
            "python3 -c 'print(1)'",
            "ls; ping -c 1 10.0.0.1",
            "ls && ping -c 1 10.0.0.1",
            "ls $(ping -c 1 10.0.0.1)",
            "crafty manual | sh",
            "ls | head; ping -c 1 10.0.0.1",
            "ping -c 1 10.0.0.1; which --help",
            "python3 -c 'help(send(IP()))'",
            "python3 -c 'from scapy.all import *; send(IP()); help(IP)'",
        ] {
            assert!(!is_reading(line), "{line}");
        }
    }
}
