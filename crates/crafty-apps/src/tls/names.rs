//! Object identifiers of certificates, with the words that people use for them.

/// Parts of a name (RFC 4514 §3, RFC 4519).
const PARTS: &[(&str, &str)] = &[
    ("2.5.4.3", "CN"),
    ("2.5.4.5", "serialNumber"),
    ("2.5.4.6", "C"),
    ("2.5.4.7", "L"),
    ("2.5.4.8", "ST"),
    ("2.5.4.9", "STREET"),
    ("2.5.4.10", "O"),
    ("2.5.4.11", "OU"),
    ("0.9.2342.19200300.100.1.25", "DC"),
    ("0.9.2342.19200300.100.1.1", "UID"),
    ("1.2.840.113549.1.9.1", "emailAddress"),
];

/// Kinds of keys (RFC 8017, RFC 5480, RFC 8410).
const KEYS: &[(&str, &str)] = &[
    ("1.2.840.113549.1.1.1", "rsa"),
    ("1.2.840.113549.1.1.10", "rsa-pss"),
    ("1.2.840.10045.2.1", "ec"),
    ("1.2.840.10040.4.1", "dsa"),
    ("1.3.101.112", "ed25519"),
    ("1.3.101.113", "ed448"),
];

/// Curves (RFC 5480 §2.1.1.1).
const CURVES: &[(&str, &str)] = &[
    ("1.2.840.10045.3.1.7", "p256"),
    ("1.3.132.0.34", "p384"),
    ("1.3.132.0.35", "p521"),
    ("1.3.132.0.10", "k256"),
];

/// How a certificate is signed.
const SIGNATURES: &[(&str, &str)] = &[
    ("1.2.840.113549.1.1.4", "rsa md5"),
    ("1.2.840.113549.1.1.5", "rsa sha1"),
    ("1.2.840.113549.1.1.10", "rsa-pss"),
    ("1.2.840.113549.1.1.11", "rsa sha256"),
    ("1.2.840.113549.1.1.12", "rsa sha384"),
    ("1.2.840.113549.1.1.13", "rsa sha512"),
    ("1.2.840.10045.4.1", "ecdsa sha1"),
    ("1.2.840.10045.4.3.2", "ecdsa sha256"),
    ("1.2.840.10045.4.3.3", "ecdsa sha384"),
    ("1.2.840.10045.4.3.4", "ecdsa sha512"),
    ("1.3.101.112", "ed25519"),
    ("1.3.101.113", "ed448"),
];

pub fn part(oid: String) -> String {
    word(PARTS, oid)
}

pub fn key(oid: String) -> String {
    word(KEYS, oid)
}

pub fn curve(oid: String) -> String {
    word(CURVES, oid)
}

pub fn signature(oid: String) -> String {
    word(SIGNATURES, oid)
}

/// What has no word keeps its numbers.
fn word(table: &[(&str, &str)], oid: String) -> String {
    table
        .iter()
        .find(|(number, _)| *number == oid)
        .map_or(oid, |(_, word)| (*word).to_string())
}
