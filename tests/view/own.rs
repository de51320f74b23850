//! What the viewer may send to a terminal.

/// The first sequence that the viewer does not send by itself.
pub fn foreign(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut rest = text.as_ref();
    while let Some(at) = rest.find(|mark: char| mark.is_control()) {
        let from = &rest[at..];
        let Some(length) = own(from) else {
            return Some(from.chars().take(40).collect());
        };
        rest = &from[length..];
    }
    None
}

/// How long a sequence of the viewer's own is: moving, colours, clearing, and the modes it sets.
fn own(text: &str) -> Option<usize> {
    let inside = text.strip_prefix("\x1b[")?;
    let length = inside.find(|mark: char| mark.is_ascii_alphabetic())?;
    let (arguments, letter) = (&inside[..length], inside.as_bytes()[length]);
    let is_number = arguments
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b';');
    let is_mode = [
        "?25", "?1000", "?1002", "?1003", "?1006", "?1015", "?1049", "?2026",
    ];
    let is_own = match letter {
        b'H' | b'm' | b'J' | b'K' => is_number,
        b'h' | b'l' => is_mode.contains(&arguments),
        _ => false,
    };
    is_own.then_some(2 + length + 1)
}
