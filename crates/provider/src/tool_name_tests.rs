use super::*;

#[test]
fn plain_names_stay_and_all_others_become_plain() {
    for plain in ["add", "web_fetch", "A-1", &"x".repeat(64)] {
        assert_eq!(told_again(plain), plain);
    }
    let long = "x".repeat(10_000);
    let others = ["", "audit.delete", "a b", "a\0", "löschen", "\u{202e}dda", long.as_str()];
    let told = ["unnamed", "audit_delete", "a_b", "a_", "l_schen", "_dda", &long[..64]];
    assert_eq!(others.map(told_again), told);
}
