//! The most and the least that a program can do, computed before it runs: packets, SYNs, bytes,
//! time, statements. The main program's worst case is reserved in the budget first, so that nothing
//! received can use it up.

mod amount;
mod count;
mod executions;
mod known;

pub use amount::Amount;
pub use executions::{Executions, executions, executions_of};
pub(crate) use known::{KnownValues, KnownVariables};

use crate::check::Bindings;
use crate::diagnostics::{endless_work, over_budget, over_rate, waits_too_long, worst_over_budget};
use crate::ir::{Program, Span};
use crate::labels::SendCertainty;
use crate::traffic::known_destinations;
use crafty_policy::{Budget, ExfiltrationMode, Policy, Power, SettingsGroup};
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::Duration;

/// Statements that the main program may run without waiting, and a handler in one run.
const MOST_STATEMENTS: (u64, u64) = (100_000_000, 1_000_000);

/// What a program can do.
#[derive(Clone, Debug, Default)]
pub struct Worst {
    /// The least and the most that the main program sends.
    pub main: Amount,
    /// The most that one run of each handler sends, with where it is.
    pub handlers: Vec<(Span, Amount)>,
    /// Where it takes hold of what its stacks send by themselves (`on out`).
    pub own_segments: Vec<Span>,
    /// Addresses whose neighbours are asked for: those that it is known to send to.
    pub neighbours: u64,
    /// Sends that no bound counts: in loops over containers of unknown length, and into streams.
    pub uncounted: bool,
}

/// How often an address of the link is asked for before it counts as not there; the stack's number.
pub const NEIGHBOUR_TRIES: u64 = 3;

/// Bytes of the frame that asks: of ARP, and of ND for IPv6 (RFC 4861 §4.3), the longer.
pub const QUESTION: u64 = 14 + 40 + 32;

impl Worst {
    /// Whether all that the main program sends is sure to find room: its worst case fits, no
    /// amplifier multiplies it, and nothing that reacts to the network shares a second with it.
    /// Under `none` nothing reacts.
    pub fn certainty(&self, policy: &Policy) -> SendCertainty {
        let (main, budget) = (&self.main, &policy.budget);
        let fits = !self.uncounted
            && main.packets.1 <= budget.max_packets
            && main.bytes.1 <= budget.max_bytes
            && main.syns.1 <= budget.max_syns
            && !policy.powers.has(Power::Reflection);
        let reacts =
            !self.own_segments.is_empty() || self.handlers.iter().any(|(_, run)| run.packets.1 > 0);
        match fits && (!reacts || policy.exfiltration == ExfiltrationMode::None) {
            true => SendCertainty::Certain,
            false => SendCertainty::Uncertain,
        }
    }

    /// Frames and bytes that asking for neighbours takes, at most; on a link without addresses it
    /// takes none.
    pub fn questions(&self) -> (u64, u64) {
        let frames = self.neighbours.saturating_mul(NEIGHBOUR_TRIES);
        (frames, frames.saturating_mul(QUESTION))
    }
}

/// Multiplies a program out against its budget.
pub fn worst(program: &Program, bound: &Bindings) -> (Worst, Vec<Occurrence>) {
    let mut counter = count::TrafficCounter::new(program, &bound.values, &bound.policy.budget);
    let main = counter.block(&program.body);
    let mut reports = std::mem::take(&mut counter.reports);
    let unlimited = counter.unlimited;
    let worst = Worst {
        main,
        handlers: std::mem::take(&mut counter.handlers),
        own_segments: std::mem::take(&mut counter.own_segments),
        neighbours: known_destinations(program, &counter.known) as u64,
        uncounted: counter.uncounted,
    };
    reports.extend(judge(&worst, &bound.policy.budget, program, unlimited));
    reports.extend(
        worst.handlers.iter().filter_map(|(span, amount)| {
            too_much_work(amount.statements, MOST_STATEMENTS.1, *span)
        }),
    );
    (worst, reports)
}

fn too_much_work(statements: u64, most: u64, span: Span) -> Option<Occurrence> {
    (statements > most).then(|| {
        Occurrence::new(
            &endless_work::DIAGNOSTIC,
            span,
            format!("this may run {statements} statements without a wait, and at most {most} are allowed"),
        )
        .help("make the ranges of its loops smaller, or wait between rounds: `every=1ms`")
    })
}

fn judge(worst: &Worst, budget: &Budget, program: &Program, unlimited: bool) -> Vec<Occurrence> {
    let (main, whole) = (&worst.main, program.body.span);
    let rows = [
        ("max_packets", main.packets, budget.max_packets),
        ("max_syns", main.syns, budget.max_syns),
        ("max_bytes", main.bytes, budget.max_bytes),
    ];
    let mut reports: Vec<Occurrence> = rows
        .iter()
        .filter_map(|(key, (least, most), limit)| {
            over(program, key, (*least, *most), *limit, unlimited)
        })
        .collect();
    reports.extend(too_much_work(main.statements, MOST_STATEMENTS.0, whole));
    if main.waits.0 > budget.max_duration.0 {
        let message = format!(
            "the waits of this program add up to {}, but `max_duration` is {}",
            main.waits, budget.max_duration
        );
        let (span, key) = place(program, "max_duration");
        let report = Occurrence::new(&waits_too_long::DIAGNOSTIC, span, message);
        reports.push(fix(
            report,
            key,
            "max_duration",
            format!(
                "{}s",
                main.waits.0.div_euclid(1_000_000_000).saturating_add(1)
            ),
        ));
    }
    reports
}

fn over(
    program: &Program,
    key: &'static str,
    (least, most): (u64, u64),
    limit: u64,
    unlimited: bool,
) -> Option<Occurrence> {
    let (span, known) = place(program, key);
    let what = key.trim_start_matches("max_");
    let report = if least > limit {
        Occurrence::new(
            &over_budget::DIAGNOSTIC,
            span,
            format!(
                "every path through this program sends at least {least} {what}, but `{key}` is {limit}"
            ),
        )
    } else if most > limit {
        let message = format!(
            "this program may send {most} {what}, {} more than `{key}` allows",
            most - limit
        );
        Occurrence::new(&worst_over_budget::DIAGNOSTIC, span, message)
    } else {
        return None;
    };
    // A limit that a longer run would need again is not a fix: the loop is.
    match unlimited && least <= limit {
        true => Some(report.help("a loop without `count` counts as `max_duration / every` rounds: give it `count=` or `for=`")),
        false => Some(fix(report, known, key, most.to_string())),
    }
}

/// Where a key of BUDGET stands; where it would, after the last key; or the start of the program.
fn place(program: &Program, key: &str) -> (Span, Standing) {
    let of_budget = || {
        program
            .settings
            .iter()
            .filter(|e| e.setting.section == SettingsGroup::Budget)
    };
    match (
        of_budget().find(|e| e.setting.key == key),
        of_budget().map(|e| e.span).max_by_key(|s| s.end),
    ) {
        (Some(entry), _) => (entry.span, Standing::Key),
        (None, Some(last)) => (last, Standing::Group),
        (None, None) => (Span::default(), Standing::Nothing),
    }
}

/// What part of a setting is in the program.
#[derive(Clone, Copy)]
enum Standing {
    /// The key itself.
    Key,
    /// Its section; the place is that of the section's last key.
    Group,
    /// Nothing.
    Nothing,
}

fn fix(report: Occurrence, standing: Standing, key: &str, value: String) -> Occurrence {
    let span = report.span;
    match standing {
        Standing::Key => report.suggest(format!("raise `{key}`"), span, format!("{key}: {value}")),
        Standing::Group => {
            let end = Span {
                start: span.end,
                end: span.end,
            };
            report.suggest(format!("declare `{key}`"), end, format!(", {key}: {value}"))
        }
        Standing::Nothing => report.help(format!("declare it: `BUDGET = {{ {key}: {value} }}`")),
    }
}

/// A loop that sends faster than the budget allows a second.
fn over_rate_report(
    span: Span,
    sent: u64,
    limit: u64,
    every: Option<Duration>,
) -> Option<Occurrence> {
    if sent <= limit {
        return None;
    }
    let slower = 1_000_000_000u64.div_ceil(limit.max(1)).div_ceil(1_000_000);
    let pace = every.map_or_else(|| "without a pause".into(), |e| format!("every {e}"));
    let message = format!(
        "this loop sends {sent} packets per second ({pace}), but `max_packets_per_secs` is {limit}"
    );
    Some(
        Occurrence::new(&over_rate::DIAGNOSTIC, span, message).help(format!(
            "slow it down with `every={slower}ms`, or raise `max_packets_per_secs`"
        )),
    )
}
