//! Driven layers above a transport: what they run on, and whether they ask for something.

use super::checker::Checker;
use super::layers;
use super::shape::SeenLayer;
use crate::diagnostics as d;
use crate::driven::{OptionRule, Request};
use crate::ir::{Driven, DrivenKind, Expr, FieldSetting, Span, StackId, StackLayer};
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::Value;

impl Checker<'_> {
    /// `TLS!` runs on `TCP!`, in one head with it.
    pub fn judge_session(
        &mut self,
        kind: DrivenKind,
        below: SeenLayer,
        continues: bool,
        span: Span,
    ) {
        let name = kind.name();
        let on: Vec<String> = kind
            .layer()
            .runs_on
            .iter()
            .map(|k| format!("`{}!`", k.name()))
            .collect();
        let report =
            |message: String| Occurrence::new(&d::session_place::DIAGNOSTIC, span, message);
        if !layers::carries(below, SeenLayer::Driven(kind, None)) {
            let written = below.name();
            self.tell(
                report(format!("`{name}!` does not run on `{written}`")).help(format!(
                    "it runs on {}: `/IP!(dst=…){}/{name}!(…)`",
                    on.join(", "),
                    kind.layer().example_below
                )),
            );
        } else if continues {
            let below = below.name();
            self.tell(
                report(format!(
                    "`{name}!` must be in the same stack as its `{below}!`"
                ))
                .help(format!("write `/IP!(…)/{below}!(…)/{name}!(…)`")),
            );
        }
    }

    /// What is asked for, of all layers of a head.
    pub fn judge_requests(&mut self, id: StackId) {
        let own: Vec<Driven> = self
            .stack(id)
            .layers
            .iter()
            .filter_map(|l| {
                if let StackLayer::Driven(d) = l {
                    Some(d.clone())
                } else {
                    None
                }
            })
            .collect();
        for driven in &own {
            if let Some(request) = driven.kind.layer().request {
                self.judge_request(driven, request);
            }
            for rule in driven.kind.layer().rules {
                self.judge_rule(driven, rule);
            }
        }
    }

    /// A layer that makes one request is asked for exactly one thing.
    fn judge_request(&mut self, driven: &Driven, request: &Request) {
        let asked = request
            .one_of
            .iter()
            .filter(|option| value_of(driven, option).is_some());
        match asked.count() {
            0 => self.asks_nothing(driven, request.missing),
            1 => {}
            _ => self.asks_nothing(driven, request.several),
        }
    }

    fn asks_nothing(&mut self, driven: &Driven, (message, help): (&str, &str)) {
        self.tell(Occurrence::new(&d::no_request::DIAGNOSTIC, driven.span, message).help(help));
    }

    fn judge_rule(&mut self, driven: &Driven, rule: &OptionRule) {
        match rule {
            OptionRule::AsksForPath(of_url) => {
                let ways = driven.kind.layer().request.map_or(&[][..], |r| r.one_of);
                let mut asked = ways.iter().filter_map(|way| value_of(driven, way));
                if let (Some(path), None) = (asked.next(), asked.next()) {
                    self.judge_path(path, of_url);
                }
            }
            OptionRule::Needs(option, other, words) => {
                if value_of(driven, option).is_some() && value_of(driven, other).is_none() {
                    self.asks_nothing(driven, *words);
                }
            }
            OptionRule::Words {
                options,
                words,
                what,
                known,
            } => {
                for (option, near) in *options {
                    if let Some(written) = value_of(driven, option) {
                        self.judge_word(written, words, (what, known), near);
                    }
                }
            }
        }
    }

    fn judge_path(&mut self, path: &Expr, of_url: &str) {
        let Some(Value::Str(text)) = self.value(path) else {
            return;
        };
        if text.starts_with('/') {
            return;
        }
        let report = Occurrence::new(
            &d::request_path::DIAGNOSTIC,
            path.span,
            format!(
                "a path starts with `/`, and this is `{}`",
                text.escape_debug()
            ),
        );
        let bare = text.split_once("://").map_or(&*text, |(_, rest)| {
            rest.split_once('/').map_or("", |(_, path)| path)
        });
        let whole = text.contains("://");
        let report = report.suggest("add the `/`", path.span, format!("\"/{bare}\""));
        self.tell(if whole { report.help(of_url) } else { report });
    }

    /// An option that takes certain words only.
    fn judge_word(
        &mut self,
        written: &Expr,
        words: &[&str],
        (what, known): (&str, &str),
        near: &str,
    ) {
        let Some(Value::Str(word)) = self.value(written) else {
            return;
        };
        if words.contains(&&*word) {
            return;
        }
        let message = format!("{what} `{}` is not supported: {known}", word.escape_debug());
        self.tell(
            Occurrence::new(&d::unknown_value::DIAGNOSTIC, written.span, message).suggest(
                "use a supported version",
                written.span,
                near,
            ),
        );
    }
}

fn value_of<'d>(driven: &'d Driven, option: &str) -> Option<&'d Expr> {
    driven
        .options
        .iter()
        .find(|(o, _)| o.name == option)
        .and_then(|(_, value)| {
            if let FieldSetting::Value(e) = value {
                Some(e)
            } else {
                None
            }
        })
}
