//! Literals, names, calls, and what follows them in brackets or after a dot.

use super::{Parse, Parser, TokenKind};
use crate::ast::{Arg, ExprKindSyntax, ExprSyntax, Index, Span, StringPieceSyntax};
use crate::diagnostics::{capital_constant, expected, packet_read, range_step, reserved_name};
use crate::token::{StringPart, Token};

impl Parser<'_> {
    pub(super) fn postfix(&mut self) -> Parse<ExprSyntax> {
        let mut expr = self.primary()?;
        let mut height = self.height;
        while !self.line_ends() {
            let kind = if self.at("[") {
                let index = self.index()?;
                height = height.max(self.height);
                ExprKindSyntax::Index(Box::new(expr), Box::new(index))
            } else if self.at(".") {
                self.dotted(expr)?
            } else {
                break;
            };
            let span = self.since(first_span(&kind));
            height = self.grown(height, span)?;
            expr = ExprSyntax { kind, span };
        }
        self.height = height;
        Ok(expr)
    }

    /// What a dot leads to: a part; `MATCH.TCP` is read as `MATCH[TCP]`, a method as nothing.
    fn dotted(&mut self, of: ExprSyntax) -> Parse<ExprKindSyntax> {
        let dot = self.bump();
        if matches!(self.peek().kind, TokenKind::Layer) {
            let (layer, _) = self.layer_name();
            self.report(packet_read::dotted(
                dot.to(layer.span),
                self.text(of.span),
                &layer.text,
            ));
            return Ok(ExprKindSyntax::Index(
                Box::new(of),
                Box::new(Index::Layer(layer, None)),
            ));
        }
        let name = self.word("a field's name")?;
        if self.at("(") && !self.line_ends() {
            self.method_value(of.span, &name.text)?;
            return Ok(ExprKindSyntax::Member(
                Box::new(ExprSyntax {
                    kind: ExprKindSyntax::Broken,
                    span: of.span,
                }),
                name,
            ));
        }
        Ok(ExprKindSyntax::Member(Box::new(of), name))
    }

    fn primary(&mut self) -> Parse<ExprSyntax> {
        let start = self.span();
        self.height = 0;
        let kind = match &self.peek().kind {
            TokenKind::Name if self.calls() => return self.call(start),
            TokenKind::Keyword("has") if self.calls() => return self.call(start),
            TokenKind::Name => ExprKindSyntax::Name(self.text(start).to_string()),
            TokenKind::String(_) => return self.string(start),
            TokenKind::Layer | TokenKind::Driven => return self.layer_value(start),
            TokenKind::Reserved => self.reserved(start)?,
            TokenKind::Sign("(") => return self.paren(start),
            TokenKind::Sign("[") => return self.array(start),
            TokenKind::Sign("{") if self.at_record() => return self.record_value(start),
            TokenKind::Sign("{") if self.ahead(1).kind.is("}") => {
                let place = start.to(self.ahead(1).span);
                return self.lose(expected::empty_braces(place));
            }
            TokenKind::Sign("/") if self.at_slash() => return self.stack_as_value(start),
            kind => match literal(kind) {
                Some(kind) => kind,
                None => return Err(self.expected("a value")),
            },
        };
        self.bump();
        Ok(ExprSyntax { kind, span: start })
    }

    /// Whether `(` follows in this line.
    fn calls(&self) -> bool {
        let next = self.ahead(1);
        next.kind.is("(") && (self.inside > 0 || !next.newline)
    }

    fn reserved(&mut self, span: Span) -> Parse<ExprKindSyntax> {
        match self.text(span) {
            "MATCH" => Ok(ExprKindSyntax::Match),
            "STACK" => Ok(ExprKindSyntax::Stack),
            word => self.lose(reserved_name::read(span, word)),
        }
    }

    fn paren(&mut self, start: Span) -> Parse<ExprSyntax> {
        self.nested(|p| {
            p.bump();
            p.inside += 1;
            let inner = p.condition()?;
            if !p.at(")") {
                return Err(p.unclosed(start, ")"));
            }
            p.bump();
            p.inside -= 1;
            p.wrapped(start, ExprKindSyntax::Paren(Box::new(inner)))
        })
    }

    fn array(&mut self, start: Span) -> Parse<ExprSyntax> {
        let (items, _) = self.tallest("]", Self::expr)?;
        self.wrapped(start, ExprKindSyntax::Array(items))
    }

    /// A list whose height is that of its highest item.
    fn tallest<T>(
        &mut self,
        close: &'static str,
        item: impl Fn(&mut Self) -> Parse<T>,
    ) -> Parse<(Vec<T>, Span)> {
        let mut height = 0;
        let listed = self.listed(close, |p| {
            let value = item(p)?;
            height = height.max(p.height);
            Ok(value)
        });
        self.height = height;
        listed
    }

    fn call(&mut self, start: Span) -> Parse<ExprSyntax> {
        let name = self.word("a function")?;
        let (args, _) = self.tallest(")", Self::given)?;
        self.wrapped(start, ExprKindSyntax::Call { name, args })
    }

    fn given(&mut self) -> Parse<Arg> {
        self.height = 0;
        if self.at_option() {
            let name = self.word("an argument")?;
            self.bump();
            return Ok(Arg::Named(name, self.expr()?));
        }
        if self.bare_layer() && !self.constant_in_capitals() {
            return Ok(Arg::Layer(self.layer_name().0));
        }
        Ok(Arg::Value(self.expr()?))
    }

    /// A layer that stands for itself: before `,` or a closing bracket.
    fn bare_layer(&self) -> bool {
        let next = &self.ahead(1).kind;
        matches!(self.peek().kind, TokenKind::Layer)
            && [",", ")", "]"].iter().any(|sign| next.is(sign))
    }

    /// `Layer.word`; anything else with a capital is not a value.
    fn layer_value(&mut self, start: Span) -> Parse<ExprSyntax> {
        let next = &self.ahead(1).kind;
        if next.is(".") && matches!(self.peek().kind, TokenKind::Layer) {
            let (layer, _) = self.layer_name();
            self.bump();
            let value = self.word("the name of a value")?;
            return Ok(ExprSyntax {
                kind: ExprKindSyntax::Named { layer, value },
                span: self.since(start),
            });
        }
        let text = self.text(start);
        let more = next.is("(")
            || self.slash_at(1) && !self.ahead(1).newline
            || matches!(self.peek().kind, TokenKind::Driven);
        let stack = more && !self.capitals.contains(text);
        if let Some(row) = capital_constant::ROWS
            .iter()
            .find(|row| row.written == text)
        {
            self.report(capital_constant::at(start, row));
            self.bump();
            return Ok(ExprSyntax {
                kind: ExprKindSyntax::Broken,
                span: start,
            });
        }
        if stack {
            return self.stack_as_value(start);
        }
        self.capital(start);
        self.bump();
        Ok(ExprSyntax {
            kind: ExprKindSyntax::Broken,
            span: start,
        })
    }

    /// `[IP]`, `[IP, -1]`, `[i]`, `[a:b]`
    pub(super) fn index(&mut self) -> Parse<Index> {
        let open = self.span();
        self.nested(|p| {
            p.bump();
            p.inside += 1;
            p.height = 0;
            let index = if p.bare_layer() {
                p.layer_index()?
            } else {
                p.range()?
            };
            if !p.at("]") {
                return Err(p.unclosed(open, "]"));
            }
            p.bump();
            p.inside -= 1;
            Ok(index)
        })
    }

    fn layer_index(&mut self) -> Parse<Index> {
        let (layer, _) = self.layer_name();
        if !self.eat(",") {
            return Ok(Index::Layer(layer, None));
        }
        let minus = self.eat("-");
        let TokenKind::Int { value, size: false } = self.peek().kind else {
            return Err(self.expected("a whole number for the layer's position"));
        };
        self.bump();
        Ok(Index::Layer(
            layer,
            Some(if minus { -value } else { value }),
        ))
    }

    fn range(&mut self) -> Parse<Index> {
        let low = if self.at(":") {
            None
        } else {
            Some(self.expr()?)
        };
        let height = self.height;
        if !self.at(":") {
            return match low {
                Some(at) => Ok(Index::At(at)),
                None => Err(self.expected("an index")),
            };
        }
        self.bump();
        let high = if self.at_any(&["]", ":"]) {
            None
        } else {
            Some(self.expr()?)
        };
        self.height = self.height.max(height);
        if self.at(":") {
            let step = self.span();
            return self.lose(range_step::at(step));
        }
        Ok(Index::Slice(low, high))
    }

    fn string(&mut self, start: Span) -> Parse<ExprSyntax> {
        let at = self.at;
        self.bump();
        let parts = match &mut self.tokens[at].kind {
            TokenKind::String(parts) => core::mem::take(parts),
            _ => Vec::new(),
        };
        let mut pieces = Vec::new();
        let mut height = 0;
        for part in parts {
            match part {
                StringPart::Text(text) => pieces.push(StringPieceSyntax::Text(text)),
                StringPart::Hole(tokens, format) => {
                    pieces.push(StringPieceSyntax::Hole(Box::new(self.hole(tokens)), format));
                    height = height.max(self.height);
                }
            }
        }
        self.height = height;
        self.wrapped(start, ExprKindSyntax::String(pieces))
    }

    /// The expression of a hole. Its mistakes do not spoil what is around the string.
    fn hole(&mut self, tokens: Vec<Token>) -> ExprSyntax {
        let span = tokens
            .first()
            .map_or(Span::default(), |t| t.span)
            .to(tokens.last().map_or(Span::default(), |t| t.span));
        let outer = (
            core::mem::replace(&mut self.tokens, tokens),
            self.at,
            self.inside,
            self.line,
        );
        (self.at, self.inside) = (0, 1);
        let nesting = self.nesting;
        let read = self.nested(Self::expr);
        if read.is_ok() && !self.at_end() {
            self.expected("`}`");
        }
        (self.nesting, self.tokens) = (nesting, outer.0);
        (self.at, self.inside, self.line) = (outer.1, outer.2, outer.3);
        read.unwrap_or(ExprSyntax {
            kind: ExprKindSyntax::Broken,
            span,
        })
    }
}

/// Where the operand of an index or a field begins.
fn first_span(kind: &ExprKindSyntax) -> Span {
    match kind {
        ExprKindSyntax::Index(of, _) | ExprKindSyntax::Member(of, _) => of.span,
        _ => Span::default(),
    }
}

fn literal(kind: &TokenKind) -> Option<ExprKindSyntax> {
    Some(match kind {
        TokenKind::Int { value, size } => ExprKindSyntax::Int {
            value: *value,
            size: *size,
        },
        TokenKind::Float(value) => ExprKindSyntax::Float(*value),
        TokenKind::Duration(value) => ExprKindSyntax::Duration(*value),
        TokenKind::Bytes(octets) => ExprKindSyntax::Bytes(octets.clone()),
        TokenKind::Ip(address, zone) => ExprKindSyntax::Ip(*address, zone.clone()),
        TokenKind::Net(net) => ExprKindSyntax::Net(*net),
        TokenKind::Mac(mac) => ExprKindSyntax::Mac(*mac),
        TokenKind::Keyword("true") => ExprKindSyntax::Bool(true),
        TokenKind::Keyword("false") => ExprKindSyntax::Bool(false),
        TokenKind::Keyword("auto") => ExprKindSyntax::Auto,
        TokenKind::Bad => ExprKindSyntax::Broken,
        _ => return None,
    })
}
