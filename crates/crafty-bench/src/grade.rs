//! Results of several runs side by side: quality, time and size from 0 to 10, with intervals.

use crate::error::BenchError;
use crate::round::draw;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// How often the runs are drawn again for an interval.
const RESAMPLES: usize = 2000;

/// A ticket as a candidate closed it.
#[derive(Clone, Debug)]
struct ClosedTicket {
    key: (String, u64, u64),
    quality: f64,
    seconds: f64,
    bytes: f64,
    packets: f64,
    /// The network kept its time: if not, what was measured in it means nothing.
    valid: bool,
}

/// A line of the table: a set of tools.
#[derive(Clone, Debug, PartialEq)]
pub struct Graded {
    /// The tools.
    pub tools: String,
    /// Runs, and tickets in all.
    pub runs: usize,
    /// Tickets in all.
    pub tickets: usize,
    /// Tickets that are left out, because the network did not keep its time.
    pub invalid: usize,
    /// Mean and interval of 95 % of each score, 0 to 10.
    pub quality: Interval,
    /// Time: the best of the same ticket over this one's, times the quality.
    pub time: Interval,
    /// Size likewise, in bytes of what was said and heard.
    pub size: Interval,
    /// Packets that were sent, for each ticket.
    pub packets: f64,
}

/// A mean with the interval in which 95 % of means of redrawn tickets lie.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Reads the records of runs and grades them side by side. Time and size compare tickets that several
/// runs closed.
///
/// # Errors
/// A folder without a record.
pub fn grade(folders: &[PathBuf]) -> Result<Vec<Graded>, BenchError> {
    let mut runs: BTreeMap<String, Vec<Vec<ClosedTicket>>> = BTreeMap::new();
    for folder in folders {
        let (tools, closed) = read(folder)?;
        runs.entry(tools).or_default().push(closed);
    }
    let all: Vec<ClosedTicket> = runs.values().flatten().flatten().cloned().collect();
    Ok(runs
        .into_iter()
        .map(|(tools, runs)| graded(tools, &runs, &all))
        .collect())
}

fn read(folder: &Path) -> Result<(String, Vec<ClosedTicket>), BenchError> {
    let path = folder.join("run.json");
    let wrong = |what: &str| BenchError::File {
        path: path.clone(),
        what: what.into(),
    };
    let text = fs::read_to_string(&path).map_err(BenchError::file(&path))?;
    let record: Value = serde_json::from_str(&text).map_err(|it| wrong(&it.to_string()))?;
    let tools = record["tools"]
        .as_str()
        .ok_or_else(|| wrong("`tools` is missing"))?;
    let network = record["network"].as_str().unwrap_or_default().to_string();
    let seed = record["seed"].as_u64().unwrap_or_default();
    let tickets = record["tickets"]
        .as_array()
        .ok_or_else(|| wrong("`tickets` is missing"))?;
    let closed = tickets.iter().map(|it| ClosedTicket {
        key: (
            network.clone(),
            seed,
            it["ticket"].as_u64().unwrap_or_default(),
        ),
        quality: it["score"]["quality"].as_f64().unwrap_or_default(),
        seconds: it["seconds"].as_f64().unwrap_or(f64::MAX).max(1.0),
        bytes: it["bytes"].as_f64().unwrap_or(f64::MAX).max(1.0),
        packets: it["packets"].as_f64().unwrap_or_default(),
        valid: it["valid"] == true,
    });
    let mut closed: Vec<ClosedTicket> = closed.collect();
    // Tickets that were never reached count as not answered.
    let of_round = record["tickets_of_round"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    for ticket in of_round.iter().filter_map(Value::as_u64) {
        let key = (network.clone(), seed, ticket);
        if !closed.iter().any(|it| it.key == key) {
            closed.push(ClosedTicket {
                key,
                quality: 0.0,
                seconds: 1.0,
                bytes: 1.0,
                packets: 0.0,
                valid: true,
            });
        }
    }
    Ok((tools.to_string(), closed))
}

fn graded(tools: String, runs: &[Vec<ClosedTicket>], all: &[ClosedTicket]) -> Graded {
    let (tickets, invalid): (Vec<&ClosedTicket>, Vec<&ClosedTicket>) =
        runs.iter().flatten().partition(|it| it.valid);
    // The best of the same ticket among those that found something out.
    let best = |one: &ClosedTicket, of: fn(&ClosedTicket) -> f64| {
        let same = all
            .iter()
            .filter(|it| it.valid && it.key == one.key && it.quality >= 5.0);
        same.map(of).fold(f64::INFINITY, f64::min)
    };
    let ratio = |one: &ClosedTicket, of: fn(&ClosedTicket) -> f64| match best(one, of) {
        best if best.is_finite() && one.quality > 0.0 => (best / of(one)).min(1.0) * one.quality,
        _ => 0.0,
    };
    let each = |score: &dyn Fn(&ClosedTicket) -> f64| {
        interval(&tickets.iter().map(|it| score(it)).collect::<Vec<f64>>())
    };
    Graded {
        quality: each(&|it| it.quality),
        time: each(&|it| ratio(it, |it| it.seconds)),
        size: each(&|it| ratio(it, |it| it.bytes)),
        packets: tickets.iter().map(|it| it.packets).sum::<f64>() / tickets.len().max(1) as f64,
        runs: runs.len(),
        tickets: tickets.len(),
        invalid: invalid.len(),
        tools,
    }
}

/// The bootstrap: the same values drawn with replacement, again and again.
fn interval(values: &[f64]) -> Interval {
    if values.is_empty() {
        return Interval::default();
    }
    let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>();
    let count = values.len();
    let mut state = 1;
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| mean(&mut (0..count).map(|_| values[draw(&mut state, count)])) / count as f64)
        .collect();
    means.sort_by(f64::total_cmp);
    Interval {
        mean: mean(&mut values.iter().copied()) / count as f64,
        low: means[RESAMPLES / 40],
        high: means[RESAMPLES - 1 - RESAMPLES / 40],
    }
}

impl Graded {
    /// As JSON.
    pub fn to_json(&self) -> Value {
        let interval = |it: Interval| json!({ "mean": it.mean, "low": it.low, "high": it.high });
        json!({
            "tools": self.tools, "runs": self.runs, "tickets": self.tickets, "invalid": self.invalid, "quality": interval(self.quality),
            "time": interval(self.time), "size": interval(self.size), "packets": self.packets,
        })
    }
}

/// The table as text.
pub fn table(rows: &[Graded]) -> String {
    let cell = |it: Interval| format!("{:.1} ({:.1} to {:.1})", it.mean, it.low, it.high);
    let mut text = format!(
        "{:<10} {:>4} {:>7}  {:<20} {:<20} {:<20} {}\n",
        "tools", "runs", "tickets", "quality", "time", "size", "packets"
    );
    for row in rows {
        text += &format!(
            "{:<10} {:>4} {:>7}  {:<20} {:<20} {:<20} {:.0}\n",
            row.tools,
            row.runs,
            row.tickets,
            cell(row.quality),
            cell(row.time),
            cell(row.size),
            row.packets
        );
    }
    for row in rows.iter().filter(|it| it.invalid > 0) {
        text += &format!(
            "{}: {} more left out: the network did not keep its time, run them again on a quieter host\n",
            row.tools, row.invalid
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(ticket: u64, quality: f64, seconds: f64) -> ClosedTicket {
        ClosedTicket {
            key: ("acme".into(), 1, ticket),
            quality,
            seconds,
            bytes: 100.0,
            packets: 3.0,
            valid: true,
        }
    }

    #[test]
    fn what_was_measured_in_a_late_network_is_left_out_and_told() {
        let late = ClosedTicket {
            valid: false,
            ..closed(1, 10.0, 1.0)
        };
        let all = vec![closed(1, 10.0, 60.0), late];
        let it = graded("it".into(), std::slice::from_ref(&all), &all);
        assert_eq!((it.tickets, it.invalid, it.time.mean), (1, 1, 10.0));
        assert!(table(&[it]).contains("it: 1 more left out"));
    }

    #[test]
    fn the_fastest_right_answer_has_full_time_and_a_wrong_one_none() {
        let all = vec![
            closed(1, 10.0, 60.0),
            closed(1, 10.0, 120.0),
            closed(1, 0.0, 1.0),
            closed(1, 4.0, 2.0),
        ];
        let time = |one: usize| {
            graded("it".into(), &[vec![all[one].clone()]], &all)
                .time
                .mean
        };
        assert_eq!((time(0), time(1), time(2)), (10.0, 5.0, 0.0));
        // Faster than the best right answer, but not right: no better than the best.
        assert_eq!(time(3), 4.0);
    }

    #[test]
    fn an_interval_holds_the_mean_and_narrows_with_more_values() {
        let values: Vec<f64> = (0..40).map(|it| f64::from(it % 10)).collect();
        let (few, many) = (interval(&values[..10]), interval(&values));
        for it in [few, many] {
            assert!(it.low < it.mean && it.mean < it.high && it.mean == 4.5);
        }
        assert!(many.high - many.low < few.high - few.low);
    }
}
