//! A Scapy process that is asked many things.

use crafty_wire::Layer;
use std::io::Write;
use std::process::{Child, Command, Stdio};

use super::part;

const PYTHON: &str = "/usr/bin/python3";

/// Scapy, listening.
pub struct Scapy(Child);

/// A layer as Scapy tells it.
pub struct Told<'a> {
    /// Its class.
    pub class: &'a str,
    values: Vec<(&'a str, u128)>,
}

/// Starts Scapy, if it is there.
pub fn start() -> Option<Scapy> {
    let there = Command::new(PYTHON)
        .args(["-c", "import scapy.all"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("skipped: no Scapy here");
        return None;
    }
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/wire/differential/ask_scapy.py"
    );
    let child = Command::new(PYTHON)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    Some(Scapy(child.expect("Python runs")))
}

impl Scapy {
    /// All answers, one for each request.
    pub fn ask(&mut self, requests: &[String]) -> Vec<String> {
        let text = requests.join("\n") + "\n";
        let mut input = self.0.stdin.take().expect("asked once");
        let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
        let output =
            std::io::read_to_string(self.0.stdout.take().expect("asked once")).expect("text");
        writer.join().expect("no panic").expect("written");
        self.0.wait().expect("it ends");
        let answers: Vec<String> = output.lines().map(String::from).collect();
        assert_eq!(answers.len(), requests.len(), "{:?}", answers.last());
        answers
    }
}

/// The layers of an answer.
pub fn layers(answer: &str) -> Vec<Told<'_>> {
    answer
        .split(" / ")
        .map(|words| {
            let mut words = words.split(' ');
            let class = words.next().unwrap_or_default();
            let values = words
                .filter_map(|word| word.split_once('='))
                .filter_map(|(name, value)| Some((name, value.parse().ok()?)));
            Told {
                class,
                values: values.collect(),
            }
        })
        .collect()
}

impl Told<'_> {
    /// The value that our field has there.
    pub fn value(&self, other: &str, layer: &Layer, name: &str) -> Option<u128> {
        let whole = other.split_once(">>").map_or(other, |(whole, _)| whole);
        let value = self.values.iter().find(|row| row.0 == whole)?.1;
        Some(part(other, value, layer, name))
    }
}
