use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn it_is_made_for_its_owner_alone_with_everything_above_it() {
    let root = tempfile::tempdir().unwrap();
    let data = DataDirectory::locate(Some(&root.path().join("a/b"))).unwrap();
    data.create().unwrap();
    assert_eq!(mode(data.path()), 0o700);
    assert!(!data.is_usual());
    data.create().unwrap();
}

#[test]
fn what_cannot_be_made_is_said_with_a_way_out() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    let data = DataDirectory::locate(Some(&file.join("below"))).unwrap();
    let error = data.create().unwrap_err();
    assert!(error.to_string().contains("cannot be created"), "{error}");
    assert!(error.advice().unwrap().contains("--data"));
    assert!(DataDirectory::locate(Some(Path::new(""))).is_err());
}

#[test]
fn the_node_is_the_same_after_a_restart_and_new_when_its_file_is_nonsense() {
    let root = tempfile::tempdir().unwrap();
    let data = DataDirectory::locate(Some(root.path())).unwrap();
    let node = data.node().unwrap();
    assert_eq!(data.node().unwrap(), node);
    assert_eq!(mode(&data.file("node")), 0o600);
    assert_eq!(data.node_process(), None);
    data.note_process(node, "boot", "1:2").unwrap();
    assert_eq!(data.node().unwrap(), node);
    assert_eq!(data.node_process(), Some(("boot".to_owned(), "1:2".to_owned())));
    fs::write(data.file("node"), "nonsense").unwrap();
    let other = data.node().unwrap();
    assert_ne!(other, node);
    assert_eq!(data.node().unwrap(), other);
}
