//! Whole programs: the round trip over a spoofed source, written without indentation, and the three
//! that teach the language.

use super::{accept, told};
use crate::format;

const SAMPLE: &str = include_str!("programs/sample.crafty");
const TAUGHT: [&str; 3] = [
    include_str!("programs/round_trip.crafty"),
    include_str!("programs/path.crafty"),
    include_str!("programs/connection.crafty"),
];

#[test]
fn the_sample_is_read_unchanged() {
    accept(SAMPLE);
    let trimmed: String = format(SAMPLE)
        .expect("no mistakes")
        .lines()
        .map(|line| line.trim_start().to_string() + "\n")
        .collect();
    assert_eq!(
        trimmed, SAMPLE,
        "the formatter changes nothing but the indentation"
    );
}

#[test]
fn the_programs_that_teach_are_laid_out_already() {
    for program in TAUGHT {
        accept(program);
        assert_eq!(format(program).expect("no mistakes"), program);
    }
}

#[test]
fn many_mistakes_are_told_at_once() {
    let source = "BUDGET = { max_packets = 5, max_duration 60s }\nwhile x { y = 1 z = 2 }\nif a = 1 { b++ }\nforeach x in xs { break }\nprint(a && !b)\n";
    let names: Vec<String> = told(source)
        .iter()
        .map(|line| line.split(':').next().unwrap_or("").to_string())
        .collect();
    let expected = [
        "setting-sign",
        "expected",
        "while-loop",
        "missing-separator",
        "equals-in-condition",
        "increment",
        "foreach-in",
        "break-word",
        "foreign-operator",
        "bang-not",
    ];
    assert_eq!(names, expected);
}
