//! Stacks inside carriers, the kernel's TCP and UDP at the other end: VXLAN by the kernel's own
//! device, the rest by a few lines of Python that take the carrier off and put it on around a TUN
//! device, so that every kernel can be asked.

use super::space::{Running, Spaces};
use super::talk::pair;

/// Answers on TCP and UDP, of both families, with how many bytes came; the first of them only once
/// 3000 are there.
const COUNTER: &str = r#"
import socket, threading
def tcp(s):
    while True:
        c, _ = s.accept()
        n = 0
        while n < 3000:
            data = c.recv(65535)
            if not data: break
            n += len(data)
        c.sendall(b'%d came' % n)
        c.close()
def udp(s):
    while True:
        data, peer = s.recvfrom(65535)
        s.sendto(b'%d came' % len(data), peer)
for family in (socket.AF_INET, socket.AF_INET6):
    t = socket.socket(family, socket.SOCK_STREAM)
    u = socket.socket(family, socket.SOCK_DGRAM)
    for s in (t, u):
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6: s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        s.bind(('', 7000))
    t.listen()
    threading.Thread(target=tcp, args=(t,)).start()
    threading.Thread(target=udp, args=(u,)).start()
print('ready')
"#;

/// A carrier's other end: a packet socket on one side, a TUN device on the other. `NEXT` is the
/// protocol of the outer IP header, `ROW` the bytes between it and what is carried, by its version.
const GATEWAY: &str = r#"
import fcntl, os, select, socket, struct
tun = os.open('/dev/net/tun', os.O_RDWR)
fcntl.ioctl(tun, 0x400454ca, struct.pack('16sH', b'inside', 0x1001))
os.system('ip addr add 10.8.0.2/24 dev inside; ip -6 addr add fd08::2/64 dev inside nodad; ip link set inside mtu MTU up')
out = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
wire = socket.socket(socket.AF_INET, socket.SOCK_RAW, NEXT)
print('ready')
while True:
    for ready in select.select([tun, wire], [], [])[0]:
        if ready is wire:
            data, (peer, _) = wire.recvfrom(65535)
            head = (data[0] & 15) * 4
            os.write(tun, data[head + ROW:])
        else:
            data = os.read(tun, 65535)
            row = (b'\0\0' + (b'\x08\0' if data[0] >> 4 == 4 else b'\x86\xdd'))[:ROW]
            if NEXT in (4, 41) and NEXT != (4 if data[0] >> 4 == 4 else 41): continue
            header = struct.pack('!BBHHHBBH4s4s', 0x45, 0, 20 + len(row) + len(data), 0, 0, 64, NEXT, 0, socket.inet_aton('10.9.1.2'), socket.inet_aton('10.9.1.1'))
            out.sendto(header + row + data, ('10.9.1.1', 0))
"#;

fn program(below: &str, transport: &str) -> String {
    format!(
        "BUDGET = {{ max_duration: 10s, max_packets: 100, spoofed_syns: 5 }}\n\
         PERMISSIONS = {{ destinations: [10.9.1.2, 10.8.0.2, fd08::2], sources: [10.8.0.1, fd08::1], powers: [tunnels, link, infrastructure, inject] }}\n\
         PORTS = {{ tcp: [[45000, 45009]], udp: [[40000, 40009]] }}\n\
         {below}/{transport}!(dst=7000) {{\n  Bytes(#61 * 3000)\n  expect timeout=3s Bytes {{ print(text(MATCH[Bytes].data)) }} else {{ print(\"nothing\") }}\n}} else e {{ print(e.kind) }}\n"
    )
}

fn both(spaces: &Spaces, below: &str) {
    for transport in ["TCP", "UDP"] {
        let ran = spaces.program("a", &program(below, transport));
        assert!(
            ran.status == 0 && ran.out.contains("3000 came"),
            "{below}/{transport}\n{}{}",
            ran.out,
            ran.err
        );
    }
}

#[test]
fn vxlan_to_the_kernels_own() {
    let Some(spaces) = pair() else { return };
    let made = spaces.run(
        "b",
        &[
            "ip", "link", "add", "vx0", "type", "vxlan", "id", "42", "local", "10.9.1.2", "remote",
            "10.9.1.1", "dstport", "4789",
        ],
    );
    if crate::tool::skipped(made.status == 0, "this kernel has no `vxlan`") {
        return;
    }
    spaces.sh(
        "b",
        "ip link set vx0 address 02:00:00:00:08:02 mtu 1430 up; ip addr add 10.8.0.2/24 dev vx0; ip -6 addr add fd08::2/64 dev vx0 nodad",
    );
    spaces.sh("b", "ip neigh add 10.8.0.1 lladdr 02:00:00:00:08:01 dev vx0; ip -6 neigh add fd08::1 lladdr 02:00:00:00:08:01 dev vx0");
    let _counter = spaces.python("b", COUNTER);
    let below = "/IP!(dst=10.9.1.2)/UDP(src=40005, dst=4789)/VXLAN(vni=42)/Eth(src=02:00:00:00:08:01, dst=02:00:00:00:08:02)";
    both(&spaces, &format!("{below}/IP!(src=10.8.0.1, dst=10.8.0.2)"));
    both(&spaces, &format!("{below}/IP!(src=fd08::1, dst=fd08::2)"));
}

/// The gateway and the counter behind it.
fn behind(spaces: &Spaces, protocol: &str, row: &str) -> (Running, Running) {
    // The kernel of the other end has no such protocol, and need not say so.
    spaces.sh("b", "nft add table ip quiet; nft add chain ip quiet out '{ type filter hook output priority 0; }'; nft add rule ip quiet out icmp type destination-unreachable drop");
    let gateway = spaces.python(
        "b",
        &GATEWAY
            .replace("NEXT", protocol)
            .replace("ROW", row)
            .replace("MTU", "1400"),
    );
    (gateway, spaces.python("b", COUNTER))
}

#[test]
fn gre_and_ip_in_ip_to_the_kernels_transports() {
    let rows = [
        (
            "47",
            "4",
            "/IP!(dst=10.9.1.2)/GRE/IP!(src=10.8.0.1, dst=10.8.0.2)",
        ),
        (
            "47",
            "4",
            "/IP!(dst=10.9.1.2)/GRE/IP!(src=fd08::1, dst=fd08::2)",
        ),
        (
            "4",
            "0",
            "/IP!(dst=10.9.1.2)/IP!(src=10.8.0.1, dst=10.8.0.2)",
        ),
        (
            "41",
            "0",
            "/IP!(dst=10.9.1.2)/IP!(src=fd08::1, dst=fd08::2)",
        ),
    ];
    for (protocol, row, below) in rows {
        let Some(spaces) = pair() else { return };
        if crate::tool::skipped(
            std::path::Path::new("/dev/net/tun").exists(),
            "there is no /dev/net/tun",
        ) {
            return;
        }
        let _other = behind(&spaces, protocol, row);
        both(&spaces, below);
    }
}
