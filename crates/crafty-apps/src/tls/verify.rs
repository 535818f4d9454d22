//! Checks a chain against the roots that browsers trust, records it and the result, and accepts it
//! unless `verify` is set.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{ResolvesClientCert, WebPkiServerVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::sign::CertifiedKey;
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::sync::{Arc, Mutex, MutexGuard};

/// What was seen of a server's certificates.
#[derive(Debug, Default)]
pub struct SeenCertificates {
    /// As sent, the server's own first.
    pub chain: Vec<Vec<u8>>,
    /// Why it is not to be trusted; none if it is.
    pub objection: Option<String>,
    /// Whether an objection ends the session.
    pub enforce: bool,
    /// Nanoseconds of the moment at which they came; set by whoever hands bytes in.
    pub now: i64,
    pub at: Option<i64>,
}

/// Shared with the session that asks for it.
pub type SharedCertificates = Arc<Mutex<SeenCertificates>>;

/// Looks at what was seen; a panic elsewhere takes nothing away from it.
pub fn look(seen: &SharedCertificates) -> MutexGuard<'_, SeenCertificates> {
    seen.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Judges, records, and objects only if told to. All sessions that may take up one another have the
/// same one (`rustls` sees to it), which looks after one of them at a time.
#[derive(Debug)]
pub struct Recorder {
    /// None if there are no roots: then nobody is trusted.
    judge: Option<Arc<WebPkiServerVerifier>>,
    attended: Mutex<SharedCertificates>,
}

impl Recorder {
    /// One that trusts `roots`.
    pub fn new(roots: RootCertStore, provider: Arc<CryptoProvider>) -> Recorder {
        let judge = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
            .build()
            .ok();
        Recorder {
            judge,
            attended: Mutex::default(),
        }
    }

    /// From now on it writes into `seen`.
    pub fn attend(&self, seen: &SharedCertificates) {
        *self
            .attended
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = Arc::clone(seen);
    }

    fn seen(&self) -> SharedCertificates {
        Arc::clone(
            &self
                .attended
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner),
        )
    }

    fn ask<T>(
        &self,
        question: impl FnOnce(&WebPkiServerVerifier) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.judge
            .as_ref()
            .map_or(Err(CertificateError::UnknownIssuer.into()), |judge| {
                question(judge)
            })
    }

    /// Remembers an objection, the first one; passes it on if it counts.
    fn note<T>(&self, verdict: Result<T, Error>, otherwise: T) -> Result<T, Error> {
        let Err(error) = verdict else { return verdict };
        let seen = self.seen();
        let mut seen = look(&seen);
        seen.objection.get_or_insert_with(|| words(&error));
        if seen.enforce {
            Err(error)
        } else {
            Ok(otherwise)
        }
    }
}

/// No client of ours has a certificate.
#[derive(Debug)]
pub struct Nameless;

impl ResolvesClientCert for Nameless {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        None
    }

    fn has_certs(&self) -> bool {
        false
    }
}

impl ServerCertVerifier for Recorder {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let attended = self.seen();
        let mut seen = look(&attended);
        seen.chain = [end_entity]
            .into_iter()
            .chain(intermediates)
            .map(|c| c.to_vec())
            .collect();
        seen.at = Some(seen.now);
        drop(seen);
        let verdict = self.ask(|judge| {
            judge.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
        });
        self.note(verdict, ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.note(
            self.ask(|judge| judge.verify_tls12_signature(message, cert, dss)),
            HandshakeSignatureValid::assertion(),
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.note(
            self.ask(|judge| judge.verify_tls13_signature(message, cert, dss)),
            HandshakeSignatureValid::assertion(),
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.judge
            .as_ref()
            .map_or_else(Vec::new, |judge| judge.supported_verify_schemes())
    }
}

/// An objection in few words.
pub fn words(error: &Error) -> String {
    let Error::InvalidCertificate(why) = error else {
        return error.to_string();
    };
    match why {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "expired".into(),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "not valid yet".into()
        }
        CertificateError::UnknownIssuer => "unknown issuer".into(),
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "issued for other names".into()
        }
        CertificateError::BadSignature => "the signature is wrong".into(),
        CertificateError::BadEncoding => "cannot be read".into(),
        CertificateError::Revoked => "revoked".into(),
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "issued for another purpose".into()
        }
        CertificateError::Other(other) => in_words(&other.to_string()),
        other => other.to_string(),
    }
}

/// `CaUsedAsEndEntity` as `ca used as end entity`.
fn in_words(name: &str) -> String {
    let apart = |c: char| {
        if c.is_ascii_uppercase() {
            vec![' ', c.to_ascii_lowercase()]
        } else {
            vec![c]
        }
    };
    name.chars()
        .flat_map(apart)
        .collect::<String>()
        .trim_start()
        .to_string()
}
