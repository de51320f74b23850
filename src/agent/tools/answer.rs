//! What a provider gave back, as one answer a call.

use crate::agent::wording;
use crate::message::ToolCall;
use crate::tool::ToolAnswer;

/// What a provider returned for a group: its answers, or why it failed as a whole.
pub(in crate::agent) type Returned = Result<Vec<Option<ToolAnswer>>, String>;

/// One answer for each call, in order. Extra answers are left out; a missing one says that it is.
pub(in crate::agent) fn one_each(count: usize, returned: Returned) -> Vec<ToolAnswer> {
    match returned {
        Ok(answers) => answers
            .into_iter()
            .chain(std::iter::repeat_with(|| None))
            .take(count)
            .map(|answer| answer.unwrap_or_else(|| ToolAnswer::error(wording::UNANSWERED)))
            .collect(),
        Err(error) => {
            let text = wording::provider_failed(&wording::first_line(&error, "no reason given"));
            vec![ToolAnswer::error(text); count]
        }
    }
}

/// The id the provider gave, when it is not that of the call. The model's id stands.
pub(in crate::agent) fn foreign_id<'a>(answer: &'a ToolAnswer, call: &ToolCall) -> Option<&'a str> {
    answer.tool_call_id.as_deref().filter(|id| *id != call.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_an_answer_of_its_own() {
        let good = ToolAnswer::new("fine");
        let missing = ToolAnswer::error(wording::UNANSWERED);
        let given = vec![Some(good.clone()), None, Some(good.clone())];
        assert_eq!(
            one_each(2, Ok(given.clone())),
            [good.clone(), missing.clone()]
        );
        assert_eq!(
            one_each(4, Ok(given)),
            [good.clone(), missing.clone(), good, missing]
        );
    }

    #[test]
    fn a_provider_that_fails_fails_every_call() {
        let answers = one_each(2, Err("server gone\nstack".to_owned()));
        let expected = ToolAnswer::error(wording::provider_failed("server gone"));
        assert_eq!(answers, [expected.clone(), expected]);
    }
}
