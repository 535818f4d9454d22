//! A fault as it is asked for: its measures, its place and when it is there.

use super::{Fault, PlaceKind, fault_named};
use crate::build::link_name;
use crate::error::LabError;
use crate::scenario::{Scenario, SegmentKind, units};
use crate::schedule::Schedule;
use crafty_value::Duration;

/// Keys that every fault may have: begin and end, length of a cycle and for how much of it the
/// fault is there.
pub(super) const SCHEDULE_KEYS: [&str; 4] = ["from", "until", "every", "during"];

/// A fault as it was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Planting {
    pub fault: &'static Fault,
    /// Values of the parameters in their order, in the unit's smallest part.
    values: Vec<i64>,
    /// What was named after `@`: a link `r1-r2`, one way of it `r1>r2`, a router, a host.
    pub place: Option<String>,
    pub schedule: Schedule,
    /// Line of the scenario file.
    pub line: usize,
    /// Only looks like a fault.
    pub herring: bool,
}

impl Planting {
    /// A fault with its defaults.
    pub fn of(fault: &'static Fault) -> Planting {
        Planting {
            fault,
            values: fault.parameters.iter().map(|it| it.default).collect(),
            place: None,
            schedule: Schedule::default(),
            line: 0,
            herring: false,
        }
    }

    /// Reads `loss`, `loss=5`, `loss=5@r1-r2`, `outage=2s;every=30s@r1>r2`.
    pub fn read(notation: &str) -> Result<Planting, LabError> {
        let (measures, place) = match notation.split_once('@') {
            Some((measures, place)) => (measures, Some(place)),
            None => (notation, None),
        };
        let mut measures = measures.split(';');
        let first = measures.next().unwrap_or_default();
        let (name, value) = match first.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (first, None),
        };
        let mut planting = Planting::of(fault_named(name)?);
        planting.place = place.map(String::from);
        if let Some(text) = value {
            let main = planting.fault.parameters.first();
            let main = main.ok_or_else(|| {
                LabError::Impossible(format!(
                    "the fault `{name}` takes no value, but `{text}` was given: write `{name}`"
                ))
            })?;
            planting.set(main.name, text)?;
        }
        for measure in measures {
            let (key, value) = measure.split_once('=').ok_or_else(|| {
                LabError::Impossible(format!(
                    "`{measure}` of `{notation}` sets nothing: write `{name};KEY=VALUE`"
                ))
            })?;
            planting.set(key.trim(), value.trim())?;
        }
        Ok(planting)
    }

    /// The same fault at another place.
    pub fn at(&self, place: &str) -> Planting {
        let mut other = self.clone();
        other.place = Some(place.into());
        other
    }

    /// Sets a measure or a time of the schedule.
    pub fn set(&mut self, key: &str, text: &str) -> Result<(), LabError> {
        if SCHEDULE_KEYS.contains(&key) {
            return self.set_schedule(key, text);
        }
        let fault = self.fault;
        let names = fault.parameters.iter().map(|it| it.name);
        let number = fault.parameters.iter().position(|it| it.name == key);
        let number = number.ok_or_else(|| {
            let place = format!("the fault `{}`", fault.name);
            LabError::unknown("key", key, Some(&place), names.chain(SCHEDULE_KEYS))
        })?;
        let parameter = &fault.parameters[number];
        let range = parameter.least..=parameter.most;
        let value = parameter.unit.read(text).filter(|it| range.contains(it));
        self.values[number] = value.ok_or_else(|| LabError::Value {
            fault: fault.name,
            parameter: parameter.name,
            text: text.into(),
            expected: format!(
                "between {} and {}, as in `{}={}`",
                parameter.unit.show(parameter.least),
                parameter.unit.show(parameter.most),
                fault.name,
                parameter.unit.show(parameter.default)
            ),
        })?;
        Ok(())
    }

    fn set_schedule(&mut self, key: &str, text: &str) -> Result<(), LabError> {
        let time = units::duration(text).ok_or_else(|| {
            LabError::Impossible(format!(
                "`{key}` of `{}` is `{text}`, which is not a time: write it as in `{key}=10s`",
                self.fault.name
            ))
        })?;
        let schedule = &mut self.schedule;
        match key {
            "from" => schedule.from = time,
            "until" => schedule.until = Some(time),
            "every" => {
                schedule.every = Some(time);
                if schedule.during == Duration::ZERO {
                    schedule.during = Duration(time.0 / 2);
                }
            }
            _ => schedule.during = time,
        }
        Ok(())
    }

    /// The value of a parameter that the fault has.
    pub fn value(&self, name: &str) -> i64 {
        let number = self.fault.parameters.iter().position(|it| it.name == name);
        number
            .and_then(|number| self.values.get(number).copied())
            .unwrap_or_default()
    }

    /// The value of the first parameter.
    pub fn main(&self) -> i64 {
        self.values.first().copied().unwrap_or_default()
    }

    /// The value of a parameter that is a time.
    pub fn time(&self, name: &str) -> Duration {
        Duration(self.value(name))
    }

    /// Whether the fault can be where it is put, and its schedule makes sense.
    pub fn check_place(&self, scenario: &Scenario) -> Result<(), LabError> {
        let schedule = &self.schedule;
        let never = schedule.until.is_some_and(|until| until <= schedule.from)
            || schedule.during != Duration::ZERO && schedule.every.is_none()
            || schedule.every.is_some_and(|every| every <= schedule.during);
        if never {
            return Err(LabError::Impossible(format!(
                "the schedule of `{}` never begins or never changes: `until` is later than `from`, and `during` shorter than `every`",
                self.fault.name
            )));
        }
        let Some(place) = &self.place else {
            return Ok(());
        };
        let known = names_of(scenario, self.fault.place);
        let is_known = known.contains(place)
            || place.split_once('>').is_some_and(|(from, to)| {
                self.fault.place == PlaceKind::Link
                    && [(from, to), (to, from)]
                        .iter()
                        .any(|ends| link_between(scenario, *ends))
            });
        if is_known {
            return Ok(());
        }
        let name = place.replace('>', "-");
        let network = format!("`{}`", scenario.name);
        let word = self.fault.place.word();
        let known = known.iter().map(String::as_str);
        Err(LabError::unknown(word, &name, Some(&network), known))
    }
}

/// Names that a fault of a kind can be put at.
fn names_of(scenario: &Scenario, kind: PlaceKind) -> Vec<String> {
    match kind {
        PlaceKind::Link => scenario.link_names(),
        PlaceKind::Router => scenario.routers.iter().map(|it| it.name.clone()).collect(),
        PlaceKind::Host => scenario.hosts.iter().map(|it| it.name.clone()).collect(),
        PlaceKind::Segment => scenario.segments.iter().map(|it| it.name.clone()).collect(),
        PlaceKind::Switch => scenario.switches.iter().map(|it| it.name.clone()).collect(),
    }
}

fn link_between(scenario: &Scenario, (a, b): (&str, &str)) -> bool {
    let links = scenario.links.iter();
    links.clone().any(|it| it.ends[0] == a && it.ends[1] == b)
        || scenario.link_names().contains(&format!("{a}/{b}"))
}

impl Scenario {
    /// Names of all links: of legs, of links, of hosts.
    pub(crate) fn link_names(&self) -> Vec<String> {
        let name = |segment: &str, at: Option<&str>, node: &str| {
            let segment = self.segment(segment)?;
            let middle = match &segment.kind {
                SegmentKind::Shared => segment.name.as_str(),
                SegmentKind::Vlan { switches, .. } => {
                    at.or(switches.first().map(String::as_str))?
                }
            };
            Some(link_name(segment, middle, node))
        };
        let legs = self.routers.iter().flat_map(|router| {
            let legs = router.legs.iter();
            legs.filter_map(|leg| name(&leg.segment, leg.at.as_deref(), &router.name))
        });
        let hosts = self
            .hosts
            .iter()
            .filter_map(|it| name(&it.segment, it.at.as_deref(), &it.name));
        legs.chain(self.links.iter().map(|it| it.name.clone()))
            .chain(hosts)
            .collect()
    }
}
