//! Answers as named fields, each a canonical JSON text, so that two answers can be compared whole.

use std::collections::BTreeMap;

use sess::Json;
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Field name to canonical JSON.
pub type Fields = BTreeMap<String, String>;

/// How text is taken before it is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// As it is.
    Kept,
    /// In Unicode normal form C, the only one the reference can hold.
    Normalised,
}

impl Text {
    /// A text, taken so.
    pub fn of(self, text: &str) -> String {
        match self {
            Text::Kept => text.to_owned(),
            Text::Normalised => text.nfc().collect(),
        }
    }
}

/// Strings longer than this stand as their digest. The reference data does so from 64 KB on.
const LONGEST: usize = 500;

/// A document the way the reference data spells it: long strings as `{$sha256,$bytes,$chars}`,
/// numbers beyond a double as `{$nonfinite}`.
pub fn encoded(json: &Json, text: Text) -> Json {
    if let Some(string) = json.as_str() {
        return string_encoded(&text.of(&string));
    }
    if let Some(items) = json.items() {
        return Json::array(items.iter().map(|item| encoded(item, text)));
    }
    if let Some(entries) = json.entries() {
        let entries = entries.into_iter();
        return Json::object(entries.map(|(key, value)| (text.of(&key), encoded(&value, text))));
    }
    match json.text().parse::<f64>() {
        Ok(double) if double.is_infinite() => {
            let name = if double > 0.0 { "Inf" } else { "-Inf" };
            Json::object([("$nonfinite", Json::string(name))])
        }
        _ => json.clone(),
    }
}

fn string_encoded(text: &str) -> Json {
    if text.len() <= LONGEST {
        return Json::string(text);
    }
    Json::object([
        ("$bytes", Json::from(text.len() as u64)),
        ("$chars", Json::from(characters(text))),
        ("$sha256", Json::string(&hex_sha256(text.as_bytes()))),
    ])
}

/// Grapheme clusters; counting them one by one takes long where bytes do as well.
fn characters(text: &str) -> u64 {
    let plain = text.is_ascii() && !text.contains('\r');
    let count = if plain {
        text.len()
    } else {
        text.graphemes(true).count()
    };
    count as u64
}

/// A value as it is compared and listed: its canonical text, or of a long one the digest.
pub fn shown(value: &Json) -> String {
    let text = value.canonical();
    match text.len() {
        0..=1000 => text,
        _ => format!("\"sha256 {}\"", hex_sha256(text.as_bytes())),
    }
}

/// SHA-256 in lower-case hex.
pub fn hex_sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Bytes in base 64, padded.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, at| {
            bits << 8 | u32::from(group.get(at).copied().unwrap_or(0))
        });
        for place in 0..4 {
            match place <= group.len() {
                true => out.push(char::from(DIGITS[(bits >> (18 - 6 * place) & 63) as usize])),
                false => out.push('='),
            }
        }
    }
    out
}

#[test]
fn base_64_is_that_of_the_standard() {
    for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v")] {
        assert_eq!(base64(bytes.as_bytes()), text);
    }
    assert_eq!(base64(b"\xff\xfe\xfd"), "//79");
}
