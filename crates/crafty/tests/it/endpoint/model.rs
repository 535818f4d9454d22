//! A model's server beside the endpoint: asked as often as the ceiling allows, and believed no more than
//! others.

use super::{Host, end};
use crate::tool::Folder;

/// A server of either interface that does what its first argument says, and writes a line for each
/// request into its second.
const SERVER: &str = r#"
import http.server, json, re, sys, time
does, log = sys.argv[1], open(sys.argv[2], 'a', buffering=1)

class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        log.write(self.path + '\n')
        question = body['messages'][1]['content']
        event = json.loads(question.split('\n')[1])
        if does == 'slow':
            time.sleep(5)
        if does == 'dead':
            self.connection.close()
            return
        action = {'type': 'send_packet', 'source': event['destination'], 'destination': event['source'], 'protocol': event['protocol'],
                  'icmp_type': 'echo_reply', 'icmp_id': event['icmp_id'], 'icmp_sequence': event['icmp_sequence'],
                  'payload': event['payload_preview'], 'payload_encoding': event['payload_encoding']}
        content = json.dumps({'actions': [action]})
        if does == 'words':
            content = 'Certainly! ' + content
        if does == 'lies':
            content = json.dumps({'actions': [dict(action, destination='192.0.2.1')]})
        reason = 'stop'
        message = {'role': 'assistant', 'content': content}
        if does == 'refuses':
            message = {'role': 'assistant', 'content': None, 'refusal': 'no'}
        response = {'message': message, 'done_reason': reason, 'choices': [{'message': message, 'finish_reason': reason}]}
        text = json.dumps(response).encode()
        if does == 'malformed':
            text = text[:-7]
        self.send_response(200)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def log_message(self, *args):
        pass

server = http.server.ThreadingHTTPServer(('127.0.0.1', 11434), Handler)
print('ready', flush=True)
server.serve_forever()
"#;

/// Pings of a host whose model does this: packets that came back, what the endpoint said, and how often
/// the server was asked, by path.
fn with_model(
    host: &Host,
    does: &str,
    api: &str,
    more: &[&str],
    pings: &str,
) -> (super::Said, String, String) {
    let folder = Folder::new();
    let (script, log) = (folder.file("server.py", SERVER), folder.path("asked"));
    let _server = host
        .spaces
        .speaking("h", &["python3", "-u", &script, does, &log]);
    let model = [
        "--model-url",
        "http://127.0.0.1:11434",
        "--model-name",
        "small",
        "--model-api",
        api,
    ];
    let endpoint = host.endpoint(&[&model[..], more].concat());
    let ping = host.sh(pings).out;
    // What is asked last has its time to answer.
    std::thread::sleep(std::time::Duration::from_millis(300));
    let said = end(endpoint);
    let asked = std::fs::read_to_string(&log).unwrap_or_default();
    (said, ping, asked)
}

#[test]
fn a_model_answers_pings_by_both_interfaces() {
    let Some(host) = Host::new() else { return };
    for (api, path) in [
        ("ollama", "/api/chat\n"),
        ("openai", "/v1/chat/completions\n"),
    ] {
        let (said, ping, asked) = with_model(
            &host,
            "answers",
            api,
            &["--model-timeout", "9000"],
            "ping -c 2 -i 0.3 -W 10 10.7.0.2",
        );
        assert!(ping.contains("2 received"), "{ping}\n{}", said.log);
        assert_eq!(
            (said.fates("model_send"), asked),
            (2, path.repeat(2)),
            "{}",
            said.log
        );
    }
}

#[test]
fn forty_packets_reach_the_model_exactly_six_times() {
    let Some(host) = Host::new() else { return };
    let (said, ping, asked) = with_model(
        &host,
        "answers",
        "ollama",
        &["--model-timeout", "5000"],
        "ping -c 40 -i 0.02 -W 6 10.7.0.2",
    );
    assert!(
        ping.contains("40 packets transmitted, 6 received"),
        "{ping}\n{}",
        said.log
    );
    assert_eq!(asked.lines().count(), 6);
    assert_eq!(
        (
            said.fates("model_send"),
            said.fates("fail_closed_rate_limited")
        ),
        (6, 34),
        "{}",
        said.log
    );
    assert_eq!(said.down()["model_calls"], 6);
}

#[test]
fn a_model_that_fails_in_any_way_is_silence() {
    let Some(host) = Host::new() else { return };
    let rows = [
        ("slow", "fail_closed_model_error", 1),
        ("dead", "fail_closed_model_error", 1),
        ("refuses", "fail_closed_model_error", 1),
        ("malformed", "fail_closed_model_error", 1),
        ("words", "fail_closed_model_error", 2),
        ("lies", "fail_closed_permission", 1),
    ];
    for (does, fate, calls) in rows {
        let more = [
            "--model-timeout",
            if does == "slow" { "1000" } else { "4000" },
        ];
        let (said, ping, asked) =
            with_model(&host, does, "openai", &more, "ping -c 1 -W 2 10.7.0.2");
        assert!(ping.contains(" 0 received"), "{does}: {ping}");
        assert_eq!(
            (said.fates(fate), asked.lines().count()),
            (1, calls),
            "{does}\n{}",
            said.log
        );
        assert_eq!(said.down()["packets_sent"], 0, "{does}");
    }
    // Nobody listens there.
    let endpoint = host.endpoint(&["--model-url", "http://127.0.0.1:9", "--model-name", "small"]);
    host.sh("ping -c 2 -i 0.2 -W 1 10.7.0.2").expect(1);
    let said = end(endpoint);
    assert_eq!(said.fates("fail_closed_model_error"), 2, "{}", said.log);
    let never = ["--llm-escalation", "never"];
    let (said, _, asked) = with_model(
        &host,
        "answers",
        "ollama",
        &never,
        "ping -c 2 -i 0.2 -W 1 10.7.0.2",
    );
    assert_eq!(
        (said.fates("model_disabled"), asked.as_str()),
        (2, ""),
        "{}",
        said.log
    );
}
