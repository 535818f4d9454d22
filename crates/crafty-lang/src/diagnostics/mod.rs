//! The mistakes that checking a program can find, one file each. To add one: write the file, then
//! add its name to the list below. What the parser finds is in [`crafty_syntax::diagnostics`];
//! [`all`] and [`find`] know both.

use crafty_syntax::diagnostic::Diagnostic;

macro_rules! diagnostics {
    ($($name:ident)*) => {
        $(pub mod $name;)*
        static ALL: &[&Diagnostic] = &[$(&$name::DIAGNOSTIC),*];
    };
}

diagnostics! {
    ambiguous_name
    answer_to_sender
    argument_types
    auto_place
    bad_pattern
    block_without_driven
    close_outside
    comparison_types
    constant_fails
    destination_not_permitted
    driven_without_block
    either_family
    empty_container
    endless_loop
    endless_work
    event_send
    float_for_int
    foreign_flags
    handler_waits
    hole_sign
    idle_handler
    last_handler
    leak_over_limit
    match_outside
    measured_try
    membership
    missing_destination
    missing_power
    missing_timeout
    missing_tries
    mixed_array
    never_matches
    no_condition
    no_elements
    no_member
    no_ports
    no_request
    not_a_collection
    not_assignable
    not_at_bottom
    not_bounded
    not_carried
    not_constant
    not_drivable
    nothing_held
    nowhere_to_go
    operator_types
    option_values
    other_packet
    out_action
    out_driven
    out_outside
    over_budget
    over_rate
    packet_stored
    param_type
    param_value
    pattern_content
    pattern_start
    pattern_value
    port_not_owned
    port_not_permitted
    positional_field
    range_place
    redeclared
    repeated_field
    repeated_setting
    request_path
    session_place
    setting_place
    setting_value
    slow_body
    source_not_permitted
    stack_outside
    stop_outside
    stream_fields
    tainted_guard
    tainted_send
    text_plus
    to_whom
    too_wide
    two_ports
    type_mismatch
    undriven_pattern
    unit_missing
    unknown_block
    unknown_counter
    unknown_field
    unknown_function
    unknown_kind
    unknown_layer
    unknown_name
    unknown_option
    unknown_power
    unknown_setting
    unknown_statement_option
    unknown_value
    unread_layer
    waits_too_long
    worst_over_budget
    wrong_arguments
    wrong_family
    zone_place
}

/// All rows, those of [`crafty_syntax`] too, by code.
pub fn all() -> Vec<&'static Diagnostic> {
    let mut rows = [crafty_syntax::diagnostics::all(), ALL].concat();
    rows.sort_by_key(|row| row.code);
    rows
}

/// The row of this code (`E0601`, in either case) or name (`tainted-send`), of [`crafty_syntax`]
/// too.
pub fn find(code_or_name: &str) -> Option<&'static Diagnostic> {
    all()
        .into_iter()
        .find(|row| row.code.eq_ignore_ascii_case(code_or_name) || row.name == code_or_name)
}

#[cfg(test)]
mod laws;
