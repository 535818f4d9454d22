//! The host's own tools against handlers of each kind, on both layers and in both families.

use super::{Host, end};
use crate::tool::{Folder, example, installed, skipped};

/// Answers pings of both families; the payload of a ping has 56 bytes, and its preview all of them.
const STATIC: &str = r#"[{"type": "send_packet", "source": "{{event.destination}}", "destination": "{{event.source}}", "protocol": "{{event.protocol}}",
  "icmp_type": "echo_reply", "icmp_id": "{{event.icmp_id}}", "icmp_sequence": "{{event.icmp_sequence}}",
  "payload": "{{event.payload_preview}}", "payload_encoding": "{{event.payload_encoding}}"}]"#;

/// The same, by a process.
const PROCESS: &str = r#"
import json, sys
for line in sys.stdin:
    event = json.loads(line)
    answer = {'type': 'no_response'}
    if event.get('icmp_type') == 'echo_request':
        answer = {'type': 'send_packet', 'source': event['destination'], 'destination': event['source'], 'protocol': event['protocol'],
                  'icmp_type': 'echo_reply', 'icmp_id': event['icmp_id'], 'icmp_sequence': event['icmp_sequence'],
                  'payload': event['payload_preview'], 'payload_encoding': event['payload_encoding']}
    print(json.dumps(answer), flush=True)
"#;

#[test]
fn the_hosts_ping_takes_answers_of_lists_and_processes() {
    let Some(host) = Host::new() else { return };
    let folder = Folder::new();
    let (list, script) = (
        folder.file("answers.json", STATIC),
        folder.file("answers.py", PROCESS),
    );
    let process = format!("python3 -u {script}");
    for mode in ["tun", "tap"] {
        for handler in [["--static-handler", &list], ["--process-handler", &process]] {
            let filter = [
                "--packet-filter",
                "icmp,icmpv6+to:fd00:7::2",
                "--llm-escalation",
                "never",
            ];
            let endpoint = host.endpoint(&[&Host::both(mode)[..], &filter, &handler].concat());
            for ping in [
                "ping -c 3 -i 0.2 -W 2 10.7.0.2",
                "ping -6 -c 3 -i 0.2 -W 2 fd00:7::2",
            ] {
                host.sh(ping).expect(0).says(&["3 received", "ttl=64"]);
            }
            let said = end(endpoint);
            assert_eq!(
                (said.status, said.fates("handler_send")),
                (Some(0), 6),
                "{mode} {handler:?}\n{}",
                said.log
            );
            if mode == "tap" {
                assert!(said.fates("link_answered") >= 2, "{}", said.log);
            }
        }
    }
}

#[test]
fn curl_nc_and_dig_talk_to_a_program() {
    let Some(host) = Host::new() else { return };
    if skipped(
        ["curl", "nc", "dig"].into_iter().all(installed),
        "this needs `curl`, `nc` and `dig`",
    ) {
        return;
    }
    for mode in ["tun", "tap"] {
        let filter = ["--packet-filter", "tcp,udp"];
        let program = example("far_serve.crafty");
        let endpoint = host.endpoint(&[&Host::both(mode)[..], &filter, &[&program]].concat());
        for address in ["10.7.0.2", "[fd00:7::2]"] {
            host.sh(&format!("curl -sS --noproxy '*' -m 10 http://{address}/"))
                .expect(0)
                .says(&["hello"]);
        }
        for address in ["10.7.0.2", "fd00:7::2"] {
            host.sh(&format!(
                "printf 'GET / HTTP/1.0\\r\\n\\r\\n' | timeout 10 nc {address} 80"
            ))
            .expect(0)
            .says(&["200 OK", "hello"]);
            host.sh(&format!(
                "dig +short +time=5 +tries=1 @{address} far.example"
            ))
            .expect(0)
            .says(&["10.7.0.2"]);
        }
        let said = end(endpoint);
        assert_eq!(
            (said.status, said.fates("fail_closed_permission")),
            (Some(0), 0),
            "{mode}\n{}",
            said.log
        );
        assert!(said.fates("handler_send") >= 14, "{mode}\n{}", said.log);
    }
}

/// What an answer must not do is not done, and the log says why.
#[test]
fn what_the_rules_forbid_is_not_on_the_wire() {
    let Some(host) = Host::new() else { return };
    let folder = Folder::new();
    let reply = |changes: &str| {
        STATIC.replace(
            "\"type\": \"send_packet\"",
            &format!("\"type\": \"send_packet\", {changes}"),
        )
    };
    let rows = [
        (
            STATIC.replace("{{event.source}}", "10.7.0.77"),
            "fail_closed_permission",
        ),
        (
            STATIC.replace("{{event.destination}}", "192.0.2.1"),
            "fail_closed_permission",
        ),
        (reply("\"ip_version\": 6"), "fail_closed_build_error"),
        (
            reply(
                "\"source_mac\": \"02:00:00:00:00:01\", \"destination_mac\": \"02:00:00:00:00:02\"",
            ),
            "fail_closed_build_error",
        ),
        (
            STATIC.replace("{{event.payload_encoding}}", "base64"),
            "fail_closed_build_error",
        ),
    ];
    for (list, fate) in rows {
        let file = folder.file("answers.json", &list);
        let endpoint = host.endpoint(&["--static-handler", &file]);
        let before = host
            .sh("cat /sys/class/net/tun0/statistics/rx_packets")
            .expect(0)
            .out;
        host.sh("ping -c 2 -i 0.2 -W 1 10.7.0.2").expect(1);
        assert_eq!(
            host.sh("cat /sys/class/net/tun0/statistics/rx_packets").out,
            before
        );
        let said = end(endpoint);
        assert_eq!(said.fates(fate), 2, "{list}\n{}", said.log);
    }
    let (file, limit) = (folder.file("answers.json", STATIC), ["--max-packets", "2"]);
    let endpoint = host.endpoint(&[&["--static-handler", &file][..], &limit].concat());
    host.sh("ping -c 5 -i 0.2 -W 1 10.7.0.2")
        .says(&["2 received"]);
    let said = end(endpoint);
    assert_eq!(
        (said.fates("handler_send"), said.fates("fail_closed_budget")),
        (2, 3),
        "{}",
        said.log
    );
}
