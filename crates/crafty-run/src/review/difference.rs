//! What changed between two reviewed texts, line by line.

use super::digest::ReviewedDocument;

/// Lines that only the older text has (`-`), that only the newer has (`+`), and one line around them
/// (` `), in order. Nothing where both are the same.
pub fn difference(old: &ReviewedDocument, new: &ReviewedDocument) -> Vec<(char, String)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.0.lines().collect(), new.0.lines().collect());
    let rows = aligned(&old, &new);
    let changed = |at: usize| rows.get(at).is_some_and(|(sign, _)| *sign != ' ');
    let near = |at: usize| changed(at) || changed(at + 1) || at > 0 && changed(at - 1);
    rows.iter()
        .enumerate()
        .filter(|(at, _)| near(*at))
        .map(|(_, (sign, line))| (*sign, (*line).to_string()))
        .collect()
}

/// The most lines that are aligned by their longest common part; beyond, the middle is shown as
/// replaced as a whole.
const MOST_LINES: usize = 2_000;

fn aligned<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(char, &'a str)> {
    let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[same..], &new[same..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev());
    let tail = tail.take_while(|(a, b)| a == b).count();
    let (old_middle, end) = old_rest.split_at(old_rest.len() - tail);
    let new_middle = &new_rest[..new_rest.len() - tail];
    let mut rows: Vec<(char, &str)> = old[..same].iter().map(|line| (' ', *line)).collect();
    if old_middle.len().max(new_middle.len()) > MOST_LINES {
        rows.extend(old_middle.iter().map(|line| ('-', *line)));
        rows.extend(new_middle.iter().map(|line| ('+', *line)));
    } else {
        rows.extend(common(old_middle, new_middle));
    }
    rows.extend(end.iter().map(|line| (' ', *line)));
    rows
}

/// By the longest common subsequence.
fn common<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(char, &'a str)> {
    let width = new.len() + 1;
    let mut longest = vec![0u16; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            longest[i * width + j] = match old[i] == new[j] {
                true => longest[(i + 1) * width + j + 1] + 1,
                false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j, mut rows) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            rows.push((' ', old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len()
            || i < old.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1]
        {
            rows.push(('-', old[i]));
            i += 1;
        } else {
            rows.push(('+', new[j]));
            j += 1;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, wanted: &[(char, &str)]) {
        let document = |text: &str| ReviewedDocument(text.into());
        let found = difference(&document(old), &document(new));
        let found: Vec<(char, &str)> = found.iter().map(|(s, l)| (*s, l.as_str())).collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn what_changed_is_shown_with_a_line_around_it() {
        check("a\nb\nc", "a\nb\nc", &[]);
        check(
            "a\nb\nc\nd\ne",
            "a\nb\nx\nd\ne",
            &[(' ', "b"), ('-', "c"), ('+', "x"), (' ', "d")],
        );
        check("a", "a\nb", &[(' ', "a"), ('+', "b")]);
        check("", "a", &[('+', "a")]);
        check("a\nb", "b\na", &[('-', "a"), (' ', "b"), ('+', "a")]);
    }

    /// Taking the new lines out of a difference and putting the old ones in gives the old text.
    #[test]
    fn a_difference_leads_from_either_text_to_the_other() {
        let mut seed = 1u32;
        let mut next = |most: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % most
        };
        for _ in 0..200 {
            let mut text =
                || -> Vec<String> { (0..next(12)).map(|_| next(5).to_string()).collect() };
            let (old, new) = (text(), text());
            let lines = |texts: &[String]| {
                texts
                    .iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>()
                    .join("\n")
            };
            let (old, new) = (lines(&old), lines(&new));
            let rows = aligned(
                &old.lines().collect::<Vec<_>>(),
                &new.lines().collect::<Vec<_>>(),
            );
            let only = |not: char| -> Vec<&str> {
                let rows = rows.iter().filter(|(sign, _)| *sign != not);
                rows.map(|(_, line)| *line).collect()
            };
            assert_eq!(only('+').join("\n"), old);
            assert_eq!(only('-').join("\n"), new);
        }
    }
}
