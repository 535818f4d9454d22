//! What is known only at the start: params from the command line, constants, settings. Never sends,
//! never resolves a name.

use super::constants::Fixed;
use super::{destination, given};
use crate::builtins::type_name;
use crate::diagnostics as d;
use crate::eval::cost::Allowance;
use crate::eval::evaluate;
use crate::ir::{Expr, Program, Type, VarId, Variable};
use core::fmt;
use crafty_policy::Policy;
use crafty_syntax::ast::{ExprKindSyntax, Rhs, StatementKindSyntax, StringPieceSyntax};
use crafty_syntax::diagnostic::{Occurrence, Severity};
use crafty_value::{Net, Value};
use std::collections::BTreeMap;

/// A program's values before its first statement.
#[derive(Clone, Debug)]
pub struct Bindings {
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
pub fn bind(
    program: &Program,
    given: &BTreeMap<String, Value>,
) -> Result<Bindings, Vec<Occurrence>> {
    let mut reports = unknown(program, given);
    let (values, more) = values(program, given, true);
    reports.extend(more);
    if !reports.is_empty() {
        return Err(reports);
    }
    let policy = given::policy(program, &values)?;
    let judged = destination::judge(program, &values, &policy, &[]);
    let errors: Vec<Occurrence> = judged
        .into_iter()
        .filter(|r| r.diagnostic.severity == Severity::Error)
        .collect();
    if errors.is_empty() {
        Ok(Bindings { values, policy })
    } else {
        Err(errors)
    }
}

fn unknown(program: &Program, given: &BTreeMap<String, Value>) -> Vec<Occurrence> {
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
        let report = Occurrence::new(
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
/// `Nothing`, and is reported if `strict`.
pub(super) fn values(
    program: &Program,
    given: &BTreeMap<String, Value>,
    strict: bool,
) -> (Vec<Value>, Vec<Occurrence>) {
    let mut values = vec![Value::Nothing; program.variables.len()];
    let mut reports = Vec::new();
    let mut held = 0;
    let allowance = Allowance::default();
    for (var, cell) in cells(program) {
        let variable = &program.variables[var.0 as usize];
        if held > MOST_HELD {
            reports.push(Occurrence::new(
                &d::constant_fails::DIAGNOSTIC,
                variable.span,
                "the constants take more than 64 MiB",
            ));
            break;
        }
        match cell.value(variable, given, &values, &allowance) {
            Ok(value) => {
                held += value.size();
                values[var.0 as usize] = value;
            }
            Err(Unknown::Always(report)) => reports.push(report),
            Err(Unknown::Yet(report)) if strict => reports.push(report),
            Err(Unknown::Yet(_)) => {}
        }
    }
    (values, reports)
}

/// What gives a variable its value before the start.
enum Cell<'p> {
    /// The command line, or this default.
    Param(Option<&'p Expr>),
    /// This.
    Constant(&'p Expr),
}

/// Why a value is not known.
enum Unknown {
    /// What was given is wrong.
    Always(Occurrence),
    /// It is missing or fails; a program that is only checked may lack it.
    Yet(Occurrence),
}

/// Params and constants, in the order of their declaration.
fn cells(program: &Program) -> Vec<(VarId, Cell<'_>)> {
    let params = program
        .params
        .iter()
        .map(|p| (p.var, Cell::Param(p.default.as_ref())));
    let constants = program
        .constants
        .iter()
        .map(|(var, e)| (*var, Cell::Constant(e)));
    let mut cells: Vec<_> = params.chain(constants).collect();
    cells.sort_by_key(|(var, _)| *var);
    cells
}

impl Cell<'_> {
    fn value(
        &self,
        variable: &Variable,
        given: &BTreeMap<String, Value>,
        values: &[Value],
        allowance: &Allowance,
    ) -> Result<Value, Unknown> {
        let e = match self {
            Cell::Constant(e) => e,
            Cell::Param(default) => match (given.get(&variable.name), default) {
                (Some(value), _) => return fitting(variable, value).map_err(Unknown::Always),
                (None, Some(default)) => default,
                (None, None) => return Err(Unknown::Yet(missing(variable))),
            },
        };
        evaluate(e, &mut Fixed(values, allowance))
            .map_err(|stop| Unknown::Yet(super::constants::stopped(e.span, stop)))
    }
}

/// What the command line gave a param, if it is of the param's type.
fn fitting(variable: &Variable, value: &Value) -> Result<Value, Occurrence> {
    if super::types::is_of(value, &variable.ty) {
        return Ok(value.clone());
    }
    let message = format!(
        "`{}` takes {}",
        variable.name,
        super::types::article(&variable.ty)
    );
    Err(Occurrence::new(
        &d::param_value::DIAGNOSTIC,
        variable.span,
        message,
    ))
}

/// Neither the command line nor the program gives this param a value.
fn missing(variable: &Variable) -> Occurrence {
    let message = format!(
        "`{}` has no default, so it needs a value on the command line",
        variable.name
    );
    Occurrence::new(&d::param_value::DIAGNOSTIC, variable.span, message).help(format!(
        "write `{}=…` after the program's name; it takes {}",
        variable.name,
        type_name(&variable.ty)
    ))
}

/// A value of the command line, read as one literal of this type; arrays are separated by commas.
///
/// # Errors
/// The text is not a literal of this type.
pub fn parse_value(ty: &Type, text: &str) -> Result<Value, LiteralError> {
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
            .ok_or_else(|| LiteralError {
                text: text.to_string(),
                ty: ty.clone(),
            }),
    }
}

/// A text that is not a literal of the type that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct LiteralError {
    /// The text; of an array, the element.
    pub text: String,
    /// The type.
    pub ty: Type,
}

impl fmt::Display for LiteralError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not {}; an example is `{}`",
            self.text,
            super::types::article(&self.ty),
            example(&self.ty)
        )
    }
}

impl core::error::Error for LiteralError {}

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
    let StatementKindSyntax::Declare {
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

fn literal_value(kind: &ExprKindSyntax) -> Option<Value> {
    Some(match kind {
        ExprKindSyntax::Int { value, .. } => Value::Int(*value),
        ExprKindSyntax::Float(x) => Value::Float(*x),
        ExprKindSyntax::Duration(length) => Value::Duration(*length),
        ExprKindSyntax::Bool(b) => Value::Bool(*b),
        ExprKindSyntax::Bytes(octets) => Value::bytes(octets.clone()),
        ExprKindSyntax::Ip(address, None) => Value::Ip(*address),
        ExprKindSyntax::Net(net) => Value::Net(*net),
        ExprKindSyntax::Mac(mac) => Value::Mac(*mac),
        ExprKindSyntax::String(pieces) => match pieces.as_slice() {
            [StringPieceSyntax::Text(octets)] => Value::text(core::str::from_utf8(octets).ok()?),
            _ => return None,
        },
        ExprKindSyntax::Negate(inner) => match literal_value(&inner.kind)? {
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
