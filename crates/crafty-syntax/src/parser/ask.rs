//! `ask`: a question that is sent again until it is answered.

use super::{Parse, Parser};
use crate::ast::{Span, StatementKindSyntax};
use crate::diagnostics::ask_alone;

impl Parser<'_> {
    /// `ask tries=3 as n { } expect timeout=1s PATTERN { } or PATTERN { } else { }`
    pub(super) fn ask(&mut self) -> Parse<StatementKindSyntax> {
        let word = self.bump();
        let options = self.options()?;
        let counter = if self.eat("as") {
            Some(self.new_name("a name for the number of the try")?)
        } else {
            None
        };
        let body = self.block("ask")?;
        if !self.at("expect") {
            let end = self.previous().end;
            return self.lose(ask_alone::at(word, Span { start: end, end }));
        }
        let expects = self.span();
        let StatementKindSyntax::Expect {
            options: waiting,
            arms,
            otherwise,
        } = self.expect_statement()?
        else {
            return Err(super::Lost);
        };
        Ok(StatementKindSyntax::Ask {
            options,
            counter,
            body,
            expects,
            waiting,
            arms,
            otherwise,
        })
    }
}
