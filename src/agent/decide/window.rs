//! Whether a request fits a model's window. The same numbers serve ahead of a request and after an
//! answer that was cut off.

use std::fmt;

use crate::context::{Profile, RequestView, TokenCounter};

/// A request and the window it is meant for, all in the units of one counter.
///
/// ```
/// use std::sync::Arc;
/// use sess::Message;
/// use sess::agent::decide::window::Terms;
/// use sess::context::{HeuristicCounter, Profile, RequestView};
///
/// let request = RequestView { messages: &[Arc::new(Message::user("Hello"))], ..RequestView::default() };
/// let terms = Terms::measure(&HeuristicCounter::default(), &request, &Profile::new(8_192), Some(1_024));
/// assert!(terms.fits());
/// assert_eq!((terms.request, terms.usable()), (10, 6_656));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The conversation.
    pub messages: u64,
    /// The context around it.
    pub context: u64,
    /// The tool declarations.
    pub tools: u64,
    /// All of it as one request, which may be more or less than the sum.
    pub request: u64,
    /// Kept free because counting is an estimate.
    pub margin: u64,
    /// Kept free for the answer.
    pub reserve: u64,
    /// The window.
    pub window: u64,
}

impl Terms {
    /// Measures a request for a backend with this profile and completion cap.
    pub fn measure(
        counter: &dyn TokenCounter,
        request: &RequestView<'_>,
        profile: &Profile,
        max_tokens: Option<u64>,
    ) -> Self {
        let halves = [request.head, request.tail].into_iter().flatten();
        Self {
            messages: counter.count_messages(request.messages),
            context: halves
                .map(|half| counter.count_text(half))
                .fold(0, u64::saturating_add),
            tools: counter.count_tools(request.tools),
            request: counter.count_request(request),
            margin: profile.input_safety_margin,
            reserve: profile.reserve_for(max_tokens),
            window: profile.context_window,
        }
    }

    /// The request and its margin.
    pub fn needed(&self) -> u64 {
        self.request.saturating_add(self.margin)
    }

    /// The largest request that would have fitted.
    pub fn usable(&self) -> u64 {
        self.window
            .saturating_sub(self.reserve)
            .saturating_sub(self.margin)
    }

    /// Whether request, margin and reserve fit the window.
    pub fn fits(&self) -> bool {
        self.needed().saturating_add(self.reserve) <= self.window
    }

    fn framing(&self) -> i128 {
        let parts = u128::from(self.messages) + u128::from(self.tools) + u128::from(self.context);
        i128::from(self.request) - parts as i128
    }
}

/// Every term, and the sum they make.
impl fmt::Display for Terms {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.needed().saturating_add(self.reserve);
        write!(
            out,
            "~{total} (messages {} + tools {} + context {}",
            self.messages, self.tools, self.context
        )?;
        if self.framing() != 0 {
            write!(out, " + framing {}", self.framing())?;
        }
        write!(
            out,
            " + margin {} + reserve {}), window {}",
            self.margin, self.reserve, self.window
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms() -> Terms {
        Terms {
            messages: 600,
            context: 0,
            tools: 0,
            request: 600,
            margin: 10,
            reserve: 50,
            window: 200,
        }
    }

    #[test]
    fn every_term_is_named_and_framing_only_when_there_is_some() {
        assert_eq!(
            terms().to_string(),
            "~660 (messages 600 + tools 0 + context 0 + margin 10 + reserve 50), window 200"
        );
        let framed = Terms {
            request: 595,
            ..terms()
        };
        assert_eq!(
            framed.to_string(),
            "~655 (messages 600 + tools 0 + context 0 + framing -5 + margin 10 + reserve 50), window 200"
        );
    }

    #[test]
    fn a_request_fits_up_to_the_last_token() {
        assert!(!terms().fits());
        assert_eq!(terms().usable(), 140);
        let exact = Terms {
            request: 140,
            ..terms()
        };
        assert!(exact.fits());
        let over = Terms {
            request: 141,
            ..terms()
        };
        assert!(!over.fits());
        let tiny = Terms {
            window: 20,
            ..terms()
        };
        assert_eq!(tiny.usable(), 0);
    }
}
