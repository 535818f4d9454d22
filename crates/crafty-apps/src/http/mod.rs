//! One request and its response (RFC 9110, RFC 9112). Follows no redirection, decodes no content,
//! keeps no cookies.

mod body;
mod head;

use crate::failure::{FailureCause, SessionFailure, quoted};
use body::ResponseBody;
use crafty_value::{Duration, Map, Time, Value};
use crafty_wire::protocols::http::framing::{MAX_HEAD, empty_line};
use head::ResponseHead;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Interim responses (RFC 9110 §15.2) that are passed over.
const MAX_INTERIM: usize = 16;

/// What is asked for, and how patiently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    /// `GET`, `HEAD`, `POST`.
    pub method: &'static str,
    /// Begins with `/`.
    pub path: String,
    /// Header `Host`.
    pub host: String,
    /// More headers, `Name: value` each.
    pub headers: Vec<String>,
    /// What is sent along.
    pub body: Vec<u8>,
    /// How long the response may take, from the request to its last byte.
    pub timeout: Duration,
    /// Bytes of a response's body that are kept; what is longer is cut off.
    pub most: usize,
}

/// A request under way.
#[derive(Debug)]
pub struct HttpClient {
    ask: HttpRequest,
    request: Vec<u8>,
    opened: Time,
    asked: Option<Time>,
    first: Option<Time>,
    last: Option<Time>,
    /// Bytes of a head that is not whole.
    heard: Vec<u8>,
    interim: usize,
    response: Option<(ResponseHead, ResponseBody)>,
}

/// A value told of a request and its response.
#[derive(Debug)]
pub struct HttpCounter {
    /// As written after `STACK[HTTP].`.
    pub name: &'static str,
    read: fn(&HttpClient) -> Option<Value>,
}

const fn row(name: &'static str, read: fn(&HttpClient) -> Option<Value>) -> HttpCounter {
    HttpCounter { name, read }
}

/// All of them.
pub static COUNTERS: &[HttpCounter] = &[
    row("status", |c| c.head().map(|h| Value::Int(h.status.into()))),
    row("reason", |c| {
        c.head().map(|h| Value::text(h.reason.as_str()))
    }),
    row("version", |c| {
        c.head().map(|h| Value::text(h.version.as_str()))
    }),
    row("headers", |c| c.head().map(headers)),
    row("body", |c| {
        c.response
            .as_ref()
            .map(|(_, body)| Value::bytes(body.data.clone()))
    }),
    row("body_length", |c| {
        c.response
            .as_ref()
            .map(|(_, body)| Value::Int(body.data.len() as i64))
    }),
    row("cut", |c| {
        c.response.as_ref().map(|(_, body)| Value::Bool(body.cut))
    }),
    row("connect", |c| {
        c.asked.map(|at| Value::Duration(at.since(c.opened)))
    }),
    row("first_byte", |c| c.after_request(c.first)),
    row("last_byte", |c| c.after_request(c.last)),
];

impl HttpClient {
    /// A request that can be made; `now` is when its connection begins to open. Fails if a word of
    /// it would change its meaning.
    pub fn new(ask: HttpRequest, now: Time) -> Result<HttpClient, SessionFailure> {
        let request = head::request(&ask)?;
        Ok(HttpClient {
            ask,
            request,
            opened: now,
            asked: None,
            first: None,
            last: None,
            heard: Vec::new(),
            interim: 0,
            response: None,
        })
    }

    /// The way is open: asks.
    pub fn handle_up(&mut self, now: Time) {
        self.asked = Some(now);
    }

    /// The request, once it may leave.
    pub fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        (self.asked.is_some() && !self.request.is_empty())
            .then(|| core::mem::take(&mut self.request))
    }

    /// More bytes of the response. Gives back what follows it.
    pub fn handle_data(&mut self, now: Time, octets: &[u8]) -> Result<Vec<u8>, SessionFailure> {
        if octets.is_empty() {
            return Ok(Vec::new());
        }
        self.first.get_or_insert(now);
        let mut rest = octets.to_vec();
        while self.response.is_none() {
            let before = self.heard.len();
            self.heard.append(&mut rest);
            let Some(end) = empty_line(&self.heard, before.saturating_sub(2)) else {
                return self.wait_for_head();
            };
            rest = self.heard.split_off(end);
            let head = ResponseHead::read(&core::mem::take(&mut self.heard))?;
            if head.is_interim() {
                self.interim += 1;
                if self.interim > MAX_INTERIM {
                    return Err(malformed("too many interim responses"));
                }
                continue;
            }
            let body = ResponseBody::of(&head, self.ask.method, self.ask.most)?;
            self.response = Some((head, body));
        }
        let Some((_, body)) = &mut self.response else {
            return Ok(rest);
        };
        let taken = body.take(&rest)?;
        if body.done {
            self.last.get_or_insert(now);
        }
        let cut = body.cut;
        Ok(rest
            .get(taken..)
            .filter(|_| !cut)
            .map(<[u8]>::to_vec)
            .unwrap_or_default())
    }

    /// The peer says no more: the end of a body without length, else too early. `own` if it is
    /// surely the peer who says so: such a body may be cut off where it is not (RFC 9112 §9.8).
    pub fn handle_end(&mut self, now: Time, own: bool) -> Result<(), SessionFailure> {
        match &mut self.response {
            Some((_, body)) if body.done => Ok(()),
            Some((_, body)) if body.ends_with_stream() && own => {
                body.done = true;
                self.last.get_or_insert(now);
                Ok(())
            }
            Some(_) => Err(SessionFailure::new(
                FailureCause::Closed,
                "the peer closed in the middle of the body",
            )),
            None if self.heard.is_empty() => Err(SessionFailure::new(
                FailureCause::Closed,
                "the peer closed without a response",
            )),
            None => Err(SessionFailure::new(
                FailureCause::Closed,
                "the peer closed in the middle of the headers",
            )),
        }
    }

    /// When the response is late.
    pub fn poll_timeout(&self) -> Option<Time> {
        self.asked
            .filter(|_| !self.is_done())
            .map(|at| at.after(self.ask.timeout))
    }

    /// Gives up, if it is late.
    pub fn handle_timeout(&mut self, now: Time) -> Result<(), SessionFailure> {
        match self.poll_timeout() {
            Some(due) if due <= now => Err(SessionFailure::new(
                FailureCause::Timeout,
                format!("no complete response within {}", self.ask.timeout),
            )),
            _ => Ok(()),
        }
    }

    /// Whether the response is whole.
    pub fn is_done(&self) -> bool {
        self.last.is_some()
    }

    /// Whether the rest of the stream belongs to a body that was cut off.
    pub fn discards(&self) -> bool {
        self.response.as_ref().is_some_and(|(_, body)| body.cut)
    }

    /// How long the response may take.
    pub fn patience(&self) -> Duration {
        self.ask.timeout
    }

    /// A value by its name; nothing where there is no response.
    pub fn counter(&self, name: &str) -> Option<Value> {
        COUNTERS
            .iter()
            .find(|c| c.name == name)
            .and_then(|c| (c.read)(self))
    }

    fn wait_for_head(&self) -> Result<Vec<u8>, SessionFailure> {
        if !head::may_begin(&self.heard) {
            return Err(malformed(&format!(
                "the peer does not speak HTTP/1: it began with {}",
                quoted(&self.heard)
            )));
        }
        if self.heard.len() > MAX_HEAD {
            return Err(malformed("more than 64 KiB of headers"));
        }
        Ok(Vec::new())
    }

    fn head(&self) -> Option<&ResponseHead> {
        self.response.as_ref().map(|(head, _)| head)
    }

    fn after_request(&self, at: Option<Time>) -> Option<Value> {
        Some(Value::Duration(at?.since(self.asked?)))
    }
}

fn malformed(message: &str) -> SessionFailure {
    SessionFailure::new(FailureCause::Malformed, message)
}

fn headers(head: &ResponseHead) -> Value {
    let entries: BTreeMap<Value, Value> = head
        .fields
        .iter()
        .map(|(name, value)| (Value::text(name.as_str()), Value::text(value.as_str())))
        .collect();
    Value::Map(Arc::new(Map {
        default: Value::text(""),
        entries,
    }))
}

#[cfg(test)]
mod tests;
