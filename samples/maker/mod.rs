//! Makes the transcripts of `samples/sessions`: the same bytes every time.
//!
//! Their lines are put together here, not by a session, so that a fault in what writes transcripts
//! cannot hide in the files that test what reads them. [`script`] spells single lines; the other
//! modules tell what happens.

mod coding;
mod damage;
mod hostile;
mod memory;
mod pending;
mod script;
mod twins;
mod wide;

/// Every sample, by file name.
pub fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let healthy = coding::healthy().into_bytes();
    let [left, right, same] = twins::three_runs();
    vec![
        ("crlf.jsonl", damage::with_crlf(&healthy)),
        ("diff-left.jsonl", left.into_bytes()),
        ("diff-right.jsonl", right.into_bytes()),
        ("diff-same.jsonl", same.into_bytes()),
        ("glued.jsonl", damage::with_glued_end(&healthy)),
        ("hostile.jsonl", hostile::with_unknown_role()),
        ("hostile-replay.jsonl", hostile::that_loads()),
        ("huge-line.jsonl", memory::huge_line().into_bytes()),
        (
            "interrupted.jsonl",
            damage::with_torn_end(&coding::interrupted().into_bytes()),
        ),
        (
            "mid-file-damage.jsonl",
            damage::with_half_a_line(&healthy, 15),
        ),
        (
            "no-final-newline.jsonl",
            damage::without_last_byte(&healthy),
        ),
        ("nul-run.jsonl", damage::with_nul_end(&healthy)),
        ("pending.jsonl", pending::every_state().into_bytes()),
        ("torn-tail.jsonl", damage::with_torn_end(&healthy)),
        (
            "two-compactions.jsonl",
            memory::two_compactions().into_bytes(),
        ),
        ("wide.jsonl", wide::wide().into_bytes()),
        ("healthy.jsonl", healthy),
    ]
}
