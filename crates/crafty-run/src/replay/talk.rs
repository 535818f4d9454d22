//! A conversation of the recording, and how far the program has come in it.

use crate::recording::{
    EndpointAddress, Ends, Progress, Proto, RecordedPacketView, Recording, segment,
};
use crafty_value::{Duration, Time};
use std::collections::BTreeMap;

/// Bytes of a stream that are shown of a difference.
const MAX_TOLD: usize = 64;

/// What has to be said before a frame of the peer comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Prerequisite {
    /// Nothing.
    Start,
    /// This one of our frames.
    Frame(usize),
    /// Our stream up to this place.
    Place(u64),
}

/// A frame of ours.
#[derive(Debug)]
struct Ours {
    frame: usize,
    /// What makes it this one, ports and identifiers aside.
    essence: Vec<u8>,
    /// What its answer repeats, where that is known: number of an echo, identifier of a DNS
    /// message.
    mark: Option<u64>,
    said: bool,
}

/// A frame of the peer.
#[derive(Debug)]
pub struct Theirs {
    /// Number in the recording.
    pub frame: usize,
    /// Positions of its ends.
    pub ends: Ends,
    /// How long after what it hangs on it came.
    pub delay: Duration,
}

/// A conversation, from our side.
#[derive(Debug)]
pub struct ReplayConversation {
    /// What it speaks.
    pub proto: Proto,
    /// Our end in the recording.
    pub own: EndpointAddress,
    /// The peer.
    pub peer: EndpointAddress,
    ours: Vec<Ours>,
    /// All before this one have been said.
    unsaid: usize,
    /// What the peer sent, in order.
    pub theirs: Vec<Theirs>,
    /// Which of them hang on what.
    waiting: BTreeMap<Prerequisite, Vec<usize>>,
    /// Our end as the program has it, once it has begun.
    bound: Option<EndpointAddress>,
    /// Our side of a TCP connection in the recording, with its data from place 1 on.
    pub recorded: Progress,
    stream: Vec<u8>,
    segments: Vec<(u64, Vec<u8>)>,
    /// When our stream had come to which place.
    reached: Vec<(u64, Time)>,
    /// Our side of a TCP connection as the program has it.
    pub sent: Progress,
    /// Identifiers of DNS questions: recorded, and the program's.
    pub questions: Vec<(u64, u64)>,
    /// Whether a difference of the stream was reported.
    strayed: bool,
}

/// What became of a frame of the program.
#[derive(Default)]
pub struct Said {
    /// Needs that it meets.
    pub needs: Vec<Prerequisite>,
    /// What should have been said instead.
    pub expected: Option<Expected>,
}

/// What the recording has instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// One of its frames.
    Frame(usize),
    /// Nothing more in this conversation.
    NothingMore,
    /// Bytes of the stream from a place on.
    StreamBytes {
        at: usize,
        bytes: Vec<u8>,
        len: usize,
    },
    /// The end of the stream.
    StreamEnd { len: usize },
}

impl ReplayConversation {
    /// An empty one.
    pub fn new(proto: Proto, own: EndpointAddress, peer: EndpointAddress) -> ReplayConversation {
        let (ours, theirs, bound) = (Vec::new(), Vec::new(), None);
        let (recorded, sent) = (Progress::default(), Progress::default());
        let (stream, segments, reached, questions) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (waiting, unsaid, strayed) = (BTreeMap::new(), 0, false);
        ReplayConversation {
            proto,
            own,
            peer,
            ours,
            unsaid,
            theirs,
            waiting,
            bound,
            recorded,
            stream,
            segments,
            reached,
            sent,
            questions,
            strayed,
        }
    }

    /// A recorded frame of ours.
    pub fn add_ours(&mut self, recording: &Recording, frame: usize, ends: Ends) {
        let Some(view) = recording.view_of(frame).filter(|_| !ends.quoted) else {
            return;
        };
        if self.proto != Proto::Tcp {
            let (essence, mark) = (essence(&view, &ends), mark(&view, &ends));
            return self.ours.push(Ours {
                frame,
                essence,
                mark,
                said: false,
            });
        }
        let Some(segment) = segment(&view, ends.layer) else {
            return;
        };
        let before = self.recorded.end;
        let at = self.recorded.note(&segment);
        if self.recorded.end > before {
            self.reached
                .push((self.recorded.end, recording.frames[frame].time));
        }
        let known = self.stream.len().checked_sub(at.saturating_sub(1) as usize);
        self.stream.extend(
            known
                .and_then(|known| segment.data.get(known..))
                .unwrap_or_default(),
        );
        if !segment.data.is_empty() {
            self.segments.push((at, segment.data.to_vec()));
        }
    }

    /// A recorded frame of the peer. One that nothing of ours precedes makes the conversation ours
    /// as it is.
    pub fn add_theirs(&mut self, recording: &Recording, frame: usize, ends: Ends) {
        let (need, since) = match self.proto {
            Proto::Tcp => self
                .reached
                .last()
                .map(|(place, time)| (Prerequisite::Place(*place), *time)),
            _ => self.asked(recording, frame, &ends).map(|ours| {
                (
                    Prerequisite::Frame(ours),
                    recording.frames[self.ours[ours].frame].time,
                )
            }),
        }
        .unwrap_or((Prerequisite::Start, Time(0)));
        if need == Prerequisite::Start && !ends.quoted {
            self.bound = Some(self.own);
        }
        let delay = Duration(recording.frames[frame].time.since(since).0.max(0));
        self.waiting
            .entry(need)
            .or_default()
            .push(self.theirs.len());
        self.theirs.push(Theirs { frame, ends, delay });
    }

    /// Which of our frames the peer answers: the latest that asked for it, or the latest.
    fn asked(&self, recording: &Recording, frame: usize, ends: &Ends) -> Option<usize> {
        let mark = recording.view_of(frame).and_then(|view| mark(&view, ends));
        let marked = self
            .ours
            .iter()
            .rposition(|ours| mark.is_some() && ours.mark == mark);
        marked.or(self.ours.len().checked_sub(1))
    }

    /// The frames of the peer that hang on this.
    pub fn waiting(&self, need: Prerequisite) -> &[usize] {
        self.waiting.get(&need).map_or(&[], Vec::as_slice)
    }

    /// Whether the program takes part in it.
    pub fn is_bound(&self) -> bool {
        self.bound.is_some()
    }

    /// Our end as the program has it.
    pub fn end(&self) -> EndpointAddress {
        self.bound.unwrap_or(self.own)
    }

    /// Whether the program could begin it with such a frame.
    pub fn could_be(&self, ends: &Ends) -> bool {
        self.proto == ends.proto && self.bound.is_none() && self.peer_is(ends)
    }

    /// The identifier of an echo is ours on both sides.
    fn peer_is(&self, ends: &Ends) -> bool {
        self.peer.0 == ends.dst.0 && (self.proto == Proto::Echo || self.peer.1 == ends.dst.1)
    }

    /// From now on it is the program's.
    pub fn bind(&mut self, ends: &Ends) {
        self.bound = Some(ends.src);
    }

    /// Whether the recording has such a frame here that nobody said yet.
    pub fn has_said(&self, view: &RecordedPacketView, ends: &Ends) -> bool {
        let essence = essence(view, ends);
        self.ours
            .iter()
            .any(|ours| !ours.said && ours.essence == essence)
    }

    /// The program sent this.
    pub fn said(&mut self, view: &RecordedPacketView, ends: &Ends) -> Said {
        if self.proto == Proto::Tcp {
            self.said_in_stream(view, ends)
        } else {
            self.said_frame(view, ends)
        }
    }

    fn said_frame(&mut self, view: &RecordedPacketView, ends: &Ends) -> Said {
        let essence = essence(view, ends);
        let mut open = self
            .ours
            .iter()
            .enumerate()
            .skip(self.unsaid)
            .filter(|(_, ours)| !ours.said);
        let same = open
            .clone()
            .find(|(_, ours)| ours.essence == essence)
            .map(|(at, _)| at);
        let Some(at) = same.or_else(|| open.next().map(|(at, _)| at)) else {
            return Said {
                expected: Some(Expected::NothingMore),
                ..Said::default()
            };
        };
        let ours = &mut self.ours[at];
        ours.said = true;
        self.questions.extend(ours.mark.zip(mark(view, ends)));
        let expected = same.is_none().then_some(Expected::Frame(ours.frame));
        self.unsaid += self.ours[self.unsaid..]
            .iter()
            .take_while(|ours| ours.said)
            .count();
        Said {
            needs: vec![Prerequisite::Frame(at)],
            expected,
        }
    }

    fn said_in_stream(&mut self, view: &RecordedPacketView, ends: &Ends) -> Said {
        let Some(segment) = segment(view, ends.layer) else {
            return Said::default();
        };
        let before = self.sent.end;
        let at = self.sent.note(&segment);
        let met = self
            .waiting
            .range(Prerequisite::Place(before)..=Prerequisite::Place(self.sent.end))
            .map(|(need, _)| *need);
        let needs = met
            .filter(|need| *need != Prerequisite::Place(before))
            .collect();
        let strays = !self.strayed && self.strays(at, segment.data);
        self.strayed |= strays;
        let expected = strays.then(|| self.stream_at(at.saturating_sub(1) as usize));
        Said { needs, expected }
    }

    /// Whether data is neither what the recorded stream has at its place, nor what one of its
    /// segments had there.
    fn strays(&self, at: u64, data: &[u8]) -> bool {
        let place = at.saturating_sub(1) as usize;
        if data.is_empty() {
            return false;
        }
        let in_stream = place
            .checked_add(data.len())
            .and_then(|end| self.stream.get(place..end))
            == Some(data);
        !in_stream
            && !self
                .segments
                .iter()
                .any(|(start, octets)| *start == at && octets == data)
    }

    fn stream_at(&self, at: usize) -> Expected {
        match self.stream.get(at..).filter(|rest| !rest.is_empty()) {
            Some(rest) => Expected::StreamBytes {
                at,
                bytes: rest[..rest.len().min(MAX_TOLD)].to_vec(),
                len: rest.len(),
            },
            None => Expected::StreamEnd {
                len: self.stream.len(),
            },
        }
    }

    /// What the recording has and the program never said.
    pub fn left_unsaid(&self) -> Option<Expected> {
        let data = self.sent.end.saturating_sub(1) as usize;
        match self.proto {
            Proto::Tcp if data < self.stream.len() => Some(self.stream_at(data)),
            Proto::Tcp => None,
            _ => self
                .ours
                .iter()
                .find(|ours| !ours.said)
                .map(|ours| Expected::Frame(ours.frame)),
        }
    }
}

/// What makes a frame the one that it is: of echo and other ICMP messages all but identifier and
/// checksum, of a DNS message all but its identifier, of ARP who asks for whom, of anything else
/// what it carries.
fn essence(view: &RecordedPacketView, ends: &Ends) -> Vec<u8> {
    let mut essence = Vec::new();
    for field in ["type", "code", "seq", "op"] {
        essence.extend(view.number(ends.layer, field).unwrap_or(0).to_be_bytes());
    }
    let carried = view.carried(ends.layer);
    let named = ends.proto == Proto::Udp && mark(view, ends).is_some();
    essence.extend(carried.get(2..).filter(|_| named).unwrap_or(carried));
    essence
}

/// What an answer repeats of its question.
fn mark(view: &RecordedPacketView, ends: &Ends) -> Option<u64> {
    match ends.proto {
        Proto::Echo => view.number(ends.layer, "seq"),
        Proto::Udp if view.name(ends.layer + 1) == "DNS" => view.number(ends.layer + 1, "id"),
        _ => None,
    }
}
