//! Programs over every row of the tables tell nobody else what their peer said; and every row is
//! used, or there is a reason.

use crafty_policy::ExfiltrationMode;
use crafty_testkit::wide::{LanguageRow, ProgramGenerator, anything, arrivals, rows};
use crafty_testkit::{OTHER, TestRng, TwinRun, accepted, run_frames};
use std::collections::BTreeSet;

/// Rows that no generated program needs to use.
const EXCUSED: &[(&str, &str)] = &[];

fn told(run: TwinRun) -> Vec<(crafty_value::Time, Vec<u8>)> {
    run.frames
        .into_iter()
        .filter(|(_, frame)| frame[30..34] == OTHER.octets())
        .collect()
}

#[test]
fn every_row_is_used_and_none_tells_others_what_a_peer_said() {
    let (generator, mut dice) = (ProgramGenerator::default(), TestRng::new(7));
    let mut missing: BTreeSet<LanguageRow> = rows().into_iter().collect();
    let mut accepted_programs = 0;
    for _ in 0..PROGRAMS {
        let wide = generator.program(ExfiltrationMode::False, &mut dice);
        let Some(program) = accepted(&wide.source, ExfiltrationMode::False, None) else {
            continue;
        };
        accepted_programs += 1;
        missing.retain(|row| !wide.source.contains(&row.mark));
        let [first, second] = [(); 2].map(|()| {
            let frames = arrivals(wide.tcp, &mut dice);
            told(run_frames(&program, &frames, 0))
        });
        assert_eq!(first, second, "{}", wide.source);
    }
    missing.retain(|row| !EXCUSED.iter().any(|(name, _)| *name == row.name));
    assert!(accepted_programs > PROGRAMS / 20, "{accepted_programs}");
    let names: Vec<String> = missing
        .into_iter()
        .map(|r| format!("{} {}", r.table, r.name))
        .collect();
    assert!(
        names.is_empty(),
        "{accepted_programs} accepted; unused: {names:#?}"
    );
}

const PROGRAMS: u64 = 2_500;

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
