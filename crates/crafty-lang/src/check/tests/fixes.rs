//! What is offered for the mistakes of newcomers. The law: a safe fix removes its mistake and
//! brings none.

use super::{In, told};
use crate::check::check;
use crate::diagnostics;
use crate::judge::whole;
use In::*;
use Offer::*;
use crafty_syntax::diagnostic::Occurrence;

/// What a row wants of the reports of its program.
#[derive(Debug)]
enum Offer {
    /// A safe fix that gives this body, where it has no mistake left.
    Safe(&'static str),
    /// A fix to be looked at that gives this body.
    Asked(&'static str),
    /// Words in a help, and no safe fix.
    Help(&'static str),
}

const ROWS: &[(In, &str, Offer)] = &[
    // Strings of other languages.
    (
        Top,
        "n = 1\nprint(f\"a{n}\")",
        Safe("n = 1\nprint(\"a${n}\")"),
    ),
    (
        Top,
        "x = 1.5\nprint(f\"{x:.2f} s\")",
        Safe("x = 1.5\nprint(\"${x:.2} s\")"),
    ),
    (Top, "n = 1\nprint(f\"{n + 1}\")", Help("${…}")),
    (Udp, "Bytes(b\"\\x01\")", Safe("Bytes(\"\\x01\")")),
    (Top, "print(r\"a\\d\")", Safe("print(\"a\\\\d\")")),
    (
        Top,
        "n = 3\nprint(\"a {n}\")",
        Asked("n = 3\nprint(\"a ${n}\")"),
    ),
    (Udp, "Bytes(0x0102)", Safe("Bytes(#0102)")),
    (Udp, "Bytes(0x102)", Safe("Bytes(#0102)")),
    (Udp, "Bytes(7)", Safe("Bytes(byte(7))")),
    (Udp, "Bytes(300)", Help("bytes(300, 2)")),
    // Values in quotes.
    (
        Top,
        "/IP!(dst=\"192.0.2.1\")/UDP!(dst=7) { Bytes(\"x\") }",
        Safe("/IP!(dst=192.0.2.1)/UDP!(dst=7) { Bytes(\"x\") }"),
    ),
    (
        Top,
        "/IP!(dst=192.0.2.1)/TCP!(dst=\"80\") { Bytes(\"x\") }",
        Safe("/IP!(dst=192.0.2.1)/TCP!(dst=80) { Bytes(\"x\") }"),
    ),
    (
        Ip,
        "IP(ttl=\"64\")/ICMP(type=echo_request, id=77)",
        Safe("IP(ttl=64)/ICMP(type=echo_request, id=77)"),
    ),
    (Ip, "ICMP(type=\"8\", id=77)", Safe("ICMP(type=8, id=77)")),
    (
        Ip,
        "ICMP(type=\"echo-request\", id=77)",
        Safe("ICMP(type=echo_request, id=77)"),
    ),
    (
        Ip,
        "TCP(src=45000, dst=80, flags=\"S\")",
        Safe("TCP(src=45000, dst=80, flags=syn)"),
    ),
    (
        Ip,
        "TCP(src=45000, dst=80, flags=\"PA\")",
        Safe("TCP(src=45000, dst=80, flags=psh+ack)"),
    ),
    (
        Ip,
        "TCP(src=45000, dst=80, flags=\"fin\")",
        Safe("TCP(src=45000, dst=80, flags=fin)"),
    ),
    (
        Top,
        "/IP!(dst=192.0.2.1)/UDP!(dst=53)/DNS!(name=\"a.example\", type=\"A\") { print(1) }",
        Safe("/IP!(dst=192.0.2.1)/UDP!(dst=53)/DNS!(name=\"a.example\", type=a) { print(1) }"),
    ),
    (Top, "wait \"2s\"", Safe("wait 2s")),
    (
        Top,
        "s = \"80\"\nn = 5\nn := s",
        Asked("s = \"80\"\nn = 5\nn := length(s)"),
    ),
    (
        Top,
        "/IP!(dst=\"www.example.com\")/UDP!(dst=7) { Bytes(\"x\") }",
        Help("cannot look names up"),
    ),
    (
        Top,
        "/IP!(dst=www.example.com)/UDP!(dst=7) { Bytes(\"x\") }",
        Help("on the command line"),
    ),
    // Layers.
    (
        Ip,
        "expect timeout=1s /IP/TCP { print(\"${MATCH[tcp].flags}\") }",
        Safe("expect timeout=1s /IP/TCP { print(\"${MATCH[TCP].flags}\") }"),
    ),
    (
        Ip,
        "expect timeout=1s /IP/TCP { print(\"${MATCH.TCP.flags}\") }",
        Safe("expect timeout=1s /IP/TCP { print(\"${MATCH[TCP].flags}\") }"),
    ),
    (
        Top,
        "/IP(dst=192.0.2.1)/TCP(dst=80) { Bytes(\"x\") }",
        Safe("/IP!(dst=192.0.2.1)/TCP!(dst=80) { Bytes(\"x\") }"),
    ),
    (
        Top,
        "/IP(dst=192.0.2.1, id=5)/TCP(dst=80) { Bytes(\"x\") }",
        Asked("/IP!(dst=192.0.2.1, id=5)/TCP!(dst=80) { Bytes(\"x\") }"),
    ),
    (
        Top,
        "/IP!(dst=192.0.2.1)/TCP!(dst=80)/HTTP!(url=\"http://x/\") { print(1) }",
        Help("get=\"/\""),
    ),
    (
        Top,
        "/IP(192.0.2.1)/ICMP(type=echo_request, id=77)",
        Asked("/IP(dst=192.0.2.1)/ICMP(type=echo_request, id=77)"),
    ),
    (
        Top,
        "/IP!(192.0.2.1)/UDP!(dst=7) { Bytes(\"x\") }",
        Asked("/IP!(dst=192.0.2.1)/UDP!(dst=7) { Bytes(\"x\") }"),
    ),
    (
        Ip,
        "ICMP(type=echo, id=77)",
        Asked("ICMP(type=echo_request, id=77)"),
    ),
    (
        Top,
        "/IP!(dst=192.0.2.1)/TLS! { print(1) }",
        Help("/IP!(dst=…)/TCP!(dst=443)/TLS!"),
    ),
    (
        Top,
        "/IP!(dst=2001:db8::1) { ICMP(type=echo_request, id=77) }",
        Safe("/IP!(dst=2001:db8::1) { ICMP6(type=echo_request, id=77) }"),
    ),
    // Loops, choices, operators.
    (
        Top,
        "for i in range(3) { print(i) }",
        Safe("foreach i 0..2 { print(i) }"),
    ),
    (
        Top,
        "for i in range(1, 4) { print(i) }",
        Safe("foreach i 1..3 { print(i) }"),
    ),
    (
        Top,
        "xs = [1]\nfor x in xs { print(x) }",
        Safe("xs = [1]\nforeach x xs { print(x) }"),
    ),
    (
        Top,
        "n = 3\nfor i in range(n) { print(i) }",
        Help("foreach n 1..5"),
    ),
    (Top, "for i in range(3):\n  print(i)", Help("foreach")),
    (Top, "c = true\nwhile c { c := false }", Help("until=not c")),
    (
        Top,
        "n = 0\nwhile n < 3 { n += 1 }",
        Help("until=not (n < 3)"),
    ),
    (
        Top,
        "done = false\nwhile !done { done := true }",
        Help("until=done"),
    ),
    (
        Top,
        "n = 3\nx = n > 2 ? 1 : 0\nprint(x)",
        Asked("n = 3\nx = 0\nif n > 2 { x := 1 }\nprint(x)"),
    ),
    (Top, "x = true\nif x & true { print(1) }", Help("`and`")),
    (
        Top,
        "x = 7 // 2\nprint(x)",
        Asked("x = div(7, 2)\nprint(x)"),
    ),
    (
        Top,
        "n = 7\nprint(n // 2)",
        Asked("n = 7\nprint(div(n, 2))"),
    ),
    (
        Top,
        "ok = 1\nif not ok { print(1) }",
        Asked("ok = 1\nif ok == 0 { print(1) }"),
    ),
    (
        Top,
        "ok = 1\nif !ok { print(1) }",
        Asked("ok = 1\nif ok == 0 { print(1) }"),
    ),
    (
        Top,
        "xs = [1]\nxs.append(2)\nprint(length(xs))",
        Safe("xs = [1]\nxs += 2\nprint(length(xs))"),
    ),
    (
        Top,
        "xs = [1]\nprint(xs.length())",
        Safe("xs = [1]\nprint(length(xs))"),
    ),
    (
        Top,
        "try { fail \"x\" } catch e { print(e.kind) }",
        Safe("try { fail \"x\" } else e { print(e.kind) }"),
    ),
    (
        Top,
        "try { fail \"x\" } catch (e) { print(e.kind) }",
        Safe("try { fail \"x\" } else e { print(e.kind) }"),
    ),
    (
        Top,
        "try { fail \"x\" } except Error as e { print(e.kind) }",
        Safe("try { fail \"x\" } else e { print(e.kind) }"),
    ),
    (
        Top,
        "try { fail \"x\" } catch { print(1) }",
        Safe("try { fail \"x\" } else { print(1) }"),
    ),
    (
        Top,
        "x = true\nif x:\n  print(1)",
        Help("write `{` in its place"),
    ),
    (Top, "x = null\nprint(x)", Help("no null")),
    (Top, "x = None\nprint(x)", Help("right type")),
];

#[test]
fn mistakes_of_newcomers_are_fixed() {
    let mut wrong = Vec::new();
    for (place, body, offer) in ROWS {
        let source = place.program(body);
        let reports = check(&source).reports;
        let fixes = || reports.iter().flat_map(|r| &r.fixes);
        let holds = match offer {
            Safe(fixed) => {
                fixes().any(|f| f.safe && f.apply(&source) == place.program(fixed))
                    && told(&place.program(fixed)).is_empty()
            }
            Asked(fixed) => {
                !fixes().any(|f| f.safe && told(&f.apply(&source)).is_empty())
                    && fixes().any(|f| f.apply(&source) == place.program(fixed))
            }
            Help(words) => {
                !fixes().any(|f| f.safe)
                    && reports
                        .iter()
                        .any(|r| r.help.iter().any(|h| h.contains(words)))
            }
        };
        if !holds {
            wrong.push(format!("{body}\nwants {offer:?}, gets {reports:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Codes of reports, sorted.
fn sorted(reports: &[Occurrence]) -> Vec<&'static str> {
    let mut codes: Vec<_> = reports.iter().map(|r| r.diagnostic.code).collect();
    codes.sort_unstable();
    codes
}

/// Whether all of `part` is in `all`, as often.
fn within(part: &[&str], all: &[&str]) -> bool {
    let times = |codes: &[&str], code: &str| codes.iter().filter(|c| **c == code).count();
    part.iter()
        .all(|code| times(part, code) <= times(all, code))
}

#[test]
fn a_safe_fix_removes_its_mistake_and_adds_none() {
    let own = ROWS.iter().map(|(place, body, _)| place.program(body));
    let wrong = super::wrong::sources();
    let rows = diagnostics::all()
        .into_iter()
        .map(|row| row.bad.to_string());
    let mut broken = Vec::new();
    for source in own.chain(wrong).chain(rows) {
        let reports = whole(&source).1;
        for report in &reports {
            for fix in report.fixes.iter().filter(|f| f.safe) {
                let fixed = fix.apply(&source);
                let mut allowed = sorted(&reports);
                allowed.retain({
                    let mut first = true;
                    move |code| *code != report.diagnostic.code || !core::mem::take(&mut first)
                });
                let left = sorted(&whole(&fixed).1);
                if !within(&left, &allowed) {
                    broken.push(format!(
                        "{} `{}` leaves {left:?}:\n{fixed}",
                        report.diagnostic.name, fix.title
                    ));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
