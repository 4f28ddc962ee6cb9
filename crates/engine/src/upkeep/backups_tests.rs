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

#[test]
fn what_is_left_of_a_backup_that_was_cut_off_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let made = file_name(Timestamp::from_millis(1_794_729_600_123));
    let left = [".partial", ".partial.checking", ".partial.checking-wal", ".partial.checking-shm"];
    for end in left {
        fs::write(folder.path().join(format!("{made}{end}")), "x").unwrap();
    }
    fs::write(folder.path().join("before-version-20-1.backup.partial"), "x").unwrap();
    let kept = [made.as_str(), "holiday.backup.partial", "before-version-20-1.backup"];
    for name in kept {
        fs::write(folder.path().join(name), "x").unwrap();
    }
    // Another node may be writing them.
    clear_drafts(folder.path(), LEFT).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), kept.len() + left.len() + 1);
    clear_drafts(folder.path(), Duration::ZERO).unwrap();
    let mut found: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    found.sort();
    let mut kept = kept.map(std::ffi::OsString::from);
    kept.sort();
    assert_eq!(found, kept);
    clear_drafts(&folder.path().join("not there"), Duration::ZERO).unwrap();
}
