//! Laws over all rows.
