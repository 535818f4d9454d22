//! What a run may fill and overwrite, and how soon it ends: the command line's part.

use crate::tool::{CRAFTY, Folder, crafty, crafty_reading};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

const SEND: &str = "PERMISSIONS = { destinations: [192.0.2.1] }\nPORTS = { udp: [40000] }\n/IP!(dst=192.0.2.1)/UDP!(dst=7) {\n  Bytes(\"x\")\n}\n";

fn capture_to(path: &str, more: &[&str], status: i32) -> crate::tool::Ran {
    let words = [&["run", "--lab", "demo", "--pcap", path], more, &["-"]].concat();
    crafty_reading(SEND, &words).expect(status)
}

fn mode(path: &str) -> u32 {
    fs::metadata(path)
        .expect("it is there")
        .permissions()
        .mode()
        & 0o777
}

#[test]
fn a_capture_goes_to_a_new_file_or_over_a_capture() {
    let folder = Folder::new();
    let name = |name: &str| folder.path(name);
    let new = name("new.pcapng");
    capture_to(&new, &[], 0);
    let first = fs::read(&new).unwrap();
    assert!(first.len() > 100);
    assert_eq!(mode(&new), 0o600);
    // Again over itself, once others could read it.
    fs::set_permissions(&new, fs::Permissions::from_mode(0o644)).unwrap();
    capture_to(&new, &[], 0);
    assert_eq!(
        (fs::read(&new).unwrap(), mode(&new)),
        (first.clone(), 0o600)
    );
    let empty = name("empty");
    fs::write(&empty, "").unwrap();
    capture_to(&empty, &[], 0);
    assert_eq!(fs::read(&empty).unwrap(), first);
}

#[test]
fn a_capture_overwrites_nothing_else() {
    let folder = Folder::new();
    let name = |name: &str| folder.path(name);
    let (text, link, lost) = (name("text"), name("link"), name("lost"));
    fs::write(&text, "dear diary").unwrap();
    symlink(&text, &link).unwrap();
    symlink(name("nowhere"), &lost).unwrap();
    capture_to(&text, &[], 5).complains(&["is not a capture", "--force"]);
    for path in [&link, &lost] {
        for more in [&[][..], &["--force"]] {
            capture_to(path, more, 5).complains(&["links are not followed"]);
        }
    }
    for more in [&[][..], &["--force"]] {
        capture_to("/dev/null", more, 5).complains(&["not a regular file"]);
    }
    assert_eq!(fs::read(&text).unwrap(), b"dear diary");
    assert!(!fs::exists(name("nowhere")).unwrap());
    // A link to a capture is a link.
    let capture = name("capture.pcapng");
    capture_to(&capture, &[], 0);
    let to_capture = name("to_capture");
    symlink(&capture, &to_capture).unwrap();
    capture_to(&to_capture, &[], 5).complains(&["links are not followed"]);
    capture_to(&text, &["--force"], 0);
    assert_ne!(fs::read(&text).unwrap(), b"dear diary");
}

/// Ctrl-C ends a run in the middle of what it computes, with its report.
#[test]
fn an_interrupt_ends_what_is_computed() {
    let source = "BUDGET = { max_duration: 1h }\na = #41 * 1000000\nb = #41 * 500000 + #42\nf = false\nprint(\"begun\")\ntry { repeat count=50_000_000 { f := a has b } } else { print(\"taken\") }\n";
    let mut child = Command::new(CRAFTY)
        .args(["run", "--lab", "demo", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(source.as_bytes())
        .unwrap();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    assert_eq!(line, "begun\n");
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    std::io::Read::read_to_string(&mut out, &mut line).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(6));
    assert_eq!(line, "begun\n", "no `try` takes it");
}

/// What `check` and `review` compute before a start is bounded, whatever constants say, and so is
/// what they hold.
#[test]
fn checking_is_bounded() {
    let many = |line: &str, times: usize| line.repeat(times);
    let searches = format!(
        "big = #41 * 1000000\npat = #41 * 500000 + #42\n{}",
        (0..100)
            .map(|n| format!("f{n} = big has pat or big has pat\n"))
            .collect::<String>()
    );
    let sorts = format!(
        "xs = array(init=0, len=65000)\n{}",
        (0..1500)
            .map(|n| format!("s{n} = length(sort(xs))\n"))
            .collect::<String>()
    );
    let large: String = (0..300)
        .map(|n| format!("m{n} = array(init=0, len=65000)\n"))
        .collect();
    let prints = many("print(length(sort(array(init=0, len=65000))))\n", 1200);
    for (source, status, word) in [
        (&searches, 2, "take too long to compute"),
        (&sorts, 2, "take too long to compute"),
        (&large, 2, "64 MiB"),
        (&prints, 0, ""),
    ] {
        for command in ["check", "review"] {
            let ran = crafty_reading(source, &[command, "-"]);
            if command == "check" && status == 2 && ran.status == 0 {
                // Only what binds the constants knows how large they are.
                continue;
            }
            let ran = ran.expect(status);
            assert!(
                word.is_empty() || ran.err.contains(word),
                "{command}: {}",
                ran.err
            );
        }
    }
    crafty(&["check", "/dev/null"]).expect(0);
}
