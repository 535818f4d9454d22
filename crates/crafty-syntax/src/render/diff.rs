//! The fixed lines of a fix, as a small diff.

use super::snippet::window;
use super::{Lines, Paint, clean};
use crate::diagnostic::Fix;

/// Lines that are shown at most on either side.
const MOST: usize = 8;

/// What the fix takes away and what it adds.
pub(super) fn show(source: &str, lines: &Lines, fix: &Fix, margin: usize, paint: Paint) -> String {
    let (Some((first, _)), Some((last, _))) = (fix.edits.first(), fix.edits.last()) else {
        return String::new();
    };
    let (from, to) = (lines.position(first.start).0, lines.position(last.end).0);
    let old: Vec<&str> = (from..=to).map(|line| lines.text(line)).collect();
    let fixed = fix.apply(source);
    let count = old.len() + fixed.matches('\n').count() - source.matches('\n').count();
    let new: Vec<&str> = fixed
        .split('\n')
        .skip(from)
        .take(count)
        .map(|line| line.trim_end_matches('\r'))
        .collect();
    let (old, new) = changed(&old, &new);
    let around = first.start as usize - lines.starts[from];
    let side = |sign: &str, rows: &[(usize, &str)]| {
        let shown = |(n, text): &(usize, &str)| {
            let near = (0..=around.min(text.len()))
                .rev()
                .find(|at| text.is_char_boundary(*at))
                .unwrap_or(0);
            (
                format!("{:>margin$} {sign}", from + n + 1),
                clean(window(text, near).0),
            )
        };
        rows.iter().take(MOST).map(shown).collect::<Vec<_>>()
    };
    let mut out = String::new();
    for (head, text) in side("-", &old) {
        out += &format!("{} {}\n", paint.removed(&head), paint.removed(&text));
    }
    for (head, text) in side("+", &new) {
        out += &format!("{} {}\n", paint.added(&head), paint.added(&text));
    }
    out
}

/// Lines with their numbers.
type Rows<'s> = Vec<(usize, &'s str)>;

/// Only the lines that differ: one by one where there are as many on both sides, else without what
/// is the same at both ends.
fn changed<'s>(old: &[&'s str], new: &[&'s str]) -> (Rows<'s>, Rows<'s>) {
    if old.len() == new.len() {
        let differ = |n: &usize| old[*n] != new[*n];
        let rows = |side: &[&'s str]| {
            (0..side.len())
                .filter(differ)
                .map(|n| (n, side[n]))
                .collect()
        };
        return (rows(old), rows(new));
    }
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let end = old[start..]
        .iter()
        .rev()
        .zip(new[start..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let rows = |side: &[&'s str]| (start..side.len() - end).map(|n| (n, side[n])).collect();
    (rows(old), rows(new))
}
