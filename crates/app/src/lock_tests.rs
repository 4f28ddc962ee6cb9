use super::*;

fn directory() -> (tempfile::TempDir, DataDirectory) {
    let root = tempfile::tempdir().unwrap();
    let data = DataDirectory::locate(Some(root.path())).unwrap();
    (root, data)
}

#[test]
fn the_second_one_hears_who_was_first() {
    let (_root, data) = directory();
    let lock = take(&data).unwrap();
    let error = take(&data).unwrap_err();
    let own = std::process::id().to_string();
    assert!(error.to_string().contains("a majordomo server"), "{error}");
    assert!(error.to_string().contains(&own), "{error}");
    assert!(error.advice().unwrap().contains("--data"));
    drop(lock);
    take(&data).unwrap();
}

#[test]
fn the_note_says_what_the_holder_was_for_after_it_has_gone() {
    let (_root, data) = directory();
    assert!(!was_server(&data));
    drop(take(&data).unwrap());
    assert!(was_server(&data));
    let Attempt::Taken(lock) = Lock::attempt(&data, Purpose::Command).unwrap() else { panic!("held") };
    drop(lock);
    assert!(!was_server(&data));
}

#[test]
fn a_note_that_is_nonsense_is_no_process() {
    let (_root, data) = directory();
    let _lock = take(&data).unwrap();
    std::fs::write(data.lock(), "what is this\n").unwrap();
    assert!(matches!(Lock::attempt(&data, Purpose::Command).unwrap(), Attempt::Held(None)));
}
