//! Every run that a test starts is recorded, and the referee judges the TCP of the recording: no
//! new test can forget it. Programs that craft segments themselves, or change those of the stack,
//! may break any rule: that is what they are for.

use crate::tool::{CRAFTY, root};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Words of a run that leave no recording, or another's.
const APART: &[&str] = &["--replay", "--dry-run", "--help", "--pcap-in"];
/// In a program's text, what sends TCP that is not the stack's.
const CRAFTS: &[&str] = &[
    "TCP(",
    "on out",
    "on linger=0s out",
    "Raw(",
    "replace",
    "from_pcap",
];
/// What the lab's hosts (smoltcp) are known to do.
const STRANGERS: &[&str] = &["error[fin_beyond_window]"];

/// The recording of a run.
#[derive(Debug)]
pub struct Watched {
    file: PathBuf,
    own: bool,
}

impl Watched {
    /// The same command with a recording, if it is a run whose TCP is the stack's.
    pub fn around(words: &[&str], input: &[u8]) -> (Vec<String>, Option<Watched>) {
        let mut words: Vec<String> = words.iter().map(|word| (*word).to_string()).collect();
        let run = words
            .windows(2)
            .position(|pair| pair[0] == CRAFTY && pair[1] == "run");
        let apart = words.iter().any(|word| APART.contains(&word.as_str()));
        let Some(run) = run.filter(|_| !apart && !crafts(&words, input)) else {
            return (words, None);
        };
        if let Some(at) = words.iter().position(|word| word == "--pcap") {
            let file = words.get(at + 1).map(PathBuf::from).unwrap_or_default();
            return (words, Some(Watched { file, own: false }));
        }
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("crafty-watched-{}-{number}.pcapng", std::process::id());
        let file = std::env::temp_dir().join(name);
        let more = ["--pcap".to_string(), file.display().to_string()];
        words.splice(run + 2..run + 2, more);
        (words, Some(Watched { file, own: true }))
    }

    /// Fails the test if an end did what TCP may never do. A run that was refused left nothing.
    #[track_caller]
    pub fn judge(self) {
        let file = root().join(&self.file);
        let judged = Command::new(CRAFTY)
            .args(["findings", "--strict"])
            .arg(&file)
            .output()
            .expect("the referee");
        let said = String::from_utf8_lossy(&judged.stdout).into_owned();
        let faults: Vec<&str> = said
            .lines()
            .filter(|line| !STRANGERS.iter().any(|known| line.starts_with(known)))
            .collect();
        assert!(
            faults.is_empty(),
            "the referee found:\n{}",
            faults.join("\n")
        );
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if self.own {
            let _ = std::fs::remove_file(root().join(&self.file));
        }
    }
}

/// Whether one of the programs, on standard input or in a file, sends TCP by itself.
fn crafts(words: &[String], input: &[u8]) -> bool {
    let file = |word: &String| {
        let path = word.split('@').next().unwrap_or_default();
        let program = path.ends_with(".crafty");
        program.then(|| std::fs::read_to_string(root().join(path)).unwrap_or_default())
    };
    let texts = words.iter().filter_map(file);
    texts
        .chain([String::from_utf8_lossy(input).into_owned()])
        .any(|text| CRAFTS.iter().any(|word| text.contains(word)))
}
