//! The whole stack of layers that a send puts together: its own, and those of the blocks that it is
//! in.

use crate::driven::DrivenOption;
use crate::ir::{
    Driven, DrivenKind, Expr, FieldSetting, Literal, Onto, Program, Send, StackId, StackLayer,
};
use crafty_wire::{Layer, LayerRole};

/// One layer of a stack that is sent.
#[derive(Clone, Copy, Debug)]
pub enum SentLayer<'p> {
    /// As written.
    Literal(&'p Literal),
    /// Run by the stack of this block.
    Driven(&'p Driven, StackId),
}

impl<'p> SentLayer<'p> {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            SentLayer::Literal(literal) => literal.layer.name,
            SentLayer::Driven(driven, _) => driven.kind.name(),
        }
    }

    /// The row of the tables; of `IP!` that of IPv4.
    pub fn layer(self) -> Option<&'static Layer> {
        match self {
            SentLayer::Literal(literal) => Some(literal.layer),
            SentLayer::Driven(driven, _) => crafty_wire::layer(driven.kind.name()),
        }
    }

    /// What it is for.
    pub fn role(self) -> LayerRole {
        self.layer().map_or(LayerRole::Data, |layer| layer.role)
    }

    /// The value of a field or option, if it is set to one.
    pub fn value(self, name: &str) -> Option<&'p Expr> {
        let value = match self {
            SentLayer::Literal(literal) => {
                let (at, _) = literal.layer.field(name)?;
                literal
                    .fields
                    .iter()
                    .find(|(i, _)| *i == at)
                    .map(|(_, v)| v)
            }
            SentLayer::Driven(driven, _) => option(driven, name),
        };
        match value? {
            FieldSetting::Value(expr) => Some(expr),
            FieldSetting::Auto(..) | FieldSetting::Options(..) => None,
        }
    }
}

fn option<'p>(driven: &'p Driven, name: &str) -> Option<&'p FieldSetting> {
    let named = |(option, _): &&(&'static DrivenOption, FieldSetting)| option.name == name;
    driven.options.iter().find(named).map(|(_, value)| value)
}

/// The layers of a block with those of its parents, outermost first.
pub fn of_stack(program: &Program, stack: StackId) -> Vec<SentLayer<'_>> {
    let info = &program.stacks[stack.0 as usize];
    let mut all = info
        .parent
        .map_or_else(Vec::new, |parent| of_stack(program, parent));
    all.extend(info.layers.iter().map(|layer| match layer {
        StackLayer::Literal(literal) => SentLayer::Literal(literal),
        StackLayer::Driven(driven) => SentLayer::Driven(driven, stack),
    }));
    all
}

/// The layers of something that is sent.
#[derive(Clone, Debug, Default)]
pub struct SentStack<'p> {
    /// Outermost first.
    pub layers: Vec<SentLayer<'p>>,
    /// The live layers that fill in what literal ones in their place leave out.
    behind: Vec<SentLayer<'p>>,
}

impl<'p> SentStack<'p> {
    /// What a block sends automatically.
    pub fn of_block(program: &'p Program, stack: StackId) -> SentStack<'p> {
        SentStack {
            layers: of_stack(program, stack),
            behind: Vec::new(),
        }
    }

    /// A literal send. Where it is on a driven layer, those below come first.
    pub fn of_send(program: &'p Program, send: &'p Send) -> SentStack<'p> {
        let behind = stack_of(send).map_or_else(Vec::new, |stack| of_stack(program, stack));
        let below = match send.onto {
            Onto::Bottom => 0,
            Onto::Replace(_, at) => at,
            Onto::Above(_, at) => at + 1,
        };
        let mut layers: Vec<SentLayer> = behind.iter().copied().take(below).collect();
        layers.extend(send.layers.iter().map(SentLayer::Literal));
        SentStack { layers, behind }
    }

    /// The outermost layer of this role.
    pub fn layer(&self, role: LayerRole) -> Option<SentLayer<'p>> {
        let mut layers = self.layers.iter().copied();
        layers.find(|layer| layer.role() == role)
    }

    /// The live layer behind a literal one of this role.
    pub fn live(&self, role: LayerRole) -> Option<SentLayer<'p>> {
        let mut layers = self.behind.iter().copied();
        layers.find(|layer| layer.role() == role && matches!(layer, SentLayer::Driven(..)))
    }

    /// What a field of the outermost layer of this role is set to: by the literal, else by the live
    /// layer behind it.
    pub fn value(&self, role: LayerRole, name: &str) -> Option<&'p Expr> {
        let written = self.layer(role)?.value(name);
        written.or_else(|| self.live(role)?.value(name))
    }
}

/// The block that a literal send is on.
pub fn stack_of(send: &Send) -> Option<StackId> {
    match send.onto {
        Onto::Bottom => None,
        Onto::Replace(stack, _) | Onto::Above(stack, _) => Some(stack),
    }
}

/// Whether what is put on these layers goes into a stream.
pub fn is_stream(layers: &[SentLayer]) -> bool {
    layers.iter().any(
        |layer| matches!(layer, SentLayer::Driven(driven, _) if driven.kind == DrivenKind::Tcp),
    )
}
