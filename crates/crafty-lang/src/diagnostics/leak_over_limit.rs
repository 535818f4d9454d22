//! `leak-over-limit`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0605",
    name: "leak-over-limit",
    severity: Severity::Error,
    title: "received data may choose too much of what is sent",
    explanation: "`choose`, `one_of` and a test of received data against something that changes let the network choose: each time they run they cost log2 of their outcomes in bits. Under `exfiltration: false` all of them together may cost 64 bits in a run, if a send depends on them: a size out of three is cheap, a copied header is not. `max_leak_bits` sets another limit; `crafty review` shows the sum. `check` counts these choices alone. Where `max_leak_bits` is declared, the gate also counts during the run what reactions reveal, and drops a frame that goes over it: leave room for that.",
    bad: r#"BUDGET = { max_duration: 20s, max_packets: 200 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000] }
size = 100
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  on /IP!/UDP!/Bytes(data[0:2] == #0001) { size := choose(int(MATCH[Bytes].data[2:4]), [100, 500, 1000]) }
  repeat count=100 every=50ms { Bytes(#00 * size) }
}
"#,
    fixed: r#"BUDGET = { max_duration: 20s, max_packets: 200 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000] }
size = 100
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  on count=10 /IP!/UDP!/Bytes(data[0:2] == #0001) { size := choose(int(MATCH[Bytes].data[2:4]), [100, 500, 1000]) }
  repeat count=100 every=50ms { Bytes(#00 * size) }
}
"#,
};
