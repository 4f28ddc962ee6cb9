use super::*;

#[test]
fn a_files_name_tells_when_it_was_made() {
    let at = Timestamp::from_millis(1_794_729_600_123);
    assert_eq!(file_name(at), "majordomo-20261115T080000123Z.backup");
    assert_eq!(made_at(&file_name(at)), Some(at));
    for other in [
        "majordomo-.backup",
        "majordomo-2026.backup",
        "notes.txt",
        "majordomo-20261115T080000123Z.backup.partial",
    ] {
        assert_eq!(made_at(other), None, "{other}");
    }
}

#[test]
fn only_files_of_ours_are_thinned_out() {
    let folder = tempfile::tempdir().unwrap();
    let hour = |number: i64| Timestamp::from_millis(1_794_700_800_000 + number * 600_000);
    for number in 0..40 {
        fs::write(folder.path().join(file_name(hour(number))), "x").unwrap();
    }
    fs::write(folder.path().join("holiday.backup"), "x").unwrap();
    thin_out(folder.path()).unwrap();
    let left = files(folder.path());
    // 24 newest, and the first of the day.
    assert_eq!(left.len(), 25);
    assert!(left.iter().any(|(at, _)| *at == hour(0)) && !left.iter().any(|(at, _)| *at == hour(1)));
    assert!(folder.path().join("holiday.backup").exists());
}
