//! Text that may be anybody's, on its way to a terminal.

use crafty_syntax::is_hidden;

/// A text without what would steer a terminal or turn the order of what is read; line ends and tabs
/// stay.
pub fn unsteered(text: &str) -> String {
    text.chars()
        .map(|c| {
            if is_hidden(c) {
                c.escape_unicode().to_string()
            } else {
                c.to_string()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::unsteered;

    #[test]
    fn a_programs_text_does_not_steer_a_terminal() {
        let check = |text: &str, shown: &str| assert_eq!(unsteered(text), shown);
        check("seq=1\tok\n\u{ab}x\u{bb}", "seq=1\tok\n\u{ab}x\u{bb}");
        check("\u{1b}[2Jx\u{7}\r\u{9b}", "\\u{1b}[2Jx\\u{7}\\u{d}\\u{9b}");
        check("\u{202e}cba\u{2066}", "\\u{202e}cba\\u{2066}");
    }
}
