//! The program that a machine runs.

use crate::execution::steps::Code;
use crate::machine::declassify::Declassification;
use crafty_lang::ir::{Program, SiteId, StackId, StackInfo};
use crafty_lang::labels::SiteLabels;
use crafty_policy::{Author, ExfiltrationMode, FrameOrigin};
use std::sync::Arc;

/// A program with what was derived from it.
#[derive(Debug)]
pub(crate) struct CompiledProgram {
    pub program: Arc<Program>,
    pub code: Arc<Code>,
    /// Which received data may reach or steer what is sent.
    pub mode: ExfiltrationMode,
    /// By site: what anything received may decide of what it sends, or whether and when.
    pub sites: Vec<SiteLabels>,
    /// By variable: whether received data decides over it.
    pub received: Vec<bool>,
    /// What received content has chosen.
    pub declassification: Declassification,
}

impl CompiledProgram {
    /// Who sends, and what of a frame of so many bytes anything received may decide. A site that is
    /// not known counts as reactive.
    pub fn origin(&self, site: SiteId, author: Author, bytes: usize) -> FrameOrigin {
        let labels = self.sites.get(site.0 as usize);
        FrameOrigin {
            author,
            site: site.0,
            reactive: labels.is_none_or(SiteLabels::reacts),
            chosen_bits: labels.map_or(0, |site| site.chosen.bits(bytes)),
        }
    }

    /// The head of a driven block.
    pub fn block(&self, id: StackId) -> &StackInfo {
        &self.program.stacks[id.0 as usize]
    }

    /// Whether a driven block is this one, or continues it.
    pub fn continues(&self, block: StackId, of: StackId) -> bool {
        let parent = |id: &StackId| self.program.stacks.get(id.0 as usize)?.parent;
        core::iter::successors(Some(block), parent).any(|id| id == of)
    }
}
