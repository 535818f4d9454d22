//! `stack-in-expression`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0135",
    name: "stack-in-expression",
    severity: Severity::Error,
    title: "a stack inside an expression",
    explanation: "A stack is either a statement, which sends it, or the whole right side of `=` or `:=`, which also keeps the sent packet. It cannot be part of an expression, so that every send is easy to see.",
    bad: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  p = Bytes("a") + Bytes("b")
}
"#,
    fixed: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  p = Bytes("a" + "b")
  print("${length(p)}")
}
"#,
};

/// `text` is the stack.
pub(crate) fn at(place: Span, text: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!(
            "`{}` would be sent, and a send cannot be part of an expression",
            short(text)
        ),
    )
    .help("join bytes inside the parentheses, `Bytes(a + b)`, and join layers with `/`")
    .help("keep the sent packet first: `p = Bytes(…)`, then use `p[Eth].ts`, `length(p)`")
}

fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    match line.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_string(),
    }
}
