//! Sets of whole numbers as sorted ranges. Knows nothing of what the numbers mean.

use alloc::vec::Vec;
use core::fmt;

/// A set of numbers: inclusive ranges, ascending, with a gap of at least one number between
/// neighbours, so that equal sets are equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges(Vec<(u128, u128)>);

impl Ranges {
    /// The empty set.
    pub const fn new() -> Ranges {
        Ranges(Vec::new())
    }

    /// The numbers `low..=high`; none if `low > high`.
    pub fn of(low: u128, high: u128) -> Ranges {
        let mut set = Ranges::new();
        set.insert(low, high);
        set
    }

    /// Adds `low..=high`.
    pub fn insert(&mut self, low: u128, high: u128) {
        if low > high {
            return;
        }
        let from = self
            .0
            .partition_point(|&(_, end)| end < low && low - end > 1);
        let to = self
            .0
            .partition_point(|&(start, _)| start <= high || start - high == 1);
        let joined = self.0[from..to]
            .iter()
            .fold((low, high), |(a, b), &(start, end)| {
                (a.min(start), b.max(end))
            });
        self.0.splice(from..to, [joined]);
    }

    /// Whether `number` is in the set.
    pub fn contains(&self, number: u128) -> bool {
        let at = self.0.partition_point(|&(_, end)| end < number);
        self.0.get(at).is_some_and(|&(start, _)| start <= number)
    }

    /// What is in both.
    pub fn intersection(&self, other: &Ranges) -> Ranges {
        let (mut i, mut j, mut out) = (0, 0, Vec::new());
        while let (Some(&(a, b)), Some(&(c, d))) = (self.0.get(i), other.0.get(j)) {
            if a.max(c) <= b.min(d) {
                out.push((a.max(c), b.min(d)));
            }
            if b <= d { i += 1 } else { j += 1 }
        }
        Ranges(out)
    }

    /// What is in either.
    pub fn union(&self, other: &Ranges) -> Ranges {
        let mut out = self.clone();
        other
            .0
            .iter()
            .for_each(|&(low, high)| out.insert(low, high));
        out
    }

    /// What is in this set and not in `other`.
    pub fn difference(&self, other: &Ranges) -> Ranges {
        self.intersection(&other.complement())
    }

    fn complement(&self) -> Ranges {
        let mut out = Vec::new();
        let mut next = Some(0);
        for &(start, end) in &self.0 {
            if let Some(free) = next.filter(|&free| free < start) {
                out.push((free, start - 1));
            }
            next = end.checked_add(1);
        }
        out.extend(next.map(|free| (free, u128::MAX)));
        Ranges(out)
    }

    /// How many numbers; `u128::MAX` also stands for one more.
    pub fn count(&self) -> u128 {
        self.0.iter().fold(0, |sum, &(start, end)| {
            sum.saturating_add(end - start).saturating_add(1)
        })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The ranges, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u128, u128)> + '_ {
        self.0.iter().copied()
    }
}

/// A set of ports or of ICMP identifiers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortSet(Ranges);

impl PortSet {
    /// No port.
    pub const fn none() -> PortSet {
        PortSet(Ranges::new())
    }

    /// Every port.
    pub fn all() -> PortSet {
        PortSet(Ranges::of(0, u128::from(u16::MAX)))
    }

    /// Adds the ports `low..=high`.
    pub fn insert(&mut self, low: u16, high: u16) {
        self.0.insert(u128::from(low), u128::from(high));
    }

    /// Whether `port` is in the set.
    pub fn contains(&self, port: u16) -> bool {
        self.0.contains(u128::from(port))
    }

    /// The ports of both sets.
    pub fn meet(&self, other: &PortSet) -> PortSet {
        PortSet(self.0.intersection(&other.0))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.0.count() as usize
    }

    /// The lowest port, if any.
    pub fn first(&self) -> Option<u16> {
        self.ranges().next().map(|(low, _)| low)
    }

    /// Inclusive ranges, ascending.
    pub fn ranges(&self) -> impl Iterator<Item = (u16, u16)> + '_ {
        self.0.iter().map(|(low, high)| (low as u16, high as u16))
    }
}

impl FromIterator<(u16, u16)> for PortSet {
    fn from_iter<I: IntoIterator<Item = (u16, u16)>>(ranges: I) -> PortSet {
        let mut set = PortSet::none();
        ranges
            .into_iter()
            .for_each(|(low, high)| set.insert(low, high));
        set
    }
}

/// As the language writes it: `[80, [40000, 40100]]`.
impl fmt::Display for PortSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, (low, high)) in self.ranges().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            if low == high {
                write!(f, "{low}")?
            } else {
                write!(f, "[{low}, {high}]")?
            }
        }
        f.write_str("]")
    }
}
