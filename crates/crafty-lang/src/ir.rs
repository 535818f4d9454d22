//! A checked program: every name resolved, every type known, every mistake already reported. The
//! checker makes it, the label pass and the machine read it.
//!
//! There are no functions and no recursion, so each variable of the text has one cell ([`VarId`])
//! for the whole run. Expressions have no effects and each has a number ([`ExprId`]), under which
//! the label pass notes what it may reveal.

mod error;
mod expression;
mod pattern;
mod statement;

use crate::builtins::Builtin;
use crafty_policy::Setting;
pub use crafty_syntax::ast::{Align, AssignOp, BinaryOp, FormatSpec, RelOp, Span};
use crafty_value::{FlagNames, Value};
use crafty_wire::Layer;
use std::sync::Arc;

pub use error::*;
pub use expression::*;
pub use pattern::*;
pub use statement::*;

/// The cell of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(pub u32);

/// The number of an expression, dense from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub u32);

/// The number of a driven block in the text, dense from 0: index into [`Program::stacks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StackId(pub u32);

/// The number of a place that sends, dense from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteId(pub u32);

/// The number of a handler (`on`), dense from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HandlerId(pub u32);

/// What a value may reveal about the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// Nothing: constants, the schedule, time stamps of own frames.
    #[default]
    Clean,
    /// That something matched, when, how many, how long.
    Event,
    /// Received bytes and what is computed from them.
    Content,
}

/// Types of the language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// 64-bit checked integer.
    Int,
    /// Finite float.
    Float,
    /// Truth value.
    Bool,
    /// Text.
    Str,
    /// Bytes.
    Bytes,
    /// Span of time.
    Duration,
    /// Point in time.
    Time,
    /// Address of either family.
    Ip,
    /// Address prefix.
    Net,
    /// Link address.
    Mac,
    /// Bits of one field.
    Flags(FlagNames),
    /// Elements of one type.
    Array(Arc<Type>),
    /// Keys and values of one type each.
    Map(Arc<Type>, Arc<Type>),
    /// Named parts, ascending by name, each with its type.
    Record(Arc<[(Arc<str>, Type)]>),
    /// A packet; which layers may be read is settled by the checker.
    Packet,
    /// A caught error.
    Error,
}

impl Type {
    /// The type of what this key, index or part of a value leads to.
    pub fn behind(&self, step: &Expr) -> Option<&Type> {
        match self {
            Type::Array(item) | Type::Map(_, item) => Some(item),
            Type::Record(_) => self.part(step.part_name()?),
            Type::Bytes => Some(self),
            _ => None,
        }
    }

    /// The type of a part of a record.
    pub fn part(&self, name: &str) -> Option<&Type> {
        let Type::Record(parts) = self else {
            return None;
        };
        parts.iter().find(|(of, _)| **of == *name).map(|(_, ty)| ty)
    }
}

/// Whether a row of a table holds one value or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// One.
    One,
    /// An array.
    Array,
    /// A map from strings.
    Map,
}

impl Holds {
    /// The type of the whole, from that of what it holds.
    pub fn of(self, ty: &Type) -> Type {
        match self {
            Holds::One => ty.clone(),
            Holds::Array => Type::Array(Arc::new(ty.clone())),
            Holds::Map => Type::Map(Arc::new(Type::Str), Arc::new(ty.clone())),
        }
    }
}

/// A whole program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The text, as checked.
    pub source: Arc<str>,
    /// What the command line may set, in order; bound before [`Program::constants`].
    pub params: Vec<Param>,
    /// Constants in order, evaluated after the params and before the settings. Not repeated in the
    /// body.
    pub constants: Vec<(VarId, Expr)>,
    /// `BUDGET`, `PORTS`, `PERMISSIONS`; keys are resolved to rows of the gate's table.
    pub settings: Vec<SettingEntry>,
    /// All variables, params, constants, loop variables and packets: index is [`VarId`].
    pub variables: Vec<Variable>,
    /// All driven blocks: index is [`StackId`].
    pub stacks: Vec<StackInfo>,
    /// How many sites, handlers and expressions there are.
    pub sites: u32,
    /// Handlers.
    pub handlers: u32,
    /// Expressions; the length of [`Program::labels`].
    pub expressions: u32,
    /// The statements.
    pub body: Block,
    /// What each expression may reveal; filled in by the label pass.
    pub labels: Vec<Label>,
    /// By expression: whether the network may have written its value; filled in before a run.
    pub from_network: Vec<bool>,
}

/// `param name: type = default`.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its cell.
    pub var: VarId,
    /// The default; without one the command line must give a value.
    pub default: Option<Expr>,
    /// Where it is declared.
    pub span: Span,
}

/// What is known of a variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// As written; `MATCH` for the packet of an arm without `as`.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Where it is declared.
    pub span: Span,
    /// What kind of variable.
    pub kind: VariableKind,
}

/// Kinds of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    /// `param`.
    Param,
    /// Known before the start.
    Constant,
    /// Assigned in the body.
    Local,
    /// Of a loop.
    Loop,
    /// The packet of an arm or handler.
    Match,
    /// A sent packet.
    Sent,
    /// `else e`.
    Error,
}

/// One `key: value` of a setting.
#[derive(Clone, Debug)]
pub struct SettingEntry {
    /// The row that defines section, key and type.
    pub setting: &'static Setting,
    /// The value.
    pub value: SettingValue,
    /// The whole entry.
    pub span: Span,
}

/// The value of a setting.
#[derive(Clone, Debug)]
pub enum SettingValue {
    /// `{ tcp: [80] }`
    Group(Vec<(String, SettingValue, Span)>),
    /// `[a, !b]`: whether excluded.
    List(Vec<(bool, SettingValue)>, Span),
    /// A constant expression.
    Scalar(Expr),
    /// A bare word of a closed list (a power, `none`).
    Word(String, Span),
}
