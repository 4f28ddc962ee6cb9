//! Nothing is left of a run: no process, no mount, no descriptor, no thread.

use crate::world::cage;
use sandbox::process::{Exit, File, Spec};
use std::{collections::BTreeSet, fs, time::Duration};
use tokio::sync::mpsc;

#[derive(Debug, PartialEq, Eq)]
struct Counts {
    children: usize,
    mounts: BTreeSet<String>,
    threads: usize,
}

impl Counts {
    fn now() -> Self {
        let tasks = || fs::read_dir("/proc/self/task").unwrap().flatten();
        let read =
            |task: fs::DirEntry, file: &str| fs::read_to_string(task.path().join(file)).unwrap_or_default();
        // Others of this test binary run at the same time; what is counted is what belongs to a cage.
        let children = tasks().flat_map(|task| {
            read(task, "children").split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        });
        let children = children.filter(|id| {
            fs::read_to_string(format!("/proc/{id}/comm")).is_ok_and(|name| name.trim() == "bwrap")
        });
        Self {
            children: children.count(),
            mounts: fs::read_to_string("/proc/self/mounts").unwrap().lines().map(str::to_owned).collect(),
            threads: tasks().filter(|task| read_name(task) == "cage").count(),
        }
    }
}

fn read_name(task: &fs::DirEntry) -> String {
    fs::read_to_string(task.path().join("comm")).unwrap_or_default().trim().to_owned()
}

/// The other tests of this binary run cages, too; so this one looks at a copy of itself that does nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left() {
    if std::env::var_os("CAGE_ALONE").is_some() {
        return nothing_is_left_of_runs().await;
    }
    // What others mount meanwhile is not ours.
    let apart: &[&str] = if rustix::process::geteuid().is_root() { &["unshare", "--mount"] } else { &[] };
    alone(apart).await;
}

/// As the first process of a container, to whom all orphans go.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_to_the_first_process() {
    if !rustix::process::geteuid().is_root() {
        return testkit::left_out("what a cage leaves to the first process of a container: that needs root");
    }
    alone(&["unshare", "--pid", "--fork", "--mount-proc"]).await;
}

async fn alone(before: &[&str]) {
    let own = std::env::current_exe().unwrap();
    let words = [before, &[own.to_str().unwrap(), "leftovers::nothing_is_left", "--exact"]].concat();
    let copy = tokio::process::Command::new(words[0])
        .args(&words[1..])
        .env("CAGE_ALONE", "1")
        .output()
        .await
        .unwrap();
    assert!(copy.status.success(), "{}", String::from_utf8_lossy(&copy.stdout));
    assert!(String::from_utf8_lossy(&copy.stdout).contains("1 passed"));
}

async fn nothing_is_left_of_runs() {
    run("true", Duration::from_secs(5)).await;
    quiet().await;
    let (before, open) = (Counts::now(), descriptors());
    assert_eq!(before.children, 0);
    for _ in 0..5 {
        run("echo x > a; mkdir b; ln -s a c", Duration::from_secs(5)).await;
        run("sleep 1000 & setsid sleep 1000 & disown -a; exit 3", Duration::from_secs(5)).await;
        assert_eq!(run("sleep 1000 & sleep 1000", Duration::from_millis(50)).await, Exit::TimedOut);
        let (sender, mut pieces) = mpsc::channel(1);
        drop(cage().start(Spec::shell("sleep 1000 & sleep 1000"), Some(sender)).unwrap());
        // The sender goes with the run.
        while pieces.recv().await.is_some() {}
    }
    quiet().await;
    let now = Counts::now();
    assert_eq!((now.children, now.threads), (before.children, before.threads));
    // A folder that somebody removes takes what was mounted on it along; what counts is what has come.
    assert_eq!(now.mounts.difference(&before.mounts).count(), 0, "{:?} {:?}", now.mounts, before.mounts);
    assert_eq!(descriptors(), open);
}

/// A thread says what came of its run, and goes then.
async fn quiet() {
    while Counts::now().threads > 0 {
        tokio::task::yield_now().await;
    }
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

async fn run(line: &str, wall: Duration) -> Exit {
    let mut spec = Spec::shell(line);
    spec.files = vec![File { path: "given".to_owned(), bytes: vec![0; 100_000] }];
    spec.limits.wall = wall;
    cage().start(spec, None).unwrap().wait().await.unwrap().exit
}
