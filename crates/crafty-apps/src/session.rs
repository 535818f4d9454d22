//! The layers above one transport, as one: TLS below, HTTP or DNS on it. Each begins when the one
//! below is up.

use crate::failure::{FailureCause, SessionFailure};
use crate::{dns, http, tls};
use crafty_value::{Duration, Time, Value};
use std::collections::VecDeque;

/// A layer that can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionLayer {
    /// TLS.
    Tls,
    /// HTTP.
    Http,
    /// DNS.
    Dns,
}

/// What is to run.
#[derive(Clone, Debug, Default)]
pub struct SessionPlan {
    /// TLS on the transport.
    pub tls: Option<tls::TlsRequest>,
    /// A request, on TLS if there is TLS.
    pub http: Option<http::HttpRequest>,
    /// A question, likewise.
    pub dns: Option<dns::DnsRequest>,
    /// Whether the transport is a stream.
    pub stream: bool,
}

impl SessionPlan {
    /// Whether nothing is to run.
    pub fn is_empty(&self) -> bool {
        self.tls.is_none() && self.http.is_none() && self.dns.is_none()
    }
}

/// Layers at work.
#[derive(Debug)]
pub struct Session {
    tls: Option<tls::TlsClient>,
    top: TopLayer,
    outgoing: VecDeque<Vec<u8>>,
    /// What no layer wants: the program's.
    data: Vec<u8>,
    /// Whether the transport is up.
    carried: bool,
    /// Whether the highest layer has begun.
    begun: bool,
    failure: Option<SessionFailure>,
    /// Whether it failed; then it says and hears nothing.
    over: bool,
}

#[derive(Debug)]
enum TopLayer {
    Program,
    Http(Box<http::HttpClient>),
    Dns(dns::DnsClient),
}

impl Session {
    /// Layers that wait for their transport, which begins to open `now`. Fails if something cannot
    /// be said.
    pub fn new(plan: SessionPlan, now: Time) -> Result<Session, SessionFailure> {
        let tls = plan.tls.map(tls::TlsClient::new).transpose()?;
        let top = match (plan.http, plan.dns) {
            (Some(ask), _) => TopLayer::Http(Box::new(http::HttpClient::new(ask, now)?)),
            (None, Some(ask)) => TopLayer::Dns(dns::DnsClient::new(ask, plan.stream)?),
            (None, None) => TopLayer::Program,
        };
        Ok(Session {
            tls,
            top,
            outgoing: VecDeque::new(),
            data: Vec::new(),
            carried: false,
            begun: false,
            failure: None,
            over: false,
        })
    }

    /// How long the layers take at most to come up, once the transport is.
    pub fn patience(&self) -> Duration {
        let top = match &self.top {
            TopLayer::Program => Duration::ZERO,
            TopLayer::Http(http) => http.patience(),
            TopLayer::Dns(dns) => dns.patience(),
        };
        let tls = self
            .tls
            .as_ref()
            .map_or(Duration::ZERO, tls::TlsClient::patience);
        Duration(top.0.saturating_add(tls.0))
    }

    /// The transport is up. Told again, it does nothing.
    pub fn handle_up(&mut self, now: Time) {
        if self.carried || self.over {
            return;
        }
        self.carried = true;
        if let Some(tls) = &mut self.tls {
            tls.handle_up(now);
        }
        self.go_on(now);
    }

    /// Bytes of the stream.
    pub fn handle_data(&mut self, now: Time, octets: &[u8]) {
        if self.over {
            return;
        }
        let heard = match &mut self.tls {
            Some(tls) => tls.handle_data(now, octets),
            None => Ok(octets.to_vec()),
        };
        let heard = heard.and_then(|clear| self.hand_up(now, clear));
        let closed = self.tls.as_ref().is_some_and(tls::TlsClient::is_closed);
        let heard = heard.and_then(|()| if closed { self.end(now, true) } else { Ok(()) });
        self.judge(heard);
        self.go_on(now);
    }

    /// A datagram.
    pub fn handle_datagram(&mut self, now: Time, octets: &[u8]) {
        if self.over {
            return;
        }
        if let TopLayer::Dns(dns) = &mut self.top {
            let heard = dns.handle_datagram(now, octets);
            self.judge(heard);
        }
    }

    /// The peer says no more.
    pub fn handle_end(&mut self, now: Time) {
        if self.over || !self.carried {
            return;
        }
        let below = self.tls.as_mut().map_or(Ok(()), tls::TlsClient::handle_end);
        // Without a close message of TLS, somebody else may have cut the stream.
        let own = self.tls.as_ref().is_none_or(tls::TlsClient::is_closed);
        let ended = below.and_then(|()| self.end(now, own));
        self.judge(ended);
    }

    /// No more comes for the highest layer; `own` if it is surely the peer who says so.
    fn end(&mut self, now: Time, own: bool) -> Result<(), SessionFailure> {
        match &mut self.top {
            TopLayer::Http(http) => http.handle_end(now, own),
            TopLayer::Dns(dns) if !dns.is_done() => Err(SessionFailure::new(
                FailureCause::Closed,
                "the server closed without an answer",
            )),
            _ => Ok(()),
        }
    }

    /// When something falls due.
    pub fn poll_timeout(&self) -> Option<Time> {
        if self.over {
            return None;
        }
        let tls = self.tls.as_ref().and_then(tls::TlsClient::poll_timeout);
        let top = match &self.top {
            TopLayer::Program => None,
            TopLayer::Http(http) => http.poll_timeout(),
            TopLayer::Dns(dns) => dns.poll_timeout(),
        };
        tls.into_iter().chain(top).min()
    }

    /// Does what is due.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.over {
            return;
        }
        let below = self
            .tls
            .as_mut()
            .map_or(Ok(()), |tls| tls.handle_timeout(now));
        let done = below.and_then(|()| match &mut self.top {
            TopLayer::Program => Ok(()),
            TopLayer::Http(http) => http.handle_timeout(now),
            TopLayer::Dns(dns) => dns.handle_timeout(now),
        });
        self.judge(done);
        self.go_on(now);
    }

    /// The next bytes for the transport: a piece of the stream, or a datagram.
    pub fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.outgoing.pop_front()
    }

    /// Bytes of the program, for the peer.
    pub fn send(&mut self, octets: &[u8]) {
        match &mut self.tls {
            Some(tls) => tls.send(octets),
            None => self.outgoing.push_back(octets.to_vec()),
        }
        self.collect();
    }

    /// Moves what came for the program to `into`.
    pub fn read(&mut self, into: &mut Vec<u8>) {
        into.append(&mut self.data);
    }

    /// No more will be sent.
    pub fn close(&mut self) {
        if let Some(tls) = self.tls.as_mut().filter(|_| !self.over) {
            tls.close();
        }
        self.collect();
    }

    /// Whether every layer is up, the answer of the highest included.
    pub fn is_up(&self) -> bool {
        self.begun
            && !self.over
            && match &self.top {
                TopLayer::Program => true,
                TopLayer::Http(http) => http.is_done(),
                TopLayer::Dns(dns) => dns.is_done(),
            }
    }

    /// Why it failed; told once.
    pub fn take_failure(&mut self) -> Option<SessionFailure> {
        self.failure.take()
    }

    /// Secrets of TLS made since this was asked last, as lines of an `SSLKEYLOGFILE`.
    pub fn secrets(&mut self) -> String {
        self.tls
            .as_mut()
            .map(tls::TlsClient::secrets)
            .unwrap_or_default()
    }

    /// A value of a layer; nothing where it is not known.
    pub fn counter(&self, layer: SessionLayer, name: &str) -> Option<Value> {
        match (layer, &self.top) {
            (SessionLayer::Tls, _) => self.tls.as_ref()?.counter(name),
            (SessionLayer::Http, TopLayer::Http(http)) => http.counter(name),
            (SessionLayer::Dns, TopLayer::Dns(dns)) => dns.counter(name),
            _ => None,
        }
    }

    /// What is in the clear goes to the highest layer as long as it waits for its answer.
    fn hand_up(&mut self, now: Time, clear: Vec<u8>) -> Result<(), SessionFailure> {
        let rest = match &mut self.top {
            TopLayer::Http(http) if http.discards() => Vec::new(),
            TopLayer::Http(http) if !http.is_done() => http.handle_data(now, &clear)?,
            TopLayer::Dns(dns) if !dns.is_done() => dns.handle_data(now, &clear)?,
            _ => clear,
        };
        self.data.extend(rest);
        Ok(())
    }

    /// Lets the highest layer begin once the one below is up, and collects what there is to send.
    fn go_on(&mut self, now: Time) {
        let below = self.carried && self.tls.as_ref().is_none_or(tls::TlsClient::is_up);
        if below && !self.begun && !self.over {
            self.begun = true;
            let chosen = self.tls.as_ref().and_then(tls::TlsClient::chosen);
            match &mut self.top {
                TopLayer::Http(_)
                    if chosen
                        .as_deref()
                        .is_some_and(|protocol| !protocol.starts_with("http/1.")) =>
                {
                    let protocol = chosen.unwrap_or_default();
                    let message = format!(
                        "the server chose `{protocol}`, but `HTTP!` speaks HTTP/1.1: offer alpn=[\"http/1.1\"]"
                    );
                    self.judge(Err(SessionFailure::new(FailureCause::Refused, message)));
                }
                TopLayer::Program => {}
                TopLayer::Http(http) => http.handle_up(now),
                TopLayer::Dns(dns) => dns.handle_up(now),
            }
        }
        self.collect();
    }

    fn collect(&mut self) {
        let said = match &mut self.top {
            TopLayer::Program => None,
            TopLayer::Http(http) => http.poll_transmit(),
            TopLayer::Dns(dns) => dns.poll_transmit(),
        };
        match (&mut self.tls, said) {
            (Some(tls), Some(octets)) => tls.send(&octets),
            (None, Some(octets)) => self.outgoing.push_back(octets),
            (_, None) => {}
        }
        let sealed = self.tls.as_mut().and_then(tls::TlsClient::poll_transmit);
        self.outgoing.extend(sealed);
    }

    fn judge(&mut self, result: Result<(), SessionFailure>) {
        if let Err(failure) = result {
            self.over = true;
            self.failure = Some(failure);
        }
    }
}
