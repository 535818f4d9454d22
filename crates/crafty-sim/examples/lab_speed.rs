//! How fast the lab is: sixty seconds of probes, and how many hops the routers make in a second of
//! processor time, which does not depend on who else uses the machine (Linux: it is read from
//! `/proc/self/schedstat`).

use crafty_sim::{Lab, LabOptions, Size, generate};
use crafty_value::{Duration, Time};
use std::time::{Duration as Span, Instant};

/// Seconds of lab time.
const SECONDS: i64 = 60;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (name, every, size) in [
        ("100 probes/s of 100 bytes", 10_000, 100),
        ("10,000 probes/s of 1400 bytes", 100, 1400),
    ] {
        let begin = processor_time();
        let (sent, heard, events) = probe(Duration::micros(every), size)?;
        let took = processor_time().saturating_sub(begin).as_secs_f64();
        // Four routers each way.
        let hops = heard as f64 * 8.0 / took;
        println!(
            "{name}: {SECONDS} s in {took:.3} s; {sent} sent, {heard} answered, {events} moments, {:.2} M hops/s",
            hops / 1e6
        );
    }
    corporate()
}

/// Background traffic of a corporate network, and nothing else: how much faster than real time.
fn corporate() -> Result<(), Box<dyn std::error::Error>> {
    let size = Size {
        routers: 70,
        hosts: 20,
        packets: 20_000,
    };
    let begin = processor_time();
    let text = generate("corporate", size, 7);
    let mut lab = Lab::from_scenario("corporate.toml", &text, &LabOptions::default())?;
    let ready = processor_time().saturating_sub(begin).as_secs_f64();
    let begin = processor_time();
    let seconds = 20;
    lab.advance(Time(0).after(Duration::seconds(seconds)));
    let took = processor_time().saturating_sub(begin).as_secs_f64();
    let hops = lab.router_hops();
    println!(
        "70 routers, 20,000 packets/s: ready in {ready:.3} s; {seconds} s in {took:.3} s, {:.1} times real time; {:.1} hops a packet, {:.2} M hops/s",
        seconds as f64 / took,
        hops as f64 / (20_000 * seconds) as f64,
        hops as f64 / took / 1e6
    );
    Ok(())
}

/// Time that this process has had a processor; of the clock where the system does not tell.
fn processor_time() -> Span {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = told.and_then(|it| it.split(' ').next()?.parse().ok());
    let start = START.get_or_init(Instant::now);
    nanoseconds.map_or_else(|| start.elapsed(), Span::from_nanos)
}

/// Sends UDP to the office's echo from the gateway's stand; the gateway's router is taken from the
/// ARP answer.
fn probe(every: Duration, size: usize) -> Result<(u64, u64, u64), Box<dyn std::error::Error>> {
    let mut lab = Lab::named("demo", &LabOptions::default())?;
    let at = lab.attach(Some("gateway"))?;
    let own = [10, 20, 4, 1];
    let question = [
        &[0xff; 6][..],
        &at.mac.0,
        &[8, 6, 0, 1, 8, 0, 6, 4, 0, 1],
        &at.mac.0,
        &own,
        &[0; 6],
        &[10, 20, 4, 254],
    ]
    .concat();
    lab.send(at.port, Time(0), &question);
    lab.advance(Time(1_000_000));
    let router = lab
        .receive(at.port)
        .map(|it| it.1[6..12].to_vec())
        .ok_or("the router did not answer")?;
    let frame = datagram(&router, &at.mac.0, own, size);
    let (mut sent, mut heard, mut events) = (0, 0, 0);
    let (mut now, end) = (Time(1_000_000), Time(0).after(Duration::seconds(SECONDS)));
    while now < end {
        lab.send(at.port, now, &frame);
        sent += 1;
        now = now.after(every);
        while let Some(due) = lab.next_event().filter(|due| *due <= now) {
            lab.advance(due);
            events += 1;
            while let Some((at_time, frame)) = lab.receive(at.port) {
                heard += u64::from(frame.len() >= size + 42);
                if frame[12..14] == [8, 6] {
                    let answer = [
                        &frame[6..12],
                        &at.mac.0,
                        &frame[12..20],
                        &[0, 2],
                        &at.mac.0,
                        &own,
                        &frame[22..32],
                    ]
                    .concat();
                    lab.send(at.port, at_time, &answer);
                }
            }
        }
    }
    Ok((sent, heard, events))
}

fn datagram(router: &[u8], mac: &[u8], own: [u8; 4], size: usize) -> Vec<u8> {
    let total = (28 + size) as u16;
    let mut header = [
        &[0x45, 0][..],
        &total.to_be_bytes(),
        &[0, 0, 0, 0, 64, 17, 0, 0],
        &own,
        &[10, 100, 0, 50],
        &[0x9c, 0x40, 0x9c, 0xa4],
    ]
    .concat();
    let sum: u32 = header[..20]
        .chunks(2)
        .map(|it| u32::from(it[0]) << 8 | u32::from(it[1]))
        .sum();
    let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
    header[10..12].copy_from_slice(&sum.to_be_bytes());
    header.extend(((8 + size) as u16).to_be_bytes());
    [router, mac, &[8, 0], &header, &[0, 0], &vec![0; size]].concat()
}
