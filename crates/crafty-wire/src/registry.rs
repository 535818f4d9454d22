//! The tables turned the way the codec asks them, at build time: which child a value means, which
//! value a child has.

use crate::field::same;
use crate::layer::Layer;
use crate::protocols::{ALL, bytes};

/// Every layer, in the order of the list in [`crate::protocols`].
pub fn all() -> &'static [&'static Layer] {
    &ALL
}

/// The layer called `name` in the language.
pub fn layer(name: &str) -> Option<&'static Layer> {
    ALL.iter().copied().find(|layer| layer.name == name)
}

/// The first layer of a frame in a capture of this link type (the numbers of pcap files); `Bytes`
/// where none is known. Raw IP (12, 14, 101) is recognized by its version.
pub fn link(link_type: u32, frame: &[u8]) -> &'static Layer {
    const RAW: [u32; 3] = [12, 14, 101];
    const PPP: u32 = 9;
    let version = frame.first().map(|octet| octet >> 4);
    match version {
        Some(4) if RAW.contains(&link_type) => &crate::protocols::ip::LAYER,
        Some(6) if RAW.contains(&link_type) => &crate::protocols::ip6::LAYER,
        // With or without the framing of HDLC (RFC 1662).
        _ if link_type == PPP && frame.starts_with(&[0xff, 3]) => &crate::protocols::hdlc::LAYER,
        _ => ALL
            .iter()
            .copied()
            .find(|layer| layer.link_types.contains(&link_type))
            .unwrap_or(&bytes::LAYER),
    }
}

/// One row of `under`, resolved.
#[derive(Clone, Copy)]
struct BindingRow {
    parent: u8,
    child: u8,
    first: u64,
    last: u64,
}

const COUNT: usize = count();
const NOBODY: u8 = u8::MAX;
static ROWS: [BindingRow; COUNT] = rows();
static SPANS: [(u16, u16); ALL.len()] = spans();
/// The rows as they are declared, child by child.
static DECLARED: [BindingRow; COUNT] = declared();
static PARENTS: [(u16, u16); ALL.len()] = parents();
static LIKE: [u8; ALL.len()] = likes();

/// What each single value means below each parent, also by what the parent is like, by a hash.
static TABLE: [ChildEntry; SLOTS] = table();
const SLOTS: usize = (COUNT * 8).next_power_of_two();
/// Parents that have a row for a range.
static RANGED: [bool; ALL.len()] = ranged();

/// A place of [`TABLE`]; without a child it is free.
#[derive(Clone, Copy)]
struct ChildEntry {
    value: u32,
    child: Option<&'static Layer>,
    parent: u8,
}

/// The layer that `value` means in the field by which `parent` tells what it carries.
#[inline]
pub(crate) fn child(parent: &Layer, value: u64) -> Option<&'static Layer> {
    let mut at = hash(parent.id, value);
    loop {
        let entry = &TABLE[at];
        if entry.child.is_none() {
            return range(parent.id, value);
        }
        if u64::from(entry.value) == value && entry.parent == parent.id {
            return entry.child;
        }
        at = (at + 1) % SLOTS;
    }
}

/// Children that tell themselves by their first bytes, with their parents.
const TELLING: usize = telling();
static CONTENT: [(u8, &Layer); TELLING] = content();

/// The layer of which the bytes are the start beyond doubt, whatever the number in `parent` says.
pub(crate) fn by_content(parent: &Layer, octets: &[u8]) -> Option<&'static Layer> {
    let own = CONTENT.iter().filter(|row| row.0 == parent.id);
    own.map(|row| row.1)
        .find(|layer| layer.begins.is_some_and(|begins| begins(octets)))
}

const fn telling() -> usize {
    let rows = declared();
    let mut sum = 0;
    let mut i = 0;
    while i < COUNT {
        sum += tells(&rows, i) as usize;
        i += 1;
    }
    sum
}

/// Whether a row is the first one of a child that tells itself and of this parent.
const fn tells(rows: &[BindingRow; COUNT], i: usize) -> bool {
    if ALL[rows[i].child as usize].begins.is_none() {
        return false;
    }
    let mut j = 0;
    while j < i {
        if rows[j].child == rows[i].child && rows[j].parent == rows[i].parent {
            return false;
        }
        j += 1;
    }
    true
}

const fn content() -> [(u8, &'static Layer); TELLING] {
    let rows = declared();
    let mut content: [(u8, &'static Layer); TELLING] = [(NOBODY, ALL[0]); TELLING];
    let mut n = 0;
    let mut i = 0;
    while i < COUNT {
        if tells(&rows, i) {
            content[n] = (rows[i].parent, ALL[rows[i].child as usize]);
            n += 1;
        }
        i += 1;
    }
    content
}

/// A range is of lengths, which the layer counts itself: those that are like it do not (a type of
/// GRE is not a length).
#[inline]
fn range(parent: u8, value: u64) -> Option<&'static Layer> {
    if !*RANGED.get(usize::from(parent))? {
        return None;
    }
    let rows = rows_of(parent)?;
    let row = rows.get(rows.partition_point(|row| row.last < value))?;
    if row.first <= value {
        ALL.get(usize::from(row.child)).copied()
    } else {
        None
    }
}

const fn hash(parent: u8, value: u64) -> usize {
    let mixed = (value ^ ((parent as u64) << 48)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as usize % SLOTS
}

/// The number that `parent` writes for `child`, and whether it is a length instead.
pub(crate) fn number(parent: &Layer, child: &Layer) -> Option<Number> {
    let &(first, last) = PARENTS.get(usize::from(child.id))?;
    let rows = DECLARED.get(usize::from(first)..usize::from(last))?;
    let mut id = parent.id;
    loop {
        if let Some(row) = rows.iter().find(|row| row.parent == id) {
            return Some(if row.first == row.last {
                Number::Is(row.first)
            } else {
                Number::Length
            });
        }
        id = *LIKE.get(usize::from(id))?;
    }
}

/// What a parent writes for its child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// This number.
    Is(u64),
    /// The length of its payload.
    Length,
}

fn rows_of(id: u8) -> Option<&'static [BindingRow]> {
    let &(first, last) = SPANS.get(id as usize)?;
    ROWS.get(first as usize..last as usize)
}

const fn count() -> usize {
    let (mut sum, mut i) = (0, 0);
    while i < ALL.len() {
        sum += ALL[i].under.len();
        i += 1;
    }
    sum
}

const fn id_of(name: &str) -> u8 {
    let mut i = 0;
    while i < ALL.len() {
        if same(ALL[i].name, name) {
            return i as u8;
        }
        i += 1;
    }
    panic!("a table names a layer that does not exist")
}

const fn declared() -> [BindingRow; COUNT] {
    let mut rows = [BindingRow {
        parent: 0,
        child: 0,
        first: 0,
        last: 0,
    }; COUNT];
    let (mut n, mut i) = (0, 0);
    while i < ALL.len() {
        let mut j = 0;
        while j < ALL[i].under.len() {
            let row = &ALL[i].under[j];
            rows[n] = BindingRow {
                parent: id_of(row.parent),
                child: i as u8,
                first: row.value,
                last: row.last,
            };
            n += 1;
            j += 1;
        }
        i += 1;
    }
    rows
}

const fn parents() -> [(u16, u16); ALL.len()] {
    let mut spans = [(0, 0); ALL.len()];
    let (mut n, mut i) = (0, 0);
    while i < ALL.len() {
        spans[i] = (n as u16, (n + ALL[i].under.len()) as u16);
        n += ALL[i].under.len();
        i += 1;
    }
    spans
}

/// All rows, by parent and value.
const fn rows() -> [BindingRow; COUNT] {
    let mut rows = declared();
    let mut i = 1;
    while i < COUNT {
        let row = rows[i];
        insert(&mut rows, i, row);
        i += 1;
    }
    rows
}

const fn insert(rows: &mut [BindingRow; COUNT], filled: usize, row: BindingRow) {
    let mut at = filled;
    while at > 0
        && (rows[at - 1].parent > row.parent
            || (rows[at - 1].parent == row.parent && rows[at - 1].first > row.first))
    {
        rows[at] = rows[at - 1];
        at -= 1;
    }
    rows[at] = row;
}

const fn table() -> [ChildEntry; SLOTS] {
    let (rows, spans, like) = (rows(), spans(), likes());
    let mut table = [ChildEntry {
        value: 0,
        child: None,
        parent: 0,
    }; SLOTS];
    let mut parent = 0;
    while parent < ALL.len() {
        // Rows of its own come first: they are before those of what it is like.
        let mut id = parent;
        loop {
            let mut i = spans[id].0 as usize;
            while i < spans[id].1 as usize {
                if rows[i].first == rows[i].last {
                    enter(&mut table, parent as u8, &rows[i]);
                }
                i += 1;
            }
            if like[id] == NOBODY {
                break;
            }
            id = like[id] as usize;
        }
        parent += 1;
    }
    table
}

/// Enters a row where its value means nothing yet.
const fn enter(table: &mut [ChildEntry; SLOTS], parent: u8, row: &BindingRow) {
    let mut at = hash(parent, row.first);
    while table[at].child.is_some() {
        if table[at].parent == parent && table[at].value as u64 == row.first {
            return;
        }
        at = (at + 1) % SLOTS;
    }
    assert!(
        row.first <= u32::MAX as u64,
        "a value that tells what follows has at most 32 bits"
    );
    table[at] = ChildEntry {
        value: row.first as u32,
        child: Some(ALL[row.child as usize]),
        parent,
    };
}

const fn ranged() -> [bool; ALL.len()] {
    let rows = rows();
    let mut ranged = [false; ALL.len()];
    let mut i = 0;
    while i < COUNT {
        if rows[i].first != rows[i].last {
            ranged[rows[i].parent as usize] = true;
        }
        i += 1;
    }
    ranged
}

const fn spans() -> [(u16, u16); ALL.len()] {
    let rows = rows();
    let mut spans = [(0, 0); ALL.len()];
    let (mut i, mut id) = (0, 0);
    while id < ALL.len() {
        let first = i;
        while i < COUNT && rows[i].parent as usize == id {
            i += 1;
        }
        spans[id] = (first as u16, i as u16);
        id += 1;
    }
    spans
}

const fn likes() -> [u8; ALL.len()] {
    let mut likes = [NOBODY; ALL.len()];
    let mut i = 0;
    while i < ALL.len() {
        if let Some(name) = ALL[i].like {
            likes[i] = id_of(name);
        }
        i += 1;
    }
    likes
}
