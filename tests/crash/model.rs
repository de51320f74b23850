//! The replay of a transcript against the plainest account of it: a list that is searched from its
//! start for every line.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use sess::Session;

/// The conversation as a list, and which operations are settled.
#[derive(Default)]
struct Model {
    entries: Vec<Entry>,
    settled: BTreeMap<String, bool>,
}

#[derive(Clone)]
struct Entry {
    id: String,
    content: String,
    sticky: bool,
}

/// Makes a transcript of which every three bytes decide one line, out of few ids, so that lines name
/// what is there, what is not, what is there twice and what is gone. The load answers as the model
/// does, or refuses the line that the model refuses.
pub fn a_load_is_what_the_model_says(folder: &Path, bytes: &[u8]) {
    let mut text = line("meta", "session-meta", "{}");
    let mut model = Model::default();
    let mut refused = None;
    for (number, step) in (2..).zip(bytes.chunks_exact(3)) {
        if model.step(number, step, &mut text).is_none() {
            refused.get_or_insert(number);
            break;
        }
    }
    let path = folder.join("model.jsonl");
    fs::write(&path, &text).unwrap();
    match (Session::load(&path), refused) {
        (Err(error), Some(line)) => assert_eq!(error.line(), Some(line), "{error}\n{text}"),
        (Ok(session), None) => model.agrees(&session, &text),
        (Err(error), None) => panic!("{error}\n{text}"),
        (Ok(_), Some(line)) => panic!("line {line} was let through\n{text}"),
    }
}

fn line(id: &str, type_name: &str, payload: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"payload\":{payload},\"ts\":\"\",\"type\":\"{type_name}\",\"v\":1}}\n"
    )
}

fn id(byte: u8) -> String {
    format!("i{}", byte % 8)
}

impl Model {
    /// Adds a line to the text and to the model. `None`: it may not stand there.
    fn step(&mut self, number: u64, step: &[u8], text: &mut String) -> Option<()> {
        let (own, named, other) = (id(step[1]), id(step[2]), id(step[2] / 8));
        match step[0] % 8 {
            0..3 => {
                let sticky = step[2].is_multiple_of(3);
                let payload =
                    format!("{{\"content\":\"{number}\",\"role\":\"user\",\"sticky\":{sticky}}}");
                text.push_str(&line(&own, "message", &payload));
                self.push(own, number.to_string(), sticky)
            }
            3 => {
                let payload =
                    format!("{{\"replaces-through-id\":\"{named}\",\"summary\":\"s{number}\"}}");
                text.push_str(&line(&own, "compaction", &payload));
                self.compact(&named, own, format!("s{number}"))
            }
            4 => {
                let mut items = String::new();
                for (comma, id) in [("", &named), (",", &other)] {
                    let _ = write!(items, "{comma}{{\"id\":\"{id}\",\"stub\":\"e{number}\"}}");
                }
                text.push_str(&line(&own, "elision", &format!("{{\"items\":[{items}]}}")));
                self.elide(&[named, other], &format!("e{number}"))
            }
            5 => {
                text.push_str(&line(
                    &own,
                    "tool-dispatched",
                    "{\"call-id\":\"c\",\"tool\":\"t\"}",
                ));
                self.settled.insert(own, false);
                Some(())
            }
            6 => {
                let payload = format!("{{\"op-id\":\"{named}\",\"outcome\":\"completed\"}}");
                text.push_str(&line(&own, "tool-settled", &payload));
                let settled = self.settled.get_mut(&named).filter(|settled| !**settled)?;
                *settled = true;
                Some(())
            }
            _ => {
                text.push_str(&line(&own, "something-else", "{\"role\":7}"));
                Some(())
            }
        }
    }

    fn push(&mut self, id: String, content: String, sticky: bool) -> Option<()> {
        self.entries.push(Entry {
            id,
            content,
            sticky,
        });
        Some(())
    }

    fn place(&self, id: &str) -> Option<usize> {
        self.entries.iter().position(|entry| entry.id == id)
    }

    fn compact(&mut self, through: &str, id: String, content: String) -> Option<()> {
        let cut = self.place(through)? + 1;
        let kept = self.entries[..cut]
            .iter()
            .filter(|entry| entry.sticky)
            .cloned();
        let summary = Entry {
            id,
            content,
            sticky: false,
        };
        let rest = self.entries[cut..].iter().cloned();
        self.entries = kept.chain([summary]).chain(rest).collect();
        Some(())
    }

    fn elide(&mut self, ids: &[String], stub: &str) -> Option<()> {
        let places: Vec<usize> = ids.iter().map(|id| self.place(id)).collect::<Option<_>>()?;
        for place in places {
            self.entries[place].content = stub.to_owned();
        }
        Some(())
    }

    fn agrees(&self, session: &Session, text: &str) {
        let conversation = session.conversation();
        let found: Vec<(&str, &str)> = conversation
            .iter()
            .map(|(id, message)| (id.as_str(), message.content.as_str()))
            .collect();
        let expected: Vec<(&str, &str)> = self
            .entries
            .iter()
            .map(|entry| (entry.id.as_str(), entry.content.as_str()))
            .collect();
        assert_eq!(found, expected, "{text}");
    }
}
