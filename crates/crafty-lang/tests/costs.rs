//! What operations cost, by rows: at most linear in what they read, and charged for. Work is
//! measured in bytes allocated, never in time.

use allocation_counter::measure;
use crafty_lang::builtins::{self, Eval};
use crafty_lang::eval::arithmetic::{apply, size_after};
use crafty_lang::eval::{compare, cost, show};
use crafty_lang::ir::{BinaryOp, RelOp, Type};
use crafty_value::{Duration, Map, Value};
use std::sync::Arc;

/// Sizes at which each operation is measured; each is twice the one before.
const SIZES: [usize; 4] = [1000, 2000, 4000, 8000];

/// What an operation did at one size.
#[derive(Clone, Copy, Debug)]
struct Measured {
    read: u64,
    charged: u64,
    allocated: u64,
}

/// Values of every type that has a size, so large; and small ones to go with them.
fn values(size: usize) -> Vec<Value> {
    let numbers = |make: fn(i64) -> Value| Value::array((0..size as i64).map(make).collect());
    let map = Map {
        default: Value::Int(0),
        entries: (0..size as i64)
            .map(|n| (Value::Int(n), Value::Int(n)))
            .collect(),
    };
    vec![
        Value::Int(3),
        Value::Float(0.5),
        Value::Duration(Duration(7)),
        Value::Bool(true),
        Value::Ip("192.0.2.1".parse().unwrap()),
        Value::Flags(3, &["b", "a"]),
        Value::bytes(vec![7]),
        Value::text("a"),
        Value::bytes(vec![0xc3; size]),
        Value::text("a".repeat(size)),
        // Neither in order nor against it.
        numbers(|n| Value::Int(n * 7919 % 1009)),
        numbers(|n| Value::Float((n * 7919 % 1009) as f64)),
        numbers(|n| Value::Duration(Duration(n * 7919 % 1009))),
        numbers(|n| Value::text(format!("{}", n * 7919 % 1009))),
        numbers(|n| Value::bytes(vec![n as u8; 4])),
        Value::Map(Arc::new(map)),
    ]
}

fn type_of(value: &Value) -> Type {
    match value {
        Value::Int(_) => Type::Int,
        Value::Float(_) => Type::Float,
        Value::Str(_) => Type::Str,
        Value::Bytes(_) => Type::Bytes,
        Value::Duration(_) => Type::Duration,
        Value::Ip(_) => Type::Ip,
        Value::Flags(_, names) => Type::Flags(names),
        Value::Array(items) => Type::Array(Arc::new(type_of(&items[0]))),
        Value::Map(_) => Type::Map(Arc::new(Type::Int), Arc::new(Type::Int)),
        _ => Type::Bool,
    }
}

/// The same lists of arguments at one size after the other.
fn arguments(size: usize) -> Vec<Vec<Value>> {
    let all = values(size);
    let ones = all.iter().map(|v| vec![v.clone()]);
    let twos = all
        .iter()
        .flat_map(|a| all.iter().map(|b| vec![a.clone(), b.clone()]));
    let threes = all
        .iter()
        .map(|a| vec![a.clone(), Value::Int(1), Value::Int(1)]);
    ones.chain(twos).chain(threes).collect()
}

fn size(values: &[Value]) -> u64 {
    values.iter().map(|v| v.size() as u64).sum()
}

/// From one size to the next neither what is charged nor what is allocated grows more than what is
/// read, except for the logarithm of sorting; and what is allocated is charged.
#[track_caller]
fn check(what: &str, rows: &[Measured]) {
    for pair in rows.windows(2) {
        let (small, large) = (pair[0], pair[1]);
        let grows = (large.read as f64 / small.read as f64).max(1.0) * 1.3;
        let most = |before: u64| (before as f64 * grows) as u64 + 512;
        assert!(
            large.charged <= most(small.charged) && large.allocated <= most(small.allocated),
            "{what} grows more than what it reads: {rows:?}"
        );
    }
    for row in rows {
        assert!(
            row.allocated <= 64 * row.charged + 4096,
            "{what} does more than it is charged for: {rows:?}"
        );
    }
}

#[test]
fn functions_are_charged_by_what_they_read() {
    for builtin in builtins::ALL {
        let (Eval::Pure(compute) | Eval::OfPacket(compute, _)) = builtin.eval else {
            continue;
        };
        let mut tried = 0;
        let by_size: Vec<_> = SIZES.map(arguments).into_iter().collect();
        for at in 0..by_size[0].len() {
            let types: Vec<Type> = by_size[0][at].iter().map(type_of).collect();
            let fits = (builtin.params.1..=builtin.params.0.len()).contains(&types.len());
            if !fits || (builtin.gives)(&types).is_err() {
                continue;
            }
            tried += 1;
            let rows = by_size.iter().map(|lists| {
                let args = &lists[at];
                let allocated = measure(|| drop(compute(args))).bytes_total;
                Measured {
                    read: size(args),
                    charged: builtin.reads.cost(args),
                    allocated,
                }
            });
            check(
                &format!("{}({types:?})", builtin.name),
                &rows.collect::<Vec<_>>(),
            );
        }
        assert!(tried > 0, "nothing calls `{}`", builtin.name);
    }
}

#[test]
fn operators_are_charged_by_what_they_read() {
    let ops = [
        BinaryOp::Add,
        BinaryOp::Subtract,
        BinaryOp::Multiply,
        BinaryOp::Divide,
        BinaryOp::Remainder,
    ];
    let relations = [
        RelOp::Eq,
        RelOp::Ne,
        RelOp::Lt,
        RelOp::Le,
        RelOp::Gt,
        RelOp::Ge,
        RelOp::In,
        RelOp::NotIn,
        RelOp::Has,
        RelOp::NotHas,
    ];
    let by_size: Vec<_> = SIZES.map(values).into_iter().collect();
    let count = by_size[0].len();
    for (a, b) in (0..count).flat_map(|a| (0..count).map(move |b| (a, b))) {
        for op in ops {
            let rows = by_size.iter().map(|all| {
                let (left, right) = (&all[a], &all[b]);
                Measured {
                    read: size(&[left.clone(), right.clone()]),
                    charged: cost::NODE + cost::of_bytes(size_after(op, left, right)),
                    allocated: measure(|| drop(apply(op, left, right))).bytes_total,
                }
            });
            check(&format!("{op:?} {a} {b}"), &rows.collect::<Vec<_>>());
        }
        for op in relations {
            let rows = by_size.iter().map(|all| Measured {
                read: size(&[all[a].clone(), all[b].clone()]),
                charged: cost::of_relation(op, &all[a], &all[b]),
                allocated: measure(|| {
                    std::hint::black_box(compare::holds(op, &all[a], &all[b]));
                })
                .bytes_total,
            });
            check(&format!("{op:?} {a} {b}"), &rows.collect::<Vec<_>>());
        }
    }
}

#[test]
fn what_is_shown_is_charged_by_its_size() {
    let by_size: Vec<_> = SIZES.map(values).into_iter().collect();
    for at in 0..by_size[0].len() {
        for (how, show) in [
            ("shown", show::shown as fn(&Value) -> String),
            ("marked", |v| show::marked(v, usize::MAX)),
        ] {
            let rows = by_size.iter().map(|all| Measured {
                read: size(&all[at..=at]),
                charged: cost::of_text(&all[at]),
                allocated: measure(|| drop(show(&all[at]))).bytes_total,
            });
            check(&format!("{how} {at}"), &rows.collect::<Vec<_>>());
        }
    }
}
