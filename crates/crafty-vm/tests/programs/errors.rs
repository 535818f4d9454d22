//! Errors: who takes them, what they end, how the program then ends.

use crate::bench::{check, check_frames};
use crate::peers::{OURS, Peer, TARGET, udp};
use crate::rules::program;

#[test]
fn a_value_error_ends_its_block() {
    let rows = [
        (
            "xs = [1, 2]\nforeach i 0..3 { print(\"${xs[i]}\") }\nprint(\"after\")",
            "0.000 1\n0.000 2\n0.000 error index\n0.000 after\n0.000 ends 1",
        ),
        (
            "xs = [1]\nn = 5\nn += 0\nif true { print(\"${xs[n]}\") }\nprint(\"after\")",
            "0.000 error index\n0.000 after\n0.000 ends 1",
        ),
        (
            "xs = [1]\nn = 5\nn += 0\nprint(\"${xs[n]}\")\nprint(\"never\")",
            "0.000 error index\n0.000 ends 1",
        ),
        (
            "n = 0\nn += 0\ntry { print(\"${div(1, n)}\") } else e { print(\"${e.kind}\") }\nprint(\"after\")",
            "0.000 divide\n0.000 after\n0.000 ends 0",
        ),
        (
            "n = 9223372036854775807\nn += 0\ntry { n += 1 } else e { print(\"${e.kind} ${n}\") }",
            "0.000 overflow 9223372036854775807\n0.000 ends 0",
        ),
        (
            "n = 0\nn += 0\ntry { foreach i 1..3 { print(\"${i}\"); x = div(1, n); print(\"${x}\") } } else { print(\"out\") }",
            "0.000 1\n0.000 out\n0.000 ends 0",
        ),
        (
            "n = 300\nn += 0\n/IP!(dst=192.0.2.1) {\n IP(ttl=n)/UDP(dst=7)\n print(\"never\")\n} else e { print(\"never\") }\nprint(\"after\")",
            "0.000 error range\n0.000 after\n0.000 ends 1",
        ),
    ];
    for (body, wanted) in rows {
        check(&program(body), Peer::Silent, wanted);
    }
}

#[test]
fn loops_over_pairs_and_over_ranges_that_are_computed() {
    let rows = [
        (
            "xs = [7, 9]\nxs += 8\nforeach i, x xs { xs += x; print(\"${i}: ${x}\") }\nprint(xs)",
            "0.000 0: 7\n0.000 1: 9\n0.000 2: 8\n0.000 [7, 9, 8, 7, 9, 8]\n0.000 ends 0",
        ),
        (
            "m = map(key=\"\", default=0)\nm[\"b\"] := 2\nm[\"a\"] := 1\nforeach k, v m { m := remove(m, \"b\"); print(\"${k}=${v}\") }",
            "0.000 a=1\n0.000 b=2\n0.000 ends 0",
        ),
        (
            "xs = [7, 9]\nxs += 8\nforeach i 1..length(xs) - 1 { print(\"${xs[i] - xs[i - 1]}\") }\nrepeat count=length(xs) as n { if n > 2 { stop }; print(n) }",
            "0.000 2\n0.000 -1\n0.000 1\n0.000 2\n0.000 ends 0",
        ),
    ];
    for (body, wanted) in rows {
        check(&program(body), Peer::Silent, wanted);
    }
}

#[test]
fn what_is_only_told_is_absent_and_ends_nothing() {
    let body = r#"
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  on /IP/*/UDP {
    print("mtu ${MATCH[ICMP].mtu:>8} of ${MATCH[UDP].src}")
    print(MATCH[TCP].options.mss)
    record mtu = MATCH[ICMP].mtu + 1, from=MATCH[UDP].src
    print("${[MATCH[ICMP].mtu, div(1, 0 * MATCH[UDP].src)][0]}")
    print("${div(1, 0 * MATCH[UDP].src)}")
    print("never")
  }
  wait 20ms
  print("waited")
}"#;
    check(
        &program(body),
        Peer::Script(vec![(5, udp(TARGET, 7, OURS, 40000, b"x"))]),
        "0.005 mtu   absent of 7\n0.005 absent\n0.005 record mtu=absent\n0.005 absent\n0.005 error divide\n0.020 waited\n0.020 ends 1",
    );
}

#[test]
fn an_error_in_a_handler_never_crosses_into_the_main_line() {
    let body = r#"
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  try {
    on /IP!/UDP!/Bytes {
      print("${MATCH[Bytes].data[3]}")
    }
    wait 20ms
    print("waited")
  } else e { print("never") }
}"#;
    let frames = vec![
        (5, udp(TARGET, 7, OURS, 40000, b"x")),
        (6, udp(TARGET, 7, OURS, 40000, b"wxyz")),
    ];
    check(
        &program(body),
        Peer::Script(frames),
        "0.005 error index\n0.006 «#7a»\n0.020 waited\n0.020 ends 1",
    );
}

#[test]
fn a_neighbour_that_is_not_there_is_an_error_of_the_stack() {
    let body = "/IP!(dst=192.0.2.99)/UDP!(dst=7) { print(\"up\") } else e { print(\"${e.kind}\") }";
    let asks = "0.000 > ARP who has 192.0.2.99\n1.000 > ARP who has 192.0.2.99\n2.000 > ARP who has 192.0.2.99\n";
    check_frames(
        &program(body),
        Peer::Silent,
        &format!("{asks}3.000 no_neighbour\n3.000 ends 0"),
    );
    check_frames(
        &program(body),
        Peer::Echo(1),
        "0.000 > ARP who has 192.0.2.99\n0.001 up\n0.001 ends 0",
    );
    let uncaught = "/IP!(dst=192.0.2.99)/UDP!(dst=7) { print(\"up\") }";
    check(
        &program(uncaught),
        Peer::Silent,
        "3.000 error no_neighbour\n3.000 ends 5",
    );
}

#[test]
fn the_same_ends_twice_are_busy() {
    let body = "/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {\n /IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) { print(\"twice\") } else e { print(\"${e.kind}\") }\n}";
    check(&program(body), Peer::Silent, "0.000 busy\n0.000 ends 0");
}

#[test]
fn the_deadline_ends_the_run_and_no_try_takes_it() {
    let head = "BUDGET = { max_duration: 1s }\nPERMISSIONS = { destinations: [192.0.2.1] }\nPORTS = { udp: [40000] }\n";
    let rows = [
        (
            "wait 5s\nprint(\"never\")",
            "1.000 error deadline\n1.000 ends 6",
        ),
        (
            "try { wait 5s } else e { print(\"${e.kind}\") }\nprint(\"so far\")",
            "1.000 error deadline\n1.000 ends 6",
        ),
        (
            "try { wait 5s } else { print(\"one\") }\ntry { wait 1s } else { print(\"two\") }",
            "1.000 error deadline\n1.000 ends 6",
        ),
        (
            "/IP!(dst=192.0.2.1)/UDP!(dst=7) { wait 5s } else { print(\"never\") }",
            "1.000 error deadline\n1.000 ends 6",
        ),
        ("wait 1s\nprint(\"just\")", "1.000 just\n1.000 ends 0"),
        (
            "xs = [1]\nn = 7\nn += 0\nif true { print(\"${xs[n]}\") }\nwait 5s",
            "0.000 error index\n1.000 error deadline\n1.000 ends 1",
        ),
    ];
    for (body, wanted) in rows {
        check(&format!("{head}{body}\n"), Peer::Silent, wanted);
    }
}

/// Only time bounds a loop without `count` and `every`: where none passes, the loop is an error.
#[test]
fn a_loop_in_which_no_time_passes_ends() {
    let rows = [
        (
            "d = 0s\nd += 0s\nrepeat until=d > 1s { wait d }\nprint(\"never\")",
            "0.000 error range\n0.000 ends 1",
        ),
        (
            "xs = [1]\nn = 7\nn += 0\ntry { repeat until=n > 9 { x = xs[n]\nprint(\"${x}\")\nwait 1s } } else e { print(e.kind) }",
            "0.000 index\n0.000 ends 0",
        ),
        (
            "xs = [1]\nn = 7\nn += 0\nif true { repeat until=n > 9 { print(\"${xs[n]}\")\nwait 1s } }\nprint(\"after\")",
            "0.000 error index\n0.000 error range\n0.000 after\n0.000 ends 1",
        ),
    ];
    for (body, wanted) in rows {
        check(&program(body), Peer::Silent, wanted);
    }
}

#[test]
fn a_size_limit_is_told_and_is_no_error() {
    let rows = [
        (
            "s = \"x\"\nrepeat count=30 { s += s }\nprint(\"${length(s)}\")",
            "2097152 bytes in one value are more than the limit of 1048576: keep or send it in smaller parts",
            "1048576",
        ),
        (
            "xs = array(init=0, len=0)\nrepeat count=65537 { xs += 1 }\nprint(\"${length(xs)}\")",
            "65537 elements in one array or map are more than the limit of 65536: keep sums and counts, or remove old elements",
            "65536",
        ),
        (
            "b = #00 * 1000000\nxs = array(init=b, len=0)\nrepeat count=5 { xs += b }\nprint(\"${length(xs)}\")",
            "5000192 bytes in one variable are more than the limit of 4194304: keep less in it, or use several variables",
            "4",
        ),
    ];
    for (body, told, printed) in rows {
        let wanted =
            format!("warning: this statement was skipped: {told}\n0.000 {printed}\n0.000 ends 1");
        check(&program(body), Peer::Silent, &wanted);
    }
}
