//! `TCP!` against the kernel's TCP, in both roles, on a clean link and where a twentieth is lost
//! either way: what is heard is what was said, and the kernel keeps nothing of the connection.

use super::space::Spaces;
use super::talk::pair;

const HEAD: &str =
    "BUDGET = { max_duration: 60s, max_packets: 5000, max_packets_per_secs: 5000, max_bytes: 10MB, max_bytes_per_secs: 10MB, max_syns: 20 }
PERMISSIONS = { destinations: [10.9.1.2] }
PORTS = { tcp: [7000, [45000, 45020]] }
heard = #aa
";

/// Asks for a stream, gives one, and compares.
const CLIENT: &str = "/IP!(dst=10.9.1.2)/TCP!(dst=7000, timeout=30s, close=30s) {
  on /IP!/TCP!/Bytes { heard += MATCH[Bytes].data }
  repeat count=60 every=1ms { Bytes(#30313233 * 250) }
  repeat count=3000 every=10ms until=length(heard) > 60000 { }
}
print(\"${length(heard)} ${heard == #aa + #30313233 * 15000}\")
";

/// Answers a stream with one, until the peer has closed.
const SERVER: &str = "/IP!/TCP!(src=7000, listen=true, close=30s) {
  on linger=50s /IP!/TCP!/Bytes {
    heard += MATCH[Bytes].data
    if length(heard) > 60000 {
      Bytes(#30313233 * 15000)
      print(\"${length(heard)} ${heard == #aa + #30313233 * 15000}\")
      close
    }
  }
  on count=1 /IP!/TCP!(state == \"closed\" or state == \"time_wait\") { exit }
}
";

/// The kernel's program: ends well if it heard what it should.
const FAR: &str = "
import socket, time
def meet(role):
    if role == 'listens':
        s = socket.socket()
        s.bind(('10.9.1.2', 7000))
        s.listen()
        print('ready')
        return s.accept()[0]
    print('ready')
    for n in range(300):
        try:
            return socket.create_connection(('10.9.1.1', 7000), timeout=30)
        except OSError:
            time.sleep(0.1)
c = meet('ROLE')
c.settimeout(50)
c.sendall(b'0123' * 15000)
c.shutdown(socket.SHUT_WR)
heard = b''
while True:
    bytes = c.recv(65536)
    if not bytes:
        break
    heard += bytes
assert heard == b'0123' * 15000, len(heard)
";

/// A twentieth of what the far kernel hears, and of what it says, is dropped.
const LOSS: &str = "nft 'add table inet lossy; add chain inet lossy in { type filter hook input priority 0; }; \
    add chain inet lossy out { type filter hook output priority 0; }; \
    add rule inet lossy in tcp dport 0-65535 numgen random mod 20 < 1 drop; \
    add rule inet lossy out tcp dport 0-65535 numgen random mod 20 < 1 drop'";

fn check(lossy: bool, we_connect: bool) {
    let Some(spaces) = pair() else { return };
    if lossy {
        spaces.sh("b", LOSS);
    }
    let role = if we_connect { "listens" } else { "connects" };
    let mut far = spaces.python("b", &FAR.replace("ROLE", role));
    let ran = spaces.program(
        "a",
        &format!("{HEAD}{}", if we_connect { CLIENT } else { SERVER }),
    );
    ran.expect(0).says(&["60001 true"]);
    assert_eq!(far.wait(), Some(0), "lossy {lossy}, the kernel {role}");
    nothing_left(&spaces);
}

/// The kernel has forgotten the connection, or waits out its TIME-WAIT.
fn nothing_left(spaces: &Spaces) {
    spaces.sh("b", "for i in $(seq 100); do ss -Htan | grep -qv TIME-WAIT || exit 0; sleep 0.1; done; ss -tan >&2; exit 1");
}

#[test]
fn streams_to_a_kernel_that_listens() {
    [false, true]
        .into_iter()
        .for_each(|lossy| check(lossy, true));
}

#[test]
fn streams_to_a_kernel_that_connects() {
    [false, true]
        .into_iter()
        .for_each(|lossy| check(lossy, false));
}
