//! `doctor` on set-ups that are broken in one way each: it names the fault and its remedy, and its exit code tells.

use crate::{
    faults::SmallDisk,
    world::{Backend, World, under_test},
};
use serde_json::Value;
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};
use store::{KeyFiles, MasterKey, Store, Tx, args};
use testkit::program::Program;

/// The findings that are not as they should be, and whether the exit code says so.
async fn examined(program: &Program) -> (bool, Vec<Value>) {
    let output = program.run(&["doctor", "--json"], "").await.unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["healthy"].as_bool(), Some(output.status.success()), "{report}");
    let findings = report["findings"].as_array().unwrap().iter();
    let wrong = findings.filter(|finding| finding["status"] != "ok").cloned().collect();
    (output.status.success(), wrong)
}

/// There must be a finding with both words, the second in its remedy.
#[track_caller]
fn named(findings: &[Value], status: &str, fault: &str, remedy: &str) {
    let fits = |finding: &Value| {
        finding["status"] == status
            && finding["text"].as_str().unwrap_or_default().contains(fault)
            && finding["remedy"].as_str().unwrap_or_default().contains(remedy)
    };
    assert!(findings.iter().any(fits), "no {status} «{fault}» → «{remedy}» in {findings:#?}");
}

async fn healthy_world() -> World {
    let world = World::new(Backend::Sqlite).await.unwrap();
    let (healthy, wrong) = examined(&world.program).await;
    assert!(healthy, "the control: {wrong:#?}");
    world
}

async fn is_ill(program: &Program, fault: &str, remedy: &str) {
    let (healthy, wrong) = examined(program).await;
    assert!(!healthy);
    named(&wrong, "problem", fault, remedy);
}

/// Runs SQL past the program, as somebody with the disk in their hands would.
async fn tamper(world: &World, sql: &'static str, values: Vec<store::Arg>) {
    let data = world.program.data();
    let keys = KeyFiles::new(data.join("master.key")).load().unwrap();
    let store = Store::open(&format!("sqlite:{}", data.join("majordomo.db").display()), keys).await.unwrap();
    let changed = store.write(move |tx: &mut Tx| tx.run(sql, values)).await.unwrap();
    assert!(changed > 0);
    store.close().await;
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_others_can_read() {
    let world = healthy_world().await;
    set_mode(&world.program.data().join("master.key"), 0o644);
    let (healthy, wrong) = examined(&world.program).await;
    assert!(!healthy);
    named(&wrong, "problem", "chmod 600", "does not start");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_that_others_can_enter() {
    let world = healthy_world().await;
    set_mode(world.program.data(), 0o755);
    is_ill(&world.program, "Other users of this machine can read", "chmod 700").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_gone_or_another() {
    let world = healthy_world().await;
    let key = world.program.data().join("master.key");
    fs::remove_file(&key).unwrap();
    is_ill(&world.program, "is missing", "Put it back").await;
    MasterKey::load_or_create(&key, true).unwrap();
    is_ill(&world.program, "does not belong to this database", "MAJORDOMO_MASTER_KEY").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_does_not_answer() {
    let world = healthy_world().await;
    let program = world.program.clone().model("http://127.0.0.1:9/v1");
    is_ill(&program, "Provider test at http://127.0.0.1:9/v1", "").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_schema() {
    let world = healthy_world().await;
    tamper(&world, "INSERT INTO schema_version (version) VALUES ($1)", args![999_i64]).await;
    is_ill(&world.program, "schema version 999", "Nothing was changed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_audit_log_that_was_changed() {
    let world = healthy_world().await;
    tamper(&world, "UPDATE audit SET action = $1 WHERE position = 1", args!["harmless"]).await;
    is_ill(&world.program, "audit log is broken at entry 1", "Compare it with a backup").await;
}

/// ATTACK: the newest entry is cut off, and the head says that there was none.
#[tokio::test(flavor = "multi_thread")]
async fn an_audit_log_whose_end_was_cut_off() {
    let world = healthy_world().await;
    let newest = "DELETE FROM audit WHERE position = (SELECT position FROM audit_head)";
    tamper(&world, newest, args![]).await;
    let head = "UPDATE audit_head SET position = position - 1, \
                hash = (SELECT hash FROM audit ORDER BY position DESC LIMIT 1)";
    tamper(&world, head, args![]).await;
    is_ill(&world.program, "its seal does not fit", "Compare it with a backup").await;
}

/// ATTACK: the whole database is put back as it was before something was done.
#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_was_set_back() {
    let world = healthy_world().await;
    let path = world.program.data().join("majordomo.db");
    let before = fs::read(&path).unwrap();
    world.program.must(&["api-key", "new"], "").await;
    assert!(examined(&world.program).await.0, "the control");
    fs::write(&path, before).unwrap();
    is_ill(&world.program, "this machine has seen another entry there", "Compare it with a backup").await;
    // A backup that is restored is something else: whoever does it knows what they do.
    let backup = world.program.data().join("mine.backup");
    world.program.must(&["backup", backup.to_str().unwrap()], "").await;
    world.program.must(&["restore", backup.to_str().unwrap(), "--force"], "").await;
    let (healthy, wrong) = examined(&world.program).await;
    assert!(healthy, "{wrong:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_persons_key_that_does_not_open() {
    let world = healthy_world().await;
    tamper(&world, "UPDATE users SET data_key = $1", args![vec![1_u8; 77]]).await;
    is_ill(&world.program, "cannot be opened: user_", "master.key.retired").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_damaged() {
    let world = healthy_world().await;
    let path = world.program.data().join("majordomo.db");
    let whole = fs::read(&path).unwrap();
    // Pages in the middle hold something else.
    let mut torn = whole.clone();
    let middle = torn.len() / 2;
    torn[middle..middle + 8192].fill(7);
    fs::write(&path, torn).unwrap();
    is_ill(&world.program, "damaged", "majordomo restore").await;
    fs::write(&path, vec![7; whole.len()]).unwrap();
    is_ill(&world.program, "damaged", "majordomo restore").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_that_is_damaged() {
    let world = healthy_world().await;
    let folder = world.program.data().join("backups");
    fs::create_dir(&folder).unwrap();
    let file = folder.join("mine.backup");
    world.program.must(&["backup", file.to_str().unwrap()], "").await;
    assert!(examined(&world.program).await.0, "the control");
    let mut bytes = fs::read(&file).unwrap();
    bytes[300] ^= 1;
    fs::write(&file, bytes).unwrap();
    is_ill(&world.program, "is damaged", "make a new backup").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_bubblewrap() {
    let world = healthy_world().await;
    let empty = world.data.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let (healthy, wrong) = examined(&world.program.clone().env("PATH", empty.to_str().unwrap())).await;
    assert!(healthy, "it works without: {wrong:#?}");
    named(&wrong, "notable", "bubblewrap not available", "apt-get install bubblewrap");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_room_on_the_disk_or_a_disk_that_is_read_only() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(&folder.path().join("disk"), "24m") else { return };
    let program = Program::new(under_test(), disk.0.join("data"));
    program.set_up().await;
    is_ill(&program, "of disk space are free", "Free some space").await;
    disk.read_only();
    is_ill(&program, "cannot be written to", "Mount its disk for writing").await;
    let refused = program.run(&["user", "list"], "").await.unwrap();
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && told.contains("Read-only file system"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_server_is_examined_too() {
    let world = healthy_world().await;
    let running = world.serve().await;
    let (healthy, wrong) = examined(&world.program).await;
    assert!(healthy, "{wrong:#?}");
    let output = world.program.run(&["doctor"], "").await.unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    for part in [
        "A server is running",
        "its database works",
        "The audit log is intact",
        "keys of all people can be opened",
    ] {
        assert!(told.contains(part), "no «{part}» in {told}");
    }
    assert_eq!(running.terminate().await.unwrap(), Some(0));
}
