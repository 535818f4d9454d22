//! The cells of the variables, with their caps: a write that would go over is not made.

use core::cell::Cell;
use crafty_lang::eval::cost::of_bytes;
use crafty_lang::eval::{
    EvalInterruption, MAX_ELEMENTS, MAX_NESTED, MAX_VALUE, Raise, SizeExcess, SizeLimit, Stop,
    arithmetic,
};
use crafty_lang::ir::{AssignOp, BinaryOp, ErrorKind, Span, VarId};
use crafty_value::{Map, Value};
use std::sync::Arc;

/// Bytes that one variable may hold, with all that is in it.
pub(crate) const MAX_VARIABLE: usize = MAX_NESTED;
/// Bytes that the variables may hold together: those that nothing received decides over, and the
/// others. One memory for both would tell the ones how much the others hold.
pub(crate) const MAX_MEMORY: usize = crafty_lang::labels::MAX_MEMORY as usize;

/// All variables.
#[derive(Debug)]
pub(crate) struct Variables {
    cells: Vec<Value>,
    sizes: Vec<usize>,
    /// Whether received data decides over it.
    received: Vec<bool>,
    /// Bytes of those over which it does not decide, and of those over which it does.
    held: [usize; 2],
    /// What writes have cost that nobody has asked for.
    cost: Cell<u64>,
}

impl Variables {
    /// A cell for each of these, the first of them set; `received` says over which of them received
    /// data decides.
    pub fn new(mut values: Vec<Value>, received: &[bool]) -> Variables {
        values.resize(received.len().max(values.len()), Value::Nothing);
        let sizes: Vec<usize> = values.iter().map(Value::size).collect();
        let mut variables = Variables {
            received: received.to_vec(),
            held: [0; 2],
            cost: Cell::new(0),
            cells: values,
            sizes: vec![0; sizes.len()],
        };
        for (index, size) in sizes.into_iter().enumerate() {
            variables.holds(index, size);
        }
        variables
    }

    fn pool(&self, index: usize) -> usize {
        usize::from(self.received.get(index).copied().unwrap_or(true))
    }

    /// A variable holds so much now.
    fn holds(&mut self, index: usize, size: usize) {
        let pool = self.pool(index);
        self.held[pool] = self.held[pool].saturating_sub(self.sizes[index]) + size;
        self.sizes[index] = size;
    }

    /// Whether all of its kind have room if a variable grows by so much.
    fn has_memory(&self, index: usize, growth: usize) -> Result<(), Stop> {
        let pool = self.pool(index);
        match self.held[pool].saturating_add(growth) > MAX_MEMORY {
            true => Err(Stop::End(EvalInterruption::OutOfMemory {
                received: pool == 1,
                most: MAX_MEMORY,
            })),
            false => Ok(()),
        }
    }

    /// What writes have cost since this was asked last.
    pub fn take_cost(&self) -> u64 {
        self.cost.take()
    }

    /// The value of a variable.
    pub fn get(&self, var: VarId) -> &Value {
        self.cells.get(var.0 as usize).unwrap_or(&Value::Nothing)
    }

    /// All values.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.cells.iter()
    }

    /// Sets a variable; `span` is reported if the value is over a cap.
    pub fn set(&mut self, var: VarId, value: Value, span: Span) -> Result<(), Stop> {
        let size = value.size();
        if let Some(excess) = excess_of(&value, span) {
            return Err(excess);
        }
        if size > MAX_VARIABLE {
            return Err(over(span, SizeLimit::Variable, size));
        }
        self.cost.set(self.cost.get() + of_bytes(size));
        let index = var.0 as usize;
        if index < self.cells.len() {
            self.has_memory(index, size.saturating_sub(self.sizes[index]))?;
            self.cells[index] = value;
            self.holds(index, size);
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
        if index >= self.cells.len() {
            return Ok(());
        }
        let room = VariableRoom {
            left: MAX_VARIABLE.saturating_sub(self.sizes[index]),
            memory: MAX_MEMORY.saturating_sub(self.held[self.pool(index)]),
            received: self.pool(index) == 1,
            span,
            cost: &self.cost,
        };
        let growth = apply(&mut self.cells[index], path, change, &room)?;
        self.holds(index, self.sizes[index].saturating_add_signed(growth));
        Ok(())
    }
}

/// What an update does to the place it leads to.
#[derive(Debug)]
pub(crate) enum VariableUpdate {
    /// An assignment.
    Assign {
        /// The sign.
        op: AssignOp,
        /// The right side.
        value: Value,
        /// Whether `+=` adds an element, by the types.
        append: bool,
    },
    /// `m := remove(m, key)`, in place.
    Remove(Value),
}

/// What a variable may still grow by, and what changing it costs.
struct VariableRoom<'c> {
    left: usize,
    /// What all variables of its kind may still grow by.
    memory: usize,
    received: bool,
    span: Span,
    cost: &'c Cell<u64>,
}

impl VariableRoom<'_> {
    fn check(&self, growth: isize) -> Result<isize, Stop> {
        match usize::try_from(growth) {
            Ok(more) if more > self.left => {
                let size = (MAX_VARIABLE - self.left).saturating_add(more);
                Err(over(self.span, SizeLimit::Variable, size))
            }
            Ok(more) if more > self.memory => Err(Stop::End(EvalInterruption::OutOfMemory {
                received: self.received,
                most: MAX_MEMORY,
            })),
            _ => Ok(growth),
        }
    }

    /// Bytes were read or written.
    fn touched(&self, bytes: usize) {
        self.cost
            .set(self.cost.get().saturating_add(of_bytes(bytes)));
    }

    /// A container to write to; one that others hold too is copied first.
    fn own<'v, T: Clone>(&self, shared: &'v mut Arc<T>, items: usize) -> &'v mut T {
        if Arc::strong_count(shared) > 1 {
            self.touched(items.saturating_mul(size_of::<Value>()));
        }
        Arc::make_mut(shared)
    }
}

fn over(span: Span, limit: SizeLimit, size: usize) -> Stop {
    Stop::TooLarge(SizeExcess { span, limit, size })
}

/// One element more than a container may have.
fn one_more(room: &VariableRoom) -> Stop {
    over(room.span, SizeLimit::Elements, MAX_ELEMENTS + 1)
}

/// Strings and bytes have a cap of their own, arrays and maps one on their elements.
fn excess_of(value: &Value, span: Span) -> Option<Stop> {
    let (limit, most, size) = match value {
        Value::Str(s) => (SizeLimit::Value, MAX_VALUE, s.len()),
        Value::Bytes(b) => (SizeLimit::Value, MAX_VALUE, b.len()),
        Value::Array(items) => (SizeLimit::Elements, MAX_ELEMENTS, items.len()),
        Value::Map(map) => (SizeLimit::Elements, MAX_ELEMENTS, map.entries.len()),
        _ => return None,
    };
    (size > most).then(|| over(span, limit, size))
}

/// Changes what the path leads to; gives by how many bytes the variable grew.
fn apply(
    place: &mut Value,
    path: &[Value],
    change: &VariableUpdate,
    room: &VariableRoom,
) -> Result<isize, Stop> {
    match path {
        [] => match change {
            VariableUpdate::Assign { op, value, append } => {
                assign(place, (*op, value, *append), room)
            }
            VariableUpdate::Remove(key) => Ok(remove(place, key, room)),
        },
        [key, rest @ ..] => match place {
            Value::Map(map) => {
                let entries = 2 * map.entries.len();
                in_map(room.own(map, entries), key, rest, change, room)
            }
            Value::Array(items) => {
                let count = items.len();
                let at = index(key, count)?;
                apply(&mut room.own(items, count)[at], rest, change, room)
            }
            Value::Record(record) => {
                let count = record.parts.len();
                let at = match key {
                    Value::Str(name) => record.position(name),
                    _ => None,
                };
                match at {
                    Some(at) => apply(&mut room.own(record, count).parts[at], rest, change, room),
                    None => Err(Raise::new(ErrorKind::Index, "there is no such part").into()),
                }
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
    room.touched(16 * key.size());
    if let Some(place) = map.entries.get_mut(key) {
        return apply(place, rest, change, room);
    }
    if map.entries.len() >= MAX_ELEMENTS {
        return Err(one_more(room));
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

fn assign(
    place: &mut Value,
    (op, value, append): (AssignOp, &Value, bool),
    room: &VariableRoom,
) -> Result<isize, Stop> {
    room.touched(value.size());
    match (op, append, &mut *place, value) {
        (_, true, Value::Array(items), value) => return push(items, value, room),
        (AssignOp::Add, _, place, value)
            if arithmetic::size_after(BinaryOp::Add, place, value) > MAX_VALUE =>
        {
            let size = arithmetic::size_after(BinaryOp::Add, place, value);
            return Err(over(room.span, SizeLimit::Value, size));
        }
        (AssignOp::Add, _, Value::Array(items), Value::Array(more)) => {
            return extend(items, more, room);
        }
        (AssignOp::Add, _, Value::Bytes(bytes), Value::Bytes(more)) => {
            let growth = room.check(difference(more.len(), 0))?;
            room.own(bytes, 0).extend_from_slice(more);
            return Ok(growth);
        }
        _ => {}
    }
    let new = match op {
        AssignOp::Set => value.clone(),
        AssignOp::Add => arithmetic::apply(BinaryOp::Add, place, value)?,
        AssignOp::Subtract => arithmetic::apply(BinaryOp::Subtract, place, value)?,
    };
    if let Some(excess) = excess_of(&new, room.span) {
        return Err(excess);
    }
    let (before, after) = (place.size(), new.size());
    room.touched(before.saturating_add(after));
    let growth = room.check(difference(after, before))?;
    *place = new;
    Ok(growth)
}

fn push(items: &mut Arc<Vec<Value>>, value: &Value, room: &VariableRoom) -> Result<isize, Stop> {
    if items.len() >= MAX_ELEMENTS {
        return Err(one_more(room));
    }
    let growth = room.check(difference(value.size(), 0))?;
    let count = items.len();
    room.own(items, count).push(value.clone());
    Ok(growth)
}

fn extend(
    items: &mut Arc<Vec<Value>>,
    more: &Arc<Vec<Value>>,
    room: &VariableRoom,
) -> Result<isize, Stop> {
    if items.len() + more.len() > MAX_ELEMENTS {
        let size = items.len() + more.len();
        return Err(over(room.span, SizeLimit::Elements, size));
    }
    let size = more.iter().map(Value::size).sum();
    let growth = room.check(difference(size, 0))?;
    let count = items.len();
    room.own(items, count).extend(more.iter().cloned());
    Ok(growth)
}

/// Takes a key away; a map that lacks it stays shared.
fn remove(place: &mut Value, key: &Value, room: &VariableRoom) -> isize {
    room.touched(16 * key.size());
    let Value::Map(map) = place else { return 0 };
    if !map.entries.contains_key(key) {
        return 0;
    }
    let entries = 2 * map.entries.len();
    let gone = room.own(map, entries).entries.remove_entry(key);
    gone.map_or(0, |(key, value)| difference(0, key.size() + value.size()))
}

fn difference(new: usize, old: usize) -> isize {
    isize::try_from(new)
        .unwrap_or(isize::MAX)
        .saturating_sub(isize::try_from(old).unwrap_or(isize::MAX))
}
