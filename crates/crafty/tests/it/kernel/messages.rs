//! Messages in streams (`/IP!/TCP!/HTTP(…)` and the like) from programs of others, cut by the
//! kernel's own TCP.

use super::apps::{able, ask, s_server};
use super::talk::pair;
use crate::tool::Folder;

/// A web server that keeps connections; one page is longer than four segments, another comes in
/// chunks.
const WEB: &str = "
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def log_message(self, *words): pass
    def head(self, *header):
        self.send_response(200)
        self.send_header(*header)
        self.end_headers()
    def do_HEAD(self): self.head('Content-Length', '7001')
    def do_GET(self):
        if self.path == '/long':
            self.head('Content-Length', '7001')
            return self.wfile.write(b'x' * 7000 + b'!')
        self.head('Transfer-Encoding', 'chunked')
        for n in range(3): self.wfile.write(b'3e8\\r\\n' + b'%d' % n * 1000 + b'\\r\\n')
        self.wfile.write(b'0\\r\\n\\r\\n')
server = http.server.HTTPServer(('10.9.1.2', 80), Handler)
print('ready', flush=True)
server.serve_forever()
";

const BROWSE: &str = r#"/IP!(dst=10.9.1.2)/TCP!(dst=80) {
  HTTP(target="/long", host="b")
  expect timeout=5s HTTP(status == 200)/Bytes { print("${length(MATCH[Bytes].data)} ${MATCH[Bytes].data[6999:7001]}") }
  HTTP(method="HEAD", target="/long", host="b")
  expect timeout=5s HTTP(status == 200) { print("${MATCH[HTTP].content_length} of ${length(MATCH)}") }
  HTTP(target="/chunks", host="b")
  expect timeout=5s /IP!/TCP!/HTTP(status == 200)/Bytes(data has "2222") { print("chunks ${length(MATCH[Bytes].data)}") }
  expect timeout=50ms Bytes { print("more") } else { print("no more") }
} else e { print("${e.kind}") }
"#;

#[test]
fn http_of_python() {
    let Some(spaces) = pair() else { return };
    let server = spaces.python("b", WEB);
    // Three chunks of 1000 bytes with 7 around each, and the last one of 5.
    ask(&spaces, BROWSE)
        .expect(0)
        .says(&["7001 «#7821»", "«7001» of ", "chunks 3026", "no more"]);
    server.stop();
}

const HELLO: &str = r#"/IP!(dst=10.9.1.2)/TCP!(dst=443) {
  TLS(sni="web.example", ciphers="002f")
  expect timeout=5s TLS(handshake == certificate) { print("${MATCH[TLS].cert_names} in ${length(MATCH)} bytes") }
    or TLS(type == alert) { print("alert ${MATCH[TLS].alert}") }
  expect timeout=5s TLS { print("then ${MATCH[TLS].handshake}") }
  TLS(type=alert, alert_level=fatal, alert=user_canceled)
} else e { print("${e.kind}") }
"#;

#[test]
fn the_certificate_of_openssl_over_several_segments() {
    let Some(spaces) = able() else { return };
    let folder = Folder::new();
    let server = s_server(
        &spaces,
        &folder,
        "rsa:4096",
        "-tls1_2 -cipher AES128-SHA:@SECLEVEL=0",
    );
    ask(&spaces, HELLO)
        .expect(0)
        .says(&["«web.example» in ", "then 14"]);
    server.stop();
}

/// A name server on TCP: it wants a whole question behind its length, and sends the first byte of
/// its answer by itself.
const NAMES: &str = "
import socket, time
listener = socket.create_server(('10.9.1.2', 53))
print('ready', flush=True)
while True:
    peer, _ = listener.accept()
    asked = peer.recv(2)
    length = int.from_bytes(asked, 'big')
    question = peer.recv(65535)
    if len(question) == length:
        records = b''.join(b'\\xc0\\x0c\\0\\x01\\0\\x01\\0\\0\\0\\x3c\\0\\x04\\x0a\\0\\0' + bytes([n]) for n in range(200))
        answer = question[:2] + b'\\x84\\0\\0\\x01\\0\\xc8\\0\\0\\0\\0' + question[12:] + records
        whole = len(answer).to_bytes(2, 'big') + answer
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer.sendall(whole[:1])
        time.sleep(0.05)
        peer.sendall(whole[1:])
    peer.close()
";

#[test]
fn dns_over_tcp() {
    let Some(spaces) = pair() else { return };
    let server = spaces.python("b", NAMES);
    let body = "/IP!(dst=10.9.1.2)/TCP!(dst=53) {
  DNS(id=9, qname=\"many.example\")
  expect timeout=5s DNS(id == 9, qr == 1) { print(\"${MATCH[DNS].ancount} ${MATCH[DNS].address} of ${length(MATCH)}\") }
} else e { print(\"${e.kind}\") }
";
    // Length, header, question, and 200 records of 16 bytes.
    ask(&spaces, body).expect(0).says(&["200 10.0.0.0 of 3232"]);
    server.stop();
}
