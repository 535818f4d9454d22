//! The lab in real time: tools of others meet the simulated network in its portals, and say of it
//! what is true. Root only, as all tests in namespaces; the one without root takes the rights away.

use crate::tool::{CRAFTY, Folder, Ran, crafty, example, installed, root, run, skipped};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A lab at work, with a name that no other test has. It is asked to end when the value goes.
struct Running {
    child: Child,
    name: String,
    folder: PathBuf,
}

impl Running {
    /// Starts `crafty lab run NETWORK` with more words, recorded; `None`, with a message, where this
    /// machine does not let us.
    fn start(network: &str, more: &[&str]) -> Option<Running> {
        let tools = [
            "ping",
            "mtr",
            "traceroute",
            "dig",
            "iperf3",
            "curl",
            "scapy",
        ];
        let able = run(&["id", "-u"]).out.trim() == "0" && tools.into_iter().all(installed);
        let skips = skipped(
            able,
            &format!("portals need root, and {}", tools.join(", ")),
        );
        (!skips).then(|| Running::by(&[CRAFTY], network, more))
    }

    /// The same by the command that `around` begins.
    fn by(around: &[&str], network: &str, more: &[&str]) -> Running {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("it-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(format!("crafty-lab-{name}"));
        let mut command = Command::new(around[0]);
        command.args(&around[1..]).args(["lab", "run", network]);
        command.args(["--name", &name, "--for", "110s"]).args(more);
        command.arg("--record").arg(&folder).current_dir(root());
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = String::new();
        while !said.contains("Ctrl-C ends the lab") {
            let line = lines
                .next()
                .unwrap_or_else(|| panic!("the lab ended: {said}"));
            said += &(line.unwrap() + "\n");
        }
        Running {
            child,
            name,
            folder,
        }
    }

    /// Runs a command in a portal.
    fn exec(&self, portal: &str, command: &[&str]) -> Ran {
        let words = ["lab", "exec", portal, "--name", &self.name, "--"];
        crafty(&[&words[..], command].concat())
    }

    /// Asks it to end; gives what it said of itself.
    fn end(mut self) -> String {
        let id = self.child.id().to_string();
        run(&["kill", "-INT", &id]).expect(0);
        let child = std::mem::replace(&mut self.child, Command::new("true").spawn().unwrap());
        let ended = child.wait_with_output().unwrap();
        String::from_utf8(ended.stdout).unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The round trip in milliseconds that a program measures in the same network in virtual time, at
/// the same portal.
fn true_round_trip(network: &str, portal: &str, target: &str) -> f64 {
    let file = format!("{}@{portal}", example("ping.crafty"));
    let target = format!("target={target}");
    let ran = crafty(&["run", "--lab", network, &file, &target]).expect(0);
    let first = ran
        .out
        .split("rtt=")
        .nth(1)
        .and_then(|it| it.split("ms").next());
    first
        .and_then(|it| it.parse().ok())
        .unwrap_or_else(|| panic!("{}", ran.out))
}

/// The fastest round trip of `ping`'s last line.
fn fastest(pinged: &str) -> f64 {
    let numbers = pinged.rsplit_once("= ").map(|it| it.1);
    let first = numbers.and_then(|it| it.split('/').next()?.parse().ok());
    first.unwrap_or_else(|| panic!("{pinged}"))
}

const THERE: &str = "10.64.24.20";

#[test]
fn other_tools_see_the_path_that_is_there() {
    let Some(lab) = Running::start("acme", &["--warm-up", "2s"]) else {
        return;
    };
    let words = ["traceroute", "-n", "-q", "1", "-w", "2", THERE];
    let traced = lab.exec("hamburg", &words).expect(0).out;
    let hops = traced.lines().skip(1);
    let hops: Vec<&str> = hops.filter_map(|it| it.split_whitespace().nth(1)).collect();
    assert_eq!((hops.len(), hops.last()), (7, Some(&THERE)), "{traced}");
    let words = ["mtr", "-n", "-r", "-c", "2", "-i", "0.2", THERE];
    let seen = lab.exec("hamburg", &words).expect(0).out;
    assert_eq!(seen.matches("|--").count(), 7, "{seen}");
    assert!(seen.contains(hops[0]) && seen.contains(THERE), "{seen}");
    let real = true_round_trip("acme", "hamburg", THERE);
    // No reply is earlier than light would be; how much later depends on this machine.
    for there in [THERE, "2001:db8:1000:18::14"] {
        let words = ["ping", "-n", "-c", "10", "-i", "0.05", there];
        let pinged = fastest(&lab.exec("hamburg", &words).expect(0).out);
        assert!(
            (real..real + 20.0).contains(&pinged),
            "{there}: {pinged} ms, truly {real} ms"
        );
    }
    let said = lab.end();
    assert!(said.contains("lateness of frames"), "{said}");
}

#[test]
fn other_tools_use_what_is_served_there_and_all_of_it_replays() {
    let Some(lab) = Running::start("acme", &["--warm-up", "1s"]) else {
        return;
    };
    let page = lab
        .exec(
            "hamburg",
            &["curl", "-sS", "-m", "20", "http://10.64.14.20/"],
        )
        .expect(0);
    assert!(page.out.contains("html"), "{}", page.out);
    let words = ["dig", "+short", "+time=5", "www.example.com", "A"];
    assert_eq!(lab.exec("hamburg", &words).expect(0).out, "192.0.2.80\n");
    let scapy = "from scapy.all import *; conf.verb = 0; r = sr1(IP(dst='10.64.24.20', ttl=1)/ICMP(), timeout=10); print(r.src, r[ICMP].type)";
    let said = lab
        .exec("hamburg", &["/usr/bin/python3", "-c", scapy])
        .expect(0)
        .out;
    assert_eq!(said, "10.64.0.254 11\n");
    let ping = example("ping.crafty");
    let words = [CRAFTY, "run", &ping, "target=10.64.24.20"];
    let said = lab.exec("hamburg", &words).expect(0).out;
    assert_eq!(said.matches("rtt=").count(), 5, "{said}");
    let server = "iperf3 -s -1 -D && sleep 1";
    lab.exec("ghent2", &["sh", "-c", server]).expect(0);
    let words = [
        "iperf3",
        "-c",
        "10.64.24.200",
        "-n",
        "2M",
        "-J",
        "--connect-timeout",
        "9000",
    ];
    let sent = lab.exec("hamburg", &words).expect(0).out;
    assert!(sent.contains("\"sum_received\""), "{sent}");
    let folder = lab.folder.clone();
    let kept = folder.with_extension("kept");
    fs::rename(&folder, &kept).unwrap();
    lab.end();
    let kept_name = kept.display().to_string();
    crafty(&["lab", "replay", &kept_name])
        .expect(0)
        .says(&["the same: "]);
    // One bit of one frame makes another episode of it.
    let file = kept.join("portals.pcapng");
    let mut bytes = fs::read(&file).unwrap();
    let echo = bytes
        .windows(20)
        .position(|it| it.ends_with(&[10, 64, 24, 20]))
        .unwrap();
    bytes[echo + 19] ^= 1;
    fs::write(&file, bytes).unwrap();
    crafty(&["lab", "replay", &kept_name])
        .expect(1)
        .says(&["different after "]);
    fs::remove_dir_all(&kept).unwrap();
}

#[test]
fn a_fault_is_met_in_real_time_too() {
    let Some(lab) = Running::start("demo:mtu_hole", &["--warm-up", "1s", "--portal", "west"])
    else {
        return;
    };
    let ping = |size: &str| {
        let words = [
            "ping",
            "-n",
            "-c",
            "2",
            "-W",
            "2",
            "-M",
            "do",
            "-s",
            size,
            "192.0.2.80",
        ];
        lab.exec("west", &words).status
    };
    assert_eq!((ping("56"), ping("1472")), (0, 1));
    for (words, complaint) in [
        (["--record", "/"], "`/`"),
        (["--name", "../x"], "`../x` cannot be"),
        (["--name", &lab.name], "is at work already"),
    ] {
        let words = [&["lab", "run", "demo", "--portal", "west"], &words[..]].concat();
        crafty(&words).expect(2).complains(&[complaint]);
    }
    lab.exec("east", &["true"])
        .expect(2)
        .complains(&["with a portal `east`"]);
}

/// Without root, in a user namespace of the lab's own.
#[test]
fn nobody_may_run_a_lab_too() {
    if skipped(
        run(&["id", "-u"]).out.trim() == "0",
        "only root can become nobody",
    ) {
        return;
    }
    let nobody = [
        "setpriv",
        "--reuid",
        "65534",
        "--regid",
        "65534",
        "--clear-groups",
    ];
    let namespaces = run(&[&nobody[..], &["unshare", "-Urn", "true"]].concat()).status == 0;
    if skipped(namespaces, "this host gives users no namespaces") {
        return;
    }
    // Hosts let every user open this device; not each machine of a test does.
    let device = "d=$(mktemp -u) && mknod -m 666 $d c 10 200 && mount --bind $d /dev/net/tun && rm $d && exec \"$@\"";
    let with_device = ["unshare", "-m", "sh", "-c", device, "sh"];
    let around = [&nobody[..], &[CRAFTY]].concat();
    let lab = Running::by(
        &[&with_device[..], &around].concat(),
        "demo",
        &["--warm-up", "1s", "--portal", "west"],
    );
    let words = [
        "lab",
        "exec",
        "west",
        "--name",
        &lab.name,
        "--",
        "ping",
        "-n",
        "-c",
        "1",
        "192.0.2.80",
    ];
    let pinged = run(&[&around[..], &words].concat()).expect(0);
    assert!(pinged.out.contains("1 received"), "{}", pinged.out);
    // Root has a list of its own.
    let words = ["lab", "exec", "west", "--name", &lab.name, "--", "true"];
    crafty(&words).expect(2);
}

#[test]
fn a_lab_that_was_killed_leaves_nothing() {
    let Some(mut lab) = Running::start("demo", &["--warm-up", "0s", "--portal", "west"]) else {
        return;
    };
    lab.exec("west", &["true"]).expect(0);
    let listed = crafty(&["lab", "running"]).expect(0).out;
    assert!(listed.contains(&lab.name), "{listed}");
    lab.child.kill().unwrap();
    lab.child.wait().unwrap();
    let listed = crafty(&["lab", "running"]).expect(0).out;
    assert!(!listed.contains(&lab.name), "{listed}");
    assert!(!fs::exists(format!("/run/crafty/labs/{}", lab.name)).unwrap());
}

#[test]
fn mistakes_are_told_before_anything_is_made() {
    for (words, complaint) in [
        (&["lab", "run"][..], "`run` takes one name"),
        (&["lab", "run", "dmeo"], "no network `dmeo`"),
        (
            &["lab", "run", "demo", "--portal", "wset"],
            "no portal `wset`",
        ),
        (
            &["lab", "run", "demo", "--for", "10"],
            "`10` is no time with its unit",
        ),
        (
            &["lab", "run", "demo", "--seed", "x"],
            "`--seed` needs a whole number",
        ),
        (&["lab", "run", "demo", "--record", "/"], "`/`"),
        (
            &["lab", "run", "demo", "--name", "../x"],
            "`../x` cannot be",
        ),
        (
            &["lab", "exec", "nowhere", "--", "true"],
            "no lab with a portal `nowhere`",
        ),
        (&["lab", "exec", "nowhere"], "there is no command"),
        (
            &["lab", "replay", "/nonexistent"],
            "/nonexistent/episode.toml",
        ),
    ] {
        crafty(words).expect(2).complains(&[complaint, "help:"]);
    }
}

/// Two desks with one link between them.
const NARROW: &str = r#"
name = "narrow"
doc = "Two desks with 10 Mbit/s between them."
trunk = "r1-r2"
detour = "r1-r2"
server = "sink"
segments = [{ name = "west" }, { name = "east" }]
routers = [{ name = "r1", on = ["west"] }, { name = "r2", on = ["east"] }]
links = [{ between = ["r1", "r2"], rate = "10Mbit", delay = "100us", queue = "100KiB" }]
hosts = [{ name = "sink", on = "east", services = ["tcp/9 discard"] }]
portals = [{ name = "west", doc = "A desk.", on = "west" }, { name = "east", doc = "A desk.", on = "east" }]
"#;

/// Bits a second that iperf3's receiver counted.
fn received(report: &str) -> f64 {
    let after = report.split("\"sum_received\"").nth(1);
    let number = after.and_then(|it| it.split("\"bits_per_second\":").nth(1));
    let number = number.and_then(|it| it.split([',', '}']).next()?.trim().parse().ok());
    number.unwrap_or_else(|| panic!("{report}"))
}

/// TCP of this kernel gets as much through a link of the lab as through a token bucket of the
/// kernel's own.
#[test]
fn a_link_carries_what_a_token_bucket_of_the_kernel_does() {
    let folder = Folder::new();
    let file = folder.file("narrow.toml", NARROW);
    let Some(lab) = Running::start(&file, &["--warm-up", "0s"]) else {
        return;
    };
    let east = lab
        .exec("east", &["ip", "-4", "-o", "addr", "show", "eth0"])
        .expect(0)
        .out;
    let east = east
        .split_whitespace()
        .nth(3)
        .and_then(|it| it.split('/').next())
        .unwrap();
    lab.exec("east", &["iperf3", "-s", "-1", "-D"]).expect(0);
    let client = "sleep 1; exec iperf3 -c \"$0\" -n 6M -J --connect-timeout 9000";
    let simulated = received(&lab.exec("west", &["sh", "-c", client, east]).expect(0).out);
    lab.end();
    let Some(spaces) = crate::kernel::Spaces::new(&["a", "b"]) else {
        return;
    };
    spaces.join(("a", &["10.9.0.1/24"]), ("b", &["10.9.0.2/24"]));
    let shaped = spaces.run(
        "a",
        &[
            "tc", "qdisc", "add", "dev", "to_b", "root", "tbf", "rate", "10mbit", "burst", "15k",
            "limit", "100k",
        ],
    );
    if skipped(shaped.status == 0, "this kernel has no token bucket") {
        return;
    }
    spaces.run("b", &["iperf3", "-s", "-1", "-D"]).expect(0);
    let real = received(
        &spaces
            .run("a", &["sh", "-c", client, "10.9.0.2"])
            .expect(0)
            .out,
    );
    let ratio = simulated / real;
    eprintln!("lab {simulated:.0} bit/s, kernel {real:.0} bit/s: {ratio:.3}");
    assert!(
        (0.9..1.1).contains(&ratio),
        "{simulated} bit/s, and {real} bit/s of the kernel"
    );
}

/// The page of an episode in a real browser: it plays, and shows at the end where the fault was.
#[test]
fn a_page_plays_an_episode() {
    let browser = installed("chromium");
    if skipped(browser, "`chromium` is not installed") {
        return;
    }
    let words = ["--warm-up", "0s", "--portal", "west"];
    let Some(lab) = Running::start("demo:loss=60@r1>r2", &words) else {
        return;
    };
    let words = [
        "ping",
        "-n",
        "-c",
        "30",
        "-i",
        "0.02",
        "-W",
        "1",
        "192.0.2.80",
    ];
    lab.exec("west", &words);
    let (folder, kept) = (Folder::new(), lab.folder.with_extension("kept"));
    fs::rename(&lab.folder, &kept).unwrap();
    lab.end();
    let page = folder.path("page.html");
    let kept_name = kept.display().to_string();
    crafty(&["lab", "replay", &kept_name, "--page", &page]).expect(0);
    crafty(&["lab", "replay", &kept_name, "--page", &page])
        .expect(5)
        .complains(&["page.html"]);
    fs::remove_dir_all(&kept).unwrap();
    let seen = |part: &str| {
        let (profile, url) = (folder.path("profile"), format!("file://{page}{part}"));
        let profile = format!("--user-data-dir={profile}");
        let words = [
            "chromium",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            &profile,
            "--dump-dom",
            &url,
        ];
        run(&words).expect(0).out
    };
    let (first, last) = (seen(""), seen("#end"));
    assert!(
        !first.contains("loss at") && !first.contains("class=\"fault\""),
        "{first}"
    );
    assert!(last.contains("loss at r1&gt;r2"), "{last}");
    let marked = last
        .split("<line")
        .filter(|it| it.contains("class=\"fault\""))
        .collect::<Vec<_>>();
    assert!(
        matches!(marked[..], [line] if line.contains("data-link=\"r1-r2\"")),
        "{marked:?}"
    );
}
