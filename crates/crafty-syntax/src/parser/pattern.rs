//! Patterns of `on` and `expect`: a stack whose parentheses hold conditions.

use super::{Parse, Parser, TokenKind, is_layer};
use crate::ast::{Arm, Element, Expr, Index, Name, Pattern, RelOp, Span, Test};
use crate::diagnostics::{bang_not, equals_in_pattern, no_pattern, pattern_and, qualified_field};

/// What the parentheses of an element hold.
#[derive(Default)]
struct Conditions {
    all: Vec<Vec<Test>>,
    positional: Option<Expr>,
}

impl Parser<'_> {
    pub(super) fn arm(&mut self) -> Parse<Arm> {
        self.arm_on(false)
    }

    /// The same where no block has to follow: a line that begins with `/` is the next statement.
    pub(super) fn arm_of_line(&mut self) -> Parse<Arm> {
        self.arm_on(true)
    }

    fn arm_on(&mut self, one_line: bool) -> Parse<Arm> {
        let start = self.span();
        let pattern = self.pattern(one_line)?;
        let filter = if self.eat("where") {
            Some(self.condition()?)
        } else {
            None
        };
        let name = if self.eat("as") {
            Some(self.new_name("a name for the packet")?)
        } else {
            None
        };
        Ok(Arm {
            pattern,
            filter,
            name,
            span: self.since(start),
        })
    }

    fn pattern(&mut self, one_line: bool) -> Parse<Pattern> {
        let start = self.span();
        if self.at("{") {
            return self.lose(no_pattern::at(start));
        }
        let from_bottom = self.eat("/");
        let mut elements = vec![self.pattern_element(from_bottom)?];
        while !(one_line && self.peek().newline) && self.eat("/") {
            elements.push(self.pattern_element(true)?);
        }
        Ok(Pattern {
            from_bottom,
            elements,
            span: self.since(start),
        })
    }

    fn pattern_element(&mut self, any: bool) -> Parse<Element> {
        let start = self.span();
        if any && self.eat("*") {
            return Ok(Element::Any(start));
        }
        if !self.at_layer() {
            return Err(self.no_layer());
        }
        let (name, driven) = self.layer_with_bang();
        let mut inside = Conditions::default();
        if self.at("(") && !self.peek().newline {
            self.listed(")", |p| p.condition_of(&mut inside))?;
        }
        let Conditions {
            all: conditions,
            positional,
        } = inside;
        Ok(Element::Layer {
            name,
            driven,
            conditions,
            positional,
            span: self.since(start),
        })
    }

    /// `test or test`; `and` between tests is read as a comma.
    fn condition_of(&mut self, into: &mut Conditions) -> Parse<()> {
        if !self.at_test() {
            if into.positional.is_some() || !into.all.is_empty() {
                return Err(self.expected("a condition, such as `ttl < 5`"));
            }
            into.positional = Some(self.expr()?);
            return Ok(());
        }
        loop {
            let mut tests = vec![self.test()?];
            while self.eat("or") {
                tests.push(self.test()?);
            }
            into.all.push(tests);
            if !self.at("and") {
                return Ok(());
            }
            let and = self.bump();
            self.report(pattern_and::at(Span {
                start: self.previous_end_before(and),
                end: and.end,
            }));
        }
    }

    /// Where the token before this one ends.
    fn previous_end_before(&self, span: Span) -> u32 {
        let before = self.source.get(..span.start as usize).unwrap_or("");
        before.trim_end_matches([' ', '\t']).len() as u32
    }

    /// A field stands here, not a value: a value in a pattern's parentheses is the checker's to
    /// explain.
    fn at_test(&self) -> bool {
        let next = &self.ahead(1).kind;
        match self.peek().kind {
            TokenKind::Name | TokenKind::Keyword("in" | "has" | "or" | "and") => {
                !next.is(",") && !next.is(")") && !next.is("(")
            }
            TokenKind::Keyword("true" | "false" | "auto") => false,
            TokenKind::Keyword(_) => true,
            TokenKind::Layer => next.is("."),
            _ => self.at("!"),
        }
    }

    fn test(&mut self) -> Parse<Test> {
        let start = self.span();
        let bang = self.at("!");
        let negated = self.eat("!") || self.eat("not");
        let (field, slice) = self.field()?;
        let op = self.test_relation()?;
        let operand = self.operand()?;
        let span = self.since(start);
        if bang {
            let inner = Span {
                start: field[0].span.start,
                end: span.end,
            };
            self.report(bang_not::at(start, self.text(inner)));
        }
        Ok(Test {
            negated,
            field,
            slice,
            op,
            operand,
            span,
        })
    }

    fn field(&mut self) -> Parse<(Vec<Name>, Option<Index>)> {
        if is_layer(&self.peek().kind) && self.ahead(1).kind.is(".") {
            let layer = self.bump();
            let dot = self.bump();
            self.report(qualified_field::at(layer.to(dot), self.text(layer)));
        }
        let mut field = vec![self.word("a field of this layer")?];
        while self.eat(".") {
            field.push(self.word("a field's name")?);
        }
        let slice = if self.at("[") {
            Some(self.index()?)
        } else {
            None
        };
        Ok((field, slice))
    }

    /// `=` in a pattern is read as `==`.
    fn test_relation(&mut self) -> Parse<RelOp> {
        if self.at("=") {
            let sign = self.bump();
            let field = self.ahead_of(sign);
            self.report(equals_in_pattern::at(sign, field));
            return Ok(RelOp::Eq);
        }
        match self.relation() {
            Some(op) => Ok(op),
            None => {
                Err(self.expected("a comparison: `==`, `!=`, `<`, `<=`, `>`, `>=`, `in` or `has`"))
            }
        }
    }

    /// The word right before a place.
    fn ahead_of(&self, span: Span) -> &str {
        let before = self
            .source
            .get(..span.start as usize)
            .unwrap_or("")
            .trim_end();
        let start = before
            .bytes()
            .rposition(|c| !(c.is_ascii_alphanumeric() || c == b'_' || c == b'.'))
            .map_or(0, |at| at + 1);
        &before[start..]
    }
}
