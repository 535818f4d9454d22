//! Which word was meant. Knows no language: words in, the nearest out.

/// The word nearest to `written`, if any is near enough to be meant: at most a third of its letters
/// differ.
pub fn nearest<'w>(written: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let allowed = (written.chars().count() / 3).max(1);
    let scored = words
        .into_iter()
        .map(|word| (distance(written, word), word));
    scored
        .filter(|(d, word)| *d <= allowed || related(written, word))
        .min_by_key(|(d, _)| *d)
        .map(|(_, word)| word)
}

/// One is the other with an ending: `max_packets_per_sec` and `max_packets_per_secs`, `time_exceed`
/// and `time_exceeded`.
fn related(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    short.len() >= 4 && long.starts_with(short)
}

/// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i];
        for j in 1..=b.len() {
            let replaced = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            let best = replaced.min(row[j] + 1).min(next[j - 1] + 1);
            next.push(if swapped {
                best.min(before[j - 2] + 1)
            } else {
                best
            });
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_that_was_meant() {
        let words = [
            "max_packets",
            "max_packets_per_secs",
            "max_bytes",
            "ttl",
            "tos",
            "src",
        ];
        let rows = [
            ("max_packets_per_sec", Some("max_packets_per_secs")),
            ("max_packet", Some("max_packets")),
            ("tll", Some("ttl")),
            ("scr", Some("src")),
            ("colour", None),
            ("x", None),
        ];
        for (written, wanted) in rows {
            assert_eq!(nearest(written, words), wanted, "{written}");
        }
    }
}
