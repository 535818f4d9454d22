//! `TLS!`, `HTTP!` and `DNS!` against programs of others on the kernel's own TCP and UDP:
//! `openssl`, Python's `ssl` and `http`, and servers that lie.

use super::space::{Running, Spaces};
use super::talk::pair;
use crate::tool::{Folder, Ran, installed, run, skipped};

const HEAD: &str =
    "BUDGET = { max_duration: 30s, max_packets: 2000, max_packets_per_secs: 1000, max_bytes: 4MB, max_syns: 30, max_syns_per_secs: 30 }
PERMISSIONS = { destinations: [10.9.1.2] }
PORTS = { udp: [[40000, 40020]], tcp: [[45000, 45020]] }
";

/// Runs a program's body in `a`.
pub fn ask(spaces: &Spaces, body: &str) -> Ran {
    spaces.program("a", &format!("{HEAD}{body}"))
}

/// A certificate that `openssl` makes, of this kind, and its key.
fn certificate(folder: &Folder, kind: &str) -> (String, String) {
    let (certificate, key) = (folder.path("cert.pem"), folder.path("key.pem"));
    let names = "subjectAltName=DNS:web.example,IP:10.9.1.2";
    let subject = [
        "-subj",
        "/O=Kernel/CN=web.example",
        "-addext",
        names,
        "-days",
        "10",
    ];
    let words = ["openssl", "req", "-x509", "-nodes", "-newkey"];
    run(&[
        &words[..],
        &kind.split(' ').collect::<Vec<_>>(),
        &subject,
        &["-keyout", &key, "-out", &certificate],
    ]
    .concat())
    .expect(0);
    (certificate, key)
}

pub fn able() -> Option<Spaces> {
    if skipped(installed("openssl"), "`openssl` is not installed") {
        None
    } else {
        pair()
    }
}

/// `openssl` as a server at port 443, with these words more; it answers `GET` with a page about the
/// session.
pub fn s_server(spaces: &Spaces, folder: &Folder, kind: &str, more: &str) -> Running {
    let (certificate, key) = certificate(folder, kind);
    let script = format!(
        "exec openssl s_server -accept 443 -www -quiet -cert {certificate} -key {key} {more} 2>/dev/null"
    );
    let running = spaces.start("b", &["sh", "-c", &script]);
    spaces.sh(
        "b",
        "for i in $(seq 100); do ss -tln | grep -q ':443 ' && exit 0; sleep 0.05; done; exit 1",
    );
    running
}

/// Answers questions over TLS (RFC 7858), whatever they are, with 192.0.2.9.
const SEALED_NAMES: &str = "
import socket, ssl, struct
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain('@cert', '@key')
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(('0.0.0.0', 853)); s.listen(8)
print('ready')
while True:
    try:
        c = context.wrap_socket(s.accept()[0], server_side=True); q = c.recv(4096)[2:]
        end = q.index(b'\\0', 12) + 5
        a = q[:2] + b'\\x84\\0' + struct.pack('>HHHH', 1, 1, 0, 0) + q[12:end] + b'\\xc0\\x0c\\0\\1\\0\\1\\0\\0\\0\\x3c\\0\\4\\xc0\\0\\2\\x09'
        c.sendall(struct.pack('>H', len(a)) + a); c.recv(1); c.close()
    except OSError: pass
";

#[test]
fn a_question_over_tls() {
    let Some(spaces) = able() else { return };
    let folder = Folder::new();
    let (certificate, key) = certificate(&folder, "rsa:2048");
    let _server = spaces.python(
        "b",
        &SEALED_NAMES
            .replace("@cert", &certificate)
            .replace("@key", &key),
    );
    let body =
        "/IP!(dst=10.9.1.2)/TCP!(dst=853)/TLS!(sni=\"web.example\")/DNS!(name=\"a.example\") {
  print(\"${STACK[DNS].addresses} ${STACK[TLS].version}\")
} else e { print(\"${e.kind}: ${e.message}\") }
";
    ask(&spaces, body).expect(0).says(&["[192.0.2.9] «1.3»"]);
}

const SESSION: &str = "/IP!(dst=10.9.1.2)/TCP!(dst=443)/TLS!(sni=\"web.example\", alpn=[\"http/1.1\"])/HTTP!(get=\"/\") {
  print(\"${STACK[TLS].version} ${STACK[TLS].cipher} ${STACK[TLS].key} ${STACK[TLS].signature} alpn=${STACK[TLS].alpn}\")
  print(\"${STACK[TLS].subject} ${STACK[TLS].names} left=${STACK[TLS].days_left} ${STACK[TLS].verify_error} ${STACK[TLS].self_signed}\")
  print(\"status ${STACK[HTTP].status}\")
} else e {
  print(\"${e.kind}: ${e.message}\")
}
";

#[test]
fn sessions_with_openssl() {
    let Some(spaces) = able() else { return };
    let rows: &[(&str, &str, &[&str])] = &[
        (
            "rsa:2048",
            "-tls1_3",
            &["«1.3» «TLS_", "«rsa 2048» «rsa sha256»", "status 200"],
        ),
        (
            "ec -pkeyopt ec_paramgen_curve:P-256",
            "-tls1_2",
            &[
                "«1.2» «TLS_ECDHE_ECDSA_",
                "«ec p256» «ecdsa sha256»",
                "status 200",
            ],
        ),
        (
            "ed25519",
            "-alpn http/1.1",
            &["«1.3»", "«ed25519» «ed25519» alpn=«http/1.1»", "status 200"],
        ),
        (
            "rsa:2048",
            "-tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256",
            &[
                "«1.2» «TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256»",
                "status 200",
            ],
        ),
        ("rsa:2048", "-tls1_2 -cipher AES128-SHA", &["refused: "]),
        (
            "rsa:1024",
            "-cipher DEFAULT:@SECLEVEL=0",
            &["«rsa 1024»", "status 200"],
        ),
    ];
    for (kind, more, wanted) in rows {
        let folder = Folder::new();
        let _server = s_server(&spaces, &folder, kind, more);
        let ran = ask(&spaces, SESSION).expect(0).says(wanted);
        if !wanted[0].starts_with("refused") {
            ran.says(&[
                "«CN=web.example, O=Kernel» [«web.example», «10.9.1.2»] left=",
                " «ca used as end entity» true",
            ]);
        }
    }
}

#[test]
fn a_certificate_that_must_be_trusted() {
    let Some(spaces) = able() else { return };
    let folder = Folder::new();
    let _server = s_server(&spaces, &folder, "rsa:2048", "");
    let body = SESSION.replace("sni=\"web.example\"", "sni=\"web.example\", verify=true");
    ask(&spaces, &body).expect(0).says(&["untrusted: "]);
}

/// The second time no certificate is sent; over the oldest version too.
#[test]
fn a_session_with_openssl_is_taken_up_again() {
    let Some(spaces) = able() else { return };
    for version in ["-tls1_2", "-tls1_3"] {
        let folder = Folder::new();
        let _server = s_server(
            &spaces,
            &folder,
            "ec -pkeyopt ec_paramgen_curve:P-256",
            version,
        );
        let body = "repeat count=2 every=100ms {
  /IP!(dst=10.9.1.2)/TCP!(dst=443)/TLS!(sni=\"web.example\", resume=true)/HTTP!(get=\"/\") {
    print(\"${STACK[HTTP].status} ${STACK[TLS].resumed} ${STACK[TLS].key}\")
  } else e { print(\"${e.kind}: ${e.message}\") }
}
";
        let ran = ask(&spaces, body).expect(0);
        assert_eq!(
            ran.out, "200 false «ec p256»\n200 true «ec p256»\n",
            "{version}: {}",
            ran.err
        );
    }
}

/// A capture of the run holds what decrypts it: another tool reads the response in it.
#[test]
fn a_capture_of_a_session_can_be_read_by_others() {
    let Some(spaces) = able() else { return };
    if skipped(installed("tshark"), "`tshark` is not installed") {
        return;
    }
    for version in ["-tls1_2", "-tls1_3"] {
        let folder = Folder::new();
        let _server = s_server(&spaces, &folder, "rsa:2048", version);
        // A kernel that starves gives some frames late, after those that answer them: then nobody
        // can read the session.
        let read = (0..4).any(|n| is_read(&spaces, &folder, &format!("{n}.pcapng")));
        assert!(
            read,
            "{version}: {}",
            run(&["tshark", "-r", &folder.path("0.pcapng")]).out
        );
    }
}

/// Whether another tool finds request and response of a session in its capture.
fn is_read(spaces: &Spaces, folder: &Folder, name: &str) -> bool {
    let (program, capture) = (
        folder.file("session.crafty", format!("{HEAD}{SESSION}")),
        folder.path(name),
    );
    spaces
        .crafty("a", &["run", "--pcap", &capture, &program])
        .expect(0)
        .says(&["status 200"]);
    let fields = [
        "-T",
        "fields",
        "-e",
        "http.request.uri",
        "-e",
        "http.response.code",
    ];
    let words = [
        "tshark",
        "-r",
        &capture,
        "-d",
        "tcp.port==443,tls",
        "-o",
        "http.desegment_body:FALSE",
        "-Y",
        "http",
    ];
    let read = run(&[&words[..], &fields].concat()).expect(0);
    read.out.split_whitespace().collect::<Vec<_>>() == ["/", "200"]
}

/// Pages of Python's own server, and one that comes in chunks.
const PAGES: &str = "
import http.server
class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_GET(self):
        self.send_response(200); self.send_header('Transfer-Encoding', 'chunked'); self.send_header('X-Path', self.path); self.end_headers()
        for part in [b'hello', b', ', b'x' * 5000]: self.wfile.write(b'%x\\r\\n%s\\r\\n' % (len(part), part))
        self.wfile.write(b'0\\r\\n\\r\\n')
    def do_HEAD(self):
        self.send_response(204); self.end_headers()
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        self.send_response(201); self.send_header('Content-Length', str(len(body))); self.end_headers(); self.wfile.write(body[::-1])
    def log_message(self, *a): pass
server = http.server.ThreadingHTTPServer(('0.0.0.0', 80), Page)
print('ready')
server.serve_forever()
";

#[test]
fn requests_to_a_server_of_others() {
    let Some(spaces) = pair() else { return };
    let _server = spaces.python("b", PAGES);
    let shown = "h = STACK[HTTP].headers\n  print(\"${STACK[HTTP].status} ${h[\"x-path\"]} ${STACK[HTTP].body_length} ${text(STACK[HTTP].body, max=8)} ${STACK[HTTP].cut}\")";
    let rows = [
        ("get=\"/a?b\"", "200 «/a?b» 5007 «hello, x… (5007 bytes)»"),
        ("get=\"/\", max=7", "200 «/» 7 «hello, » true"),
        ("head=\"/\"", "204 «» 0 «» false"),
        (
            "post=\"/\", body=\"abc\", headers=[\"Content-Type: text/plain\"]",
            "201 «» 3 «cba» false",
        ),
    ];
    for (request, wanted) in rows {
        let body = format!(
            "/IP!(dst=10.9.1.2)/TCP!(dst=80)/HTTP!({request}) {{\n  {shown}\n}} else e {{ print(\"${{e.kind}}\") }}\n"
        );
        ask(&spaces, &body).expect(0).says(&[wanted]);
    }
}

/// A name server that hears only each third question, cuts every answer in a datagram that asks for
/// text, and gives the whole over TCP.
const FORGETFUL: &str = "
import socket, struct, threading
def answer(q, whole):
    end = q.index(b'\\0', 12) + 5
    text = q[end - 4:end - 2] == b'\\0\\x10'
    data = b'\\xff' + b't' * 255 if text else bytes([192, 0, 2, 9])
    flags = b'\\x86\\0' if text and not whole else b'\\x84\\0'
    count = 0 if text and not whole else 1
    head = q[:2] + flags + struct.pack('>HHHH', 1, count, 0, 0) + q[12:end]
    return head + (b'\\xc0\\x0c' + q[end - 4:end - 2] + b'\\0\\x01\\0\\0\\0\\x3c' + struct.pack('>H', len(data)) + data) * count
def stream():
    s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(('0.0.0.0', 53)); s.listen(8)
    while True:
        c, _ = s.accept(); q = c.recv(4096)[2:]; a = answer(q, True)
        for byte in struct.pack('>H', len(a)) + a: c.send(bytes([byte]))
threading.Thread(target=stream, daemon=True).start()
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('0.0.0.0', 53))
print('ready')
n = 0
while True:
    q, peer = s.recvfrom(4096); n += 1
    if n % 3 == 0: s.sendto(answer(q, False), peer)
";

#[test]
fn questions_to_a_forgetful_name_server() {
    let Some(spaces) = pair() else { return };
    let _server = spaces.python("b", FORGETFUL);
    let rows = [
        (
            "UDP!(dst=53)/DNS!(name=\"a.example\", timeout=100ms)",
            "0 3 [192.0.2.9] 60",
        ),
        (
            "UDP!(dst=53)/DNS!(name=\"a.example\", type=txt, timeout=100ms)",
            "truncated",
        ),
        (
            "TCP!(dst=53)/DNS!(name=\"a.example\", type=txt)",
            "0 1 [] 60",
        ),
        (
            "UDP!(dst=53)/DNS!(name=\"a.example\", timeout=50ms, tries=2)",
            "timeout",
        ),
        ("UDP!(dst=54)/DNS!(name=\"a.example\")", "refused"),
        ("TCP!(dst=54)/DNS!(name=\"a.example\")", "refused"),
    ];
    for (head, wanted) in rows {
        let shown = "print(\"${STACK[DNS].rcode} ${STACK[DNS].tries} ${STACK[DNS].addresses} ${STACK[DNS].ttl}\")";
        let body = format!(
            "/IP!(dst=10.9.1.2)/{head} {{\n  {shown}\n}} else e {{ print(\"${{e.kind}}\") }}\n"
        );
        ask(&spaces, &body).expect(0).says(&[wanted]);
    }
}

/// Says something wrong at each port, to whoever comes, and closes.
const LIARS: &str = "
import socket, threading
HEAD = b'HTTP/1.1 200 OK\\r\\n'
lies = {
    80: b'\\x16\\x03\\x01' * 100, 81: HEAD + b'Content-Length: 10\\r\\n\\r\\nshort', 82: HEAD + b'A: b\\r\\n' * 100000,
    83: HEAD + b'Transfer-Encoding: chunked\\r\\n\\r\\nffffffffffffffffff\\r\\n', 84: b'', 85: HEAD + b'Content-Length: 99999999999\\r\\n\\r\\n' + b'x' * 300000,
    443: b'HTTP/1.1 400 Bad Request\\r\\n\\r\\n', 444: b'\\x15\\x03\\x03\\0\\x02\\x02\\x28', 445: b'\\x16\\x03\\x03\\xff\\xff' + b'x' * 70000, 446: b'',
    447: b'\\x16\\x03\\x03\\0\\x04\\x0b\\xff\\xff\\xff' * 1000, 53: b'\\0\\x0c' + b'\\xff' * 12, 54: b'\\0', 
}
def lie(port, what):
    s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(('0.0.0.0', port)); s.listen(8)
    while True:
        c, _ = s.accept(); c.recv(4096)
        try: c.sendall(what); c.shutdown(socket.SHUT_WR); c.recv(4096)
        except OSError: pass
        c.close()
for port, what in lies.items(): threading.Thread(target=lie, args=(port, what), daemon=True).start()
import time; time.sleep(0.3)
print('ready')
time.sleep(100)
";

#[test]
fn servers_that_lie_are_told_by_their_kind() {
    let Some(spaces) = pair() else { return };
    let _server = spaces.python("b", LIARS);
    let rows: &[(u16, &str, &str)] = &[
        (80, "HTTP!(get=\"/\")", "malformed"),
        (81, "HTTP!(get=\"/\")", "closed"),
        (82, "HTTP!(get=\"/\")", "malformed"),
        (83, "HTTP!(get=\"/\")", "malformed"),
        (84, "HTTP!(get=\"/\")", "closed"),
        (85, "HTTP!(get=\"/\", max=1000)", "up"),
        (443, "TLS!(sni=\"a.example\")", "malformed"),
        (444, "TLS!(sni=\"a.example\")", "refused"),
        (445, "TLS!(sni=\"a.example\")", "malformed"),
        (446, "TLS!(sni=\"a.example\")", "closed"),
        (447, "TLS!(sni=\"a.example\")", "malformed"),
        (53, "DNS!(name=\"a.example\")", "closed"),
        (54, "DNS!(name=\"a.example\")", "closed"),
    ];
    let body: String = rows
        .iter()
        .map(|(port, layer, _)| {
            let head = format!("/IP!(dst=10.9.1.2)/TCP!(dst={port}, close=100ms)/{layer}");
            format!(
                "{head} {{ print(\"{port} up\") }} else e {{ print(\"{port} ${{e.kind}}\") }}\n"
            )
        })
        .collect();
    let ran = ask(&spaces, &body).expect(0);
    let wanted: Vec<String> = rows
        .iter()
        .map(|(port, _, kind)| format!("{port} {kind}"))
        .collect();
    assert_eq!(ran.out.lines().collect::<Vec<_>>(), wanted, "{ran:?}");
}
