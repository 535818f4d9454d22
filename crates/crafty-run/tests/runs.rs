//! Runs as a caller of the library has them: events as values, a medium of the caller's own,
//! several at once, cancelled, and driven turn by turn.

use crafty_run::*;
use std::collections::VecDeque;
use std::net::Ipv4Addr;
use std::sync::mpsc::channel;
use std::thread;

const HEAD: &str = "BUDGET = { max_duration: 60s, max_packets: 20 }\nPERMISSIONS = { destinations: [192.0.2.1] }\nPORTS = { udp: [40000], icmp: [7] }\n";

fn program(rest: &str) -> LoadedProgram {
    let source = Source::new("test.crafty", format!("{HEAD}{rest}"));
    load(source, &[], &Policy::everything()).unwrap_or_else(|error| panic!("{error}"))
}

const PING: &str = "/IP!(dst=192.0.2.1) {\n  foreach n 1..3 {\n    ICMP(type=echo_request, id=7, seq=n)\n    expect timeout=1s /IP/ICMP(type == echo_reply, id == 7, seq == n) { print(\"${n} at ${MATCH[Eth].ts}\") } else { print(\"lost\") }\n  }\n}\n";

fn lab(spec: &str) -> LabMedium {
    LabMedium::new(spec, 1).unwrap_or_else(|error| panic!("{error}"))
}

fn run_of<M: Medium>(medium: M, rest: &str) -> Run<M> {
    let mut run = Run::new(medium);
    run.add(program(rest))
        .unwrap_or_else(|error| panic!("{error}"));
    run
}

fn printed(events: &[RunEvent]) -> Vec<&str> {
    let texts = events.iter().filter_map(|event| match event {
        RunEvent::Program {
            event: Event::Print { text, .. },
            ..
        } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// Sends every datagram back after 1 ms, from where it was sent to: no network, no lab.
struct Mirror {
    now: Time,
    coming: VecDeque<(Time, Vec<u8>)>,
}

const MIRROR_DELAY: i64 = 1_000_000;

impl Medium for Mirror {
    fn attach(
        &mut self,
        _program: &LoadedProgram,
        _place: Option<&str>,
    ) -> Result<Attached, MediumError> {
        let own = Ipv4Addr::new(198, 51, 100, 1).into();
        let interface = InterfaceInfo {
            name: "mirror".into(),
            mac: crafty_value::Mac([0; 6]),
            mtu: 1500,
            addresses: vec![(own, 32)],
            link: LinkLayer::RawIp,
        };
        let any = crafty_value::Net::new(Ipv4Addr::UNSPECIFIED.into(), 0).expect("a network");
        let route = Route {
            net: any,
            gateway: None,
            interface: 0,
            source: Some(own),
        };
        Ok(Attached {
            environment: Environment {
                interfaces: vec![interface],
                routes: vec![route],
                ..Environment::default()
            },
            start: self.now,
        })
    }

    fn send(&mut self, _program: ProgramId, frame: Transmit) -> Departure {
        let time = frame.at.max(self.now);
        // Neither checksum changes when both ends change places.
        let mut back = frame.octets;
        for (a, b, len) in [(12, 16, 4), (20, 22, 2)] {
            (0..len).for_each(|i| back.swap(a + i, b + i));
        }
        self.coming.push_back((Time(time.0 + MIRROR_DELAY), back));
        Departure::At(Stamp {
            time,
            source: StampSource::Software,
        })
    }

    fn wait(&mut self, until: Option<Time>) -> Option<Time> {
        let coming = self.coming.front().map(|(time, _)| *time);
        self.now = [until, coming].into_iter().flatten().min()?.max(self.now);
        Some(self.now)
    }

    fn receive(&mut self, _program: ProgramId) -> Option<Arrival> {
        let (time, octets) = self.coming.pop_front_if(|(time, _)| *time <= self.now)?;
        Some(Arrival::Packet(Packet {
            interface: 0,
            time,
            wire_len: octets.len(),
            octets,
            checksum_ready: true,
        }))
    }
}

#[test]
fn a_medium_of_ones_own_needs_no_lab() {
    let asks = "/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {\n  asked = Bytes(\"once\")\n  expect timeout=1s /IP!/UDP!/Bytes { print(\"${MATCH[Bytes].data} after ${MATCH[Eth].ts - asked[Eth].ts}\") } else { print(\"lost\") }\n}\n";
    let mirror = Mirror {
        now: Time(5),
        coming: VecDeque::new(),
    };
    let mut events: Vec<RunEvent> = Vec::new();
    let mut run = run_of(mirror, asks);
    let reports = run.to_end(&mut events);
    assert_eq!(printed(&events), ["«#6f6e6365» after 1ms"], "{events:?}");
    assert_eq!(reports[0].ending, Ending::Done);
    assert_eq!(
        run.interfaces(),
        [RunInterface {
            name: "mirror".into(),
            link: 101
        }]
    );
    assert_eq!(
        run.counts(),
        [InterfaceCounts {
            received: 1,
            lost: 0
        }]
    );
}

/// Time stands still, or never comes.
struct Broken(Option<Time>);

impl Medium for Broken {
    fn attach(&mut self, it: &LoadedProgram, at: Option<&str>) -> Result<Attached, MediumError> {
        lab("demo").attach(it, at)
    }
    fn send(&mut self, _: ProgramId, _: Transmit) -> Departure {
        Departure::Later
    }
    fn wait(&mut self, _: Option<Time>) -> Option<Time> {
        self.0
    }
    fn receive(&mut self, _: ProgramId) -> Option<Arrival> {
        None
    }
}

#[test]
fn a_run_that_makes_no_progress_ends_and_says_so() {
    for time in [None, Some(Time(0))] {
        let mut events: Vec<RunEvent> = Vec::new();
        let reports = run_of(Broken(time), "wait 5s\n").to_end(&mut events);
        assert_eq!(reports[0].ending, Ending::NoProgress, "{time:?}");
        let why = reports[0].why.as_deref();
        assert_eq!(why, Some("no progress (internal error)"), "{time:?}");
    }
}

#[test]
fn the_last_events_are_the_reports() {
    let mut events: Vec<RunEvent> = Vec::new();
    let reports = run_of(lab("demo"), PING).to_end(&mut events);
    assert_eq!(printed(&events).len(), 3);
    let last = events.last().expect("an event");
    let wanted = RunEvent::Ended {
        program: ProgramId(0),
        report: reports[0].clone(),
    };
    assert_eq!(*last, wanted);
}

#[test]
fn runs_in_threads_and_runs_by_turns_say_what_a_run_alone_says() {
    let alone = {
        let mut events: Vec<RunEvent> = Vec::new();
        run_of(lab("demo:loss=20"), PING).to_end(&mut events);
        events
    };
    // Each in a thread of its own, its events over a channel.
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let (mut send, receive) = channel();
            thread::spawn(move || run_of(lab("demo:loss=20"), PING).to_end(&mut send));
            receive
        })
        .collect();
    for receive in threads {
        assert_eq!(receive.into_iter().collect::<Vec<RunEvent>>(), alone);
    }
    // Two by turns in one thread.
    let (mut one, mut other) = (
        run_of(lab("demo:loss=20"), PING),
        run_of(lab("demo:loss=20"), PING),
    );
    let (mut first, mut second): (Vec<RunEvent>, Vec<RunEvent>) = (Vec::new(), Vec::new());
    while (one.turn(&mut first), other.turn(&mut second)) == (RunProgress::Next, RunProgress::Next)
    {
    }
    one.finish(&mut first);
    other.finish(&mut second);
    assert_eq!((&first, &second), (&alone, &alone));
}

#[test]
fn a_run_is_cancelled_from_outside() {
    let endless = "repeat every=1s for=50s {\n  print(\"tick\")\n}\n";
    // By a token that another holds, at the third thing that is said.
    let mut run = run_of(lab("demo"), endless);
    let (token, mut count) = (run.cancel_token(), 0);
    let reports = run.to_end(&mut EachEvent(|_: &RunEvent| {
        count += 1;
        if count == 3 {
            token.cancel();
        }
    }));
    assert_eq!(reports[0].ending, Ending::Stopped);
    assert_eq!(count, 4, "three ticks and the report");
    // By a condition.
    let mut run = run_of(lab("demo"), endless);
    run.cancel_when(|| true);
    let mut events: Vec<RunEvent> = Vec::new();
    assert_eq!(run.to_end(&mut events)[0].ending, Ending::Stopped);
}

#[test]
fn what_a_medium_cannot_do_is_told_apart() {
    assert!(matches!(
        LabMedium::new("nowhere", 1),
        Err(MediumError::Lab(_))
    ));
    let mut run = Run::new(lab("demo"));
    let unknown = run.add_at(program(PING), Some("nowhere"));
    assert!(matches!(unknown, Err(MediumError::Place(_))), "{unknown:?}");
    let recording = recording::Recording::read(&b"no capture"[..]);
    assert!(matches!(recording, Err(RecordingError::Capture(_))));
    let empty = ReplayMedium::new(recording::Recording::default(), 1);
    let none = Run::new(empty).add(program(PING));
    assert!(
        matches!(
            none,
            Err(MediumError::Recording(RecordingError::NoConversation))
        ),
        "{none:?}"
    );
}

#[test]
fn why_a_program_may_not_run_is_told_apart() {
    let error = |text: &str, params: &[GivenParam], policy: &Policy| {
        let source = Source::new("x", format!("{HEAD}{text}"));
        load(source, params, policy).expect_err("may not run")
    };
    let all = Policy::everything();
    let param = |word| GivenParam::parse(word).expect("a param");
    assert!(matches!(
        error("x = \n", &[], &all),
        LoadError::Mistakes(..)
    ));
    assert!(matches!(
        error("x = 1\n", &[param("y=1")], &all),
        LoadError::Param(ParamError::Unknown { .. })
    ));
    assert!(matches!(
        error("param y = 1\n", &[param("y=one")], &all),
        LoadError::Param(ParamError::Invalid { .. })
    ));
    let mut narrow = Policy::everything();
    narrow.destinations = Default::default();
    assert!(matches!(error(PING, &[], &narrow), LoadError::Refused(..)));
}

#[test]
fn a_capture_file_and_findings_are_observers() {
    let mut run = run_of(lab("demo:loss=20"), PING);
    let source = Source::new("test.crafty", format!("{HEAD}{PING}"));
    let capture = CaptureFile::new(Vec::new(), run.interfaces(), vec![source]);
    let mut capture = capture.expect("memory");
    let mut events: Vec<RunEvent> = Vec::new();
    let reports = run.to_end(&mut WithFindings::new((&mut capture, &mut events)));
    let file = capture.finish(run.counts()).expect("memory");
    let (records, error) = crafty_capture::read_all(&file[..]).expect("a capture");
    assert!(error.is_none(), "{error:?}");
    let sent = records
        .iter()
        .filter(|record| record.direction == Some(crafty_capture::Direction::Outbound));
    assert_eq!(sent.count() as u64, reports[0].totals.sent.packets);
    let quoted = "test.crafty:6: ICMP(type=echo_request, id=7, seq=n)";
    assert!(
        records
            .iter()
            .any(|record| record.comments.first().is_some_and(|c| c == quoted)),
        "{records:?}"
    );
    let ended = events
        .iter()
        .position(|e| matches!(e, RunEvent::Ended { .. }));
    let found = events.iter().position(|e| matches!(e, RunEvent::Found(_)));
    assert!(found.is_none_or(|found| Some(found) < ended), "{events:?}");
}
