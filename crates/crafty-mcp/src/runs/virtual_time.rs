//! Runs in virtual time, in this process: in the lab, against a recording, or without sending.

use super::{RunEnding, RunRecord, StopCause};
use crate::loading::NAME;
use crate::tool_error::ToolError;
use crafty_print::{Line, event_json, event_line};
use crafty_run::recording::Recording;
use crafty_run::{
    CaptureFile, DryMedium, HostNetwork, LabMedium, LoadedProgram, Medium, MediumError, Observer,
    PassedFrame, ReplayMedium, Run, RunEvent, Source, WithFindings,
};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// Bytes of packets that are kept of a run at most.
const MAX_CAPTURED: usize = 4 << 20;

/// Nanoseconds of real time after which a run is stopped.
const PATIENCE: i64 = 120_000_000_000;

/// What a program runs in.
pub enum VirtualWhere {
    /// A simulated network with its faults.
    Lab(String),
    /// The packets of an earlier run.
    Recording(Arc<Vec<u8>>),
    /// Nothing: with the routes of this host, but nothing is sent.
    Nowhere,
}

/// The other program of a run in the lab.
pub struct Peer {
    /// What it does.
    pub program: LoadedProgram,
    /// Where it is.
    pub place: Option<String>,
}

/// What is to run.
pub struct VirtualRun {
    /// The program.
    pub program: LoadedProgram,
    /// Where it is, in the lab.
    pub place: Option<String>,
    /// The other program.
    pub peer: Option<Peer>,
    /// What it runs in.
    pub into: VirtualWhere,
    /// Of everything random.
    pub seed: u64,
    /// Whether it says what the packets show.
    pub findings: bool,
}

/// Where a run says whether it begins.
type Ready = Sender<Result<(), ToolError>>;

impl VirtualRun {
    /// Starts it on a thread of its own; a lab does not leave the thread it is built on.
    ///
    /// # Errors
    /// When the medium cannot take it.
    pub fn start(self, record: &Arc<RunRecord>) -> Result<(), ToolError> {
        let (ready, is_ready) = channel();
        let (name, record) = (record.id.clone(), record.clone());
        let work = move || {
            if let Err(error) = self.run(&record, &ready) {
                let _ = ready.send(Err(error));
            }
        };
        let began = thread::Builder::new().name(name).spawn(work);
        began.map_err(|error| {
            ToolError::new(
                "internal",
                format!("no thread for the run: {error}"),
                "try again later",
            )
        })?;
        is_ready.recv().unwrap_or_else(|_| {
            Err(ToolError::new(
                "internal",
                "the run was aborted",
                "report it with the program",
            ))
        })
    }

    fn run(self, record: &RunRecord, ready: &Ready) -> Result<(), ToolError> {
        let seed = self.seed;
        let refused = |error: MediumError| medium_error(&error);
        match &self.into {
            VirtualWhere::Lab(spec) => {
                let medium = LabMedium::new(spec, seed).map_err(refused)?;
                self.run_in(medium, record, ready)
            }
            VirtualWhere::Recording(capture) => {
                let recording = Recording::read(&capture[..]);
                let recording = recording.map_err(|error| refused(error.into()))?;
                self.run_in(ReplayMedium::new(recording, seed), record, ready)
            }
            VirtualWhere::Nowhere => {
                let host = HostNetwork::find(&self.program.bound.policy, None, seed);
                let host = host.map_err(|error| refused(error.into()))?;
                self.run_in(DryMedium::new(&host), record, ready)
            }
        }
    }

    fn run_in<M: Medium>(
        self,
        medium: M,
        record: &RunRecord,
        ready: &Ready,
    ) -> Result<(), ToolError> {
        let refused = |error: MediumError| medium_error(&error);
        let mut run = Run::new(medium);
        let mut sources = vec![self.program.source.clone()];
        run.add_at(self.program, self.place.as_deref())
            .map_err(refused)?;
        if let Some(peer) = self.peer {
            sources.push(peer.program.source.clone());
            run.add_at(peer.program, peer.place.as_deref())
                .map_err(refused)?;
        }
        record.stops_with(StopCause::Token(run.cancel_token()));
        let end = crafty_net::monotonic().0 + PATIENCE;
        run.cancel_when(move || crafty_net::monotonic().0 > end);
        let _ = ready.send(Ok(()));
        to_end(run, sources, self.findings, record);
        Ok(())
    }
}

/// Runs to the end; whatever happens, the record says that it ended.
fn to_end<M: Medium>(mut run: Run<M>, sources: Vec<Source>, findings: bool, record: &RunRecord) {
    let _ends = EndsAnyway(record);
    let capture = CaptureFile::new(Vec::new(), run.interfaces(), sources.clone());
    let capture = capture.ok().map(CappedCapture::new);
    let teller = Teller {
        sources,
        record,
        ends: Vec::new(),
    };
    let mut observers = (capture, teller);
    match findings {
        true => drop(run.to_end(&mut WithFindings::new(&mut observers))),
        false => drop(run.to_end(&mut observers)),
    }
    let (capture, teller) = observers;
    let (kept, uncaptured) = match capture {
        Some(capture) => (capture.file.finish(run.counts()), capture.unkept),
        None => (Ok(Vec::new()), 0),
    };
    let failure = kept
        .as_ref()
        .err()
        .map(|error| format!("no capture: {error}"));
    record.end(RunEnding {
        ends: teller.ends,
        failure,
        capture: Arc::new(kept.unwrap_or_default()),
        uncaptured,
    });
}

/// A run that panics has ended too.
struct EndsAnyway<'a>(&'a RunRecord);

impl Drop for EndsAnyway<'_> {
    fn drop(&mut self) {
        self.0.end(RunEnding {
            failure: Some("internal error: the run was aborted".into()),
            ..RunEnding::default()
        });
    }
}

/// Tells a record what a run says.
struct Teller<'a> {
    sources: Vec<Source>,
    record: &'a RunRecord,
    ends: Vec<serde_json::Value>,
}

impl Observer for Teller<'_> {
    fn event(&mut self, event: &RunEvent) {
        let Some(row) = event_json(&self.sources, event) else {
            return;
        };
        if let RunEvent::Ended { .. } = event {
            self.ends.push(row);
            return;
        }
        let line = match event_line(&self.sources, event) {
            Some(Line::Data(text)) => Some(text),
            Some(Line::Note(text)) => Some(without_name(&text)),
            None => None,
        };
        self.record.say(line, row);
    }
}

/// The one program of a call needs no name.
fn without_name(text: &str) -> String {
    let place = text
        .strip_prefix(NAME)
        .and_then(|rest| rest.strip_prefix(':'));
    place.map_or_else(|| text.into(), |rest| format!("line {rest}"))
}

/// A capture of limited size.
struct CappedCapture {
    file: CaptureFile<Vec<u8>>,
    bytes: usize,
    unkept: u64,
}

impl CappedCapture {
    fn new(file: CaptureFile<Vec<u8>>) -> CappedCapture {
        CappedCapture {
            file,
            bytes: 0,
            unkept: 0,
        }
    }
}

impl Observer for CappedCapture {
    fn event(&mut self, event: &RunEvent) {
        self.file.event(event);
    }

    fn wants_frames(&self) -> bool {
        true
    }

    fn frame(&mut self, frame: &PassedFrame<'_>) {
        // A block has some 100 bytes besides, with its comments.
        self.bytes += frame.bytes.len() + 128;
        match self.bytes > MAX_CAPTURED {
            true => self.unkept += 1,
            false => self.file.frame(frame),
        }
    }

    fn secrets(&mut self, lines: &str) {
        self.file.secrets(lines);
    }
}

/// Why a medium does not take a program.
pub fn medium_error(error: &MediumError) -> ToolError {
    let fix = match error {
        MediumError::Network(error) => error.fix(),
        MediumError::Recording(error) => error.fix().to_string(),
        MediumError::Lab(_) => "`limits` lists the networks and faults of the lab".into(),
        MediumError::Place(_) => "leave `place` out, or give one of these".into(),
        MediumError::NoPlaces => "leave `place` out: only the lab has places".into(),
        MediumError::NotAdmitted => "run it in the lab".into(),
        MediumError::Occupied => "only the lab runs two programs at once".into(),
    };
    ToolError::new("medium", error.to_string(), fix)
}
