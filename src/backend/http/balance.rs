//! Whether a document that comes in pieces has come to its end.

/// Follows the brackets of an object, piece by piece, in time that does not depend on what came
/// before.
#[derive(Debug, Default)]
pub(super) struct Balance {
    depth: u64,
    in_string: bool,
    escaped: bool,
    begun: bool,
}

impl Balance {
    /// Takes in the next piece.
    pub(super) fn add(&mut self, piece: &str) {
        for byte in piece.bytes() {
            match (self.in_string, byte) {
                (true, _) if self.escaped => self.escaped = false,
                (true, b'\\') => self.escaped = true,
                (true, b'"') => self.in_string = false,
                (true, _) => {}
                (false, b'"') => self.in_string = true,
                (false, b'{' | b'[') => {
                    self.begun = true;
                    self.depth += 1;
                }
                (false, b'}' | b']') => self.depth = self.depth.saturating_sub(1),
                (false, _) => {}
            }
        }
    }

    /// Whether every bracket is closed, of which there was one at least.
    pub(super) fn is_closed(&self) -> bool {
        self.begun && self.depth == 0 && !self.in_string
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_closed_by_its_last_bracket() {
        for (pieces, closed) in [
            (vec![], false),
            (vec![" "], false),
            (vec!["{", "}"], true),
            (vec!["{\"a\":[{}", "]", "}"], true),
            (vec!["{\"a\":[{}]"], false),
            (vec!["{\"}\\", "\"", "}"], false),
            (vec!["{\"}\\", "\"", "\"}"], true),
            (vec!["{\"\\\\\"", "}"], true),
            (vec!["}"], false),
        ] {
            let mut balance = Balance::default();
            pieces.iter().for_each(|piece| balance.add(piece));
            assert_eq!(balance.is_closed(), closed, "{pieces:?}");
        }
    }
}
