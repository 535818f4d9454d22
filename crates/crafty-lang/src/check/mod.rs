//! Names, types and settings: from the tree to a checked program.
