//! `TLS!`, `HTTP!` and `DNS!` in the lab: what a program sees of them, whatever the path does.

use crate::tool::{Ran, crafty_reading, lab};

const HEAD: &str =
    "BUDGET = { max_duration: 30s, max_packets: 4000, max_packets_per_secs: 4000, max_bytes: 5MB, max_syns: 30, max_syns_per_secs: 30 }
PERMISSIONS = { destinations: [198.51.100.53, 192.0.2.80, 2001:db8:80::80] }
PORTS = { udp: [[40000, 40020]], tcp: [[45000, 45020]] }
";

fn program(body: &str) -> String {
    format!("{HEAD}{body}\n")
}

#[track_caller]
fn check(body: &str, wanted: &[&str]) -> Ran {
    let ran = lab(&program(body)).expect(0);
    assert_eq!(
        ran.out.lines().collect::<Vec<_>>(),
        wanted,
        "{body}\n{}",
        ran.err
    );
    ran
}

#[test]
fn questions_in_a_loop_and_over_a_stream() {
    check(
        "foreach name [\"www.example.com\", \"files.example.com\", \"none.example.com\"] {
  /IP!(dst=198.51.100.53)/UDP!(dst=53)/DNS!(name=name) { print(\"${name} ${STACK[DNS].rcode} ${STACK[DNS].addresses}\") }
}
/IP!(dst=198.51.100.53)/UDP!(dst=53)/DNS!(name=\"192.0.2.80\", type=ptr) { print(\"${STACK[DNS].answers}\") }
/IP!(dst=198.51.100.53)/TCP!(dst=53)/DNS!(name=\"big.example.com\", type=txt, edns=0) { print(\"${STACK[DNS].size}\") }
/IP!(dst=198.51.100.53)/UDP!(dst=53)/DNS!(name=\"big.example.com\", type=txt, edns=0) { } else e { print(e.kind) }",
        &[
            "www.example.com 0 [192.0.2.80]",
            "files.example.com 0 [198.51.100.80]",
            "none.example.com 3 []",
            "[«80.2.0.192.in-addr.arpa 300 ptr www.example.com»]",
            "1117",
            "truncated",
        ],
    );
}

/// The answer is a datagram as any: an `expect` in the block may have it, and so may a handler
/// around.
#[test]
fn the_answer_is_also_a_packet() {
    check(
        "/IP!(dst=198.51.100.53) {
  on /IP/UDP/DNS(qr == 1) { print(\"heard ${MATCH[DNS].ancount}\") }
  UDP!(dst=53)/DNS!(name=\"www.example.com\") {
    expect timeout=1s /IP!/UDP!/DNS(qr == 1) { print(\"first ${MATCH[DNS].address}\") }
    DNS(id=9, qname=\"files.example.com\")
    expect timeout=1s /IP!/UDP!/DNS(id == 9) { print(\"then ${MATCH[DNS].address}\") }
  }
}",
        &[
            "heard 1",
            "first 192.0.2.80",
            "heard 1",
            "then 198.51.100.80",
        ],
    );
}

#[test]
fn requests_by_either_family_and_another_one_by_hand() {
    check(
        "/IP!(dst=2001:db8:80::80)/TCP!(dst=80)/HTTP!(get=\"/hello\") {
  print(\"${STACK[HTTP].status} ${text(STACK[HTTP].body)}\")
  HTTP(target=\"/none\", host=\"a\")
  expect timeout=1s /IP!/TCP!/HTTP(status == 404) { print(\"by hand\") }
}
/IP!(dst=192.0.2.80)/TCP!(dst=80)/HTTP!(head=\"/large\") {
  h = STACK[HTTP].headers
  print(\"${h[\"content-length\"]} ${STACK[HTTP].body_length} ${STACK[HTTP].cut}\")
}
/IP!(dst=192.0.2.80)/TCP!(dst=80)/HTTP!(post=\"/\", body=\"x\") { print(\"${STACK[HTTP].status}\") }
/IP!(dst=192.0.2.80)/TCP!(dst=80)/HTTP!(get=\"/large\", max=1048575, timeout=20s) { print(\"${STACK[HTTP].body_length} ${STACK[HTTP].cut}\") }",
        &["200 «hello\\n»", "by hand", "«1048576» 0 false", "405", "1048575 true"],
    );
}

#[test]
fn what_is_sent_in_a_session_is_sealed() {
    check(
        "/IP!(dst=192.0.2.80)/TCP!(dst=443)/TLS!(sni=\"www.example.com\") as web {
  on /IP/TCP/Bytes(data has \"hello\") { print(\"in clear\") }
  p = Bytes(\"GET /hello HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n\")
  expect timeout=1s /IP!/TCP!/TLS!/Bytes(data has \"hello\") { print(\"${MATCH[Eth].ts - p[Eth].ts > 12ms}\") }
  HTTP(target=\"/hello\", host=\"b\")
  expect timeout=1s /IP!/TCP!/TLS!/HTTP(status == 200)/Bytes(data has \"hello\") { print(\"message\") }
  print(\"${STACK[TLS].alpn}|${STACK[TLS].version} ${web[TCP].retransmits}\")
}",
        &["true", "message", "«»|«1.3» 0"],
    );
}

#[test]
fn why_a_session_does_not_come_up() {
    let rows = [
        (
            "TCP!(dst=443)/TLS!(sni=\"www.example.com\", verify=true)",
            "untrusted",
        ),
        ("TCP!(dst=443)/TLS!(alpn=[\"h2\"])", "refused"),
        ("TCP!(dst=80)/TLS!(timeout=300ms)", "timeout"),
        ("TCP!(dst=443)/HTTP!(get=\"/\")", "malformed"),
        ("TCP!(dst=443)/TLS!(sni=\"a b\")", "range"),
        (
            "TCP!(dst=80)/HTTP!(get=\"/\", headers=[\"no colon\"])",
            "range",
        ),
        ("TCP!(dst=81)/HTTP!(get=\"/\")", "refused"),
    ];
    for (head, kind) in rows {
        check(
            &format!("/IP!(dst=192.0.2.80)/{head} {{ print(\"up\") }} else e {{ print(e.kind) }}"),
            &[kind],
        );
    }
}

/// A path that loses, doubles and reorders what passes: TLS and HTTP come through anyway.
#[test]
fn sessions_over_a_bad_path() {
    for faults in ["demo:loss=10", "demo:duplicate=30", "demo:reorder=20"] {
        let source = program(
            "/IP!(dst=192.0.2.80)/TCP!(dst=443, timeout=10s)/TLS!(sni=\"www.example.com\", timeout=10s)/HTTP!(get=\"/large\", timeout=20s) {
  print(\"${STACK[HTTP].status} ${STACK[HTTP].body_length}\")
} else e { print(\"${e.kind}: ${e.message}\") }",
        );
        let ran = crafty_reading(&source, &["run", "--lab", faults, "-"]);
        assert_eq!(ran.out, "200 100000\n", "{faults}: {}", ran.err);
    }
}

/// Under `exfiltration: none` nothing may depend on whether an answer came; what a server said
/// steers no send.
#[test]
fn what_a_server_says_steers_nothing() {
    let question = "/IP!(dst=198.51.100.53)/UDP!(dst=53)/DNS!(name=\"www.example.com\")";
    let none = program(&format!("{question} {{ print(\"up\") }}"))
        .replace("PERMISSIONS = {", "PERMISSIONS = { exfiltration: none,");
    let steered = [
        "if STACK[DNS].rcode == 0 { DNS(id=1, qname=\"a\") }",
        "DNS(id=STACK[DNS].rcode, qname=\"a\")",
        "foreach a STACK[DNS].answers { DNS(id=1, qname=\"a\") }",
    ];
    for source in [none]
        .into_iter()
        .chain(steered.map(|body| program(&format!("{question} {{\n  {body}\n}}"))))
    {
        let ran = crafty_reading(&source, &["check", "-"]).expect(2);
        assert!(ran.err.contains("error["), "{source}\n{}", ran.err);
    }
    check(
        &format!(
            "{question} {{\n  if choose(STACK[DNS].rcode, [0, 3]) == 0 {{ DNS(id=1, qname=\"a\") }}\n  print(\"sent\")\n}}"
        ),
        &["sent"],
    );
    let review = crafty_reading(
        &program(&format!("{question} {{ print(\"up\") }}")),
        &["review", "-"],
    )
    .expect(0);
    review.says(&[
        "main program 1 to 3 packets",
        "`DNS!` asks again unless it has an answer",
    ]);
}
