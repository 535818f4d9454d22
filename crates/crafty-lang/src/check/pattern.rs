//! Patterns: which layers, of which block, and what its packet may be asked.

use super::checker::Checker;
use super::layers;
use super::shape::{PacketOrigin, PacketShape, SeenLayer};
use super::types::at;
use crate::diagnostics as d;
use crate::driven;
use crate::ir::{
    Arm, DrivenKind, Element, Pattern, StackId, StackLayer, Type, VarId, VariableKind,
};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;

impl Checker<'_> {
    /// A pattern with its `where` and `as`, and then its block, in a scope of their own.
    pub fn arm<T>(
        &mut self,
        arm: &ast::ArmSyntax,
        block: impl FnOnce(&mut Self) -> T,
    ) -> (Option<Arm>, T) {
        let pattern = self.pattern(&arm.pattern);
        let heard = pattern.as_ref().and_then(|(pattern, _)| pattern.stack);
        self.arm_of(arm, pattern, heard, block)
    }

    /// The same with its pattern lowered; `stack` is whose peer a packet that matches comes from or
    /// goes to.
    pub fn arm_of<T>(
        &mut self,
        arm: &ast::ArmSyntax,
        pattern: Option<(Pattern, PacketShape)>,
        stack: Option<StackId>,
        block: impl FnOnce(&mut Self) -> T,
    ) -> (Option<Arm>, T) {
        self.scoped(|c| {
            let packet = c.matched_packet(arm, pattern.as_ref().map(|(_, shape)| shape));
            c.place.packet = Some(packet);
            let filter = arm.filter.as_ref().map(|e| c.condition(e, "`where`"));
            let pattern = pattern.map(|(pattern, _)| pattern);
            c.place.peer = stack.filter(|id| c.serves(*id)).or(c.place.peer);
            let lowered = match (pattern, filter) {
                (Some(pattern), None) => Some(Arm {
                    pattern,
                    filter: None,
                    packet,
                    span: arm.span,
                }),
                (Some(pattern), Some(Some(filter))) => Some(Arm {
                    pattern,
                    filter: Some(filter),
                    packet,
                    span: arm.span,
                }),
                _ => None,
            };
            (lowered, block(c))
        })
    }

    fn matched_packet(&mut self, arm: &ast::ArmSyntax, shape: Option<&PacketShape>) -> VarId {
        let ty = shape.map(|_| Type::Packet);
        let packet = match &arm.name {
            Some(name) => self.declare(name, ty, VariableKind::Match),
            None => self.cell("MATCH", ty, VariableKind::Match, arm.pattern.span),
        };
        if let Some(shape) = shape {
            self.shapes.insert(packet, shape.clone());
        }
        packet
    }

    fn pattern(&mut self, pattern: &ast::PatternSyntax) -> Option<(Pattern, PacketShape)> {
        let below = if pattern.from_bottom {
            Some(Vec::new())
        } else {
            self.below(pattern)
        };
        let stack = self.hears(pattern, below.as_deref());
        let mut elements: Vec<Option<Element>> =
            below.iter().flatten().map(|l| Some(bare(l))).collect();
        let stream = self.is_stream(pattern, below.as_deref());
        for element in &pattern.elements {
            elements.push(self.pattern_element(element, stream, stack.flatten()));
        }
        let elements = elements.into_iter().collect::<Option<Vec<Element>>>()?;
        self.judge_run(&elements, pattern)?;
        let stack = stack?;
        below?;
        let shape = self.pattern_shape(&elements, stack, stream);
        Some((
            Pattern {
                elements,
                stack,
                span: pattern.span,
            },
            shape,
        ))
    }

    /// Without a leading `/` a pattern continues the enclosing block: the layers below its first
    /// one.
    pub fn below(&mut self, pattern: &ast::PatternSyntax) -> Option<Vec<StackLayer>> {
        let ast::ElementSyntax::Layer { name, driven, .. } = pattern.elements.first()? else {
            return Some(Vec::new());
        };
        let Some(first) = seen_of(name, *driven) else {
            return Some(Vec::new());
        };
        if self.place.lost {
            return None;
        }
        let Some(id) = self.place.stacks.last().copied() else {
            self.needs_slash(pattern, first, "there is no enclosing driven block");
            return None;
        };
        let full: Vec<StackLayer> = self.full_stack(id).into_iter().cloned().collect();
        let seen: Vec<SeenLayer> = full.iter().map(layers::seen).collect();
        let is_driven = |s: &SeenLayer| matches!(s, SeenLayer::Driven(..));
        let same = seen.iter().rposition(|s| {
            is_driven(s) && (layers::replaces(first, *s) || s.name() == first.name())
        });
        let kept = same.or_else(|| {
            seen.iter()
                .rposition(|s| is_driven(s) && layers::carries(*s, first))
                .map(|n| n + 1)
        });
        match kept {
            Some(kept) => Some(full[..kept].to_vec()),
            None => {
                self.needs_slash(pattern, first, "no driven layer of the block can carry it");
                None
            }
        }
    }

    fn needs_slash(&mut self, pattern: &ast::PatternSyntax, first: SeenLayer, why: &str) {
        let message = format!(
            "without `/` a pattern continues the block's stack, and `{}` cannot: {why}",
            first.name()
        );
        let report = Occurrence::new(&d::pattern_start::DIAGNOSTIC, pattern.span, message);
        self.tell(match layers::at_bottom(first) {
            true => report.fix(
                "start at the bottom of the stack",
                at(pattern.span.start),
                "/",
            ),
            false => report.help(format!(
                "name the layers below: `/IP/{}`",
                self.text(pattern.span)
            )),
        });
    }

    /// The block whose deliveries the pattern sees, if it has a driven element; the outer option is
    /// none after a mistake.
    #[allow(clippy::option_option)]
    fn hears(
        &mut self,
        pattern: &ast::PatternSyntax,
        below: Option<&[StackLayer]>,
    ) -> Option<Option<StackId>> {
        let mut wanted: Vec<DrivenKind> = below?.iter().filter_map(driven_kind).collect();
        let mut place = pattern.span;
        for element in &pattern.elements {
            if let ast::ElementSyntax::Layer {
                name, driven: true, ..
            } = element
            {
                place = name.span;
                wanted.push(self.drivable(name)?);
            }
        }
        if wanted.is_empty() {
            return Some(None);
        }
        let found = self
            .place
            .stacks
            .iter()
            .rev()
            .copied()
            .find(|id| self.driven_kinds(*id).starts_with(&wanted));
        match found {
            None if !self.place.lost => self.undriven(&wanted, place),
            Some(id) => self.judge_stream_end(id, &wanted, pattern)?,
            None => {}
        }
        found.map(Some)
    }

    /// What TLS takes from a connection is not data of it; HTTP and DNS give none.
    fn judge_stream_end(
        &mut self,
        id: StackId,
        wanted: &[DrivenKind],
        pattern: &ast::PatternSyntax,
    ) -> Option<()> {
        if let Some(kind) = wanted
            .iter()
            .find(|kind| kind.is_session() && !kind.is_stream())
        {
            let layer = kind.name();
            let message = format!(
                "`{layer}!` delivers nothing to patterns: its block starts when the answer has arrived"
            );
            self.report(&d::undriven_pattern::DIAGNOSTIC, pattern.span, message)
                .help
                .push(format!("the answer is in `STACK[{layer}]`"));
            return None;
        }
        let behind = matches!(
            pattern.elements.last(),
            Some(ast::ElementSyntax::Layer { driven: false, .. })
        );
        let sealing = self
            .driven_kinds(id)
            .into_iter()
            .find(|kind| kind.is_session() && kind.is_stream());
        if let Some(sealing) = sealing
            && behind
            && wanted.ends_with(&[DrivenKind::Tcp])
        {
            let layer = sealing.name();
            let message = format!("in this block `{layer}!` takes what the connection brings");
            let report = Occurrence::new(&d::undriven_pattern::DIAGNOSTIC, pattern.span, message);
            self.tell(report.help(format!("what it decrypts is `/IP!/TCP!/{layer}!/Bytes`")));
            return None;
        }
        Some(())
    }

    fn undriven(&mut self, wanted: &[DrivenKind], span: crate::ir::Span) {
        let shown: String = wanted.iter().map(|k| format!("/{}!", k.name())).collect();
        let message = format!(
            "no enclosing block drives `{shown}`: with `!` a pattern sees what a driven stack delivers"
        );
        let wire: String = wanted.iter().map(|k| format!("/{}", k.name())).collect();
        let report = Occurrence::new(&d::undriven_pattern::DIAGNOSTIC, span, message);
        self.tell(report.help(format!("for frames as they are on the wire write `{wire}`")));
    }

    /// Whether the pattern names the data of a stream: then it has no fields of a single segment.
    fn is_stream(&self, pattern: &ast::PatternSyntax, below: Option<&[StackLayer]>) -> bool {
        let written = pattern.elements.iter().any(
            |e| matches!(e, ast::ElementSyntax::Layer { name, driven: true, .. } if name.text == "TCP"),
        );
        written || below.is_some_and(|b| b.iter().any(|l| driven_kind(l) == Some(DrivenKind::Tcp)))
    }

    pub fn pattern_element(
        &mut self,
        element: &ast::ElementSyntax,
        stream: bool,
        stack: Option<StackId>,
    ) -> Option<Element> {
        let ast::ElementSyntax::Layer {
            name,
            driven,
            conditions,
            positional,
            ..
        } = element
        else {
            return Some(Element::Any);
        };
        if name.text == "End" && !*driven {
            return Some(Element::End);
        }
        if *driven {
            let kind = self.drivable(name)?;
            self.refuse_positional(name, positional.as_ref());
            let family = stack
                .filter(|_| kind == DrivenKind::Ip)
                .and_then(|id| self.family(id));
            let layer = layers::find(kind.name())?;
            let conditions =
                self.conditions(layer, SeenLayer::Driven(kind, family), stream, conditions)?;
            return Some(Element::Driven { kind, conditions });
        }
        let layer = self.layer(name)?;
        self.refuse_positional(name, positional.as_ref())?;
        let conditions = self.conditions(layer, SeenLayer::Wire(layer), stream, conditions)?;
        Some(Element::Layer { layer, conditions })
    }

    /// `Bytes("x")` in a pattern.
    fn refuse_positional(
        &mut self,
        name: &ast::Name,
        positional: Option<&ast::ExprSyntax>,
    ) -> Option<()> {
        let Some(value) = positional else {
            return Some(());
        };
        let text = self.text(value.span);
        let message = "a pattern needs conditions: a field, a comparison and a value";
        let report = Occurrence::new(&d::pattern_value::DIAGNOSTIC, value.span, message);
        self.tell(match name.text.as_str() {
            "Bytes" => report
                .fix(
                    "if the data must be exactly this",
                    value.span,
                    format!("data == {text}"),
                )
                .suggest(
                    "if the data must contain this",
                    value.span,
                    format!("data has {text}"),
                ),
            other => report.help(format!("write `{other}(field == {text})`")),
        });
        None
    }

    /// What the order of elements must be.
    pub fn judge_run(&mut self, elements: &[Element], pattern: &ast::PatternSyntax) -> Option<()> {
        let end = elements.iter().position(|e| matches!(e, Element::End));
        let bytes = elements
            .iter()
            .position(|e| matches!(e, Element::Layer { layer, .. } if layer.name == "Bytes"));
        let doubled = elements
            .windows(2)
            .any(|p| matches!(p, [Element::Any, Element::Any]));
        let last = elements.len() - 1;
        let message = match (end, bytes) {
            _ if elements.len() > 16 => "a packet has at most 16 layers",
            (Some(n), _) if n != last => "nothing can follow `/End`",
            (_, Some(n)) if n != last && end != Some(n + 1) => {
                "`Bytes` is the rest of the packet, so nothing can follow it"
            }
            _ if doubled => "`*` stands for any number of layers, so one is enough",
            _ => return self.judge_neighbours(elements, pattern),
        };
        self.report(&d::bad_pattern::DIAGNOSTIC, pattern.span, message);
        None
    }

    /// Each element directly on the one before.
    fn judge_neighbours(
        &mut self,
        elements: &[Element],
        pattern: &ast::PatternSyntax,
    ) -> Option<()> {
        let written = elements.len() - pattern.elements.len();
        for n in 1..elements.len() {
            let (Some(below), Some(above)) =
                (seen_element(&elements[n - 1]), seen_element(&elements[n]))
            else {
                continue;
            };
            if layers::carries(below, above) || layers::quotes(below, above) {
                continue;
            }
            let span = n
                .checked_sub(written)
                .and_then(|i| pattern.elements.get(i))
                .map_or(pattern.span, element_span);
            let message = format!(
                "`{}` is never directly on top of `{}`, so this pattern matches nothing",
                above.name(),
                below.name()
            );
            let report = Occurrence::new(&d::never_matches::DIAGNOSTIC, span, message);
            let on = layers::carriers(above.name());
            self.tell(
                report
                    .help(format!(
                        "`*` stands for layers in between: `/{}/*/{}`",
                        below.name(),
                        above.name()
                    ))
                    .help(match on.is_empty() {
                        true => "`Bytes` is the rest of the packet".to_string(),
                        false => format!("it goes on top of {}", on.join(", ")),
                    }),
            );
            return None;
        }
        if pattern.from_bottom && written == 0 {
            self.judge_anchor(elements, pattern)?;
        }
        Some(())
    }

    /// The first element is at the bottom: `/UDP` would match nothing.
    fn judge_anchor(&mut self, elements: &[Element], pattern: &ast::PatternSyntax) -> Option<()> {
        // `*` may be first.
        let Some(first) = elements.first().and_then(seen_element) else {
            return Some(());
        };
        if layers::at_bottom(first) || first.name() == "Bytes" {
            return Some(());
        }
        let name = first.name();
        let message = format!(
            "a pattern with `/` starts at the bottom of the stack, where `{name}` never is"
        );
        let report = Occurrence::new(&d::pattern_start::DIAGNOSTIC, pattern.span, message);
        let start = pattern.span.start;
        let report = report.suggest("name the layers below, or write `*`", at(start), "/*");
        let inside = !self.place.stacks.is_empty();
        self.tell(if inside {
            report.help(format!("without the `/` it continues the block: `{name}`"))
        } else {
            report
        });
        None
    }

    pub fn pattern_shape(
        &self,
        elements: &[Element],
        stack: Option<StackId>,
        stream: bool,
    ) -> PacketShape {
        let family = stack.and_then(|id| self.family(id));
        let seen = |e: &Element| match seen_element(e)? {
            SeenLayer::Driven(DrivenKind::Ip, _) => Some(SeenLayer::Driven(DrivenKind::Ip, family)),
            other => Some(other),
        };
        let mut layers: Vec<SeenLayer> = elements.iter().filter_map(seen).collect();
        let datagram = matches!(elements.last(), Some(Element::Driven { .. }));
        if datagram {
            layers.extend(layers::find("Bytes").map(SeenLayer::Wire));
        }
        PacketShape {
            layers,
            any: elements.iter().any(|e| matches!(e, Element::Any)),
            stream,
            origin: PacketOrigin::Matched,
        }
    }
}

/// A layer of the block, asked nothing.
fn bare(layer: &StackLayer) -> Element {
    match layer {
        StackLayer::Driven(driven) => Element::Driven {
            kind: driven.kind,
            conditions: Vec::new(),
        },
        StackLayer::Literal(literal) => Element::Layer {
            layer: literal.layer,
            conditions: Vec::new(),
        },
    }
}

fn driven_kind(layer: &StackLayer) -> Option<DrivenKind> {
    match layer {
        StackLayer::Driven(driven) => Some(driven.kind),
        StackLayer::Literal(_) => None,
    }
}

fn seen_of(name: &ast::Name, driven: bool) -> Option<SeenLayer> {
    match driven {
        true => driven::named(&name.text).map(|kind| SeenLayer::Driven(kind, None)),
        false => layers::find(&name.text).map(SeenLayer::Wire),
    }
}

fn seen_element(element: &Element) -> Option<SeenLayer> {
    match element {
        Element::Layer { layer, .. } => Some(SeenLayer::Wire(layer)),
        Element::Driven { kind, .. } => Some(SeenLayer::Driven(*kind, None)),
        Element::Any | Element::End => None,
    }
}

fn element_span(element: &ast::ElementSyntax) -> crate::ir::Span {
    match element {
        ast::ElementSyntax::Layer { span, .. } | ast::ElementSyntax::Any(span) => *span,
    }
}
