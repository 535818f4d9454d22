//! Echo over a path that loses packets: a million bytes each way at the same time, so that each
//! segment that goes again also acknowledges. All is judged by the referee too, as every run is.

use crate::tool::{Ran, crafty_reading};

/// Percent of packets lost in each direction, and whether every connection must finish. Where a
/// fifth is lost, the lab's host (smoltcp) doubles its time-outs without bound and may outlast any
/// patience; but each end of ours sends something in each of its own.
const LOSSES: &[(u64, bool)] = &[
    (0, true),
    (1, true),
    (2, true),
    (5, true),
    (10, true),
    (20, false),
];
/// Our time-outs end at 60 s (RFC 6298 §2.5); the program looks each 50 ms. Once all of ours is
/// acknowledged we have nothing to send, and wait for the peer.
const LONGEST_SILENCE: f64 = 60.1;

/// The ports cross different links, as flows are spread: those up to 45000 and from 45008 no lossy
/// one. 1000 s is what a lossy path needs whose sender waits for its time-outs.
fn echo(from: u16, to: u16) -> String {
    format!(
        r#"BUDGET = {{ max_duration: 10001s, max_packets: 4000000, max_packets_per_secs: 50000, max_bytes: 6GB, max_syns: 40 }}
PERMISSIONS = {{ destinations: [192.0.2.1], exfiltration: true }}
PORTS = {{ tcp: [[45000, 45100]] }}
foreach q {from}..{to} {{
  got = 0
  seen = 0
  since = now()
  longest = 0s
  /IP!(dst=192.0.2.1)/TCP!(dst=7, src=q, timeout=100s) {{
    on /IP!/TCP!/Bytes as m {{ got += length(m[Bytes].data) }}
    Bytes(#a5 * 1000000)
    since := now()
    repeat count=20000 every=50ms until=got >= 1000000 {{
      moved = STACK[TCP].segments_in + STACK[TCP].segments_out
      if moved != seen or STACK[TCP].bytes_acked >= 1000000 {{
        seen := moved
        since := now()
      }}
      if now() - since > longest {{ longest := now() - since }}
    }}
    print("got ${{got}} still ${{longest / 1s}}")
    abort
  }} else e {{ print("ended ${{e.kind}}") }}
}}
"#
    )
}

/// Runs it; gives how many connections finished.
#[track_caller]
fn check(ports: (u16, u16), loss: u64, all: bool, seed: u64) {
    let lab = format!("demo:loss={loss}@r2-r3b");
    let words = ["run", "--lab", &lab, "--seed", &seed.to_string(), "-"];
    let Ran { out, err, .. } = crafty_reading(&echo(ports.0, ports.1), &words).expect(0);
    let of = format!("{loss} % lost, seed {seed}:\n{out}{err}");
    let still = |line: &str| line.rsplit(' ').next().and_then(|n| n.parse::<f64>().ok());
    let lines: Vec<&str> = out
        .lines()
        .filter(|line| line.starts_with("got "))
        .collect();
    let finished = lines.iter().filter(|line| line.starts_with("got 1000000 "));
    let expected = usize::from(ports.1 - ports.0 + 1);
    assert!(!all || finished.count() == expected, "{of}");
    let stalls = |line: &&str| still(line).is_none_or(|still| still > LONGEST_SILENCE);
    assert!(!lines.is_empty() && !lines.iter().any(stalls), "{of}");
}

#[test]
fn an_echo_ends_at_every_loss() {
    let long = std::env::var("TEST_MATRIX").as_deref() == Ok("all");
    if !long {
        check((45001, 45003), 2, true, 1);
        return check((45001, 45002), 10, true, 1);
    }
    for seed in 1..=20 {
        for (loss, all) in LOSSES {
            check((45000, 45009), *loss, *all, seed);
        }
    }
}
