//! Who may begin a run: approvals and the ledger against a real kernel, where `/etc` and `/var/lib` are
//! the test's own. What is refused sends nothing: the other end's capture says so.

use super::seen::{Seen, datagrams};
use super::space::Running;
use super::{Spaces, pair};
use crate::tool::{CRAFTY, Folder, Ran, crafty, installed, run, skipped};
use std::time::Duration;

const PING: &str = "param size: int = 8
BUDGET = { max_duration: 9s, max_packets: 20 }
PERMISSIONS = { destinations: [10.9.1.2] }
PORTS = { icmp: [77] }
wait 100ms
repeat count=3 { /IP(dst=10.9.1.2)/ICMP(type=echo_request, id=77)/Bytes(#00 * size) }
";

/// A host with a policy of root's and a place for its journal, and a program.
struct Host {
    spaces: Spaces,
    folder: Folder,
    program: String,
}

impl Host {
    fn new() -> Option<Host> {
        let spaces = pair()?;
        let folder = Folder::new();
        if skipped(
            run(&["unshare", "-m", "true"]).status == 0,
            "mount namespaces need `unshare`",
        ) {
            return None;
        }
        for path in ["etc/crafty", "lib"] {
            run(&["install", "-d", "-m", "755", &folder.path(path)]).expect(0);
        }
        let program = folder.file("ping.crafty", PING);
        Some(Host {
            spaces,
            folder,
            program,
        })
    }

    fn policy(&self, text: &str) {
        self.folder.file("etc/crafty/policy.toml", text);
    }

    /// Makes a key, which the policy then names.
    fn key(&self) -> String {
        let key = self.folder.path("key");
        let made = crafty(&["approve", "--new-key", &key]).expect(0);
        self.policy(&format!("[permissions]\n{}", made.out));
        key
    }

    fn line(&self, line: &str) -> String {
        let (etc, lib) = (self.folder.path("etc"), self.folder.path("lib"));
        format!("mount --bind {etc} /etc && mount --bind {lib} /var/lib && cd / && {line}")
    }

    /// Runs a line of shell there.
    fn sh(&self, line: &str) -> Ran {
        self.spaces
            .run("a", &["unshare", "-m", "sh", "-c", &self.line(line)])
    }

    fn start(&self, line: &str) -> Running {
        self.spaces
            .start("a", &["unshare", "-m", "sh", "-c", &self.line(line)])
    }

    fn run(&self, words: &str) -> Ran {
        self.sh(&format!("{CRAFTY} run {} {words}", self.program))
    }

    fn approve(&self, words: &str) -> Ran {
        self.sh(&format!(
            "{CRAFTY} approve {} --key {} --yes {words}",
            self.program,
            self.folder.path("key")
        ))
    }

    fn approval(&self) -> String {
        format!("{}.approval", self.program)
    }

    fn journal(&self) -> String {
        let path = self.folder.path("lib/crafty/journal/0");
        std::fs::read_to_string(path).unwrap_or_default()
    }

    /// Echo requests that reach the other end while `work` is done.
    fn seen(&self, work: impl FnOnce()) -> usize {
        let far = self.folder.path("far.pcap");
        let capture = self.spaces.capture_many("b", "a", &far);
        work();
        capture.stop();
        let is_request = |seen: &&Seen| seen.protocol == 1 && seen.head[0] == 8;
        datagrams(&far).iter().filter(is_request).count()
    }
}

#[test]
fn an_approval_is_for_one_program_host_time_and_number_of_runs() {
    let Some(host) = Host::new() else { return };
    host.key();
    let sent = host.seen(|| {
        host.run("")
            .expect(3)
            .complains(&["require_approval", "there is no approval"]);
        host.approve("--host other")
            .expect(0)
            .says(&["worst case", "approved"]);
        host.run("").expect(3).complains(&["for host `other`"]);
        host.approve("--for 1s").expect(0);
        std::thread::sleep(Duration::from_millis(2_100));
        host.run("").expect(3).complains(&["expired"]);
        host.approve("--runs 2").expect(0);
        host.run("size=9")
            .expect(3)
            .complains(&["approved was digest"]);
        host.run("--max-packets 19")
            .expect(3)
            .complains(&["approved was digest"]);
        host.sh(&format!("{CRAFTY} run - < {}", host.program))
            .expect(3);
    });
    assert_eq!(sent, 0);
    let sent = host.seen(|| {
        host.run("").expect(0);
        host.run("").expect(0);
        host.run("")
            .expect(3)
            .complains(&["2 runs, and all are used"]);
    });
    assert_eq!(sent, 6);
    // What needs no approval continues.
    host.run("--lab demo").expect(0);
    host.run("--dry-run").expect(0);
}

/// The run of an approval is counted before anything is sent: a process that is killed has had it.
#[test]
fn a_killed_run_has_used_its_approval() {
    let Some(host) = Host::new() else { return };
    host.key();
    let waits = PING.replace("wait 100ms", "wait 5s");
    std::fs::write(&host.program, waits).expect("a program");
    host.approve("").expect(0);
    let sent = host.seen(|| {
        let run = host.start(&format!("exec {CRAFTY} run {}", host.program));
        host.spaces.owned("a");
        run.signal("KILL");
        drop(run);
        host.run("").expect(3).complains(&["1 run, which is used"]);
    });
    assert_eq!(sent, 0);
}

#[test]
fn one_run_that_is_left_is_begun_once() {
    let Some(host) = Host::new() else { return };
    host.key();
    host.approve("").expect(0);
    let sent = host.seen(|| {
        let line = format!("exec {CRAFTY} run {} 2>&1", host.program);
        let runs: Vec<Running> = (0..8).map(|_| host.start(&line)).collect();
        let statuses: Vec<_> = runs.into_iter().map(|run| run.output().0).collect();
        let begun = statuses.iter().filter(|status| **status == Some(0)).count();
        let refused = statuses.iter().filter(|status| **status == Some(3)).count();
        assert_eq!((begun, refused), (1, 7), "{statuses:?}");
    });
    assert_eq!(sent, 3);
}

/// Another key of the same number, a file behind a link, an approval that was moved to another program.
#[test]
fn what_an_attacker_puts_in_place_approves_nothing() {
    let Some(host) = Host::new() else { return };
    host.key();
    let secret = host.folder.path("key");
    host.sh(&format!("chmod 640 {secret}"));
    host.approve("")
        .expect(2)
        .complains(&["others may read it", "chmod 600"]);
    host.sh(&format!("chmod 600 {secret}"));
    let victim = host.folder.file("victim", "precious");
    std::os::unix::fs::symlink(&victim, host.approval()).expect("a link");
    host.approve("").expect(2).complains(&["a link"]);
    assert_eq!(std::fs::read_to_string(&victim).expect("it"), "precious");
    std::fs::remove_file(host.approval()).expect("removed");
    // Somebody else's key, and then this approval under the name of the right one.
    let other = host.folder.path("other");
    crafty(&["approve", "--new-key", &other]).expect(0);
    host.sh(&format!(
        "{CRAFTY} approve {} --key {other} --yes",
        host.program
    ))
    .expect(0);
    let sent = host.seen(|| {
        host.run("")
            .expect(3)
            .complains(&["the policy does not name that key"]);
        let foreign = std::fs::read_to_string(host.approval()).expect("an approval");
        host.approve("").expect(0);
        let own = std::fs::read_to_string(host.approval()).expect("an approval");
        let mixed = |lines: [usize; 2]| {
            let mut text: Vec<&str> = own.lines().collect();
            let theirs: Vec<&str> = foreign.lines().collect();
            lines.iter().for_each(|at| text[*at] = theirs[*at]);
            text.join("\n") + "\n"
        };
        for text in [
            own.replace("runs=1", "runs=9"),
            own.replace("host=", "host=any"),
            own.replace("not-after=1", "not-after=2"),
            own.replace("BUDGET.max_packets = 20", "BUDGET.max_packets = 21"),
            mixed([2, 3]),
            mixed([1, 1]),
        ] {
            std::fs::write(host.approval(), text).expect("an approval");
            host.run("").expect(3);
        }
        std::fs::write(host.approval(), own).expect("an approval");
        let program = PING.replace("#00", "#01");
        std::fs::write(&host.program, program).expect("another program");
        host.run("").expect(3).complains(&["approved was digest"]);
    });
    assert_eq!(sent, 0);
}

/// The tool that the format is from reads what we sign; what it signs with a password-free key of
/// its own is an approval too, except for its older form, which signs no digest of the text.
#[test]
fn minisign_and_we_read_each_other() {
    let Some(host) = Host::new() else { return };
    if skipped(installed("minisign"), "`minisign` is not installed") {
        return;
    }
    let (key, public) = (host.folder.path("key"), host.folder.path("key.pub"));
    let made = run(&["minisign", "-G", "-W", "-p", &public, "-s", &key]);
    made.expect(0);
    let public_text = std::fs::read_to_string(&public).expect("a key");
    let line = public_text.lines().nth(1).expect("its line");
    host.policy(&format!("[permissions]\nrequire_approval = [\"{line}\"]\n"));
    host.approve("").expect(0);
    let approval = std::fs::read_to_string(host.approval()).expect("an approval");
    let lines: Vec<&str> = approval.lines().collect();
    let terms = lines[2].strip_prefix("trusted comment: ").expect("terms");
    let digest = terms.split("digest=").nth(1).expect("a digest");
    let digest = host.folder.file("digest", &digest[..64]);
    let path = host.approval();
    let verified = run(&["minisign", "-V", "-m", &digest, "-x", &path, "-p", &public]);
    verified.expect(0).says(&["crafty approval 1 digest="]);
    let document = &approval[lines[..4].iter().map(|line| line.len() + 1).sum()..];
    let signature = host.folder.path("signature");
    for (form, status) in [(&["-l"][..], 3), (&[], 0)] {
        let words = [
            "minisign",
            "-S",
            "-m",
            &digest,
            "-x",
            &signature,
            "-s",
            &key,
            "-t",
            terms,
            "-c",
            "crafty approval",
        ];
        run(&[&words[..], form].concat()).expect(0);
        let four = std::fs::read_to_string(&signature).expect("a signature");
        std::fs::write(host.approval(), four + document).expect("an approval");
        host.run("").expect(status);
    }
}

/// Fifty at once, some of them killed: together they send no more than root's policy gives this user.
#[test]
fn fifty_runs_at_once_do_not_multiply_the_operators_limit() {
    let Some(host) = Host::new() else { return };
    host.policy("[budget]\nmax_packets_per_hour = 40\n");
    // Each owns another identifier.
    let own = PING
        .replace("77", "number")
        .replace("param size", "param number: int = 0\nparam size");
    std::fs::write(&host.program, own).expect("a program");
    let (mut begun, mut refused) = (0, 0);
    let sent = host.seen(|| {
        let line = |n| format!("exec {CRAFTY} run {} number={n} 2>&1", host.program);
        let runs: Vec<Running> = (0..50).map(|n| host.start(&line(n))).collect();
        for (number, run) in runs.into_iter().enumerate() {
            if number % 10 == 0 {
                run.signal("KILL");
            }
            let (status, out, _) = run.output();
            match status {
                Some(0) => begun += 1,
                None | Some(137) => {}
                Some(3) => {
                    assert!(out.contains("packets this hour left"), "{out}");
                    refused += 1;
                }
                other => panic!("{other:?}: {out}"),
            }
        }
    });
    assert!(
        begun >= 2 && refused >= 2 && sent >= 6,
        "{begun} begun, {refused} refused, {sent} sent"
    );
    assert!(sent <= 40, "{sent} were sent");
    let set_aside = set_aside(&host.journal());
    assert!(
        (sent as u64..=40).contains(&set_aside),
        "{set_aside} set aside, {sent} sent:\n{}",
        host.journal()
    );
    host.sh(&format!("{CRAFTY} doctor")).says(&[
        "all runs of user 0 together have",
        "of 40 packets this hour",
    ]);
}

/// Packets that a journal has set aside, less what was given back.
fn set_aside(journal: &str) -> u64 {
    let amount = |word: &str| -> u64 {
        let lines = journal
            .lines()
            .filter(|line| line.starts_with(word) && line.ends_with('.'));
        lines
            .filter_map(|line| line.split(' ').nth(5)?.parse::<u64>().ok())
            .sum()
    };
    amount("reserved ") - amount("returned ")
}

/// A user who is not root has a journal that only root can shorten; without it nothing runs.
#[test]
fn users_cannot_take_back_what_was_counted() {
    let Some(host) = Host::new() else { return };
    host.policy("[budget]\nmax_packets_per_day = 15\n");
    // Where everybody can read it.
    let copy = host.folder.path("crafty");
    run(&["cp", CRAFTY, &copy]).expect(0);
    let as_user = "setpriv --reuid 4242 --regid 4242 --clear-groups --inh-caps +net_raw,+net_admin --ambient-caps +net_raw,+net_admin";
    let ping = format!("{as_user} {copy} run {}", host.program);
    let journal = "/var/lib/crafty/journal/4242";
    host.sh(&ping)
        .expect(3)
        .complains(&["is not there for user 4242", "chattr +a"]);
    host.sh(&format!(
        "install -d /var/lib/crafty/journal && install -o 4242 -m 600 /dev/null {journal}"
    ))
    .expect(0);
    host.sh(&ping)
        .expect(3)
        .complains(&["could be rewritten by user 4242"]);
    if skipped(
        host.sh(&format!("chattr +a {journal}")).status == 0,
        "this file system has no append-only files",
    ) {
        return;
    }
    let sent = host.seen(|| {
        host.sh(&ping)
            .expect(0)
            .complains(&["9 of 15 packets this day left"]);
        host.sh(&ping).expect(0);
        for trick in [
            ": > JOURNAL",
            "rm -f JOURNAL; test ! -e JOURNAL",
            "mv JOURNAL /tmp/x",
            "truncate -s 0 JOURNAL",
            "chattr -a JOURNAL",
            "dd if=/dev/zero of=JOURNAL bs=1 count=9 conv=notrunc",
        ] {
            let line = format!("{as_user} sh -c '{}'", trick.replace("JOURNAL", journal));
            assert_ne!(host.sh(&line).status, 0, "{trick}");
        }
        // Whoever may write lines can say that something was given back. Nobody believes it.
        let text = host.sh(&format!("cat {journal}")).expect(0).out;
        let line = text
            .lines()
            .find(|line| line.starts_with("reserved"))
            .expect("a line");
        let forged = line.replace("reserved", "returned");
        host.sh(&format!("{as_user} sh -c 'echo \"{forged}\" >> {journal}'"))
            .expect(0);
        host.sh(&ping)
            .expect(3)
            .complains(&["3 of 15 packets this day left, and this one may send 6"]);
        // Nor do other variables lead to another journal.
        let elsewhere = format!("XDG_STATE_HOME=/tmp HOME=/tmp {ping}");
        host.sh(&elsewhere).expect(3);
    });
    assert_eq!(sent, 6);
    host.sh(&format!("chattr -a {journal}")).expect(0);
}
