//! What this crate gets from the command line that it is part of.

use std::path::PathBuf;

/// A page of the manual, or an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedText {
    /// What it is asked for by.
    pub name: String,
    /// One line.
    pub about: String,
    /// All of it.
    pub text: String,
}

/// What belongs to the command line.
pub trait CommandLine: Send + Sync + 'static {
    /// The pages of the manual, in order.
    fn manual(&self) -> Vec<NamedText>;

    /// Example programs.
    fn examples(&self) -> Vec<NamedText>;

    /// The page of a layer or a function.
    fn reference(&self, name: &str) -> Option<String>;

    /// The long form of a message of the checker, by its code or its name.
    fn message(&self, code: &str) -> Option<String>;

    /// The binary whose `run` sends to real networks.
    fn binary(&self) -> PathBuf;
}
