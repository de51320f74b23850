//! How a number is spelled in canonical JSON.

/// Appends the canonical spelling of a valid JSON number token. See [the module](super) for the
/// rules.
pub(super) fn write_number(out: &mut String, token: &str) {
    if token.contains(['e', 'E']) {
        write_double(out, token);
    } else if let Some((whole, fraction)) = token.split_once('.') {
        write_decimal(out, whole, fraction);
    } else {
        out.push_str(if token == "-0" { "0" } else { token });
    }
}

/// Fractional digits up to which a decimal is an exact ratio of machine integers: ten to this
/// power is the largest that 64 bits hold.
const EXACT_DIGITS: usize = 19;

fn write_decimal(out: &mut String, whole: &str, fraction: &str) {
    let rounded = round(fraction.trim_end_matches('0'));
    let fraction = rounded.trim_end_matches('0');
    match whole {
        "-0" if fraction.is_empty() => out.push('0'),
        whole => out.push_str(whole),
    }
    out.push('.');
    out.push_str(if fraction.is_empty() { "0" } else { fraction });
}

/// Rounds the digits of a fraction half up to what its reduced denominator calls for: 6 digits
/// below 100,000, else one more than the denominator has. A fraction less than one never rounds
/// up to one by this, because it is at least one part of the denominator away.
fn round(digits: &str) -> String {
    let exact = || digits.to_owned();
    if digits.len() > EXACT_DIGITS {
        return exact();
    }
    let Ok(numerator) = digits.parse::<u64>() else {
        return exact();
    };
    let scale = power_of_ten(digits.len());
    let denominator = scale / greatest_common_divisor(numerator, scale);
    let precision = match denominator {
        ..100_000 => 6,
        large => large.to_string().len() + 1,
    };
    if digits.len() <= precision {
        return exact();
    }
    let unit = power_of_ten(digits.len() - precision);
    let rounded = (numerator + unit / 2) / unit;
    format!("{rounded:0precision$}")
}

fn power_of_ten(exponent: usize) -> u64 {
    std::iter::repeat_n(10, exponent).product()
}

fn greatest_common_divisor(mut left: u64, mut right: u64) -> u64 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

/// Shortest digits that read back as the same double: positional from 0.0001 up to below 1e15,
/// else with a signed exponent of at least two digits. Positional ones are marked with `e0`.
fn write_double(out: &mut String, token: &str) {
    let value = match token.parse::<f64>() {
        Ok(value) if value.is_finite() => value,
        _ => return out.push_str(token),
    };
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let size = value.abs();
    if size == 0.0 || (1e-4..1e15).contains(&size) {
        out.push_str(&format!("{value}e0"));
        return;
    }
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    out.push_str(&format!("{digits}e{sign}{exponent:0>2}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(cases: &[(&str, &str)]) {
        for (token, expected) in cases {
            let mut out = String::new();
            write_number(&mut out, token);
            assert_eq!(&out, expected, "{token}");
        }
    }

    #[test]
    fn integers_stay_as_they_are_at_any_size() {
        check(&[
            ("0", "0"),
            ("-0", "0"),
            ("-1", "-1"),
            ("9007199254740993", "9007199254740993"),
            (
                "1234567890123456789012345678901234567890",
                "1234567890123456789012345678901234567890",
            ),
        ]);
    }

    #[test]
    fn decimals_keep_a_fractional_digit_and_lose_trailing_zeros() {
        check(&[
            ("1.0", "1.0"),
            ("1.50", "1.5"),
            ("100.000", "100.0"),
            ("-0.0", "0.0"),
            ("-0.5", "-0.5"),
            ("0.00000001", "0.00000001"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("0.1234567890123456789", "0.1234567890123456789"),
        ]);
    }

    #[test]
    fn fractions_that_reduce_far_are_rounded_as_the_reference_does() {
        check(&[
            ("0.0078125", "0.007813"),
            ("-0.0078125", "-0.007813"),
            ("0.00390625", "0.003906"),
            ("0.0000152587890625", "0.000015"),
            ("12.9921875", "12.992188"),
            ("0.0000128", "0.000013"),
            ("0.0078123", "0.0078123"),
        ]);
    }

    #[test]
    fn decimals_beyond_nineteen_digits_keep_them_all() {
        check(&[("3.14159265358979323846", "3.14159265358979323846")]);
    }

    #[test]
    fn exponents_are_doubles() {
        check(&[
            ("1e2", "100e0"),
            ("1E+2", "100e0"),
            ("1.5e0", "1.5e0"),
            ("1e-5", "1e-05"),
            ("1e15", "1e+15"),
            ("1e21", "1e+21"),
            ("-1.25e-300", "-1.25e-300"),
            ("0.0001e0", "0.0001e0"),
            ("999999999999999e0", "999999999999999e0"),
            ("-0e0", "-0e0"),
            ("0.0042e0", "0.0042e0"),
        ]);
    }

    #[test]
    fn a_double_out_of_range_keeps_its_token() {
        check(&[("1e400", "1e400"), ("-1E999", "-1E999"), ("1e-400", "0e0")]);
    }
}
