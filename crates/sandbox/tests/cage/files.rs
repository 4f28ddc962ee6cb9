//! Files go in, and what has become of them comes back.

use crate::world::{cage, run, shell};
use sandbox::process::{Change, File, Spec};

fn file(path: &str, bytes: &[u8]) -> File {
    File { path: path.to_owned(), bytes: bytes.to_vec() }
}

fn written(path: &str, bytes: &[u8]) -> Change {
    Change::Written { path: path.to_owned(), bytes: bytes.to_vec() }
}

fn deleted(path: &str) -> Change {
    Change::Deleted { path: path.to_owned() }
}

#[tokio::test]
async fn new_changed_and_deleted_files_are_told() {
    let mut spec = Spec::shell(
        "cat same; echo more >> notes/changed; rm gone; mkdir -p a/b; printf new > a/b/c; mv old moved",
    );
    spec.files = vec![
        file("same", b"same\n"),
        file("/notes/changed", b"some\n"),
        file("gone", b"x"),
        file("old", b"moved"),
    ];
    let mut outcome = run(spec).await;
    assert_eq!(outcome.output.text(), "same\n", "{}", outcome.errors.text());
    outcome.changes.sort_by_key(|change| format!("{change:?}"));
    let expected = vec![
        deleted("gone"),
        deleted("old"),
        written("a/b/c", b"new"),
        written("moved", b"moved"),
        written("notes/changed", b"some\nmore\n"),
    ];
    assert_eq!(outcome.changes, expected);
}

#[tokio::test]
async fn what_is_not_a_file_does_not_come_back() {
    let line = "ln -s /etc/passwd link; mkfifo pipe; mkdir locked; echo x > locked/in; chmod 000 locked; echo y > secret; \
        chmod 000 secret; ln secret twin; truncate -s 60M sparse; ln -s . loop; printf z > $'bad\\xff'; ln -sf /etc/shadow given";
    let mut spec = Spec::shell(line);
    spec.files = vec![file("given", b"mine")];
    let mut outcome = run(spec).await;
    assert_eq!(outcome.errors.text(), "");
    outcome.changes.retain(|change| !matches!(change, Change::Written { path, .. } if path == "sparse"));
    outcome.changes.sort_by_key(|change| format!("{change:?}"));
    let expected = vec![
        deleted("given"),
        written("locked/in", b"x\n"),
        written("secret", b"y\n"),
        written("twin", b"y\n"),
    ];
    assert_eq!(outcome.changes, expected);
    let mut left: Vec<String> = outcome.left_out.into_iter().map(|left| left.path).collect();
    left.sort();
    assert_eq!(left, ["bad\u{fffd}", "given", "link", "loop", "pipe"]);
}

#[tokio::test]
async fn there_are_bounds_for_what_comes_back() {
    let mut spec = Spec::shell("for i in $(seq 30); do echo $i > f$i; done");
    spec.limits.changes = 10;
    let outcome = run(spec).await;
    assert_eq!((outcome.changes.len(), outcome.left_out.len()), (10, 20));
    let outcome = shell("p=.; for i in $(seq 40); do p=$p/d; done; mkdir -p $p; echo x > $p/f").await;
    assert_eq!((outcome.changes, outcome.left_out.len()), (vec![], 1));
}

#[tokio::test]
async fn files_that_do_not_fit_or_lead_out_are_refused() {
    let mut large = Spec::shell("true");
    large.limits.disk = 1024 * 1024;
    large.files = vec![file("large", &vec![1; 2 * 1024 * 1024])];
    let out = |path: &str| Spec { files: vec![file(path, b"x")], ..Spec::shell("true") };
    let twice = Spec { files: vec![file("a", b"x"), file("a/b", b"x")], ..Spec::shell("true") };
    for spec in [large, out("../x"), out("/../x"), out("a/../../x"), out(""), out("a\0"), twice] {
        let refused = cage().start(spec, None).unwrap().wait().await.err().unwrap();
        assert_eq!(refused.code(), "file_refused", "{refused}");
    }
}

#[tokio::test]
async fn two_runs_see_nothing_of_each_other() {
    let first = shell(
        "echo mine > /workspace/a; echo mine > /tmp/a; echo mine > /dev/shm/a; ls /workspace /tmp /dev/shm | grep -c '^a$'",
    )
    .await;
    let second = shell("ls /workspace /tmp /dev/shm | grep -c '^a$'").await;
    assert_eq!((first.output.text().trim(), second.output.text().trim()), ("3", "0"));
}
