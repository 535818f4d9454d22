//! Runs on this host's network, each in a separate process: `crafty run`, which drops the
//! privileges it does not need before the program starts.

use super::{RunEnding, RunRecord, StopCause, locked};
use crate::answer::line;
use crate::signed::SignedApproval;
use crate::tool_error::ToolError;
use crafty_run::GivenParam;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

/// Bytes of a capture file that are kept at most.
const MAX_CAPTURED: u64 = 16 << 20;

/// Bytes of a line of the process that are read at most.
const MAX_LINE: u64 = 1 << 20;

/// Bytes of what the process complains of that are kept at most.
const MAX_COMPLAINT: u64 = 8 << 10;

/// What is to run.
pub struct LiveRun {
    /// The binary.
    pub binary: PathBuf,
    /// The text of the program.
    pub program: String,
    /// Its params.
    pub params: Vec<GivenParam>,
    /// More policy files, which narrow it.
    pub policies: Vec<PathBuf>,
    /// The approval that a person has signed, and by whom it must be.
    pub signed: Option<SignedApproval>,
    /// Whether it says what the packets show.
    pub findings: bool,
}

impl LiveRun {
    /// Starts it; a thread takes what it says.
    ///
    /// # Errors
    /// When the process does not start.
    pub fn start(self, record: &Arc<RunRecord>) -> Result<(), ToolError> {
        let (ready, is_ready) = std::sync::mpsc::channel();
        let record = record.clone();
        // The process ends with the thread that starts it: it must be the one that waits for it.
        let work = move || {
            let began = self.spawn();
            match began {
                Ok(process) => {
                    record.stops_with(StopCause::Process(process.child.clone()));
                    let _ = ready.send(Ok(()));
                    record.end(process.finish(&record));
                }
                Err(error) => drop(ready.send(Err(error))),
            }
        };
        let began = thread::Builder::new().spawn(work).map(drop);
        let began = began.and_then(|()| {
            is_ready
                .recv()
                .unwrap_or_else(|e| Err(std::io::Error::other(e)))
        });
        began.map_err(|error| {
            ToolError::new(
                "internal",
                format!("the run did not start: {error}"),
                "is the binary still installed?",
            )
        })
    }

    fn spawn(self) -> std::io::Result<Process> {
        let capture = CaptureSpace::new()?;
        let mut command = Command::new(&self.binary);
        command.args(["run", "--json", "--lines", "--parent"]);
        command.arg(std::process::id().to_string());
        command.arg("--pcap").arg(&capture.path);
        if self.findings {
            command.arg("--findings");
        }
        for policy in &self.policies {
            command.arg("--policy").arg(policy);
        }
        if let Some(SignedApproval { path, keys }) = &self.signed {
            command.arg("--approval").arg(path);
            command.arg("--require-approval").arg(keys.join(","));
        }
        command.arg("--").arg("-");
        command.args(
            self.params
                .iter()
                .map(|it| format!("{}={}", it.name, it.value)),
        );
        let piped = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = piped.spawn()?;
        let input = child.stdin.take();
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let program = self.program;
        // A process that does not read its program has said why, and ends.
        let _ = input.map(|mut input| input.write_all(program.as_bytes()));
        Ok(Process {
            child: Arc::new(Mutex::new(child)),
            out,
            err,
            capture,
        })
    }
}

struct Process {
    child: Arc<Mutex<Child>>,
    out: Option<ChildStdout>,
    err: Option<ChildStderr>,
    capture: CaptureSpace,
}

impl Process {
    fn finish(self, record: &RunRecord) -> RunEnding {
        let err = self.err;
        let complaint = thread::spawn(move || complaint(err));
        let mut ends = Vec::new();
        let mut refusal = None;
        let mut out = self.out.map(BufReader::new);
        while let Some(row) = out.as_mut().and_then(next_row) {
            // The process has opened it by now; a name that is gone cannot stay behind.
            self.capture.unlink();
            match row["event"].as_str() {
                Some("end") => ends.push(row),
                Some(_) => {
                    let told = row["line"].as_str().map(String::from);
                    record.say(told, without_line(row));
                }
                None => refusal = Some(line(&row.to_string())),
            }
        }
        let status = locked(&self.child).wait();
        let complaint = complaint.join().unwrap_or_default();
        let failure = match (&status, ends.is_empty()) {
            (Ok(status), true) => Some(format!(
                "{} ({status})",
                refusal.unwrap_or(complaint).trim()
            )),
            (Err(error), _) => Some(error.to_string()),
            (Ok(_), false) => None,
        };
        let (capture, uncaptured) = self.capture.content();
        RunEnding {
            ends,
            failure,
            capture: Arc::new(capture),
            uncaptured,
        }
    }
}

/// The next line as JSON; a line that is not JSON is not an event.
fn next_row(out: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut bytes = Vec::new();
    let mut limited = out.by_ref().take(MAX_LINE);
    let read = limited.read_until(b'\n', &mut bytes).ok()?;
    if read == 0 {
        return None;
    }
    Some(serde_json::from_slice(&bytes).unwrap_or(Value::Null))
}

fn without_line(mut row: Value) -> Value {
    if let Some(row) = row.as_object_mut() {
        row.shift_remove("line");
    }
    row
}

fn complaint(err: Option<ChildStderr>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut err) = err {
        let _ = err.by_ref().take(MAX_COMPLAINT).read_to_end(&mut bytes);
        // The rest too, so that the process does not wait for a reader.
        let _ = std::io::copy(&mut err, &mut std::io::sink());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A file for the capture, for this user only, which goes away with the run.
struct CaptureSpace {
    path: PathBuf,
    file: File,
}

impl CaptureSpace {
    fn new() -> std::io::Result<CaptureSpace> {
        use std::os::unix::fs::OpenOptionsExt;
        use std::sync::atomic::{AtomicU64, Ordering};
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("crafty-mcp-{}-{number}.pcapng", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut options = File::options();
        options.read(true).write(true).create_new(true).mode(0o600);
        Ok(CaptureSpace {
            file: options.open(&path)?,
            path,
        })
    }

    /// What was captured; a file that is longer than what is kept ends with a packet that is cut.
    fn content(&self) -> (Vec<u8>, u64) {
        let mut bytes = Vec::new();
        let _ = (&self.file).take(MAX_CAPTURED).read_to_end(&mut bytes);
        let size = self.file.metadata().map_or(0, |it| it.len());
        (bytes, u64::from(size > MAX_CAPTURED))
    }
}

impl CaptureSpace {
    fn unlink(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Drop for CaptureSpace {
    fn drop(&mut self) {
        self.unlink();
    }
}
