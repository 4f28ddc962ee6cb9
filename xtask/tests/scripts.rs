//! The scripts that say what was not checked, with a `cargo` that is played.

#![cfg(test)]

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};
use tempfile::TempDir;

fn script(name: &str) -> String {
    format!("{}/../scripts/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Runs a script of ours; whether it succeeded, and what it said.
fn run(arguments: &[&str], folder: &Path, variables: &[(&str, &str)]) -> (bool, String) {
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let home = folder.join("home").display().to_string();
    let mut command = Command::new("bash");
    command.args(arguments).env("PATH", path).env("CARGO_HOME", home).env_remove("CI");
    let done = command.envs(variables.iter().copied()).output().unwrap();
    let told = [done.stdout, done.stderr].concat();
    (done.status.success(), String::from_utf8_lossy(&told).into_owned())
}

/// A `cargo` that notes what it is asked, and fails where its arguments hold one of these words.
fn cargo(fails: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (path, asked) = (folder.path().join("cargo"), folder.path().join("asked"));
    let text =
        format!("#!/bin/sh\necho \"$*\" >> {}\ncase \"$*\" in {fails}) exit 1;; esac\n", asked.display());
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn asked(folder: &TempDir) -> String {
    fs::read_to_string(folder.path().join("asked")).unwrap_or_default()
}

#[test]
fn known_weaknesses_are_looked_for_or_it_is_said_loudly() {
    let deny = script("deny.sh");
    let all = cargo("nothing");
    assert!(run(&[&deny], all.path(), &[("CI", "true")]).0);
    assert!(asked(&all).contains("check licenses bans sources") && asked(&all).contains("check advisories"));

    let weak = cargo("*advisories*");
    assert!(!run(&[&deny], weak.path(), &[]).0, "a weakness that is known is a failure everywhere");

    let offline = cargo("*fetch*");
    let (done, told) = run(&[&deny], offline.path(), &[]);
    assert!(done && told.contains("NOT CHECKED: known weaknesses"), "{told}");
    assert!(!asked(&offline).contains("advisories"));
    assert!(!run(&[&deny], offline.path(), &[("CI", "true")]).0, "and in CI it is a failure");
    let (done, told) = run(&[&deny], offline.path(), &[("CI", "true"), ("ADVISORIES", "skip")]);
    assert!(done && told.contains("ADVISORIES=skip"), "unless the person says so: {told}");

    // A list of before is used, and what it knows counts.
    let before = cargo("*fetch*|*advisories*");
    fs::create_dir_all(before.path().join("home/advisory-dbs/list")).unwrap();
    assert!(!run(&[&deny], before.path(), &[]).0);
    assert!(asked(&before).contains("--offline check advisories"));

    let none = cargo("deny*--version*");
    let (done, told) = run(&[&deny], none.path(), &[]);
    assert!(done && told.contains("cargo deny is not installed"), "{told}");
    assert!(!run(&[&deny], none.path(), &[("CI", "true")]).0);
}

#[test]
fn what_was_left_out_is_told_and_fails_in_ci() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list").display().to_string();
    let (script, list_at) = (script("left-out.sh"), ("LEFT_OUT", list.as_str()));
    assert!(run(&[&script, "begin"], folder.path(), &[list_at]).0);
    fs::write(&list, "").unwrap();
    let (done, told) = run(&[&script, "end"], folder.path(), &[list_at, ("CI", "true")]);
    assert!(done && told.contains("No test was left out"), "{told}");
    fs::write(&list, "no uv\nno PostgreSQL\nno uv\n").unwrap();
    let (done, told) = run(&[&script, "end"], folder.path(), &[list_at]);
    assert!(done && told.contains("no uv (2×)") && told.contains("no PostgreSQL (1×)"), "{told}");
    let (done, told) = run(&[&script, "end"], folder.path(), &[list_at, ("CI", "true")]);
    assert!(!done && told.contains("no test may be left out"), "{told}");
    assert!(run(&[&script, "begin"], folder.path(), &[list_at]).0);
    assert_eq!(fs::read_to_string(&list).unwrap(), "", "each run begins anew");
}

/// A run that fails says as well what it has left out, and still fails as its command did.
#[test]
fn what_was_left_out_is_told_after_a_failure_too() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list").display().to_string();
    let (script, list_at) = (script("left-out.sh"), ("LEFT_OUT", list.as_str()));
    let code = |tests: &str, ci: &str| {
        let command = format!("'{script}' during sh -c '{tests}'; echo \"code $?\"");
        let bash = Command::new("bash").args(["-c", &command]).envs([list_at, ("CI", ci)]).output().unwrap();
        format!("{}{}", String::from_utf8_lossy(&bash.stdout), String::from_utf8_lossy(&bash.stderr))
    };
    for (exit, left_out, ci, expected) in [
        (0, true, "", 0),
        (0, true, "true", 1),
        (0, false, "true", 0),
        (7, true, "true", 7),
        (7, false, "", 7),
    ] {
        let note = if left_out { "echo no uv >>\"$LEFT_OUT\";" } else { "" };
        let told = code(&format!("{note} exit {exit}"), ci);
        assert!(told.contains(&format!("code {expected}\n")), "{exit} {left_out} {ci}: {told}");
        let words = if left_out { "no uv (1×)" } else { "No test was left out" };
        assert!(told.contains(words), "{exit} {left_out} {ci}: {told}");
    }
}

/// A test that does less than it can is told apart from one that is left out, and is no failure.
#[test]
fn shorter_runs_are_told_and_are_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list").display().to_string();
    let (script, list_at) = (script("left-out.sh"), ("LEFT_OUT", list.as_str()));
    fs::write(format!("{list}-shorter"), "of an earlier run\n").unwrap();
    assert!(run(&[&script, "begin"], folder.path(), &[list_at]).0);
    let note = "echo 'six pairs; whole by `make agentdojo`' >>\"$LEFT_OUT-shorter\"";
    let twice = format!("{note}; {note}");
    assert!(run(&["-c", &twice], folder.path(), &[list_at]).0);
    let (done, told) = run(&[&script, "end"], folder.path(), &[list_at, ("CI", "true")]);
    assert!(done && told.contains("SHORTER") && told.contains("No test was left out"), "{told}");
    assert_eq!(told.matches("six pairs; whole by `make agentdojo`").count(), 1, "{told}");
    assert!(!told.contains("earlier run"), "{told}");
}

/// `make test` says what was left out, whatever happens.
#[test]
fn all_tests_run_under_the_list() {
    let makefile = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Makefile")).unwrap();
    let recipe = makefile.split("\ntest:").nth(1).unwrap().split("\n\n").next().unwrap();
    assert!(recipe.contains("scripts/left-out.sh during $(MAKE)"), "{recipe}");
    let noted = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/src/left_out.rs"));
    assert!(noted.unwrap().contains("push(\"-shorter\")"), "the script reads the same list");
}

/// No test leaves anything out by a way of its own.
#[test]
fn tests_say_what_they_leave_out_in_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<_> = ["crates", "tests", "testkit", "web/test"].map(|name| root.join(name)).to_vec();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = entry.file_name().unwrap().to_string_lossy().into_owned();
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let own: &[&str] = match name.rsplit_once('.') {
                    Some((_, "rs")) => OWN_WAYS,
                    Some((_, "mjs" | "ts")) if name != "left-out.mjs" => OWN_WAYS_IN_SCRIPTS,
                    _ => continue,
                };
                let ways = ways_of(own, &fs::read_to_string(&entry).unwrap());
                found.extend(ways.into_iter().map(|way| format!("{name}: {way}")));
            }
        }
    }
    assert!(found.is_empty(), "left out without testkit::left_out or left-out.mjs: {found:?}");
}

const OWN_WAYS: &[&str] = &["println!(\"skipped", "#[ignore"];
/// Of node:test and of vitest: as a call, and as an option of the test.
const OWN_WAYS_IN_SCRIPTS: &[&str] =
    &[".skip(", "skip:", "skip }", ".skipIf(", ".runIf(", ".only(", "{ only"];

fn ways_of<'a>(own: &[&'a str], text: &str) -> Vec<&'a str> {
    own.iter().copied().filter(|way| text.contains(way)).collect()
}

/// The control: each way of leaving a test out is seen.
#[test]
fn a_test_that_is_left_out_in_silence_is_seen() {
    for silent in [
        "test('a page', { skip: Boolean(ONLY) }, async () => {",
        "test('a page', { skip }, async () => {",
        "test.skip('a page', () => {",
        "t.skip(`no browser`);",
        "test.skipIf(ONLY)('a page', () => {",
        "describe.only('a page', () => {",
    ] {
        assert_ne!(ways_of(OWN_WAYS_IN_SCRIPTS, silent), [] as [&str; 0], "{silent}");
    }
    let said = "if (ONLY) return leftOut(t, 'the German pages');";
    assert_eq!(ways_of(OWN_WAYS_IN_SCRIPTS, said), [] as [&str; 0]);
    assert_eq!(ways_of(OWN_WAYS, "#[ignore = \"slow\"]"), ["#[ignore"]);
}
