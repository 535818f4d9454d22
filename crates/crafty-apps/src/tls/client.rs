//! A session under way.

use super::TlsRequest;
use super::certificate::Certificate;
use super::verify::{Nameless, Recorder, SeenCertificates, SharedCertificates, look, words};
use crate::failure::{FailureCause, SessionFailure};
use crafty_value::{Duration, Time, Value};
use rustls::client::danger::ServerCertVerifier;
use rustls::client::{ClientSessionMemoryCache, Resumption};
use rustls::crypto::ring;
use rustls::pki_types::{ServerName, UnixTime};
use rustls::time_provider::TimeProvider;
use rustls::{
    ClientConfig, ClientConnection, Error, HandshakeKind, KeyLog, RootCertStore,
    SupportedProtocolVersion,
};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex};

/// Versions that can be spoken, oldest first.
static VERSIONS: &[(&str, &SupportedProtocolVersion)] = &[
    ("1.2", &rustls::version::TLS12),
    ("1.3", &rustls::version::TLS13),
];

/// Sessions that servers let us take up again, for all clients of one run.
#[derive(Clone, Debug)]
pub struct SessionCache {
    store: Arc<ClientSessionMemoryCache>,
    /// `rustls` takes up a session only with the same judge and the same client: these.
    recorder: Arc<Recorder>,
    client: Arc<Nameless>,
}

/// Servers that are remembered.
const MAX_SERVERS: usize = 32;

impl Default for SessionCache {
    fn default() -> SessionCache {
        SessionCache::trusting(RootCertStore {
            roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
        })
    }
}

impl SessionCache {
    /// None yet; chains are judged by these roots.
    pub(super) fn trusting(roots: RootCertStore) -> SessionCache {
        let recorder = Arc::new(Recorder::new(roots, Arc::new(ring::default_provider())));
        SessionCache {
            store: Arc::new(ClientSessionMemoryCache::new(MAX_SERVERS)),
            recorder,
            client: Arc::new(Nameless),
        }
    }
}

/// A session.
#[derive(Debug)]
pub struct TlsClient {
    pub(super) connection: ClientConnection,
    recorder: Arc<Recorder>,
    pub(super) seen: SharedCertificates,
    /// The chain in words, once it is there.
    pub(super) chain: Vec<Certificate>,
    pub(super) began: Option<Time>,
    /// When the first byte of the server's came.
    pub(super) answered: Option<Time>,
    pub(super) ended: Option<Time>,
    /// Whether the peer has said that no more comes.
    closed: bool,
    timeout: Duration,
    clock: Arc<TlsClock>,
    log: Arc<Log>,
}

impl TlsClient {
    /// A session that can be begun. Fails if what is offered cannot be.
    pub fn new(ask: TlsRequest) -> Result<TlsClient, SessionFailure> {
        let unsayable = |message: String| SessionFailure::new(FailureCause::Unsayable, message);
        let versions = versions(&ask.versions)?;
        let name = ServerName::try_from(ask.sni.clone())
            .map_err(|_| unsayable(format!("`{}` is not a valid server name", ask.sni)))?;
        let (clock, log) = (Arc::new(TlsClock::default()), Arc::new(Log::default()));
        let seen = SharedCertificates::new(Mutex::new(SeenCertificates {
            enforce: ask.verify,
            ..SeenCertificates::default()
        }));
        let SessionCache {
            store,
            recorder,
            client,
        } = ask.sessions;
        let provider = Arc::new(ring::default_provider());
        let mut config = ClientConfig::builder_with_details(
            provider,
            Arc::clone(&clock) as Arc<dyn TimeProvider>,
        )
        .with_protocol_versions(&versions)
        .map_err(|e| unsayable(e.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::clone(&recorder) as Arc<dyn ServerCertVerifier>)
        .with_client_cert_resolver(client);
        config.alpn_protocols = ask.alpn.iter().map(|p| p.clone().into_bytes()).collect();
        config.resumption = if ask.resume {
            Resumption::store(store)
        } else {
            Resumption::disabled()
        };
        config.key_log = Arc::clone(&log) as Arc<dyn KeyLog>;
        if let Some(protocol) = ask.alpn.iter().find(|p| !(1..256).contains(&p.len())) {
            return Err(unsayable(format!(
                "`{protocol}` is not a valid protocol name: it must have 1 to 255 bytes"
            )));
        }
        let mut connection =
            ClientConnection::new(Arc::new(config), name).map_err(|e| unsayable(e.to_string()))?;
        // How much may wait is the stream's affair below.
        connection.set_buffer_limit(None);
        let timeout = ask.timeout;
        Ok(TlsClient {
            connection,
            recorder,
            seen,
            chain: Vec::new(),
            began: None,
            answered: None,
            ended: None,
            closed: false,
            timeout,
            clock,
            log,
        })
    }

    /// The stream is open: the handshake begins.
    pub fn handle_up(&mut self, now: Time) {
        self.began = Some(now);
    }

    /// Bytes of the stream; gives what they hold for us.
    pub fn handle_data(&mut self, now: Time, octets: &[u8]) -> Result<Vec<u8>, SessionFailure> {
        self.clock.set(now);
        look(&self.seen).now = now.0;
        self.recorder.attend(&self.seen);
        if !octets.is_empty() {
            self.answered.get_or_insert(now);
        }
        let (mut rest, mut clear) = (octets, Vec::new());
        while !rest.is_empty() {
            if self.connection.read_tls(&mut rest).unwrap_or(0) == 0 {
                break;
            }
            let progress = self.connection.process_new_packets();
            self.note_chain();
            let progress = progress.map_err(|e| self.failure(&e))?;
            self.closed |= progress.peer_has_closed();
            let mut part = vec![0; progress.plaintext_bytes_to_read()];
            let read = self.connection.reader().read(&mut part).unwrap_or(0);
            clear.extend_from_slice(&part[..read]);
        }
        if !self.connection.is_handshaking() && self.ended.is_none() {
            self.ended = Some(now);
            self.note_resumption();
        }
        Ok(clear)
    }

    /// The peer says no more.
    pub fn handle_end(&mut self) -> Result<(), SessionFailure> {
        match self.connection.is_handshaking() {
            true => Err(SessionFailure::new(
                FailureCause::Closed,
                "the peer closed in the middle of the handshake",
            )),
            false => Ok(()),
        }
    }

    /// Whether the peer has said, in TLS, that no more comes.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// When the handshake is late.
    pub fn poll_timeout(&self) -> Option<Time> {
        self.began
            .filter(|_| !self.is_up())
            .map(|at| at.after(self.timeout))
    }

    /// Gives up, if it is late.
    pub fn handle_timeout(&mut self, now: Time) -> Result<(), SessionFailure> {
        match self.poll_timeout() {
            Some(due) if due <= now => Err(SessionFailure::new(
                FailureCause::Timeout,
                format!("no handshake within {}", self.timeout),
            )),
            _ => Ok(()),
        }
    }

    /// Bytes for the stream.
    pub fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.began.filter(|_| self.connection.wants_write())?;
        let mut octets = Vec::new();
        while self.connection.wants_write()
            && self.connection.write_tls(&mut octets).is_ok_and(|n| n > 0)
        {}
        Some(octets)
    }

    /// Bytes for the peer.
    pub fn send(&mut self, octets: &[u8]) {
        // Its buffer has no limit: it takes all.
        let _ = self.connection.writer().write_all(octets);
    }

    /// Tells the peer that no more comes (RFC 8446 §6.1).
    pub fn close(&mut self) {
        if self.began.is_some() {
            self.connection.send_close_notify();
        }
    }

    /// Whether the handshake is done.
    pub fn is_up(&self) -> bool {
        self.ended.is_some()
    }

    /// The protocol agreed on, if there is one.
    pub fn chosen(&self) -> Option<String> {
        self.connection
            .alpn_protocol()
            .map(|protocol| String::from_utf8_lossy(protocol).into_owned())
    }

    /// How long the handshake may take.
    pub fn patience(&self) -> Duration {
        self.timeout
    }

    /// Secrets made since this was asked last, as lines of an `SSLKEYLOGFILE`: with them a capture
    /// can be decrypted.
    pub fn secrets(&mut self) -> String {
        core::mem::take(&mut *self.log.lines())
    }

    /// A value by its name; nothing where the handshake did not tell.
    pub fn counter(&self, name: &str) -> Option<Value> {
        super::counters::COUNTERS
            .iter()
            .find(|c| c.name == name)
            .and_then(|c| (c.read)(self))
    }

    pub(super) fn look(&self) -> std::sync::MutexGuard<'_, SeenCertificates> {
        look(&self.seen)
    }

    /// Reads the chain when it has come.
    fn note_chain(&mut self) {
        let seen = look(&self.seen);
        if self.chain.len() < seen.chain.len() {
            self.chain = seen
                .chain
                .iter()
                .map(|octets| Certificate::read(octets).unwrap_or_default())
                .collect();
        }
    }

    /// A session that is taken up again shows no certificate: that of the first one stands for it.
    fn note_resumption(&mut self) {
        if self.is_resumed() {
            let chain = self
                .connection
                .peer_certificates()
                .unwrap_or_default()
                .iter()
                .map(|c| c.to_vec())
                .collect();
            let mut seen = look(&self.seen);
            (seen.chain, seen.at) = (chain, Some(seen.now));
            seen.objection = Some("not checked again: an earlier session was resumed".into());
            drop(seen);
            self.note_chain();
        }
    }

    pub(super) fn is_resumed(&self) -> bool {
        self.connection.handshake_kind() == Some(HandshakeKind::Resumed)
    }

    fn failure(&self, error: &Error) -> SessionFailure {
        let of = |cause, message: String| SessionFailure::new(cause, message);
        match error {
            Error::AlertReceived(alert) => of(
                FailureCause::Refused,
                format!("the peer refused: {alert:?}"),
            ),
            Error::InvalidCertificate(_) => of(
                FailureCause::Untrusted,
                format!("the certificate is not trusted: {}", words(error)),
            ),
            Error::PeerIncompatible(why) => of(
                FailureCause::Refused,
                format!("no common parameters: {why:?}"),
            ),
            Error::NoApplicationProtocol => of(
                FailureCause::Refused,
                "the peer supports none of the offered protocols".into(),
            ),
            other => of(
                FailureCause::Malformed,
                format!("the peer violates TLS: {other}"),
            ),
        }
    }
}

fn versions(
    asked: &(String, String),
) -> Result<Vec<&'static SupportedProtocolVersion>, SessionFailure> {
    let place = |version: &str| {
        let known = VERSIONS.iter().position(|(word, _)| *word == version);
        known.ok_or_else(|| {
            SessionFailure::new(
                FailureCause::Unsayable,
                format!("TLS version `{version}` is not supported: use \"1.2\" or \"1.3\""),
            )
        })
    };
    let (low, high) = (place(&asked.0)?, place(&asked.1)?);
    let between: Vec<_> = VERSIONS
        .iter()
        .take(high + 1)
        .skip(low)
        .map(|(_, version)| *version)
        .collect();
    match between.is_empty() {
        true => Err(SessionFailure::new(
            FailureCause::Unsayable,
            format!(
                "no TLS version is at least `{}` and at most `{}`: swap them",
                asked.0, asked.1
            ),
        )),
        false => Ok(between),
    }
}

/// Gives `rustls` the time that it was given.
#[derive(Debug, Default)]
struct TlsClock(Mutex<u64>);

impl TlsClock {
    fn set(&self, now: Time) {
        *self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) =
            u64::try_from(now.0 / 1_000_000_000).unwrap_or(0);
    }
}

impl TimeProvider for TlsClock {
    fn current_time(&self) -> Option<UnixTime> {
        let seconds = *self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        Some(UnixTime::since_unix_epoch(core::time::Duration::from_secs(
            seconds,
        )))
    }
}

/// Keeps the secrets for whoever records the run.
#[derive(Default)]
struct Log(Mutex<String>);

impl Log {
    fn lines(&self) -> std::sync::MutexGuard<'_, String> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl core::fmt::Debug for Log {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Log")
    }
}

impl KeyLog for Log {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        let hex = |octets: &[u8]| {
            octets
                .iter()
                .map(|octet| format!("{octet:02x}"))
                .collect::<String>()
        };
        let _ = writeln!(
            self.lines(),
            "{label} {} {}",
            hex(client_random),
            hex(secret)
        );
    }
}
