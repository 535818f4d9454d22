//! Where nodes are: the one from which all others are nearest in the middle, the others on rings
//! around it, each in a sector as wide as what hangs on it. So labels that point outwards have
//! room.

use super::graph::Graph;
use std::collections::VecDeque;
use std::f64::consts::TAU;

/// Distance of labels of neighbours on a ring.
pub(super) const LINE: f64 = 15.0;
/// Least distance of rings: a label's room.
pub(super) const RING: f64 = 120.0;

/// A node's place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spot {
    pub x: f64,
    pub y: f64,
    /// From the middle, clockwise from the right, in turns of 0 to 1.
    pub turn: f64,
    /// Which ring; 0 is the middle.
    pub ring: usize,
}

/// The places of all nodes, and the radius of the last ring.
pub(super) fn spots(graph: &Graph) -> (Vec<Spot>, f64) {
    let beside = graph.neighbours();
    let Some(middle) = (0..beside.len()).min_by_key(|it| remoteness(&beside, *it)) else {
        return (Vec::new(), 0.0);
    };
    let tree = ShortestWays::of(&beside, middle);
    let widths = tree.widths();
    let total: usize = tree.roots().map(|it| widths[it]).sum();
    let ring = RING.max(LINE * total as f64 / TAU);
    let mut spots = vec![Spot::default(); beside.len()];
    let mut from = 0.0;
    for root in tree.roots() {
        let to = from + widths[root] as f64 / total as f64;
        tree.place(root, (from, to), &widths, ring, &mut spots);
        from = to;
    }
    let last = spots.iter().map(|it| it.ring).max().unwrap_or(0);
    (spots, last as f64 * ring)
}

/// How far the farthest node is, then how far all are together; a node that reaches few is remote.
fn remoteness(beside: &[Vec<usize>], from: usize) -> (usize, usize, usize) {
    let rings = ShortestWays::of(beside, from).rings;
    let reached = rings.iter().flatten();
    let away = rings.iter().filter(|it| it.is_none()).count();
    (
        away,
        reached.clone().max().copied().unwrap_or(0),
        reached.sum(),
    )
}

/// The shortest ways from one node; what it does not reach is on the first ring.
struct ShortestWays {
    middle: usize,
    rings: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
}

impl ShortestWays {
    fn of(beside: &[Vec<usize>], middle: usize) -> ShortestWays {
        let mut tree = ShortestWays {
            middle,
            rings: vec![None; beside.len()],
            children: vec![Vec::new(); beside.len()],
        };
        tree.rings[middle] = Some(0);
        let mut open = VecDeque::from([middle]);
        while let Some(node) = open.pop_front() {
            for next in &beside[node] {
                if tree.rings[*next].is_none() {
                    tree.rings[*next] = tree.rings[node].map(|it| it + 1);
                    tree.children[node].push(*next);
                    open.push_back(*next);
                }
            }
        }
        tree
    }

    /// The middle, and nodes that nothing joins to it.
    fn roots(&self) -> impl Iterator<Item = usize> {
        let apart = (0..self.rings.len()).filter(|it| self.rings[*it].is_none());
        std::iter::once(self.middle).chain(apart)
    }

    /// How many ends hang on each node.
    fn widths(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.rings.len()).collect();
        order.sort_by_key(|it| std::cmp::Reverse(self.rings[*it]));
        let mut widths = vec![1; self.rings.len()];
        for node in order {
            let children = self.children[node].iter();
            widths[node] = children.map(|it| widths[*it]).sum::<usize>().max(1);
        }
        widths
    }

    fn place(
        &self,
        node: usize,
        (from, to): (f64, f64),
        widths: &[usize],
        ring: f64,
        spots: &mut [Spot],
    ) {
        let number = self.rings[node].unwrap_or(1);
        let (turn, radius) = ((from + to) / 2.0, number as f64 * ring);
        spots[node] = Spot {
            x: radius * (turn * TAU).cos(),
            y: radius * (turn * TAU).sin(),
            turn,
            ring: number,
        };
        let mut from = from;
        let share = (to - from) / widths[node] as f64;
        for child in &self.children[node] {
            let to = from + share * widths[*child] as f64;
            self.place(*child, (from, to), widths, ring, spots);
            from = to;
        }
    }
}
