//! Programs against a recorded peer: what was recorded in the lab is said again, a conversation of
//! kernels is taken up, and where a program leaves its recording that is reported.

use crate::kernel::{Spaces, pair};
use crate::tool::{CRAFTY, Folder, Ran, crafty, example, run, run_reading};

/// A program, recorded in a lab, says the same against its recording.
#[track_caller]
fn the_same(lab: &str, program: &str) {
    let folder = Folder::new();
    let path = folder.path("recorded.pcapng");
    let recorded = crafty(&["run", "--lab", lab, "--pcap", &path, &example(program)]);
    let replayed = crafty(&["run", "--replay", &path, &example(program)]);
    assert_eq!(
        (replayed.status, &replayed.out),
        (recorded.status, &recorded.out),
        "{lab} {program}\n{}",
        replayed.err
    );
    assert!(
        !replayed.err.contains("the recording has"),
        "{lab} {program}\n{}",
        replayed.err
    );
}

#[test]
fn what_was_recorded_in_the_lab_is_said_again() {
    let programs = [
        "ping.crafty",
        "ping6.crafty",
        "traceroute.crafty",
        "tcp_hops.crafty",
        "path_mtu.crafty",
        "port_check.crafty",
        "dns_query.crafty",
        "http_get.crafty",
        "arp_ping.crafty",
        "office_rtt.crafty",
    ];
    programs
        .iter()
        .for_each(|program| the_same("demo", program));
    ["ping.crafty", "http_get.crafty", "loss.crafty"]
        .iter()
        .for_each(|program| the_same("demo:loss=20,duplicate=10,reorder=10", program));
}

#[test]
fn one_of_two_programs_is_replayed_without_the_other() {
    let folder = Folder::new();
    let path = folder.path("both.pcapng");
    let (server, client) = (example("udp_server.crafty"), example("udp_client.crafty"));
    let both = crafty(&[
        "run",
        "--lab",
        "demo",
        "--pcap",
        &path,
        &format!("{server}@east"),
        &format!("{client}@west"),
    ])
    .expect(0);
    for program in [&server, &client] {
        let alone = crafty(&["run", "--replay", &path, program]).expect(0).out;
        assert!(
            alone.lines().count() == 1 && both.out.contains(&alone),
            "{alone}\n{}",
            both.out
        );
    }
}

/// The capture of an example's run in the demo network.
fn recorded(folder: &Folder, program: &str) -> String {
    let path = folder.path("run.pcapng");
    crafty(&["run", "--lab", "demo", "--pcap", &path, &example(program)]).expect(0);
    path
}

fn replayed(capture: &str, program: &str) -> Ran {
    run_reading(
        program.as_bytes(),
        &[CRAFTY, "run", "--replay", capture, "-"],
    )
}

const HEAD: &str = "BUDGET = { max_duration: 20s, max_packets: 500, max_packets_per_secs: 400 }\nPERMISSIONS = { destinations: [192.0.2.1] }\nPORTS = { icmp: [9], udp: [40000] }\n";

#[test]
fn divergences_from_the_recording_are_told() {
    let folder = Folder::new();
    let path = recorded(&folder, "ping.crafty");
    let ping = |text: &str, count: u32| {
        format!(
            "{HEAD}/IP!(dst=192.0.2.1) {{\n  foreach n 1..{count} {{\n    ICMP(type=echo_request, id=9, seq=n)/Bytes(\"{text}\")\n    expect timeout=1s /IP/ICMP(type == echo_reply, id == 9, seq == n) {{ print(\"${{n}}\") }} else {{ print(\"lost\") }}\n  }}\n}}\n"
        )
    };
    // The identifier is the program's own: 77 in the recording, 9 here.
    assert_eq!(
        replayed(&path, &ping("crafty", 5)).expect(0).out,
        "1\n2\n3\n4\n5\n"
    );
    let other = replayed(&path, &ping("other", 5)).expect(1);
    other.says(&["5\n"]).complains(&[
        "the recording has packet 3: /Eth/IP/ICMP/Bytes",
        "the program diverged from the recording 5 times",
    ]);
    replayed(&path, &ping("crafty", 3)).expect(1).complains(&[
        "echo_request; the program sent nothing more",
        "diverged from the recording once",
    ]);
    replayed(&path, &ping("crafty", 6))
        .expect(1)
        .says(&["5\nlost"])
        .complains(&["has nothing more in this conversation; the program sent"]);
    let udp = format!("{HEAD}/IP!(dst=192.0.2.1)/UDP!(dst=7) {{ Bytes(\"x\") }}\n");
    replayed(&path, &udp)
        .expect(1)
        .complains(&["has nothing of the kind; the program sent /Eth/IP/UDP/Bytes"]);
    let json = run_reading(
        udp.as_bytes(),
        &[CRAFTY, "run", "--json", "--replay", &path, "-"],
    )
    .expect(1);
    json.says(&["{\"event\":\"diverged\",\"expected\":\"nothing of the kind\""]);
    // What fails by itself has its own status.
    replayed(&path, &format!("{}fail \"so\"\n", ping("crafty", 5)))
        .expect(1)
        .complains(&["failed: so"]);
}

#[test]
fn what_cannot_be_replayed_is_refused() {
    let folder = Folder::new();
    let path = recorded(&folder, "ping.crafty");
    crafty(&["run", "--replay", &path, &example("http_get.crafty")])
        .expect(2)
        .complains(&["no conversation with this program's destinations"]);
    crafty(&[
        "run",
        "--replay",
        &example("ping.crafty"),
        &example("ping.crafty"),
    ])
    .expect(2)
    .complains(&["neither pcap nor pcapng"]);
    crafty(&[
        "run",
        "--replay",
        &folder.path("none"),
        &example("ping.crafty"),
    ])
    .expect(2)
    .complains(&["cannot replay"]);
}

/// A web server of the kernel's, and a client of the kernel's that asks it twice; gives the capture
/// of a device, or of all.
pub fn recorded_by_the_kernel(spaces: &Spaces, file: &str) {
    let server = spaces.python("b", SERVER);
    let capture = spaces.capture("a", "b", file);
    spaces.run("a", &["python3", "-c", CLIENT]).expect(0);
    capture.stop();
    server.stop();
}

/// Answers a question with itself and 100,000 dots.
pub const SERVER: &str = "
import socket
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(('10.9.1.2', 8080)); s.listen(5); print('ready')
while True:
    c, _ = s.accept()
    asked = c.recv(1000)
    c.sendall(b'answer to ' + asked + b'.' * 100000)
    c.close()
";
/// Asks twice.
const CLIENT: &str = "
import socket
for n in range(2):
    c = socket.create_connection(('10.9.1.2', 8080))
    c.sendall(b'question %d' % n)
    while c.recv(65536): pass
    c.close()
";

#[test]
fn a_program_takes_up_a_conversation_of_kernels() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let path = folder.path("kernel.pcap");
    recorded_by_the_kernel(&spaces, &path);
    let program = "BUDGET = { max_duration: 20s, max_packets: 2000, max_packets_per_secs: 1000 }\nPERMISSIONS = { destinations: [10.9.1.2] }\nPORTS = { tcp: [[45000, 45009]] }\n\
        foreach n 0..1 {\n  got = 0\n  /IP!(dst=10.9.1.2)/TCP!(dst=8080) {\n    on linger=1s /IP!/TCP!/Bytes { got += length(MATCH[Bytes].data) }\n    Bytes(\"question ${n}\")\n  } else e { print(e.kind) }\n  print(\"${got}\")\n}\n";
    let first = replayed(&path, program).expect(0);
    assert_eq!(first.out, "100020\n100020\n", "{}", first.err);
    // Cooked captures have no link layer that a program could send on: IP alone.
    let cut = folder.path("cut.pcap");
    run(&["editcap", "-C", "14", "-L", "-T", "rawip", &path, &cut]);
    if std::path::Path::new(&cut).exists() {
        assert_eq!(replayed(&cut, program).expect(0).out, first.out);
    }
    // Packed, and once more: the same bytes, the same run.
    run(&["gzip", "-k", &path]).expect(0);
    assert_eq!(
        replayed(&format!("{path}.gz"), program).expect(0).err,
        first.err
    );
}

#[test]
fn what_was_recorded_on_a_wire_is_said_again() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let server = spaces.python("b", SERVER);
    let asks = "BUDGET = { max_duration: 20s, max_packets: 2000, max_packets_per_secs: 1000 }\nPERMISSIONS = { destinations: [10.9.1.2] }\nPORTS = { tcp: [[45000, 45009]] }\n\
        /IP!(dst=10.9.1.2)/TCP!(dst=8080) {\n  asked = Bytes(\"question\")\n  expect timeout=5s /IP!/TCP!/Bytes where length(MATCH[Bytes].data) >= 100018 {\n    print(\"${MATCH[Eth].ts - asked[Eth].ts}\")\n  }\n} else e { print(e.kind) }\n";
    let asks = folder.file("asks.crafty", asks);
    for words in [&[&example("ping.crafty"), "target=10.9.1.2"][..], &[&asks]] {
        let path = folder.path("wire.pcapng");
        let live = spaces
            .crafty("a", &[&["run", "--pcap", &path][..], words].concat())
            .expect(0);
        let replayed = crafty(&[&["run", "--replay", &path][..], words].concat()).expect(0);
        assert_eq!(replayed.out, live.out, "{words:?}\n{}", replayed.err);
    }
    server.stop();
}

#[test]
fn damaged_recordings_do_not_break_a_run() {
    let folder = Folder::new();
    let path = recorded(&folder, "http_get.crafty");
    let whole = std::fs::read(&path).expect("the capture");
    let mut dice = 0x2545_f491_4f6c_dd1du64;
    for _ in 0..60 {
        let mut damaged = whole.clone();
        for _ in 0..8 {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            let at = 300 + dice as usize % (damaged.len() - 300);
            damaged[at] = (dice >> 32) as u8;
        }
        let file = folder.file("damaged.pcapng", &damaged);
        let ran = crafty(&["run", "--replay", &file, &example("http_get.crafty")]);
        assert!(
            [0, 1, 2, 4, 6].contains(&ran.status) && !ran.err.contains("panicked"),
            "{ran:?}"
        );
    }
}
