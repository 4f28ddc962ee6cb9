use super::*;

#[test]
fn how_long_it_took_makes_no_difference_and_all_else_does() {
    let run = |code: u8, duration: u64| json!({ "exit_code": code, "duration_ms": duration }).to_string();
    assert_eq!(timeless(&run(1, 35)), timeless(&run(1, 36)));
    assert_ne!(timeless(&run(1, 35)), timeless(&run(2, 35)));
    assert_ne!(timeless("duration_ms: 35"), timeless("duration_ms: 36"));
}
