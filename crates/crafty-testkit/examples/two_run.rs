//! The long form of the two-run test: `two_run [PROGRAMS] [SEED]`. Prints how many programs were
//! accepted, or the first leak. With `two_run mutants [PROGRAMS] [SEED]` each rule is switched off
//! in turn, and the number of programs up to its first leak is printed. `two_run wide [PROGRAMS]
//! [SEED]` tries programs over every row of the tables.

use crafty_lang::labels::FlowRule;
use crafty_policy::ExfiltrationMode;
use crafty_testkit::wide::{ProgramGenerator, leak, leak_of_both};
use crafty_testkit::{TestRng, campaign, judged};
use std::process::ExitCode;

const PAIRS: u64 = 10;

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let form = args.first().cloned().unwrap_or_default();
    let (mutants, wide) = (form == "mutants", form == "wide");
    if mutants || wide {
        args.remove(0);
    }
    let number = |i: usize, unset: u64| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(unset);
    let (programs, seed) = (number(0, 100_000), number(1, 1));
    if wide {
        over_the_tables(programs, seed)
    } else if mutants {
        without_each_rule(programs, seed)
    } else {
        with_all_rules(programs, seed)
    }
}

/// Programs over every row of the tables: what they tell others than their peer, each by itself and
/// together with the one before it.
fn over_the_tables(programs: u64, seed: u64) -> ExitCode {
    let (generator, mut dice) = (ProgramGenerator::default(), TestRng::new(seed));
    let (mut count, mut before) = (0, None);
    for tried in 1..=programs {
        let wide = generator.program(ExfiltrationMode::False, &mut dice);
        let Some(accepted) = judged(&wide.source, ExfiltrationMode::False, None) else {
            continue;
        };
        count += 1;
        let alone = leak(&accepted, wide.tcp, &mut dice);
        let both = before.as_ref().filter(|_| count % 4 == 0);
        let both = both.and_then(|first| leak_of_both([first, &accepted], false, &mut dice));
        if let Some(told) = alone.or(both) {
            println!("LEAK after {tried} programs\n{}\n{told}", wide.source);
            return ExitCode::FAILURE;
        }
        before = (!wide.tcp).then_some(accepted);
    }
    println!("tables: no leak in {programs} programs, {count} accepted");
    ExitCode::SUCCESS
}

fn with_all_rules(programs: u64, seed: u64) -> ExitCode {
    for mode in [ExfiltrationMode::False, ExfiltrationMode::None] {
        match campaign(mode, None, programs, PAIRS, seed) {
            Ok(accepted) => println!(
                "{}: no leak in {programs} programs, {accepted} accepted, {PAIRS} pairs each",
                mode.name()
            ),
            Err(leak) => {
                println!(
                    "{}: LEAK after {} programs\n{}\n{:#?}\n{:#?}",
                    mode.name(),
                    leak.tried,
                    leak.source,
                    leak.networks,
                    leak.traces
                );
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn without_each_rule(programs: u64, seed: u64) -> ExitCode {
    for rule in FlowRule::ALL {
        let row = [ExfiltrationMode::False, ExfiltrationMode::None].map(|mode| {
            match campaign(mode, Some(*rule), programs, PAIRS, seed) {
                Ok(_) => format!("{}: none in {programs}", mode.name()),
                Err(leak) => format!("{}: after {}", mode.name(), leak.tried),
            }
        });
        println!("{rule:?}: {}", row.join(", "));
    }
    ExitCode::SUCCESS
}
