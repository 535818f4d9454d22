//! Patterns of `on` and `expect`: a stack whose parentheses hold conditions.

use super::{Parse, Parser, TokenKind, is_layer};
use crate::MAX_NESTING;
use crate::ast::{
    ArmSyntax, ElementSyntax, ExprSyntax, FieldTestSyntax, Index, Name, PatternSyntax, RelOp, Span,
};
use crate::diagnostics::{
    bang_not, equals_in_pattern, no_pattern, pattern_and, qualified_field, too_deep,
};

/// Most tests that conditions in parentheses may be, written out.
const MAX_TESTS: usize = 256;

/// Whether a `/` on the next line continues with the pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PatternLines {
    /// It does.
    Any,
    /// It begins the next statement.
    One,
}

/// What the parentheses of an element hold.
#[derive(Default)]
struct Conditions {
    all: Vec<Vec<FieldTestSyntax>>,
    positional: Option<ExprSyntax>,
}

impl Parser<'_> {
    pub(super) fn arm(&mut self) -> Parse<ArmSyntax> {
        self.arm_on(PatternLines::Any)
    }

    /// The same where no block has to follow: a line that begins with `/` is the next statement.
    pub(super) fn arm_of_line(&mut self) -> Parse<ArmSyntax> {
        self.arm_on(PatternLines::One)
    }

    fn arm_on(&mut self, lines: PatternLines) -> Parse<ArmSyntax> {
        let start = self.span();
        let pattern = self.pattern(lines)?;
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
        Ok(ArmSyntax {
            pattern,
            filter,
            name,
            span: self.since(start),
        })
    }

    fn pattern(&mut self, lines: PatternLines) -> Parse<PatternSyntax> {
        let start = self.span();
        if self.at("{") {
            return self.lose(no_pattern::at(start));
        }
        let from_bottom = self.eat("/");
        let mut elements = vec![if from_bottom {
            self.element_or_any()?
        } else {
            self.pattern_element()?
        }];
        while !(lines == PatternLines::One && self.peek().newline) && self.eat("/") {
            elements.push(self.element_or_any()?);
        }
        Ok(PatternSyntax {
            from_bottom,
            elements,
            span: self.since(start),
        })
    }

    fn element_or_any(&mut self) -> Parse<ElementSyntax> {
        let start = self.span();
        if self.eat("*") {
            return Ok(ElementSyntax::Any(start));
        }
        self.pattern_element()
    }

    fn pattern_element(&mut self) -> Parse<ElementSyntax> {
        let start = self.span();
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
        Ok(ElementSyntax::Layer {
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
            let mut tests = self.term()?;
            while self.eat("or") {
                let other = self.term()?;
                tests = self.either(&tests, &other)?;
            }
            into.all.append(&mut tests);
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

    /// A test, or conditions in parentheses, perhaps denied: all must hold, of each list one.
    fn term(&mut self) -> Parse<Vec<Vec<FieldTestSyntax>>> {
        let start = self.span();
        if self.at("(") {
            return self.group_of_tests();
        }
        let denies = self.at("!") || self.at("not");
        let next = &self.ahead(1).kind;
        if !denies || !["(", "not", "!"].iter().any(|sign| next.is(sign)) {
            return Ok(vec![vec![self.test()?]]);
        }
        let bang = self.eat("!");
        if !bang {
            self.bump();
        }
        let inner = self.nested(Self::term)?;
        if bang {
            let rest = self.since(start);
            let rest = Span {
                start: start.end,
                ..rest
            };
            self.report(bang_not::at(start, self.text(rest)));
        }
        self.denied(&inner)
    }

    /// `(a == 1 or b == 2, c == 3)`
    fn group_of_tests(&mut self) -> Parse<Vec<Vec<FieldTestSyntax>>> {
        let mut inside = Conditions::default();
        self.listed(")", |p| p.condition_of(&mut inside))?;
        if inside.positional.is_some() || inside.all.is_empty() {
            return Err(self.expected("a condition, such as `ttl < 5`"));
        }
        Ok(inside.all)
    }

    /// `a or b` of conditions that are each "and" of "or".
    fn either(
        &mut self,
        a: &[Vec<FieldTestSyntax>],
        b: &[Vec<FieldTestSyntax>],
    ) -> Parse<Vec<Vec<FieldTestSyntax>>> {
        let lists = |of: &[Vec<FieldTestSyntax>]| of.iter().map(Vec::len).sum::<usize>();
        if lists(a) * b.len() + lists(b) * a.len() > MAX_TESTS {
            let place = self.previous();
            return self.lose(too_deep::conditions(place));
        }
        let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
        Ok(pairs.map(|(x, y)| [x.as_slice(), y].concat()).collect())
    }

    /// `not (a or b, c)`: one of the lists has no test that holds (De Morgan).
    fn denied(&mut self, all: &[Vec<FieldTestSyntax>]) -> Parse<Vec<Vec<FieldTestSyntax>>> {
        let deny = |test: &FieldTestSyntax| {
            vec![FieldTestSyntax {
                negated: !test.negated,
                ..test.clone()
            }]
        };
        let mut lists = all
            .iter()
            .map(|list| list.iter().map(deny).collect::<Vec<_>>());
        let first = lists.next().unwrap_or_default();
        lists.try_fold(first, |sum, next| self.either(&sum, &next))
    }

    /// Where the token before this one ends.
    fn previous_end_before(&self, span: Span) -> u32 {
        let before = self.source.get(..span.start as usize).unwrap_or("");
        before.trim_end_matches([' ', '\t']).len() as u32
    }

    /// A field is here, not a value: a value in a pattern's parentheses is the checker's to
    /// explain.
    fn at_test(&self) -> bool {
        (0..=MAX_NESTING)
            .find(|n| !self.ahead(*n).kind.is("("))
            .is_some_and(|n| self.test_at(n))
    }

    fn test_at(&self, n: usize) -> bool {
        let next = &self.ahead(n + 1).kind;
        match self.ahead(n).kind {
            TokenKind::Name | TokenKind::Keyword("in" | "has" | "or" | "and") => {
                !next.is(",") && !next.is(")") && !next.is("(")
            }
            TokenKind::Keyword("true" | "false" | "auto") => false,
            TokenKind::Keyword(_) => true,
            TokenKind::Layer => next.is("."),
            _ => self.ahead(n).kind.is("!"),
        }
    }

    fn test(&mut self) -> Parse<FieldTestSyntax> {
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
        Ok(FieldTestSyntax {
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
