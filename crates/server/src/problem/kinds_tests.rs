use super::*;
use std::{collections::HashSet, fs, path::Path};

/// What makes a problem, up to its arguments.
const MAKERS: [&str; 10] = [
    "invalid(",
    "conflict(",
    "forbidden(",
    "unauthorized(",
    "too_many(",
    "bad_request(",
    "unavailable(",
    "Problem::new(",
    "Self::new(",
    "code: ",
];

#[test]
fn no_code_is_declared_twice_and_all_can_be_told_apart() {
    let mut seen = HashSet::new();
    for kind in KINDS {
        assert!(seen.insert(kind.code), "{}", kind.code);
        assert!((400..600).contains(&kind.status), "{}", kind.code);
        assert!(kind.remedy.ends_with('.') && !kind.title.is_empty(), "{}", kind.code);
        assert!(kind.code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{}", kind.code);
    }
}

#[test]
fn every_code_in_the_source_is_declared() {
    let mut found = HashSet::new();
    for crate_name in ["server", "engine"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(crate_name).join("src");
        collect(&root, &mut found);
    }
    assert!(found.contains("bad_field") && found.contains("name_taken"), "the search finds codes");
    let undeclared: Vec<&String> = found.iter().filter(|code| find(code).is_none()).collect();
    assert!(undeclared.is_empty(), "declare these in problem/kinds.rs: {undeclared:?}");
}

fn collect(folder: &Path, found: &mut HashSet<String>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !path.to_string_lossy().ends_with("_tests.rs")
        {
            let text = fs::read_to_string(&path).unwrap();
            for maker in MAKERS {
                found.extend(text.split(maker).skip(1).filter_map(code_behind));
            }
        }
    }
}

/// The first word in quotes before the call ends, if it has the form of a code.
fn code_behind(text: &str) -> Option<String> {
    let (before, rest) = text.split_once('"')?;
    let literal = rest.split('"').next()?;
    let is_code =
        !literal.is_empty() && literal.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let is_argument = !before.contains([')', ';', '{']) && before.len() < 80;
    (is_code && is_argument).then(|| literal.to_owned())
}
