//! Bytes as text that any program can turn back.

/// The base64 of RFC 4648, with padding and in one line.
pub fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |place: usize| u32::from(chunk.get(place).copied().unwrap_or(0));
        let group = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let sign = SIGNS[(group >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= chunk.len() {
                sign.into()
            } else {
                '='
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (text, expected) in cases {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }
}
