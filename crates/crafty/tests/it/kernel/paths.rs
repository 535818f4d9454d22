//! Through three forwarding namespaces: where a path ends, how large a datagram fits, a name server
//! behind it, a web server.

use super::seen::Declared;
use super::space::Spaces;
use crate::tool::{Folder, example};

/// `a` 10.1.0.1, `b` 10.4.0.2, with the kernels of `r1`, `r2` and `r3` forwarding between them. The
/// last link but one may be narrow.
pub fn path(mtu: u32) -> Option<Spaces> {
    let spaces = Spaces::new(&["a", "r1", "r2", "r3", "b"])?;
    let line = ["a", "r1", "r2", "r3", "b"];
    for (i, two) in line.windows(2).enumerate() {
        let (near, far) = (
            format!("10.{}.0.1/24", i + 1),
            format!("10.{}.0.2/24", i + 1),
        );
        spaces.join((two[0], &[&near]), (two[1], &[&far]));
    }
    let routes = [
        ("a", "default via 10.1.0.2"),
        ("r1", "default via 10.2.0.2"),
        ("r2", "10.1.0.0/24 via 10.2.0.1"),
        ("r2", "10.4.0.0/24 via 10.3.0.2"),
        ("r3", "default via 10.3.0.1"),
        ("b", "default via 10.4.0.1"),
    ];
    routes
        .iter()
        .for_each(|(name, route)| spaces.sh(name, &format!("ip route add {route}")));
    ["r1", "r2", "r3"]
        .iter()
        .for_each(|r| spaces.sh(r, "sysctl -qw net.ipv4.ip_forward=1"));
    spaces.sh("r2", &format!("ip link set to_r3 mtu {mtu}"));
    spaces.sh("r3", &format!("ip link set to_r2 mtu {mtu}"));
    Some(spaces)
}

const ENDS: Declared = Declared {
    sources: &["10.1.0.1"],
    destinations: &["10.4.0.2"],
    packets: (40, 40),
    syns: 0,
    own: None,
};

#[test]
fn traceroute_through_three_routers() {
    let Some(spaces) = path(1500) else { return };
    let folder = Folder::new();
    let capture = spaces.capture("r1", "a", &folder.path("r1.pcap"));
    let ran = spaces
        .crafty(
            "a",
            &["run", &example("traceroute.crafty"), "target=10.4.0.2"],
        )
        .expect(0);
    capture.stop();
    let hops: Vec<&str> = ran
        .out
        .lines()
        .map(|l| l.split('\t').nth(1).unwrap_or(""))
        .collect();
    assert_eq!(
        hops,
        ["10.1.0.2", "10.2.0.2", "10.3.0.2", "10.4.0.2"],
        "{}",
        ran.out
    );
    assert_eq!(ENDS.holds(&folder.path("r1.pcap")).len(), 4);
}

#[test]
fn path_mtu_where_a_router_says_so() {
    let Some(spaces) = path(1380) else { return };
    let folder = Folder::new();
    let capture = spaces.capture("r1", "a", &folder.path("r1.pcap"));
    let ran = spaces
        .crafty(
            "a",
            &["run", &example("path_mtu.crafty"), "target=10.4.0.2"],
        )
        .expect(0);
    capture.stop();
    let ran = ran.says(&["path MTU to 10.4.0.2: 1380 bytes"]);
    assert!(!ran.out.contains("said so 0 times"), "{}", ran.out);
    ENDS.holds(&folder.path("r1.pcap"));
}

#[test]
fn path_mtu_where_nobody_says_a_word() {
    let Some(spaces) = path(1380) else { return };
    spaces.sh("r2", "nft add table ip mute && nft 'add chain ip mute out { type filter hook output priority 0; }' && nft add rule ip mute out icmp type destination-unreachable drop");
    let ran = spaces
        .crafty(
            "a",
            &["run", &example("path_mtu.crafty"), "target=10.4.0.2"],
        )
        .expect(0);
    ran.says(&["path MTU to 10.4.0.2: 1380 bytes; routers said so 0 times"]);
}

/// Answers any question with 192.0.2.80: the question again, with the response bit, one answer, and
/// a pointer to its name.
const NAME_SERVER: &str = "
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('0.0.0.0', 53))
print('ready')
while True:
    q, peer = s.recvfrom(512)
    end = q.index(b'\\0', 12) + 5
    head = q[:2] + b'\\x84\\x00' + b'\\0\\x01\\0\\x01\\0\\0\\0\\0'
    s.sendto(head + q[12:end] + b'\\xc0\\x0c\\0\\x01\\0\\x01\\0\\0\\x01\\x2c\\0\\x04\\xc0\\x00\\x02\\x50', peer)
";

#[test]
fn a_dns_question_to_a_server_of_others() {
    let Some(spaces) = path(1500) else { return };
    let folder = Folder::new();
    let _server = spaces.python("b", NAME_SERVER);
    let capture = spaces.capture("r1", "a", &folder.path("r1.pcap"));
    let ran = spaces
        .crafty(
            "a",
            &["run", &example("dns_query.crafty"), "server=10.4.0.2"],
        )
        .expect(0);
    capture.stop();
    ran.says(&["code 0, 1 answers", "1 tries", "192.0.2.80"]);
    assert_eq!(ENDS.holds(&folder.path("r1.pcap")).len(), 1);
}

/// Serves one small page on port 80, with the kernel's own TCP.
const WEB_SERVER: &str = "
import http.server
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header('Content-Length', '5'); self.end_headers(); self.wfile.write(b'hello')
    def log_message(self, *a): pass
server = http.server.ThreadingHTTPServer(('0.0.0.0', 80), Page)
print('ready')
server.serve_forever()
";

#[test]
fn a_connection_to_the_kernels_tcp() {
    let Some(spaces) = path(1500) else { return };
    let folder = Folder::new();
    let _server = spaces.python("b", WEB_SERVER);
    let capture = spaces.capture("r1", "a", &folder.path("r1.pcap"));
    let ran = spaces
        .crafty(
            "a",
            &["run", &example("http_get.crafty"), "server=10.4.0.2"],
        )
        .expect(0);
    capture.stop();
    ran.says(&["status 200, «», 5 bytes", "retransmits=0"]);
    Declared {
        packets: (200, 100),
        syns: 1,
        ..ENDS
    }
    .holds(&folder.path("r1.pcap"));
}

#[test]
fn hops_of_a_connection_of_the_kernels_tcp() {
    let Some(spaces) = path(1500) else { return };
    let _server = spaces.python("b", WEB_SERVER);
    let ran = spaces
        .crafty(
            "a",
            &["run", &example("tcp_hops.crafty"), "server=10.4.0.2"],
        )
        .expect(0);
    ran.says(&[
        "1\t10.1.0.2\t",
        "2\t10.2.0.2\t",
        "3\t10.3.0.2\t",
        "4\tsilent, or the server itself",
    ]);
}
