//! Every kind of mistake, one file each. To add one: write the file, then add its name to the list
//! below.

use crate::diagnostic::Diagnostic;

macro_rules! diagnostics {
    ($($name:ident)*) => {
        $(pub mod $name;)*
        static ALL: &[&Diagnostic] = &[$(&$name::DIAGNOSTIC),*];
    };
}

diagnostics! {
    ambiguous_name
    answer_to_sender
    argument_sign
    argument_types
    auto_place
    bad_address
    bad_escape
    bad_hole
    bad_number
    bad_pattern
    bang_not
    block_as_value
    block_without_driven
    break_word
    capital_constant
    capital_name
    chained_comparison
    close_outside
    comment_sign
    comparison_types
    compound_assign
    constant_fails
    continue_word
    destination_not_permitted
    driven_without_block
    either_family
    else_if
    else_name
    empty_container
    endless_loop
    endless_work
    equals_in_condition
    equals_in_pattern
    event_send
    exit_status
    expected
    field_assign
    float_for_int
    for_loop
    foreach_in
    foreign_flags
    foreign_operator
    foreign_sign
    foreign_word
    function_word
    handler_waits
    header_test
    hidden_character
    hole_sign
    host_bits
    idle_handler
    increment
    index_declare
    keyword_as_name
    last_handler
    leading_zeros
    lone_range
    lower_layer
    mapped_address
    match_outside
    membership
    missing_block
    missing_brace
    missing_bracket
    missing_comma
    missing_destination
    missing_power
    missing_separator
    missing_timeout
    method_call
    misspelt_keyword
    mixed_array
    mixed_numbers
    named_value_divide
    never_matches
    no_condition
    no_elements
    no_member
    no_pattern
    no_ports
    no_request
    not_a_collection
    not_ascii
    not_assignable
    not_at_bottom
    not_bounded
    not_carried
    not_constant
    not_drivable
    nothing_held
    nowhere_to_go
    operator_types
    option_sign
    option_values
    other_packet
    out_action
    out_driven
    out_outside
    over_budget
    over_rate
    packet_read
    packet_stored
    param_type
    param_value
    pattern_and
    pattern_content
    pattern_start
    pattern_value
    port_not_owned
    port_not_permitted
    positional_field
    print_call
    qualified_field
    quoted_key
    range_place
    range_step
    redeclared
    repeat_options
    repeated_field
    repeated_setting
    request_path
    reserved_name
    session_place
    setting_place
    setting_range
    setting_sign
    setting_value
    single_quotes
    slow_body
    space_after_hash
    spaced_bang
    stack_in_expression
    stack_outside
    stop_outside
    stray_bracket
    stream_fields
    tainted_guard
    tainted_send
    ternary
    string_prefix
    text_plus
    to_whom
    too_deep
    too_long
    too_wide
    try_alone
    two_ports
    type_mismatch
    typed_name
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
    unknown_unit
    unknown_value
    unread_layer
    unterminated_string
    unused_value
    waits_too_long
    while_loop
    worst_over_budget
    wrong_arguments
    wrong_family
    zone_place
}

/// All rows, by name.
pub fn all() -> &'static [&'static Diagnostic] {
    ALL
}

/// The row of this code (`E0601`, in either case) or name (`tainted-send`).
pub fn find(code_or_name: &str) -> Option<&'static Diagnostic> {
    ALL.iter()
        .copied()
        .find(|row| row.code.eq_ignore_ascii_case(code_or_name) || row.name == code_or_name)
}

#[cfg(test)]
mod laws;
