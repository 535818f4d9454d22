//! The layers of a frame as they were found, with what was odd about them.

use alloc::vec::Vec;

use crate::decode_warning::DecodeWarning;
use crate::layer::Layer;
use crate::protocols::bytes;

/// A layer as it was found: its bounds, counted from the start of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundLayer {
    /// The layer.
    pub layer: &'static Layer,
    /// First byte of the header.
    pub start: usize,
    /// First byte after the header.
    pub payload: usize,
    /// First byte of the trailer; `end` where there is none. The payload ends here.
    pub trailer: usize,
    /// First byte after the layer and all it carries, as far as it is there.
    pub end: usize,
    /// Whether something of it is missing.
    pub partial: Unverifiable,
    /// Whether a port number alone chose the layer.
    pub guessed: bool,
    /// Whether its first bytes alone told the layer, at a port that says nothing of it.
    pub by_content: bool,
}

/// Why what a layer says cannot be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unverifiable {
    /// It can: all is there.
    Whole,
    /// The capture was cut.
    Snapped,
    /// It is in a fragment.
    Fragment,
    /// It is in a packet that an error message quotes.
    Quoted,
    /// A length, its own or of a layer below, cannot be: which bytes belong to it is not known.
    Doubtful,
}

impl Unverifiable {
    /// Whether it is of a packet that passed by itself: in no fragment, and in no quotation. Its
    /// payload may be cut, and a length may lie.
    pub fn is_unfragmented(self) -> bool {
        matches!(
            self,
            Unverifiable::Whole | Unverifiable::Snapped | Unverifiable::Doubtful
        )
    }
}

/// The layers of a frame; a buffer to be used again and again.
#[derive(Clone, Debug, Default)]
pub struct Decoded {
    /// The layers, the outermost first. What no layer explains is a last one, `Bytes`.
    pub layers: Vec<FoundLayer>,
    /// Bytes that were on the wire.
    pub wire_len: usize,
    /// Whether the sender had not computed its checksums yet (offload). Set by the caller after
    /// decoding; decoding clears it.
    pub checksums_pending: bool,
    pub(super) warnings: Vec<(u8, DecodeWarning)>,
}

impl Decoded {
    /// An empty buffer.
    pub fn new() -> Decoded {
        Decoded::default()
    }

    /// The warnings about the layer at this position.
    pub fn warnings(&self, layer: usize) -> impl Iterator<Item = DecodeWarning> {
        self.warnings
            .iter()
            .filter(move |row| usize::from(row.0) == layer)
            .map(|row| row.1)
    }

    /// All warnings with the position of their layer.
    pub fn all_warnings(&self) -> impl Iterator<Item = (usize, DecodeWarning)> {
        self.warnings.iter().map(|row| (row.0.into(), row.1))
    }

    /// The position of the layer `layer`, the outermost of its kind being number 0.
    pub fn position(&self, layer: &Layer, number: usize) -> Option<usize> {
        let mut found = self
            .layers
            .iter()
            .enumerate()
            .filter(|(_, found)| found.layer == layer);
        found.nth(number).map(|(position, _)| position)
    }

    /// Takes back what was found above the layer at this position: what it carries is bytes, of
    /// which nothing is reported. For what carries pieces of something that is shown elsewhere.
    pub fn leave_undivided(&mut self, layer: usize) {
        let Some(&below) = self.layers.get(layer) else {
            return;
        };
        self.layers.truncate(layer + 1);
        let snapped = self
            .warnings
            .iter()
            .position(|row| matches!(row.1, DecodeWarning::Snapped { .. }))
            .map(|at| self.warnings.remove(at).1);
        self.warnings.retain(|row| usize::from(row.0) <= layer);
        if below.payload < below.trailer {
            let end = below.trailer;
            self.layers.push(FoundLayer {
                layer: &bytes::LAYER,
                start: below.payload,
                payload: end,
                trailer: end,
                end,
                guessed: false,
                ..below
            });
        }
        self.warnings
            .extend(snapped.map(|warning| (self.layers.len() as u8 - 1, warning)));
    }

    /// Seldom, and kept out of the way of the walk.
    #[cold]
    #[inline(never)]
    pub(super) fn warning(&mut self, warning: DecodeWarning) {
        self.warnings.push((self.layers.len() as u8, warning));
    }
}
