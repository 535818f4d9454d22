//! From the tree back to text, in the one layout that `crafty fmt` writes: two spaces a level, one
//! statement a line, comments and single blank lines kept. Where the author broke a line in a list,
//! after an operator or before a pattern, it stays broken, so that what was printed once is printed
//! the same again. Never changes what a program means.

mod expression;
mod list;
mod stack;
mod statement;
mod watch;

use super::ast::{BlockSyntax, Span, StatementSyntax};
use super::{Comment, Parsed};

/// Columns that a line fills at most, where it can be helped.
const WIDTH: usize = 100;

/// The text of a program that has no mistakes.
pub(super) fn program(source: &str, parsed: &Parsed) -> String {
    let taken = vec![false; parsed.comments.len()];
    let mut printer = SyntaxPrinter {
        source,
        comments: &parsed.comments,
        taken,
        first: 0,
        out: String::new(),
        indent: 0,
        last: 0,
    };
    printer.statements(&parsed.program, source.len() as u32);
    printer.out
}

struct SyntaxPrinter<'s> {
    source: &'s str,
    comments: &'s [Comment],
    /// Which comments were printed.
    taken: Vec<bool>,
    /// All comments before this one were.
    first: usize,
    out: String,
    /// Levels.
    indent: usize,
    /// Where in the source ends what was printed last.
    last: u32,
}

/// How an expression is formatted.
#[derive(Clone, Copy)]
struct Layout {
    /// Columns before a line that continues.
    indent: usize,
    /// On one line, whatever its length.
    flat: bool,
    /// Its line is too long: lists that can be broken are.
    wide: bool,
}

impl Layout {
    const FLAT: Layout = Layout {
        indent: 0,
        flat: true,
        wide: false,
    };

    /// The mode of what is in further brackets.
    fn inner(self) -> Layout {
        Layout {
            wide: false,
            ..self
        }
    }
}

impl<'s> SyntaxPrinter<'s> {
    fn text(&self, span: Span) -> &'s str {
        &self.source[span.start as usize..span.end as usize]
    }

    /// Whether the source breaks its line between two places.
    fn breaks(&self, from: u32, to: u32) -> bool {
        from < to && self.source[from as usize..to as usize].contains('\n')
    }

    /// What is between two places has an empty line.
    fn has_blank(&self, from: u32, to: u32) -> bool {
        from < to
            && self.source[from as usize..to as usize]
                .matches('\n')
                .count()
                > 1
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(&"  ".repeat(self.indent));
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// All statements of a block, and the comments up to its end.
    fn statements(&mut self, block: &BlockSyntax, end: u32) {
        let mut first = true;
        for (n, statement) in block.statements.iter().enumerate() {
            first &= !self.comments_before(statement.span.start, first);
            self.blank_before(statement.span.start, first);
            self.statement(statement);
            self.last = statement.span.end;
            let next = block.statements.get(n + 1).map_or(end, |s| s.span.start);
            self.trailing_comment(statement, next);
            self.out.push('\n');
            first = false;
        }
        self.comments_before(end, first);
    }

    fn blank_before(&mut self, start: u32, first: bool) {
        if !first && self.has_blank(self.last, start) {
            self.out.push('\n');
        }
    }

    /// Comments that were not printed and begin before `end`.
    fn comments_in(&self, end: u32) -> Vec<usize> {
        let rest = self.comments.iter().enumerate().skip(self.first);
        rest.take_while(|(_, c)| c.span.start < end)
            .filter(|(n, _)| !self.taken[*n])
            .map(|(n, _)| n)
            .collect()
    }

    /// Whether a comment that was not printed begins in a span.
    fn has_comment(&self, span: Span) -> bool {
        let from = self.comments.partition_point(|c| c.span.start < span.start);
        (from..self.comments.len())
            .take_while(|n| self.comments[*n].span.start < span.end)
            .any(|n| !self.taken[n])
    }

    fn take(&mut self, n: usize) -> &'s Comment {
        self.taken[n] = true;
        while self.taken.get(self.first) == Some(&true) {
            self.first += 1;
        }
        &self.comments[n]
    }

    /// Prints comments that are before a place, each on its line. Says whether there were any.
    fn comments_before(&mut self, end: u32, mut first: bool) -> bool {
        let found = self.comments_in(end);
        for n in &found {
            let comment = self.take(*n);
            self.blank_before(comment.span.start, first);
            self.line(&comment.text);
            self.last = self.last.max(comment.span.end);
            first = false;
        }
        !found.is_empty()
    }

    /// The comment that follows a statement on its line.
    fn trailing_comment(&mut self, statement: &StatementSyntax, next: u32) {
        let end = statement.span.end;
        let found = self.comments_in(next).first().copied();
        if let Some(n) = found.filter(|n| !self.breaks(end, self.comments[*n].span.start)) {
            let comment = self.take(n);
            self.out.push(' ');
            self.out.push_str(&comment.text);
            self.last = comment.span.end;
        }
    }

    /// The column at which the output stands.
    fn column(&self) -> usize {
        self.out.len() - self.out.rfind('\n').map_or(0, |at| at + 1)
    }
}

/// The most columns that a line of this text fills, when it begins at a column.
fn widest(text: &str, column: usize) -> usize {
    text.split('\n')
        .enumerate()
        .map(|(n, line)| line.chars().count() + if n == 0 { column } else { 0 })
        .max()
        .unwrap_or(0)
}
