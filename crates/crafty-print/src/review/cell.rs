//! Names and lines of a program on a reviewer's page. They are the author's words: none of them may
//! look like a line of the page.

use crafty_lang::ir::Span;
use crafty_run::Source;

/// Characters of a name or line that are shown.
pub const LONGEST: usize = 60;

/// A text on one line: runs of blanks are one, what is not printable ASCII is escaped, the rest is
/// cut.
pub fn cell(text: &str) -> String {
    let mut shown = String::new();
    for word in text.split_whitespace() {
        if !shown.is_empty() {
            shown.push(' ');
        }
        for c in word.chars() {
            match c {
                ' '..='~' => shown.push(c),
                c => shown.extend(c.escape_unicode()),
            }
        }
    }
    if shown.len() <= LONGEST {
        return shown;
    }
    format!("{}...", &shown[..LONGEST])
}

/// The statement at a place, without what else is on its lines.
pub fn statement(source: &Source, span: Span) -> String {
    let text = source.text.get(span.start as usize..span.end as usize);
    // A block is shown by its head.
    let head = text.unwrap_or_default().split(" {").next();
    format!("`{}`", cell(head.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_line_of_printable_ascii() {
        let check = |text: &str, wanted: &str| assert_eq!(cell(text), wanted, "{text:?}");
        check("a  b\n\tc", "a b c");
        check("a\nWARNING      x", "a WARNING x");
        check("\u{1b}[2J\u{202e}é", "\\u{1b}[2J\\u{202e}\\u{e9}");
        check(&"x".repeat(61), &format!("{}...", "x".repeat(60)));
    }
}
