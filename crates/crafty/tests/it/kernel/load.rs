//! Two kernels under load, both directions at once, over a link that loses: `crafty findings
//! --strict` accuses neither, wherever the capture was taken.

use super::space::Spaces;
use crate::tool::Folder;

/// Echoes, each connection by a thread.
const SERVER: &str = "
import socket, threading
def echo(c):
    while True:
        data = c.recv(65536)
        if not data: break
        c.sendall(data)
    c.close()
s = socket.socket()
s.bind(('10.9.1.2', 7000))
s.listen(16)
print('ready')
while True:
    threading.Thread(target=echo, args=(s.accept()[0],), daemon=True).start()
";

/// Eight connections that send and read at once; some read slowly through a small buffer.
const CLIENT: &str = "
import socket, threading, time
wrong = []
def one(n):
    c = socket.socket()
    if n % 3 == 0: c.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    c.settimeout(60)
    c.connect(('10.9.1.2', 7000))
    said = bytes([n]) * 150000
    def say():
        c.sendall(said)
        c.shutdown(socket.SHUT_WR)
    sayer = threading.Thread(target=say)
    sayer.start()
    heard = 0
    while True:
        data = c.recv(3000 if n % 2 else 65536)
        if not data: break
        heard += len(data)
        if n % 3 == 0: time.sleep(0.002)
    sayer.join()
    c.close()
    if heard != len(said): wrong.append(n)
threads = [threading.Thread(target=one, args=(n,)) for n in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
assert not wrong, wrong
";

#[test]
fn kernels_under_load_are_not_accused() {
    let Some(spaces) = Spaces::new(&["a", "b"]) else {
        return;
    };
    spaces.join(("a", &["10.9.1.1/24"]), ("b", &["10.9.1.2/24"]));
    // Behind where a capture looks: what is lost there has passed it.
    for name in ["a", "b"] {
        let rules = "add table ip f; add chain ip f c { type filter hook input priority 0; }; \
                     add rule ip f c numgen random mod 1000 < 30 drop";
        spaces.sh(name, &format!("nft '{rules}'"));
    }
    let folder = Folder::new();
    let captures = [("a", "b"), ("b", "a")]
        .map(|(name, other)| spaces.capture(name, other, &folder.path(&format!("{name}.pcap"))));
    let server = spaces.python("b", SERVER);
    spaces.run("a", &["python3", "-c", CLIENT]).expect(0);
    server.stop();
    // Each is judged as it ends.
    captures.into_iter().for_each(super::space::Running::stop);
}
