//! The interface comes up, answers, and goes away with the process, however it ends.

use super::{Host, end};
use crate::tool::example;

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
