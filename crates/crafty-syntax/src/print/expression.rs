//! Expressions. Literals are printed as they were written.

use super::list::{Brackets, ListItem};
use super::{Layout, SyntaxPrinter};
use crate::ast::{
    Arg, BinaryOp, ExprKindSyntax, ExprSyntax, Index, Name, OperandSyntax, RelOp, Span,
};

/// Operators as written.
const BINARY: &[(BinaryOp, &str)] = &[
    (BinaryOp::Add, "+"),
    (BinaryOp::Subtract, "-"),
    (BinaryOp::Multiply, "*"),
    (BinaryOp::Divide, "/"),
    (BinaryOp::Remainder, "%"),
    (BinaryOp::And, "and"),
    (BinaryOp::Or, "or"),
];

/// Relations as written.
const RELATIONS: &[(RelOp, &str)] = &[
    (RelOp::Eq, "=="),
    (RelOp::Ne, "!="),
    (RelOp::Lt, "<"),
    (RelOp::Le, "<="),
    (RelOp::Gt, ">"),
    (RelOp::Ge, ">="),
    (RelOp::In, "in"),
    (RelOp::NotIn, "not in"),
    (RelOp::Has, "has"),
    (RelOp::NotHas, "not has"),
];

/// How a relation is written.
pub(super) fn relation(op: RelOp) -> &'static str {
    RELATIONS
        .iter()
        .find(|(of, _)| *of == op)
        .map_or("", |(_, text)| text)
}

impl SyntaxPrinter<'_> {
    pub(super) fn expr(&mut self, expr: &ExprSyntax, mode: Layout) -> String {
        match &expr.kind {
            ExprKindSyntax::Call { name, args } => {
                let region = Span {
                    start: name.span.end,
                    end: expr.span.end,
                };
                name.text.clone() + &self.args(args, region, mode)
            }
            ExprKindSyntax::Array(items) => {
                let items: Vec<ListItem> = items.iter().map(item).collect();
                self.list(
                    &Brackets {
                        open: "[",
                        close: "]",
                        pad: "",
                        region: expr.span,
                    },
                    &items,
                    mode,
                )
            }
            ExprKindSyntax::Record(parts) => {
                let items: Vec<ListItem> = parts.iter().map(part).collect();
                self.list(
                    &Brackets {
                        open: "{",
                        close: "}",
                        pad: "",
                        region: expr.span,
                    },
                    &items,
                    mode,
                )
            }
            ExprKindSyntax::Paren(inner) => format!("({})", self.expr(inner, mode.inner())),
            ExprKindSyntax::Index(of, index) => {
                self.expr(of, mode) + &self.index(index, mode.inner())
            }
            ExprKindSyntax::Member(of, name) => {
                let pad = if is_dotted(of) { " " } else { "" };
                format!("{}{pad}.{}", self.expr(of, mode), name.text)
            }
            ExprKindSyntax::Negate(of) => format!("-{}", self.expr(of, mode)),
            ExprKindSyntax::Not(of) => format!("not {}", self.expr(of, mode)),
            ExprKindSyntax::Binary(op, left, right) => {
                let sign = BINARY
                    .iter()
                    .find(|(of, _)| of == op)
                    .map_or("", |(_, text)| text);
                let gap = self.gap(left.span.end, right.span.start, mode);
                format!(
                    "{} {sign}{gap}{}",
                    self.expr(left, mode),
                    self.expr(right, mode)
                )
            }
            ExprKindSyntax::Compare(op, left, right) => {
                let gap = self.gap(left.span.end, operand_start(right), mode);
                format!(
                    "{} {}{gap}{}",
                    self.expr(left, mode),
                    relation(*op),
                    self.operand(member(left), right, mode)
                )
            }
            ExprKindSyntax::Named { layer, value } => format!("{}.{}", layer.text, value.text),
            _ => self.text(expr.span).to_string(),
        }
    }

    /// What is behind an operator: a blank, or a line end where the author broke the line there.
    pub(super) fn gap(&self, from: u32, to: u32, mode: Layout) -> String {
        if mode.flat || !self.breaks(from, to) {
            " ".to_string()
        } else {
            format!("\n{}", " ".repeat(mode.indent + 4))
        }
    }

    /// The same without a blank.
    pub(super) fn bare_gap(&self, from: u32, to: u32, mode: Layout) -> String {
        self.gap(from, to, mode).trim_start_matches(' ').to_string()
    }

    /// The value of a field: a set of flags is one word, `syn+ack`.
    fn value_of(&mut self, field: &str, value: &ExprSyntax, mode: Layout) -> String {
        let set = if field == "flags" && !self.breaks(value.span.start, value.span.end) {
            flag_set(value)
        } else {
            None
        };
        set.unwrap_or_else(|| self.expr(value, mode))
    }

    /// What a field is compared with.
    pub(super) fn operand(&mut self, field: &str, operand: &OperandSyntax, mode: Layout) -> String {
        match operand {
            OperandSyntax::Value(value) => self.value_of(field, value, mode),
            OperandSyntax::Range(low, high) => {
                let (low, high) = (self.expr(low, mode), self.expr(high, mode));
                range(&low, &high)
            }
        }
    }

    fn args(&mut self, args: &[Arg], region: Span, mode: Layout) -> String {
        let items: Vec<ListItem> = args
            .iter()
            .map(|arg| match arg {
                Arg::Value(value) => item(value),
                Arg::Named(name, value) => named(Some(name), value),
                Arg::Layer(name) => ListItem {
                    span: name.span,
                    show: Box::new(|_, _| name.text.clone()),
                },
            })
            .collect();
        self.list(
            &Brackets {
                open: "(",
                close: ")",
                pad: "",
                region,
            },
            &items,
            mode,
        )
    }

    pub(super) fn index(&mut self, index: &Index, mode: Layout) -> String {
        match index {
            Index::Layer(name, None) => format!("[{}]", name.text),
            Index::Layer(name, Some(n)) => format!("[{}, {n}]", name.text),
            Index::At(at) => format!("[{}]", self.expr(at, mode)),
            Index::Slice(low, high) => {
                let mut end = |end: &Option<ExprSyntax>| {
                    end.as_ref()
                        .map_or(String::new(), |end| self.expr(end, mode))
                };
                let (low, high) = (end(low), end(high));
                // Beside an address a `:` without blanks would be read as part of it.
                let pad = if low.contains(':') || high.contains(':') {
                    " "
                } else {
                    ""
                };
                format!("[{low}{pad}:{pad}{high}]")
            }
        }
    }
}

/// `low..high`; beside an address the dots would be read as part of it.
pub(super) fn range(low: &str, high: &str) -> String {
    let dotted = |text: &str| text.contains(':') || text.matches('.').count() > 1;
    if dotted(low) || dotted(high) {
        format!("{low} .. {high}")
    } else {
        format!("{low}..{high}")
    }
}

/// Whether a dot right behind it would be read as part of it.
fn is_dotted(expr: &ExprSyntax) -> bool {
    matches!(
        expr.kind,
        ExprKindSyntax::Ip(..)
            | ExprKindSyntax::Net(_)
            | ExprKindSyntax::Mac(_)
            | ExprKindSyntax::Int { .. }
            | ExprKindSyntax::Float(_)
    )
}

/// A value as an item.
pub(super) fn item(value: &ExprSyntax) -> ListItem<'_> {
    ListItem {
        span: value.span,
        show: Box::new(move |p, mode| p.expr(value, mode)),
    }
}

/// `name: value`, as an item.
fn part((name, value): &(Name, ExprSyntax)) -> ListItem<'_> {
    ListItem {
        span: name.span.to(value.span),
        show: Box::new(move |p, mode| format!("{}: {}", name.text, p.expr(value, mode))),
    }
}

/// `name=value`, or the value alone, as an item.
pub(super) fn named<'a>(name: Option<&'a Name>, value: &'a ExprSyntax) -> ListItem<'a> {
    let Some(name) = name else { return item(value) };
    ListItem {
        span: name.span.to(value.span),
        show: Box::new(move |p, mode| {
            format!("{}={}", name.text, p.value_of(&name.text, value, mode))
        }),
    }
}

fn operand_start(operand: &OperandSyntax) -> u32 {
    match operand {
        OperandSyntax::Value(value) | OperandSyntax::Range(value, _) => value.span.start,
    }
}

/// Names with `+` between them, as one word.
fn flag_set(value: &ExprSyntax) -> Option<String> {
    match &value.kind {
        ExprKindSyntax::Name(name) => Some(name.clone()),
        ExprKindSyntax::Binary(BinaryOp::Add, left, right) => {
            Some(format!("{}+{}", flag_set(left)?, flag_set(right)?))
        }
        _ => None,
    }
}

/// The name after the last dot.
fn member(of: &ExprSyntax) -> &str {
    if let ExprKindSyntax::Member(_, name) = &of.kind {
        &name.text
    } else {
        ""
    }
}
