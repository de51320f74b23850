//! Ids by any unique prefix, as a person types them.

use super::error::Error;

/// How many candidates an ambiguous prefix lists.
const LISTED: usize = 10;

/// The one id among `ids` that `typed` names: the id itself, or the only one that starts so. An id
/// that occurs several times counts once. `what` is the kind of thing, as in "operation".
///
/// Nothing that matches ends with status 1; an ambiguous prefix with 2, and lists its candidates
/// in the order of the file.
pub fn resolve<'a>(
    what: &str,
    typed: &str,
    ids: impl IntoIterator<Item = &'a str>,
) -> Result<&'a str, Error> {
    if typed.is_empty() {
        return Err(Error::unknown(format!("an empty text names no {what}")));
    }
    let mut found: Vec<&str> = Vec::new();
    let mut unlisted = false;
    for id in ids {
        if id == typed {
            return Ok(id);
        }
        if !id.starts_with(typed) || found.contains(&id) {
            continue;
        }
        if found.len() < LISTED {
            found.push(id);
        } else {
            unlisted = true;
        }
    }
    match found[..] {
        [] => Err(Error::no(format!("no {what} starts with {typed:?}"))),
        [only] => Ok(only),
        _ => Err(ambiguous(what, typed, &found, unlisted)),
    }
}

fn ambiguous(what: &str, typed: &str, found: &[&str], unlisted: bool) -> Error {
    let error = Error::unknown(format!("{typed:?} is the start of more than one {what}"));
    let error = found
        .iter()
        .fold(error, |error, id| error.hint(format!("it can be {id}")));
    if unlisted {
        error.hint("there are more")
    } else {
        error
    }
}

#[cfg(test)]
mod tests {
    use super::super::exit::Exit;
    use super::*;

    const IDS: [&str; 4] = ["a1f0", "a1f0", "a2", "a1f0-more"];

    #[track_caller]
    fn check_refusal(typed: &str, exit: Exit, expected: &str) {
        let error = resolve("operation", typed, IDS).unwrap_err();
        let mut said = Vec::new();
        error.report(false, &mut said).unwrap();
        assert_eq!(
            (error.exit(), String::from_utf8(said).unwrap().as_str()),
            (exit, expected)
        );
    }

    #[test]
    fn the_whole_id_wins_over_longer_ones() {
        assert_eq!(resolve("operation", "a1f0", IDS).unwrap(), "a1f0");
    }

    #[test]
    fn a_unique_prefix_is_enough() {
        assert_eq!(resolve("operation", "a2", IDS).unwrap(), "a2");
        assert_eq!(resolve("operation", "a1f0-", IDS).unwrap(), "a1f0-more");
        assert_eq!(resolve("operation", "x", ["x1", "x1"]).unwrap(), "x1");
    }

    #[test]
    fn an_ambiguous_prefix_lists_its_candidates_once_each() {
        check_refusal(
            "a1",
            Exit::Unknown,
            "sess: \"a1\" is the start of more than one operation\n\
             hint: it can be a1f0\n\
             hint: it can be a1f0-more\n",
        );
    }

    #[test]
    fn what_matches_nothing_is_a_no() {
        check_refusal("b", Exit::No, "sess: no operation starts with \"b\"\n");
        check_refusal(
            "",
            Exit::Unknown,
            "sess: an empty text names no operation\n",
        );
    }

    #[test]
    fn a_long_list_of_candidates_is_cut() {
        let ids: Vec<String> = (10..30).map(|number| format!("id{number}")).collect();
        let error = resolve("line", "id", ids.iter().map(String::as_str)).unwrap_err();
        let mut said = Vec::new();
        error.report(false, &mut said).unwrap();
        let said = String::from_utf8(said).unwrap();
        assert_eq!(said.lines().count(), 1 + LISTED + 1);
        assert!(said.ends_with("hint: it can be id19\nhint: there are more\n"));
    }
}
