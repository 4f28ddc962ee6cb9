use super::CRASH_POINTS;
use crate::GUARDS;
use std::{collections::BTreeSet, fs, path::Path};

/// The names in the sources, so that neither the list nor the code can grow without the other.
fn in_the_sources() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut paths = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            paths.extend(fs::read_dir(path).unwrap().map(|file| file.unwrap().path()));
            continue;
        }
        if path.to_string_lossy().ends_with("_tests.rs") {
            continue;
        }
        let text = fs::read_to_string(path).unwrap();
        let points = text.split("fail_point!(\"").skip(1).filter_map(|rest| rest.split('"').next());
        names.extend(points.map(str::to_owned));
    }
    names
}

#[test]
fn the_list_names_every_crash_point_there_is() {
    let listed: BTreeSet<String> = CRASH_POINTS.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(listed.len(), CRASH_POINTS.len(), "a name is listed twice");
    let guards: BTreeSet<String> = GUARDS.iter().map(|name| (*name).to_owned()).collect();
    let (taken_away, crashes) = in_the_sources().into_iter().partition(|name| name.starts_with("guard_"));
    assert_eq!(listed, crashes);
    assert_eq!(guards, taken_away, "every guard that can be taken away is listed");
}

#[test]
fn every_durable_transition_has_a_point_on_both_sides() {
    for name in CRASH_POINTS.iter().filter(|name| name.ends_with("_commit")) {
        let other = if name.contains("_before_") {
            name.replace("_before_", "_after_")
        } else {
            name.replace("_after_", "_before_")
        };
        assert!(CRASH_POINTS.contains(&other.as_str()), "{name} has no {other}");
    }
}
