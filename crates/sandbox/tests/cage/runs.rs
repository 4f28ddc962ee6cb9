//! The ordinary life of a run.

use crate::world::{cage, run, said, shell};
use sandbox::process::{Cage, Exit, Limits, Piece, Program, Spec, Stream};
use std::{os::unix::fs::PermissionsExt, time::Duration};
use tokio::sync::mpsc;

#[tokio::test]
async fn a_command_says_something_and_ends() {
    let outcome = shell("echo out; echo err >&2; exit 7").await;
    assert_eq!((outcome.exit, outcome.output.text().as_str()), (Exit::Code(7), "out\n"));
    assert_eq!(outcome.errors.text(), "err\n");
    assert_eq!((outcome.changes, outcome.left_out), (vec![], vec![]));
}

#[tokio::test]
async fn input_folder_and_environment_are_those_of_the_spec() {
    let mut spec = Spec::shell("pwd; cat; env | sort; id -un; hostname");
    spec.input = b"typed\n".to_vec();
    spec.folder = "notes".to_owned();
    spec.files = vec![sandbox::process::File { path: "notes/a".to_owned(), bytes: vec![] }];
    spec.environment =
        vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned()), ("GREETING".to_owned(), "hello".to_owned())];
    let text = run(spec).await.output.text();
    let expected = "/workspace/notes\ntyped\nGREETING=hello\nPATH=/usr/bin:/bin\nPWD=/workspace/notes\nSHLVL=1\n_=/usr/bin/env\nagent\ncage\n";
    assert_eq!(text, expected);
}

#[tokio::test]
async fn what_is_not_there_is_said() {
    let outcome = run(Spec::new(["/no/such/program"])).await;
    assert_eq!(outcome.exit, Exit::Code(127));
    assert!(outcome.errors.text().contains("could not be started"), "{}", outcome.errors.text());
    for bad in
        [Spec::new([""; 0]), Spec::new(["a\0b"]), Spec { folder: "../x".to_owned(), ..Spec::shell("true") }]
    {
        assert_eq!(cage().start(bad, None).err().unwrap().code(), "cage_failed");
    }
}

#[tokio::test]
async fn folders_of_this_machine_are_read_when_they_are_named() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(folder.path().join("a"), "known").unwrap();
    let line = format!("cat {0}/a; touch {0}/b 2>/dev/null || echo ' and safe'", folder.path().display());
    let spec = Spec { readable: vec![folder.path().to_owned()], ..Spec::shell(&line) };
    assert_eq!(run(spec).await.output.text(), "known and safe\n");
    assert_eq!(
        run(Spec::shell(&line)).await.output.text(),
        " and safe\n",
        "control: it is not there otherwise"
    );
    for path in ["/", "/proc", "/proc/1/root", "/sys", "relative", "/usr/../root"] {
        let spec = Spec { readable: vec![path.into()], ..Spec::shell("true") };
        assert!(cage().start(spec, None).is_err(), "{path}");
    }
}

#[tokio::test]
async fn time_is_limited_and_what_was_said_is_kept() {
    let mut spec = Spec::shell("echo first; sleep 1000 & sleep 1000");
    // A shell must have come to its first words by then, also on a machine that is busy.
    spec.limits.wall = Duration::from_secs(5);
    let outcome = run(spec).await;
    assert_eq!((outcome.exit, outcome.output.text().as_str()), (Exit::TimedOut, "first\n"));
}

#[tokio::test]
async fn output_comes_while_it_runs_and_is_cut_in_the_middle() {
    let (sender, mut pieces) = mpsc::channel(64);
    let running = cage().start(Spec::shell("echo begin; read -r < <(sleep 1000)"), Some(sender)).unwrap();
    let first = pieces.recv().await.unwrap();
    assert_eq!(first, Piece { stream: Stream::Output, bytes: b"begin\n".to_vec() });
    running.cancel();
    assert_eq!(running.wait().await.unwrap().exit, Exit::Cancelled);

    let mut spec = Spec::shell("seq 1000000");
    spec.limits = Limits { output: 2_000, ..Limits::default() };
    let outcome = run(spec).await;
    let text = outcome.output.text();
    assert!(text.starts_with("1\n2\n") && text.ends_with("\n1000000\n"), "{text}");
    assert_eq!(outcome.output.total(), 6_888_896);
}

#[tokio::test]
async fn what_nobody_waits_for_is_ended() {
    let mark = format!("sleep 98{}", std::process::id());
    let (sender, mut pieces) = mpsc::channel(1);
    let running =
        cage().start(Spec::shell(&format!("{mark} & {mark} & echo on; wait")), Some(sender)).unwrap();
    pieces.recv().await.unwrap();
    while processes(&mark) < 2 {
        tokio::task::yield_now().await;
    }
    drop(running);
    // The sender is dropped when the run is over.
    while pieces.recv().await.is_some() {}
    while processes(&mark) > 0 {
        tokio::task::yield_now().await;
    }
}

fn processes(mark: &str) -> usize {
    let lines = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = lines.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).replace('\0', " ").starts_with(mark)).count()
}

/// Only the usual three, whatever this process has open without saying that it is its own.
#[tokio::test]
async fn nothing_is_inherited() {
    let open = std::fs::File::open("/etc/passwd").unwrap();
    let _unmarked = rustix::io::dup(&open).unwrap();
    // The fourth is the list itself.
    let listed = run(Spec::new(["/bin/ls", "/proc/self/fd"])).await;
    assert_eq!(listed.output.text(), "0\n1\n2\n3\n");
    assert_eq!(
        said("cat /proc/$$/fdinfo/0 | head -c 3; readlink /proc/$$/fd/0").await,
        "pos/memfd:input (deleted)\n"
    );
}

#[tokio::test]
async fn python_runs() {
    let outcome = run(Spec::new([
        "/usr/bin/python3",
        "-c",
        "import json, sys; print(json.dumps({'sum': sum(range(10))}))",
    ]))
    .await;
    assert_eq!((outcome.output.text().as_str(), outcome.errors.text().as_str()), ("{\"sum\": 45}\n", ""));
}

#[tokio::test]
async fn programs_find_what_they_need() {
    let text = said("echo a b | awk '{print $2}'; date +%Y >/dev/null && echo date; diff <(echo x) <(echo x) && echo same; mktemp >/dev/null && echo tmp; [ -w /dev/null ] && echo null; head -c 4 /dev/urandom | wc -c").await;
    assert_eq!(text, "b\ndate\nsame\ntmp\nnull\n4\n");
}

#[test]
fn without_a_layer_there_is_no_cage() {
    let missing = Cage::open(Program::At("/no/such/program".into())).err().unwrap();
    let names: Vec<&str> = missing.missing().map(|layer| layer.name).collect();
    assert_eq!(names, ["this program"]);
    assert!(missing.to_string().contains("do not run at all"), "{missing}");
    // Something else than this program inside: it says nothing, so nothing is begun.
    let wrong = Cage::open(Program::At("/bin/true".into())).err().unwrap();
    assert_eq!(wrong.missing().map(|layer| layer.name).collect::<Vec<_>>(), ["trial run"]);
    let report = cage().report();
    assert!(
        report.is_complete() && report.layers.iter().any(|layer| layer.name == "trial run"),
        "{report:?}"
    );
}
