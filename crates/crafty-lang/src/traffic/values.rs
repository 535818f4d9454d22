//! What expressions can come out as, as far as that is known before the start: variables that only
//! constants, params and loops over known lists decide have a set of values, and ints a range.

use crate::eval::cost::Allowance;
use crate::eval::evaluate;
use crate::ir::{BinaryOp, Expr, ExprKind, Over, Program, StatementKind, Type, VarId};
use crate::labels::price::{each_statement, parts};
use crate::labels::range::{self, Known, Range};
use crate::worst::KnownVariables;
use crafty_value::Value;

/// Most values that are distinguished; with more, nothing is known.
const MOST_VALUES: usize = 64;

/// Longest bytes whose values are distinguished.
const LONGEST: i128 = 4096;

/// Rounds after which what is not known yet stays unknown.
const ROUNDS: usize = 8;

/// What gives a variable a value, at one place of the text.
#[derive(Clone, Copy)]
pub enum Definition<'p> {
    /// This expression.
    Value(&'p Expr),
    /// The elements of this, one after the other.
    Elements(&'p Over),
    /// Whole numbers from 1 up to this, where there is a limit.
    Count(Option<&'p Expr>),
    /// A change in place, by this.
    Changed(&'p Expr),
    /// What only the run knows: packets.
    Unknown,
}

/// Values and ranges of a program's variables.
pub struct KnownSets<'p> {
    program: &'p Program,
    values: &'p [Value],
    definitions: Vec<Vec<Definition<'p>>>,
    sets: Vec<Option<Vec<Value>>>,
    /// What finding out may cost; when it is used up, the rest is unknown.
    allowance: Allowance,
    ranges: Known,
}

impl<'p> KnownSets<'p> {
    /// Of a program with the values of its params and constants.
    pub fn new(program: &'p Program, values: &'p [Value]) -> KnownSets<'p> {
        let mut sets = KnownSets {
            program,
            values,
            definitions: definitions(program),
            sets: vec![None; program.variables.len()],
            allowance: Allowance::default(),
            ranges: Known::new(),
        };
        for at in 0..program.variables.len() {
            if let Some(value) = values.get(at).filter(|v| **v != Value::Nothing) {
                sets.sets[at] = Some(vec![value.clone()]);
                sets.note_range(at, of_value(value));
            }
        }
        for _ in 0..ROUNDS {
            if !sets.round() {
                break;
            }
        }
        sets
    }

    /// What gives the variable its values.
    pub fn definitions(&self, var: VarId) -> &[Definition<'p>] {
        &self.definitions[var.0 as usize]
    }

    /// The variables that the expression is made of, at whatever remove.
    pub fn sources(&self, expr: &Expr, found: &mut Vec<VarId>) {
        let mut vars = Vec::new();
        variables(expr, &mut vars);
        for var in vars {
            if found.contains(&var) {
                continue;
            }
            found.push(var);
            let constant = self.program.constants.iter().find(|(of, _)| *of == var);
            if let Some((_, value)) = constant {
                self.sources(value, found);
            }
            for definition in self.definitions(var).iter().copied() {
                match definition {
                    Definition::Value(value)
                    | Definition::Changed(value)
                    | Definition::Elements(Over::Value(value)) => {
                        self.sources(value, found);
                    }
                    Definition::Elements(Over::Range(low, high)) => {
                        self.sources(low, found);
                        self.sources(high, found);
                    }
                    Definition::Count(Some(limit)) => self.sources(limit, found),
                    Definition::Count(None) | Definition::Unknown => {}
                }
            }
        }
    }

    /// All values that the expression can have; none where the run decides.
    pub fn possible(&self, expr: &Expr) -> Option<Vec<Value>> {
        if let ExprKind::Call { builtin, args } = &expr.kind
            && ["choose", "one_of"].contains(&builtin.name)
        {
            return match self.possible(args.get(1)?)?.as_slice() {
                [Value::Array(items)] => Some(items.to_vec()),
                _ => None,
            };
        }
        let mut vars = Vec::new();
        variables(expr, &mut vars);
        let unsettled = |var: &VarId| self.sets[var.0 as usize].is_none();
        if reads_packets(expr) || vars.iter().any(unsettled) || self.is_long(expr) {
            return None;
        }
        let mut world = KnownVariables {
            values: self.values,
            set: Vec::new(),
            allowance: &self.allowance,
        };
        let mut found = Vec::new();
        self.each_way(expr, &vars, &mut world, &mut found)?;
        (!found.is_empty()).then_some(found)
    }

    /// The one value of an expression.
    pub fn value(&self, expr: &Expr) -> Option<Value> {
        let [value] = <[Value; 1]>::try_from(self.possible(expr)?).ok()?;
        Some(value)
    }

    /// Least and most of an int.
    pub fn range(&self, expr: &Expr) -> Option<Range> {
        let values = self.possible(expr);
        let ints = values.and_then(|values| values.iter().map(int).collect::<Option<Vec<_>>>());
        match ints {
            Some(ints) => Some((*ints.iter().min()?, *ints.iter().max()?)),
            None => range::of(expr, &self.ranges),
        }
    }

    /// Whether an expression repeats bytes so often that its values are not worth keeping.
    fn is_long(&self, expr: &Expr) -> bool {
        let repeats = |times: &Expr| {
            let most = range::of(times, &self.ranges).map_or(i128::MAX, |(_, most)| most);
            times.ty == Type::Int && most > LONGEST
        };
        let here = match &expr.kind {
            ExprKind::Binary(BinaryOp::Multiply, a, b) if expr.ty == Type::Bytes => {
                repeats(a) || repeats(b)
            }
            _ => false,
        };
        here || parts(expr).into_iter().any(|part| self.is_long(part))
    }

    fn each_way(
        &self,
        expr: &Expr,
        vars: &[VarId],
        world: &mut KnownVariables,
        found: &mut Vec<Value>,
    ) -> Option<()> {
        let Some((var, rest)) = vars.split_first() else {
            let value = evaluate(expr, world).ok()?;
            if value == Value::Nothing || found.len() >= MOST_VALUES {
                return None;
            }
            if !found.contains(&value) {
                found.push(value);
            }
            return Some(());
        };
        for value in self.sets[var.0 as usize].as_ref()? {
            world.set.push((*var, value.clone()));
            self.each_way(expr, rest, world, found)?;
            world.set.pop();
        }
        Some(())
    }

    /// Settles what can be settled by what is known; tells whether anything was.
    fn round(&mut self) -> bool {
        let mut changed = false;
        for at in 0..self.definitions.len() {
            if self.sets[at].is_none()
                && let Some(set) = self.union(at)
            {
                self.sets[at] = Some(set);
                changed = true;
            }
            let var = VarId(at as u32);
            if !self.ranges.contains_key(&var)
                && let Some(range) = self.hull(at)
            {
                self.note_range(at, Some(range));
                changed = true;
            }
        }
        changed
    }

    fn union(&self, at: usize) -> Option<Vec<Value>> {
        let mut all = Vec::new();
        for definition in &self.definitions[at] {
            let values = match definition {
                Definition::Value(expr) => self.possible(expr)?,
                Definition::Elements(Over::Value(list)) => elements(&self.value(list)?)?,
                Definition::Elements(Over::Range(low, high)) => {
                    numbers(self.range(low)?.0, self.range(high)?.1)?
                }
                Definition::Count(limit) => numbers(1, self.range((*limit)?)?.1)?,
                Definition::Changed(_) | Definition::Unknown => return None,
            };
            all.extend(values);
        }
        (!all.is_empty() && all.len() <= MOST_VALUES).then_some(all)
    }

    fn hull(&self, at: usize) -> Option<Range> {
        if let Some(set) = &self.sets[at] {
            let ints: Vec<i128> = set.iter().map(int).collect::<Option<_>>()?;
            return Some((*ints.iter().min()?, *ints.iter().max()?));
        }
        let ranges = self.definitions[at]
            .iter()
            .map(|definition| match definition {
                Definition::Value(expr) => self.range(expr),
                Definition::Elements(Over::Value(list)) => {
                    let ints = elements(&self.value(list)?)?;
                    let ints: Vec<i128> = ints.iter().map(int).collect::<Option<_>>()?;
                    Some((*ints.iter().min()?, *ints.iter().max()?))
                }
                Definition::Elements(Over::Range(low, high)) => {
                    Some((self.range(low)?.0, self.range(high)?.1))
                }
                Definition::Count(limit) => Some((1, self.range((*limit)?)?.1.max(1))),
                Definition::Changed(_) | Definition::Unknown => None,
            });
        let ranges: Vec<Range> = ranges.collect::<Option<_>>()?;
        let least = ranges.iter().map(|r| r.0).min()?;
        Some((least, ranges.iter().map(|r| r.1).max()?))
    }

    fn note_range(&mut self, at: usize, range: Option<Range>) {
        if let Some(range) = range {
            self.ranges.insert(VarId(at as u32), range);
        }
    }
}

fn int(value: &Value) -> Option<i128> {
    match value {
        Value::Int(n) => Some(i128::from(*n)),
        _ => None,
    }
}

fn of_value(value: &Value) -> Option<Range> {
    int(value).map(|n| (n, n))
}

fn elements(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(items) => Some(items.to_vec()),
        Value::Map(map) => Some(map.entries.keys().cloned().collect()),
        _ => None,
    }
}

fn numbers(low: i128, high: i128) -> Option<Vec<Value>> {
    if high - low >= MOST_VALUES as i128 {
        return None;
    }
    (low..=high)
        .map(|n| i64::try_from(n).map(Value::Int).ok())
        .collect()
}

/// Whether the expression asks packets, stacks or errors.
fn reads_packets(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Field { .. }
            | ExprKind::HasLayer { .. }
            | ExprKind::Counter { .. }
            | ExprKind::ErrorPart { .. }
    ) || parts(expr).into_iter().any(reads_packets)
}

/// The variables in an expression, each once.
pub fn variables(expr: &Expr, found: &mut Vec<VarId>) {
    if let ExprKind::Var(var) = &expr.kind
        && !found.contains(var)
    {
        found.push(*var);
    }
    for part in parts(expr) {
        variables(part, found);
    }
}

/// All places at which each variable gets a value. Params and constants have none here.
fn definitions(program: &Program) -> Vec<Vec<Definition<'_>>> {
    let mut all = vec![Vec::new(); program.variables.len()];
    let mut note = |var: VarId, definition| all[var.0 as usize].push(definition);
    each_statement(&program.body, &mut |statement| match &statement.kind {
        StatementKind::Set { var, value } => note(*var, Definition::Value(value)),
        StatementKind::Update { var, value, .. } => note(*var, Definition::Changed(value)),
        StatementKind::Send {
            into: Some(var), ..
        } => note(*var, Definition::Unknown),
        StatementKind::Foreach {
            var,
            second: None,
            over,
            ..
        } => note(*var, Definition::Elements(over)),
        StatementKind::Foreach {
            var,
            second: Some(second),
            ..
        } => {
            note(*var, Definition::Unknown);
            note(*second, Definition::Unknown);
        }
        StatementKind::Repeat {
            counter: Some(var),
            count,
            ..
        } => note(*var, Definition::Count(count.as_ref())),
        _ => {}
    });
    all
}
