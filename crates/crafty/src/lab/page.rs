//! An episode as one page that plays it: links coloured by their load, losses in red; where the
//! faults are is shown at the end.

use super::real_time::told;
use crate::failure::Failure;
use crate::{output, status};
use crafty_portals::EpisodeRecording;
use crafty_portals::replay::{Film, film};
use serde_json::json;
use std::path::Path;

/// Most steps of a page: about what a browser holds without effort.
const MOST_STEPS: usize = 600;

/// Writes the page of a recording.
pub fn write(folder: &str, file: &str) -> Result<u8, Failure> {
    let recording = EpisodeRecording::open(Path::new(folder)).map_err(told)?;
    let film = film(&recording, MOST_STEPS).map_err(told)?;
    let text = page(&film);
    let written = std::fs::File::create_new(file)
        .and_then(|mut out| std::io::Write::write_all(&mut out, text.as_bytes()));
    written
        .map_err(|error| Failure::unwritable(file, &error, "name a file that is not there yet"))?;
    output::note(&format!(
        "{file}: {} steps of {}",
        film.steps.len(),
        film.step
    ));
    Ok(status::DONE)
}

fn page(film: &Film) -> String {
    let faults = film
        .planted
        .iter()
        .map(|it| json!({ "fault": it.fault, "place": it.place }));
    let data = json!({
        "step": film.step.0 as f64 / 1e9,
        "links": film.links,
        "load": film.steps.iter().map(|it| it.iter().map(|link| link.0).collect()).collect::<Vec<Vec<u8>>>(),
        "lost": film.steps.iter().map(|it| it.iter().map(|link| link.1).collect()).collect::<Vec<Vec<u32>>>(),
        "faults": faults.collect::<Vec<_>>(),
    });
    // Inside a script element nothing may look like the end of it.
    let data = data.to_string().replace('<', "\\u003c");
    include_str!("page.html")
        .replace("<!-- picture -->", &film.picture)
        .replace("\"<data>\"", &data)
}
