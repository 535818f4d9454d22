//! Params, constants and settings once they have values.

use super::check;
use crate::check::{bind, parse_value};
use crate::ir::Type;
use crafty_policy::{ExfiltrationMode, Power};
use crafty_value::{Duration, Net, Value};
use std::collections::BTreeMap;

const PROGRAM: &str = "param target: ip
param size = 100
doubled = size * 2
BUDGET = { max_duration: 5s, max_packets: doubled, max_bytes: 2KB }
PERMISSIONS = { destinations: [192.0.2.0/24, !192.0.2.9], destination_ports: { udp: [7, [53, 55]] }, powers: [fragments], exfiltration: none }
PORTS = { udp: [40000, [41000, 41001]] }
/IP!(dst=target)/UDP!(dst=7) { Bytes(#00 * doubled) }
";

/// Binds with what a command line gives, as text.
fn bound(given: &[(&str, Value)]) -> Result<crate::check::Bindings, String> {
    let program = check(PROGRAM).program.expect("it checks");
    let given: BTreeMap<String, Value> = given
        .iter()
        .map(|(name, value)| (name.to_string(), value.clone()))
        .collect();
    let told = |reports: Vec<crafty_syntax::diagnostic::Occurrence>| {
        reports
            .iter()
            .map(|r| r.message.clone())
            .collect::<Vec<_>>()
            .join("; ")
    };
    bind(&program, &given).map_err(told)
}

fn ip(text: &str) -> Value {
    Value::Ip(text.parse().unwrap())
}

#[test]
fn the_command_line_sets_params_and_settings_follow() {
    let bound = bound(&[("target", ip("192.0.2.1")), ("size", Value::Int(25))]).unwrap();
    let policy = bound.policy;
    assert_eq!(
        (policy.budget.max_packets, policy.budget.max_duration),
        (50, Duration::seconds(5))
    );
    assert_eq!(
        (policy.budget.max_bytes, policy.budget.max_bytes_per_secs),
        (2000, 2000)
    );
    assert!(
        policy.destinations.contains("192.0.2.1".parse().unwrap())
            && !policy.destinations.contains("192.0.2.9".parse().unwrap())
    );
    let ports = policy.destination_ports.unwrap();
    assert!(ports.udp.contains(54) && !ports.udp.contains(56) && ports.tcp.is_empty());
    assert!(
        policy.ports.udp.contains(41001)
            && policy.powers.has(Power::Fragments)
            && policy.exfiltration == ExfiltrationMode::None
    );
    let set: Vec<&Value> = bound
        .values
        .iter()
        .filter(|v| **v != Value::Nothing)
        .collect();
    assert_eq!(set, [&ip("192.0.2.1"), &Value::Int(25), &Value::Int(50)]);
}

#[test]
fn what_the_command_line_lacks_or_has_too_much() {
    let refused = |given: &[(&str, Value)]| bound(given).unwrap_err();
    assert_eq!(
        refused(&[]),
        "`target` has no default, so it needs a value on the command line"
    );
    assert_eq!(
        refused(&[("target", Value::Int(5))]),
        "`target` takes an ip"
    );
    assert_eq!(
        refused(&[("target", ip("192.0.2.1")), ("sise", Value::Int(1))]),
        "the program has no param `sise`"
    );
    assert_eq!(
        refused(&[("target", ip("198.51.100.1"))]),
        "`198.51.100.1` is not among the destinations of `PERMISSIONS`"
    );
    assert_eq!(
        refused(&[("target", ip("192.0.2.9"))]),
        "`192.0.2.9` is excluded from the destinations of `PERMISSIONS`"
    );
    let huge = [("target", ip("192.0.2.1")), ("size", Value::Int(i64::MAX))];
    assert_eq!(
        refused(&huge),
        "this cannot be computed: the result does not fit in 64 bits"
    );
    let negative = [("target", ip("192.0.2.1")), ("size", Value::Int(-1))];
    assert_eq!(
        refused(&negative),
        "`max_packets` cannot be negative; zero means none"
    );
}

#[test]
fn one_literal_of_the_command_line() {
    let array = |item: Type| Type::Array(item.into());
    let rows: &[(Type, &str, Option<Value>)] = &[
        (Type::Int, "42", Some(Value::Int(42))),
        (Type::Int, "-0x10", Some(Value::Int(-16))),
        (Type::Int, "4 + 2", None),
        (Type::Int, "4\ny = 2", None),
        (Type::Float, "2", Some(Value::Float(2.0))),
        (Type::Bool, "true", Some(Value::Bool(true))),
        (
            Type::Str,
            "any \"text\" ${x}",
            Some(Value::text("any \"text\" ${x}")),
        ),
        (Type::Bytes, "#0102", Some(Value::bytes(vec![1, 2]))),
        (
            Type::Duration,
            "200ms",
            Some(Value::Duration(Duration::millis(200))),
        ),
        (Type::Duration, "200", None),
        (Type::Ip, "2001:db8::1", Some(ip("2001:db8::1"))),
        (Type::Ip, "example.com", None),
        (
            Type::Net,
            "192.0.2.0/24",
            Some(Value::Net(
                Net::new("192.0.2.0".parse().unwrap(), 24).unwrap(),
            )),
        ),
        (
            Type::Net,
            "192.0.2.7",
            Some(Value::Net(Net::host("192.0.2.7".parse().unwrap()))),
        ),
        (
            array(Type::Int),
            "1, 2,3",
            Some(Value::array(vec![
                Value::Int(1),
                Value::Int(2),
                Value::Int(3),
            ])),
        ),
        (
            array(Type::Ip),
            "192.0.2.1,192.0.2.2",
            Some(Value::array(vec![ip("192.0.2.1"), ip("192.0.2.2")])),
        ),
        (array(Type::Ip), "192.0.2.1,x", None),
        (array(Type::Int), "", Some(Value::array(vec![]))),
    ];
    for (ty, text, wanted) in rows {
        assert_eq!(
            parse_value(ty, text).ok().as_ref(),
            wanted.as_ref(),
            "{text}"
        );
    }
    assert_eq!(
        parse_value(&Type::Duration, "5").unwrap_err().to_string(),
        "`5` is not a duration; an example is `200ms`"
    );
}
