//! A recording of an episode: a folder with its plan and all frames that passed its portals.

use crate::{EpisodePlan, PortalError};
use crafty_capture::{CaptureWriter, Record, read_all};
use crafty_value::{Direction, Time};
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// The plan's file.
const PLAN: &str = "episode.toml";
/// The frames' file: an interface for each portal; outbound is what its host sent into the lab, and
/// the time is the lab's.
const FRAMES: &str = "portals.pcapng";
/// `LINKTYPE_ETHERNET`.
const ETHERNET: u16 = 1;

/// A recording that is being made.
pub(crate) struct EpisodeRecorder {
    path: PathBuf,
    out: CaptureWriter<BufWriter<File>>,
}

impl EpisodeRecorder {
    /// Starts one in a new folder.
    pub fn begin(
        folder: &Path,
        plan: &EpisodePlan,
        portals: &[String],
    ) -> Result<EpisodeRecorder, PortalError> {
        fs::create_dir(folder).map_err(PortalError::file(folder))?;
        let plan = EpisodePlan {
            portals: portals.to_vec(),
            ..plan.clone().with_absolute_path()
        };
        let file = folder.join(PLAN);
        fs::write(&file, plan.to_toml()).map_err(PortalError::file(&file))?;
        let path = folder.join(FRAMES);
        let written = |error| PortalError::file(&path)(error);
        let file = File::create_new(&path).map_err(written)?;
        let mut out = CaptureWriter::new(BufWriter::new(file)).map_err(written)?;
        for portal in portals {
            out.interface(portal, ETHERNET).map_err(written)?;
        }
        Ok(EpisodeRecorder { path, out })
    }

    /// Adds a frame.
    pub fn frame(
        &mut self,
        portal: usize,
        direction: Direction,
        time: Time,
        frame: &[u8],
    ) -> Result<(), PortalError> {
        let record = Record {
            octets: frame.to_vec(),
            wire_len: frame.len(),
            time: Some(time),
            link: ETHERNET,
            interface: portal,
            direction: Some(direction),
            comments: Vec::new(),
        };
        self.out
            .packet(&record)
            .map_err(PortalError::file(&self.path))
    }

    /// Writes what is left.
    pub fn end(self) -> Result<(), PortalError> {
        let path = self.path;
        self.out.finish().map(drop).map_err(PortalError::file(path))
    }
}

/// A recording that was read.
pub struct EpisodeRecording {
    /// What fixed the episode.
    pub plan: EpisodePlan,
    /// All frames of all portals, in the order of their times.
    pub frames: Vec<Record>,
}

impl EpisodeRecording {
    /// Reads one.
    ///
    /// # Errors
    /// The folder holds no recording, or a broken one.
    pub fn open(folder: &Path) -> Result<EpisodeRecording, PortalError> {
        let file = folder.join(PLAN);
        let text = fs::read_to_string(&file).map_err(PortalError::file(&file))?;
        let plan = EpisodePlan::from_toml(&file, &text)?;
        let file = folder.join(FRAMES);
        let capture = File::open(&file).map_err(PortalError::file(&file))?;
        let read = read_all(std::io::BufReader::new(capture));
        match read {
            Ok((frames, None)) => Ok(EpisodeRecording { plan, frames }),
            Ok((_, Some(error))) | Err(error) => Err(PortalError::content(file, error.to_string())),
        }
    }
}
