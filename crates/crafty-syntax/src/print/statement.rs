//! Statements and their blocks.

use super::expression::range;
use super::watch::HeadPlace;
use super::{Layout, SyntaxPrinter, WIDTH, widest};
use crate::ast::{
    ArmSyntax, AssignOp, BlockSyntax, ExprSyntax, Name, Opt, Rhs, StatementKindSyntax,
    StatementSyntax, StepSyntax,
};

impl SyntaxPrinter<'_> {
    /// A statement without the end of its last line.
    pub(super) fn statement(&mut self, statement: &StatementSyntax) {
        match &statement.kind {
            StatementKindSyntax::Open {
                stack,
                name,
                body,
                otherwise,
            } => {
                self.head(body.span.start, |p, mode| {
                    p.stack(stack, mode) + &named(" as ", name.as_ref())
                });
                self.block(body);
                if let Some((error, block)) = otherwise {
                    self.else_block(error.as_ref(), block);
                }
            }
            StatementKindSyntax::If { arms, otherwise } => {
                self.if_statement(arms, otherwise.as_ref())
            }
            StatementKindSyntax::Foreach { .. } | StatementKindSyntax::Repeat { .. } => {
                self.loops(statement)
            }
            StatementKindSyntax::On { options, arm, body } => {
                self.watch(HeadPlace::Line, "on", options, &[(arm, body)], None)
            }
            StatementKindSyntax::Out {
                words,
                options,
                arm,
                body: Some(body),
            } => self.watch(
                HeadPlace::Line,
                &out_words(words),
                options,
                &[(arm, body)],
                None,
            ),
            StatementKindSyntax::Expect {
                options,
                arms,
                otherwise,
            } => {
                let arms: Vec<(&ArmSyntax, &BlockSyntax)> =
                    arms.iter().map(|(arm, body)| (arm, body)).collect();
                self.watch(
                    HeadPlace::Line,
                    "expect",
                    options,
                    &arms,
                    otherwise.as_ref(),
                );
            }
            StatementKindSyntax::Ask { .. } => self.ask(statement),
            StatementKindSyntax::Try {
                body,
                error,
                otherwise,
            } => {
                self.head(body.span.start, |_, _| "try".to_string());
                self.block(body);
                self.else_block(error.as_ref(), otherwise);
            }
            _ => self.head(statement.span.end, |p, mode| p.simple(statement, mode)),
        }
    }

    fn loops(&mut self, statement: &StatementSyntax) {
        match &statement.kind {
            StatementKindSyntax::Foreach {
                variable,
                second,
                over,
                to,
                options,
                body,
            } => {
                self.head(body.span.start, |p, mode| {
                    p.foreach(
                        (variable, second.as_ref()),
                        (over, to.as_ref()),
                        options,
                        mode,
                    )
                });
                self.block(body);
            }
            StatementKindSyntax::Repeat {
                options,
                counter,
                body,
            } => {
                self.head(body.span.start, |p, mode| {
                    let options = p.options(options, mode);
                    format!("repeat{options}{}", named(" as ", counter.as_ref()))
                });
                self.block(body);
            }
            _ => {}
        }
    }

    /// The `else` of a stack or of `try`, which may name its error.
    fn else_block(&mut self, error: Option<&Name>, block: &BlockSyntax) {
        self.word_and_block(&format!(" else{}", named(" ", error)), block);
    }

    /// The text before a block, or the whole of a statement without one. Comments that are in it go
    /// above it.
    pub(super) fn head(&mut self, end: u32, show: impl Fn(&mut Self, Layout) -> String) {
        let text = self.fitted(end, show);
        for n in self.comments_in(end) {
            let comment = self.take(n);
            self.line(&comment.text);
        }
        self.out.push_str(&"  ".repeat(self.indent));
        self.out.push_str(&text);
    }

    /// A text formatted so that its lines fit, if that can be. The comments that its lists hold are
    /// in it.
    pub(super) fn fitted(
        &mut self,
        end: u32,
        show: impl Fn(&mut Self, Layout) -> String,
    ) -> String {
        let mut mode = Layout {
            indent: 2 * self.indent,
            flat: false,
            wide: false,
        };
        let open = self.comments_in(end);
        let mut text = show(self, mode);
        if widest(&text, mode.indent) > WIDTH {
            self.give_back(&open);
            mode.wide = true;
            text = show(self, mode);
        }
        text
    }

    /// Marks comments as not printed.
    fn give_back(&mut self, open: &[usize]) {
        for n in open {
            self.taken[*n] = false;
            self.first = self.first.min(*n);
        }
    }

    fn simple(&mut self, statement: &StatementSyntax, mode: Layout) -> String {
        match &statement.kind {
            StatementKindSyntax::Setting { name, group } => {
                format!("{} = {}", name.text, self.group(group, mode))
            }
            StatementKindSyntax::Param { name, ty, default } => {
                let default = default.as_ref().map_or(String::new(), |value| {
                    format!(" = {}", self.expr(value, mode))
                });
                format!("param {}{}{default}", name.text, named(": ", ty.as_ref()))
            }
            StatementKindSyntax::Declare { name, value } => {
                format!("{} = {}", name.text, self.rhs(value, mode))
            }
            StatementKindSyntax::Assign {
                name,
                path,
                op,
                value,
            } => {
                let target = self.target(name, path, mode);
                format!("{target} {} {}", assign_sign(*op), self.rhs(value, mode))
            }
            StatementKindSyntax::Send(stack) => self.stack(stack, mode),
            StatementKindSyntax::Out {
                words,
                options,
                arm,
                ..
            } => {
                format!(
                    "{}{} {}",
                    out_words(words),
                    self.options(options, mode),
                    self.arm(arm, mode)
                )
            }
            StatementKindSyntax::Wait(value) => format!("wait {}", self.expr(value, mode)),
            StatementKindSyntax::Fail(value) => format!("fail {}", self.expr(value, mode)),
            StatementKindSyntax::Print(value) => format!("print({})", self.expr(value, mode)),
            StatementKindSyntax::Record { fields } => self.record(fields, mode),
            StatementKindSyntax::Assert(condition, message) => {
                let message = message.as_ref().map_or(String::new(), |message| {
                    format!(", {}", self.expr(message, mode))
                });
                format!("assert {}{message}", self.expr(condition, mode))
            }
            _ => self.text(statement.span).to_string(),
        }
    }

    /// `m[key]` before a sign of assignment.
    fn target(&mut self, name: &Name, path: &[StepSyntax], mode: Layout) -> String {
        let keys: String = path
            .iter()
            .map(|step| match step {
                StepSyntax::At(key) => format!("[{}]", self.expr(key, mode.inner())),
                StepSyntax::Part(name) => format!(".{}", name.text),
            })
            .collect();
        format!("{}{keys}", name.text)
    }

    fn record(&mut self, fields: &[(Name, ExprSyntax)], mode: Layout) -> String {
        let field = |(n, (name, value)): (usize, &(Name, ExprSyntax))| {
            let sign = if n == 0 { " = " } else { "=" };
            format!("{}{sign}{}", name.text, self.expr(value, mode))
        };
        let fields: Vec<String> = fields.iter().enumerate().map(field).collect();
        format!("record {}", fields.join(", "))
    }

    fn rhs(&mut self, value: &Rhs, mode: Layout) -> String {
        match value {
            Rhs::Expr(value) => self.expr(value, mode),
            Rhs::Stack(stack) => self.stack(stack, mode),
        }
    }

    fn if_statement(
        &mut self,
        arms: &[(ExprSyntax, BlockSyntax)],
        otherwise: Option<&BlockSyntax>,
    ) {
        for (n, (condition, body)) in arms.iter().enumerate() {
            if n == 0 {
                self.head(body.span.start, |p, mode| {
                    format!("if {}", p.expr(condition, mode))
                });
            } else {
                let mode = Layout {
                    indent: 2 * self.indent,
                    flat: false,
                    wide: false,
                };
                let text = self.expr(condition, mode);
                self.out.push_str(&format!(" else if {text}"));
            }
            self.block(body);
        }
        if let Some(block) = otherwise {
            self.word_and_block(" else", block);
        }
    }

    pub(super) fn word_and_block(&mut self, word: &str, block: &BlockSyntax) {
        self.out.push_str(word);
        self.block(block);
    }

    fn foreach(
        &mut self,
        (variable, second): (&Name, Option<&Name>),
        over: (&ExprSyntax, Option<&ExprSyntax>),
        options: &[Opt],
        mode: Layout,
    ) -> String {
        let low = self.expr(over.0, mode);
        let over = match over.1 {
            Some(high) => range(&low, &self.expr(high, mode)),
            None => low,
        };
        format!(
            "foreach {}{} {over}{}",
            variable.text,
            named(", ", second),
            self.options(options, mode)
        )
    }

    pub(super) fn options(&mut self, options: &[Opt], mode: Layout) -> String {
        options
            .iter()
            .map(|option| format!(" {}={}", option.name.text, self.expr(&option.value, mode)))
            .collect()
    }

    /// A block behind its head: on the same line if it was written so and still fits.
    pub(super) fn block(&mut self, block: &BlockSyntax) {
        self.out.push_str(" {");
        if self.inline(block) {
            return;
        }
        self.open_comment(block);
        self.out.push('\n');
        self.indent += 1;
        self.last = block.span.start;
        self.statements(block, block.span.end);
        self.indent -= 1;
        self.out.push_str(&"  ".repeat(self.indent));
        self.out.push('}');
    }

    fn inline(&mut self, block: &BlockSyntax) -> bool {
        if !self.comments_in(block.span.end).is_empty() {
            return false;
        }
        match block.statements.as_slice() {
            [] => self.out.push_str(" }"),
            [only] if !has_block(only) && !self.breaks(block.span.start, block.span.end) => {
                let text = self.simple(only, Layout::FLAT);
                if self.column() + text.chars().count() + 3 > WIDTH {
                    return false;
                }
                self.out.push_str(&format!(" {text} }}"));
            }
            _ => return false,
        }
        true
    }

    /// The comment behind the `{`, on its line.
    fn open_comment(&mut self, block: &BlockSyntax) {
        let end = block
            .statements
            .first()
            .map_or(block.span.end, |s| s.span.start);
        let found = self.comments_in(end).first().copied();
        let start = block.span.start;
        let here = |n: &usize| {
            self.comments[*n].span.start > start
                && !self.breaks(start, self.comments[*n].span.start)
        };
        if let Some(n) = found.filter(here) {
            let comment = self.take(n);
            self.out.push_str(&format!(" {}", comment.text));
        }
    }
}

pub(super) fn named(before: &str, name: Option<&Name>) -> String {
    name.map_or(String::new(), |name| format!("{before}{}", name.text))
}

fn out_words(words: &[Name]) -> String {
    words
        .iter()
        .fold("on out".to_string(), |text, word| text + " " + &word.text)
}

fn assign_sign(op: AssignOp) -> &'static str {
    match op {
        AssignOp::Set => ":=",
        AssignOp::Add => "+=",
        AssignOp::Subtract => "-=",
    }
}

/// Whether a statement has blocks of its own.
fn has_block(statement: &StatementSyntax) -> bool {
    use StatementKindSyntax as TokenKind;
    matches!(
        statement.kind,
        TokenKind::Open { .. }
            | TokenKind::If { .. }
            | TokenKind::Foreach { .. }
            | TokenKind::Repeat { .. }
            | TokenKind::On { .. }
            | TokenKind::Out { body: Some(_), .. }
            | TokenKind::Expect { .. }
            | TokenKind::Ask { .. }
            | TokenKind::Try { .. }
    )
}
