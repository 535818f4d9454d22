//! `crafty lab replay`: a recorded episode once more, in virtual time.

use super::real_time::told;
use crate::failure::Failure;
use crate::{output, status};
use crafty_portals::EpisodeRecording;
use crafty_portals::replay::{ReplayedEpisode, replay};
use std::path::Path;

/// Replays the recording in a folder; the status says whether all came out the same.
pub fn run(folder: &str) -> Result<u8, Failure> {
    let recording = EpisodeRecording::open(Path::new(folder)).map_err(told)?;
    let replayed = replay(&recording).map_err(told)?;
    output::data(&shown(&recording, &replayed));
    Ok(match replayed {
        ReplayedEpisode::Same { .. } => status::DONE,
        ReplayedEpisode::Different { .. } => status::FAILED,
    })
}

fn shown(recording: &EpisodeRecording, replayed: &ReplayedEpisode) -> String {
    let (after, recorded, came) = match replayed {
        ReplayedEpisode::Same { sent, received } => {
            return format!("the same: {sent} frames in, {received} out, each at its time\n");
        }
        ReplayedEpisode::Different {
            after,
            recorded,
            replayed,
        } => (after, recorded, replayed),
    };
    let name = |portal: usize| {
        recording
            .plan
            .portals
            .get(portal)
            .map_or("?", String::as_str)
    };
    let recorded = recorded.as_ref().map_or("nothing more".into(), |it| {
        format!(
            "{} bytes at {} ns to {}",
            it.octets.len(),
            it.time.unwrap_or_default().0,
            name(it.interface)
        )
    });
    let came = came
        .as_ref()
        .map_or("nothing more".into(), |(portal, time, frame)| {
            format!(
                "{} bytes at {} ns to {}",
                frame.len(),
                time.0,
                name(*portal)
            )
        });
    format!(
        "different after {after} frames that came out the same\n  recorded: {recorded}\n  replayed: {came}\n"
    )
}
