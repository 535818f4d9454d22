//! What binds to what.

use crate::ast::{
    ExprKindSyntax, ExprSyntax, Index, OperandSyntax, Rhs, StatementKindSyntax, StringPieceSyntax,
};
use crate::parse;

/// An expression with all its operands in parentheses.
fn dump(expr: &ExprSyntax) -> String {
    match &expr.kind {
        ExprKindSyntax::Binary(op, a, b) => format!("({} {op:?} {})", dump(a), dump(b)),
        ExprKindSyntax::Compare(op, a, b) => format!("({} {op:?} {})", dump(a), operand(b)),
        ExprKindSyntax::Not(a) => format!("(Not {})", dump(a)),
        ExprKindSyntax::Negate(a) => format!("(Minus {})", dump(a)),
        ExprKindSyntax::Paren(a) => dump(a),
        ExprKindSyntax::Member(a, name) => format!("{}.{}", dump(a), name.text),
        ExprKindSyntax::Index(a, index) => format!("{}[{}]", dump(a), dump_index(index)),
        ExprKindSyntax::Name(name) => name.clone(),
        ExprKindSyntax::Named { layer, value } => format!("{}.{}", layer.text, value.text),
        ExprKindSyntax::Call { name, args } => format!("{}({})", name.text, args.len()),
        ExprKindSyntax::Array(items) => {
            format!("[{}]", items.iter().map(dump).collect::<Vec<_>>().join(" "))
        }
        ExprKindSyntax::String(pieces) => pieces.iter().map(piece).collect(),
        ExprKindSyntax::Int { value, size } => format!("{value}{}", if *size { "B" } else { "" }),
        ExprKindSyntax::Float(x) => format!("{x:?}"),
        ExprKindSyntax::Duration(d) => format!("{}ns", d.0),
        ExprKindSyntax::Bytes(octets) => format!("#{octets:02x?}"),
        ExprKindSyntax::Ip(address, zone) => format!(
            "ip({address}{})",
            zone.as_deref().map_or(String::new(), |z| format!("%{z}"))
        ),
        ExprKindSyntax::Net(net) => format!("net({net})"),
        ExprKindSyntax::Mac(mac) => format!("mac({mac})"),
        other => format!("{other:?}"),
    }
}

fn operand(operand: &OperandSyntax) -> String {
    match operand {
        OperandSyntax::Value(value) => dump(value),
        OperandSyntax::Range(low, high) => format!("{}..{}", dump(low), dump(high)),
    }
}

fn dump_index(index: &Index) -> String {
    let end = |end: &Option<ExprSyntax>| end.as_ref().map_or(String::new(), dump);
    match index {
        Index::Layer(name, n) => format!(
            "{}{}",
            name.text,
            n.map_or(String::new(), |n| format!(",{n}"))
        ),
        Index::At(at) => dump(at),
        Index::Slice(low, high) => format!("{}:{}", end(low), end(high)),
    }
}

fn piece(piece: &StringPieceSyntax) -> String {
    match piece {
        StringPieceSyntax::Text(octets) => format!("'{}'", octets.escape_ascii()),
        StringPieceSyntax::Hole(expr, format) => {
            format!("<{} {:?} {:?}>", dump(expr), format.align, format.digits)
        }
    }
}

#[track_caller]
fn check(text: &str, tree: &str) {
    let source = format!("x = {text}");
    let parsed = parse(&source);
    assert!(
        parsed.reports.is_empty(),
        "{text}: {:?}",
        super::told(&source)
    );
    match &parsed.program.statements[0].kind {
        StatementKindSyntax::Declare {
            value: Rhs::Expr(expr),
            ..
        } => assert_eq!(dump(expr), tree, "{text}"),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn operators_bind_by_their_precedence() {
    for (text, tree) in [
        ("a + b * c", "(a Add (b Multiply c))"),
        ("a * b + c", "((a Multiply b) Add c)"),
        ("a - b - c", "((a Subtract b) Subtract c)"),
        ("a / b % c", "((a Divide b) Remainder c)"),
        ("-a * b", "((Minus a) Multiply b)"),
        ("a - -b", "(a Subtract (Minus b))"),
        ("not a == b", "(Not (a Eq b))"),
        ("not a and b", "((Not a) And b)"),
        ("a or b and c", "(a Or (b And c))"),
        ("a < b and c >= d", "((a Lt b) And (c Ge d))"),
        ("a + 1 in 1..n - 1", "((a Add 1) In 1..(n Subtract 1))"),
        ("a not in xs", "(a NotIn xs)"),
        ("m[TCP].flags not has rst", "(m[TCP].flags NotHas rst)"),
        ("(a + b) * c", "((a Add b) Multiply c)"),
        ("n / MATCH[IP].ttl", "(n Divide Match[IP].ttl)"),
        ("x / (ICMP.echo_reply)", "(x Divide ICMP.echo_reply)"),
        ("-p[IP, -1].ttl", "(Minus p[IP,-1].ttl)"),
        ("has(m, k) and has(p, VLAN)", "(has(2) And has(2))"),
        ("ICMP.echo_reply + 1", "(ICMP.echo_reply Add 1)"),
        ("m[TCP].options.ts.val", "m[TCP].options.ts.val"),
        ("p.in.on.where", "p.in.on.where"),
        ("auto - 1", "(Auto Subtract 1)"),
    ] {
        check(text, tree);
    }
}

#[test]
fn literals_have_their_values() {
    for (text, tree) in [
        ("1_000", "1000"),
        ("0x1f", "31"),
        ("0b1010", "10"),
        ("9223372036854775807", "9223372036854775807"),
        ("0.5", "0.5"),
        ("1.5s", "1500000000ns"),
        ("0.000000001s", "1ns"),
        ("2min", "120000000000ns"),
        ("1h", "3600000000000ns"),
        ("10us", "10000ns"),
        ("1MB", "1000000B"),
        ("1.5KiB", "1536B"),
        ("#00", "#[00]"),
        ("#de_ad_be_ef", "#[de, ad, be, ef]"),
        ("[1, 2, 3,]", "[1 2 3]"),
        ("[]", "[]"),
    ] {
        check(text, tree);
    }
}

#[test]
fn addresses_are_told_from_slices_and_keys() {
    for (text, tree) in [
        ("10.0.0.1", "ip(10.0.0.1)"),
        ("2001:db8::1", "ip(2001:db8::1)"),
        ("::1", "ip(::1)"),
        ("::", "ip(::)"),
        ("1:2:3:4:5:6:7:8", "ip(1:2:3:4:5:6:7:8)"),
        ("fe80::1%eth0", "ip(fe80::1%eth0)"),
        ("fe80::1%br-lan.5", "ip(fe80::1%br-lan.5)"),
        ("64:ff9b::10.0.0.1", "ip(64:ff9b::a00:1)"),
        ("10.0.0.0/8", "net(10.0.0.0/8)"),
        ("2001:db8::/32", "net(2001:db8::/32)"),
        ("0.0.0.0/0", "net(0.0.0.0/0)"),
        ("aa:bb:cc:dd:ee:ff", "mac(aa:bb:cc:dd:ee:ff)"),
        ("AA:BB:CC:00:11:22", "mac(aa:bb:cc:00:11:22)"),
        ("b[2:6]", "b[2:6]"),
        ("b[dead:beef]", "b[dead:beef]"),
        ("b[:]", "b[:]"),
        ("b[:4]", "b[:4]"),
        ("b[a + 1:]", "b[(a Add 1):]"),
        (
            "10.0.0.1 in 10.0.0.0/8",
            "(ip(10.0.0.1) In net(10.0.0.0/8))",
        ),
        ("10.0.0.1 + 5", "(ip(10.0.0.1) Add 5)"),
        ("10.0.0.1 / 5", "(ip(10.0.0.1) Divide 5)"),
        ("e.kind", "e.kind"),
        ("dead.beef", "dead.beef"),
        ("fade", "fade"),
    ] {
        check(text, tree);
    }
}

#[test]
fn strings_have_pieces() {
    for (text, tree) in [
        (r#""""#, "''"),
        (r#""a\r\n\t\0\"\\\$""#, r#"'a\r\n\t\x00\"\\$'"#),
        (r#""\x41\xff\u{e9}""#, r"'A\xff\xc3\xa9'"),
        (r#""$5 and $x""#, "'$5 and $x'"),
        (r#""a${b}c""#, "'a'<b None None>'c'"),
        (r#""${x:.2}""#, "<x None Some(2)>"),
        (
            r#""${x:>8}${y:<8}""#,
            "<x Some((Right, 8)) None><y Some((Left, 8)) None>",
        ),
        (r#""${x:>8.2}""#, "<x Some((Right, 8)) Some(2)>"),
        (r#""${b[2:6]}""#, "<b[2:6] None None>"),
        (r#""${b[2:6]:>8}""#, "<b[2:6] Some((Right, 8)) None>"),
        (r#""${fe80::1}""#, "<ip(fe80::1) None None>"),
        (
            r#""${fe80::1:>30}""#,
            "<ip(fe80::1) Some((Right, 30)) None>",
        ),
        (
            r#""${aa:bb:cc:dd:ee:ff}""#,
            "<mac(aa:bb:cc:dd:ee:ff) None None>",
        ),
        (r#""${m["}"]}""#, "<m['}'] None None>"),
        (r#""${f("a)", [1, 2])}""#, "<f(2) None None>"),
        (r#""${"in" + "\"}"}""#, r#"<('in' Add '\"}') None None>"#),
    ] {
        check(text, tree);
    }
}
