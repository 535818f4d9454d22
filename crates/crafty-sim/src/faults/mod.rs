//! Faults that a lab may have, one file each. To add one: write its file and put its name into the
//! list below.

use crate::dice::Dice;
use crate::lab::Lab;
use crafty_value::Duration;

macro_rules! faults {
    ($($name:ident)*) => {
        $(mod $name;)*
        static FAULTS: &[&Fault] = &[$(&$name::FAULT),*];
    };
}

faults! {
    bufferbloat
    corrupt_in_device
    delay
    duplicate
    jitter
    loss
    mtu_hole
    packet_ecmp
    rate_limit_icmp
    reorder
    silent_router
    ttl_loop
}

/// Everything that may be planted, by name.
pub fn faults() -> &'static [&'static Fault] {
    FAULTS
}

/// A kind of fault.
#[derive(Debug)]
pub struct Fault {
    /// What `--lab NETWORK:FAULT` calls it.
    pub name: &'static str,
    /// What `FAULT=VALUE` sets, if the fault has a measure.
    pub parameter: Option<Parameter>,
    /// A sentence about it.
    pub doc: &'static str,
    pub(crate) plant: fn(&mut Lab, &Planting) -> Result<(), String>,
}

/// The measure of a fault.
#[derive(Debug)]
pub struct Parameter {
    /// What it measures, in a word.
    pub name: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// Value if none is given, in the unit's smallest part.
    pub default: i64,
    /// Least value.
    pub least: i64,
    /// Greatest value.
    pub most: i64,
}

/// What the number of a parameter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Per cent, held as parts in a million.
    Percent,
    /// Bytes.
    Octets,
    /// Time, held in nanoseconds; a bare number is milliseconds.
    Time,
    /// Times a second.
    PerSecond,
}

/// A fault as it was asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planting<'a> {
    pub fault: &'static Fault,
    /// Value of the parameter, in the unit's smallest part.
    pub value: i64,
    /// What was named after `@`: a link `r1-r2`, one way of it `r1>r2`, or a router.
    pub place: Option<&'a str>,
}

/// What becomes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Pass,
    Drop,
    /// Passes, later by this much; others may overtake it.
    Late(Duration),
    /// Passes, and a copy of it.
    Twice,
}

/// How a fault treats the frames of one way of a link.
pub(crate) type Treatment = fn(&mut Impairment, &mut [u8]) -> Verdict;

/// A fault at work on one way of a link.
pub(crate) struct Impairment {
    fault: &'static Fault,
    treatment: Treatment,
    pub value: i64,
    pub dice: Dice,
}

impl Impairment {
    pub fn new(planting: &Planting<'_>, treatment: Treatment) -> Impairment {
        Impairment {
            fault: planting.fault,
            treatment,
            value: planting.value,
            dice: Dice::new(0, ""),
        }
    }

    pub fn name(&self) -> &'static str {
        self.fault.name
    }

    pub fn judge(&mut self, frame: &mut [u8]) -> Verdict {
        (self.treatment)(self, frame)
    }
}
