//! Which capabilities come along with those that an agent lists.

use std::collections::{HashMap, HashSet, VecDeque};

/// One capability of an agent, whether it listed it or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member<'a> {
    pub(crate) id: &'a str,
    /// Who brought it along; none when the agent lists it.
    pub(crate) needed_by: Option<&'a str>,
}

/// Everything that the listed ones come to. The listed keep their order; what one needs and the agent does not list stands
/// before the first that needs it, the deepest first. `None` when there would be more than `most`.
pub(crate) fn expand<'a>(
    listed: &[&'a str],
    dependencies: &dyn Fn(&str) -> &'a [String],
    most: usize,
) -> Option<Vec<Member<'a>>> {
    let mut seen: HashSet<&str> = listed.iter().copied().collect();
    let mut members = Vec::new();
    for id in listed {
        let mut open = vec![(Member { id, needed_by: None }, false)];
        while let Some((member, expanded)) = open.pop() {
            if expanded {
                members.push(member);
                continue;
            }
            if members.len().saturating_add(open.len()) > most.saturating_mul(2) {
                return None;
            }
            open.push((member, true));
            for needed in dependencies(member.id).iter().rev() {
                if seen.insert(needed) {
                    open.push((Member { id: needed, needed_by: Some(member.id) }, false));
                }
            }
        }
    }
    (members.len() <= most).then_some(members)
}

/// The shortest way from a capability back to itself, if its dependencies lead there.
pub(crate) fn circle<'a>(start: &'a str, dependencies: &dyn Fn(&str) -> &'a [String]) -> Option<Vec<String>> {
    let mut came_from: HashMap<&str, &str> = HashMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(id) = open.pop_front() {
        for needed in dependencies(id) {
            if needed == start {
                let back = |id: &&'a str| came_from.get(id).copied();
                let way = std::iter::successors(Some(id), back);
                let mut way: Vec<String> = std::iter::once(start).chain(way).map(str::to_owned).collect();
                way.reverse();
                return Some(way);
            }
            if !came_from.contains_key(needed.as_str()) {
                came_from.insert(needed, id);
                open.push_back(needed);
            }
        }
    }
    None
}

#[cfg(test)]
#[path = "dependencies_tests.rs"]
mod tests;
