use super::*;

type Needs = HashMap<&'static str, Vec<String>>;

fn needs(pairs: &[(&'static str, &[&str])]) -> Needs {
    pairs.iter().map(|(id, needed)| (*id, needed.iter().map(|id| (*id).to_owned()).collect())).collect()
}

fn expanded(needs: &Needs, listed: &[&'static str], most: usize) -> Option<Vec<String>> {
    let of = |id: &str| needs.get(id).map_or(&[] as &[String], Vec::as_slice);
    let members = expand(listed, &of, most)?;
    Some(members.iter().map(|member| member.id.to_owned()).collect())
}

#[test]
fn what_is_needed_comes_first_and_once() {
    let needs = needs(&[("a", &["b", "c"]), ("b", &["d"]), ("c", &["d"]), ("e", &["c"])]);
    assert_eq!(expanded(&needs, &["a", "e"], 10).unwrap(), ["d", "b", "c", "a", "e"]);
    assert_eq!(expanded(&needs, &["e", "a"], 10).unwrap(), ["d", "c", "e", "b", "a"]);
    assert_eq!(expanded(&needs, &[], 10).unwrap(), Vec::<String>::new());
}

#[test]
fn what_is_listed_keeps_its_place() {
    let needs = needs(&[("a", &["b"]), ("b", &["d"])]);
    assert_eq!(expanded(&needs, &["a", "x", "b"], 10).unwrap(), ["a", "x", "d", "b"]);
}

#[test]
fn it_is_known_who_needed_it() {
    let needs = needs(&[("a", &["b"]), ("b", &["d"])]);
    let of = |id: &str| needs.get(id).map_or(&[] as &[String], Vec::as_slice);
    let members = expand(&["a"], &of, 10).unwrap();
    let by: Vec<_> = members.iter().map(|member| (member.id, member.needed_by)).collect();
    assert_eq!(by, [("d", Some("b")), ("b", Some("a")), ("a", None)]);
}

#[test]
fn too_many_are_refused() {
    let needs = needs(&[("a", &["b", "c", "d"])]);
    assert_eq!(expanded(&needs, &["a"], 3), None);
    assert_eq!(expanded(&needs, &["a"], 4).unwrap().len(), 4);
}

#[test]
fn a_long_chain_is_no_problem_and_a_circle_ends() {
    let names: Vec<String> = (0..50_000).map(|number| format!("n{number}")).collect();
    let next: HashMap<&str, &[String]> =
        names.iter().zip(names.windows(2)).map(|(id, pair)| (id.as_str(), &pair[1..])).collect();
    let of = |id: &str| next.get(id).copied().unwrap_or_default();
    assert!(expand(&["n0"], &of, 100).is_none());
    assert_eq!(expand(&["n0"], &of, 50_000).unwrap().len(), 50_000);
    assert_eq!(circle("n0", &of), None);
    let round = needs(&[("a", &["b"]), ("b", &["c"]), ("c", &["a"])]);
    assert_eq!(expanded(&round, &["a"], 10).unwrap().len(), 3, "each of them once");
}

#[test]
fn a_circle_is_told_with_its_members() {
    let of = |needs: &Needs, start: &'static str| {
        let of = |id: &str| needs.get(id).map_or(&[] as &[String], Vec::as_slice);
        circle(start, &of)
    };
    let round = needs(&[("a", &["x", "b"]), ("b", &["c"]), ("c", &["a"])]);
    assert_eq!(of(&round, "a").unwrap(), ["a", "b", "c", "a"]);
    assert_eq!(of(&round, "b").unwrap(), ["b", "c", "a", "b"]);
    assert_eq!(of(&needs(&[("a", &["a"])]), "a").unwrap(), ["a", "a"]);
    assert_eq!(of(&needs(&[("z", &["a"]), ("a", &["b"]), ("b", &["a"])]), "z"), None, "not its own");
}

#[test]
fn a_feature_comes_along_with_what_is_needed() {
    let registry = crate::Registry::builtin().unwrap();
    let files = |ids: &[&str]| {
        let wanted: Vec<_> = ids.iter().map(|id| domain::CapabilityRef::from(*id)).collect();
        registry.features(&wanted, "files")
    };
    assert!(files(&["current_time", "session_file_system"]) && files(&["research"]));
    let twice = ["session_file_system", "session_file_system"];
    assert!(!files(&["current_time"]) && !files(&["unknown"]) && !files(&twice) && !files(&[]));
}
