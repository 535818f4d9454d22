//! An observer that writes a capture file: every frame, and of each sent one the program's line and
//! the gate's verdict as comments.

use crate::ProgramId;
use crate::observer::{Observer, PassedFrame, RunEvent, SeenDeparture, SentFrame};
use crate::report::InterfaceCounts;
use crate::run::RunInterface;
use crate::source::Source;
use crafty_capture::{CaptureWriter, Record};
use crafty_value::{Duration, Time};
use crafty_vm::{Event, FrameId};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Dropped frames at most that a comment each is kept for until the next frame leaves.
const MAX_WITHHELD: usize = 1_024;

/// How long before its time a frame may be handed in, and after that of others: the gate holds none
/// for longer.
const REORDERING: Duration = Duration::millis(25);

/// Writes the frames of a run as pcapng.
pub struct CaptureFile<W: Write> {
    writer: CaptureWriter<W>,
    sources: Vec<Source>,
    /// Frames that others of an earlier time may still come before: by time, then as they came.
    unwritten: BTreeMap<(Time, u64), Record>,
    frames: u64,
    /// The first failure: told once, at the end.
    failed: Option<io::Error>,
    /// Frames that the programs dropped.
    withheld: Vec<Withheld>,
}

/// A frame that was dropped by its program.
struct Withheld {
    program: ProgramId,
    /// The next one that was sent.
    before: FrameId,
    /// What that one is to say of it.
    comment: String,
}

impl<W: Write> CaptureFile<W> {
    /// A capture of these interfaces; `sources` are the programs', for the comments.
    ///
    /// # Errors
    /// When `into` cannot be written.
    pub fn new(
        into: W,
        interfaces: &[RunInterface],
        sources: Vec<Source>,
    ) -> io::Result<CaptureFile<W>> {
        let mut writer = CaptureWriter::new(into)?;
        for interface in interfaces {
            writer.interface(&interface.name, interface.link)?;
        }
        Ok(CaptureFile {
            writer,
            sources,
            unwritten: BTreeMap::new(),
            frames: 0,
            failed: None,
            withheld: Vec::new(),
        })
    }

    /// Ends the capture, with how many frames each interface received and lost.
    ///
    /// # Errors
    /// The first failure since it was begun: the file is not whole.
    pub fn finish(mut self, counts: &[InterfaceCounts]) -> io::Result<W> {
        self.write_up_to(Time(i64::MAX));
        if let Some(error) = self.failed {
            return Err(error);
        }
        for (interface, count) in counts.iter().enumerate() {
            self.writer
                .statistics(interface as u32, count.received, count.lost)?;
        }
        self.writer.finish()
    }

    /// Writes the frames up to a time, in its order.
    fn write_up_to(&mut self, until: Time) {
        while let Some(entry) = self
            .unwritten
            .first_entry()
            .filter(|entry| entry.key().0 <= until)
        {
            if let Err(error) = self.writer.packet(&entry.remove()) {
                self.failed.get_or_insert(error);
            }
        }
    }

    /// The line that sent a frame, the gate's verdict, and what before it was dropped.
    fn comments(&mut self, sent: &SentFrame) -> Vec<String> {
        let verdict = if sent.held > Duration(0) {
            format!("gate: held for {}", sent.held)
        } else {
            "gate: passed".into()
        };
        let line = self.sources.get(sent.program.0);
        let line = line.map_or(String::new(), |source| source.quoted(sent.span));
        let mut comments = vec![line, verdict];
        let due = |it: &Withheld| it.program == sent.program && it.before <= sent.frame;
        comments.extend(
            self.withheld
                .extract_if(.., |withheld| due(withheld))
                .map(|withheld| withheld.comment),
        );
        if sent.departure == SeenDeparture::Unseen {
            comments.push("never seen on the wire: the time is that of the end".into());
        }
        comments
    }
}

impl<W: Write> Observer for CaptureFile<W> {
    fn event(&mut self, event: &RunEvent) {
        let RunEvent::Program { program, event } = event else {
            return;
        };
        let Event::Withheld {
            octets,
            before,
            span,
            ..
        } = event
        else {
            return;
        };
        let source = self.sources.get(program.0);
        if let Some(source) = source.filter(|_| self.withheld.len() < MAX_WITHHELD) {
            let by = source.quoted(*span);
            self.withheld.push(Withheld {
                program: *program,
                before: *before,
                comment: format!("before this, {} bytes were dropped by {by}", octets.len()),
            });
        }
    }

    fn wants_frames(&self) -> bool {
        true
    }

    fn frame(&mut self, frame: &PassedFrame<'_>) {
        let comments = frame.sent.map(|sent| self.comments(&sent));
        let record = Record {
            octets: frame.bytes.to_vec(),
            wire_len: frame.wire_len,
            time: Some(frame.time),
            link: frame.link,
            interface: frame.interface,
            direction: Some(frame.direction()),
            comments: comments.unwrap_or_default(),
        };
        self.frames += 1;
        self.unwritten.insert((frame.time, self.frames), record);
        let latest = self.unwritten.last_key_value();
        let latest = latest.map_or(frame.time, |((time, _), _)| *time);
        self.write_up_to(Time(latest.0.saturating_sub(REORDERING.0)));
    }

    fn secrets(&mut self, lines: &str) {
        let kind = crafty_capture::secrets::TLS_KEY_LOG;
        if let Err(error) = self.writer.secrets(kind, lines.as_bytes()) {
            self.failed.get_or_insert(error);
        }
    }
}
