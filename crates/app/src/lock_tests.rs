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
    assert!(error.to_string().contains("A majordomo server"), "{error}");
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

fn config(url: &str) -> Config {
    let url = ("MAJORDOMO_STORE_URL".to_owned(), url.to_owned());
    Config::parse(None, &[url]).unwrap()
}

#[test]
fn two_data_directories_do_not_share_a_database_file() {
    let ((first, one), (_second, two)) = (directory(), directory());
    let file = first.path().join("shared.db");
    let alias = first.path().join("alias.db");
    let lock = DatabaseLock::take(&config(&format!("sqlite:{}", file.display())), &one).unwrap();
    std::os::unix::fs::symlink(&file, &alias).unwrap();
    std::fs::hard_link(&file, first.path().join("hard.db")).unwrap();
    for name in ["shared.db", "alias.db", "hard.db"] {
        let url = format!("sqlite:{}", first.path().join(name).display());
        let error = DatabaseLock::take(&config(&url), &two).unwrap_err();
        assert!(error.to_string().contains("already uses"), "{error}");
        assert!(error.advice().unwrap().contains("store.url"));
    }
    // Each has its own otherwise, and PostgreSQL is made for several.
    DatabaseLock::take(&config("sqlite:own.db"), &two).unwrap();
    for data in [&one, &two] {
        DatabaseLock::take(&config("postgres://localhost/shared"), data).unwrap();
    }
    drop(lock);
    DatabaseLock::take(&config(&format!("sqlite:{}", file.display())), &two).unwrap();
}
