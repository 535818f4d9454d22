//! The interface comes up, answers, and goes away with the process, however it ends.

use super::{Host, end};
use crate::tool::{Folder, example};

#[test]
fn a_program_answers_a_ping_and_nobody_else_does() {
    let Some(host) = Host::new() else { return };
    let endpoint = host.endpoint(&[&example("far_ping.crafty")]);
    host.sh("ping -c 3 -i 0.2 -W 1 10.7.0.2")
        .expect(0)
        .says(&["3 received", "ttl=64"]);
    host.sh("ping -c 1 -W 1 10.7.0.9").expect(1);
    let said = end(endpoint);
    assert_eq!(said.status, Some(0), "{}", said.log);
    assert_eq!(
        (said.fates("handler_send"), said.fates("model_disabled")),
        (3, 1),
        "{}",
        said.log
    );
    let down = said.down();
    assert_eq!(down["reason"], "stopped");
    assert_eq!(
        (&down["packets_escalated"], &down["packets_sent"]),
        (&4.into(), &3.into())
    );
}

/// The prefix that the kernel puts before packets on request is checked, and put before answers.
#[test]
fn a_ping_is_answered_behind_the_kernels_prefix() {
    let Some(host) = Host::new() else { return };
    for mode in ["tun", "tap"] {
        let endpoint = host.endpoint(&[
            "--mode",
            mode,
            "--packet-information",
            "linux_pi",
            &example("far_ping.crafty"),
        ]);
        host.sh("ping -c 2 -i 0.2 -W 2 10.7.0.2")
            .expect(0)
            .says(&["2 received"]);
        let said = end(endpoint);
        assert_eq!(
            (said.fates("handler_send"), said.fates("unreadable")),
            (2, 0),
            "{}",
            said.log
        );
    }
}

/// Nothing is made where an option is wrong; what is wrong is named, with what is allowed.
#[test]
fn mistakes_leave_no_interface() {
    let Some(host) = Host::new() else { return };
    let folder = Folder::new();
    let (bad, missing) = (
        folder.file("bad.json", "[{\"type\": \"send\"}]"),
        folder.path("none"),
    );
    let toml = folder.file("a.toml", "packet_fliter = \"icmp\"\n");
    let rows: [(&[&str], &[&str]); 9] = [
        (
            &["--packet-filter", "icpm"],
            &["`icpm` is unknown", "tcp-syn"],
        ),
        (
            &["--mtu", "100"],
            &["`--mtu`: `100` is not allowed", "from 576 to 65535"],
        ),
        (
            &["--packet-information", "macos_utun"],
            &["this is Linux", "`linux_pi`"],
        ),
        (
            &["--static-handler", &bad],
            &["`send` is not a type of action"],
        ),
        (&["--static-handler", &missing], &["No such file"]),
        (
            &["--process-handler", "/no/such/program"],
            &["does not start"],
        ),
        (
            &["--config", &toml],
            &["`packet_fliter`: there is no such option", "packet_filter"],
        ),
        (&["--address", "10.7.0.0/24"], &["no host's"]),
        (
            &["--model-url", "http://127.0.0.1:9"],
            &["add `model_name`"],
        ),
    ];
    for (words, wanted) in rows {
        let ran = host
            .spaces
            .crafty("h", &[&["endpoint"], words].concat())
            .expect(2)
            .complains(wanted);
        assert!(ran.out.is_empty(), "{}", ran.out);
        host.sh("ip link").expect(0).says(&["lo:"]);
        host.sh("ip link show tun0").expect(1);
    }
}

/// An interface that somebody takes away ends the endpoint with a status that says so.
#[test]
fn an_interface_that_is_taken_away_is_told() {
    let Some(host) = Host::new() else { return };
    let endpoint = host.endpoint(&["--interface-name", "far0", "--packet-filter", "all"]);
    host.sh("ip link del far0").expect(0);
    let (status, events, log) = endpoint.output();
    assert_eq!(status, Some(5), "{log}");
    assert!(
        events.contains("\"interface_down\"") && events.contains("\"reason\":\"closed: "),
        "{events}"
    );
}

#[test]
fn the_interface_goes_with_the_process_however_it_ends() {
    let Some(host) = Host::new() else { return };
    for signal in ["KILL", "INT", "TERM"] {
        let mut endpoint =
            host.endpoint(&["--interface-name", "far0", &example("far_ping.crafty")]);
        host.sh("ip link show far0").expect(0).says(&["UP"]);
        endpoint.signal(signal);
        endpoint.wait();
        host.sh("ip link show far0").expect(1);
    }
}
