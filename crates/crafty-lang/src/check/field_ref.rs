//! Which field is meant: of a layer, of an option, of both families of IP, or not on the wire at
//! all.

use super::checker::Checker;
use super::condition::{meta, of_stream};
use super::layers;
use super::shape::{Family, SeenLayer};
use crate::diagnostics as d;
use crate::ir::{DrivenKind, FieldRef, Meta, Type};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;
use crafty_wire::{Field, Layer};

impl Checker<'_> {
    /// The field that a path of words names in a layer as it was seen.
    pub fn field_ref(
        &mut self,
        layer: &'static Layer,
        seen: SeenLayer,
        path: &[&ast::Name],
    ) -> Option<(FieldRef, Type)> {
        let name = path[0];
        if let (true, Some((meta, ty))) = (layers::is_link(layer), meta(&name.text)) {
            return self.only(path, FieldRef::Meta(meta), ty);
        }
        match seen {
            SeenLayer::Driven(DrivenKind::Tcp, _) => return self.of_connection(layer, path),
            SeenLayer::Driven(kind, _) if kind.is_session() => {
                self.tell(of_stream(layer.name, &name.text, name.span));
                return None;
            }
            SeenLayer::Driven(DrivenKind::Ip, family) if layer.name == "IP" => {
                if let Some(found) = self.of_both(layer, family, path) {
                    return found;
                }
            }
            _ => {}
        }
        self.of_table(layer, path)
    }

    fn of_table(&mut self, layer: &'static Layer, path: &[&ast::Name]) -> Option<(FieldRef, Type)> {
        let Some((number, field)) = layer.field(&path[0].text) else {
            if matches!(path[0].text.as_str(), "ts" | "ts_source" | "last_ts") {
                let text = &path[0].text;
                let message = format!("`{text}` belongs to the frame, not to {}", layer.name);
                self.tell(
                    Occurrence::new(&d::unknown_field::DIAGNOSTIC, path[0].span, message)
                        .help(format!("write `[Eth].{text}`")),
                );
                return None;
            }
            self.unknown_field(layer, path[0]);
            return None;
        };
        match path {
            [_] => Some((
                FieldRef::Wire {
                    layer,
                    field: number,
                },
                layers::type_of(field),
            )),
            [_, option, rest @ ..] if layers::holds_options(field) => {
                self.of_option(layer, number, option, rest)
            }
            [_, more, ..] => {
                let message = format!(
                    "`{}` of {} has no parts, so there is no `{}` in it",
                    field.name, layer.name, more.text
                );
                self.report(&d::no_member::DIAGNOSTIC, more.span, message);
                None
            }
            [] => None,
        }
    }

    /// `options.mss`, `options.ts.val`, `options.relay.circuit_id`.
    fn of_option(
        &mut self,
        layer: &'static Layer,
        field: usize,
        name: &ast::Name,
        rest: &[&ast::Name],
    ) -> Option<(FieldRef, Type)> {
        let table = &layer.fields[field];
        let (option, part, mut found, mut rest) = self.step_in(layer, table, name, rest)?;
        let mut inner = Vec::new();
        while let [name, behind @ ..] = rest {
            let (option, part, held, behind) = self.step_in(layer, found, name, behind)?;
            inner.push((option, part));
            (found, rest) = (held, behind);
        }
        Some((
            FieldRef::Option {
                layer,
                field,
                option,
                part,
                inner,
            },
            layers::type_of(found),
        ))
    }

    /// The option of that name in a list, which of its fields is meant, and the words for what is
    /// in that, if it is a list too.
    #[allow(clippy::type_complexity)]
    fn step_in<'n>(
        &mut self,
        layer: &'static Layer,
        list: &'static Field,
        name: &ast::Name,
        rest: &'n [&'n ast::Name],
    ) -> Option<(
        &'static str,
        Option<&'static str>,
        &'static Field,
        &'n [&'n ast::Name],
    )> {
        let Some(option) = layers::option(list, &name.text) else {
            self.tell(no_option(layer, list, name));
            return None;
        };
        let parts: Vec<&'static Field> = option.shape.fields().collect();
        if parts.is_empty() {
            let message = format!(
                "the option `{}` has no value: it is present or absent",
                option.name
            );
            let report = Occurrence::new(&d::no_member::DIAGNOSTIC, name.span, message);
            self.tell(report.help(format!(
                "test for it in a pattern: `{}({} has {})`",
                layer.name, list.name, option.name
            )));
            return None;
        }
        let named = rest
            .first()
            .and_then(|word| parts.iter().copied().find(|f| f.name == word.text));
        match (parts.as_slice(), named, rest) {
            (_, Some(found), [_]) => Some((option.name, Some(found.name), found, &[])),
            (_, Some(found), [_, behind @ ..]) if layers::holds_options(found) => {
                Some((option.name, Some(found.name), found, behind))
            }
            ([one], _, []) => Some((option.name, None, *one, &[])),
            ([one], None, _) if layers::holds_options(one) => Some((option.name, None, *one, rest)),
            _ => {
                let span = rest.last().map_or(name.span, |n| n.span);
                self.tell(which_part(list, option.name, &parts, span));
                None
            }
        }
    }

    /// `[IP]` under `IP!`: what both families have; none if the family is known and the table
    /// decides.
    #[allow(clippy::option_option)]
    fn of_both(
        &mut self,
        layer: &'static Layer,
        family: Option<Family>,
        path: &[&ast::Name],
    ) -> Option<Option<(FieldRef, Type)>> {
        let name = &path[0].text;
        if let Some(found) = layers::both(name) {
            let ty = layer.field(name).map(|(_, field)| layers::type_of(field))?;
            return Some(self.only(path, found, ty));
        }
        if family == Some(Family::V4) || layer.field(name).is_none() {
            return None;
        }
        let message = format!("`IP!` may be IPv4 or IPv6, and IPv6 has no `{name}`");
        let report = Occurrence::new(&d::either_family::DIAGNOSTIC, path[0].span, message);
        let both = layers::both_names().join(", ");
        self.tell(
            report
                .help(format!("both families have {both}"))
                .help(format!(
                    "for IPv4 only, name the layer without `!`: `/IP({name} …)`"
                )),
        );
        Some(None)
    }

    /// Of a connection: addresses, ports and its state.
    fn of_connection(
        &mut self,
        layer: &'static Layer,
        path: &[&ast::Name],
    ) -> Option<(FieldRef, Type)> {
        let name = path[0];
        match name.text.as_str() {
            "state" => self.only(path, FieldRef::Meta(Meta::State), Type::Str),
            "src" | "dst" => self.of_table(layer, path),
            other if layer.field(other).is_some() => {
                self.tell(of_stream(layer.name, other, name.span));
                None
            }
            _ => {
                self.unknown_field(layer, name);
                None
            }
        }
    }

    /// A field that has no parts.
    fn only(&mut self, path: &[&ast::Name], field: FieldRef, ty: Type) -> Option<(FieldRef, Type)> {
        if let [name, more, ..] = path {
            let message = format!(
                "`{}` has no parts, so there is no `{}` in it",
                name.text, more.text
            );
            self.report(&d::no_member::DIAGNOSTIC, more.span, message);
            return None;
        }
        Some((field, ty))
    }
}

/// A list of options has none of this name.
fn no_option(layer: &Layer, list: &'static Field, name: &ast::Name) -> Occurrence {
    let report = Occurrence::new(
        &d::unknown_option::DIAGNOSTIC,
        name.span,
        format!("{} has no option `{}`", layer.name, name.text),
    );
    layers::offer(report, name.span, &name.text, &layers::option_names(list))
}

/// An option has several parts, or another than was named.
fn which_part(list: &Field, option: &str, parts: &[&Field], span: ast::Span) -> Occurrence {
    let names: Vec<&str> = parts.iter().map(|f| f.name).collect();
    let message = format!("the option `{option}` has the parts {}", names.join(", "));
    Occurrence::new(&d::no_member::DIAGNOSTIC, span, message)
        .help(format!("write `{}.{option}.{}`", list.name, names[0]))
}
