//! Every kind of mistake, one file each.
