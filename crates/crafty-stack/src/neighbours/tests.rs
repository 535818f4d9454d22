//! Traces of questions and answers, as bytes.

use super::*;
use std::string::String;
use std::vec;

const MAC: Mac = Mac([2, 0, 0, 0, 0, 1]);
const OTHER: Mac = Mac([2, 0, 0, 0, 0, 2]);

fn host(own: &[&str]) -> Neighbours {
    Neighbours::new(MAC, own.iter().map(|a| ip(a)).collect())
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn at(ms: i64) -> Time {
    Time(0).after(Duration::millis(ms))
}

fn hex(octets: &[u8]) -> String {
    octets.iter().map(|o| std::format!("{o:02x}")).collect()
}

fn next(host: &mut Neighbours, now: Time) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    host.poll_transmit(now, &mut out).then_some(out)
}

/// A question asked by one table and answered by the other, whoever's frames they are.
fn resolve(asker: &mut Neighbours, owner: &mut Neighbours, address: &str) -> NeighbourResolution {
    assert_eq!(
        asker.lookup(at(0), ip(address)),
        NeighbourResolution::Pending
    );
    let question = next(asker, at(0)).unwrap();
    assert!(owner.handle_frame(at(0), &question));
    if let Some(answer) = next(owner, at(0)) {
        assert!(asker.handle_frame(at(1), &answer));
    }
    asker.lookup(at(1), ip(address))
}

#[test]
fn both_families_resolve() {
    for (a, b) in [
        ("10.0.0.1", "10.0.0.2"),
        ("fe80::1", "fe80::2"),
        ("2001:db8::1", "2001:db8::ff:fe02"),
    ] {
        let mut owner = Neighbours::new(OTHER, alloc::vec![ip(b)]);
        assert_eq!(
            resolve(&mut host(&[a]), &mut owner, b),
            NeighbourResolution::Known(OTHER),
            "{b}"
        );
        let mut stranger = Neighbours::new(OTHER, alloc::vec![ip("10.0.0.9"), ip("fe80::9")]);
        assert_eq!(
            resolve(&mut host(&[a]), &mut stranger, b),
            NeighbourResolution::Pending,
            "{b}"
        );
    }
}

#[test]
fn the_question_is_the_one_on_the_wire() {
    let rows = [
        (
            "10.0.0.1",
            "10.0.0.2",
            "ffffffffffff02000000000108060001080006040001020000000001 0a000001000000000000 0a000002",
        ),
        (
            "fe80::1",
            "fe80::2",
            "3333ff00000202000000000186dd6000000000203aff fe800000000000000000000000000001 ff0200000000000000000001ff000002 \
             8700 7a97 00000000 fe800000000000000000000000000002 0101020000000001",
        ),
    ];
    for (own, target, expected) in rows {
        let mut host = host(&[own]);
        host.lookup(at(0), ip(target));
        assert_eq!(
            hex(&next(&mut host, at(0)).unwrap()),
            expected.replace(' ', ""),
            "{target}"
        );
    }
}

#[test]
fn three_questions_a_second_apart_then_an_error() {
    let mut host = host(&["10.0.0.1"]);
    let target = ip("10.0.0.2");
    host.lookup(at(0), target);
    let mut asked = Vec::new();
    for ms in (0..5000).step_by(100) {
        host.handle_timeout(at(ms));
        while next(&mut host, at(ms)).is_some() {
            asked.push(ms);
        }
    }
    assert_eq!(asked, [0, 1000, 2000]);
    assert_eq!(host.lookup(at(5000), target), NeighbourResolution::Failed);
    assert_eq!(host.poll_timeout(), None);
    host.retry(target);
    assert_eq!(host.lookup(at(5000), target), NeighbourResolution::Pending);
}

#[test]
fn an_answer_that_was_not_asked_for_changes_nothing() {
    let mut liar = Neighbours::new(OTHER, alloc::vec![ip("10.0.0.2")]);
    let mut victim = host(&["10.0.0.1"]);
    let mut third = Neighbours::new(Mac([2, 0, 0, 0, 0, 3]), alloc::vec![ip("10.0.0.3")]);
    third.lookup(at(0), ip("10.0.0.2"));
    let question = next(&mut third, at(0)).unwrap();
    liar.handle_frame(at(0), &question);
    let answer = next(&mut liar, at(0)).unwrap();
    assert!(victim.handle_frame(at(0), &answer));
    assert!(victim.entries.is_empty());
    assert!(victim.handle_frame(at(0), &question) && next(&mut victim, at(0)).is_none());
    victim.insert(ip("10.0.0.2"), MAC);
    victim.handle_frame(at(0), &answer);
    assert_eq!(
        victim.lookup(at(0), ip("10.0.0.2")),
        NeighbourResolution::Known(MAC)
    );
}

#[test]
fn who_is_silent_asks_and_answers_nobody() {
    let mut asker = Neighbours::new(OTHER, alloc::vec![ip("10.0.0.2")]);
    asker.lookup(at(0), ip("10.0.0.1"));
    let question = next(&mut asker, at(0)).unwrap();
    let mut silent = host(&["10.0.0.1"]).silent();
    assert!(silent.handle_frame(at(0), &question) && next(&mut silent, at(0)).is_none());
    assert_eq!(
        silent.lookup(at(0), ip("10.0.0.2")),
        NeighbourResolution::Pending
    );
    assert!(next(&mut silent, at(0)).is_some());
}

#[test]
fn groups_need_no_question_and_no_family_no_answer() {
    let rows = [
        (
            "239.129.1.2",
            NeighbourResolution::Known(Mac([1, 0, 0x5e, 1, 1, 2])),
        ),
        (
            "ff02::1:ff00:2",
            NeighbourResolution::Known(Mac([0x33, 0x33, 0xff, 0, 0, 2])),
        ),
        (
            "255.255.255.255",
            NeighbourResolution::Known(Mac::BROADCAST),
        ),
        ("10.0.0.2", NeighbourResolution::Pending),
        ("fe80::2", NeighbourResolution::Failed),
    ];
    for (address, expected) in rows {
        assert_eq!(
            host(&["10.0.0.1"]).lookup(at(0), ip(address)),
            expected,
            "{address}"
        );
    }
}

#[test]
fn behind_a_tag_only_that_tag_is_heard() {
    let tag = [0x81, 0, 0, 5];
    let mut asker = host(&["10.0.0.1"]).with_tags(&tag);
    asker.lookup(at(0), ip("10.0.0.2"));
    let question = next(&mut asker, at(0)).unwrap();
    assert_eq!(question[12..18], [0x81, 0, 0, 5, 8, 6]);
    assert!(!Neighbours::new(OTHER, alloc::vec![ip("10.0.0.2")]).handle_frame(at(0), &question));
    assert!(
        Neighbours::new(OTHER, alloc::vec![ip("10.0.0.2")])
            .with_tags(&tag)
            .handle_frame(at(0), &question)
    );
}

#[test]
fn every_cut_and_every_flip_of_an_answer_is_survived() {
    for address in ["10.0.0.2", "fe80::2"] {
        let mut asker = host(&["10.0.0.1", "fe80::1"]);
        asker.lookup(at(0), ip(address));
        let mut frame = next(&mut asker, at(0)).unwrap();
        for cut in 0..frame.len() {
            asker.handle_frame(at(0), &frame[..cut]);
        }
        for bit in 0..frame.len() * 8 {
            frame[bit / 8] ^= 1 << (bit % 8);
            asker.handle_frame(at(0), &frame);
            frame[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(asker.answers.len() <= MAX_ANSWERS);
        assert_eq!(
            asker.lookup(at(0), ip(address)),
            NeighbourResolution::Pending,
            "{}",
            address
        );
    }
}

/// Many neighbours are asked for one after the other, and each as often as without a pace.
#[test]
fn questions_keep_a_pace() {
    let own: IpAddr = "192.0.2.1".parse().unwrap();
    let mut table = Neighbours::new(Mac([2, 0, 0, 0, 0, 1]), vec![own]);
    table.pace(Duration::millis(100));
    for last in 10..30u8 {
        table.lookup(Time(0), IpAddr::from([192, 0, 2, last]));
    }
    let (mut now, mut asked, mut frame) = (Time(0), Vec::new(), Vec::new());
    while let Some(due) = table.poll_timeout() {
        now = now.max(due);
        table.handle_timeout(now);
        while table.poll_transmit(now, &mut frame) {
            asked.push(now);
        }
    }
    assert_eq!(asked.len(), 20 * usize::from(TRIES));
    assert!(
        asked
            .windows(2)
            .all(|two| two[1].since(two[0]) >= Duration::millis(100))
    );
}

/// Who is answered for by somebody else is still spoken as.
#[test]
fn it_answers_only_for_the_addresses_that_are_left_to_it() {
    let own = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse::<IpAddr>().unwrap());
    let mac = Mac([2, 0, 0, 0, 0, 1]);
    let mut table = Neighbours::new(mac, own.to_vec()).answering_for(vec![own[1]]);
    let mut asker = Neighbours::new(Mac([2, 0, 0, 0, 0, 9]), vec!["192.0.2.9".parse().unwrap()]);
    let (mut question, mut answer) = (Vec::new(), Vec::new());
    for (target, answered) in [(own[0], false), (own[1], true)] {
        asker.lookup(Time(0), target);
        assert!(asker.poll_transmit(Time(0), &mut question));
        assert!(table.handle_frame(Time(0), &question));
        assert_eq!(table.poll_transmit(Time(0), &mut answer), answered);
    }
}
