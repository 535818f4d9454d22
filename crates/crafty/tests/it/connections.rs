//! The chapter on connections: each of its programs in the lab, and the same text against a
//! kernel's TCP, where the peer's word counts.

use crate::documents::blocks;
use crate::house::text;
use crate::kernel::paths::path;
use crate::kernel::space::Spaces;
use crate::tool::{CRAFTY, Folder, crafty, crafty_reading, installed, lab, run, skipped};

/// A web server with a page of a mebibyte, as the lab's, beside a service that returns what it is
/// sent.
const SERVERS: &str = "
import http.server, socket, socketserver, ssl, threading
class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = bytes(1 << 20) if self.path == '/large' else b'hello'
        self.send_response(200); self.send_header('Content-Length', str(len(body))); self.end_headers(); self.wfile.write(body)
    def log_message(self, *a): pass
class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        while (data := self.request.recv(65536)): self.request.sendall(data)
class Threads(socketserver.ThreadingTCPServer):
    allow_reuse_address = True; daemon_threads = True
    def handle_error(self, *a): pass
class Web(http.server.ThreadingHTTPServer):
    def handle_error(self, *a): pass
threading.Thread(target=Threads(('0.0.0.0', 7), Echo).serve_forever, daemon=True).start()
web = Web(('0.0.0.0', 80), Pages)
";

/// The same pages over TLS.
const SAFE: &str = "
safe = Web(('0.0.0.0', 443), Pages)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain('@certificate', '@key')
safe.socket = context.wrap_socket(safe.socket, server_side=True)
threading.Thread(target=safe.serve_forever, daemon=True).start()
";

const READY: &str = "
print('ready')
web.serve_forever()
";

/// A program of the chapter: a word of its section's title, what it prints in the lab, and what
/// against a kernel three routers away.
struct Case {
    title: &'static str,
    lab: &'static [&'static str],
    kernel: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        title: "Fetch a page, and",
        lab: &[
            "1048679 bytes; handshake 12.",
            "out of order 0, duplicates 0, retransmits 0",
        ],
        kernel: &[" bytes; handshake ", "retransmits 0"],
    },
    Case {
        title: "Which routers",
        lab: &[
            "1\t10.20.4.254\t",
            "2\t203.0.113.2\t",
            "4\t203.0.113.18\t",
            "5\tsilent",
        ],
        kernel: &[
            "1\t10.1.0.2\t",
            "2\t10.2.0.2\t",
            "3\t10.3.0.2\t",
            "4\tsilent",
        ],
    },
    Case {
        title: "Is the peer",
        lab: &["1\talive", "2\talive", "3\talive"],
        kernel: &["1\talive", "2\talive", "3\talive"],
    },
    Case {
        title: "A half-open",
        lab: &["the server no longer knows the connection"],
        kernel: &["the server no longer knows the connection"],
    },
    Case {
        title: "A receiver",
        lab: &[
            "the peer probed the closed window 2 times",
            "8192 bytes waited",
            "and the peer continues",
        ],
        kernel: &[
            "the peer probed the closed window ",
            " bytes waited",
            "and the peer continues",
        ],
    },
    Case {
        title: "Duplicate",
        lab: &["3 early segments: 3 acknowledgements, 3 with SACK blocks"],
        kernel: &["3 early segments: 3 acknowledgements, 3 with SACK blocks"],
    },
    Case {
        title: "Show a certificate",
        lab: &[
            "TLS «1.3»",
            "«CN=www.example.com, O=Demo»",
            "for «www.example.com»",
            "trusted: false «unknown issuer»",
        ],
        kernel: &[
            "TLS «1.3»",
            "«CN=crafty.test»",
            "for «crafty.test»",
            "9 days left; trusted: false «",
        ],
    },
    Case {
        title: "Fetch a page with",
        lab: &[
            "200, 6 bytes of «6»",
            "handshake 12.",
            "first byte after 12.",
        ],
        kernel: &["200, 5 bytes of «5»", "first byte after "],
    },
];

/// The program under a title of the chapter.
fn program(title: &str) -> String {
    let chapter = text("book/connections.md");
    let section = chapter
        .split("\n## ")
        .find(|s| s.starts_with(title))
        .unwrap_or_default();
    blocks(section)
        .into_iter()
        .find(|(language, _)| language == "crafty")
        .map(|(_, body)| body)
        .expect("a program")
}

#[test]
fn each_program_of_the_chapter_in_the_lab() {
    CASES
        .iter()
        .for_each(|case| drop(lab(&program(case.title)).expect(0).says(case.lab)));
    let programs = blocks(&text("book/connections.md"))
        .into_iter()
        .filter(|(language, _)| language == "crafty")
        .count();
    assert_eq!(
        programs,
        CASES.len() + 1,
        "each program has its case here; the server has a test of its own"
    );
}

#[test]
fn each_program_of_the_chapter_against_a_kernel() {
    if skipped(installed("openssl"), "`openssl` is not installed") {
        return;
    }
    let Some(spaces) = path(1500) else { return };
    let folder = Folder::new();
    let (certificate, key) = (folder.path("certificate.pem"), folder.path("key.pem"));
    let words = [
        "openssl",
        "req",
        "-x509",
        "-nodes",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-days",
        "10",
        "-subj",
    ];
    run(&[
        &words[..],
        &[
            "/CN=crafty.test",
            "-addext",
            "subjectAltName=DNS:crafty.test",
            "-out",
            &certificate,
            "-keyout",
            &key,
        ],
    ]
    .concat())
    .expect(0);
    let _servers = spaces.python(
        "b",
        &[SERVERS, SAFE, READY]
            .concat()
            .replace("@certificate", &certificate)
            .replace("@key", &key),
    );
    for case in CASES {
        let source = program(case.title)
            .lines()
            .map(towards_the_kernel)
            .collect::<Vec<_>>()
            .join("\n");
        spaces.program("a", &source).expect(0).says(case.kernel);
        no_connection_is_left(&spaces, case.title);
    }
}

/// The same program with the kernel's address for the lab's.
fn towards_the_kernel(line: &str) -> String {
    if line.starts_with("param server = ") {
        "param server = 10.4.0.2".into()
    } else {
        line.into()
    }
}

/// The kernel's own view: nothing of ours stays open at its end.
fn no_connection_is_left(spaces: &Spaces, title: &str) {
    let open = spaces
        .run("b", &["ss", "-Htn", "state", "established"])
        .expect(0)
        .out;
    assert!(open.is_empty(), "{title}: {open}");
}

#[test]
fn a_server_that_answers_a_program_in_the_lab() {
    let folder = Folder::new();
    let (server, client) = (folder.path("serve.crafty"), folder.path("get.crafty"));
    std::fs::write(&server, program("A server")).expect("the server");
    std::fs::write(
        &client,
        program("Fetch a page, and").replace("192.0.2.80", "192.0.2.10"),
    )
    .expect("the client");
    let ran = crafty(&[
        "run",
        "--lab",
        "demo",
        &format!("{server}@servers"),
        &format!("{client}@west"),
    ])
    .expect(0);
    ran.says(&["served 1", "44 bytes; handshake 12."]);
}

#[test]
fn a_server_that_answers_a_kernel() {
    let Some(spaces) = path(1500) else { return };
    let folder = Folder::new();
    let file = folder.path("serve.crafty");
    std::fs::write(&file, program("A server")).expect("the server");
    let server = spaces.start("a", &[CRAFTY, "run", &file, "clients=10.4.0.2"]);
    let ask = "import time, urllib.request\n\
               for _ in range(40):\n try: print(urllib.request.urlopen('http://10.1.0.1/', timeout=2).read()); break\n except OSError: time.sleep(0.1)\n";
    spaces
        .run("b", &["python3", "-c", ask])
        .expect(0)
        .says(&["hello"]);
    let (status, out, err) = server.output();
    assert_eq!(status, Some(0), "{out}{err}");
    assert!(out.contains("served 1"), "{out}{err}");
    no_connection_is_left(&spaces, "A server");
}

#[test]
fn options_of_the_opening_and_signs_of_life_are_as_written() {
    let folder = Folder::new();
    let file = folder.path("run.pcapng");
    let source = "BUDGET = { max_duration: 20s, max_packets: 60, max_syns: 3 }\n\
                  PERMISSIONS = { destinations: [192.0.2.80] }\nPORTS = { tcp: [45000] }\n\
                  /IP!(dst=192.0.2.80)/TCP!(dst=80, keep_alive=1s, options=[mss(536), nop, raw(#fd04_1234), sack_ok]) {\n  \
                  print(\"${STACK[TCP].sack_ok} ${STACK[TCP].timestamps} ${STACK[TCP].peer_wscale}\")\n  wait 3s\n}\n";
    let ran = crafty_reading(source, &["run", "--lab", "demo", "--pcap", &file, "-"]).expect(0);
    ran.says(&["true false 0"]);
    let shown = crafty(&["decode", &file]).expect(0).out;
    assert!(
        shown.contains("options=[mss(536), nop, raw(#fd041234), sack_ok"),
        "{shown}"
    );
    let probes = shown.matches("src=10.20.4.10, dst=192.0.2.80").count();
    assert!(
        probes >= 6,
        "two probes in three seconds, beside the handshake: {shown}"
    );
    let long =
        source.replace("sack_ok]", "raw(#fd28_1234_0000_0000_0000_0000_0000_0000_0000_0000_0000_0000_0000_0000_0000_0000_0000_0000_0000)]");
    crafty_reading(&long, &["run", "--lab", "demo", "-"])
        .expect(1)
        .complains(&["`options` cannot be"]);
}

/// Six connections in a row that the peer closes first, so that it remembers each for a while, from
/// these ports.
fn again(ports: &str, peer: &str, pause: &str) -> String {
    format!(
        "BUDGET = {{ max_duration: 30s, max_packets: 300, max_syns: 12 }}\nPERMISSIONS = {{ destinations: [{peer}] }}\nPORTS = {{ tcp: [{ports}] }}\n\
         foreach n 1..6 {{\n  /IP!(dst={peer})/TCP!(dst=80) {{\n    Bytes(\"GET /hello HTTP/1.0\\r\\n\\r\\n\")\n    \
         expect timeout=2s /IP!/TCP!/Bytes(data has \"HTTP/1.\") {{ print(\"${{n}} answered\") }}\n  }} else e {{ print(\"${{n}} ${{e.kind}}\") }}\n  \
         wait {pause}\n}}\n"
    )
}

const ALL_SIX: &[&str] = &[
    "1 answered",
    "2 answered",
    "3 answered",
    "4 answered",
    "5 answered",
    "6 answered",
];

#[test]
fn one_connection_after_the_other() {
    lab(&again("[45000, 45100]", "192.0.2.80", "300ms"))
        .expect(0)
        .says(ALL_SIX);
    // A server of ours takes the same ends again at once, and so does a kernel.
    let folder = Folder::new();
    let (server, client) = (folder.path("serve.crafty"), folder.path("again.crafty"));
    std::fs::write(&server, program("A server")).expect("the server");
    std::fs::write(&client, again("45000", "192.0.2.10", "300ms")).expect("the client");
    let ran = crafty(&[
        "run",
        "--lab",
        "demo",
        &format!("{server}@servers"),
        &format!("{client}@west"),
    ])
    .expect(0);
    ran.says(ALL_SIX).says(&["served 6"]);
    let Some(spaces) = path(1500) else { return };
    let _server = spaces.python("b", &[SERVERS, READY].concat());
    spaces
        .program("a", &again("45000", "10.4.0.2", "300ms"))
        .expect(0)
        .says(ALL_SIX);
}

/// A stream to the lab's echo, and what the connection says of itself in the end.
fn echo(count: u32, bytes: u32, says: &str) -> String {
    format!(
        "BUDGET = {{ max_duration: 900s, max_packets: 200000, max_packets_per_secs: 50000, max_bytes: 400MB, max_syns: 40 }}\n\
         PERMISSIONS = {{ destinations: [192.0.2.1] }}\nPORTS = {{ tcp: [[45000, 45100]] }}\n\
         foreach q 1..{count} {{\n  got = 0\n  /IP!(dst=192.0.2.1)/TCP!(dst=7) {{\n    \
         on /IP!/TCP!/Bytes as m {{ got += length(m[Bytes].data) }}\n    Bytes(#a5 * {bytes})\n    \
         repeat count=2000 every=50ms until=got >= {bytes} {{ }}\n    print(\"got ${{got}} {says}\")\n    abort\n  \
         }} else e {{ print(\"${{e.kind}}\") }}\n}}\n"
    )
}

/// Both directions carry load, the far window closes, and segments are lost: every stream arrives,
/// and the referee, which sees each run, finds nothing.
#[test]
fn an_echo_over_a_lossy_path_ends() {
    let program = echo(6, 400_000, "${STACK[TCP].state}");
    for seed in ["1", "2", "3"] {
        let words = ["run", "--seed", seed, "--lab", "demo:loss=2@r2-r3b", "-"];
        let ran = crafty_reading(&program, &words).expect(0);
        assert_eq!(ran.out, "got 400000 established\n".repeat(6), "seed {seed}");
    }
}

/// A device forgets bits: what comes in spoilt is counted by its connection, and sent again.
#[test]
fn spoilt_segments_are_counted_by_their_connection() {
    let program = echo(1, 400_000, "${STACK[TCP].checksum_errors > 3}");
    let words = ["run", "--lab", "demo:corrupt_in_device=2@r1-r2", "-"];
    crafty_reading(&program, &words)
        .expect(0)
        .says(&["got 400000 true"]);
}
