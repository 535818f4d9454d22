//! A medium that sends nothing: frames are reported to the observer, and nothing answers. Virtual
//! time.

use super::live::HostNetwork;
use crate::load::LoadedProgram;
use crate::medium::{Arrival, Attached, Departure, Medium, MediumError, ProgramId, Room};
use crafty_value::{Mac, Time};
use crafty_vm::{Environment, Stamp, StampSource, Transmit};
use std::collections::BTreeMap;

/// Everything but the sending, with the routes of this host.
pub struct DryMedium {
    environment: Environment,
    room: Room,
    now: Time,
}

impl DryMedium {
    /// With a host's routes; each next hop is known, since none can be asked.
    pub fn new(network: &HostNetwork) -> DryMedium {
        DryMedium {
            environment: with_imagined_neighbours(network.environment.clone()),
            room: Room::Free,
            now: Time(0),
        }
    }
}

impl Medium for DryMedium {
    fn attach(
        &mut self,
        _program: &LoadedProgram,
        place: Option<&str>,
    ) -> Result<Attached, MediumError> {
        self.room.take(place)?;
        Ok(Attached {
            environment: self.environment.clone(),
            start: self.now,
        })
    }

    fn send(&mut self, _program: ProgramId, frame: Transmit) -> Departure {
        Departure::At(Stamp {
            time: frame.at.max(self.now),
            source: StampSource::Clock,
        })
    }

    fn wait(&mut self, until: Option<Time>) -> Option<Time> {
        self.now = self.now.max(until?);
        Some(self.now)
    }

    fn receive(&mut self, _program: ProgramId) -> Option<Arrival> {
        None
    }
}

/// Next hops that answer to anything.
fn with_imagined_neighbours(mut environment: Environment) -> Environment {
    const IMAGINED: Mac = Mac([2, 0, 0, 0, 0, 2]);
    let mut neighbours = BTreeMap::new();
    for route in &environment.routes {
        let next = route.gateway.unwrap_or(route.net.address());
        neighbours.insert((route.interface, next), IMAGINED);
    }
    neighbours.append(&mut environment.neighbours);
    environment.neighbours = neighbours;
    environment
}
