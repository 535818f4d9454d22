//! Streams whose bytes tell what they are, whatever their ports; heads without their bodies.

use super::{Capture, FIN};

const REQUEST: &[u8] = b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A record with the hello of a client, as long as its lengths say.
fn client_hello() -> Vec<u8> {
    let body = [&[3, 3][..], &[7; 32], &[0, 0, 2, 0x13, 1, 1, 0, 0, 0]].concat();
    let length = body.len() as u8;
    [&[22, 3, 1, 0, length + 4, 1, 0, 0, length][..], &body].concat()
}

#[test]
fn http_is_found_at_any_port() {
    for port in [8000, 443, 25, 53] {
        let mut capture = Capture::opened(port);
        assert_eq!(
            capture.client(1, 0, Some(1), REQUEST),
            "HTTP 28 of [3]; by content",
            "port {port}"
        );
        assert_eq!(
            capture.server(1, 0, Some(29), ANSWER),
            "HTTP 40 of [4]; by content",
            "port {port}"
        );
        assert_eq!(
            capture.client(29, 0, Some(41), &REQUEST[..20]),
            "message of HTTP that begins in packet 5: 20 bytes",
            "port {port}"
        );
        assert_eq!(
            capture.client(49, 0, Some(41), &REQUEST[20..]),
            "HTTP 28 of [5, 6]; by content",
            "port {port}"
        );
    }
}

#[test]
fn tls_is_found_behind_words_of_mail() {
    let (mut capture, hello) = (Capture::opened(25), client_hello());
    assert_eq!(capture.server(1, 0, Some(1), b"220 mail ESMTP\r\n"), "");
    assert_eq!(capture.client(1, 0, Some(17), b"STARTTLS\r\n"), "");
    assert_eq!(capture.server(17, 0, Some(11), b"220 go ahead\r\n"), "");
    assert_eq!(
        capture.client(11, 0, Some(31), &hello),
        format!("TLS {} of [6]; by content", hello.len())
    );
}

#[test]
fn bytes_that_only_look_alike_are_left_alone() {
    let near: [&[u8]; 8] = [
        b"GET it done, and well\r\n",
        b"GET /a HTTP/1.1",
        b"HTTP/1.1 is a protocol\r\n",
        b"get /a HTTP/1.1\r\n\r\n",
        b"GET /a b HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x03\x03",
        b"\x16\x03\x01\x40\x00\x02\x01\x00\x00\x03\x03",
        b"SIP/2.0 or so\r\n",
    ];
    for octets in near {
        let mut capture = Capture::opened(8000);
        assert_eq!(capture.client(1, 0, Some(1), octets), "", "{octets:?}");
    }
}

#[test]
fn a_head_is_told_without_its_body() {
    let long = b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nsome";
    let mut capture = Capture::opened(80);
    capture.client(1, 0, Some(1), REQUEST);
    assert_eq!(
        capture.server(1, 0, Some(29), long),
        "message of HTTP that begins in packet 4: 44 of 540 bytes"
    );
    let end = capture.server(45, FIN, Some(29), b"");
    assert!(end.starts_with("HTTP 540 of [4"), "{end}");
    let chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnone\r\n";
    let mut capture = Capture::opened(80);
    capture.client(1, 0, Some(1), REQUEST);
    let broken = capture.server(1, 0, Some(29), chunks);
    assert!(
        broken.starts_with("HTTP to the end of [4]; not HTTP"),
        "{broken}"
    );
}

#[test]
fn a_start_line_begins_a_message_behind_a_gap() {
    let mut capture = Capture::opened(80);
    capture.client(1, 0, Some(1), REQUEST);
    capture.server(1, 0, Some(29), b"HTTP/1.1 200 OK\r\nContent-Le");
    // The capture lost what the client acknowledges here.
    capture.client(29, 0, Some(401), b"");
    let told = capture.server(401, 0, Some(29), ANSWER);
    assert!(told.contains("HTTP 40 of"), "{told}");
}
