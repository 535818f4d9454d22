//! DNS (RFC 1035): answers for `example.com` and its names, over UDP and TCP. Refuses to look
//! further.

use super::{Answer, Service, ServiceConnection};
use crate::packet::{octets, u16_at};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub static OVER_UDP: Service = Service {
    name: "dns",
    answer: Answer::Udp(|query| answer(query, udp_room(query))),
};
pub static OVER_TCP: Service = Service {
    name: "dns",
    answer: Answer::Tcp(serve),
};

/// Seconds for which an answer may be kept.
const TTL: u32 = 300;
/// Bytes of an answer over UDP, if the asker names no more (RFC 1035 §4.2.1).
const PLAIN_ROOM: usize = 512;
/// Most bytes of an answer over UDP (DNS flag day 2020).
const MOST_ROOM: usize = 1232;
const ZONE: &str = "example.com";

/// Data of a record.
enum Data {
    A(Ipv4Addr),
    Aaaa(Ipv6Addr),
    Cname(&'static str),
    Mx(u16, &'static str),
    Ns(&'static str),
    /// Strings of at most 255 bytes each.
    Txt(&'static [&'static str]),
    Soa,
}

static RECORDS: &[(&str, Data)] = &[
    ("example.com", Data::Soa),
    ("example.com", Data::Ns("ns.example.com")),
    ("example.com", Data::A(Ipv4Addr::new(192, 0, 2, 80))),
    (
        "example.com",
        Data::Aaaa(Ipv6Addr::new(0x2001, 0xdb8, 0x80, 0, 0, 0, 0, 0x80)),
    ),
    ("example.com", Data::Mx(10, "mail.example.com")),
    ("example.com", Data::Txt(&["v=spf1 -all"])),
    ("ns.example.com", Data::A(Ipv4Addr::new(198, 51, 100, 53))),
    (
        "ns.example.com",
        Data::Aaaa(Ipv6Addr::new(0x2001, 0xdb8, 0x53, 0, 0, 0, 0, 0x53)),
    ),
    ("mail.example.com", Data::A(Ipv4Addr::new(192, 0, 2, 25))),
    ("www.example.com", Data::A(Ipv4Addr::new(192, 0, 2, 80))),
    (
        "www.example.com",
        Data::Aaaa(Ipv6Addr::new(0x2001, 0xdb8, 0x80, 0, 0, 0, 0, 0x80)),
    ),
    ("web.example.com", Data::Cname("www.example.com")),
    (
        "files.example.com",
        Data::A(Ipv4Addr::new(198, 51, 100, 80)),
    ),
    (
        "files.example.com",
        Data::Aaaa(Ipv6Addr::new(0x2001, 0xdb8, 0x53, 0, 0, 0, 0, 0x80)),
    ),
    ("target.example.com", Data::A(Ipv4Addr::new(192, 0, 2, 1))),
    (
        "target.example.com",
        Data::Aaaa(Ipv6Addr::new(0x2001, 0xdb8, 0x80, 0, 0, 0, 0, 1)),
    ),
    ("office.example.com", Data::A(Ipv4Addr::new(10, 100, 0, 50))),
    (
        "office.example.com",
        Data::Aaaa(Ipv6Addr::new(0x2001, 0xdb8, 0x100, 0, 0, 0, 0, 0x50)),
    ),
    (
        "big.example.com",
        Data::Txt(&[LINE, LINE, LINE, LINE, LINE, LINE, LINE, LINE]),
    ),
];

const LINE: &str = "a long text, so that the answer does not fit into 512 bytes: it comes cut off, with the TC bit, unless one asks with EDNS or over TCP";

/// A query that was understood.
struct Query {
    id: [u8; 2],
    recursion_desired: bool,
    /// Lower case, without the final dot.
    name: String,
    kind: u16,
    /// The question's bytes.
    question: Vec<u8>,
    edns: bool,
}

impl Data {
    fn kind(&self) -> u16 {
        match self {
            Data::A(_) => 1,
            Data::Ns(_) => 2,
            Data::Cname(_) => 5,
            Data::Soa => 6,
            Data::Mx(..) => 15,
            Data::Txt(_) => 16,
            Data::Aaaa(_) => 28,
        }
    }

    fn octets(&self) -> Vec<u8> {
        match self {
            Data::A(address) => address.octets().to_vec(),
            Data::Aaaa(address) => address.octets().to_vec(),
            Data::Cname(name) | Data::Ns(name) => wire_name(name),
            Data::Mx(preference, name) => {
                [&preference.to_be_bytes()[..], &wire_name(name)].concat()
            }
            Data::Txt(strings) => strings
                .iter()
                .flat_map(|text| [&[text.len() as u8][..], text.as_bytes()].concat())
                .collect(),
            Data::Soa => soa(),
        }
    }
}

/// The start of the zone: serial, refresh, retry, expire, time for which absence may be kept (RFC
/// 2308 §4).
fn soa() -> Vec<u8> {
    let numbers = [1_u32, 7200, 900, 1_209_600, 300]
        .map(u32::to_be_bytes)
        .concat();
    [
        wire_name("ns.example.com"),
        wire_name("hostmaster.example.com"),
        numbers,
    ]
    .concat()
}

/// Answers over TCP: each message behind its length (RFC 1035 §4.2.2).
fn serve(talk: &mut ServiceConnection) {
    while let Some(length) = u16_at(&talk.heard, 0)
        .map(usize::from)
        .filter(|length| talk.heard.len() >= 2 + length)
    {
        let query: Vec<u8> = talk.heard.drain(..2 + length).skip(2).collect();
        if let Some(reply) = answer(&query, usize::from(u16::MAX)) {
            talk.to_say.extend((reply.len() as u16).to_be_bytes());
            talk.to_say.extend(reply);
        }
    }
}

/// The answer to a query, cut to `room` bytes; nothing for what is not one.
fn answer(query: &[u8], room: usize) -> Option<Vec<u8>> {
    let header: [u8; 12] = octets(query, 0)?;
    if header[2] & 0x80 != 0 {
        return None;
    }
    let Some(query) = read(query) else {
        return Some(respond(&refused_query(&header), 1, &[], &[]));
    };
    let (code, answers, authority) = look_up(&query);
    let whole = respond(&query, code, &answers, &authority);
    if whole.len() <= room {
        return Some(whole);
    }
    let mut cut = respond(&query, code, &[], &[]);
    cut[2] |= 2;
    Some(cut)
}

fn refused_query(header: &[u8; 12]) -> Query {
    Query {
        id: [header[0], header[1]],
        recursion_desired: header[2] & 1 != 0,
        name: String::new(),
        kind: 0,
        question: Vec::new(),
        edns: false,
    }
}

/// Records as bytes, ready to be put into an answer.
type Records = Vec<Vec<u8>>;

/// Response code, answers and authority (RFC 1034 §4.3.2).
fn look_up(query: &Query) -> (u8, Records, Records) {
    if let Some(address) = reverse_name(&query.name) {
        return look_back(query, address);
    }
    if query.name != ZONE && !query.name.ends_with(".example.com") {
        return (5, vec![], vec![]);
    }
    let mut name = query.name.as_str();
    let mut answers = Vec::new();
    // A name that is another's alias brings one step; there are no chains in the zone.
    if let Some((owner, alias)) = RECORDS.iter().find_map(|(owner, data)| match data {
        Data::Cname(to) if *owner == name && query.kind != 5 => Some((*owner, *to)),
        _ => None,
    }) {
        answers.push(record(query, owner, 5, &wire_name(alias)));
        name = alias;
    }
    let held = || RECORDS.iter().filter(|(owner, _)| *owner == name);
    answers.extend(
        held()
            .filter(|it| query.kind == 255 || it.1.kind() == query.kind)
            .map(|it| record(query, it.0, it.1.kind(), &it.1.octets())),
    );
    let code = if held().next().is_some() { 0 } else { 3 };
    let authority = if answers.is_empty() {
        vec![record(query, ZONE, 6, &soa())]
    } else {
        vec![]
    };
    (code, answers, authority)
}

/// The name of an address, from the records that lead to it.
fn look_back(query: &Query, address: IpAddr) -> (u8, Records, Records) {
    let leads = |data: &Data| match (data, address) {
        (Data::A(it), IpAddr::V4(address)) => *it == address,
        (Data::Aaaa(it), IpAddr::V6(address)) => *it == address,
        _ => false,
    };
    let owner = RECORDS
        .iter()
        .find(|(owner, data)| *owner != ZONE && leads(data))
        .map(|(owner, _)| *owner);
    match owner {
        Some(owner) if matches!(query.kind, 12 | 255) => (
            0,
            vec![record(query, &query.name, 12, &wire_name(owner))],
            vec![],
        ),
        Some(_) => (0, vec![], vec![]),
        None => (3, vec![], vec![]),
    }
}

/// The address that a name under `in-addr.arpa` or `ip6.arpa` stands for (RFC 1035 §3.5, RFC 3596
/// §2.5).
fn reverse_name(name: &str) -> Option<IpAddr> {
    if let Some(digits) = name.strip_suffix(".in-addr.arpa") {
        let parts: Vec<&str> = digits.rsplit('.').collect();
        return parts.join(".").parse::<Ipv4Addr>().ok().map(IpAddr::V4);
    }
    let nibbles: Vec<&str> = name.strip_suffix(".ip6.arpa")?.rsplit('.').collect();
    let is_whole = nibbles.len() == 32 && nibbles.iter().all(|nibble| nibble.len() == 1);
    is_whole.then(|| {
        u128::from_str_radix(&nibbles.concat(), 16)
            .ok()
            .map(|bits| IpAddr::V6(bits.into()))
    })?
}

fn respond(query: &Query, code: u8, answers: &[Vec<u8>], authority: &[Vec<u8>]) -> Vec<u8> {
    let count = |records: usize| (records as u16).to_be_bytes();
    let authoritative = if code == 5 || code == 1 { 0x80 } else { 0x84 };
    let mut message = query.id.to_vec();
    message.extend([authoritative | u8::from(query.recursion_desired), code]);
    message.extend(count(usize::from(!query.question.is_empty())));
    message.extend(count(answers.len()));
    message.extend(count(authority.len()));
    message.extend(count(usize::from(query.edns)));
    message.extend(&query.question);
    message.extend(answers.concat());
    message.extend(authority.concat());
    if query.edns {
        // RFC 6891 §6.1.2: the root's name, type 41, room, nothing extended.
        message.extend([0, 0, 41]);
        message.extend((MOST_ROOM as u16).to_be_bytes());
        message.extend([0; 6]);
    }
    message
}

/// A record. Its owner is pointed at where it is in the question (RFC 1035 §4.1.4), else written
/// out.
fn record(query: &Query, owner: &str, kind: u16, data: &[u8]) -> Vec<u8> {
    let mut bytes = if owner == query.name {
        vec![0xc0, 12]
    } else {
        wire_name(owner)
    };
    bytes.extend(kind.to_be_bytes());
    bytes.extend(1_u16.to_be_bytes());
    bytes.extend(TTL.to_be_bytes());
    bytes.extend((data.len() as u16).to_be_bytes());
    bytes.extend_from_slice(data);
    bytes
}

fn wire_name(name: &str) -> Vec<u8> {
    let mut bytes: Vec<u8> = name
        .split('.')
        .flat_map(|label| [&[label.len() as u8][..], label.as_bytes()].concat())
        .collect();
    bytes.push(0);
    bytes
}

/// Reads a query with one question of class IN.
fn read(message: &[u8]) -> Option<Query> {
    let header: [u8; 12] = octets(message, 0)?;
    let is_query = header[2] & 0x78 == 0 && header[4..6] == [0, 1];
    let (name, end) = read_name(message, 12)?;
    let (kind, class) = (u16_at(message, end)?, u16_at(message, end + 2)?);
    let edns = room_asked(message, end + 4).is_some();
    let question = message[12..end + 4].to_vec();
    let query = Query {
        id: [header[0], header[1]],
        recursion_desired: header[2] & 1 != 0,
        name,
        kind,
        question,
        edns,
    };
    (is_query && matches!(class, 1 | 255)).then_some(query)
}

/// A name that is written out, in lower case, and where it ends. A question's name never needs
/// pointers.
fn read_name(message: &[u8], mut at: usize) -> Option<(String, usize)> {
    let mut labels: Vec<String> = Vec::new();
    let begin = at;
    loop {
        let length = usize::from(*message.get(at)?);
        if length == 0 {
            return Some((labels.join("."), at + 1));
        }
        if length > 63 || at - begin > 253 {
            return None;
        }
        let label = message.get(at + 1..at + 1 + length)?;
        labels.push(
            label
                .iter()
                .map(|octet| char::from(octet.to_ascii_lowercase()))
                .collect(),
        );
        at += 1 + length;
    }
}

/// Room that an EDNS record right behind the question asks for (RFC 6891 §6.2.3).
fn room_asked(message: &[u8], at: usize) -> Option<usize> {
    let [root, high, low, room_high, room_low] = octets(message, at)?;
    let counts = message.get(6..12)? == [0, 0, 0, 0, 0, 1];
    (counts && [root, high, low] == [0, 0, 41])
        .then(|| usize::from(u16::from_be_bytes([room_high, room_low])))
}

fn udp_room(query: &[u8]) -> usize {
    let end = read_name(query, 12).map(|(_, end)| end + 4);
    end.and_then(|end| room_asked(query, end))
        .map_or(PLAIN_ROOM, |room| room.clamp(PLAIN_ROOM, MOST_ROOM))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(name: &str, kind: u16, room: Option<u16>) -> Vec<u8> {
        let mut query = vec![
            0x12,
            0x34,
            1,
            0,
            0,
            1,
            0,
            0,
            0,
            0,
            0,
            u8::from(room.is_some()),
        ];
        query.extend(wire_name(name));
        query.extend(kind.to_be_bytes());
        query.extend([0, 1]);
        if let Some(room) = room {
            query.extend([0, 0, 41]);
            query.extend(room.to_be_bytes());
            query.extend([0; 6]);
        }
        query
    }

    /// Response code, number of answers, whether it was cut off, and the last bytes of the answer.
    fn check(
        name: &str,
        kind: u16,
        room: Option<u16>,
        code: u8,
        answers: u8,
        cut: bool,
        end: &[u8],
    ) {
        let query = ask(name, kind, room);
        let reply = answer(&query, udp_room(&query)).unwrap();
        assert_eq!(reply[..2], query[..2]);
        assert_eq!(
            (reply[3] & 15, reply[7], reply[2] & 2 != 0),
            (code, answers, cut),
            "{name} {kind}"
        );
        assert!(reply.ends_with(end), "{name}: {reply:02x?}");
    }

    #[test]
    fn names_are_answered() {
        check("www.example.com", 1, None, 0, 1, false, &[192, 0, 2, 80]);
        check("WWW.Example.COM", 28, None, 0, 1, false, &[0, 0x80]);
        check("web.example.com", 1, None, 0, 2, false, &[192, 0, 2, 80]);
        check("www.example.com", 16, None, 0, 0, false, &[]);
        check(
            "none.example.com",
            1,
            None,
            3,
            0,
            false,
            &300_u32.to_be_bytes(),
        );
        check("example.org", 1, None, 5, 0, false, &[]);
        check("example.com", 255, None, 0, 6, false, b"-all");
        check(
            "1.2.0.192.in-addr.arpa",
            12,
            None,
            0,
            1,
            false,
            &wire_name("target.example.com"),
        );
        check("9.2.0.192.in-addr.arpa", 12, None, 3, 0, false, &[]);
    }

    #[test]
    fn an_answer_fits_or_says_that_it_does_not() {
        check("big.example.com", 16, None, 0, 0, true, &[]);
        check("big.example.com", 16, Some(600), 0, 0, true, &[0; 6]);
        check("big.example.com", 16, Some(4096), 0, 1, false, &[0; 6]);
        check("example.com", 255, Some(1232), 0, 6, false, &[0; 6]);
    }

    #[test]
    fn what_cannot_be_read_is_a_format_error_and_an_answer_is_never_answered() {
        assert_eq!(
            answer(&[0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 70], 512).unwrap()[3],
            1
        );
        assert_eq!(
            answer(&[0x12, 0x34, 0x81, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0], 512),
            None
        );
        assert_eq!(answer(&[0x12], 512), None);
    }

    #[test]
    fn messages_over_tcp_have_a_length() {
        let query = ask("big.example.com", 16, None);
        let mut heard = (query.len() as u16).to_be_bytes().to_vec();
        heard.extend(&query);
        let mut talk = ServiceConnection {
            heard: [heard.clone(), heard[..5].to_vec()].concat(),
            ..ServiceConnection::default()
        };
        serve(&mut talk);
        assert_eq!(talk.heard.len(), 5);
        assert_eq!(
            usize::from(u16_at(&talk.to_say, 0).unwrap()) + 2,
            talk.to_say.len()
        );
    }
}
