//! Stacks, patterns and settings.

use super::expression::{item, named, relation};
use super::list::{Brackets, ListItem};
use super::{Layout, SyntaxPrinter};
use crate::ast::{
    ArmSyntax, ElementSyntax, ExprSyntax, FieldTestSyntax, Group, LayerUse, Name, PatternSyntax,
    SettingValueSyntax, Span, Stack,
};

impl SyntaxPrinter<'_> {
    pub(super) fn stack(&mut self, stack: &Stack, mode: Layout) -> String {
        let mut out = stack
            .through
            .as_ref()
            .map_or(String::new(), |name| format!("{}/", name.text));
        if stack.from_bottom {
            out.push('/');
        }
        let mut end = None;
        for layer in &stack.layers {
            if let Some(end) = end {
                out.push('/');
                out += &self.bare_gap(end, layer.span.start, mode);
            }
            out += &self.layer(layer, mode);
            end = Some(layer.span.end);
        }
        out
    }

    fn layer(&mut self, layer: &LayerUse, mode: Layout) -> String {
        let head = layer_head(&layer.name, layer.driven);
        if layer.args.is_empty() {
            return head;
        }
        let items: Vec<ListItem> = layer
            .args
            .iter()
            .map(|(name, value)| named(name.as_ref(), value))
            .collect();
        head + &self.list(&parentheses(&layer.name, layer.span), &items, mode)
    }

    /// `PATTERN where c as m`
    pub(super) fn arm(&mut self, arm: &ArmSyntax, mode: Layout) -> String {
        let mut out = self.pattern(&arm.pattern, mode);
        if let Some(filter) = &arm.filter {
            let gap = self.gap(arm.pattern.span.end, filter.span.start, mode);
            out += &format!("{gap}where {}", self.expr(filter, mode));
        }
        if let Some(name) = &arm.name {
            out += &format!(" as {}", name.text);
        }
        out
    }

    fn pattern(&mut self, pattern: &PatternSyntax, mode: Layout) -> String {
        let mut out = String::new();
        let mut end = None;
        for element in &pattern.elements {
            if let Some(end) = end {
                out += &self.bare_gap(end, element_span(element).start, mode);
            }
            if end.is_some() || pattern.from_bottom {
                out.push('/');
            }
            out += &self.pattern_element(element, mode);
            end = Some(element_span(element).end);
        }
        out
    }

    fn pattern_element(&mut self, element: &ElementSyntax, mode: Layout) -> String {
        let ElementSyntax::Layer {
            name,
            driven,
            conditions,
            positional,
            span,
        } = element
        else {
            return "*".to_string();
        };
        let head = layer_head(name, *driven);
        let mut items: Vec<ListItem> = positional.iter().map(item).collect();
        items.extend(conditions.iter().map(|tests| condition(tests)));
        if items.is_empty() {
            return head;
        }
        head + &self.list(&parentheses(name, *span), &items, mode)
    }

    fn test(&mut self, test: &FieldTestSyntax, mode: Layout) -> String {
        let field: Vec<&str> = test.field.iter().map(|name| name.text.as_str()).collect();
        let slice = test
            .slice
            .as_ref()
            .map_or(String::new(), |slice| self.index(slice, mode.inner()));
        let not = if test.negated { "not " } else { "" };
        format!(
            "{not}{}{slice} {} {}",
            field.join("."),
            relation(test.op),
            self.operand(field.last().unwrap_or(&""), &test.operand, mode)
        )
    }

    pub(super) fn group(&mut self, group: &Group, mode: Layout) -> String {
        let items: Vec<ListItem> = group
            .entries
            .iter()
            .map(|(key, value)| entry(key, value))
            .collect();
        self.list(
            &Brackets {
                open: "{",
                close: "}",
                pad: " ",
                region: group.span,
            },
            &items,
            mode,
        )
    }

    fn setting_value(&mut self, value: &SettingValueSyntax, mode: Layout) -> String {
        match value {
            SettingValueSyntax::Group(group) => self.group(group, mode),
            SettingValueSyntax::Scalar(value) => self.expr(value, mode),
            SettingValueSyntax::List(items, span) => {
                let items: Vec<ListItem> = items
                    .iter()
                    .map(|(excluded, value)| setting_item(*excluded, value))
                    .collect();
                self.list(
                    &Brackets {
                        open: "[",
                        close: "]",
                        pad: "",
                        region: *span,
                    },
                    &items,
                    mode,
                )
            }
        }
    }
}

fn layer_head(name: &Name, driven: bool) -> String {
    format!("{}{}", name.text, if driven { "!" } else { "" })
}

/// The parentheses behind a layer's name.
fn parentheses(name: &Name, span: Span) -> Brackets {
    Brackets {
        open: "(",
        close: ")",
        pad: "",
        region: Span {
            start: name.span.end,
            end: span.end,
        },
    }
}

fn condition(tests: &[FieldTestSyntax]) -> ListItem<'_> {
    let span = tests
        .first()
        .zip(tests.last())
        .map_or(Span::default(), |(first, last)| first.span.to(last.span));
    let show = move |p: &mut SyntaxPrinter, mode: Layout| {
        let texts: Vec<String> = tests.iter().map(|test| p.test(test, mode)).collect();
        texts.join(" or ")
    };
    ListItem {
        span,
        show: Box::new(show),
    }
}

fn entry<'a>(key: &'a Name, value: &'a SettingValueSyntax) -> ListItem<'a> {
    let span = key.span.to(setting_span(value));
    ListItem {
        span,
        show: Box::new(move |p, mode| format!("{}: {}", key.text, p.setting_value(value, mode))),
    }
}

fn setting_item(excluded: bool, value: &SettingValueSyntax) -> ListItem<'_> {
    let bang = if excluded { "!" } else { "" };
    ListItem {
        span: setting_span(value),
        show: Box::new(move |p, mode| format!("{bang}{}", p.setting_value(value, mode))),
    }
}

fn setting_span(value: &SettingValueSyntax) -> Span {
    match value {
        SettingValueSyntax::Group(group) => group.span,
        SettingValueSyntax::List(_, span) | SettingValueSyntax::Scalar(ExprSyntax { span, .. }) => {
            *span
        }
    }
}

fn element_span(element: &ElementSyntax) -> Span {
    match element {
        ElementSyntax::Layer { span, .. } | ElementSyntax::Any(span) => *span,
    }
}
