//! `on`, `expect` and `ask`: patterns with their blocks.

use super::statement::named;
use super::{Layout, SyntaxPrinter, WIDTH};
use crate::ast::{ArmSyntax, BlockSyntax, Opt, StatementKindSyntax, StatementSyntax};

/// Where the head of a statement is.
#[derive(Clone, Copy)]
pub(super) enum HeadPlace {
    /// On a line of its own.
    Line,
    /// Behind the `}` of a block.
    Behind,
}

impl SyntaxPrinter<'_> {
    /// `ask tries=3 { } expect timeout=1s PATTERN { }`
    pub(super) fn ask(&mut self, statement: &StatementSyntax) {
        let StatementKindSyntax::Ask {
            options,
            counter,
            body,
            waiting,
            arms,
            otherwise,
            ..
        } = &statement.kind
        else {
            return;
        };
        self.head(body.span.start, |p, mode| {
            let options = p.options(options, mode);
            format!("ask{options}{}", named(" as ", counter.as_ref()))
        });
        self.block(body);
        let arms: Vec<(&ArmSyntax, &BlockSyntax)> =
            arms.iter().map(|(arm, body)| (arm, body)).collect();
        self.watch(
            HeadPlace::Behind,
            "expect",
            waiting,
            &arms,
            otherwise.as_ref(),
        );
    }

    fn head_at(&mut self, place: HeadPlace, end: u32, show: impl Fn(&mut Self, Layout) -> String) {
        match place {
            HeadPlace::Line => self.head(end, show),
            HeadPlace::Behind => {
                let text = self.fitted(end, show);
                self.out.push(' ');
                self.out.push_str(&text);
            }
        }
    }

    /// `on` or `expect` with its arms. Where a line ends before the first pattern, or has to, all
    /// arms are one level deeper.
    pub(super) fn watch(
        &mut self,
        place: HeadPlace,
        word: &str,
        options: &[Opt],
        arms: &[(&ArmSyntax, &BlockSyntax)],
        otherwise: Option<&BlockSyntax>,
    ) {
        let Some((first, body)) = arms.first() else {
            return;
        };
        let head_end = options
            .last()
            .map_or(first.span.start, |option| option.value.span.end);
        let flat = format!(
            "{word}{} {} {{",
            self.options(options, Layout::FLAT),
            self.arm(first, Layout::FLAT)
        );
        let column = match place {
            HeadPlace::Line => 2 * self.indent,
            HeadPlace::Behind => self.column() + 1,
        };
        let long = !options.is_empty() && column + flat.chars().count() > WIDTH;
        let deeper = !options.is_empty() && self.breaks(head_end, first.span.start) || long;
        if deeper {
            self.indent += 1;
            let arm = self.fitted(body.span.start, |p, mode| p.arm(first, mode));
            self.indent -= 1;
            self.head_at(place, body.span.start, |p, mode| {
                format!("{word}{}", p.options(options, mode))
            });
            self.indent += 1;
            self.out
                .push_str(&format!("\n{}{arm}", "  ".repeat(self.indent)));
        } else {
            self.head_at(place, body.span.start, |p, mode| {
                format!("{word}{} {}", p.options(options, mode), p.arm(first, mode))
            });
        }
        self.block(body);
        for (arm, body) in arms.iter().skip(1) {
            let mode = Layout {
                indent: 2 * self.indent,
                flat: false,
                wide: false,
            };
            let text = self.arm(arm, mode);
            self.out.push_str(&format!(" or {text}"));
            self.block(body);
        }
        if let Some(block) = otherwise {
            self.word_and_block(" else", block);
        }
        self.indent -= usize::from(deeper);
    }
}
