//! What a test leaves out because this machine cannot do it, and what it does in a shorter way than it can.
//!
//! Invariant: no test leaves anything out in silence. Each says so here; `make test` prints the lists at its end, and with
//! `CI=true` a test that was left out is a failure (`scripts/left-out.sh`).

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

/// Notes what is left out and why, in one line: `no PostgreSQL: POSTGRES=skip`.
///
/// # Panics
/// When it cannot be noted: then it would be left out in silence.
pub fn left_out(what: &str) {
    println!("left out: {what}");
    note(list(), what);
}

/// Notes that a test does less than it can, because `variable` does not ask for all of it. `whole` does.
///
/// # Panics
/// When it cannot be noted.
pub fn shorter_without(variable: &str, what: &str, whole: &str) {
    if std::env::var_os(variable).is_none() {
        let mut beside = list().into_os_string();
        beside.push("-shorter");
        note(beside.into(), &format!("{what}; whole by `{whole}`"));
    }
}

fn note(path: PathBuf, what: &str) {
    let line = what.replace('\n', " ");
    if let Some(folder) = path.parent() {
        let _ = fs::create_dir_all(folder);
    }
    let noted = fs::OpenOptions::new().append(true).create(true).open(&path);
    let noted = noted.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    assert!(noted.is_ok(), "{line}: {} cannot be written: {noted:?}", path.display());
}

/// Where the run keeps its list: as the make file says, or beside what is built.
fn list() -> PathBuf {
    match std::env::var_os("LEFT_OUT") {
        Some(path) => path.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/left-out"),
    }
}
