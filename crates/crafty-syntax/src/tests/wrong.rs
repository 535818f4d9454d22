//! Texts that are not programs, and the one mistake that is reported of each.

use crate::{MAX_REPORTS, format, parse};

/// Each text gets one report of this name, and where it has a safe fix, that fixes it.
#[track_caller]
fn check(rows: &[(&str, &str)]) {
    for (source, name) in rows {
        let reports = parse(source).reports;
        let names: Vec<&str> = reports.iter().map(|r| r.diagnostic.name).collect();
        assert_eq!(names, [*name], "{source}\n{:?}", super::told(source));
        assert!(format(source).is_err(), "{source}");
        for fix in reports[0].fixes.iter().filter(|fix| fix.safe) {
            let fixed = fix.apply(source);
            assert!(
                parse(&fixed).reports.is_empty(),
                "{source}\n{fixed}\n{:?}",
                super::told(&fixed)
            );
        }
    }
}

#[test]
fn words_and_characters() {
    check(&[
        ("x = 5 #fade", "space-after-hash"),
        ("x = 5 #comment", "space-after-hash"),
        ("#dead code", "space-after-hash"),
        ("#abc", "space-after-hash"),
        ("x = f(#abc)", "space-after-hash"),
        ("x = #de_", "space-after-hash"),
        ("x = 5 // five", "comment-sign"),
        ("// five", "comment-sign"),
        ("/* five */", "comment-sign"),
        ("/IP//UDP", "comment-sign"),
        ("wait 5m", "unknown-unit"),
        ("wait 5sec", "unknown-unit"),
        ("x = 1e6", "unknown-unit"),
        ("x = 5_", "bad-number"),
        ("x = 1__0", "bad-number"),
        ("x = 0x", "bad-number"),
        ("x = 0b12", "bad-number"),
        ("x = 99999999999999999999", "bad-number"),
        ("wait 1.5ns", "bad-number"),
        ("wait 9999999h", "bad-number"),
        ("print(\"\\q\")", "bad-escape"),
        ("print(\"\\x4\")", "bad-escape"),
        ("print(\"\\u{110000}\")", "bad-escape"),
        ("print(\"a", "unterminated-string"),
        ("print(\"a)\nx = 1", "unterminated-string"),
        ("print('a')", "single-quotes"),
        ("x = 5\ry = 6", "hidden-character"),
        ("# \u{202e}comment", "hidden-character"),
        ("x = \"\u{7}\"", "hidden-character"),
        ("\u{feff}x = 5", "hidden-character"),
        ("größe = 5", "not-ascii"),
        ("x = “a”", "not-ascii"),
        ("x = $y", "foreign-sign"),
        ("x = 1 + \\\n  2", "foreign-sign"),
        ("print(\"${x\")", "bad-hole"),
        ("print(\"${}\")", "bad-hole"),
        ("print(\"${x:.2f}\")", "bad-hole"),
        ("print(\"${x:8}\")", "bad-hole"),
        ("print(\"${f(\"${y}\")}\")", "bad-hole"),
    ]);
}

#[test]
fn addresses() {
    check(&[
        ("x = 10.0.0.256", "bad-address"),
        ("x = 10.0.0", "bad-address"),
        ("x = 10.0.0.0.1", "bad-address"),
        ("x = 1:2:3:4:5:6:7:8:9::", "bad-address"),
        ("x = 10.0.0.0/33", "bad-address"),
        ("x = fe80::1%", "bad-address"),
        ("x = 10.0.0.01", "leading-zeros"),
        ("x = ::ffff:10.0.0.1", "mapped-address"),
        ("x = ::ffff:a00:1", "mapped-address"),
        ("x = 10.1.0.1/16", "host-bits"),
        ("x = 2001:db8::1/32", "host-bits"),
    ]);
}

#[test]
fn names_and_operators() {
    check(&[
        (
            "TIMEOUT = 5s\nwait TIMEOUT\nprint(\"${TIMEOUT}\")",
            "capital-name",
        ),
        ("TIMEOUT = 5s\non linger=TIMEOUT\n  /IP { }", "capital-name"),
        ("on linger=TIMEOUT /IP { }", "stack-in-expression"),
        ("x = Foo.bar + Baz", "capital-name"),
        ("myVar = 5", "capital-name"),
        ("x = y + SELF", "capital-name"),
        ("record = 5", "keyword-as-name"),
        ("foreach in xs { }", "keyword-as-name"),
        ("MATCH = 5", "reserved-name"),
        ("x = PORTS", "reserved-name"),
        ("x = True", "capital-constant"),
        ("x = f(None)", "capital-constant"),
        ("x: int = 5", "typed-name"),
        ("if !x { }", "bang-not"),
        ("x = a and !b", "bang-not"),
        ("on /IP(!df == 1) { }", "bang-not"),
        ("x = a && b", "foreign-operator"),
        ("x = a || b", "foreign-operator"),
        ("x = a === b", "foreign-operator"),
        ("TCP(flags=syn|ack)", "foreign-operator"),
        ("on /TCP(flags & syn == 1) { }", "foreign-operator"),
        ("x = a ** 2", "foreign-operator"),
        ("foreach n 1..=5 { }", "foreign-operator"),
        ("n++", "increment"),
        ("n--", "increment"),
        ("n *= 2 + 3", "compound-assign"),
        ("x[1] = 2", "index-declare"),
        ("p[IP].ttl := 3", "field-assign"),
        ("x = a < b < c", "chained-comparison"),
        ("if x = 1 { }", "equals-in-condition"),
        ("x = (a = b)", "equals-in-condition"),
        ("x = 1..5", "lone-range"),
        ("x = n / ICMP.echo_reply", "named-value-divide"),
        ("x = Bytes(\"a\") + 1", "stack-in-expression"),
        ("Bytes(\"a\") + 1", "stack-in-expression"),
        ("print(IP(ttl=3))", "stack-in-expression"),
        ("x = length(/IP/UDP)", "stack-in-expression"),
        ("x = a ? b : c", "ternary"),
        ("x = b[0:4:2]", "range-step"),
    ]);
}

#[test]
fn statements() {
    check(&[
        ("foreach x in xs { }", "foreach-in"),
        ("for x in xs { }", "for-loop"),
        ("for (i = 0; i < 5; i += 1) { }", "for-loop"),
        ("while x < 5 { y = 1 }", "while-loop"),
        ("repeat count=5 { break }", "break-word"),
        ("repeat count=5 { continue }", "continue-word"),
        ("return 5", "function-word"),
        ("def f(x) { y = x }", "function-word"),
        ("if a { } elif b { }", "else-if"),
        ("if a { } elseif b { } else { }", "else-if"),
        ("if a { } else e { }", "else-name"),
        ("expect timeout=1s /IP { } else e { }", "else-name"),
        ("exit 1", "exit-status"),
        ("print \"x\"", "print-call"),
        ("print(a, b)", "print-call"),
        ("print()", "print-call"),
        ("repeat { stop }", "repeat-options"),
        ("repeat 5 { }", "repeat-options"),
        ("expect timeout 1s /IP { }", "option-sign"),
        ("repeat count: 5 { }", "option-sign"),
        ("repeat count=5, every=1ms { }", "option-sign"),
        ("try { }\nx = 1", "try-alone"),
        ("if a\n  b = 1", "missing-block"),
        ("if a:\n  b = 1", "missing-block"),
        ("if a then { }", "missing-block"),
        ("let x = 5", "foreign-word"),
        ("sleep 5s", "foreign-word"),
        ("send(IP/UDP)", "foreign-word"),
        ("switch x { }", "foreign-word"),
        ("foreahc x xs { }", "misspelt-keyword"),
        ("expct timeout=1s /IP { }", "misspelt-keyword"),
        ("length(x)", "unused-value"),
        ("x = 1 y = 2", "missing-separator"),
        ("if a { } if b { }", "missing-separator"),
        ("else { }", "expected"),
        ("{ x = 1 }", "expected"),
        ("x =", "expected"),
        ("x = y z", "expected"),
        ("x == 5", "expected"),
        ("wait", "expected"),
        ("param x", "expected"),
        ("record 5", "expected"),
        ("x = => 5", "foreign-operator"),
    ]);
}

#[test]
fn brackets_and_settings() {
    check(&[
        ("if a {\n  b = 1\n", "missing-brace"),
        ("if a {\n  if b {\n    c = 1\n}\n", "missing-brace"),
        (
            "BUDGET = { max_packets: 5\nx = 1\nx := 2\n",
            "missing-brace",
        ),
        (
            "BUDGET = { max_packets: 5\nPORTS = { udp: [1] }",
            "missing-brace",
        ),
        ("x = f(1, 2\ny = 3", "missing-bracket"),
        ("x = [1, 2\nprint(x)", "missing-bracket"),
        ("if (a == 1 {\n  b = 1\n}", "missing-bracket"),
        ("x = 1\n}\ny = 2", "stray-bracket"),
        ("x = 1)\ny = 2", "stray-bracket"),
        ("x = [1 2]", "missing-comma"),
        ("x = f(a b)", "missing-comma"),
        ("BUDGET = { a: 1 b: 2 }", "missing-comma"),
        ("BUDGET { a: 1 }", "setting-sign"),
        ("BUDGET: { a: 1 }", "setting-sign"),
        ("BUDGET = { a = 1 }", "setting-sign"),
        ("BUDGET = { \"a\": 1 }", "quoted-key"),
        ("PORTS = { udp: [1..5] }", "setting-range"),
        ("BUDGET = 5", "expected"),
    ]);
}

#[test]
fn stacks_and_patterns() {
    check(&[
        ("/IP !(dst=a) { }", "spaced-bang"),
        ("on /IP !/UDP { }", "spaced-bang"),
        ("IP(ttl: 3)", "argument-sign"),
        ("IP(ttl == 3)", "header-test"),
        ("/ip/udp", "lower-layer"),
        ("on /IP/udp { }", "lower-layer"),
        ("p = /IP!(dst=a) { x = 1 }", "block-as-value"),
        ("on /ICMP(type=echo_reply) { }", "equals-in-pattern"),
        ("on /IP(src == a and dst == b) { }", "pattern-and"),
        ("on /IP(IP.src == a) { }", "qualified-field"),
        ("on linger=1s { }", "no-pattern"),
        ("expect timeout=1s { }", "no-pattern"),
        ("on /IP(src) == a { }", "expected"),
        ("on /IP(a == 1, \"x\") { }", "expected"),
        ("on /Bytes(\"a\", \"b\") { }", "expected"),
        ("/IP/", "expected"),
        ("x = IP/5", "expected"),
    ]);
}

#[test]
fn lengths_and_depths() {
    check(&[
        (
            &format!("x = {}1{}", "(".repeat(65), ")".repeat(65)),
            "too-deep",
        ),
        (
            &format!("{}{}", "if a {".repeat(65), "}".repeat(65)),
            "too-deep",
        ),
        (&format!("x = {}1", "-".repeat(65)), "too-deep"),
        (&format!("x = {}1", "1 + ".repeat(300)), "too-deep"),
        (&format!("x = a{}", ".b".repeat(300)), "too-deep"),
        (&"# 3\n".repeat(20_000), "too-long"),
    ]);
    assert_eq!(parse(&"x = = 1\n".repeat(1000)).reports.len(), MAX_REPORTS);
}
