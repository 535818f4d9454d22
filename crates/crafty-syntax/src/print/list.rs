//! Lists in brackets: on one line if they fit, else an item a line with a comma behind each.

use super::{Layout, SyntaxPrinter, WIDTH};
use crate::ast::Span;

/// Lists that fit into this many columns are not broken: it would gain nothing.
const SHORT: usize = 30;

/// One item: its place, and how it is printed.
pub(super) struct ListItem<'a> {
    pub span: Span,
    pub show: Box<Show<'a>>,
}

/// Gives the text of an item.
type Show<'a> = dyn Fn(&mut SyntaxPrinter, Layout) -> String + 'a;

/// The brackets of a list, the blanks inside them when it is on one line, and their place.
pub(super) struct Brackets {
    pub open: &'static str,
    pub close: &'static str,
    pub pad: &'static str,
    /// From the opening bracket, or before it, to behind the closing one.
    pub region: Span,
}

impl SyntaxPrinter<'_> {
    pub(super) fn list(&mut self, brackets: &Brackets, items: &[ListItem], mode: Layout) -> String {
        if mode.flat {
            return self.flat_list(brackets, items);
        }
        let comments = self.has_comment(brackets.region);
        let hinted = items
            .first()
            .is_some_and(|item| self.breaks(brackets.region.start, item.span.start));
        let flat = if comments || hinted {
            String::new()
        } else {
            self.flat_list(brackets, items)
        };
        let long = mode.wide && items.len() > 1 && flat.chars().count() > SHORT;
        if comments || hinted || long {
            self.broken_list(brackets, items, mode)
        } else {
            self.level_list(brackets, items, mode)
        }
    }

    fn flat_list(&mut self, brackets: &Brackets, items: &[ListItem]) -> String {
        self.level_list(brackets, items, Layout::FLAT)
    }

    /// Items one after the other; lists in them may be broken.
    fn level_list(&mut self, brackets: &Brackets, items: &[ListItem], mode: Layout) -> String {
        let Brackets {
            open, close, pad, ..
        } = brackets;
        let texts: Vec<String> = items
            .iter()
            .map(|item| (item.show)(self, mode.inner()))
            .collect();
        match texts.is_empty() {
            true => format!("{open}{}{close}", if pad.is_empty() { "" } else { " " }),
            false => format!("{open}{pad}{}{pad}{close}", texts.join(", ")),
        }
    }

    fn broken_list(&mut self, brackets: &Brackets, items: &[ListItem], mode: Layout) -> String {
        let indent = mode.indent + 2;
        let margin = " ".repeat(indent);
        let mut out = format!("{}\n", brackets.open);
        for (n, item) in items.iter().enumerate() {
            out += &self.list_comments(item.span.start, &margin);
            let flat = (item.show)(self, Layout::FLAT);
            let wide = indent + flat.chars().count() + 1 > WIDTH;
            let text = (item.show)(
                self,
                Layout {
                    indent,
                    flat: false,
                    wide,
                },
            );
            let next = items
                .get(n + 1)
                .map_or(brackets.region.end, |next| next.span.start);
            out += &format!(
                "{margin}{text},{}\n",
                self.list_trailing(item.span.end, next)
            );
        }
        out += &self.list_comments(brackets.region.end, &margin);
        out + &" ".repeat(mode.indent) + brackets.close
    }

    /// Comments before a place, each on its line.
    fn list_comments(&mut self, end: u32, margin: &str) -> String {
        let found = self.comments_in(end);
        found
            .iter()
            .map(|n| format!("{margin}{}\n", self.take(*n).text))
            .collect()
    }

    /// The comment behind an item, on its line.
    fn list_trailing(&mut self, end: u32, next: u32) -> String {
        let found = self.comments_in(next).first().copied();
        match found.filter(|n| !self.breaks(end, self.comments[*n].span.start)) {
            Some(n) => format!(" {}", self.take(n).text),
            None => String::new(),
        }
    }
}
