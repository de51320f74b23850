//! Texts of a fixed form.

/// `x` stands for a lower-case hex digit, `0` for a decimal one, anything else for itself.
pub fn is_like(text: &str, form: &str) -> bool {
    let fits = |(byte, form): (u8, u8)| match form {
        b'x' => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
        b'0' => byte.is_ascii_digit(),
        _ => byte == form,
    };
    text.len() == form.len() && text.bytes().zip(form.bytes()).all(fits)
}
