//! What the model sees of a result: all of it, or an excerpt and where the rest is.

use super::driver::Driver;
use crate::Json;
use crate::agent::event::ArtifactNote;
use crate::agent::shield::shielded;
use crate::agent::wording;
use crate::context::excerpt;

/// A result as the model sees it.
pub(super) struct Observed {
    pub(super) content: String,
    /// Where the full text is, if it is somewhere else.
    pub(super) artifact: Option<ArtifactNote>,
}

impl Driver {
    /// Cuts a result that is too long and keeps the whole of it under `name`. A store that fails is
    /// told, and the excerpt serves all the same.
    pub(super) fn observe(&self, name: &str, label: &str, content: String) -> Observed {
        let Some(budget) = &self.config().request_budget else {
            return Observed {
                content,
                artifact: None,
            };
        };
        let Some(cut) = excerpt(&content, budget.max_observation_size) else {
            return Observed {
                content,
                artifact: None,
            };
        };
        let Some(store) = &self.config().artifact_store else {
            let why = "was not stored, because this run has nowhere to put it";
            return Observed {
                content: cut.not_stored(why),
                artifact: None,
            };
        };
        let stored = shielded(|| {
            store
                .store(name, &content)
                .map_err(|error| error.to_string())
        });
        match stored.and_then(|stored| stored) {
            Ok(artifact) => Observed {
                content: cut.stored(&artifact),
                artifact: Some(ArtifactNote::new(artifact, cut.elided_chars)),
            },
            Err(error) => {
                self.log_record(
                    "warning",
                    [
                        (
                            "message",
                            Json::string("the artifact of a long result could not be written"),
                        ),
                        ("op-id", Json::string(name)),
                        ("tool", Json::string(label)),
                        (
                            "error",
                            Json::string(&wording::first_line(&error, "no reason given")),
                        ),
                    ],
                );
                Observed {
                    content: cut.not_stored("could not be stored"),
                    artifact: None,
                }
            }
        }
    }
}
