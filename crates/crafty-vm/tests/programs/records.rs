//! Records: values with named parts.

use crate::bench::check;
use crate::peers::Peer;
use crate::rules::program;

#[track_caller]
fn prints(body: &str, expected: &str) {
    let lines: String = expected
        .lines()
        .map(|line| format!("0.000 {line}\n"))
        .collect();
    check(
        &program(body),
        Peer::Script(Vec::new()),
        &format!("{lines}0.000 ends 0"),
    );
}

#[test]
fn parts_are_read_and_set() {
    prints(
        r#"r = {state: "new", ttl: 0, seen: array(init=0s, len=0)}
r.ttl := 64
r.ttl += 1
r.seen += 5ms
r.state := "open"
print("${r.state} ${r.ttl} ${r.seen[0]}")
print(r)"#,
        "open 65 5ms\n{seen: [5ms], state: open, ttl: 65}",
    );
}

#[test]
fn they_are_values_and_not_references() {
    prints(
        r#"a = {n: 1}
b = a
b.n := 2
rows = array(init={n: 0}, len=0)
rows += a
rows += b
rows[0].n := 7
print("${a.n} ${b.n} ${rows} ${a == b} ${a == {n: 1}}")"#,
        "1 2 [{n: 7}, {n: 2}] false true",
    );
}

#[test]
fn a_map_of_records_is_a_table() {
    prints(
        r#"rows = map(key=0, default={state: "silent", tries: 0})
rows[80].tries += 1
rows[80].state := "open"
rows[22] := {tries: 3, state: "closed"}
foreach port, row rows { print("${port} ${row.state} ${row.tries}") }
print("${rows[443].state} ${length(rows)}")"#,
        "22 closed 3\n80 open 1\nsilent 2",
    );
}

#[test]
fn literals_adapt_part_by_part() {
    prints(
        r#"r = {share: 0.5, data: #00}
r := {data: "ab", share: 1}
deep = {inner: {n: 1}, list: [{k: 1}, {k: 2}]}
deep.inner.n += 1
deep.list[1].k := 9
print("${r} ${deep.inner.n} ${deep.list[1].k}")"#,
        "{data: #6162, share: 1} 2 9",
    );
}
