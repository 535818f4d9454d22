//! tshark's opinion: where every IP packet in a frame goes, in carriers that the kernel may not know.

use super::hex;
use super::world::{DESTINATIONS, PermissionCase};
use crate::tool::{Folder, installed, run, skipped};
use crafty_policy::{AddressListEntry, Power};
use std::net::IpAddr;

/// Reads frames with tshark; gives how many hold a packet in a packet. None goes where none may go.
pub fn carried(folder: &Folder, case: &PermissionCase, frames: &[Vec<u8>]) -> usize {
    if skipped(installed("tshark"), "`tshark` is not installed") {
        return 0;
    }
    let file = folder.file("accepted.pcap", capture(frames));
    let fields = [
        "frame.number",
        "frame.protocols",
        "ip.dst",
        "ipv6.dst",
        "udp.port",
    ];
    let mut words = vec![
        "tshark",
        "-n",
        "-r",
        &file,
        "-T",
        "fields",
        "-E",
        "separator=;",
    ];
    fields.iter().for_each(|field| words.extend(["-e", field]));
    let out = run(&words).expect(0).out;
    let mut carried = 0;
    for line in out.lines() {
        let cells: Vec<&str> = line.split(';').collect();
        let [number, protocols, v4, v6, ports] = cells[..] else {
            panic!("`{line}`")
        };
        let own = meant(protocols, &ports.split(',').collect::<Vec<_>>());
        let reached: Vec<&str> = of(&own, "ip", v4).chain(of(&own, "ipv6", v6)).collect();
        carried += usize::from(reached.len() > 1);
        let is_nd = case.grants(Power::Infrastructure) && protocols.ends_with("ipv6:icmpv6");
        for address in reached.into_iter().filter(|_| !is_nd) {
            let frame = number
                .parse()
                .ok()
                .and_then(|number: usize| frames.get(number - 1));
            assert!(
                permitted(address),
                "`{}`: tshark reads `{line}`: {}",
                case.name,
                frame.map_or(String::new(), |f| hex(f))
            );
        }
    }
    carried
}

/// The protocols up to an ICMP message, since what it quotes goes nowhere, and up to an L2TP header that
/// tshark takes from one port to the next because the source is the same. `ports` are two for each
/// UDP header.
fn meant<'a>(protocols: &'a str, ports: &[&str]) -> Vec<&'a str> {
    let mut headers = ports.chunks(2);
    let mut last: &[&str] = &[];
    let goes_on = |name: &&str| {
        if *name == "udp" {
            last = headers.next().unwrap_or(&[]);
        }
        !name.starts_with("icmp") && (*name != "l2tp" || last.contains(&"1701"))
    };
    protocols.split(':').take_while(goes_on).collect()
}

/// The first addresses of a list, as many as there are headers of this name.
fn of<'a>(protocols: &[&str], name: &str, list: &'a str) -> impl Iterator<Item = &'a str> {
    let count = protocols
        .iter()
        .filter(|protocol| **protocol == name)
        .count();
    list.split(',')
        .filter(|address| !address.is_empty())
        .take(count)
}

fn permitted(address: &str) -> bool {
    let entries = DESTINATIONS
        .iter()
        .map(|text| text.parse::<AddressListEntry>().expect("an entry"));
    let address: IpAddr = address.parse().expect("an address");
    entries.into_iter().any(|entry| entry.net.contains(address))
}

/// A capture file (libpcap 2.4, Ethernet).
fn capture(frames: &[Vec<u8>]) -> Vec<u8> {
    let mut file = [
        &0xa1b2_c3d4u32.to_ne_bytes()[..],
        &[2u16, 4].map(u16::to_ne_bytes).concat(),
        &[0u32, 0, 65_535, 1].map(u32::to_ne_bytes).concat(),
    ]
    .concat();
    for (number, frame) in frames.iter().enumerate() {
        let len = frame.len() as u32;
        file.extend([number as u32, 0, len, len].map(u32::to_ne_bytes).concat());
        file.extend(frame);
    }
    file
}
