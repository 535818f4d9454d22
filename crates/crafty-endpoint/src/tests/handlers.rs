use super::*;
use crate::decision::Decision::*;
use crate::handlers::process::ProcessDesk;

/// An endpoint with a process that is this script of `sh`.
fn with_process(
    script: &str,
    more: &[(&str, &str)],
    model: Option<Arc<dyn ModelServer>>,
) -> Played {
    let (waker, wakeups) = waker().expect("a pipe");
    let words = ["sh", "-c", script].map(String::from);
    let options = options(more);
    let process = ProcessDesk::start(&words, options.process_timeout, waker).expect("sh");
    let handlers = Handlers {
        process: Some(process),
        wakeups: Some(wakeups),
        ..Handlers::default()
    };
    let mut played = Played::new(more, &Policy::builtin(), handlers, None);
    if let Some(server) = model {
        let (waker, _) = crate::handlers::waker().expect("a pipe");
        played.medium.handlers.model = ModelDesk::new(&options, server, AnswerLink::Packets, waker);
    }
    played
}

/// Three packets, and what becomes of them.
#[track_caller]
fn check(script: &str, wanted: &[(Decision, u64)], sent: usize) {
    let mut played = with_process(script, &[("process_timeout", "400")], None);
    // Where an answer is awaited, a slow machine has its time.
    if script.starts_with("while") {
        played.seen.be_patient();
    }
    for n in 0..3 {
        played.hear(&ping("tun", "10.7.0.2", n));
    }
    played.until_told(3);
    played.fates(wanted);
    assert_eq!(played.sent().len(), sent, "{script}");
}

const REPLY: &str = r#"{"type":"send_packet","source":"10.7.0.2","destination":"10.7.0.1","protocol":"icmp","icmp_type":"echo_reply","icmp_id":7}"#;

#[test]
fn a_process_answers_line_by_line_and_whatever_else_it_does_is_silence() {
    let answering = |line: &str| format!("while read -r event; do echo '{line}'; done");
    check(&answering(REPLY), &[(HandlerSend, 3)], 3);
    check(
        &answering(&format!("[{REPLY},{REPLY}]")),
        &[(HandlerSend, 3)],
        6,
    );
    check(
        &answering(r#"{"type":"drop_packet","reason":"x"}"#),
        &[(HandlerDrop, 3)],
        0,
    );
    check(
        &answering(r#"{"type":"no_response"}"#),
        &[(HandlerSilent, 3)],
        0,
    );
    check(&answering("hello"), &[(BuildError, 3)], 0);
    check(&answering("[]"), &[(ModelDisabled, 3)], 0);
    check("cat >/dev/null", &[(HandlerSilent, 3)], 0);
    check("exit 3", &[(HandlerSilent, 3)], 0);
    check("exec sleep 60", &[(HandlerSilent, 3)], 0);
    check("read -r event; kill -9 $$", &[(HandlerSilent, 3)], 0);
    check(
        "head -c 200000 /dev/zero; cat >/dev/null",
        &[(HandlerSilent, 3)],
        0,
    );
}

/// An answer that comes too late is not taken for the next packet's.
#[test]
fn a_late_answer_is_nobodys() {
    let name = format!("crafty-late-{}", std::process::id());
    let gate = std::env::temp_dir().join(name);
    let script = format!(
        "read -r e; while [ ! -e {} ]; do sleep 0.05; done; echo '{{\"type\":\"drop_packet\",\"reason\":\"first\"}}'; \
         while read -r e; do echo '{{\"type\":\"drop_packet\",\"reason\":\"later\"}}'; done",
        gate.display()
    );
    let mut played = with_process(&script, &[("process_timeout", "200")], None);
    played.hear(&ping("tun", "10.7.0.2", 1));
    played.until_told(1);
    played.fates(&[(HandlerSilent, 1)]);
    played.seen.be_patient();
    std::fs::write(&gate, "").expect("a file");
    played.hear(&ping("tun", "10.7.0.2", 2));
    played.until_told(2);
    std::fs::remove_file(&gate).expect("the file");
    played.fates(&[(HandlerDrop, 1), (HandlerSilent, 1)]);
    let log = played.log();
    assert!(
        log[1].contains("later") && !log[1].contains("first"),
        "{log:?}"
    );
}

/// What no handler answers reaches the model; what one answers does not.
#[test]
fn handlers_come_before_the_model() {
    let parrot = || {
        Arc::new(Parrot(
            r#"{"actions":[{"type":"no_response"}]}"#.into(),
            AtomicUsize::new(0),
        ))
    };
    let (asked, not_asked) = (parrot(), parrot());
    let given = [("model_name", "m"), ("process_timeout", "2000")];
    let mut played = with_process(
        "while read -r e; do echo '[]'; done",
        &given,
        Some(asked.clone()),
    );
    played.seen.be_patient();
    played.hear(&ping("tun", "10.7.0.2", 1));
    played.until_told(1);
    played.fates(&[(ModelSilent, 1)]);
    assert_eq!(asked.1.load(Ordering::Relaxed), 1);
    let mut played = with_process(
        "while read -r e; do echo '{\"type\":\"no_response\"}'; done",
        &given,
        Some(not_asked.clone()),
    );
    played.seen.be_patient();
    played.hear(&ping("tun", "10.7.0.2", 1));
    played.until_told(1);
    played.fates(&[(HandlerSilent, 1)]);
    assert_eq!(not_asked.1.load(Ordering::Relaxed), 0);
}

#[test]
fn what_is_unanswered_at_the_end_is_told() {
    let mut played = with_process("cat >/dev/null", &[("process_timeout", "60000")], None);
    played.hear(&ping("tun", "10.7.0.2", 1));
    played.fates(&[]);
    played.medium.give_up();
    played.fates(&[(HandlerSilent, 1)]);
}

/// The process is reported about the interface too, and may greet its near end, and nobody else.
#[test]
fn interface_up_may_be_answered() {
    for (destination, sent) in [("10.7.0.1", 1), ("10.7.0.5", 0)] {
        let line = REPLY.replace("10.7.0.1", destination);
        let mut played = with_process(
            &format!("read -r e; echo '{line}'; cat >/dev/null"),
            &[("process_timeout", "2000")],
            None,
        );
        played.medium.announce(json!({ "event": "interface_up" }));
        played.seen.be_patient();
        for _ in 0..20_000 {
            played.medium.step(None);
            if !(played.sent().is_empty() && played.log().is_empty()) {
                break;
            }
        }
        assert_eq!(played.sent().len(), sent, "{:?}", played.log());
        assert_eq!(played.log().len(), 1 - sent);
        played.fates(&[]);
    }
}
