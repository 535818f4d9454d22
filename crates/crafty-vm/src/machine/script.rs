//! The program that a machine runs.

use crate::execution::steps::Code;
use crafty_lang::ir::{Program, SiteId, StackId, StackInfo};
use std::sync::Arc;

/// A program with what was derived from it.
#[derive(Debug)]
pub(crate) struct Script {
    pub program: Arc<Program>,
    pub code: Arc<Code>,
    /// By site: whether anything received may decide that it sends, or when.
    pub reactive: Vec<bool>,
}

impl Script {
    /// Whether anything received may decide that this site sends, or when. What is not known counts
    /// as reactive.
    pub fn is_reactive(&self, site: SiteId) -> bool {
        self.reactive.get(site.0 as usize).copied().unwrap_or(true)
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
