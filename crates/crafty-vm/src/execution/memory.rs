//! The cells of the variables, with their caps: a write that would go over is not made.

use crafty_lang::eval::{MAX_ELEMENTS, MAX_VALUE, Raise, Stop, arithmetic};
use crafty_lang::ir::{AssignOp, BinaryOp, ErrorKind, Span, VarId};
use crafty_value::{Map, Value};
use std::sync::Arc;

/// Bytes that one variable may hold, with all that is in it.
pub(crate) const MAX_VARIABLE: usize = 4 << 20;

/// All variables.
#[derive(Debug)]
pub(crate) struct Variables {
    cells: Vec<Value>,
    sizes: Vec<usize>,
}

impl Variables {
    /// Cells for this many variables, the first of them set.
    pub fn new(mut values: Vec<Value>, count: usize) -> Variables {
        values.resize(count.max(values.len()), Value::Nothing);
        let sizes = values.iter().map(Value::size).collect();
        Variables {
            cells: values,
            sizes,
        }
    }

    /// The value of a variable.
    pub fn get(&self, var: VarId) -> &Value {
        self.cells.get(var.0 as usize).unwrap_or(&Value::Nothing)
    }

    /// All values.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.cells.iter()
    }

    /// Sets a variable; `span` is told if the value is over a cap.
    pub fn set(&mut self, var: VarId, value: Value, span: Span) -> Result<(), Stop> {
        let size = value.size();
        if size > MAX_VARIABLE || too_large(&value) {
            return Err(Stop::TooLarge(span));
        }
        if let Some(cell) = self.cells.get_mut(var.0 as usize) {
            *cell = value;
            self.sizes[var.0 as usize] = size;
        }
        Ok(())
    }

    /// Changes what `path` leads to in a variable. Nothing is changed if it fails.
    pub fn update(
        &mut self,
        var: VarId,
        path: &[Value],
        change: &VariableUpdate,
        span: Span,
    ) -> Result<(), Stop> {
        let index = var.0 as usize;
        let Some(cell) = self.cells.get_mut(index) else {
            return Ok(());
        };
        let room = VariableRoom {
            left: MAX_VARIABLE.saturating_sub(self.sizes[index]),
            span,
        };
        let growth = apply(cell, path, change, &room)?;
        self.sizes[index] = self.sizes[index].saturating_add_signed(growth);
        Ok(())
    }
}

/// What an update does to the place it leads to.
#[derive(Debug)]
pub(crate) struct VariableUpdate {
    /// The sign.
    pub op: AssignOp,
    /// The right side.
    pub value: Value,
    /// Whether `+=` adds an element, by the types.
    pub append: bool,
}

/// What a variable may still grow by.
struct VariableRoom {
    left: usize,
    span: Span,
}

impl VariableRoom {
    fn check(&self, growth: isize) -> Result<isize, Stop> {
        match usize::try_from(growth) {
            Ok(more) if more > self.left => Err(Stop::TooLarge(self.span)),
            _ => Ok(growth),
        }
    }
}

/// Strings and bytes have a cap of their own, arrays and maps one on their elements.
fn too_large(value: &Value) -> bool {
    match value {
        Value::Str(s) => s.len() > MAX_VALUE,
        Value::Bytes(b) => b.len() > MAX_VALUE,
        Value::Array(items) => items.len() > MAX_ELEMENTS,
        Value::Map(map) => map.entries.len() > MAX_ELEMENTS,
        _ => false,
    }
}

/// Changes what the path leads to; gives by how many bytes the variable grew.
fn apply(
    place: &mut Value,
    path: &[Value],
    change: &VariableUpdate,
    room: &VariableRoom,
) -> Result<isize, Stop> {
    match path {
        [] => assign(place, change, room),
        [key, rest @ ..] => match place {
            Value::Map(map) => in_map(Arc::make_mut(map), key, rest, change, room),
            Value::Array(items) => {
                let at = index(key, items.len())?;
                apply(&mut Arc::make_mut(items)[at], rest, change, room)
            }
            _ => Err(Raise::new(ErrorKind::Index, "this value has no elements").into()),
        },
    }
}

fn in_map(
    map: &mut Map,
    key: &Value,
    rest: &[Value],
    change: &VariableUpdate,
    room: &VariableRoom,
) -> Result<isize, Stop> {
    if let Some(place) = map.entries.get_mut(key) {
        return apply(place, rest, change, room);
    }
    if map.entries.len() >= MAX_ELEMENTS {
        return Err(Stop::TooLarge(room.span));
    }
    let mut place = map.default.clone();
    let fresh = isize::try_from(key.size() + place.size()).unwrap_or(isize::MAX);
    let growth = fresh.saturating_add(apply(&mut place, rest, change, room)?);
    room.check(growth)?;
    map.entries.insert(key.clone(), place);
    Ok(growth)
}

fn index(key: &Value, length: usize) -> Result<usize, Raise> {
    let at = match key {
        Value::Int(n) => usize::try_from(*n).ok().filter(|n| *n < length),
        _ => None,
    };
    at.ok_or_else(|| {
        Raise::new(
            ErrorKind::Index,
            format!("this index is out of range for a length of {length}"),
        )
    })
}

fn assign(place: &mut Value, change: &VariableUpdate, room: &VariableRoom) -> Result<isize, Stop> {
    if let (true, Value::Array(items)) = (change.append, &mut *place) {
        return append(items, &change.value, room);
    }
    let new = match change.op {
        AssignOp::Set => change.value.clone(),
        AssignOp::Add => sum(place, &change.value, room)?,
        AssignOp::Subtract => arithmetic::apply(BinaryOp::Subtract, place, &change.value)?,
    };
    if too_large(&new) {
        return Err(Stop::TooLarge(room.span));
    }
    let growth = room.check(difference(new.size(), place.size()))?;
    *place = new;
    Ok(growth)
}

fn sum(place: &Value, value: &Value, room: &VariableRoom) -> Result<Value, Stop> {
    if arithmetic::size_after(BinaryOp::Add, place, value) > MAX_VALUE {
        return Err(Stop::TooLarge(room.span));
    }
    Ok(arithmetic::apply(BinaryOp::Add, place, value)?)
}

fn append(items: &mut Arc<Vec<Value>>, value: &Value, room: &VariableRoom) -> Result<isize, Stop> {
    if items.len() >= MAX_ELEMENTS {
        return Err(Stop::TooLarge(room.span));
    }
    let growth = room.check(difference(value.size(), 0))?;
    Arc::make_mut(items).push(value.clone());
    Ok(growth)
}

fn difference(new: usize, old: usize) -> isize {
    isize::try_from(new)
        .unwrap_or(isize::MAX)
        .saturating_sub(isize::try_from(old).unwrap_or(isize::MAX))
}
