use super::*;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn no_key_is_lost_when_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    let files = KeyFiles::new(folder.path().join("master.key"));
    assert!(files.load().unwrap().is_empty());
    let mut keys = vec![MasterKey::load_or_create(files.current(), true).unwrap()];
    for _ in 0..3 {
        let next = files.begin().unwrap();
        assert_eq!(files.begin().unwrap().secret(), next.secret(), "a change that was begun keeps its key");
        files.retire().unwrap();
        files.retire().unwrap();
        files.promote().unwrap();
        assert_eq!(MasterKey::load(files.current()).unwrap().unwrap().secret(), next.secret());
        keys.push(next);
    }
    assert_eq!(names(folder.path()).len(), 4, "{:?}", names(folder.path()));
    let ring = files.load().unwrap();
    for key in &keys {
        assert!(ring.find(key.check_value().unwrap()).unwrap().is_some());
    }
}

#[test]
fn a_file_of_others_is_no_key_of_ours() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("other.key.retired-1"), "x").unwrap();
    let files = KeyFiles::new(folder.path().join("master.key"));
    assert!(files.load().unwrap().is_empty());
}
