use super::*;

#[test]
fn a_slip_is_recognised_and_another_word_is_not() {
    let keys = ["bind", "public_url", "hosts", "allow_insecure_http"];
    assert_eq!(nearest("bnd", keys), Some("bind"));
    assert_eq!(nearest("public_urll", keys), Some("public_url"));
    assert_eq!(nearest("allow_insecure", keys), Some("allow_insecure_http"));
    assert_eq!(nearest("binding", keys), Some("bind"));
    assert_eq!(nearest("host", keys), Some("hosts"));
    assert_eq!(nearest("colour", keys), None);
    assert_eq!(nearest("", keys), None);
}

#[test]
fn distances() {
    for (left, right, steps) in [("", "", 0), ("a", "", 1), ("kitten", "sitting", 3), ("bind", "bind", 0)] {
        assert_eq!(distance(left, right), steps, "{left} {right}");
    }
}
