//! HTTP over TCP (RFC 9110, RFC 9112): a few pages, always with their length.

use super::{Answer, Service, ServiceConnection};

pub static SERVICE: Service = Service {
    name: "http",
    answer: Answer::Tcp(serve),
};

/// Bytes of the large page.
const LARGE: usize = 1 << 20;
/// Bytes of a request's head that are read before it is refused.
const LONGEST_HEAD: usize = 8192;

/// A page by its path.
struct HttpPage {
    path: &'static str,
    kind: &'static str,
    body: fn() -> Vec<u8>,
}

static PAGES: &[HttpPage] = &[
    HttpPage {
        path: "/",
        kind: "text/html",
        body: || {
            b"<!doctype html>\n<title>demo</title>\n<h1>It works</h1>\n<p><a href=\"/large\">one MiB</a></p>\n".to_vec()
        },
    },
    HttpPage {
        path: "/hello",
        kind: "text/plain",
        body: || b"hello\n".to_vec(),
    },
    HttpPage {
        path: "/large",
        kind: "text/plain",
        body: large,
    },
];

/// Numbered lines of 64 bytes, so that a gap shows.
fn large() -> Vec<u8> {
    (0..LARGE / 64)
        .flat_map(|line| format!("{line:07} {:.<55}\n", "").into_bytes())
        .collect()
}

/// Answers every request that has come whole.
pub(super) fn serve(talk: &mut ServiceConnection) {
    while !talk.done {
        let Some(end) = talk.heard.windows(4).position(|it| it == b"\r\n\r\n") else {
            break;
        };
        let request: Vec<u8> = talk.heard.drain(..end + 4).collect();
        answer(&String::from_utf8_lossy(&request), talk);
    }
    if talk.heard.len() > LONGEST_HEAD && !talk.done {
        respond(
            talk,
            "431 Request Header Fields Too Large",
            "text/plain",
            b"too long\n",
            ResponseForm::LAST,
        );
    }
}

/// What of a response is wanted.
#[derive(Clone, Copy)]
struct ResponseForm {
    head_only: bool,
    last: bool,
}

impl ResponseForm {
    const LAST: ResponseForm = ResponseForm {
        head_only: false,
        last: true,
    };
}

fn answer(request: &str, talk: &mut ServiceConnection) {
    let mut lines = request.split("\r\n");
    let words: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let [method, target, version @ ("HTTP/1.0" | "HTTP/1.1")] = words[..] else {
        return respond(
            talk,
            "400 Bad Request",
            "text/plain",
            b"not a request\n",
            ResponseForm::LAST,
        );
    };
    let connection = lines
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("connection"));
    let connection = connection.map(|(_, value)| value.trim().to_ascii_lowercase());
    let last = match version {
        "HTTP/1.1" => connection.as_deref() == Some("close"),
        _ => connection.as_deref() != Some("keep-alive"),
    };
    let form = ResponseForm {
        head_only: method == "HEAD",
        last,
    };
    let path = target.split('?').next().unwrap_or_default();
    match PAGES.iter().find(|page| page.path == path) {
        _ if !matches!(method, "GET" | "HEAD") => respond(
            talk,
            "405 Method Not Allowed",
            "text/plain",
            b"GET or HEAD\n",
            ResponseForm::LAST,
        ),
        Some(page) => respond(talk, "200 OK", page.kind, &(page.body)(), form),
        None => respond(talk, "404 Not Found", "text/plain", b"no such page\n", form),
    }
}

fn respond(
    talk: &mut ServiceConnection,
    status: &str,
    kind: &str,
    body: &[u8],
    form: ResponseForm,
) {
    let connection = if form.last { "close" } else { "keep-alive" };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nServer: demo\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: {connection}\r\n\r\n"
    );
    talk.to_say.extend_from_slice(head.as_bytes());
    if !form.head_only {
        talk.to_say.extend_from_slice(body);
    }
    talk.done = form.last;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(requests: &str, statuses: &[&str], done: bool) {
        let mut talk = ServiceConnection {
            heard: requests.replace('\n', "\r\n").into_bytes(),
            ..ServiceConnection::default()
        };
        serve(&mut talk);
        let said = String::from_utf8(talk.to_say).unwrap();
        let heads: Vec<&str> = said
            .lines()
            .filter_map(|line| line.strip_prefix("HTTP/1.1 "))
            .map(|rest| &rest[..3])
            .collect();
        assert_eq!(
            (heads.as_slice(), talk.done),
            (statuses, done),
            "{requests}"
        );
    }

    #[test]
    fn requests_are_answered_in_order() {
        check("GET / HTTP/1.0\n\n", &["200"], true);
        check("GET / HTTP/1.1\nHost: demo\n\n", &["200"], false);
        check(
            "GET /hello?x HTTP/1.1\n\nHEAD /none HTTP/1.1\nConnection: Close\n\n",
            &["200", "404"],
            true,
        );
        check("GET / HTTP/1.1\nHost", &[], false);
        check("POST / HTTP/1.1\n\n", &["405"], true);
        check("what\n\nGET / HTTP/1.1\n\n", &["400"], true);
        check(&"x".repeat(9000), &["431"], true);
    }

    #[test]
    fn the_large_page_is_a_mebibyte() {
        assert_eq!(large().len(), LARGE);
    }
}
