//! What is known only at the start: params from the command line, constants, settings. Never sends,
//! never resolves a name.

use super::constants::Fixed;
use super::{destination, given};
use crate::builtins::type_name;
use crate::diagnostics as d;
use crate::eval::evaluate;
use crate::ir::{Expr, Program, Type, VarId};
use crafty_policy::Policy;
use crafty_syntax;
use crafty_syntax::ast::{ExprKind, Piece, Rhs, StatementKind};
use crafty_syntax::diagnostic::{Report, Severity};
use crafty_value::{Net, Value};
use std::collections::BTreeMap;

/// A program's values before its first statement.
#[derive(Clone, Debug)]
pub struct Bound {
    /// By variable number: params and constants are set, all others are `Value::Nothing`.
    pub values: Vec<Value>,
    /// What its settings ask for; not yet met with the operator's.
    pub policy: Policy,
}

/// Evaluates params, constants and settings, and judges destinations and ports with them. `given`
/// holds what the command line sets, by the param's name.
///
/// # Errors
/// A param without a value, a value of another type, a constant that cannot be computed, a
/// destination or port that the settings lack.
pub fn bind(program: &Program, given: &BTreeMap<String, Value>) -> Result<Bound, Vec<Report>> {
    let mut reports = unknown(program, given);
    let (values, more) = values(program, given, true);
    reports.extend(more);
    if !reports.is_empty() {
        return Err(reports);
    }
    let policy = given::policy(program, &values)?;
    let judged = destination::judge(program, &values, &policy, &[]);
    let errors: Vec<Report> = judged
        .into_iter()
        .filter(|r| r.diagnostic.severity == Severity::Error)
        .collect();
    if errors.is_empty() {
        Ok(Bound { values, policy })
    } else {
        Err(errors)
    }
}

fn unknown(program: &Program, given: &BTreeMap<String, Value>) -> Vec<Report> {
    let names: Vec<&str> = program
        .params
        .iter()
        .map(|p| program.variables[p.var.0 as usize].name.as_str())
        .collect();
    let place = program
        .params
        .first()
        .map_or_else(Default::default, |p| p.span);
    let odd = given.keys().filter(|name| !names.contains(&name.as_str()));
    odd.map(|name| {
        let report = Report::new(
            &d::param_value::DIAGNOSTIC,
            place,
            format!("the program has no param `{name}`"),
        );
        report.help(if names.is_empty() {
            "it has no params".to_string()
        } else {
            format!("its params are {}", names.join(", "))
        })
    })
    .collect()
}

/// Bytes that all constants may hold together.
const MOST_HELD: usize = 64 << 20;

/// Values of params and constants in the order of their declaration; what cannot be known stays
/// `Nothing`, and is told if `strict`.
pub(super) fn values(
    program: &Program,
    given: &BTreeMap<String, Value>,
    strict: bool,
) -> (Vec<Value>, Vec<Report>) {
    let mut values = vec![Value::Nothing; program.variables.len()];
    let mut reports = Vec::new();
    let params = program
        .params
        .iter()
        .map(|p| (p.var, p.default.as_ref(), true));
    let constants = program
        .constants
        .iter()
        .map(|(var, e)| (*var, Some(e), false));
    let mut cells: Vec<(VarId, Option<&Expr>, bool)> = params.chain(constants).collect();
    cells.sort_by_key(|(var, ..)| *var);
    let mut held = 0;
    for (var, e, param) in cells {
        if held > MOST_HELD {
            reports.push(Report::new(
                &d::constant_fails::DIAGNOSTIC,
                program.variables[var.0 as usize].span,
                "the constants take more than 64 MiB",
            ));
            break;
        }
        let variable = &program.variables[var.0 as usize];
        let set = given.get(&variable.name).filter(|_| param);
        match (set, e) {
            (Some(value), _) if super::types::is_of(value, &variable.ty) => {
                values[var.0 as usize] = value.clone()
            }
            (Some(_), _) => {
                let message = format!(
                    "`{}` takes {}",
                    variable.name,
                    super::types::article(&variable.ty)
                );
                reports.push(Report::new(
                    &d::param_value::DIAGNOSTIC,
                    variable.span,
                    message,
                ));
            }
            (None, Some(e)) => match evaluate(e, &mut Fixed(&values)) {
                Ok(value) => {
                    held += value.size();
                    values[var.0 as usize] = value;
                }
                Err(stop) if strict => reports.push(super::constants::stopped(e.span, stop)),
                Err(_) => {}
            },
            (None, None) if strict => {
                let message = format!(
                    "`{}` has no default, so it needs a value on the command line",
                    variable.name
                );
                let report = Report::new(&d::param_value::DIAGNOSTIC, variable.span, message);
                reports.push(report.help(format!(
                    "write `{}=…` after the program's name; it takes {}",
                    variable.name,
                    type_name(&variable.ty)
                )));
            }
            (None, None) => {}
        }
    }
    (values, reports)
}

/// A value of the command line, read as one literal of this type; arrays are separated by commas.
///
/// # Errors
/// A sentence that says what the type looks like.
pub fn parse_value(ty: &Type, text: &str) -> Result<Value, String> {
    match ty {
        Type::Str => Ok(Value::text(text)),
        Type::Array(_) if text.trim().is_empty() => Ok(Value::array(Vec::new())),
        Type::Array(item) => Ok(Value::array(
            text.split(',')
                .map(|part| parse_value(item, part.trim()))
                .collect::<Result<_, _>>()?,
        )),
        _ => literal(text)
            .filter(|value| super::types::is_of(value, ty))
            .or_else(|| widened(ty, text))
            .ok_or_else(|| {
                format!(
                    "`{text}` is not {}; an example is `{}`",
                    super::types::article(ty),
                    example(ty)
                )
            }),
    }
}

/// A whole number stands for a float, an address for the net of it alone.
fn widened(ty: &Type, text: &str) -> Option<Value> {
    match (ty, literal(text)?) {
        (Type::Float, Value::Int(n)) => Some(Value::Float(n as f64)),
        (Type::Net, Value::Ip(address)) => Some(Value::Net(Net::host(address))),
        _ => None,
    }
}

/// One literal, read by the language's own reader.
fn literal(text: &str) -> Option<Value> {
    let parsed = crafty_syntax::parse(&format!("x = {text}"));
    let [statement] = parsed.program.statements.as_slice() else {
        return None;
    };
    let StatementKind::Declare {
        value: Rhs::Expr(e),
        ..
    } = &statement.kind
    else {
        return None;
    };
    if !parsed.reports.is_empty() {
        return None;
    }
    literal_value(&e.kind)
}

fn literal_value(kind: &ExprKind) -> Option<Value> {
    Some(match kind {
        ExprKind::Int { value, .. } => Value::Int(*value),
        ExprKind::Float(x) => Value::Float(*x),
        ExprKind::Duration(length) => Value::Duration(*length),
        ExprKind::Bool(b) => Value::Bool(*b),
        ExprKind::Bytes(octets) => Value::bytes(octets.clone()),
        ExprKind::Ip(address, None) => Value::Ip(*address),
        ExprKind::Net(net) => Value::Net(*net),
        ExprKind::Mac(mac) => Value::Mac(*mac),
        ExprKind::String(pieces) => match pieces.as_slice() {
            [Piece::Text(octets)] => Value::text(core::str::from_utf8(octets).ok()?),
            _ => return None,
        },
        ExprKind::Negate(inner) => match literal_value(&inner.kind)? {
            Value::Int(n) => Value::Int(n.checked_neg()?),
            Value::Float(x) => Value::Float(-x),
            Value::Duration(length) => {
                Value::Duration(crafty_value::Duration(length.0.checked_neg()?))
            }
            _ => return None,
        },
        _ => return None,
    })
}

fn example(ty: &Type) -> &'static str {
    match ty {
        Type::Int => "42",
        Type::Float => "0.5",
        Type::Bool => "true",
        Type::Bytes => "#00ff",
        Type::Duration => "200ms",
        Type::Ip => "192.0.2.1",
        Type::Net => "192.0.2.0/24",
        Type::Mac => "02:00:00:00:00:01",
        _ => "a value",
    }
}
