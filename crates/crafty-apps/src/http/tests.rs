use super::*;

fn ask(method: &'static str, path: &str, headers: &[&str]) -> HttpRequest {
    let headers = headers.iter().map(|h| h.to_string()).collect();
    HttpRequest {
        method,
        path: path.into(),
        host: "example.com".into(),
        headers,
        body: Vec::new(),
        timeout: Duration::seconds(5),
        most: 1000,
    }
}

/// A response in pieces of so many bytes.
fn hear(
    method: &'static str,
    response: &[u8],
    piece: usize,
) -> (HttpClient, Result<Vec<u8>, SessionFailure>) {
    let mut client = HttpClient::new(ask(method, "/", &[]), Time(0)).expect("a request");
    client.handle_up(Time(10));
    client.poll_transmit().expect("the request");
    let mut rest = Vec::new();
    for (n, octets) in response.chunks(piece).enumerate() {
        match client.is_done() {
            true => rest.extend_from_slice(octets),
            false => match client.handle_data(Time(20 + n as i64), octets) {
                Ok(more) => rest.extend(more),
                Err(failure) => return (client, Err(failure)),
            },
        }
    }
    (client, Ok(rest))
}

/// Status, body, whether it is done, and what is left over.
#[track_caller]
fn check(method: &'static str, response: &str, wanted: (i64, &str, bool, &str)) {
    for piece in [1, 2, 7, 10_000] {
        let (client, rest) = hear(method, response.as_bytes(), piece);
        let rest = rest.unwrap_or_else(|failure| panic!("{failure}: {response}"));
        let told = |name| client.counter(name).unwrap_or(Value::Nothing);
        let wanted_values = [
            Value::Int(wanted.0),
            Value::bytes(wanted.1.into()),
            Value::Int(wanted.1.len() as i64),
        ];
        assert_eq!(
            [told("status"), told("body"), told("body_length")],
            wanted_values,
            "by {piece}: {response}"
        );
        assert_eq!(
            (client.is_done(), String::from_utf8_lossy(&rest).as_ref()),
            (wanted.2, wanted.3),
            "by {piece}: {response}"
        );
    }
}

#[track_caller]
fn check_refused(response: &[u8], cause: FailureCause) {
    for piece in [1, 100_000] {
        let (mut client, heard) = hear("GET", response, piece);
        let failure = heard
            .and_then(|_| client.handle_end(Time(99), true))
            .expect_err("a refusal");
        assert_eq!(failure.cause, cause, "by {piece}: {failure}");
    }
}

#[test]
fn a_request_is_written_as_it_should() {
    let mut client = HttpClient::new(
        HttpRequest {
            body: b"a=1".to_vec(),
            ..ask("POST", "/form", &["X-Own: 1", "accept: text/html"])
        },
        Time(0),
    )
    .expect("one");
    assert_eq!(client.poll_transmit(), None, "not before the way is open");
    client.handle_up(Time(0));
    let written = String::from_utf8(client.poll_transmit().expect("it")).expect("text");
    let wanted = "POST /form HTTP/1.1\r\nHost: example.com\r\nUser-Agent: crafty\r\nContent-Length: 3\r\nX-Own: 1\r\naccept: text/html\r\n\r\na=1";
    assert_eq!(written, wanted);
    assert_eq!(client.poll_transmit(), None, "once");
}

#[test]
fn a_request_is_one_request() {
    for (path, headers) in [
        ("x", &[][..]),
        ("/a b", &[]),
        ("/a\r\nX: y", &[]),
        ("/", &["no colon"]),
        ("/", &["A: b\r\nC: d"]),
        ("/", &["a b: c"]),
    ] {
        let failure = HttpClient::new(ask("GET", path, headers), Time(0)).expect_err(path);
        assert_eq!(
            failure.cause,
            FailureCause::Unsayable,
            "{path:?} {headers:?}"
        );
    }
}

#[test]
fn where_a_body_ends() {
    check(
        "GET",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, and more",
        (200, "hello", true, ", and more"),
    );
    check(
        "GET",
        "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhel",
        (200, "hel", false, ""),
    );
    check("GET", "HTTP/1.0 200 OK\n\nall", (200, "all", false, ""));
    check(
        "HEAD",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
        (200, "", true, ""),
    );
    check(
        "GET",
        "HTTP/1.1 204 No Content\r\n\r\n",
        (204, "", true, ""),
    );
    check(
        "GET",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n",
        (404, "", true, ""),
    );
    let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n5;x=1\r\nhello\r\n2\r\n, \r\n0\r\nT: 1\r\n\r\nnext";
    check("GET", chunks, (200, "hello, ", true, "next"));
}

#[test]
fn what_is_told_of_a_response() {
    let response = "HTTP/1.1 302 Found\r\nLocation: /x\r\nSet-Cookie: a\r\nset-cookie: b\r\nLong: one\r\n two\r\nContent-Length: 1\r\n\r\n.";
    let (client, _) = hear("GET", response.as_bytes(), 1);
    let Some(Value::Map(map)) = client.counter("headers") else {
        panic!("a map")
    };
    let header = |name: &str| {
        map.entries
            .get(&Value::text(name))
            .cloned()
            .unwrap_or_else(|| map.default.clone())
    };
    assert_eq!(
        [
            header("location"),
            header("set-cookie"),
            header("long"),
            header("none")
        ],
        ["/x", "a, b", "one two", ""].map(Value::text)
    );
    let told = [
        "reason",
        "version",
        "connect",
        "first_byte",
        "last_byte",
        "cut",
    ]
    .map(|name| client.counter(name).unwrap_or(Value::Nothing));
    let after = |n| Value::Duration(Duration(n));
    let last = 10 + response.len() as i64 - 1;
    assert_eq!(
        told,
        [
            Value::text("Found"),
            Value::text("HTTP/1.1"),
            after(10),
            after(10),
            after(last),
            Value::Bool(false)
        ]
    );
}

#[test]
fn a_body_without_length_ends_with_the_stream() {
    let (mut client, _) = hear("GET", b"HTTP/1.1 200 OK\r\n\r\nall of it", 3);
    assert!(!client.is_done());
    assert_eq!(
        client
            .handle_end(Time(50), false)
            .expect_err("somebody cut it")
            .cause,
        FailureCause::Closed
    );
    client.handle_end(Time(50), true).expect("the end");
    assert_eq!(
        (client.is_done(), client.counter("body")),
        (true, Some(Value::bytes(b"all of it".to_vec())))
    );
}

#[test]
fn a_long_body_is_cut_and_done() {
    let (client, rest) = hear(
        "GET",
        &[
            &b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"[..],
            &[b'x'; 5000],
        ]
        .concat(),
        800,
    );
    assert!(client.discards() && client.is_done() && rest.is_ok());
    assert_eq!(
        (client.counter("cut"), client.counter("body_length")),
        (Some(Value::Bool(true)), Some(Value::Int(1000)))
    );
}

#[test]
fn hostile_servers_are_refused() {
    let head = |rest: &str| format!("HTTP/1.1 200 OK\r\n{rest}").into_bytes();
    check_refused(b"SSH-2.0-OpenSSH\r\n", FailureCause::Malformed);
    check_refused(b"HTTP/1.1 2000 What\r\n\r\n", FailureCause::Malformed);
    check_refused(b"HTTP/1.1 +20 What\r\n\r\n", FailureCause::Malformed);
    check_refused(b"", FailureCause::Closed);
    check_refused(b"HTTP/1.1 200 OK\r\n", FailureCause::Closed);
    check_refused(&head("Content-Length: 5\r\n\r\nhell"), FailureCause::Closed);
    check_refused(&head("Content-Length: -5\r\n\r\n"), FailureCause::Malformed);
    check_refused(
        &head("Content-Length: 5\r\nContent-Length: 6\r\n\r\n"),
        FailureCause::Malformed,
    );
    check_refused(
        &head("Content-Length: 99999999999999999999999\r\n\r\n"),
        FailureCause::Malformed,
    );
    check_refused(
        &head("Transfer-Encoding: chunked\r\n\r\n-1\r\n"),
        FailureCause::Malformed,
    );
    check_refused(
        &head("Transfer-Encoding: chunked\r\n\r\n11111111111111111\r\n"),
        FailureCause::Malformed,
    );
    check_refused(
        &head("Transfer-Encoding: chunked\r\n\r\n1\r\nxy"),
        FailureCause::Malformed,
    );
    check_refused(
        &head(&format!(
            "Transfer-Encoding: chunked\r\n\r\n0;{}",
            "x".repeat(9000)
        )),
        FailureCause::Malformed,
    );
    check_refused(
        &head(&format!(
            "Transfer-Encoding: chunked\r\n\r\n0\r\n{}",
            "a: b\r\n".repeat(100)
        )),
        FailureCause::Malformed,
    );
    check_refused(&head(&"a: b\r\n".repeat(300)), FailureCause::Closed);
    check_refused(
        &head(&format!("{}\r\n", "a: b\r\n".repeat(300))),
        FailureCause::Malformed,
    );
    check_refused(&head(&"x".repeat(70_000)), FailureCause::Malformed);
    check_refused(
        "HTTP/1.1 100 Continue\r\n\r\n".repeat(20).as_bytes(),
        FailureCause::Malformed,
    );
}

#[test]
fn a_late_response_is_given_up() {
    let (mut client, _) = hear("GET", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", 9);
    let due = client.poll_timeout().expect("a deadline");
    assert_eq!(due, Time(10).after(Duration::seconds(5)));
    client.handle_timeout(Time(11)).expect("not yet");
    assert_eq!(
        client.handle_timeout(due).expect_err("late").cause,
        FailureCause::Timeout
    );
}
