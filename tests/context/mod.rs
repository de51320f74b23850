//! How large a request is, how it is made smaller, and what surrounds it.
//!
//! The numbers in the comments are those of the acceptance scenarios of the context. Those about the
//! loop say the same as scenarios of the loop, and are tested under the numbers of these:
//!
//! | context | loop | in |
//! |---|---|---|
//! | 68–72 | 146–150 | `agent/budget.rs` |
//! | 73–75, 77, 78 | 151–153, 162 | `agent/budget.rs`, and with the crate's compactor `agent/compacting.rs` |
//! | 76, 100 | 69, 70, 137 | `agent/retry.rs` |
//! | 79–82 | 163, 155, 165, 166 | `agent/budget.rs`, `agent/compacting.rs` |
//! | 83–87, 92 | 154, 156–160, 164 | `agent/budget.rs`, `agent/basic.rs` |
//! | 88–90 | 161 | `agent/config.rs`, `agent/budget.rs` |
//! | 91 | 32 | `agent/basic.rs` |
//! | 93–99, 101 | 129–136, 138–143 | `agent/length.rs` |
//! | 114 | | the rendered text is borrowed: there is no copy to change |
//! | 115–117 | 37–39 | `agent/basic.rs` |
//! | 119 | session 11.6 | `session/`, `context/run_context.rs` |
//! | 121, 123 | | `agent/compacting.rs` |
//!
//! The worked examples of 7 are compared row by row, with their numbers: 7.1 and 7.2 in `counters.rs`,
//! 7.3 and 7.4 in `compacting.rs`, 7.5 in `aging.rs`, 7.6, 7.8 and 7.9 in `agent/worked.rs`, 7.7 in
//! `agent/compacting.rs`, 7.10 in `run_context.rs`, 7.11 in `prompt.rs`, 7.12 in `counters.rs`, 7.13 in
//! `tokens.rs`.
//!
//! Where the context leaves a choice, or the reference has a defect, our answer is shown in:
//!
//! | | answer | test |
//! |---|---|---|
//! | D1 | an empty window | `OURS` of `compacting.rs` |
//! | D2 | one sticky message keeps its call group | `a_group_of_which_one_is_sticky_stays_as_a_whole` |
//! | D3, D6 | no stub longer than its text; a call is met by the nearest turn | `an_id_used_again_is_another_call_and_a_short_result_keeps_its_text` |
//! | D4 | estimates against estimates | `a_summary_is_measured_against_the_estimate_and_not_against_the_bill` |
//! | D5 | a billed context is not added | `agent/worked.rs`: `a_context_that_was_billed_is_not_counted_again` |
//! | D7 | under what was refused | `agent/worked.rs`: `why_an_answer_was_cut_off` |
//! | D8 | an overflow 400 forces one pass | `agent/retry.rs`: `a_request_refused_for_its_size_is_made_smaller_once` |
//! | D9, D18 | summaries are billed, cut ones refused | `agent/compacting.rs`: `a_summary_is_recorded_billed_and_replayed` |
//! | D10 | a cut makes smaller or nothing | `OURS` of `compacting.rs` |
//! | D11 | the note says the cause | `an_answer_that_saves_nothing_is_asked_for_once_more` |
//! | D12 | a cancel is seen before each call | `a_cancelled_pass_asks_nobody_and_cuts` |
//! | D13 | a cap of nothing is refused; no attempts, no calls; errors of the last walk | `agent/worked.rs`: `a_cost_cap_of_nothing_is_refused`; `a_summariser_is_asked_again_after_a_wait_and_no_more_often_than_allowed`; `agent/retry.rs`: `a_failure_that_was_recovered_from_is_not_blamed_later` |
//! | D14 | a context alone forces a pass | `agent/compacting.rs`: `a_context_that_overflows_the_window_forces_one_pass_over_the_conversation` |
//! | D15 | Unicode scalar values | `counters.rs`, `artifacts.rs` |
//! | D16 | told every round | `agent/worked.rs`: `a_pass_that_can_change_nothing_is_told_every_round_and_harms_nothing` |
//! | D17 | no call from below the line | `a_pass_that_begins_below_the_line_by_the_bill_asks_nobody` |
//! | D19 | the first backend's counter | `agent/compacting.rs`: `of_two_tokenizers_the_one_nearer_to_its_window_measures_the_pass` |
//!
//! 6 has no wrapper to be tested: a counter is used as it is. 9 and 28 cannot happen, for counters
//! and messages are typed; nor can 118 and 122, for every session takes in contexts, compactions and
//! elisions.

mod aging;
mod artifacts;
mod compacting;
mod counters;
#[cfg(feature = "tokenizers")]
mod huggingface;
mod kit;
mod prompt;
mod properties;
mod run_context;
#[cfg(feature = "tokens")]
mod tokens;
