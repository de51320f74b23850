//! Which neighbouring calls of a turn run together.

use std::ops::Range;

use crate::canonical::ToolPattern;

/// Cuts a turn's calls into groups, in their order: neighbours that may run together share one,
/// and every other call is alone in its own.
///
/// ```
/// use sess::agent::decide::group::groups;
/// use sess::canonical::ToolPattern;
/// let concurrent = [ToolPattern::new("task")?];
/// assert_eq!(groups(&["task", "task", "read"], &concurrent), [0..2, 2..3]);
/// # Ok::<(), sess::canonical::EmptyPattern>(())
/// ```
pub fn groups(tools: &[&str], concurrent: &[ToolPattern]) -> Vec<Range<usize>> {
    let joins = |tool: &str| concurrent.iter().any(|pattern| pattern.matches(tool));
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for (place, tool) in tools.iter().enumerate() {
        let may_join = joins(tool);
        match groups.last_mut() {
            Some(group) if open && may_join => group.end = place + 1,
            _ => groups.push(place..place + 1),
        }
        open = may_join;
    }
    groups
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn patterns(texts: &[&str]) -> Vec<ToolPattern> {
        texts
            .iter()
            .map(|text| ToolPattern::new(*text).unwrap())
            .collect()
    }

    #[test]
    fn neighbours_that_opt_in_share_a_group() {
        let task = patterns(&["task*"]);
        let cut = |tools: &[&str]| groups(tools, &task);
        assert_eq!(cut(&["task", "task", "read", "task"]), [0..2, 2..3, 3..4]);
        assert_eq!(cut(&["read", "read"]), [0..1, 1..2]);
        assert_eq!(cut(&["task", "task_wait", "read"]), [0..2, 2..3]);
        assert_eq!(groups(&["task", "task"], &[]), [0..1, 1..2]);
        assert!(groups(&[], &task).is_empty());
    }

    proptest! {
        // 13.4-3
        #[test]
        fn every_call_is_in_one_group_and_in_order(tools in prop::collection::vec("[abc]", 0..20)) {
            let names: Vec<&str> = tools.iter().map(String::as_str).collect();
            let groups = groups(&names, &patterns(&["a", "b"]));
            let joined = groups.iter().filter(|group| group.len() > 1);
            prop_assert!(joined.cloned().flatten().all(|place| names[place] != "c"));
            let covered: Vec<usize> = groups.into_iter().flatten().collect();
            prop_assert_eq!(covered, (0..names.len()).collect::<Vec<_>>());
        }
    }
}
