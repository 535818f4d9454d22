//! An episode once more, in virtual time: the same frames go in at the same times, and what comes out
//! must be the same. Or nothing goes in: what the network does when nobody looks.

use crate::{EpisodeRecording, PortalError};
use crafty_capture::Record;
use crafty_sim::{Lab, LinkTraffic, PlantedFault, PortId};
use crafty_value::{Direction, Duration, Time};

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
    send_all(&mut lab, &ports, recording);
    let end = recording.frames.iter().filter_map(|it| it.time).max();
    lab.advance(end.unwrap_or_default());
    Ok(compare(&mut lab, &ports, &wanted, sent.len()))
}

/// What the links of an episode did, in steps of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Film {
    /// How long a step is.
    pub step: Duration,
    /// The names of the links.
    pub links: Vec<String>,
    /// In each step, for each link: the busier direction's load in percent, and frames it gave up.
    pub steps: Vec<Vec<(u8, u32)>>,
    /// The picture of the network (SVG).
    pub picture: String,
    /// The faults that were there all along.
    pub planted: Vec<PlantedFault>,
}

/// Replays a recording and watches all links, at most `most` steps of equal length.
///
/// # Errors
/// The network of its plan cannot be built any more.
pub fn film(recording: &EpisodeRecording, most: usize) -> Result<Film, PortalError> {
    let (mut lab, ports) = opened(recording)?;
    send_all(&mut lab, &ports, recording);
    let end = recording.frames.iter().filter_map(|it| it.time).max();
    let start = lab.now();
    let lasted = end.map_or(Duration::ZERO, |end| end.since(start));
    let step = Duration((lasted.0 / most.max(1) as i64).max(100_000_000));
    let mut before = lab.link_traffic();
    let mut film = Film {
        step,
        links: before.iter().map(|it| it.name.clone()).collect(),
        steps: Vec::new(),
        picture: lab.picture(),
        planted: lab.planted().to_vec(),
    };
    while lab.now() < start.after(lasted) {
        lab.advance(lab.now().after(step));
        for port in &ports {
            while lab.receive(*port).is_some() {}
        }
        let now = lab.link_traffic();
        let links = now
            .iter()
            .zip(&before)
            .map(|(now, before)| did(now, before, step));
        film.steps.push(links.collect());
        before = now;
    }
    Ok(film)
}

/// Load and losses of a link between two looks at it.
fn did(now: &LinkTraffic, before: &LinkTraffic, step: Duration) -> (u8, u32) {
    let load = |side: usize| {
        let bits = (now.carried[side] - before.carried[side]) as f64;
        100.0 * bits / (now.rate[side] as f64 * step.0 as f64 / 1e9)
    };
    let load = load(0).max(load(1)).clamp(0.0, 100.0).round() as u8;
    (load, (now.dropped - before.dropped) as u32)
}

fn send_all(lab: &mut Lab, ports: &[PortId], recording: &EpisodeRecording) {
    let sent = recording
        .frames
        .iter()
        .filter(|it| it.direction == Some(Direction::Outbound));
    for record in sent {
        if let (Some(port), Some(time)) = (ports.get(record.interface), record.time) {
            lab.send(*port, time, &record.octets);
        }
    }
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
