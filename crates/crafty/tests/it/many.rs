//! Many connections at once: a server that holds a thousand, and a client that makes them of single
//! segments.

use crate::tool::{CRAFTY, Folder, run};

const BUDGET: &str = "BUDGET = { max_duration: 60s, max_packets: 20000, max_packets_per_secs: 20000, max_bytes: 20MB, max_bytes_per_secs: 20MB, max_syns: 2000, max_syns_per_secs: 2000 }\n";

fn server(peers: usize) -> String {
    format!(
        "{BUDGET}PERMISSIONS = {{ destinations: [10.20.4.0/24] }}\nPORTS = {{ tcp: [8080] }}\nn = 0\n\
         /IP!/TCP!(src=8080, listen=true, peers={peers}) {{\n  on linger=8s /IP!/TCP!/Bytes {{\n    n += 1\n    Bytes(\"ok\")\n  }}\n}}\nprint(\"${{n}} asked\")\n"
    )
}

/// Opens so many connections, and asks on each only when all are open.
fn client(count: usize) -> String {
    format!(
        "{BUDGET}PERMISSIONS = {{ destinations: [10.100.0.10] }}\nPORTS = {{ tcp: [[20000, 30000]] }}\nopened = map(key=0, default=0)\nanswered = 0\nport = 20000\n\
         on /IP/TCP(flags == syn+ack) {{ opened[MATCH[TCP].dst] := 1 }}\non /IP/TCP/Bytes(data == \"ok\") {{ answered += 1 }}\n\
         repeat count={count} every=1ms {{\n  /IP(dst=10.100.0.10)/TCP(src=port, dst=8080, flags=syn, seq=7)\n  port += 1\n}}\nwait 50ms\nport := 20000\n\
         repeat count={count} every=1ms {{\n  /IP(dst=10.100.0.10)/TCP(src=port, dst=8080, flags=ack, seq=8, ack=auto)/Bytes(\"x\")\n  port += 1\n}}\n\
         wait 1s\nprint(\"${{length(opened)}} opened, ${{answered > 0}}\")\n"
    )
}

/// Runs both in one lab; gives what they print, and the seconds of processor that it took: those a
/// busy machine does not stretch much.
#[track_caller]
fn together(peers: usize, count: usize) -> (String, f64) {
    let folder = Folder::new();
    let (east, west) = (
        folder.file("server.crafty", server(peers)),
        folder.file("client.crafty", client(count)),
    );
    let words = [
        CRAFTY,
        "run",
        "--lab",
        "demo",
        &format!("{east}@east"),
        &format!("{west}@west"),
    ];
    let ran = run(&[&["sh", "-c", "\"$@\" || exit; times", "sh"], &words[..]].concat()).expect(0);
    (
        ran.out.clone(),
        seconds(ran.out.lines().last().unwrap_or_default()),
    )
}

/// The last line of `times`: `0m1.20s 0m0.08s`, of the commands that ran.
#[track_caller]
fn seconds(line: &str) -> f64 {
    let one = |word: &str| {
        let (minutes, seconds) = word.strip_suffix('s')?.split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    line.split(' ')
        .map(one)
        .sum::<Option<f64>>()
        .unwrap_or_else(|| panic!("`{line}` is not what `times` prints"))
}

#[test]
fn a_thousand_connections_at_once() {
    let (out, small) = together(4096, 250);
    assert!(
        out.contains("250 opened, true") && out.contains("250 asked"),
        "{out}"
    );
    let (out, large) = together(4096, 1000);
    assert!(
        out.contains("1000 opened, true") && out.contains("1000 asked"),
        "{out}"
    );
    // Four times as many cost four times as much, not sixteen times.
    assert!(
        large < small * 10.0 + 0.2,
        "{small:.2} s for 250, {large:.2} s for 1000"
    );
}

#[test]
fn there_is_room_for_as_many_as_the_program_says() {
    for (peers, told) in [(20, "20 asked"), (1, "1 asked")] {
        let (out, _) = together(peers, 40);
        assert!(out.contains(told), "{out}");
    }
}
