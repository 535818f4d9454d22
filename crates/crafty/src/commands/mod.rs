//! Every command, one file each. To add one: write the file, then add its name to the list below.

use crate::failure::Failure;
use clap::{Arg, ArgMatches};

/// A command.
pub struct Command {
    /// As typed.
    pub name: &'static str,
    /// One line.
    pub about: &'static str,
    /// What the help ends with: examples.
    pub more: &'static str,
    /// Its words.
    pub args: fn() -> Vec<Arg>,
    /// What it does; gives the exit status.
    pub run: fn(&ArgMatches) -> Result<u8, Failure>,
}

macro_rules! commands {
    ($($(#[$feature:meta])? $name:ident)*) => {
        $($(#[$feature])? pub mod $name;)*
        /// All commands, in the order of the help.
        pub static ALL: &[&Command] = &[$($(#[$feature])? &$name::COMMAND),*];
    };
}

commands! {
    check review approve run decode findings from_pcap manual explain schema fmt lab doctor skill
    #[cfg(feature = "endpoint")]
    endpoint
    #[cfg(feature = "mcp")]
    mcp
    #[cfg(feature = "bench")]
    bench
}
