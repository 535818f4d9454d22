//! An observer that looks at all frames, and tells another one what they show.

use crate::analysis::{Analysis, SeenPacket};
use crate::observer::{Observer, PassedFrame, RunEvent};

/// Tells an observer what the frames show, beside everything else: [`RunEvent::FindingSeen`] as soon
/// as it shows, [`RunEvent::Found`] with all of it before the programs' reports.
pub struct WithFindings<O> {
    observer: O,
    /// None once it was reported.
    analysis: Option<Analysis>,
}

impl<O: Observer> WithFindings<O> {
    /// Around another observer.
    pub fn new(observer: O) -> WithFindings<O> {
        WithFindings {
            observer,
            analysis: Some(Analysis::default()),
        }
    }

    fn tell_all(&mut self) {
        let Some(analysis) = self.analysis.take() else {
            return;
        };
        let found = analysis.finish();
        if (found.flows_let_go, found.findings_let_go) != (0, 0) {
            self.observer.event(&RunEvent::FindingsLetGo {
                flows: found.flows_let_go,
                findings: found.findings_let_go,
            });
        }
        for finding in found.findings {
            self.observer.event(&RunEvent::Found(finding));
        }
    }
}

impl<O: Observer> Observer for WithFindings<O> {
    fn event(&mut self, event: &RunEvent) {
        if let RunEvent::Ended { .. } = event {
            self.tell_all();
        }
        self.observer.event(event);
    }

    fn wants_frames(&self) -> bool {
        true
    }

    fn frame(&mut self, frame: &PassedFrame<'_>) {
        if let Some(analysis) = &mut self.analysis {
            analysis.packet(&SeenPacket {
                interface: frame.interface,
                link: frame.link,
                time: Some(frame.time),
                direction: Some(frame.direction()),
                bytes: frame.bytes,
                wire_len: frame.wire_len,
            });
            for finding in analysis.fresh() {
                self.observer.event(&RunEvent::FindingSeen(finding));
            }
        }
        if self.observer.wants_frames() {
            self.observer.frame(frame);
        }
    }

    fn secrets(&mut self, lines: &str) {
        self.observer.secrets(lines);
    }
}
