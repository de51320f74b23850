//! Why an answer was cut off: because the window was full, or because of the backend's own cap.
//!
//! A cap is deterministic: asking the same again buys the same truncation at full price. So a
//! truncated answer becomes a smaller request or a named failure, and never a plain retry.

use super::window::Terms;
use crate::agent::wording;
use crate::backend::Usage;

/// Why an answer was cut off.
///
/// ```
/// use sess::agent::decide::verdict::{Verdict, judge};
/// use sess::agent::decide::window::Terms;
/// use sess::backend::Usage;
///
/// let terms = Terms {
///     messages: 7_000, context: 0, tools: 0, request: 7_000,
///     margin: 512, reserve: 1_024, window: 8_192,
/// };
/// let billed = |prompt, completion| Usage {
///     prompt_tokens: Some(prompt),
///     completion_tokens: Some(completion),
///     ..Usage::default()
/// };
/// let full = judge(Some(&terms), &billed(7_900, 292), Some(1_024));
/// assert!(matches!(full, Verdict::NearWindow { .. }));
/// let capped = judge(Some(&terms), &billed(500, 1_024), Some(1_024));
/// assert!(matches!(capped, Verdict::CompletionCap { .. }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The window was full, or nearly so: a smaller request may pass.
    NearWindow {
        /// The size a request has to get under.
        usable: u64,
        /// In words.
        explanation: String,
    },
    /// The cap on completions: no smaller request helps.
    CompletionCap {
        /// In words.
        explanation: String,
    },
}

/// Whether a successful answer was cut off all the same: it was billed at the cap or beyond.
/// Answers without usage, and backends without a cap, are taken at their word.
///
/// ```
/// use sess::agent::decide::verdict::is_clipped;
/// use sess::backend::Usage;
/// let usage = Usage { completion_tokens: Some(256), ..Usage::default() };
/// assert!(is_clipped(&usage, Some(256)) && !is_clipped(&usage, Some(257)));
/// ```
pub fn is_clipped(usage: &Usage, max_tokens: Option<u64>) -> bool {
    match (usage.completion_tokens, max_tokens) {
        (Some(billed), Some(cap)) => cap > 0 && billed >= cap,
        _ => false,
    }
}

/// Whether the words of a refusal are about the size of the request.
///
/// ```
/// use sess::agent::decide::verdict::is_overflow;
/// assert!(is_overflow("This model's maximum context length is 8192 tokens"));
/// assert!(!is_overflow("bad request"));
/// ```
pub fn is_overflow(error: &str) -> bool {
    const PHRASES: [&str; 11] = [
        "context length",
        "context_length",
        "maximum context",
        "too many tokens",
        "prompt is too long",
        // llama.cpp
        "context size",
        "context_size",
        // OpenAI's newer endpoints, LiteLLM
        "context window",
        // Gemini
        "maximum number of tokens",
        // vLLM
        "maximum model length",
        // Bedrock
        "input is too long",
    ];
    let error = error.to_lowercase();
    PHRASES.iter().any(|phrase| error.contains(phrase))
}

/// Judges a truncated answer. `terms` is absent when no profile describes the model.
///
/// ```
/// use sess::agent::decide::verdict::{Verdict, judge};
/// use sess::backend::Usage;
/// // Nothing is known of the window, so it is taken to be the cap.
/// let verdict = judge(None, &Usage::default(), Some(256));
/// assert!(matches!(verdict, Verdict::CompletionCap { .. }));
/// ```
pub fn judge(terms: Option<&Terms>, usage: &Usage, max_tokens: Option<u64>) -> Verdict {
    let cap = max_tokens.filter(|cap| *cap > 0);
    let Some(terms) = terms else {
        let explanation = wording::cap_without_profile(cap);
        return Verdict::CompletionCap { explanation };
    };
    let billed = usage.prompt_tokens.filter(|prompt| *prompt > 0);
    let near = match billed {
        Some(prompt) => {
            let completion = usage.completion_tokens.unwrap_or(0);
            prompt.saturating_add(completion) >= terms.window
                || prompt.saturating_add(terms.reserve) > terms.window
        }
        None => {
            let needed = terms.needed().saturating_add(terms.reserve);
            needed.saturating_add(tolerance(terms)) > terms.window
        }
    };
    if near {
        return Verdict::NearWindow {
            usable: usable(terms, billed),
            explanation: wording::near_window(terms, billed, usage.completion_tokens),
        };
    }
    let explanation = wording::completion_cap(cap, terms, billed);
    Verdict::CompletionCap { explanation }
}

/// The size to get under when the counter has been shown to be wrong about this request: what it
/// counts is taken to be a quarter too low, or as much as the bill says; and always less than what
/// was refused.
pub fn usable(terms: &Terms, billed: Option<u64>) -> u64 {
    let needed = terms.needed().max(1);
    let measured = billed.map_or(0.0, |prompt| prompt as f64 / needed as f64);
    let inflation = measured.max(1.25);
    let room = terms.window.saturating_sub(terms.reserve) as f64 / inflation;
    (room.floor() as u64)
        .saturating_sub(terms.margin)
        .min(terms.request.saturating_sub(1))
}

/// The same when nothing is known of the window: a fifth less than what was refused.
pub fn usable_without_window(request: u64) -> u64 {
    (request as f64 / 1.25).floor() as u64
}

fn tolerance(terms: &Terms) -> u64 {
    terms.needed().div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(request: u64, window: u64) -> Terms {
        Terms {
            messages: request,
            context: 0,
            tools: 0,
            request,
            margin: 0,
            reserve: 0,
            window,
        }
    }

    fn billed(prompt: u64, completion: u64) -> Usage {
        Usage {
            prompt_tokens: Some(prompt),
            completion_tokens: Some(completion),
            ..Usage::default()
        }
    }

    fn is_near(terms: Terms, usage: &Usage) -> bool {
        matches!(
            judge(Some(&terms), usage, Some(256)),
            Verdict::NearWindow { .. }
        )
    }

    #[test]
    fn the_bill_decides_where_there_is_one() {
        let counted_small = terms(12, 10_000);
        assert!(is_near(counted_small, &billed(9_950, 50)));
        assert!(!is_near(counted_small, &billed(9_949, 50)));
        let reserved = Terms {
            reserve: 100,
            ..counted_small
        };
        assert!(is_near(reserved, &billed(9_901, 0)));
        assert!(!is_near(reserved, &billed(9_900, 0)));
    }

    #[test]
    fn a_count_is_trusted_within_a_quarter() {
        let unbilled = Usage::default();
        assert!(is_near(terms(900, 1_000), &unbilled));
        assert!(!is_near(terms(800, 1_000), &unbilled));
        assert!(is_near(terms(801, 1_000), &unbilled));
        assert!(!is_near(terms(700, 1_000), &unbilled));
    }

    #[test]
    fn without_a_profile_it_is_the_cap() {
        let verdict = judge(None, &billed(9_950, 50), Some(256));
        assert!(
            matches!(verdict, Verdict::CompletionCap { explanation } if explanation.contains("profile"))
        );
    }

    #[test]
    fn the_size_to_get_under_is_always_smaller_than_the_request() {
        assert_eq!(usable(&terms(900, 1_000), None), 800);
        assert_eq!(usable(&terms(700, 1_000), None), 699);
        assert_eq!(usable(&terms(1_000, 10_000), Some(10_000)), 999);
        assert_eq!(usable(&terms(0, 10), None), 0);
        assert_eq!(usable_without_window(1_000), 800);
    }

    #[test]
    fn numbers_beyond_all_measure_are_near_the_window() {
        let most = u64::MAX;
        assert!(is_near(terms(1, 10), &billed(most, most)));
        assert!(is_near(terms(most, most - 1), &Usage::default()));
        let reserved = Terms {
            reserve: most,
            margin: most,
            ..terms(most, most)
        };
        assert!(is_near(reserved, &billed(most, most)));
        assert_eq!(usable(&reserved, Some(most)), 0);
    }

    #[test]
    fn an_answer_is_clipped_at_its_cap_and_not_below() {
        for (completion, cap, expected) in [
            (Some(256), Some(256), true),
            (Some(296), Some(256), true),
            (Some(255), Some(256), false),
            (None, Some(256), false),
            (Some(256), None, false),
            (Some(0), Some(0), false),
        ] {
            let usage = Usage {
                completion_tokens: completion,
                ..Usage::default()
            };
            assert_eq!(is_clipped(&usage, cap), expected, "{completion:?} {cap:?}");
        }
    }

    #[test]
    fn size_is_recognised_in_any_case() {
        for error in [
            "This model's Maximum Context length is 4096",
            "error: context_length_exceeded",
            "request (6214 tokens) exceeds the available context size (2048 tokens)",
            "too big (exceed_context_size_error)",
            "Your input exceeds the context window of this model.",
            "The input token count (9) exceeds the maximum number of tokens allowed (8).",
            "The prompt (length 9) is longer than the maximum model length of 8.",
            "Input is too long for requested model.",
        ] {
            assert!(is_overflow(error), "{error}");
        }
        for error in ["bad request", "unknown model: context"] {
            assert!(!is_overflow(error), "{error}");
        }
    }
}
