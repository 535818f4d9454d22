//! Laws over whole networks: nothing is lost uncounted, the same seed gives the same bytes, and time
//! in which nothing happens costs nothing.

use crafty_sim::{Lab, LabOptions, Passed, Size, generate, networks, tickets};
use crafty_value::{Duration, Time};
use std::net::Ipv4Addr;

fn lab(text: &str, faults: &[&str], seed: u64) -> Lab {
    let options = LabOptions {
        faults: faults.iter().map(|it| it.to_string()).collect(),
        seed,
    };
    Lab::from_scenario("test.toml", text, &options).unwrap()
}

fn pass(lab: &mut Lab, seconds: i64) {
    lab.advance(Time(0).after(Duration::seconds(seconds)));
}

fn made(packets: usize) -> String {
    let size = Size {
        routers: 20,
        hosts: 6,
        packets,
    };
    generate("made", size, 5)
}

/// What passes any link in `seconds`: how many frames, and a hash of their bytes and times (FNV-1a).
fn trace(faults: &[&str], seed: u64, seconds: i64) -> (usize, u64) {
    let mut lab = lab(&made(2000), faults, seed);
    let map = lab.describe().to_string();
    let names = map.lines().filter_map(|line| line.strip_prefix("link "));
    let names: Vec<&str> = names.filter_map(|line| line.split(' ').next()).collect();
    names.iter().for_each(|name| lab.watch(name).unwrap());
    pass(&mut lab, seconds);
    let passed: Vec<&Passed> = names.iter().flat_map(|name| lab.capture(name)).collect();
    let bytes = passed.iter().flat_map(|it| {
        let time = it.time.0.to_be_bytes();
        time.into_iter().chain(it.frame.iter().copied())
    });
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (passed.len(), hash)
}

#[test]
fn the_same_seed_gives_the_same_trace_of_background_traffic() {
    let faults = [
        "loss=3@dist1a-edge-hamburg",
        "jitter=3ms@dist1b-edge-hamburg",
    ];
    let first = trace(&faults, 9, 2);
    assert!(first.0 > 10_000, "{first:?}");
    assert_eq!(first, trace(&faults, 9, 2));
    assert_ne!(first, trace(&faults, 10, 2));
}

/// A number that every machine must give: it changes only when the lab's behaviour does.
#[test]
fn a_trace_hash_is_the_same_on_every_machine() {
    assert_eq!(trace(&[], 4, 1), TRACE);
}

const TRACE: (usize, u64) = (14_575, 12_578_776_793_729_472_787);

/// Frames that a source of traffic put on its segment = datagrams that reached a host, or were given
/// up with a reason, or are under way.
#[test]
fn every_datagram_is_delivered_or_accounted_for() {
    for faults in [
        &[][..],
        &["loss=10"],
        &["mtu_hole=300"],
        &["policer=100000"],
    ] {
        let text = made(3000);
        let mut lab = lab(&text, faults, 1);
        for link in links(&text) {
            lab.watch(&link).unwrap();
        }
        pass(&mut lab, 2);
        let datagram = |it: &&Passed| it.frame.len() > 60 && it.frame[23] == 17;
        // A sender and its receiver may be on one segment: only what a router forwarded counts.
        let is_forwarded = |it: &&&Passed| it.frame[22] < 64;
        let (mut sent, mut delivered) = (0, 0);
        for link in links(&text) {
            let own = host_address(&lab, &link);
            let passed = lab.capture(&link).iter().filter(datagram);
            let (from, to): (Vec<_>, Vec<_>) = passed.partition(|it| !it.forward);
            sent += from.len();
            delivered += to
                .iter()
                .filter(is_forwarded)
                .filter(|it| Some(&it.frame[30..34]) == own.as_ref().map(|it| &it[..]))
                .count();
        }
        let lost: u64 = lab.drops().iter().map(|it| it.1).sum();
        let under_way = lab.frames_under_way() as u64;
        let missing = sent as u64 - delivered as u64;
        assert!(sent > 1000, "{sent}");
        assert!(
            missing <= lost + under_way && lost <= missing + under_way,
            "{faults:?}: {sent} sent, {delivered} delivered, {lost} given up, {under_way} under way"
        );
    }
}

/// Names of the links of hosts and sources.
fn links(text: &str) -> Vec<String> {
    let lab = lab(text, &[], 1);
    let map = lab.describe();
    let names = map.lines().filter_map(|line| line.strip_prefix("link "));
    names
        .filter_map(|line| line.split(' ').next())
        .filter(|name| name.contains('/') && !name.contains("/edge-"))
        .map(String::from)
        .collect()
}

/// The address of the host at the end of a link, as the map tells it.
fn host_address(lab: &Lab, link: &str) -> Option<[u8; 4]> {
    let (_, host) = link.split_once('/')?;
    let row = lab
        .describe()
        .lines()
        .find_map(|line| line.strip_prefix(&format!("host {host} on ")))?;
    let address: Ipv4Addr = row.split(' ').nth(1)?.parse().ok()?;
    Some(address.octets())
}

#[test]
fn a_day_in_which_nothing_happens_costs_nothing() {
    let mut lab = Lab::named("demo", &LabOptions::default()).unwrap();
    assert_eq!(lab.next_event(), None);
    pass(&mut lab, 86_400);
    assert_eq!(lab.router_hops(), 0);
}

#[test]
fn every_network_reads_and_has_a_way_from_each_portal_to_the_server() {
    for network in networks() {
        let mut lab = Lab::named(network.name, &LabOptions::default()).unwrap();
        let portals: Vec<String> = lab.portals().map(|it| it.0.to_string()).collect();
        assert!(portals.len() >= 3 && !network.doc().is_empty());
        for portal in portals {
            assert!(lab.attach(Some(&portal)).is_ok(), "{portal}");
        }
    }
}

/// Each ticket has its truth, its faults can be planted, its portal is there, and its complaint
/// names no fault. At least five are of healthy networks.
#[test]
fn tickets_have_truths_that_can_be_planted() {
    let (tickets, truths) = tickets("acme").unwrap();
    assert!(tickets.len() >= 30);
    let healthy = truths.iter().filter(|it| it.faults.is_empty()).count();
    assert!(healthy >= 5, "{healthy}");
    for (ticket, truth) in tickets.iter().zip(&truths) {
        assert_eq!(ticket.id, truth.id);
        assert!(!ticket.complaint.contains('_') && !truth.location.is_empty());
        assert_eq!(truth.location == "nowhere", truth.faults.is_empty());
        let faults = truth.faults.iter().chain(&truth.red_herrings).cloned();
        let options = LabOptions {
            faults: faults.collect(),
            seed: 1,
        };
        let mut lab = Lab::named("acme", &options).unwrap();
        assert!(lab.attach(Some(&ticket.portal)).is_ok(), "{}", ticket.id);
        for place in truth.location.split(", ").filter(|it| *it != "nowhere") {
            assert!(lab.describe().contains(place), "{place}");
        }
    }
}
