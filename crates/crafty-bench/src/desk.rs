//! The desk of a candidate: a portal's network, its tool set as the root of the file system, its own
//! processes, and no rights but those over that network: raw sockets, its interface and firewall. It
//! sees nothing of the lab.

use crafty_net::monotonic;
use crafty_value::Time;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

/// Most bytes of a command's output that are given back.
const MOST_OUTPUT: usize = 32 << 10;

/// What a candidate's shell runs in: the namespaces first, then no more rights than it needs.
const INSIDE: &str = "hostname desk && cd /root && export HOME=/root PATH=/usr/bin:/usr/sbin:/bin:/sbin && \
exec setpriv --bounding-set -all,+net_raw,+net_admin --inh-caps -all --ambient-caps -all --no-new-privs sh -c \"$0\"";

/// A portal with its tools.
#[derive(Clone, Debug)]
pub(crate) struct Desk {
    /// The namespace's thread, in this process.
    pub thread: i32,
    /// The root of the tool set.
    pub root: PathBuf,
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Done {
    /// Both outputs, as they came, cut to what is given back.
    pub output: String,
    /// Bytes that were said in all.
    pub said: usize,
    /// Exit status; none where it was killed.
    pub status: Option<i32>,
    /// Whether it took longer than it may.
    pub late: bool,
    /// How long it took.
    pub took: Duration,
}

impl Desk {
    /// Runs a line of the shell for at most `patience`.
    pub fn run(&self, line: &str, input: &[u8], patience: Duration) -> std::io::Result<Done> {
        let begun = monotonic();
        let mut child = self.shell(line).spawn()?;
        let mut to = child.stdin.take();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || {
            // A command that does not read its input is not an error.
            to.take()
                .map(|mut it| std::io::Write::write_all(&mut it, &input))
        });
        let from = child.stdout.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
        let (tell, told) = channel();
        std::thread::spawn(move || drop(tell.send(kept(from))));
        let read = told.recv_timeout(patience);
        let late = read.is_err();
        if late {
            child.kill()?;
        }
        let status = child.wait()?;
        // With the last process of its namespace gone, the output has ended.
        let (kept, said) = read
            .or_else(|_| told.recv_timeout(Duration::from_secs(5)))
            .unwrap_or_default();
        drop(writer);
        Ok(Done {
            output: String::from_utf8_lossy(&kept).into_owned(),
            said,
            status: status.code(),
            late,
            took: since(begun),
        })
    }

    /// The line as a command in the namespaces and the root of the desk.
    fn shell(&self, line: &str) -> Command {
        let net = format!("/proc/{}/task/{}/ns/net", std::process::id(), self.thread);
        let apart = [
            "--mount",
            "--uts",
            "--ipc",
            "--pid",
            "--fork",
            "--kill-child",
        ];
        let mut command = Command::new("nsenter");
        command
            .arg(format!("--net={net}"))
            .arg("unshare")
            .args(apart)
            .arg(root_option(&self.root))
            .args(["--mount-proc", "/bin/sh", "-c", INSIDE])
            .arg(format!("exec 2>&1; {line}"))
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command
    }
}

/// What comes until the end, cut to what is given back; and how many bytes it was.
fn kept(mut from: impl Read) -> (Vec<u8>, usize) {
    let (mut kept, mut said, mut buffer) = (Vec::new(), 0, [0; 8192]);
    while let Ok(len @ 1..) = from.read(&mut buffer) {
        said += len;
        let room = MOST_OUTPUT - kept.len();
        kept.extend_from_slice(&buffer[..len.min(room)]);
    }
    (kept, said)
}

/// How long ago that was.
pub(crate) fn since(begun: Time) -> Duration {
    Duration::from_nanos(monotonic().since(begun).0.unsigned_abs())
}

fn root_option(root: &Path) -> String {
    format!("--root={}", root.display())
}
