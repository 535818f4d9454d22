//! `TLS!`, `HTTP!` and `DNS!`: what is on top of what, what is asked, what may be read and matched.

use super::{In, codes, told};
use In::Top;

/// A head on `IP!`, a body, and the codes of all that is reported.
const ROWS: &[(&str, &str, &[&str])] = &[
    (
        "TCP!(dst=443)/TLS!(sni=\"a.example\", alpn=[\"h2\"], min=\"1.2\", verify=true)",
        "print(STACK[TLS].version)",
        &[],
    ),
    ("TCP!(dst=443)/TLS!", "print(STACK[TLS].names)", &[]),
    (
        "TCP!(dst=80)/HTTP!(get=\"/\", host=\"a\", headers=[\"A: b\"])",
        "print(STACK[HTTP].status)",
        &[],
    ),
    (
        "TCP!(dst=80)/HTTP!(post=\"/\", body=\"a\", max=10)",
        "print(STACK[HTTP].body)",
        &[],
    ),
    (
        "TCP!(dst=443)/TLS!/HTTP!(head=\"/\")",
        "h = STACK[HTTP].headers\nprint(h[\"server\"])\nprint(STACK[TCP].srtt)",
        &[],
    ),
    (
        "UDP!(dst=53)/DNS!(name=\"a.example\", type=aaaa, tries=5, timeout=1s, id=7)",
        "print(STACK[DNS].rcode == DNS.name_error)",
        &[],
    ),
    (
        "UDP!(dst=53)/DNS!(name=\"a.example\", type=64)",
        "foreach a STACK[DNS].addresses { print(a) }",
        &[],
    ),
    (
        "TCP!(dst=853)/TLS!(sni=\"a\")/DNS!(name=\"a.example\")",
        "print(STACK[DNS].ttl)",
        &[],
    ),
    // Where they are.
    ("UDP!(dst=443)/TLS!(sni=\"a\")", "print(1)", &["E0431"]),
    ("UDP!(dst=80)/HTTP!(get=\"/\")", "print(1)", &["E0431"]),
    ("HTTP!(get=\"/\")", "print(1)", &["E0431"]),
    ("TCP!(dst=80)/HTTP!(get=\"/\")/TLS!", "print(1)", &["E0431"]),
    ("TCP!(dst=443)", "TLS!(sni=\"a\") { print(1) }", &["E0431"]),
    (
        "TCP!(src=8080, listen=true)/TLS!(sni=\"a\")",
        "print(1)",
        &["E0409"],
    ),
    ("UDP!(src=40000)/DNS!(name=\"a\")", "print(1)", &["E0409"]),
    // What they ask.
    ("TCP!(dst=80)/HTTP!", "print(1)", &["E0432"]),
    (
        "TCP!(dst=80)/HTTP!(get=\"/\", head=\"/\")",
        "print(1)",
        &["E0432"],
    ),
    (
        "TCP!(dst=80)/HTTP!(get=\"/\", body=\"a\")",
        "print(1)",
        &["E0432"],
    ),
    ("UDP!(dst=53)/DNS!(type=a)", "print(1)", &["E0432"]),
    (
        "TCP!(dst=80)/HTTP!(get=\"index.html\")",
        "print(1)",
        &["E0433"],
    ),
    (
        "TCP!(dst=80)/HTTP!(get=\"http://a.example/x\")",
        "print(1)",
        &["E0433"],
    ),
    ("TCP!(dst=443)/TLS!(min=\"1.1\")", "print(1)", &["E0207"]),
    (
        "UDP!(dst=53)/DNS!(name=\"a\", type=aaa)",
        "print(1)",
        &["E0207"],
    ),
    ("UDP!(dst=53)/DNS!(\"a\")", "print(1)", &["E0412"]),
    ("TCP!(dst=443)/TLS!(host=\"a\")", "print(1)", &["E0407"]),
    ("TCP!(dst=443)/TLS!(alpn=\"h2\")", "print(1)", &["E0301"]),
    // What may be read and matched.
    (
        "TCP!(dst=443)/TLS!",
        "print(STACK[TLS].protocol)",
        &["E0212"],
    ),
    (
        "TCP!(dst=443)/TLS!",
        "print(STACK[HTTP].status)",
        &["E0212"],
    ),
    (
        "TCP!(dst=443)/TLS!",
        "expect timeout=1s /IP!/TCP!/TLS!/Bytes { print(MATCH[Bytes].data) }",
        &[],
    ),
    (
        "TCP!(dst=443)/TLS!",
        "Bytes(\"a\")\nexpect timeout=1s Bytes(data has \"b\") { print(1) }",
        &[],
    ),
    (
        "TCP!(dst=443)/TLS!",
        "HTTP(host=\"a\")\nexpect timeout=1s /IP!/TCP!/TLS!/HTTP(status == 200) { print(1) }",
        &[],
    ),
    (
        "TCP!(dst=443)/TLS!",
        "expect timeout=1s /IP!/TCP!(state == close_wait) { print(1) }",
        &[],
    ),
    (
        "TCP!(dst=443)/TLS!",
        "expect timeout=1s /IP!/TCP!/Bytes { print(1) }",
        &["E0415"],
    ),
    (
        "TCP!(dst=443)/TLS!",
        "expect timeout=1s /IP!/TCP!/HTTP { print(1) }",
        &["E0415"],
    ),
    (
        "TCP!(dst=443)/TLS!",
        "expect timeout=1s /IP!/TCP!/TLS!(version == 3)/Bytes { print(1) }",
        &["E0416"],
    ),
    (
        "TCP!(dst=80)/HTTP!(get=\"/\")",
        "expect timeout=1s /IP!/TCP!/HTTP! { print(1) }",
        &["E0415"],
    ),
    (
        "TCP!(dst=80)/HTTP!(get=\"/\")",
        "HTTP(target=\"/b\")\nexpect timeout=1s /IP!/TCP!/HTTP(status == 200) { print(1) }",
        &[],
    ),
    (
        "UDP!(dst=53)/DNS!(name=\"a\")",
        "expect timeout=1s /IP!/UDP!/DNS(qr == 1) { print(MATCH[DNS].answers) }",
        &[],
    ),
    (
        "UDP!(dst=53)/DNS!(name=\"a\")",
        "DNS(id=1, qname=\"b\")",
        &[],
    ),
    (
        "TCP!(dst=443)/TLS!",
        "p = Bytes(\"a\")\nprint(p[Eth].ts)\nclose",
        &[],
    ),
    (
        "TCP!(dst=443)/TLS!",
        "if STACK[TCP].srtt > 1s { abort }",
        &[],
    ),
];

#[test]
fn what_is_told_of_sessions() {
    let mut wrong = String::new();
    for (head, body, wanted) in ROWS {
        let source = Top.program(&format!("/IP!(dst=192.0.2.1)/{head} {{\n{body}\n}}"));
        if codes(&source) != *wanted {
            wrong += &format!(
                "{head} {{ {body} }}\n  wanted {wanted:?}\n  {}\n",
                told(&source)
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
