//! Runs that this server started. A run is independent of calls: one call waits for it, another
//! gets it by its id, and it ends when it is done, cancelled, or the server ends.

mod live;
mod record;
mod virtual_time;

pub use live::LiveRun;
pub use record::{RunEnding, RunRecord, StopCause, schema_keys as record_schema};
pub use virtual_time::{Peer, VirtualRun, VirtualWhere};

use crate::tool_error::ToolError;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Runs at a time at most.
pub const MAX_RUNNING: usize = 8;

/// Runs that are kept at most: the oldest that has ended goes first.
pub const MAX_KEPT: usize = 16;

/// How long runs are waited for when the server ends.
const PATIENCE: Duration = Duration::from_secs(3);

/// A call that waits for a run.
pub struct WaitingCall {
    /// The run.
    pub record: Arc<RunRecord>,
    /// How long at most.
    pub wait: Duration,
    /// What is reported about it then.
    pub view: TranscriptPart,
    /// Whether the run ends when the call is cancelled.
    pub owns: bool,
}

/// Which part of what a run said is reported.
#[derive(Clone, Copy, Debug)]
pub struct TranscriptPart {
    /// The first line.
    pub from: usize,
    /// Whether events are reported, instead of lines.
    pub events: bool,
}

/// All runs.
#[derive(Default)]
pub struct Runs {
    inner: Mutex<RunsState>,
}

#[derive(Default)]
struct RunsState {
    begun: u64,
    kept: BTreeMap<u64, Arc<RunRecord>>,
}

/// What a panic left behind is as good as before: every change is one step.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Runs {
    /// A new run, which `start` starts.
    ///
    /// # Errors
    /// When too many programs are running, or it does not start.
    pub fn begin(
        &self,
        title: String,
        digest: String,
        start: impl FnOnce(&Arc<RunRecord>) -> Result<(), ToolError>,
    ) -> Result<Arc<RunRecord>, ToolError> {
        let mut inner = locked(&self.inner);
        let running = inner.kept.values().filter(|run| !run.has_ended()).count();
        if running >= MAX_RUNNING {
            return Err(ToolError::new(
                "busy",
                format!("{running} programs are already running"),
                "wait for one with `run_status`, or stop one with `run_cancel`",
            ));
        }
        while inner.kept.len() >= MAX_KEPT {
            let oldest = inner.kept.iter().find(|(_, run)| run.has_ended());
            let Some(number) = oldest.map(|(number, _)| *number) else {
                break;
            };
            inner.kept.remove(&number);
        }
        inner.begun += 1;
        let number = inner.begun;
        let record = Arc::new(RunRecord::new(format!("r{number}"), title, digest));
        start(&record)?;
        inner.kept.insert(number, record.clone());
        Ok(record)
    }

    /// The run of this id.
    ///
    /// # Errors
    /// When there is none, or no longer.
    pub fn find(&self, id: &str) -> Result<Arc<RunRecord>, ToolError> {
        let inner = locked(&self.inner);
        let found = inner.kept.values().find(|run| run.id == id).cloned();
        found.ok_or_else(|| {
            let ids: Vec<&str> = inner.kept.values().map(|run| run.id.as_str()).collect();
            let known = match ids.is_empty() {
                true => "no program has run yet: `run` gives the id".into(),
                false => format!("the last {MAX_KEPT} runs are kept: {}", ids.join(", ")),
            };
            ToolError::not_found(
                format!("there is no run `{}`", crate::answer::short(id)),
                known,
            )
        })
    }

    /// All runs that are kept, the newest first.
    pub fn all(&self) -> Vec<Arc<RunRecord>> {
        locked(&self.inner).kept.values().rev().cloned().collect()
    }

    /// Stops everything, and waits until it has ended.
    pub fn end_all(&self) {
        let runs = self.all();
        runs.iter().for_each(|run| run.cancel());
        let end = crafty_net::monotonic().0 + PATIENCE.as_nanos() as i64;
        while runs.iter().any(|run| !run.has_ended()) && crafty_net::monotonic().0 < end {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
