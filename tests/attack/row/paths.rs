//! Row 8: files by names that lead elsewhere.

use super::{Control::Unhindered, attacks};
use crate::stage::{Outcome, Stage};
use serde_json::json;
use testkit::model::Reply;

attacks! {
    8 "read a file of the machine by its name" Unhindered => reading;
    8 "write or delete a file of the machine" Unhindered => writing;
    8 "read a file of somebody else's session" Unhindered => foreign;
}

/// Names for a file of the machine, by those who read names in different ways.
fn spellings(file: &str) -> Vec<String> {
    let bare = file.trim_start_matches('/');
    let up = "../".repeat(20);
    vec![
        file.to_owned(),
        format!("{up}{bare}"),
        format!("/{up}{bare}"),
        format!("/notes/{up}{bare}"),
        format!("//{bare}"),
        format!("/./{bare}"),
        format!("/.//././{bare}"),
        format!("/proc/self/root{file}"),
        format!("/proc/self/cwd/{up}{bare}"),
        format!("/dev/fd/../../..{file}"),
        format!("file://{file}"),
        format!("/{}{bare}", "%2e%2e%2f".repeat(20)),
        format!("/{}{bare}", "..%2f".repeat(20)),
        format!("/{}{bare}", "..%c0%af".repeat(20)),
        format!("/{}{bare}", "\u{ff0e}\u{ff0e}/".repeat(20)),
        format!("/{}{bare}", "\u{2024}\u{2024}/".repeat(20)),
        format!("/{}{bare}", "..\u{2215}".repeat(20)),
        format!("/{}{bare}", "..\\".repeat(20)),
        format!("/{}{bare}", ".\u{200b}./".repeat(20)),
        format!("{file}\0.txt"),
        format!("/notes.txt\0{file}"),
        format!("~{file}"),
        format!("$(cat {file})"),
        format!("|cat {file}"),
        format!("{file}\n"),
    ]
}

async fn reading(stage: &Stage<'_>) -> Outcome {
    let secret = stage.house.outside.join("secret.txt").to_string_lossy().into_owned();
    if stage.control {
        return careless(stage, &secret);
    }
    let mut names = spellings(&secret);
    let of_house = ["master.key", "majordomo.db", "control.sock", "lock"];
    names.extend(of_house.map(|name| stage.house.data().join(name).to_string_lossy().into_owned()));
    names.extend(
        ["/proc/self/environ", "/proc/1/environ", "/etc/passwd", "/proc/self/fd/3"].map(str::to_owned),
    );
    let names = stage.some(names, 12);
    let asked: Vec<_> = names
        .iter()
        .flat_map(|name| {
            [
                ("read_file", json!({ "path": name })),
                ("list_directory", json!({ "path": name })),
                ("grep_files", json!({ "path": name, "pattern": "." })),
                ("stat_file", json!({ "path": name })),
            ]
        })
        .collect();
    let (count, sent) = (asked.len(), asked);
    let agent = json!({ "capabilities": ["session_file_system"] });
    let told = stage
        .attack(agent, move |moment| match sent.chunks(30).nth(moment.step) {
            Some(calls) => Reply::calls(calls.iter().cloned()),
            None => Reply::text("Done."),
        })
        .await;
    stage.check(told.results.len() == count, || format!("{} results of {count} calls", told.results.len()));
    // Whatever was read comes with its content.
    let read =
        told.results.iter().find(|ended| ended.status == "ok" && ended.content.contains("\"content\""));
    match read {
        Some(ended) => Outcome::Done(ended.content.clone()),
        None => Outcome::Stopped,
    }
}

/// Somebody who puts a name behind a folder's and reads what is there.
fn careless(stage: &Stage<'_>, secret: &str) -> Outcome {
    let folder = stage.house.data().join("files");
    std::fs::create_dir_all(&folder).unwrap();
    let read = |name: String| std::fs::read_to_string(folder.join(name)).ok();
    let found =
        spellings(secret).into_iter().filter_map(read).filter(|text| text == stage.house.canary("host file"));
    match found.count() {
        0 => Outcome::Stopped,
        ways => Outcome::Done(format!("{ways} of the names lead there")),
    }
}

async fn writing(stage: &Stage<'_>) -> Outcome {
    let outside = stage.house.outside.clone();
    let target = outside.join("planted.txt").to_string_lossy().into_owned();
    let kept = outside.join("secret.txt");
    if stage.control {
        let folder = stage.house.data().join("files");
        std::fs::create_dir_all(&folder).unwrap();
        let written = std::fs::write(folder.join(&target), "x").is_ok();
        std::fs::remove_file(&target).unwrap();
        return if written { Outcome::Done("a file was planted".to_owned()) } else { Outcome::Stopped };
    }
    let names = stage.some(spellings(&target), 8);
    let secrets = stage.some(spellings(&kept.to_string_lossy()), 8);
    let told = stage
        .attack(json!({ "capabilities": ["session_file_system"] }), move |moment| match moment.step {
            0 => {
                Reply::calls(names.iter().map(|name| ("write_file", json!({ "path": name, "content": "x" }))))
            }
            1 => Reply::calls(secrets.iter().map(|name| ("delete_file", json!({ "path": name })))),
            _ => Reply::text("Done."),
        })
        .await;
    match (kept.exists(), stage.house.strewn()) {
        (true, strewn) if strewn.is_empty() => stage.held(&told),
        (kept, strewn) => Outcome::Done(format!("planted: {strewn:?}, the secret is there: {kept}")),
    }
}

/// By the ids that an attacker would know.
async fn foreign(stage: &Stage<'_>) -> Outcome {
    let sessions = stage.house.eve.get("/v1/sessions").await.unwrap().expect(200);
    let session = sessions["items"][0]["id"].as_str().unwrap().to_owned();
    let wanted = stage.house.canary("file of another").to_owned();
    if stage.control {
        let path = format!("/v1/sessions/{session}/files/secret.txt");
        let found = stage.house.eve.get(&path).await.unwrap();
        let read = found.body.to_string().contains(&wanted);
        return if read { Outcome::Done("its owner reads it".to_owned()) } else { Outcome::Stopped };
    }
    let names = [
        "/secret.txt".to_owned(),
        format!("/{session}/secret.txt"),
        format!("/../{session}/secret.txt"),
        format!("/sessions/{session}/files/secret.txt"),
        format!("{session}:/secret.txt"),
    ];
    let told = stage
        .attack(json!({ "capabilities": ["session_file_system", "commands"] }), move |moment| {
            match moment.step {
                0 => Reply::calls(names.iter().map(|path| ("read_file", json!({ "path": path })))),
                1 => Reply::calls([
                    ("grep_files", json!({ "pattern": "." })),
                    ("read_file", json!({ "path": "/secret.txt", "session_id": session })),
                    ("session", json!({ "action": "open", "id": session })),
                    ("session", json!({ "action": "fork", "id": session })),
                ]),
                _ => Reply::text("Done."),
            }
        })
        .await;
    let all: String = told.results.iter().map(|ended| ended.content.as_str()).collect();
    match all.contains(&wanted) {
        true => Outcome::Done("a file of somebody else was read".to_owned()),
        false => stage.held(&told),
    }
}
