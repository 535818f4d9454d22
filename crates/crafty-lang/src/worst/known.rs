//! The world of a program that does not run: params and constants have values, nothing else has.

use crate::builtins::MachineCall;
use crate::driven;
use crate::eval::cost::Allowance;
use crate::eval::{Raise, Stop, World};
use crate::ir::*;
use crafty_value::Value;
use crafty_wire::Layer;

/// Params and constants, and nothing else.
pub(crate) struct KnownValues<'v>(pub(crate) &'v [Value], pub(crate) &'v Allowance);

/// Params and constants, and these variables.
pub(crate) struct KnownVariables<'v> {
    pub(crate) values: &'v [Value],
    pub(crate) set: Vec<(VarId, Value)>,
    pub(crate) allowance: &'v Allowance,
}

impl World for KnownVariables<'_> {
    fn var(&self, var: VarId) -> &Value {
        let mut set = self.set.iter();
        match set.find(|(of, _)| *of == var) {
            Some((_, value)) => value,
            None => self.values.get(var.0 as usize).unwrap_or(&Value::Nothing),
        }
    }
    fn has_layer(&mut self, _: VarId, _: &'static Layer) -> bool {
        false
    }
    fn field(&mut self, _: VarId, _: &'static Layer, _: i64, _: &FieldRef) -> Result<Value, Stop> {
        Err(unknown())
    }
    fn counter(&mut self, _: StackId, _: &'static driven::LayerCounter) -> Result<Value, Stop> {
        Err(unknown())
    }
    fn call(&mut self, _: MachineCall, _: &[Value]) -> Result<Value, Stop> {
        Err(unknown())
    }
    fn charge(&self, cost: u64) -> Result<(), Stop> {
        self.allowance.spend(cost)
    }
}

fn unknown() -> Stop {
    Stop::Raise(Raise::new(ErrorKind::Absent, "not known before the start"))
}

impl World for KnownValues<'_> {
    fn var(&self, var: VarId) -> &Value {
        self.0.get(var.0 as usize).unwrap_or(&Value::Nothing)
    }
    fn has_layer(&mut self, _: VarId, _: &'static Layer) -> bool {
        false
    }
    fn field(&mut self, _: VarId, _: &'static Layer, _: i64, _: &FieldRef) -> Result<Value, Stop> {
        Err(unknown())
    }
    fn counter(&mut self, _: StackId, _: &'static driven::LayerCounter) -> Result<Value, Stop> {
        Err(unknown())
    }
    fn call(&mut self, _: MachineCall, _: &[Value]) -> Result<Value, Stop> {
        Err(unknown())
    }
    fn charge(&self, cost: u64) -> Result<(), Stop> {
        self.1.spend(cost)
    }
}
