//! Programs over every row of the tables tell nobody else what their peer said; and every row is
//! used, or there is a reason.

use crafty_policy::ExfiltrationMode;
use crafty_testkit::wide::{LanguageRow, ProgramGenerator, anything, leak, rows, used};
use crafty_testkit::{TestRng, accepted, judged, run_frames};
use std::collections::BTreeSet;

/// Rows that no accepted generated program can use, each with its reason.
const EXCUSED: &[(&str, &str, &str)] = &[
    (
        "carrier",
        "ESP",
        "it hides what it carries: no stack can run in it",
    ),
    (
        "carrier",
        "WireGuard",
        "it hides what it carries: no stack can run in it",
    ),
    (
        "layer",
        "TLSHandshake",
        "part of `TLS`, with which it is written",
    ),
    (
        "option of a layer",
        "SCTP.abort",
        "`abort` is a statement, and so no name of an option in a list",
    ),
];

/// Programs that are generated: few of those that use a rare row are accepted.
const PROGRAMS: u64 = 2_500;

#[test]
fn none_tells_others_what_a_peer_said() {
    let (generator, mut dice) = (ProgramGenerator::default(), TestRng::new(7));
    let mut accepted_programs = 0;
    for _ in 0..PROGRAMS {
        let wide = generator.program(ExfiltrationMode::False, &mut dice);
        let Some(accepted) = judged(&wide.source, ExfiltrationMode::False, None) else {
            continue;
        };
        accepted_programs += 1;
        if let Some(told) = leak(&accepted, wide.tcp, &mut dice) {
            panic!("{told}\n{}", wide.source);
        }
    }
    assert!(accepted_programs > PROGRAMS / 20, "{accepted_programs}");
}

/// Accepted is enough here: rows are used, whatever the run does.
#[test]
fn every_row_is_used_by_an_accepted_program() {
    let (generator, mut dice) = (ProgramGenerator::default(), TestRng::new(11));
    let mut missing: BTreeSet<LanguageRow> = rows();
    let excused = |row: &LanguageRow| {
        EXCUSED
            .iter()
            .any(|(table, name, _)| row.table == *table && row.name == *name)
    };
    missing.retain(|row| !excused(row));
    let mut programs = 0;
    while !missing.is_empty() && programs < 2 * PROGRAMS {
        programs += 1;
        let source = generator.program_for(&missing, &mut dice).source;
        if let Some(program) = accepted(&source, ExfiltrationMode::False, None) {
            missing = &missing - &used(&program);
        }
    }
    let names: Vec<String> = missing
        .into_iter()
        .map(|row| format!("{} {}", row.table, row.name))
        .collect();
    assert!(names.is_empty(), "unused after {programs}: {names:#?}");
}
/// Under `none` the frames are the same on every network, to a millisecond; a run that a reaction
/// would have made late ends instead.
#[test]
fn under_none_nothing_that_arrives_changes_a_frame() {
    let (generator, mut dice) = (ProgramGenerator::default(), TestRng::new(8));
    let (mut accepted_programs, mut whole) = (0, 0);
    for _ in 0..PROGRAMS / 2 {
        let wide = generator.program(ExfiltrationMode::None, &mut dice);
        let Some(program) = accepted(&wide.source, ExfiltrationMode::None, None) else {
            continue;
        };
        accepted_programs += 1;
        let quiet = run_frames(&program, &[], 0);
        for _ in 0..3 {
            let (frames, busy) = anything(&mut dice);
            let run = run_frames(&program, &frames, busy);
            for (a, b) in quiet.frames.iter().zip(&run.frames) {
                let apart = (a.0.0 - b.0.0).abs();
                assert!(
                    a.1 == b.1 && apart <= 1_000_000,
                    "{}\n{a:?}\n{b:?}",
                    wide.source
                );
            }
            let cut = run.frames.len() < quiet.frames.len();
            let failed = run.end.is_some_and(|(status, _)| status == 1);
            assert!(
                run.frames.len() == quiet.frames.len() || cut && failed && busy > 1,
                "{}: {busy} {run:?}",
                wide.source
            );
            whole += u64::from(!cut);
        }
    }
    assert!(
        accepted_programs > 100 && whole > 2 * accepted_programs,
        "{accepted_programs} {whole}"
    );
}
