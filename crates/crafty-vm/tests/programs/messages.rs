//! Messages in streams: `/IP!/TCP!/TLS(…)` and the like, whatever the cuts between segments.

use crate::bench::check;
use crate::streams::{Host, in_tcp, peer, peer_of};
use crafty_stack::tcp::Config;

/// Runs a body in a `TCP!` block against a server that says this at once and closes, in segments of
/// all sizes; each run logs the same except for times.
#[track_caller]
fn says(octets: &'static [u8], body: &str, wanted: &[&str]) {
    for mss in [1460, 101, 64] {
        let text = in_tcp(body);
        let config = Config {
            mss,
            min_mss: 64,
            ..Config::default()
        };
        let lines: Vec<String> = wanted.iter().map(|line| format!("0.004 {line}")).collect();
        let log = crate::bench::run(crate::bench::Run::of(
            &text,
            peer_of(Host::SaysAndCloses(octets), config),
        ));
        let said = |line: &String| {
            line.split_once(' ')
                .map(|(_, said)| said.to_string())
                .unwrap_or_default()
        };
        let got: Vec<String> = log
            .iter()
            .map(said)
            .filter(|line| line != "after" && line != "ends 0")
            .collect();
        assert_eq!(
            got,
            lines.iter().map(said).collect::<Vec<_>>(),
            "mss {mss}: {log:#?}"
        );
    }
}

const RECORDS: &[u8] = b"\x16\x03\x03\x00\x04\x0e\x00\x00\x00\x14\x03\x03\x00\x01\x01\x17\x03\x03\x00\xc8\
    a234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890\
    b234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890\x15\x03\x03\x00\x02\x01\x00rest";

#[test]
fn records_one_after_the_other() {
    let body = r#"
  expect timeout=1s /IP!/TCP!/TLS { print("${MATCH[TLS].type} of ${length(MATCH)}") }
  expect timeout=1s TLS(type == data) { print("${MATCH[TLS].type} ${text(MATCH[TLS].fragment[100:104])} ${MATCH[TCP].src}") }
  expect timeout=1s TLS(type == data) { print("never") } or TLS(alert == close_notify) { print("closed") }
  expect timeout=10ms TLS { print("never") } or Bytes { print("${text(MATCH[Bytes].data)}") }"#;
    says(
        RECORDS,
        body,
        &["22 of 9", "23 «b234» 80", "closed", "«rest»"],
    );
}

#[test]
fn what_no_arm_takes_is_left() {
    let body = r#"
  expect timeout=50ms TLS(alert == handshake_failure) { print("never") } else { print("none") }
  expect timeout=1s TLS(type == change_cipher_spec)/End { print("change") } or TLS { print("first ${MATCH[TLS].type}") }
  expect timeout=1s Bytes(data[0] == #14) { print("${length(MATCH)} left") }"#;
    says(RECORDS, body, &["none", "first 22", "222 left"]);
}

#[test]
fn a_handler_sees_every_message() {
    let body = r#"
  kinds = array(init=0, len=0)
  on /IP!/TCP!/TLS(type != change_cipher_spec) { kinds += MATCH[TLS].type }
  on count=1 TLS(len < 4)/Bytes { print("nothing follows a record in its message") }
  wait 500ms
  print("${kinds}")"#;
    says(RECORDS, body, &["[22, 23, 21]"]);
}

#[test]
fn http_answers_with_their_bodies() {
    const TWO: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n\
        0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\
        0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\
        0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\
        HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nHTTP/1.0 200 OK\r\n\r\nto the end";
    let body = r#"
  expect timeout=1s HTTP(status == 200) { print("${MATCH[HTTP].content_length} ${length(MATCH[Bytes].data)}") }
  expect timeout=1s HTTP(status == 404)/Bytes(data has "abc") { print("chunks") }
  expect timeout=1s HTTP(status >= 200)/Bytes { print("${text(MATCH[Bytes].data)} ${has(MATCH, HTTP)} ${has(MATCH, TLS)}") }"#;
    let body = body.replace("HTTP(status == 200) {", "HTTP(status == 200)/Bytes {");
    says(
        TWO,
        &body,
        &["«300» 300", "chunks", "«to the end» true false"],
    );
}

#[test]
fn a_message_that_stays_incomplete_is_none() {
    let body = "expect timeout=50ms HTTP { print(\"never\") } else { print(\"none\") }\nexpect timeout=1s Bytes { print(\"${length(MATCH)}\") }";
    says(
        b"HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\nshort",
        body,
        &["none", "45"],
    );
    says(b"SSH-2.0-OpenSSH_9.2\r\n", body, &["none", "21"]);
}

/// An answer to a question that has its length before it, and nothing to any other.
fn name_server(question: &[u8]) -> &'static [u8] {
    let whole = question.len() > 14
        && usize::from(u16::from_be_bytes([question[0], question[1]])) == question.len() - 2;
    let asks =
        whole && question[2..4] == [0, 7] && question.ends_with(b"\x01a\x00\x00\x01\x00\x01");
    if asks {
        b"\0\x23\0\x07\x84\0\0\x01\0\x01\0\0\0\0\x01a\0\0\x01\0\x01\xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04\xc0\0\x02\x09"
    } else {
        b""
    }
}

#[test]
fn dns_over_tcp() {
    let body = r#"
  DNS(id=7, qname="a")
  expect timeout=1s DNS(qr == 1, id == 7) { print("${MATCH[DNS].address} ${MATCH[DNS].qname}") }
  DNSTCP/DNS(id=7, qname="a")
  expect timeout=1s /IP!/TCP!/DNSTCP(len == 35)/DNS(qr == 1)/End { print("again") }"#;
    check(
        &in_tcp(body),
        peer(Host::Serves(name_server)),
        "0.004 192.0.2.9 «a»\n0.006 again\n0.008 after\n0.008 ends 0",
    );
}

/// Answers to HEAD have no body, whatever they say of it.
fn web(request: &[u8]) -> &'static [u8] {
    match request {
        [b'H', ..] => b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n",
        _ => b"HTTP/1.1 204 No Content\r\n\r\n",
    }
}

#[test]
fn an_answer_to_head_has_no_body() {
    let body = r#"
  HTTP(method="HEAD", host="a")
  expect timeout=1s HTTP(status == 200) { print("${MATCH[HTTP].content_length}") }
  HTTP(host="a")
  expect timeout=1s HTTP { print("${MATCH[HTTP].status}") }"#;
    check(
        &in_tcp(body),
        peer(Host::Serves(web)),
        "0.004 «1000»\n0.006 204\n0.008 after\n0.008 ends 0",
    );
}
