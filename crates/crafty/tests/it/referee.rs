//! Every run that a test starts on this host's network is recorded, and the referee judges the TCP of
//! the recording; in a lab it sits in the lab itself (feature `referee` of crafty-sim): no new test
//! can forget it. Where a program crafts segments itself, or changes those of the stack, its own end
//! may break any rule: that is what it is for. Its peers may not, and are judged.

use crate::tool::{CRAFTY, root};
use crafty_referee::harness::crafts;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Words of a run that is not judged, and why.
const APART: &[(&str, &str)] = &[
    ("--lab", "the lab has a referee of its own, at each host"),
    (
        "--replay",
        "the peer is a recording, which answers what was sent then",
    ),
    ("--dry-run", "nothing is sent"),
    ("--help", "nothing runs"),
    ("--pcap-in", "what it hears is another's recording"),
];
/// How a fault of an end on this side of a recording is marked.
const OURS: &str = ", sent from here]";
/// The recording of a run.
#[derive(Debug)]
pub struct Watched {
    file: PathBuf,
    /// Whether the recording is the referee's alone.
    own: bool,
    crafts: bool,
    /// Whether it is a run's, and no capture of others.
    run: bool,
}

impl Watched {
    /// The same command with a recording, if it is a run.
    pub fn around(words: &[&str], input: &[u8]) -> (Vec<String>, Option<Watched>) {
        let mut words: Vec<String> = words.iter().map(|word| (*word).to_string()).collect();
        let run = words
            .windows(2)
            .position(|pair| pair[0] == CRAFTY && pair[1] == "run");
        let apart = |word: &String| APART.iter().any(|(apart, _)| apart == word);
        let Some(run) = run.filter(|_| !words.iter().any(apart)) else {
            return (words, None);
        };
        let texts = texts(&words, input);
        // Recording takes time, which tests of rates measure.
        if !texts.is_empty() && !texts.iter().any(|text| text.contains("TCP")) {
            return (words, None);
        }
        let crafts = texts.iter().any(|text| crafts(text).is_some());
        // Of two programs each is the other's peer: none is left to judge.
        if crafts && texts.len() > 1 {
            return (words, None);
        }
        if let Some(at) = words.iter().position(|word| word == "--pcap") {
            let file = words.get(at + 1).map(PathBuf::from).unwrap_or_default();
            return (words, Some(Watched::at(file, false, crafts)));
        }
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("crafty-watched-{}-{number}.pcapng", std::process::id());
        let file = std::env::temp_dir().join(name);
        let more = ["--pcap".to_string(), file.display().to_string()];
        words.splice(run + 2..run + 2, more);
        (words, Some(Watched::at(file, true, crafts)))
    }

    fn at(file: PathBuf, own: bool, crafts: bool) -> Watched {
        Watched {
            file,
            own,
            crafts,
            run: true,
        }
    }

    /// A capture of others, which is judged from elsewhere.
    pub fn capture(file: &str) -> Watched {
        let mut watched = Watched::at(PathBuf::from(file), false, false);
        watched.run = false;
        watched
    }

    /// Whether it is a run's recording, in which each end is known to be ours or not.
    pub fn is_run(&self) -> bool {
        self.run
    }

    /// Whether a program crafts in it.
    pub fn crafts(&self) -> bool {
        self.crafts
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
            .filter(|line| !self.crafts || !line.contains(OURS))
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

/// The programs of a run, on standard input or in files.
fn texts(words: &[String], input: &[u8]) -> Vec<String> {
    let file = |word: &String| {
        let path = word.split('@').next().unwrap_or_default();
        let program = path.ends_with(".crafty");
        program.then(|| std::fs::read_to_string(root().join(path)).unwrap_or_default())
    };
    let piped = (!input.is_empty()).then(|| String::from_utf8_lossy(input).into_owned());
    words.iter().filter_map(file).chain(piped).collect()
}
