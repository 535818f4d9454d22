//! The loop that joins a lab's time to the clock's.

use crate::recording::EpisodeRecorder;
use crate::{EpisodePlan, LatenessHistogram, LatenessLimit, Portal, PortalError};
use crafty_net::{monotonic, run_before_others, wait_any_for, wake_precisely};
use crafty_sim::Lab;
use crafty_value::{Direction, Duration, Time};
use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

/// The loop does not wake more often than this for what happens inside the lab alone.
const REST: Duration = Duration::micros(50);
/// Frames that are taken from a portal in a row, before others have their turn.
const BATCH: usize = 64;
/// Most bytes of a frame: an Ethernet header, two VLAN tags and the largest MTU of a TAP.
const LARGEST: usize = 65_536 + 22;

/// A lab at work in real time.
pub struct Episode {
    lab: Lab,
    portals: Vec<Portal>,
    recorder: Option<EpisodeRecorder>,
    limit: LatenessLimit,
    /// The clock's time less the lab's.
    offset: Duration,
    report: EpisodeReport,
    buffer: Vec<u8>,
}

/// How an episode went.
#[derive(Clone, Default)]
pub struct EpisodeReport {
    /// The lab's time that passed since the portals opened.
    pub lasted: Duration,
    /// Frames that portals sent into the lab.
    pub sent: u64,
    /// Frames that portals received from it.
    pub received: u64,
    /// Frames that a portal's interface did not take.
    pub refused: u64,
    /// How late frames reached their portals.
    pub frames: LatenessHistogram,
    /// How late the lab was at each turn of the loop.
    pub turns: LatenessHistogram,
    /// Whether both were within the limit: if not, measurements of this episode mean nothing.
    pub valid: bool,
    /// Frames that the lab gave up, by element and reason.
    pub drops: BTreeMap<(String, &'static str), u64>,
}

impl Episode {
    /// Builds the network, lets it run for the warm-up in virtual time, and opens the portals. With
    /// `record`, a new folder of that name gets the recording.
    ///
    /// # Errors
    /// The network cannot be built, a portal cannot be opened, or the folder exists.
    pub fn open(
        plan: &EpisodePlan,
        limit: LatenessLimit,
        record: Option<&Path>,
    ) -> Result<Episode, PortalError> {
        let mut lab = plan.build()?;
        let names = plan.portals_of(&lab);
        let mut portals = Vec::new();
        for name in &names {
            let at = lab.attach(Some(name));
            let at = at.map_err(|it| PortalError::Lab(it.to_string()))?;
            portals.push(Portal::open(at)?);
        }
        lab.advance(plan.opens_at());
        for portal in &portals {
            while lab.receive(portal.attachment.port).is_some() {}
        }
        let recorder = record
            .map(|folder| EpisodeRecorder::begin(folder, plan, &names))
            .transpose()?;
        // Without the right to it the lab may be late on a busy host, and then says so.
        let _ = run_before_others();
        wake_precisely().map_err(PortalError::doing("asking for precise timers"))?;
        let offset = monotonic().since(lab.now());
        Ok(Episode {
            lab,
            portals,
            recorder,
            limit,
            offset,
            report: EpisodeReport::default(),
            buffer: vec![0; LARGEST],
        })
    }

    /// The portals, in order.
    pub fn portals(&self) -> &[Portal] {
        &self.portals
    }

    /// Goes on for `span`, or until `stop` can be read.
    ///
    /// # Errors
    /// The recording cannot be written, or a portal's interface is gone.
    pub fn go_on(
        &mut self,
        span: Option<Duration>,
        stop: BorrowedFd<'_>,
    ) -> Result<(), PortalError> {
        let started = self.lab.now();
        let end = span.map(|span| started.after(span));
        let result = loop {
            let due = self.turn()?;
            if end.is_some_and(|end| self.lab.now() >= end) {
                break Ok(());
            }
            let due = end.map_or(due, |end| due.min(end));
            let left = due.since(self.now());
            let stopped = {
                let fds: Vec<BorrowedFd> = [stop]
                    .into_iter()
                    .chain(self.portals.iter().map(|it| it.tap.as_fd()))
                    .collect();
                let ready = wait_any_for(&fds, left)
                    .map_err(PortalError::doing("waiting for the portals"))?;
                ready.first() == Some(&true)
            };
            if stopped {
                break Ok(());
            }
            self.report.turns.add(self.now().since(due));
        };
        self.report.lasted.0 += self.lab.now().since(started).0;
        result
    }

    /// The time of the lab that the clock says.
    fn now(&self) -> Time {
        monotonic().after(Duration(-self.offset.0))
    }

    /// Does all that is due; gives when the next turn is.
    fn turn(&mut self) -> Result<Time, PortalError> {
        let now = self.now().max(self.lab.now());
        self.lab.advance(now);
        for portal in 0..self.portals.len() {
            self.deliver(portal)?;
        }
        let mut more = false;
        for portal in 0..self.portals.len() {
            more |= self.take(portal)?;
        }
        let rest = now.after(REST);
        Ok(match (more, self.lab.next_event()) {
            (true, _) => now,
            (false, Some(next)) => next.max(rest),
            (false, None) => now.after(Duration::seconds(1)),
        })
    }

    fn deliver(&mut self, portal: usize) -> Result<(), PortalError> {
        let port = self.portals[portal].attachment.port;
        while let Some((arrived, frame)) = self.lab.receive(port) {
            match self.portals[portal].tap.send(&frame) {
                Ok(()) => self.report.received += 1,
                Err(_) => self.report.refused += 1,
            }
            let late = self.now().since(arrived);
            self.report.frames.add(late);
            if let Some(recorder) = &mut self.recorder {
                recorder.frame(portal, Direction::Inbound, arrived, &frame)?;
            }
        }
        Ok(())
    }

    /// Takes what a portal's host has sent; says whether more may wait. A frame comes after all that
    /// has happened in the lab already: so a replay, which knows it before, does the same.
    fn take(&mut self, portal: usize) -> Result<bool, PortalError> {
        for _ in 0..BATCH {
            let tap = &mut self.portals[portal].tap;
            let read = tap.receive(&mut self.buffer, Time(0));
            let read = read.map_err(PortalError::doing("reading from a portal's interface"))?;
            let Some(len) = read else { return Ok(false) };
            let frame = &self.buffer[..len];
            let now = monotonic().after(Duration(-self.offset.0));
            let now = now.max(self.lab.now().after(Duration(1)));
            self.lab
                .send(self.portals[portal].attachment.port, now, frame);
            self.report.sent += 1;
            if let Some(recorder) = &mut self.recorder {
                recorder.frame(portal, Direction::Outbound, now, frame)?;
            }
        }
        Ok(true)
    }

    /// Ends it: the portals close, the recording is whole.
    ///
    /// # Errors
    /// The recording cannot be written.
    pub fn end(mut self) -> Result<EpisodeReport, PortalError> {
        if let Some(recorder) = self.recorder.take() {
            recorder.end()?;
        }
        let mut report = self.report;
        report.valid = report.frames.keeps(self.limit) && report.turns.keeps(self.limit);
        report.drops = self.lab.drops();
        Ok(report)
    }
}
