use super::*;

fn file(path: &str) -> File {
    File { path: path.to_owned(), bytes: b"kept".to_vec() }
}

#[test]
fn what_is_gone_was_deleted() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("notes")).unwrap();
    let folder = OwnedFd::from(std::fs::File::open(folder.path()).unwrap());
    let (changes, left_out) = changes(&folder, &[file("notes/a"), file("b")], &Limits::default());
    let gone = ["b", "notes/a"].map(|path| Change::Deleted { path: path.to_owned() });
    assert_eq!((changes.as_slice(), left_out.len()), (gone.as_slice(), 0));
}

#[test]
fn what_was_not_looked_into_was_not_deleted() {
    let known = ["b", "notes", "notes/a", "notes/deep/c", "notes2/d"];
    let after = |path: &str| {
        let mut search = Search {
            before: known.iter().map(|path| ((*path).to_owned(), b"kept".as_slice())).collect(),
            changes: Vec::new(),
            left_out: Vec::new(),
            entries: 0,
            room: 0,
            most: 0,
        };
        search.pass_over(path, "it cannot be read");
        search.before.into_keys().collect::<Vec<_>>()
    };
    assert_eq!(after("notes"), ["b", "notes2/d"]);
    assert_eq!(after("notes/deep"), ["b", "notes", "notes/a", "notes2/d"]);
    assert_eq!(after(""), [""; 0]);
}
