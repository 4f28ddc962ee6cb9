use super::*;

#[test]
fn a_fork_is_named_after_its_parent() {
    assert_eq!(fork_name("Dinner"), "Dinner (copy)");
    assert_eq!(fork_name("Dinner (copy)"), "Dinner (copy)");
    let long = fork_name(&"ü".repeat(200));
    assert_eq!((long.chars().count(), long.ends_with(SUFFIX)), (200, true));
}
