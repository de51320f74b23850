//! One backend of the chain, with everything that measures requests to it.

use std::sync::Arc;

use super::driver::Driver;
use crate::Json;
use crate::agent::config::model_of;
use crate::agent::decide::failure::Size;
use crate::agent::decide::window::Terms;
use crate::backend::Backend;
use crate::canonical::digest_of_json;
use crate::context::{Profile, TokenCounter};

/// A backend as one walk along the chain sees it.
pub(super) struct Site {
    pub(super) index: usize,
    pub(super) backend: Arc<dyn Backend>,
    pub(super) model: String,
    pub(super) max_tokens: Option<u64>,
    pub(super) counter: Arc<dyn TokenCounter>,
    pub(super) profile: Option<Profile>,
}

/// What a counter was last used for. What it has learned holds for this and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::agent) struct Shape {
    model: String,
    context: Option<String>,
    tools: String,
}

impl Driver {
    pub(super) fn site(&self, index: usize) -> Option<Site> {
        let backend = Arc::clone(self.config().backends.get(index)?);
        let model = model_of(backend.as_ref());
        let config = self.config();
        Some(Site {
            index,
            max_tokens: backend.max_tokens().filter(|cap| *cap > 0),
            counter: Arc::clone(config.counter_for(&model)),
            profile: config.profile_for(&model).cloned(),
            backend,
            model,
        })
    }

    /// The counter of requests to the primary backend.
    pub(super) fn primary_counter(&self) -> Arc<dyn TokenCounter> {
        let site = self.site(0).map(|site| site.counter);
        site.unwrap_or_else(|| Arc::clone(&self.config().counter))
    }

    /// Makes the counter forget what it learned under other circumstances.
    pub(super) fn align(&self, site: &Site) {
        let shape = Shape {
            model: site.model.clone(),
            context: self.context_digest.clone(),
            tools: digest_of_json(&Json::array(self.tools.iter().cloned())).to_string(),
        };
        let key = Arc::as_ptr(&site.counter).cast::<()>().addr();
        let before = self.core.shapes().insert(key, shape.clone());
        if before.is_some_and(|before| before != shape) {
            site.counter.invalidate();
        }
    }

    /// The next request against the window of a backend, when its window is known.
    pub(super) fn terms(&self, site: &Site) -> Option<Terms> {
        let profile = site.profile.as_ref()?;
        Some(Terms::measure(
            site.counter.as_ref(),
            &self.view(),
            profile,
            site.max_tokens,
        ))
    }

    /// The size of a request that has failed.
    pub(super) fn size(&self, site: &Site) -> Size {
        let terms = self.terms(site);
        let request = terms.map_or_else(
            || site.counter.count_request(&self.view()),
            |terms| terms.request,
        );
        Size { request, terms }
    }
}
