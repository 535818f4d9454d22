//! A mistake, told: its kind (one row for each kind, in `diagnostics/`), its place, a sentence, and
//! the fixed program. Plain values; how they are printed is the command line's business
//! ([`render`] gives the human form).

use crate::ast::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The program is refused.
    Error,
    /// It runs, but likely not as meant.
    Warning,
}

/// A kind of mistake. One file of `diagnostics/` each.
#[derive(Debug)]
pub struct Diagnostic {
    /// `E0301`, `W0101`: stable.
    pub code: &'static str,
    /// Kebab-case name, as in `error[tainted-send]`.
    pub name: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// One line.
    pub title: &'static str,
    /// Long form for `crafty explain`, in Markdown.
    pub explanation: &'static str,
    /// A program that shows it.
    pub bad: &'static str,
    /// The same program fixed: it checks without this mistake.
    pub fixed: &'static str,
}

/// One instance of a mistake.
#[derive(Clone, Debug)]
pub struct Occurrence {
    /// Its kind.
    pub diagnostic: &'static Diagnostic,
    /// The place.
    pub span: Span,
    /// A sentence: lower case, no full stop, the user's words in backticks.
    pub message: String,
    /// Other places that matter, each with a few words.
    pub notes: Vec<(Span, String)>,
    /// Ways out in words, best first.
    pub help: Vec<String>,
    /// Edits that fix it, best first; each is a list of replacements that belong together.
    pub fixes: Vec<Fix>,
}

/// A change of the text that fixes a mistake.
#[derive(Clone, Debug)]
pub struct Fix {
    /// What it does, in words.
    pub title: String,
    /// Replacements, in order of place, not overlapping.
    pub edits: Vec<(Span, String)>,
    /// Whether a machine may apply it unasked: it keeps what was meant.
    pub safe: bool,
}

impl Occurrence {
    /// A report of this kind at this place.
    pub fn new(
        diagnostic: &'static Diagnostic,
        span: Span,
        message: impl Into<String>,
    ) -> Occurrence {
        Occurrence {
            diagnostic,
            span,
            message: message.into(),
            notes: Vec::new(),
            help: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// Adds another place.
    pub fn note(mut self, span: Span, text: impl Into<String>) -> Occurrence {
        self.notes.push((span, text.into()));
        self
    }

    /// Adds a fix in words.
    pub fn help(mut self, text: impl Into<String>) -> Occurrence {
        self.help.push(text.into());
        self
    }

    /// Adds an edit of one place that keeps what was meant.
    pub fn fix(
        self,
        title: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Occurrence {
        self.fix_all(title, vec![(span, replacement.into())])
    }

    /// Adds an edit of one place that the author should look at.
    pub fn suggest(
        self,
        title: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Occurrence {
        self.suggest_all(title, vec![(span, replacement.into())])
    }

    /// Adds an edit of several places that is safe to make.
    pub fn fix_all(self, title: impl Into<String>, edits: Vec<(Span, String)>) -> Occurrence {
        self.edits(title, edits, true)
    }

    /// Adds an edit of several places that the author should look at.
    pub fn suggest_all(self, title: impl Into<String>, edits: Vec<(Span, String)>) -> Occurrence {
        self.edits(title, edits, false)
    }

    /// Adds an edit of several places, for which its maker decided whether it is safe.
    pub fn edits(
        mut self,
        title: impl Into<String>,
        edits: Vec<(Span, String)>,
        safe: bool,
    ) -> Occurrence {
        self.fixes.push(Fix {
            title: title.into(),
            edits,
            safe,
        });
        self
    }
}

impl Fix {
    /// The text with this change made.
    pub fn apply(&self, source: &str) -> String {
        let mut fixed = source.to_string();
        for (span, replacement) in self.edits.iter().rev() {
            fixed.replace_range(span.start as usize..span.end as usize, replacement);
        }
        fixed
    }
}
