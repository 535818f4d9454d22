//! Against a server of `rustls`' own, with certificates that `openssl` made: a root, a leaf for
//! example.org, one that ended in 1971.

use super::*;
use crate::failure::FailureCause;
use crafty_value::{Time, Value};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{RootCertStore, ServerConfig, ServerConnection};
use std::io::{Read, Write};
use std::sync::Arc;

const ROOT: &[u8] = include_bytes!("fixtures/root.der");
const LEAF: &[u8] = include_bytes!("fixtures/leaf.der");
const LEAF_KEY: &[u8] = include_bytes!("fixtures/leaf.key.der");
const RSA: &[u8] = include_bytes!("fixtures/rsa.der");

fn ask(sni: &str) -> TlsRequest {
    let versions = ("1.2".into(), "1.3".into());
    TlsRequest {
        sni: sni.into(),
        alpn: vec!["h2".into(), "http/1.1".into()],
        versions,
        verify: false,
        resume: false,
        sessions: SessionCache::trusting(roots()),
        timeout: Duration::seconds(5),
    }
}

fn roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(ROOT)).expect("a root");
    roots
}

fn server(
    versions: &[&'static rustls::SupportedProtocolVersion],
    alpn: &[&str],
) -> ServerConnection {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivateKeyDer::try_from(LEAF_KEY.to_vec()).expect("a key");
    let chain = vec![CertificateDer::from(LEAF), CertificateDer::from(ROOT)];
    let config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .expect("versions");
    let mut config = config
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .expect("a certificate");
    config.alpn_protocols = alpn.iter().map(|p| p.as_bytes().to_vec()).collect();
    ServerConnection::new(Arc::new(config)).expect("a server")
}

/// Lets both talk, a millisecond a flight, until neither has anything to say; what the client heard
/// in the clear.
fn talk(
    client: &mut TlsClient,
    server: &mut ServerConnection,
) -> Result<Vec<u8>, crate::SessionFailure> {
    let (mut now, mut clear) = (Time(0), Vec::new());
    client.handle_up(now);
    for _ in 0..20 {
        now = now.after(Duration::millis(1));
        while let Some(octets) = client.poll_transmit() {
            let mut rest = octets.as_slice();
            while !rest.is_empty() && server.read_tls(&mut rest).is_ok_and(|n| n > 0) {
                let _ = server.process_new_packets();
            }
        }
        let mut answer = Vec::new();
        while server.wants_write() && server.write_tls(&mut answer).is_ok_and(|n| n > 0) {}
        clear.extend(client.handle_data(now, &answer)?);
    }
    Ok(clear)
}

fn texts(client: &TlsClient, names: &[&str]) -> Vec<String> {
    names
        .iter()
        .map(|name| {
            client
                .counter(name)
                .map_or("absent".into(), |v| crate::tls::tests::shown(&v))
        })
        .collect()
}

fn shown(value: &Value) -> String {
    match value {
        Value::Str(text) => text.to_string(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(" | "),
        Value::Duration(d) => d.to_string(),
        Value::Bytes(octets) => octets.iter().take(4).map(|o| format!("{o:02x}")).collect(),
        other => format!("{other:?}"),
    }
}

#[test]
fn a_session_tells_what_was_agreed_and_shown() {
    let mut client = TlsClient::new(ask("example.org")).expect("a session");
    let mut server = server(&[&rustls::version::TLS13], &["http/1.1"]);
    server.writer().write_all(b"hello").expect("room");
    assert_eq!(
        talk(&mut client, &mut server).expect("no failure"),
        b"hello"
    );
    let told = [
        "version",
        "cipher",
        "group",
        "alpn",
        "verified",
        "verify_error",
        "subject",
        "issuer",
        "names",
        "key",
        "signature",
        "self_signed",
    ];
    let wanted = [
        "1.3",
        "TLS_AES_256_GCM_SHA384",
        "x25519",
        "http/1.1",
        "Bool(true)",
        "",
        "CN=example.org, O=Example",
        "CN=Example Root, O=Example\\, Roots, C=GB",
        "example.org | *.example.org | 192.0.2.80 | 2001:db8:80::80",
        "ec p256",
        "ecdsa sha256",
        "Bool(false)",
    ];
    assert_eq!(texts(&client, &told), wanted);
    let told = [
        "chain",
        "chain_length",
        "sha256",
        "serial",
        "not_before",
        "server_hello",
        "certificate",
        "handshake",
    ];
    let wanted = [
        "CN=example.org, O=Example | CN=Example Root, O=Example\\, Roots, C=GB",
        "Int(2)",
        "93322dfe",
        "1001",
        "Time(Time(0))",
        "1ms",
        "1ms",
        "1ms",
    ];
    assert_eq!(texts(&client, &told), wanted);
    assert!(client.is_up() && client.poll_timeout().is_none());
    let secrets = client.secrets();
    assert!(
        secrets
            .lines()
            .any(|l| l.starts_with("CLIENT_HANDSHAKE_TRAFFIC_SECRET ")),
        "{secrets}"
    );
    assert_eq!(client.secrets(), "", "told once");
}

#[test]
fn both_versions_and_what_the_program_says() {
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let mut client = TlsClient::new(ask("example.org")).expect("a session");
        let mut server = server(&[version], &["h2"]);
        talk(&mut client, &mut server).expect("no failure");
        client.send(&[b'x'; 200_000]);
        client.close();
        let octets = client.poll_transmit().expect("bytes");
        let (mut rest, mut heard) = (octets.as_slice(), Vec::new());
        while !rest.is_empty() && server.read_tls(&mut rest).is_ok_and(|n| n > 0) {
            let state = server.process_new_packets().expect("records");
            let mut part = vec![0; state.plaintext_bytes_to_read()];
            let n = server.reader().read(&mut part).unwrap_or(0);
            heard.extend_from_slice(&part[..n]);
        }
        assert_eq!(
            (heard.len(), heard.iter().all(|o| *o == b'x')),
            (200_000, true),
            "{version:?}"
        );
    }
}

#[test]
fn a_chain_is_judged_and_passes_unless_it_must_not() {
    let rows = [
        ("example.org", roots(), ""),
        ("other.example", roots(), "issued for other names"),
        (
            "example.org",
            RootCertStore {
                roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
            },
            "unknown issuer",
        ),
    ];
    for (name, roots, objection) in rows {
        for verify in [false, true] {
            let mut client = TlsClient::new(TlsRequest {
                verify,
                sessions: SessionCache::trusting(roots.clone()),
                ..ask(name)
            })
            .expect("a session");
            let outcome = talk(&mut client, &mut server(rustls::ALL_VERSIONS, &["h2"]));
            assert_eq!(texts(&client, &["verify_error"]), [objection]);
            match (verify, objection) {
                (true, "issued for other names" | "unknown issuer") => {
                    assert_eq!(
                        outcome.expect_err("untrusted").cause,
                        FailureCause::Untrusted
                    )
                }
                _ => assert!(outcome.is_ok() && client.is_up(), "{outcome:?}"),
            }
        }
    }
}

#[test]
fn a_session_is_taken_up_again_if_both_want_it() {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivateKeyDer::try_from(LEAF_KEY.to_vec()).expect("a key");
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions");
    let config = config
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(LEAF)], key)
        .expect("a certificate");
    let config = Arc::new(config);
    let sessions = SessionCache::trusting(roots());
    for (resume, wanted) in [(false, false), (true, false), (true, true), (false, false)] {
        let ask = TlsRequest {
            resume,
            sessions: sessions.clone(),
            alpn: Vec::new(),
            ..ask("example.org")
        };
        let mut client = TlsClient::new(ask).expect("a session");
        let mut server = ServerConnection::new(Arc::clone(&config)).expect("a server");
        talk(&mut client, &mut server).expect("no failure");
        assert_eq!(client.counter("resumed"), Some(Value::Bool(wanted)));
        assert_eq!(
            texts(&client, &["subject", "chain_length"]),
            ["CN=example.org, O=Example", "Int(1)"]
        );
    }
}

#[test]
fn what_cannot_be_agreed_is_refused() {
    let mut client = TlsClient::new(TlsRequest {
        versions: ("1.3".into(), "1.3".into()),
        ..ask("example.org")
    })
    .expect("a session");
    assert_eq!(
        talk(&mut client, &mut server(&[&rustls::version::TLS12], &[]))
            .expect_err("no version")
            .cause,
        FailureCause::Refused
    );
    let mut client = TlsClient::new(ask("example.org")).expect("a session");
    assert_eq!(
        talk(&mut client, &mut server(rustls::ALL_VERSIONS, &["ftp"]))
            .expect_err("no protocol")
            .cause,
        FailureCause::Refused
    );
}

#[test]
fn what_cannot_be_said_is_refused_before_it_is() {
    let asks = [
        TlsRequest {
            versions: ("1.0".into(), "1.3".into()),
            ..ask("a")
        },
        TlsRequest {
            versions: ("1.3".into(), "1.2".into()),
            ..ask("a")
        },
        TlsRequest {
            alpn: vec![String::new()],
            ..ask("a")
        },
        ask("a b"),
        ask(""),
    ];
    for ask in asks {
        assert_eq!(
            TlsClient::new(ask.clone()).expect_err("unsayable").cause,
            FailureCause::Unsayable,
            "{ask:?}"
        );
    }
}

#[test]
fn hostile_peers_end_the_session() {
    let rows: &[(&[u8], FailureCause)] = &[
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", FailureCause::Malformed),
        (&[22, 3, 3, 255, 255], FailureCause::Malformed),
        (&[22, 3, 3, 0, 4, 2, 255, 255, 255], FailureCause::Malformed),
        (&[21, 3, 3, 0, 2, 2, 40], FailureCause::Refused),
    ];
    for (octets, cause) in rows {
        let mut client = TlsClient::new(ask("example.org")).expect("a session");
        client.handle_up(Time(0));
        let outcome = client
            .handle_data(Time(1), octets)
            .and_then(|_| client.handle_data(Time(2), &[0; 70_000]));
        assert_eq!(outcome.expect_err("a failure").cause, *cause, "{octets:?}");
    }
    let mut client = TlsClient::new(ask("example.org")).expect("a session");
    client.handle_up(Time(0));
    assert_eq!(
        client.handle_end().expect_err("too early").cause,
        FailureCause::Closed
    );
    assert_eq!(
        client
            .handle_timeout(Time(0).after(Duration::seconds(5)))
            .expect_err("late")
            .cause,
        FailureCause::Timeout
    );
}

#[test]
fn certificates_in_words() {
    let rsa = super::certificate::Certificate::read(RSA).expect("a certificate");
    assert_eq!(
        (rsa.key.as_str(), rsa.subject.as_str(), rsa.not_after),
        ("rsa 2048", "CN=old.example", Some(365 * 86_400))
    );
    let root = super::certificate::Certificate::read(ROOT).expect("a certificate");
    assert!(root.self_issued && root.names.is_empty());
}

/// Every byte of a certificate changed, and every beginning of it: nothing upsets the reader.
#[test]
fn broken_certificates_are_read_as_far_as_they_go() {
    for original in [LEAF, ROOT, RSA] {
        for at in 0..original.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut octets = original.to_vec();
                octets[at] ^= change;
                let _ = super::certificate::Certificate::read(&octets);
            }
            let _ = super::certificate::Certificate::read(&original[..at]);
        }
    }
}

/// A server's flight with a few bytes changed, cut or doubled: the session ends or continues, and
/// says what it can.
#[test]
fn a_broken_flight_upsets_nothing() {
    let mut seed = 7_u64;
    let mut draw = |most: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % most
    };
    let (mut up, mut failed) = (0, 0);
    for n in 0..150 {
        let versions: &[_] = if n % 2 == 0 {
            &[&rustls::version::TLS12]
        } else {
            &[&rustls::version::TLS13]
        };
        let (mut client, mut server) = (
            TlsClient::new(ask("example.org")).expect("a session"),
            server(versions, &["h2"]),
        );
        client.handle_up(Time(0));
        let hello = client.poll_transmit().expect("a hello");
        server.read_tls(&mut hello.as_slice()).expect("room");
        server.process_new_packets().expect("a hello");
        let mut flight = Vec::new();
        while server.wants_write() && server.write_tls(&mut flight).is_ok_and(|n| n > 0) {}
        for _ in 0..draw(3) {
            let at = draw(flight.len());
            match draw(3) {
                0 => flight[at] ^= 1 << draw(8),
                1 => flight.truncate(at.max(1)),
                _ => flight.extend_from_within(at..),
            }
        }
        let outcome = flight
            .chunks(1 + draw(700))
            .try_for_each(|part| client.handle_data(Time(1), part).map(drop));
        COUNTERS.iter().for_each(|c| drop(client.counter(c.name)));
        let _ = client.poll_transmit();
        up += u32::from(client.is_up());
        failed += u32::from(outcome.is_err());
    }
    assert!(
        up > 0 && failed > 20,
        "{up} came up, {failed} failed: the changes change too little"
    );
}
