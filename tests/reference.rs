//! The answers of another implementation, case by case: peek, load, append.
//!
//! Where ours is another one on purpose, [`divergences`] names the case, the decision and our
//! answer. A case that differs and is not listed fails, and so does one that is listed and agrees.

mod appends;
mod divergences;
mod fields;
mod ours;
mod sweeps;
mod theirs;

use std::collections::BTreeSet;

use sess::Json;

use crate::support::reference::{self, Case};
use divergences::{DIVERGENCES, Divergence, NORMALISED};
use fields::{Fields, Text};
use ours::Run;

#[test]
fn every_case_gets_the_reference_answer_or_the_one_listed() {
    let wrong: Vec<String> = reference::cases().iter().filter_map(fault).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_divergence_is_of_a_case_that_exists() {
    let cases: BTreeSet<&str> = reference::cases()
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    let listed = DIVERGENCES.iter().map(|divergence| divergence.case);
    let listed: Vec<&str> = listed.chain(NORMALISED.iter().copied()).collect();
    let distinct: BTreeSet<&str> = listed.iter().copied().collect();
    assert_eq!(distinct.len(), listed.len());
    assert!(
        distinct.is_subset(&cases),
        "{:?}",
        distinct.difference(&cases)
    );
}

/// What is wrong with our answer to a case.
fn fault(case: &Case) -> Option<String> {
    let expect = Json::parse(case.expect_text.as_str()).unwrap();
    let theirs = theirs::fields(&expect);
    let run = Run::of(&case.setup, case.input.as_deref(), &digests(&expect));
    run.check_events(case.input.as_deref());
    let divergence = DIVERGENCES.iter().find(|it| it.case == case.name);
    let (expected, text) = match divergence {
        Some(divergence) => (diverged(&theirs, divergence, case), Text::Kept),
        None if NORMALISED.contains(&case.name.as_str()) => {
            if run.fields(Text::Kept) == theirs {
                return Some(format!("{} no longer differs", case.name));
            }
            (theirs.clone(), Text::Normalised)
        }
        None => (theirs.clone(), Text::Kept),
    };
    if divergence.is_some() && expected == theirs {
        return Some(format!("{} is listed without a difference", case.name));
    }
    let differs = difference(&run.fields(text), &expected);
    (!differs.is_empty()).then(|| {
        let reason = divergence.map_or("no divergence listed", |it| it.reason);
        format!("{} ({reason}):\n{}", case.name, differs.join("\n"))
    })
}

/// The answer that is ours by decision.
fn diverged(theirs: &Fields, divergence: &Divergence, case: &Case) -> Fields {
    let mut fields = theirs.clone();
    let mut put = |key: &str, value: &str| fields.insert(key.to_owned(), value.to_owned());
    if let Some(kind) = divergence.refused {
        let input = case.input.as_deref().unwrap();
        put("load.error", &format!("\"{kind}\""));
        put("load.ok", "false");
        put("file_after_load_size", &input.len().to_string());
        put(
            "file_after_load_sha256",
            &format!("\"{}\"", fields::hex_sha256(input)),
        );
        put(
            "repair_file_left_over",
            &case.setup.repair.is_some().to_string(),
        );
        let kept = ["load.error", "load.ok"];
        fields.retain(|key, _| {
            kept.contains(&key.as_str()) || !key.starts_with("load.") && !key.starts_with("append.")
        });
    }
    for (key, value) in divergence.fields.iter().copied().flatten() {
        match *value {
            "" => fields.remove(*key),
            value => fields.insert((*key).to_owned(), Json::parse(value).unwrap().canonical()),
        };
    }
    fields
}

fn digests(expect: &Json) -> Vec<String> {
    let sections = expect.get("load").unwrap().get("run_context_sections");
    let entries = sections.and_then(|sections| sections.entries());
    entries
        .into_iter()
        .flatten()
        .map(|(digest, _)| digest)
        .collect()
}

fn difference(ours: &Fields, expected: &Fields) -> Vec<String> {
    let keys: BTreeSet<&String> = ours.keys().chain(expected.keys()).collect();
    let shown = |fields: &Fields, key| fields.get(key).map_or("nothing", |it| it).to_owned();
    keys.into_iter()
        .filter(|key| ours.get(*key) != expected.get(*key))
        .map(|key| {
            format!(
                "  {key}: {} is not {}",
                shown(ours, key),
                shown(expected, key)
            )
        })
        .collect()
}
