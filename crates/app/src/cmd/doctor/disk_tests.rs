use super::*;

fn told(free: u64) -> (bool, String) {
    let mut report = Report::default();
    room(&mut report, free);
    (report.is_healthy(), report.to_json().to_string())
}

#[test]
fn little_room_is_notable_and_none_is_a_fault() {
    for (free, healthy, word) in [
        (10 << 30, true, "\"ok\""),
        (1 << 30, true, "\"ok\""),
        ((1 << 30) - 1, true, "\"notable\""),
        (100 << 20, true, "\"notable\""),
        ((100 << 20) - 1, false, "\"problem\""),
        (0, false, "\"problem\""),
    ] {
        let (is_healthy, text) = told(free);
        assert_eq!((is_healthy, text.contains(word)), (healthy, true), "{free}: {text}");
    }
}

#[test]
fn this_machine_can_be_asked() {
    let here = std::env::temp_dir();
    assert!(free_bytes(&here).is_some() && kind(&here).is_some_and(|kind| !kind.is_empty()));
}
