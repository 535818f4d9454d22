//! Network namespaces that end with their test. One test at a time, so that clocks and budgets mean
//! something on a small machine.

use crate::referee::Watched;
use crate::tool::{CRAFTY, Ran, installed, run, run_reading, skipped};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Namespaces of one test.
pub struct Spaces {
    prefix: String,
    names: Vec<String>,
    /// Whether a program has crafted segments here: then no capture can tell whose they are.
    crafted: Arc<AtomicBool>,
    _turn: MutexGuard<'static, ()>,
}

impl Spaces {
    /// New namespaces, each with its loopback up and IPv6 ready at once; nothing, with a word,
    /// where this machine does not let us.
    pub fn new(names: &[&str]) -> Option<Spaces> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let root = run(&["id", "-u"]).out.trim() == "0";
        let able = root
            && ["ip", "nft", "tcpdump", "python3"]
                .into_iter()
                .all(installed);
        if skipped(
            able,
            "namespaces need root, `ip`, `nft`, `tcpdump` and `python3`",
        ) {
            return None;
        }
        let turn = ONE_AT_A_TIME
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let prefix = format!(
            "ci{}n{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let spaces = Spaces {
            prefix,
            names: names.iter().map(|n| n.to_string()).collect(),
            crafted: Arc::default(),
            _turn: turn,
        };
        if skipped(
            run(&["ip", "netns", "add", &spaces.name(names[0])]).status == 0,
            "this machine allows no network namespace",
        ) {
            return None;
        }
        names[1..]
            .iter()
            .for_each(|name| shell(&format!("ip netns add {}", spaces.name(name))));
        names.iter().for_each(|name| spaces.prepare(name));
        Some(spaces)
    }

    fn prepare(&self, name: &str) {
        self.sh(name, "ip link set lo up");
        let keys = [
            "ipv6.conf.all.accept_dad=0",
            "ipv6.conf.default.accept_dad=0",
            "ipv4.icmp_ratelimit=0",
            "ipv6.icmp.ratelimit=0",
        ];
        keys.iter()
            .for_each(|key| self.sh(name, &format!("sysctl -qw net.{key}")));
    }

    pub fn name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Runs a line of shell inside a namespace; fails the test if it fails.
    pub fn sh(&self, name: &str, line: &str) {
        run(&["ip", "netns", "exec", &self.name(name), "sh", "-c", line]).expect(0);
    }

    /// Joins two namespaces: each end is a namespace and its addresses; the device is named after
    /// the other end.
    pub fn join(&self, (a, to_a): (&str, &[&str]), (b, to_b): (&str, &[&str])) {
        shell(&format!(
            "ip link add to_{b} netns {} type veth peer name to_{a} netns {}",
            self.name(a),
            self.name(b)
        ));
        for (name, other, addresses) in [(a, b, to_a), (b, a, to_b)] {
            addresses.iter().for_each(|address| {
                self.sh(name, &format!("ip addr add {address} dev to_{other}"))
            });
            self.sh(name, &format!("ip link set to_{other} up"));
        }
    }

    /// Runs a command inside a namespace.
    pub fn run(&self, name: &str, words: &[&str]) -> Ran {
        self.run_reading(name, b"", words)
    }

    fn run_reading(&self, name: &str, input: &[u8], words: &[&str]) -> Ran {
        let (_, watched) = Watched::around(words, input);
        self.note(watched.as_ref());
        run_reading(
            input,
            &[&["ip", "netns", "exec", &self.name(name)], words].concat(),
        )
    }

    fn note(&self, watched: Option<&Watched>) {
        if watched.is_some_and(Watched::crafts) {
            self.crafted.store(true, Ordering::Relaxed);
        }
    }

    /// Runs the tool inside a namespace.
    pub fn crafty(&self, name: &str, words: &[&str]) -> Ran {
        self.run(name, &[&[CRAFTY], words].concat())
    }

    /// Runs a program's text inside a namespace.
    pub fn program(&self, name: &str, source: &str) -> Ran {
        self.run_reading(name, source.as_bytes(), &[CRAFTY, "run", "-"])
    }

    /// Starts a command inside a namespace. The referee judges a run of the tool as it ends.
    pub fn start(&self, name: &str, words: &[&str]) -> Running {
        let (words, watched) = Watched::around(words, b"");
        self.note(watched.as_ref());
        let mut command = Command::new("ip");
        command
            .args(["netns", "exec", &self.name(name)])
            .args(&words);
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Running {
            child: child.expect("a command that starts"),
            output: None,
            watched,
            crafted: Arc::clone(&self.crafted),
        }
    }

    /// Starts a Python script that prints a line once it is ready.
    pub fn python(&self, name: &str, script: &str) -> Running {
        self.speaking(name, &["python3", "-u", "-c", script])
    }

    /// Starts a command that prints a line once it is ready.
    pub fn speaking(&self, name: &str, words: &[&str]) -> Running {
        let mut running = self.start(name, words);
        running.first_line();
        running
    }

    /// Captures on the device towards `other` until told to stop.
    /// What it holds is judged then.
    pub fn capture(&self, name: &str, other: &str, file: &str) -> Running {
        let mut running = self.tcpdump(name, other, &["-s", "0", "-w", file]);
        running.watched = Some(Watched::capture(file));
        running
    }

    /// The same for many frames at once, of which it keeps 128 bytes each.
    pub fn capture_many(&self, name: &str, other: &str, file: &str) -> Running {
        let mut running = self.tcpdump(name, other, &["-s", "128", "-w", file]);
        running.watched = Some(Watched::capture(file));
        running
    }

    fn tcpdump(&self, name: &str, other: &str, more: &[&str]) -> Running {
        let device = format!("to_{other}");
        // A busy machine writes late: meanwhile the kernel keeps 64 MiB for it, a quarter of a MiB
        // for each whole frame.
        let words = [
            &[
                "tcpdump",
                "-i",
                &device,
                "-U",
                "-nn",
                "--immediate-mode",
                "-B",
                "65536",
            ],
            more,
        ]
        .concat();
        let mut running = self.start(name, &words);
        let mut lines = BufReader::new(running.child.stderr.take().expect("its words")).lines();
        let listens = lines.any(|line| line.is_ok_and(|l| l.contains("listening on")));
        assert!(listens, "tcpdump does not listen");
        std::thread::spawn(move || lines.for_each(drop));
        running
    }

    /// Waits until a run there owns its ports: its table of the firewall stands.
    #[track_caller]
    pub fn owned(&self, name: &str) {
        for _ in 0..400 {
            if self.rules(name).contains("table inet crafty_") {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("no run owns ports in `{name}`:\n{}", self.rules(name));
    }

    /// All firewall rules of a namespace.
    pub fn rules(&self, name: &str) -> String {
        self.run(name, &["nft", "list", "ruleset"]).expect(0).out
    }
}

impl Drop for Spaces {
    fn drop(&mut self) {
        for name in &self.names {
            run(&["ip", "netns", "del", &self.name(name)]);
        }
    }
}

#[track_caller]
fn shell(line: &str) {
    run(&["sh", "-c", line]).expect(0);
}

/// A command that runs beside the test, and ends with it.
pub struct Running {
    child: Child,
    output: Option<BufReader<ChildStdout>>,
    watched: Option<Watched>,
    crafted: Arc<AtomicBool>,
}

impl Running {
    fn first_line(&mut self) {
        let mut reader = BufReader::new(self.child.stdout.take().expect("its output"));
        let mut line = String::new();
        let read = reader.read_line(&mut line).unwrap_or(0);
        let mut err = String::new();
        if read == 0 {
            let stderr = self.child.stderr.take();
            let _ = stderr.map(|mut e| e.read_to_string(&mut err));
        }
        assert!(read > 0, "it ended before it was ready: {err}");
        self.output = Some(reader);
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        run(&["kill", &format!("-{name}"), &self.child.id().to_string()]);
    }

    /// Ends it politely and waits.
    #[track_caller]
    pub fn stop(mut self) {
        // Frames on their way through the kernel still reach a capture.
        std::thread::sleep(std::time::Duration::from_millis(100));
        self.signal("INT");
        self.wait();
    }

    /// Waits for its end; gives its exit status. The referee judges what it recorded.
    #[track_caller]
    pub fn wait(&mut self) -> Option<i32> {
        let status = self.child.wait().ok().and_then(|s| s.code());
        let crafted = self.crafted.load(Ordering::Relaxed);
        let judged = |watched: &Watched| watched.is_run() || !crafted;
        if let Some(watched) = self.watched.take().filter(judged) {
            watched.judge();
        }
        status
    }

    /// Reads what it says on standard error up to a line with these words; gives all of that. What it
    /// says on standard output is read and forgotten if `drained`.
    pub fn errors_until(&mut self, words: &str, drained: bool) -> String {
        if drained && let Some(mut output) = self.output.take() {
            std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
        }
        let mut lines = BufReader::new(self.child.stderr.take().expect("its words")).lines();
        let mut said = String::new();
        while let Some(Ok(line)) = lines.next() {
            said += &(line + "\n");
            if said.contains(words) {
                break;
            }
        }
        // The rest still has somewhere to go.
        std::thread::spawn(move || lines.for_each(drop));
        said
    }

    /// Waits for its end; gives its status and output.
    #[track_caller]
    pub fn output(mut self) -> (Option<i32>, String, String) {
        let (mut out, mut err) = (String::new(), String::new());
        let (stdout, stderr) = (self.child.stdout.take(), self.child.stderr.take());
        // Both at once: it must not wait for a reader of the one while the other is read.
        std::thread::scope(|scope| {
            scope.spawn(|| stderr.map(|mut e| e.read_to_string(&mut err)));
            let _ = stdout.map(|mut o| o.read_to_string(&mut out));
            // What follows the first line, where that was read.
            let _ = self.output.as_mut().map(|o| o.read_to_string(&mut out));
        });
        (self.wait(), out, err)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
