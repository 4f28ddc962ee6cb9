//! The ground goes away under the program: the disk is full, the database is gone. New work is refused and says when to
//! come back, what can be read is read, nothing that was acknowledged is lost, and everything goes on by itself.
//!
//! `make faults` does this many times over; the normal run does each once.

mod io_faults;

use crate::{
    checker::{self, Acknowledged},
    ground,
    sending::{Sent, after, send},
    world::{self, World},
};
use serde_json::json;
use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Mutex},
    time::Duration,
};
use testkit::{
    client::Client,
    model::{Recorded, Reply},
    postgres::Cluster,
    program::Running,
};
use tokio::{sync::Notify, time::sleep};

fn reply(request: &Recorded) -> Reply {
    let said = request.last_user();
    let words: Vec<String> = (0..20).map(|word| format!("word{word} ")).collect();
    match request.results_since_user().len() {
        0 if said.starts_with("slow") => Reply::pieces(words).pace(Duration::from_millis(40)),
        0 if said.starts_with("call") => Reply::pieces(words).pace(Duration::from_millis(20)).then_calls([
            ("count_effect", json!({ "tag": said.get(..20).unwrap_or(said.as_str()) })),
            ("get_current_time", json!({})),
        ]),
        _ => Reply::text("done"),
    }
}

pub struct Fault<'a> {
    pub strike: &'a dyn Fn(&Running),
    pub mend: &'a dyn Fn(&Running),
    /// How new work is refused meanwhile.
    pub refusal: (u16, &'a str),
    /// Can what is stored be read meanwhile?
    pub reads: bool,
}

pub async fn endures(world: &World, fault: Fault<'_>, rounds: usize) {
    // Each reply is held behind its first words until the ground is gone.
    let held = Arc::new(Notify::new());
    let (gate, begun) = (held.clone(), Mutex::new(HashSet::new()));
    world.model.respond(move |request| {
        let said = request.last_user();
        let first = said.starts_with("slow") || said.starts_with("call");
        let first = first && begun.lock().unwrap().insert(said);
        if first { reply(request).gate_after_pieces(3, gate.clone()) } else { reply(request) }
    });
    let running = world.serve().await;
    let client = running.client(&world.key);
    let agent = world::worker(&client).await;
    let mut sessions = Vec::new();
    let mut acknowledged = Vec::new();
    for round in 0..rounds {
        for kind in ["slow", "call"] {
            let session = world::new_session(&client, &agent).await;
            let mut stream = client.follow(&session, Some("0")).await.unwrap();
            let text = format!("{kind}-{round:010}-{}", "x".repeat(40));
            let Sent::Acknowledged(sent) = send(&client, &session, &text, &text).await else {
                panic!("{kind} was refused before anything happened")
            };
            acknowledged.push(sent);
            while stream.next().await.unwrap().unwrap().event != "text" {}
            (fault.strike)(&running);
            held.notify_one();
            acknowledged.extend(refused(&client, &session, round, &fault).await);
            // The reply has come to its end and could not be stored.
            while !stream.next().await.unwrap().unwrap().data.to_string().contains("word19") {}
            let read = client.get(&format!("/v1/sessions/{session}/messages")).await.unwrap();
            assert_eq!(read.status, if fault.reads { 200 } else { 503 }, "{}", read.body);
            (fault.mend)(&running);
            acknowledged.push(after(&client, &session, &format!("after {kind} {round}")).await);
            world::quiet(&client, &session).await;
            sessions.push(session);
        }
    }
    let report = checker::check(world, &client, &sessions, &acknowledged).await;
    assert!(report.outcomes.keys().all(|outcome| outcome == "completed"), "{report:?}");
    println!("{rounds} rounds: {report:?}");
    assert_eq!(running.terminate().await.unwrap(), Some(0));
    ground::check_nothing_left(world.program.data());
}

/// Sends until it is refused; what was taken before must be done.
async fn refused(client: &Client, session: &str, round: usize, fault: &Fault<'_>) -> Vec<Acknowledged> {
    let mut taken = Vec::new();
    for number in 0..500 {
        let text = format!("during {round} {number} {}", "y".repeat(30_000));
        match send(client, session, &text[..40], &text).await {
            Sent::Acknowledged(sent) => taken.push(sent),
            Sent::Refused { code, .. } if code == "queue_full" => sleep(Duration::from_millis(20)).await,
            Sent::Refused { status, retry_after, code } => {
                assert_eq!((status, code.as_str()), fault.refusal);
                assert!(retry_after.is_some(), "it does not say when to come back");
                return taken;
            }
        }
    }
    panic!("it was never refused");
}

/// A small disk of its own. Unmounted when dropped.
pub struct SmallDisk(pub PathBuf);

impl SmallDisk {
    pub fn mount(place: &Path, size: &str) -> Option<Self> {
        fs::create_dir_all(place).unwrap();
        let options = format!("size={size},mode=0700");
        let done = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(place).output();
        match done {
            Ok(done) if done.status.success() => Some(Self(place.to_owned())),
            other => {
                let why = other.map(|done| String::from_utf8_lossy(&done.stderr).into_owned());
                testkit::left_out(&format!(
                    "a disk that is full or read-only: none can be mounted ({why:?})"
                ));
                None
            }
        }
    }

    /// Takes all the space there is.
    fn fill(&self) {
        let file = fs::File::create(self.0.join("ballast")).unwrap();
        let mut writer = &file;
        for size in [64 << 10, 4 << 10, 1] {
            while std::io::Write::write_all(&mut writer, &vec![1; size]).is_ok() {}
        }
    }

    pub fn read_only(&self) {
        let done = Command::new("mount").args(["-o", "remount,ro"]).arg(&self.0).status().unwrap();
        assert!(done.success());
    }

    fn free(&self) {
        fs::remove_file(self.0.join("ballast")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

pub fn rounds() -> usize {
    testkit::shorter_without("FAULTS", "full disks and stopped databases: one of each", "make faults");
    std::env::var("FAULTS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_endured() {
    let folder = tempfile::tempdir().unwrap();
    // What is said in each round stays: after the last one there must still be room for twice the reserve.
    let size = format!("{}m", 24 + 3 * rounds());
    let Some(disk) = SmallDisk::mount(&folder.path().join("disk"), &size) else { return };
    let world = World::at(disk.0.join("data")).await;
    let fault =
        Fault { strike: &|_| disk.fill(), mend: &|_| disk.free(), refusal: (507, "disk_full"), reads: true };
    endures(&world, fault, rounds()).await;
}

/// Without its reserve not even a start finds room. It says so, and what to do; when that is done, everything is there.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_on_a_full_disk_without_a_reserve_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(&folder.path().join("disk"), "64m") else { return };
    let world = World::at(disk.0.join("data")).await;
    let running = world.serve().await;
    let client = running.client(&world.key);
    let agent = world::worker(&client).await;
    let session = world::new_session(&client, &agent).await;
    assert_eq!(running.terminate().await.unwrap(), Some(0));
    fs::remove_file(world.program.data().join("majordomo.db.reserve")).unwrap();
    disk.fill();
    let ended = world.program.run(&["serve", "--bind", "127.0.0.1:0"], "").await.unwrap();
    let (told, printed) = (String::from_utf8_lossy(&ended.stderr), String::from_utf8_lossy(&ended.stdout));
    assert_eq!(ended.status.code(), Some(1), "{told}");
    let expected = "majordomo: The disk of the database is full: disk I/O error.\n  \
                    → Free some space on the disk of the data directory, and try again.\n";
    assert_eq!(told, expected, "{printed}");
    disk.free();
    let running = world.serve().await;
    let found = running.client(&world.key).get(&format!("/v1/sessions/{session}")).await.unwrap().expect(200);
    assert_eq!(found["agent_id"], agent, "{found}");
    assert_eq!(running.terminate().await.unwrap(), Some(0));
    ground::check_nothing_left(world.program.data());
}

/// With the disk full, what has begun comes to its end, new work is refused, a restart works, and everything is readable.
#[tokio::test(flavor = "multi_thread")]
async fn what_has_begun_ends_on_a_full_disk_and_a_start_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(&folder.path().join("disk"), "64m") else { return };
    let world = World::at(disk.0.join("data")).await;
    let gate = Arc::new(Notify::new());
    let held = gate.clone();
    world.model.respond(move |request| match request.last_user().as_str() {
        "before" => Reply::pieces(["It ", "is ", "done."]).gate_after_pieces(1, held.clone()),
        _ => Reply::text("Yes."),
    });
    let running = world.serve().await;
    let client = running.client(&world.key);
    let agent = world::worker(&client).await;
    let session = world::new_session(&client, &agent).await;
    let mut stream = client.follow(&session, Some("0")).await.unwrap();
    let Sent::Acknowledged(before) = send(&client, &session, "before", "before").await else {
        panic!("refused before anything happened")
    };
    while stream.next().await.unwrap().unwrap().event != "text" {}
    disk.fill();
    // Enough to use up what the log of the database has room for already.
    let fault = Fault { strike: &|_| {}, mend: &|_| {}, refusal: (507, "disk_full"), reads: true };
    let mut acknowledged = vec![before];
    acknowledged.extend(refused(&client, &session, 0, &fault).await);
    gate.notify_one();
    world::quiet(&client, &session).await;
    running.kill().await.unwrap();
    let running = world.serve().await;
    let client = running.client(&world.key);
    let read = client.get(&format!("/v1/sessions/{session}/messages")).await.unwrap().expect(200);
    assert!(read.to_string().contains("It is done."), "{read}");
    let Sent::Refused { status, .. } = send(&client, &session, "more", "more").await else {
        panic!("new work is taken on a full disk")
    };
    assert_eq!(status, 507);
    disk.free();
    acknowledged.push(after(&client, &session, "after").await);
    world::quiet(&client, &session).await;
    let report = checker::check(&world, &client, &[session], &acknowledged).await;
    assert!(report.outcomes.keys().all(|outcome| outcome == "completed"), "{report:?}");
    assert_eq!(running.terminate().await.unwrap(), Some(0));
    ground::check_nothing_left(world.program.data());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_goes_away_is_endured() {
    let Some(cluster) = Cluster::start_durable().unwrap() else { return };
    let url = cluster.database().unwrap();
    let world = World::with_store(&url).await;
    let fault = Fault {
        strike: &|_| cluster.stop_at_once().unwrap(),
        mend: &|_| cluster.start_again().unwrap(),
        refusal: (503, "unavailable"),
        reads: false,
    };
    endures(&world, fault, rounds()).await;
}

/// A failover: the server is there, is read, and takes no changes until another one does.
#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_takes_no_changes_is_endured() {
    let Some(cluster) = Cluster::start_durable().unwrap() else { return };
    let url = cluster.database().unwrap();
    let world = World::with_store(&url).await;
    let fault = Fault {
        strike: &|_| cluster.read_only(true).unwrap(),
        mend: &|_| cluster.read_only(false).unwrap(),
        refusal: (503, "unavailable"),
        reads: true,
    };
    endures(&world, fault, rounds()).await;
}
