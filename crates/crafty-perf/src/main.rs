//! Benchmarks as commands: runs Crafty and the tool it is measured against in turn, in network
//! namespaces of its own, and prints medians, their ratio, and whether the ratio meets its gate. It
//! never sends outside those namespaces and is not part of any test.
#![forbid(unsafe_code)]

mod flood;
mod mixed;
mod numbers;
mod pcap;
mod place;
mod probe;
mod row;
mod rows;
mod scapy;
mod tcp;
mod tool;

use row::{Benchmark, header, tell};
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let chosen: Vec<&Benchmark> = match words.first().map(String::as_str) {
        None => return list(),
        Some("all") => rows::ROWS.iter().collect(),
        Some(_) => match words
            .iter()
            .map(|word| rows::named(word))
            .collect::<Result<_, _>>()
        {
            Ok(chosen) => chosen,
            Err(word) => {
                return refuse(&format!(
                    "there is no benchmark `{word}`: without a name, all names are listed"
                ));
            }
        },
    };
    println!("{}", header());
    let failed = chosen.into_iter().filter(|row| !run(row)).count();
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn list() -> ExitCode {
    rows::ROWS
        .iter()
        .for_each(|row| println!("{:<8} {}", row.name, row.about));
    println!("{:<8} every one of them, as one table", "all");
    ExitCode::SUCCESS
}

fn refuse(what: &str) -> ExitCode {
    eprintln!("bench: {what}");
    ExitCode::from(2)
}

/// Runs one benchmark and prints its lines; false if it could not be run.
fn run(row: &Benchmark) -> bool {
    match (row.run)() {
        Ok(lines) => lines
            .iter()
            .for_each(|line| println!("{}", tell(row.name, line))),
        Err(error) => {
            eprintln!("bench: {}: {error}", row.name);
            return false;
        }
    }
    true
}
