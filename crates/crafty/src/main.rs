//! The command line of Crafty.
fn main() {}
