//! Medians, and figures as a person reads them.

/// The middle of the numbers, the mean of the two middle ones if their count is even; NaN of none.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let (below, above) = (
        numbers.get(numbers.len().wrapping_sub(1) / 2),
        numbers.get(numbers.len() / 2),
    );
    below.zip(above).map_or(f64::NAN, |(a, b)| (a + b) / 2.0)
}

/// The median of what each pair's first number is to its second.
pub fn paired(pairs: &[(f64, f64)]) -> f64 {
    median(pairs.iter().map(|(a, b)| a / b).collect())
}

/// The medians of the first and of the second numbers.
pub fn medians(pairs: &[(f64, f64)]) -> (f64, f64) {
    (
        median(pairs.iter().map(|p| p.0).collect()),
        median(pairs.iter().map(|p| p.1).collect()),
    )
}

/// Three digits that count, with a prefix: `1.35 M`, `68.2 k`, `0.004`.
pub fn short(number: f64) -> String {
    let (scaled, prefix) = match number.abs() {
        1e6.. => (number / 1e6, " M"),
        1e4.. => (number / 1e3, " k"),
        _ => (number, ""),
    };
    if scaled == 0.0 || !scaled.is_finite() {
        return scaled.to_string();
    }
    let digits = (2 - scaled.abs().log10().floor() as i32).clamp(0, 6) as usize;
    format!("{scaled:.digits$}{prefix}")
}

/// A span of nanoseconds in the unit that fits.
pub fn span(nanoseconds: f64) -> String {
    match nanoseconds.abs() {
        1e9.. => format!("{} s", short(nanoseconds / 1e9)),
        1e6.. => format!("{} ms", short(nanoseconds / 1e6)),
        1e3.. => format!("{} µs", short(nanoseconds / 1e3)),
        _ => format!("{} ns", short(nanoseconds)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_stand_in_the_middle() {
        for (numbers, middle) in [
            (vec![3.0], 3.0),
            (vec![9.0, 1.0, 2.0], 2.0),
            (vec![4.0, 1.0, 2.0, 100.0], 3.0),
        ] {
            assert_eq!(median(numbers.clone()), middle, "{numbers:?}");
        }
        assert!(median(Vec::new()).is_nan());
        assert_eq!(paired(&[(1.0, 2.0), (3.0, 3.0), (9.0, 3.0)]), 1.0);
    }

    #[test]
    fn figures_have_three_digits() {
        for (number, text) in [
            (1_352_111.0, "1.35 M"),
            (68_211.0, "68.2 k"),
            (5_210.0, "5210"),
            (0.99512, "0.995"),
            (0.004, "0.00400"),
            (0.0, "0"),
        ] {
            assert_eq!(short(number), text);
        }
        assert_eq!(
            [span(850.0), span(11_400.0), span(9.4e6)],
            ["850 ns", "11.4 µs", "9.40 ms"]
        );
    }
}
