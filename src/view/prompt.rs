//! The line one types in, at the bottom of the screen.

use unicode_segmentation::UnicodeSegmentation;

use super::keys::Key;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// A search that began on this row.
    Search {
        /// The row.
        from: u64,
    },
    /// A filter.
    Filter,
    /// A line, an id or a time.
    Place,
}

/// What a key did to the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed {
    /// Nothing that matters outside.
    Goes,
    /// The text is another.
    Changed,
    /// Never mind.
    Left,
    /// This is it.
    Done,
}

/// The text typed so far; keys act on its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    ask: Ask,
    text: String,
}

impl Prompt {
    /// Begins with this text.
    pub fn new(ask: Ask, text: &str) -> Self {
        Self {
            ask,
            text: text.to_owned(),
        }
    }

    /// What is asked for.
    pub fn ask(&self) -> Ask {
        self.ask
    }

    /// The text typed so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What stands before the text.
    pub fn sign(&self) -> &'static str {
        match self.ask {
            Ask::Search { .. } => "/",
            Ask::Filter => "filter: ",
            Ask::Place => "go to: ",
        }
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key) -> Typed {
        match key {
            Key::Enter => return Typed::Done,
            Key::Escape | Key::Ctrl('c') => return Typed::Left,
            Key::Backspace if self.text.is_empty() => return Typed::Left,
            Key::Backspace => {
                let last = self.text.grapheme_indices(true).next_back();
                let end = last.map_or(0, |(at, _)| at);
                self.text.truncate(end);
            }
            Key::Ctrl('u') => self.text.clear(),
            Key::Ctrl('w') => {
                let kept = self.text.trim_end();
                let end = kept.rfind(' ').map_or(0, |at| at + 1);
                self.text.truncate(end);
            }
            Key::Char(mark) if !mark.is_control() => self.text.push(mark),
            _ => return Typed::Goes,
        }
        Typed::Changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_act_on_the_end() {
        let mut prompt = Prompt::new(Ask::Filter, "");
        for key in "role:tool né".chars().map(Key::Char) {
            assert_eq!(prompt.key(key), Typed::Changed);
        }
        prompt.key(Key::Backspace);
        assert_eq!(prompt.text(), "role:tool n");
        prompt.key(Key::Ctrl('w'));
        assert_eq!(prompt.text(), "role:tool ");
        prompt.key(Key::Ctrl('u'));
        assert_eq!(prompt.key(Key::Backspace), Typed::Left);
        assert_eq!(prompt.key(Key::Enter), Typed::Done);
    }
}
