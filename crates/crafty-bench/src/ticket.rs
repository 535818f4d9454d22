//! A ticket at work: the network with its fault in real time, on a thread of its own, and the rooms
//! of the candidate.

use crate::desk::Desk;
use crate::error::BenchError;
use crafty_portals::{Episode, EpisodePlan, EpisodeReport, LatenessLimit};
use crafty_sim::{Ticket, Truth};
use crafty_value::Duration;
use std::fs;
use std::io::{PipeWriter, pipe};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;

/// How long the network is at work before the candidate sees it.
const WARM_UP: Duration = Duration::seconds(30);

/// A complaint with what is behind it.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub ticket: Ticket,
    pub truth: Truth,
}

/// A network at work.
pub(crate) struct Working {
    /// The recording's folder.
    pub folder: PathBuf,
    rooms: Vec<(String, Desk)>,
    stop: Option<PipeWriter>,
    thread: Option<JoinHandle<Result<EpisodeReport, BenchError>>>,
}

impl Working {
    /// Builds the network with the case's fault, and opens its portals.
    pub fn open(
        network: &str,
        seed: u64,
        case: &Case,
        tools: &Path,
        folder: &Path,
    ) -> Result<Working, BenchError> {
        let plan = plan(network, seed, case);
        let (pipe, stop) = pipe().map_err(BenchError::Transport)?;
        let (tell, told) = channel();
        let recording = folder.to_path_buf();
        let thread = std::thread::spawn(move || {
            let opened = Episode::open(&plan, LatenessLimit::default(), Some(&recording));
            let mut episode = match opened {
                Ok(episode) => episode,
                Err(error) => {
                    let _ = tell.send(None);
                    return Err(error.into());
                }
            };
            let portals = episode.portals().iter();
            let _ = tell.send(Some(
                portals
                    .map(|it| (it.attachment.clone(), it.thread()))
                    .collect::<Vec<_>>(),
            ));
            episode.go_on(None, pipe.as_fd())?;
            Ok(episode.end()?)
        });
        let Ok(Some(portals)) = told.recv() else {
            return Err(match thread.join() {
                Ok(Err(error)) => error,
                _ => BenchError::Network("the network ended before it began".into()),
            });
        };
        let servers = portals.iter().flat_map(|(at, _)| &at.name_servers);
        let servers: std::collections::BTreeSet<String> =
            servers.map(|it| format!("nameserver {it}\n")).collect();
        let file = tools.join("etc/resolv.conf");
        fs::write(&file, servers.into_iter().collect::<String>())
            .map_err(BenchError::file(&file))?;
        let rooms = portals.into_iter().map(|(at, thread)| {
            let room = Desk {
                thread,
                root: tools.to_path_buf(),
            };
            (at.portal, room)
        });
        Ok(Working {
            folder: folder.to_path_buf(),
            rooms: rooms.collect(),
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// The portals by name.
    pub fn portals(&self) -> Vec<String> {
        self.rooms.iter().map(|it| it.0.clone()).collect()
    }

    /// The room of a portal.
    pub fn room(&self, portal: &str) -> Option<&Desk> {
        self.rooms.iter().find(|it| it.0 == portal).map(|it| &it.1)
    }

    /// Ends the network; its recording is whole then.
    pub fn end(mut self) -> Result<EpisodeReport, BenchError> {
        drop(self.stop.take());
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            _ => Err(BenchError::Network(
                "the network failed (internal error)".into(),
            )),
        }
    }
}

/// The network with a case's faults and red herrings.
pub(crate) fn plan(network: &str, seed: u64, case: &Case) -> EpisodePlan {
    let planted = case.truth.faults.iter().chain(&case.truth.red_herrings);
    let planted: Vec<&str> = planted.map(String::as_str).collect();
    let network = match planted.is_empty() {
        true => network.to_string(),
        false => format!("{network}:{}", planted.join(",")),
    };
    EpisodePlan {
        network,
        seed,
        warm_up: WARM_UP,
        portals: Vec::new(),
    }
}
