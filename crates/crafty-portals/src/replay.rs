//! An episode once more, in virtual time: the same frames go in at the same times, and what comes out
//! must be the same. Or nothing goes in: what the network does when nobody looks.

use crate::{EpisodeRecording, PortalError};
use crafty_capture::Record;
use crafty_sim::{Lab, PortId};
use crafty_value::{Direction, Time};

/// What a replay showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayedEpisode {
    /// All that came out was as recorded: so many frames in, so many out.
    Same {
        /// Frames that went into the lab.
        sent: usize,
        /// Frames that came out.
        received: usize,
    },
    /// What came out differs.
    Different {
        /// How many frames came out as recorded before.
        after: usize,
        /// What was recorded, if anything more was.
        recorded: Option<Box<Record>>,
        /// Portal, time and bytes of what came out, if anything did.
        replayed: Option<(usize, Time, Vec<u8>)>,
    },
}

/// Replays a recording with all that went in.
///
/// # Errors
/// The network of its plan cannot be built any more.
pub fn replay(recording: &EpisodeRecording) -> Result<ReplayedEpisode, PortalError> {
    let (mut lab, ports) = opened(recording)?;
    let (sent, wanted): (Vec<&Record>, Vec<&Record>) = recording
        .frames
        .iter()
        .partition(|it| it.direction == Some(Direction::Outbound));
    for record in &sent {
        if let (Some(port), Some(time)) = (ports.get(record.interface), record.time) {
            lab.send(*port, time, &record.octets);
        }
    }
    let end = recording.frames.iter().filter_map(|it| it.time).max();
    lab.advance(end.unwrap_or_default());
    Ok(compare(&mut lab, &ports, &wanted, sent.len()))
}

/// The lab of a recording's plan, as it was when its portals opened.
fn opened(recording: &EpisodeRecording) -> Result<(Lab, Vec<PortId>), PortalError> {
    let plan = &recording.plan;
    let mut lab = plan.build()?;
    let mut ports = Vec::new();
    for portal in plan.portals_of(&lab) {
        let at = lab
            .attach(Some(&portal))
            .map_err(|it| PortalError::Lab(it.to_string()))?;
        ports.push(at.port);
    }
    lab.advance(plan.opens_at());
    for port in &ports {
        while lab.receive(*port).is_some() {}
    }
    Ok((lab, ports))
}

/// Each portal by itself: between portals the recording has its own order of equal times.
fn compare(lab: &mut Lab, ports: &[PortId], wanted: &[&Record], sent: usize) -> ReplayedEpisode {
    let mut received = 0;
    for (portal, port) in ports.iter().enumerate() {
        let mut wanted = wanted.iter().filter(|it| it.interface == portal);
        loop {
            let (recorded, replayed) = (wanted.next(), lab.receive(*port));
            let same = match (recorded, &replayed) {
                (None, None) => break,
                (Some(recorded), Some((time, frame))) => {
                    recorded.time == Some(*time) && recorded.octets == *frame
                }
                _ => false,
            };
            if !same {
                return ReplayedEpisode::Different {
                    after: received,
                    recorded: recorded.map(|it| Box::new((*it).clone())),
                    replayed: replayed.map(|(time, frame)| (portal, time, frame)),
                };
            }
            received += 1;
        }
    }
    ReplayedEpisode::Same { sent, received }
}
