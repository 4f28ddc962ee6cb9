use super::*;

#[test]
fn paths_stay_below() {
    assert_eq!(parts("a/b c/ü.txt"), Some(vec!["a", "b c", "ü.txt"]));
    assert_eq!(parts("/a"), Some(vec!["a"]));
    let (long, deep) = ("x".repeat(256), "a/".repeat(40) + "a");
    for path in ["", "/", "..", "a/../b", "a//b", "./a", "a/.", "//a", "a/", "a\0b", &long, &deep] {
        assert_eq!(parts(path), None, "{path:?}");
    }
}
