//! The mistakes that reading a text can find, one file each. To add one: write the file, then add
//! its name to the list below. What the checker finds is in its own crate.

use crate::diagnostic::Diagnostic;

macro_rules! diagnostics {
    ($($name:ident)*) => {
        $(pub mod $name;)*
        static ALL: &[&Diagnostic] = &[$(&$name::DIAGNOSTIC),*];
    };
}

diagnostics! {
    argument_sign
    ask_alone
    bad_address
    bad_escape
    bad_hole
    bad_number
    bang_not
    block_as_value
    break_word
    capital_constant
    capital_name
    chained_comparison
    comment_sign
    compound_assign
    continue_word
    else_if
    else_name
    equals_in_condition
    equals_in_pattern
    exit_status
    expected
    field_assign
    for_loop
    foreach_in
    foreign_operator
    foreign_sign
    foreign_word
    function_word
    header_test
    hidden_character
    host_bits
    increment
    index_declare
    keyword_as_name
    leading_zeros
    lone_range
    lower_layer
    mapped_address
    method_call
    missing_block
    missing_brace
    missing_bracket
    missing_comma
    missing_separator
    misspelt_keyword
    named_value_divide
    no_pattern
    not_ascii
    option_sign
    packet_read
    pattern_and
    print_call
    qualified_field
    quoted_key
    range_step
    repeat_options
    reserved_name
    setting_range
    setting_sign
    single_quotes
    space_after_hash
    spaced_bang
    stack_in_expression
    stray_bracket
    string_prefix
    ternary
    too_deep
    too_long
    try_alone
    typed_name
    unknown_unit
    unterminated_string
    unused_value
    while_loop
}

/// All rows, by name.
pub fn all() -> &'static [&'static Diagnostic] {
    ALL
}

#[cfg(test)]
mod laws;
