//! How good a diagnosis is, by what was planted and what was recorded; no opinion enters.

use crate::claim::matching;
use crate::diagnosis::Diagnosis;
use crate::network::{HEALTHY, nearness};
use crate::ticket::Case;
use crafty_capture::Record;
use crafty_sim::NetworkElement;
use serde_json::{Value, json};

/// The parts of a score, each from 0 to 1; nothing where the truth has no such part.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Score {
    pub place: f64,
    pub kind: f64,
    pub measure: Option<f64>,
    /// Negative where claims are false.
    pub evidence: f64,
}

/// Weights of the parts.
const WEIGHTS: [f64; 4] = [0.4, 0.4, 0.1, 0.1];

impl Score {
    /// From 0 to 10.
    pub fn quality(&self) -> f64 {
        let parts = [
            Some(self.place),
            Some(self.kind),
            self.measure,
            Some(self.evidence),
        ];
        let counted = parts
            .iter()
            .zip(WEIGHTS)
            .filter_map(|(part, weight)| Some(((*part)?, weight)));
        let (sum, weights) = counted.fold((0.0, 0.0), |(sum, all), (part, weight)| {
            (sum + part * weight, all + weight)
        });
        (10.0 * sum / weights).clamp(0.0, 10.0)
    }

    /// As it is in the record.
    pub fn to_json(&self) -> Value {
        json!({
            "where": self.place, "what": self.kind, "how_much": self.measure, "evidence": self.evidence, "quality": self.quality(),
        })
    }
}

/// Scores a diagnosis of a case. `portals` are the names of the recording's interfaces.
pub(crate) fn score(
    case: &Case,
    diagnosis: &Diagnosis,
    elements: &[NetworkElement],
    frames: &[Record],
    portals: &[String],
) -> Score {
    Score {
        place: place(case, diagnosis, elements),
        kind: kind(case, diagnosis),
        measure: measure(&case.truth.measure, &diagnosis.measure),
        evidence: evidence(diagnosis, frames, portals),
    }
}

fn true_places(case: &Case) -> Vec<String> {
    let places = case
        .truth
        .location
        .split(',')
        .map(|it| it.trim().to_string());
    places.filter(|it| it != "nowhere").collect()
}

/// The harmonic mean of how much of what was named is true, and of how much that is true was named.
fn place(case: &Case, diagnosis: &Diagnosis, elements: &[NetworkElement]) -> f64 {
    let truths = true_places(case);
    let named = &diagnosis.places;
    if truths.is_empty() || named.is_empty() {
        return if truths.is_empty() && named.is_empty() {
            1.0
        } else {
            0.0
        };
    }
    let best = |from: &str, to: &[String]| {
        to.iter()
            .map(|it| nearness(elements, from, it))
            .fold(0.0, f64::max)
    };
    let precision = named.iter().map(|it| best(it, &truths)).sum::<f64>() / named.len() as f64;
    let recall = truths.iter().map(|it| best(it, named)).sum::<f64>() / truths.len() as f64;
    harmonic(precision, recall)
}

fn kind(case: &Case, diagnosis: &Diagnosis) -> f64 {
    let kind_of = |it: &String| {
        it.split(['=', '@', ';'])
            .next()
            .unwrap_or_default()
            .to_string()
    };
    let mut truths: Vec<String> = case.truth.faults.iter().map(kind_of).collect();
    truths.dedup();
    if truths.is_empty() {
        truths.push(HEALTHY.into());
    }
    let named = &diagnosis.kinds;
    let hits = named.iter().filter(|it| truths.contains(it)).count() as f64;
    match named.is_empty() {
        true => 0.0,
        false => harmonic(hits / named.len() as f64, hits / truths.len() as f64),
    }
}

fn harmonic(a: f64, b: f64) -> f64 {
    if a + b == 0.0 {
        0.0
    } else {
        2.0 * a * b / (a + b)
    }
}

/// Whether one of the numbers that were said is within a fifth of the first of the truth.
fn measure(truth: &str, said: &str) -> Option<f64> {
    let wanted = *numbers(truth).first()?;
    let near = |it: &f64| (it - wanted).abs() <= wanted.abs() * 0.2;
    Some(if numbers(said).iter().any(near) {
        1.0
    } else {
        0.0
    })
}

/// The numbers of a text; a comma between digits groups them.
fn numbers(text: &str) -> Vec<f64> {
    let text = text.replace(',', "");
    let parts = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    parts
        .filter_map(|it| it.trim_matches('.').parse().ok())
        .collect()
}

/// The share of claims that are true, less the share of those that are not; one claim alone counts half.
fn evidence(diagnosis: &Diagnosis, frames: &[Record], portals: &[String]) -> f64 {
    let is_true = |claim: &serde_json::Map<String, Value>| {
        let portal = claim.get("portal").and_then(Value::as_str);
        let number = portals.iter().position(|it| Some(it.as_str()) == portal);
        let least = claim
            .get("count")
            .and_then(Value::as_u64)
            .unwrap_or(1)
            .max(1);
        number.is_some_and(|it| matching(claim, frames, it) as u64 >= least)
    };
    let claims = &diagnosis.evidence;
    let good = claims.iter().filter(|it| is_true(it)).count() as f64;
    let bad = claims.len() as f64 - good;
    match claims.is_empty() {
        true => 0.0,
        false => {
            ((good - bad) / claims.len() as f64 * (claims.len() as f64 / 2.0).min(1.0)).max(-1.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crafty_sim::{Lab, LabOptions, tickets};

    fn case(id: u32) -> Case {
        let (tickets, truths) = tickets("acme").unwrap();
        let ticket = tickets.into_iter().find(|it| it.id == id).unwrap();
        let truth = truths.into_iter().find(|it| it.id == id).unwrap();
        Case { ticket, truth }
    }

    fn elements() -> Vec<NetworkElement> {
        Lab::named("acme", &LabOptions::default())
            .unwrap()
            .elements()
    }

    fn said(places: &[&str], kinds: &[&str], measure: &str) -> Diagnosis {
        let owned = |it: &[&str]| it.iter().map(|it| it.to_string()).collect();
        Diagnosis {
            places: owned(places),
            kinds: owned(kinds),
            measure: measure.into(),
            ..Diagnosis::default()
        }
    }

    #[test]
    fn the_truth_of_every_ticket_is_the_best_answer_to_it() {
        let elements = elements();
        let (tickets, _) = tickets("acme").unwrap();
        for ticket in tickets {
            let case = case(ticket.id);
            let places = true_places(&case);
            let known = places
                .iter()
                .all(|it| elements.iter().any(|element| element.name == *it));
            assert!(known, "ticket {}: {places:?} is no place", ticket.id);
            let mut kinds: Vec<String> = case
                .truth
                .faults
                .iter()
                .map(|it| it.split(['=', '@', ';']).next().unwrap().to_string())
                .collect();
            kinds.dedup();
            if kinds.is_empty() {
                kinds.push(HEALTHY.into());
            }
            let diagnosis = Diagnosis {
                places,
                kinds,
                measure: case.truth.measure.clone(),
                ..Diagnosis::default()
            };
            let score = score(&case, &diagnosis, &elements, &[], &[]);
            assert_eq!(
                (score.place, score.kind),
                (1.0, 1.0),
                "ticket {}",
                ticket.id
            );
            assert!(
                score.measure.is_none_or(|it| it == 1.0),
                "ticket {}",
                ticket.id
            );
            let nothing = super::score(&case, &Diagnosis::default(), &elements, &[], &[]);
            assert!(
                nothing.quality() < score.quality() / 2.0 + 0.1,
                "ticket {}",
                ticket.id
            );
        }
    }

    #[test]
    fn to_name_everything_is_worth_little() {
        let elements = elements();
        let all: Vec<&str> = elements.iter().map(|it| it.name.as_str()).collect();
        let kinds: Vec<&str> = crafty_sim::faults().iter().map(|it| it.name).collect();
        let it = score(&case(11), &said(&all, &kinds, "1 2 3"), &elements, &[], &[]);
        assert!(it.quality() < 1.0, "{it:?}");
        let end = score(
            &case(11),
            &said(&["edge-ghent2"], &["loss"], "1.4 %"),
            &elements,
            &[],
            &[],
        );
        assert_eq!((end.place, end.kind, end.measure), (0.5, 1.0, Some(1.0)));
    }
}
