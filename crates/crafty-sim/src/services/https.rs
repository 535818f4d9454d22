//! HTTP over TLS (RFC 9110 §4.2.2): the pages of `http`, under a certificate for www.example.com
//! that its server signed itself. It is valid from the beginning of the lab's time for 90 days.
//! `rustls` draws its keys from the system: bytes differ from run to run, lengths and times do not.

use super::{Answer, Service, ServiceConnection, http};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::NoServerSessionStorage;
use rustls::time_provider::TimeProvider;
use rustls::{ServerConfig, ServerConnection};
use std::io::{Read, Write};
use std::sync::Arc;

pub static SERVICE: Service = Service {
    name: "https",
    answer: Answer::Tcp(serve),
};

const CERTIFICATE: &[u8] = include_bytes!("certificate/demo.der");
const KEY: &[u8] = include_bytes!("certificate/demo.key.der");
/// Bytes that a connection may have to say before it is heard further.
const MOST: usize = 4 << 20;

/// A connection with the pages' service behind it.
pub struct Sealed {
    connection: ServerConnection,
    pages: ServiceConnection,
}

impl core::fmt::Debug for Sealed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Sealed")
    }
}

impl Sealed {
    fn new() -> Option<Sealed> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::try_from(KEY).ok()?.clone_key();
        let builder = ServerConfig::builder_with_details(provider, Arc::new(Beginning))
            .with_safe_default_protocol_versions()
            .ok()?;
        let mut config = builder
            .with_no_client_auth()
            .with_single_cert(vec![CertificateDer::from(CERTIFICATE)], key)
            .ok()?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        let mut connection = ServerConnection::new(Arc::new(config)).ok()?;
        connection.set_buffer_limit(Some(MOST));
        Some(Sealed {
            connection,
            pages: ServiceConnection::default(),
        })
    }

    /// Takes bytes of the stream; whether they were TLS.
    fn hear(&mut self, octets: &[u8]) -> bool {
        let mut rest = octets;
        while !rest.is_empty() && self.connection.read_tls(&mut rest).is_ok_and(|n| n > 0) {
            let Ok(state) = self.connection.process_new_packets() else {
                return false;
            };
            let mut clear = vec![0; state.plaintext_bytes_to_read()];
            let read = self.connection.reader().read(&mut clear).unwrap_or(0);
            self.pages.heard.extend_from_slice(&clear[..read]);
        }
        true
    }

    fn answer(&mut self) {
        http::serve(&mut self.pages);
        let said = self
            .connection
            .writer()
            .write(&self.pages.to_say)
            .unwrap_or(0);
        self.pages.to_say.drain(..said);
        if self.pages.done && self.pages.to_say.is_empty() {
            self.connection.send_close_notify();
        }
    }
}

/// The time at which the lab begins; nothing of the server depends on a later one.
#[derive(Debug)]
struct Beginning;

impl TimeProvider for Beginning {
    fn current_time(&self) -> Option<rustls::pki_types::UnixTime> {
        Some(rustls::pki_types::UnixTime::since_unix_epoch(
            core::time::Duration::ZERO,
        ))
    }
}

fn serve(talk: &mut ServiceConnection) {
    let heard = core::mem::take(&mut talk.heard);
    let Some(mut sealed) = talk.sealed.take().or_else(|| Sealed::new().map(Box::new)) else {
        talk.done = true;
        return;
    };
    let understood = sealed.hear(&heard);
    sealed.answer();
    while sealed.connection.wants_write()
        && sealed
            .connection
            .write_tls(&mut talk.to_say)
            .is_ok_and(|n| n > 0)
    {}
    talk.done = !understood || sealed.pages.done;
    talk.sealed = Some(sealed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_tls_ends_with_an_alert() {
        let mut talk = ServiceConnection {
            heard: b"GET / HTTP/1.1\r\n\r\n".to_vec(),
            ..ServiceConnection::default()
        };
        serve(&mut talk);
        assert!(
            talk.done && talk.to_say.starts_with(&[21, 3]),
            "{:?}",
            talk.to_say
        );
    }

    #[test]
    fn half_a_hello_is_waited_for() {
        let mut talk = ServiceConnection {
            heard: vec![22, 3, 1, 1, 0, 1],
            ..ServiceConnection::default()
        };
        serve(&mut talk);
        assert!(!talk.done && talk.to_say.is_empty() && talk.sealed.is_some());
    }
}
