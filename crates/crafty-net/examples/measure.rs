//! What sending, recapture and opening cost on an interface: `measure SEND-ON RECEIVE-ON [FRAMES]`,
//! both ends of a veth of one's own. Sends Ethernet frames of an experimental type (0x88b5) to the
//! other end.

use crafty_net::*;
use crafty_value::{Duration, Time};
use std::error::Error;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, rest @ ..] = words.as_slice() else {
        return Err("usage: measure SEND-ON RECEIVE-ON [FRAMES]".into());
    };
    let count = rest.first().map_or(Ok(1_000_000), |n| n.parse())?;
    let (from, to) = (interface(from)?, interface(to)?);
    let frame = frame(&from, &to).ok_or("both ends must be Ethernet")?;
    for ring_bytes in [0, 8 << 20] {
        let options = PortOptions {
            ring_bytes,
            ..PortOptions::default()
        };
        println!("capture ring of {ring_bytes} bytes");
        opening(&from, &options)?;
        latency(&from, &to, &options, &frame)?;
        recaptured(&from, &options, &frame, count)?;
    }
    println!("no recapture (a filter on the outgoing side is not possible, so: nobody drains)");
    alone(&from, &frame, count)
}

fn frame(from: &Interface, to: &Interface) -> Option<Vec<u8>> {
    Some([&to.mac?.0[..], &from.mac?.0, &[0x88, 0xb5], &[0; 50]].concat())
}

fn opening(from: &Interface, options: &PortOptions) -> Outcome<()> {
    let mut spans = Vec::new();
    for _ in 0..20 {
        let start = monotonic();
        let port = Port::open(from, options.clone())?;
        spans.push(monotonic().since(start));
        drop(port);
    }
    show("open", spans);
    Ok(())
}

/// From a frame's stamp at the receiver until the program has it, the receiver waiting.
fn latency(from: &Interface, to: &Interface, options: &PortOptions, frame: &[u8]) -> Outcome<()> {
    let mut sender = Port::open(
        from,
        PortOptions {
            ring_bytes: 0,
            ..options.clone()
        },
    )?;
    let mut receiver = Port::open(to, options.clone())?;
    let (mut spans, mut own) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| -> Outcome<()> {
        scope.spawn(move || {
            for _ in 0..1000 {
                sleep_until(now().after(Duration::millis(1)));
                let _ = sender.send(frame);
            }
        });
        while spans.len() < 1000 {
            let took = |c: Captured<'_>| {
                if c.frame == frame {
                    spans.push(now().since(c.time))
                }
            };
            if receiver.receive_each(now().after(Duration::seconds(1)), took)? == 0 {
                break;
            }
        }
        Ok(())
    })?;
    show("from stamp to program", spans);
    let mut port = Port::open(from, options.clone())?;
    for _ in 0..1000 {
        let start = monotonic();
        port.send(frame)?;
        let mut seen = false;
        while !seen {
            port.receive_each(now().after(Duration::seconds(1)), |c| {
                seen |= c.frame == frame
            })?;
        }
        own.push(monotonic().since(start));
    }
    show("from send to its own stamp", own);
    Ok(())
}

fn recaptured(from: &Interface, options: &PortOptions, frame: &[u8], count: u64) -> Outcome<()> {
    let mut port = Port::open(from, options.clone())?;
    let mut matcher = StampMatcher::new(options.snap as usize, 1 << 16);
    let (mut frames, mut matched) = (vec![frame.to_vec(); 64], 0u64);
    let start = monotonic();
    for round in 0..count / 64 {
        for (n, frame) in frames.iter_mut().enumerate() {
            let id = round * 64 + n as u64;
            frame[20..28].copy_from_slice(&id.to_be_bytes());
            matcher.register(id, frame);
        }
        let views: [&[u8]; 64] = std::array::from_fn(|n| frames[n].as_slice());
        port.send_batch(&views)?;
        matched += drain(&mut port, &mut matcher, Time(0))?;
    }
    while matched < count / 64 * 64
        && drain(&mut port, &mut matcher, now().after(Duration::millis(10))).is_ok_and(|n| {
            matched += n;
            n > 0
        })
    {}
    let each = monotonic().since(start).0 / count as i64;
    println!(
        "  send, recapture and match: {each} ns a frame; {matched} of {count} matched, {} drops",
        port.drops()
    );
    Ok(())
}

fn drain(port: &mut Port, matcher: &mut StampMatcher, deadline: Time) -> Outcome<u64> {
    let mut matched = 0;
    port.receive_each(deadline, |c| {
        matched += u64::from(matcher.captured(c.frame, c.wire_len, c.time).is_some())
    })?;
    Ok(matched)
}

fn alone(from: &Interface, frame: &[u8], count: u64) -> Outcome<()> {
    let nothing = BpfInsn {
        code: 6,
        jt: 0,
        jf: 0,
        k: 0,
    };
    let mut port = Port::open(
        from,
        PortOptions {
            ring_bytes: 1,
            filter: Some(vec![nothing]),
            ..PortOptions::default()
        },
    )?;
    for batch in [1, 64] {
        let views = vec![frame; batch];
        let start = monotonic();
        for _ in 0..count / batch as u64 {
            port.send_batch(&views)?;
        }
        println!(
            "  send, {batch} at a time: {} ns a frame",
            monotonic().since(start).0 / count as i64
        );
    }
    Ok(())
}

fn show(what: &str, mut spans: Vec<Duration>) {
    spans.sort();
    let at = |percent: usize| {
        spans
            .get(spans.len() * percent / 100)
            .or(spans.last())
            .copied()
            .unwrap_or_default()
    };
    println!(
        "  {what}: median {}, p99 {}, most {}",
        at(50),
        at(99),
        at(100)
    );
}
