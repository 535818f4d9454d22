//! Nothing hangs and nothing fills: what statements cost, what ends a run that computes, how much
//! variables and events hold. Counted in steps and in bytes allocated, never in time.

use crate::bench::{START, check, machine, watched};
use crate::peers::Peer;
use allocation_counter::measure;
use crafty_value::Time;
use crafty_vm::{Event, Interruption, Machine, Watch};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Statements that change a container, in a loop over `i`; what is before the loop knows `N`.
const ROWS: &[(&str, &str)] = &[
    ("xs = array(init=0, len=0)", "xs += i"),
    ("xs = array(init=0, len=N)", "xs[i - 1] := i"),
    ("xs = array(init=0, len=N)", "xs[i - 1] += 1"),
    (
        "xs = array(init=0, len=0)\nys = array(init=7, len=2)",
        "xs += ys",
    ),
    ("m = map(key=0, default=0)", "m[i] := i"),
    ("m = map(key=0, default=0)", "m[i] += 1"),
    (
        "m = map(key=0, default=0)\nforeach j 1..N { m[j] := j }",
        "m := remove(m, i)",
    ),
    (
        "m = map(key=0, default=map(key=0, default=0))\nforeach j 1..N { m[5][j] := j }",
        "m[5] := remove(m[5], i)",
    ),
    (
        "m = map(key=0, default=map(key=0, default=0))",
        "m[5][i] := i",
    ),
    ("b = #00\nb += #00", "b += #41"),
    (
        "m = map(key=0, default=0)\nforeach j 1..N { m[j] := j }\nx = 0",
        "x += m[i]",
    ),
    (
        "m = map(key=0, default=0)\nforeach j 1..N { m[j] := j }\nf = false",
        "f := has(m, i)",
    ),
    ("xs = array(init=0, len=N)\nx = 0", "x := xs[i - 1]"),
    ("xs = array(init=0, len=N)\nx = 0", "x := length(xs)"),
];

fn program(max_duration: &str, body: &str) -> String {
    format!("BUDGET = {{ max_duration: {max_duration} }}\n{body}\n")
}

/// Runs to the end; all that it said.
fn run(machine: &mut Machine) -> Vec<Event> {
    let mut said = Vec::new();
    for _ in 0..1_000_000 {
        machine.handle_timeout(Time(START));
        said.extend(std::iter::from_fn(|| machine.poll_event()));
        if machine.outcome().is_some() {
            return said;
        }
    }
    panic!("it goes on and on");
}

/// Twice as many statements cost at most about twice as much: none of them copies its container.
#[test]
fn containers_are_changed_in_place() {
    for (before, statement) in ROWS {
        let costs = [500, 1000, 2000, 4000].map(|n: u32| {
            let body =
                format!("{before}\nforeach i 1..N {{ {statement} }}").replace('N', &n.to_string());
            let mut machine = machine(&program("60s", &body));
            let allocated = measure(|| drop(run(&mut machine))).bytes_total;
            assert_eq!(machine.outcome().map(|o| o.status), Some(0), "{body}");
            [allocated, machine.computed()]
        });
        for pair in costs.windows(2) {
            for (small, large) in pair[0].iter().zip(pair[1]) {
                assert!(
                    large <= small * 26 / 10 + 4096,
                    "`{statement}` after `{before}`: {costs:?}"
                );
            }
        }
    }
}

/// A container that somebody else holds too is copied at the first write, and both keep theirs.
#[test]
fn what_is_shared_is_copied_once() {
    let body = "m = map(key=0, default=0)\nm[1] := 1\nm[2] := 2\nn = m\nn := remove(n, 1)\nprint(\"${length(m)} ${length(n)}\")\n\
                xs = [1, 2]\nys = xs\nys += xs\nxs[0] := 9\nprint(\"${xs} ${ys}\")\nforeach x xs { xs[1] := 7\nprint(x) }";
    check(
        &program("1s", body),
        Peer::Silent,
        "0.000 2 1\n0.000 [9, 2] [1, 2, 1, 2]\n0.000 9\n0.000 2\n0.000 ends 0",
    );
}

/// Work without waits ends by `max_duration`, in virtual time too, and no `try` takes that.
#[test]
fn computing_is_counted_against_the_deadline() {
    let long = [
        "xs = array(init=0, len=20000)\nys = xs\nrepeat count=1_000_000 { ys := sort(xs) }",
        "x = 0\nrepeat count=1_000_000_000 { x := 1 }",
        "a = #41 * 1000000\nb = #41 * 500000 + #42\nf = false\nrepeat count=1_000_000 { f := a has b }",
        "foreach i 1..1_000_000_000 { foreach j 1..1_000_000_000 { x = j } }",
    ];
    for body in long {
        for tried in [
            body.to_string(),
            format!("try {{ {body} }} else e {{ print(\"taken\") }}\nprint(\"after\")"),
        ] {
            let mut machine = machine(&program("20ms", &tried));
            let said = run(&mut machine);
            let outcome = machine.outcome().expect("it is over");
            assert_eq!(outcome.status, 6, "{tried}");
            assert!(machine.computed() < 30_000_000, "{}", machine.computed());
            let prints = said.iter().filter(|e| matches!(e, Event::Print { .. }));
            assert_eq!(prints.count(), 0, "{tried}");
        }
    }
}

#[derive(Debug)]
struct After(AtomicU32, u32, Arc<AtomicU32>);

impl Watch for After {
    fn look(&self, _: Option<Time>) -> Option<Interruption> {
        self.2.fetch_add(1, Ordering::Relaxed);
        let looks = self.0.fetch_add(1, Ordering::Relaxed);
        (looks >= self.1).then_some(Interruption::Cancelled)
    }
}

/// Who watches ends one long statement in its middle.
#[test]
fn a_statement_is_interrupted() {
    let statement = format!("f := {}", vec!["a has b"; 100].join(" or "));
    let body = format!(
        "a = #41 * 1000000\nb = #41 * 500000 + #42\nf = false\ntry {{ {statement} }} else {{ print(\"taken\") }}\nprint(\"after\")"
    );
    let looks = Arc::new(AtomicU32::new(0));
    let watch = After(AtomicU32::new(0), 5, Arc::clone(&looks));
    let mut machine = watched(&program("60s", &body), watch);
    let said = run(&mut machine);
    assert_eq!(machine.outcome().map(|o| o.status), Some(6));
    assert_eq!(
        looks.load(Ordering::Relaxed),
        6,
        "nothing is asked after the end"
    );
    assert!(machine.computed() < 8_000_000, "{}", machine.computed());
    assert!(said.is_empty(), "{said:?}");
}

/// A program that prints without end holds no more than a little of it at any time.
#[test]
fn events_are_made_as_they_are_taken() {
    let body = "z = 0\nz += 1\nb = #41 * 300000\nforeach i 1..50 { print(b[z:]) }";
    let mut machine = machine(&program("60s", body));
    let mut lines = 0;
    while machine.outcome().is_none() {
        machine.handle_timeout(Time(START));
        let said: Vec<Event> = std::iter::from_fn(|| machine.poll_event()).collect();
        let held: usize = said.iter().map(Event::size).sum();
        assert!(held < 2 << 20, "{held} bytes wait");
        lines += said.len();
    }
    assert_eq!((lines, machine.outcome().map(|o| o.status)), (50, Some(0)));
}

/// The variables have a memory, those that depend on received data one of their own; a full one
/// ends the run, says which, and no `try` takes it.
#[test]
fn a_full_memory_ends_the_run() {
    let arrays: String = (0..40)
        .map(|n| format!("a{n} = array(init=0, len=1)\na{n} := array(init=7, len=65000)\n"))
        .collect();
    let body = format!("try {{\n{arrays}\n}} else {{ print(\"taken\") }}");
    let mut machine = machine(&program("60s", &body));
    let said = run(&mut machine);
    let outcome = machine.outcome().expect("it is over");
    let why = outcome.why.clone().unwrap_or_default();
    assert_eq!(outcome.status, 1);
    for word in ["do not depend on received data", "64 MiB", "remove(m, key)"] {
        assert!(why.contains(word), "{why}");
    }
    assert!(matches!(&said[..], [Event::Failed { .. }]), "{said:?}");
}

/// What is discarded may be filled again.
#[test]
fn memory_that_is_let_go_is_free() {
    let body = "xs = array(init=0, len=0)\nm = map(key=0, default=#00)\n\
                foreach i 1..60 { xs := array(init=i, len=65000)\nm[i] := #41 * 1000000\nm := remove(m, i - 1) }\nprint(length(m))";
    check(&program("60s", body), Peer::Silent, "0.000 1\n0.000 ends 0");
}
