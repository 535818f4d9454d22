//! Characters that do not show themselves: who reads a text with them reads something else than
//! what is there.

/// First and last of each run of characters that a renderer may leave out altogether
/// (`Default_Ignorable_Code_Point`, Unicode Standard Annex #44 §5.7).
const IGNORABLE: &[(u32, u32)] = &[
    (0xad, 0xad),
    (0x34f, 0x34f),
    (0x61c, 0x61c),
    (0x115f, 0x1160),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x200b, 0x200f),
    (0x202a, 0x202e),
    (0x2060, 0x206f),
    (0x3164, 0x3164),
    (0xfe00, 0xfe0f),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xfff8),
    (0x1bca0, 0x1bca3),
    (0x1d173, 0x1d17a),
    (0xe0000, 0xe0fff),
];

/// Separators of lines and paragraphs, and marks of annotations: they are not line feeds, and many
/// terminals and editors take them for some.
const SEPARATORS: &[(u32, u32)] = &[(0x2028, 0x2029), (0xfff9, 0xfffb)];

/// Whether a character is a control, is left out by renderers, reorders text or has no width
/// (Unicode Technical Report 36 §2.10). Line feed and tab are not.
pub fn is_hidden(c: char) -> bool {
    let code = u32::from(c);
    let mut runs = IGNORABLE.iter().chain(SEPARATORS);
    match c {
        '\n' | '\t' => false,
        _ => c.is_control() || runs.any(|(first, last)| (*first..=*last).contains(&code)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn runs_are_in_order_and_apart() {
        for runs in [IGNORABLE, SEPARATORS] {
            assert!(runs.iter().all(|(first, last)| first <= last));
            assert!(runs.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }

    #[test]
    fn every_hidden_character_is_refused_wherever_it_stands() {
        let places = ["x = 1{} # c", "print(\"a{}b\")", "# a{}b", "x{} = 1", "{}"];
        let hidden = (0..=0x10_ffff)
            .filter_map(char::from_u32)
            .filter(|c| is_hidden(*c));
        let mut count = 0;
        for (at, c) in hidden.enumerate() {
            let text = places[at % places.len()].replace("{}", &format!("{c}z"));
            let codes = parse(&text).reports.into_iter().map(|r| r.diagnostic.code);
            assert!(
                codes.into_iter().any(|code| code == "E0107"),
                "{:04x}",
                u32::from(c)
            );
            count += 1;
        }
        assert!(count > 4_000, "{count}");
    }
}
