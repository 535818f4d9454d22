//! Messages in TCP streams: how many bytes the message takes that begins a stream. Each layer that
//! TCP carries says it in one function of its file; nothing here knows a protocol, keeps a stream,
//! or looks at a port unless asked.

use crate::layer::{Layer, NextLayer};
use crate::protocols::{ALL, tcp};
use crate::registry;

/// Bytes of a message that are looked at to its end; of a longer one only the first ones are shown.
pub const MAX_MESSAGE: usize = 1 << 20;

/// What can be said of the message that begins a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// It takes so many bytes, at least one; they need not be there yet.
    Takes(usize),
    /// More bytes are needed to tell.
    More,
    /// It continues to the end of the stream.
    ToEnd,
    /// This is not a message of the layer.
    Foreign,
}

/// Tells of a message that begins with these bytes. Asked again when there are more, with the same
/// scan.
pub type Framer = fn(&mut Scan, &[u8]) -> Framing;

/// What a message is in the talk of both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageTurn {
    /// It wants an answer.
    Asks,
    /// It wants an answer that ends with its head, whatever that says of a body.
    AsksBare,
    /// It is the last answer to a question.
    Answers,
    /// Nothing of these: an answer before the last one.
    Neither,
}

/// How far a message has been looked through, so that no byte is looked at twice however small the
/// pieces are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// The message answers one whose answers end with their head (see [`MessageTurn::AsksBare`]).
    pub(crate) bare: bool,
    pub(crate) at: usize,
    pub(crate) part: ScanPart,
}

impl Scan {
    /// The start of a message; `bare` if it answers one whose answers end with their head.
    pub fn answering(bare: bool) -> Scan {
        Scan {
            bare,
            ..Scan::default()
        }
    }
}

/// Which part of a text message the scan is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ScanPart {
    #[default]
    Start,
    Head,
    Chunks,
    Trailer,
    /// The answer is known: so many bytes, or all.
    Told(Framing),
}

/// The layer that tells where messages of `layer` end in a stream: itself, or the one that only
/// carries it.
pub fn framed_by(layer: &Layer) -> Option<&'static Layer> {
    let framers = || ALL.iter().copied().filter(|row| row.message.is_some());
    framers().find(|row| *row == layer).or_else(|| {
        framers().find(|row| matches!(row.next, NextLayer::Always(next) if next == layer))
    })
}

/// The layer whose messages a stream between these ports carries, by the numbers alone: the
/// destination's first.
pub fn framed_at(source: u16, destination: u16) -> Option<&'static Layer> {
    let of = |port: u16| {
        registry::child(&tcp::LAYER, port.into()).filter(|layer| layer.message.is_some())
    };
    of(destination).or_else(|| of(source))
}

/// The layer of which these first bytes of a stream are a message beyond doubt, whatever its ports.
pub fn framed_by_content(octets: &[u8]) -> Option<&'static Layer> {
    registry::by_content(&tcp::LAYER, octets).filter(|layer| layer.message.is_some())
}

/// A message behind a fixed head with its length: `head` bytes are needed, and `length` tells from
/// them how many the message takes in all, if it can be one.
pub(crate) fn behind_length(
    octets: &[u8],
    head: usize,
    length: fn(&[u8]) -> Option<usize>,
) -> Framing {
    match octets.get(..head).map(length) {
        None => Framing::More,
        Some(Some(takes)) if takes >= head => Framing::Takes(takes),
        Some(_) => Framing::Foreign,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer;
    use crate::protocols::http::framing::MAX_HEAD;
    use Framing::{Foreign, More, Takes, ToEnd};
    use std::vec::Vec;

    /// Asked of the whole, and byte by byte with one scan: the answer for the whole is the same.
    #[track_caller]
    fn check(name: &str, bare: bool, octets: &[u8], wanted: Framing) {
        let frame = layer(name)
            .and_then(|layer| layer.message)
            .expect("a layer with messages");
        assert_eq!(
            frame(&mut Scan::answering(bare), octets),
            wanted,
            "{name} at once"
        );
        let mut scan = Scan::answering(bare);
        let mut told = More;
        for end in 1..=octets.len() {
            let before = core::mem::replace(&mut told, frame(&mut scan, &octets[..end]));
            assert!(
                before == More || before == told,
                "{name}: {before:?}, then {told:?}"
            );
        }
        assert_eq!(told, wanted, "{name} byte by byte");
    }

    #[test]
    fn http_bodies() {
        let rows: &[(&str, Framing)] = &[
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", Takes(27)),
            ("GET / HTTP/1.1\nHost: a\n\n", Takes(24)),
            (
                "POST / HTTP/1.1\r\ncontent-length: 5\r\n\r\nhello",
                Takes(43),
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 70, 70\r\n\r\n",
                Takes(113),
            ),
            ("HTTP/1.1 200 OK\r\nContent-Length: 70, 71\r\n\r\n", ToEnd),
            ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", ToEnd),
            ("HTTP/1.0 200 OK\r\n\r\n", ToEnd),
            (
                "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
                Takes(48),
            ),
            ("HTTP/1.1 100 Continue\r\n\r\n", Takes(25)),
            (
                "HTTP/1.1 200 OK\r\nX: \u{e9}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
                Takes(73),
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nSum: 1\r\n\r\n",
                Takes(72),
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                Foreign,
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
                More,
            ),
            ("HTTP/1.1 200 OK\r\nContent-Le", More),
            ("SSH-2.0-x\r\n", Foreign),
            ("get / HTTP/1.1\r\n", Foreign),
            ("\u{16}\u{3}\u{1}", Foreign),
        ];
        for (octets, wanted) in rows {
            check("HTTP", false, octets.as_bytes(), *wanted);
        }
        check(
            "HTTP",
            true,
            b"HTTP/1.1 200 OK\r\nContent-Length: 70\r\n\r\n",
            Takes(39),
        );
        check("HTTP", false, &[b'G'; 9000], Foreign);
        check(
            "HTTP",
            false,
            &[b"GET / HTTP/1.1\r\n".as_slice(), &[b'a'; MAX_HEAD]].concat(),
            Foreign,
        );
    }

    #[test]
    fn counted_messages() {
        check("DNSTCP", false, &[0, 12], Takes(14));
        check("DNSTCP", false, &[0, 11], Foreign);
        check("DNSTCP", false, &[1], More);
        check("TLS", false, &[22, 3, 1, 0x10, 0], Takes(5 + 0x1000));
        check("TLS", false, &[22, 3, 1, 0x48, 1], Foreign);
        check("TLS", false, &[22, 3, 1, 0], More);
        check("TLS", false, b"GET", Foreign);
        check(
            "BGP",
            false,
            &[&[0xff; 16][..], &[0, 29, 1]].concat(),
            Takes(29),
        );
        check(
            "BGP",
            false,
            &[&[0xff; 16][..], &[0, 18, 4]].concat(),
            Foreign,
        );
        check("BGP", false, &[0xff; 17], More);
        check(
            "SIP",
            false,
            b"OPTIONS sip:a SIP/2.0\r\nl: 3\r\n\r\nabc",
            Takes(34),
        );
        check("SIP", false, b"SIP/2.0 200 OK\r\n\r\n", Takes(18));
    }

    #[test]
    fn every_layer_on_tcp_tells_where_its_messages_end() {
        let on_tcp = ALL
            .iter()
            .filter(|layer| layer.under.iter().any(|row| row.parent == "TCP"));
        let silent: Vec<&str> = on_tcp
            .filter(|layer| layer.message.is_none())
            .map(|layer| layer.name)
            .collect();
        assert!(silent.is_empty(), "give these a `message`: {silent:?}");
    }

    #[test]
    fn who_frames_what() {
        let rows = [
            ("DNS", Some("DNSTCP")),
            ("DNSTCP", Some("DNSTCP")),
            ("TLS", Some("TLS")),
            ("HTTP", Some("HTTP")),
            ("NTP", None),
            ("Bytes", None),
        ];
        for (name, wanted) in rows {
            assert_eq!(
                framed_by(layer(name).expect("a layer")).map(|layer| layer.name),
                wanted,
                "{name}"
            );
        }
        let ports = [
            ((50000, 53), Some("DNSTCP")),
            ((443, 50000), Some("TLS")),
            ((50000, 50001), None),
            ((80, 443), Some("TLS")),
        ];
        for ((source, destination), wanted) in ports {
            assert_eq!(
                framed_at(source, destination).map(|layer| layer.name),
                wanted,
                "{source} {destination}"
            );
        }
    }
}
