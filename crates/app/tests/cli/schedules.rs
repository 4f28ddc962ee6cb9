//! What agents do at set times, as a person at a terminal says and sees it.

use super::{house, refused};
use serde_json::Value;
use testkit::{
    model::{ModelServer, Reply},
    program::Program,
};

async fn house_of_ann(program: Program) -> Program {
    let add = ["user", "add", "ann", "--role", "owner", "--password-stdin", "--time-zone", "Europe/Athens"];
    program.must(&add, "long enough").await;
    program
}

async fn json(program: &Program, call: &[&str]) -> Value {
    serde_json::from_str(&program.must(&[call, &["--json"]].concat(), "").await).unwrap()
}

#[tokio::test]
async fn a_schedule_is_said_in_words_and_said_back_with_its_zone() {
    let (_root, program) = house();
    let program = house_of_ann(program).await;
    let none = program.must(&["schedule", "list"], "").await;
    assert_eq!(none, "No schedules yet. `majordomo schedule add --help` shows how to add one.");
    let added =
        program.must(&["schedule", "add", "The news.", "--at", "08:00", "--on", "weekdays"], "").await;
    assert!(added.starts_with("Schedule 1 was added: At 08:00"), "{added}");
    assert!(added.contains(" 08:00 (Europe/Athens)."), "the next time, by the clock of the account: {added}");
    let once =
        ["schedule", "add", "Call mum.", "--once", "2099-12-24 18:00", "--place", "fresh", "--max-runs", "1"];
    let once = program.must(&once, "").await;
    assert!(once.contains("Next: Thu 24 Dec 2099 18:00 (Europe/Athens)."), "{once}");
    let made = &json(&program, &["schedule", "show", "2"]).await;
    assert_eq!((&made["when"]["at"], &made["place"]), (&"2099-12-24T16:00:00.000Z".into(), &"fresh".into()));
    let zone = ["schedule", "add", "Rent.", "--cron", "0 9 1 * *", "--zone", "Asia/Tokyo", "--skip-missed"];
    program.must(&zone, "").await;
    let made = json(&program, &["schedule", "show", "3"]).await;
    assert_eq!((&made["when"]["zone"], &made["missed"]), (&"Asia/Tokyo".into(), &"skip".into()));

    let list = program.must(&["schedule", "list"], "").await;
    for word in ["Last run", "The news.", "Call mum.", "(Asia/Tokyo)", "none yet", "active"] {
        assert!(list.contains(word), "{word} is not in: {list}");
    }
    let paused = program.must(&["schedule", "pause", "1"], "").await;
    assert!(paused.starts_with("Schedule 1 is paused: ") && !paused.contains("Next"), "{paused}");
    assert!(program.must(&["schedule", "show", "1"], "").await.contains("State     paused"));
    let resumed = program.must(&["schedule", "resume", "#1"], "").await;
    assert!(resumed.starts_with("Schedule 1 comes again: ") && resumed.contains("Next: "), "{resumed}");
    assert_eq!(program.must(&["schedule", "runs", "1"], "").await, "It has not come yet.");
    assert_eq!(program.must(&["schedule", "rm", "1"], "").await, "Schedule 1 was deleted: The news.");
    assert_eq!(json(&program, &["schedule", "list"]).await["total"], 2);
}

#[tokio::test]
async fn what_cannot_be_says_why_and_how_it_is_said() {
    let (_root, program) = house();
    let program = house_of_ann(program).await;
    let add = |more: &[&'static str]| [&["schedule", "add", "The news."], more].concat();
    for (call, parts) in [
        (add(&["--at", "8 o'clock"]), &["is not a time of the day", "--at 08:00"][..]),
        (add(&["--at", "08:00", "--on", "someday"]), &["is not a day of the week", "mon,thu"]),
        (add(&["--every", "6"]), &["is not a duration", "--every 6h"]),
        (add(&["--once", "tomorrow"]), &["is not a day and time", "2026-12-24 18:00"]),
        (add(&["--cron", "never"]), &["A cron pattern has five fields"]),
        (add(&["--cron", "0 8 * * *", "--zone", "Mars/Olympus"]), &["no time zone", "Europe/Athens"]),
        (add(&["--at", "08:00", "--agent", "nemo"]), &["no agent called `nemo`", "Your agents are: main"]),
        (vec!["schedule", "pause", "7"], &["no schedule `7`", "majordomo schedule list"]),
        (vec!["schedule", "rm", "schedule_nonsense"], &["majordomo schedule list"]),
    ] {
        refused(&program.run(&call, "").await.unwrap(), 1, parts);
    }
    for call in [
        add(&[]),
        add(&["--at", "08:00", "--every", "6h"]),
        add(&["--on", "mon", "--every", "6h"]),
        add(&["--at", "08:00", "--session", "session_1", "--agent", "main"]),
        vec!["schedule", "runs", "1", "--limit", "101"],
    ] {
        refused(&program.run(&call, "").await.unwrap(), 2, &["--help"]);
    }
    assert_eq!(json(&program, &["schedule", "list"]).await["total"], 0);
    let help = program.must(&["schedule", "add", "--help"], "").await;
    for word in ["--at", "--on", "--every", "--once", "--cron", "--zone", "--skip-missed", "Examples:"] {
        assert!(help.contains(word), "{word} is not in: {help}");
    }
}

#[tokio::test]
async fn a_run_and_its_conversation_are_seen_in_the_terminal() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    model.respond(|_| Reply::text("The town has a new bridge."));
    let program = house_of_ann(program.model(&model.url())).await;
    let key = program.must(&["api-key", "new"], "").await;
    let server = program.serve().await.unwrap();
    program
        .must(&["schedule", "add", "The news.\nOnly what is new.", "--once", "2026-01-01 08:00"], "")
        .await;
    let made = json(&program, &["schedule", "show", "1"]).await;
    let session = made["session_id"].as_str().unwrap();
    let mut events = server.client(&key).follow(session, Some("0")).await.unwrap();
    while events.next().await.unwrap().expect("the run ends before the stream does").event != "turn_ended" {}
    let shown = program.must(&["schedule", "runs", "1"], "").await;
    for word in ["Thu 1 Jan 2026 08:00 (Europe/Athens)", "done", session] {
        assert!(shown.contains(word), "{word} is not in: {shown}");
    }
    let shown = program.must(&["schedule", "show", "1"], "").await;
    for word in ["Schedule 1: The news.\n", "State     ended", "Last runs done", "Only what is new."] {
        assert!(shown.contains(word), "{word} is not in: {shown}");
    }
}
