//! What a test leaves out because this machine cannot do it.
//!
//! Invariant: no test leaves anything out in silence. Each says so here; `make test` prints the list at its end, and with
//! `CI=true` an entry is a failure (`scripts/left-out.sh`).

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
    let line = what.replace('\n', " ");
    println!("left out: {line}");
    let path = list();
    if let Some(folder) = path.parent() {
        let _ = fs::create_dir_all(folder);
    }
    let noted = fs::OpenOptions::new().append(true).create(true).open(&path);
    let noted = noted.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    assert!(noted.is_ok(), "left out, and {} cannot be written: {noted:?}", path.display());
}

/// Where the run keeps its list: as the make file says, or beside what is built.
fn list() -> PathBuf {
    match std::env::var_os("LEFT_OUT") {
        Some(path) => path.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/left-out"),
    }
}
