//! How tests run the binary: with an empty environment of its own, a limit of time, and a folder
//! that goes away.

use crate::referee::Watched;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// The binary under test.
pub const CRAFTY: &str = env!("CARGO_BIN_EXE_crafty");

/// Seconds after which a command is killed and its test fails.
const PATIENCE: &str = "120";

/// How a command ended.
#[derive(Debug)]
pub struct Ran {
    /// Exit status; 124 if it took too long, negative for a signal.
    pub status: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Ran {
    /// Fails the test, with everything that was said, unless the status is this one.
    #[track_caller]
    pub fn expect(self, status: i32) -> Ran {
        assert_eq!(
            self.status, status,
            "\n--- out\n{}\n--- err\n{}",
            self.out, self.err
        );
        assert!(!self.err.contains("panicked"), "{}", self.err);
        self
    }

    /// Fails the test unless the output holds each of these.
    #[track_caller]
    pub fn says(self, words: &[&str]) -> Ran {
        self.holds("out", &self.out, words);
        self
    }

    /// The same for standard error.
    #[track_caller]
    pub fn complains(self, words: &[&str]) -> Ran {
        self.holds("err", &self.err, words);
        self
    }

    #[track_caller]
    fn holds(&self, stream: &str, text: &str, words: &[&str]) {
        let missing: Vec<_> = words.iter().filter(|w| !text.contains(**w)).collect();
        assert!(
            missing.is_empty(),
            "{stream} lacks {missing:?}\n--- out\n{}\n--- err\n{}",
            self.out,
            self.err
        );
    }
}

/// Root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

/// An example's path.
pub fn example(name: &str) -> String {
    root().join("examples").join(name).display().to_string()
}

/// Runs the binary.
pub fn crafty(words: &[&str]) -> Ran {
    crafty_reading("", words)
}

/// Runs the binary with a text on standard input.
pub fn crafty_reading(input: &str, words: &[&str]) -> Ran {
    run_reading(input.as_bytes(), &[&[CRAFTY], words].concat())
}

/// Runs a program's text in the demo lab.
pub fn lab(source: &str) -> Ran {
    crafty_reading(source, &["run", "--lab", "demo", "-"])
}

/// Runs any command.
pub fn run(words: &[&str]) -> Ran {
    run_reading(b"", words)
}

/// Runs any command with bytes on standard input.
#[track_caller]
pub fn run_reading(input: &[u8], words: &[&str]) -> Ran {
    let (words, watched) = Watched::around(words, input);
    let mut command = Command::new("timeout");
    command
        .args(["-k", "1", PATIENCE])
        .args(&words)
        .current_dir(root());
    let own = std::env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| name.to_string_lossy().starts_with("CRAFTY_"));
    for name in own {
        command.env_remove(name);
    }
    let child = command
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.unwrap_or_else(|e| panic!("`{words:?}` does not start: {e}"));
    let input = input.to_vec();
    let stdin = child.stdin.take();
    let writer = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
    let output = child.wait_with_output().expect("a command's output");
    let _ = writer.join();
    if let Some(watched) = watched {
        watched.judge();
    }
    let ran = ran(&output);
    assert!(!ran.err.contains("the referee found"), "{}", ran.err);
    ran
}

fn ran(output: &Output) -> Ran {
    use std::os::unix::process::ExitStatusExt;
    Ran {
        status: output
            .status
            .code()
            .unwrap_or_else(|| -output.status.signal().unwrap_or(0)),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Whether a tool of others is installed.
pub fn installed(tool: &str) -> bool {
    Command::new("sh")
        .args(["-c", &format!("command -v {tool}")])
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

/// Says, in the one form that `./test` counts, that a test did not do its work; gives `true` where
/// it should stop.
pub fn skipped(unless: bool, why: &str) -> bool {
    if !unless {
        eprintln!("skipped: {why}");
    }
    !unless
}

/// A folder that goes away with the test.
pub struct Folder(PathBuf);

impl Folder {
    /// A new empty one.
    pub fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "crafty-it-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Writes a file; gives its path.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a file for the test");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
