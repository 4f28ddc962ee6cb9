//! Files of a session, as agents and people use them.

use crate::world::World;
use domain::{CapabilityRef, FilePath};
use engine::{AgentFields, Change, Error, Fork};
use serde_json::{Value, json};
use store::Page;
use testkit::model::Reply;

fn path(text: &str) -> FilePath {
    text.parse().unwrap()
}

fn reference(id: &str, settings: Value) -> CapabilityRef {
    CapabilityRef { id: id.to_owned(), settings: settings.as_object().cloned().unwrap_or_default() }
}

impl World {
    pub async fn equip(&self, capabilities: Vec<CapabilityRef>) -> engine::Result<()> {
        let fields = AgentFields { capabilities: Change::Set(capabilities), ..AgentFields::default() };
        self.engine().change_agent(&self.me(), self.agent, fields).await.map(|_| ())
    }

    /// Lets the agent make these calls in one message. Gives what the model was told of each.
    async fn calls(&self, calls: &[(&str, Value)]) -> Vec<Value> {
        self.model.script(Reply::text("").then_calls(calls.to_vec()));
        self.model.script(Reply::text("Done."));
        self.run("Go").await;
        let told = self.model.last_request().unwrap().results_since_user();
        told.iter().map(|text| serde_json::from_str(text).unwrap()).collect()
    }

    async fn put(&self, text: &str, content: &[u8]) {
        self.engine().write_file(self.user, self.session, path(text), content, None).await.unwrap();
    }
}

async fn with_files() -> World {
    let world = World::new().await;
    world.equip(vec![CapabilityRef::from("session_file_system")]).await.unwrap();
    world
}

#[tokio::test]
async fn an_agent_keeps_files_from_one_message_to_the_next() {
    let world = with_files().await;
    let wrote =
        world.calls(&[("write_file", json!({ "path": "/a/b.txt", "content": "hello\nworld" }))]).await;
    assert_eq!(wrote[0], json!({ "path": "/a/b.txt", "size_bytes": 11, "created": true }));
    let told = world
        .calls(&[
            ("read_file", json!({ "path": "/a/b.txt" })),
            ("list_directory", json!({ "path": "/a/" })),
            ("grep_files", json!({ "pattern": "^w", "path_pattern": "*.txt" })),
            ("stat_file", json!({ "path": "/a" })),
        ])
        .await;
    assert_eq!(told[0]["content"], "hello\nworld");
    assert_eq!((&told[1]["count"], &told[1]["entries"][0]["name"]), (&json!(1), &json!("b.txt")));
    assert_eq!(told[2]["matches"], json!([{ "path": "/a/b.txt", "line_number": 2, "line": "world" }]));
    assert_eq!((&told[3]["exists"], &told[3]["is_directory"]), (&json!(true), &json!(true)));
    let found = world.engine().file(world.user, world.session, path("/a/b.txt")).await.unwrap();
    assert_eq!(found.content, b"hello\nworld", "the person sees the same");
    world.check(&["Go", "Go"]).await;
}

/// EVERRUNS-08: a folder that is not empty stays, the loop goes on.
#[tokio::test]
async fn what_goes_wrong_is_told_and_the_turn_goes_on() {
    let world = with_files().await;
    world.put("/a/b", b"x").await;
    let told = world
        .calls(&[
            ("delete_file", json!({ "path": "/a" })),
            ("read_file", json!({ "path": "/none" })),
            ("write_file", json!({ "path": "/../etc/passwd", "content": "" })),
            ("grep_files", json!({ "pattern": "(a{1000}){1000}" })),
        ])
        .await;
    for (result, words) in told.iter().zip(["not empty", "no file or folder", "`..`", "too large"]) {
        assert!(result["error"].as_str().unwrap().contains(words), "{result}");
    }
    let told = world.calls(&[("delete_file", json!({ "path": "/a", "recursive": true }))]).await;
    assert_eq!(told[0], json!({ "path": "/a", "deleted": true }));
}

/// EVERRUNS-20
#[tokio::test]
async fn settings_are_checked_when_the_agent_is_saved_and_kept_when_it_runs() {
    let world = World::new().await;
    let refused = world.equip(vec![reference("session_file_system", json!({ "readonly": true }))]).await;
    match refused.unwrap_err() {
        Error::Invalid { code: "bad_capabilities", detail } => {
            assert!(detail.contains("`readonly`"), "{detail}")
        }
        other => panic!("{other:?}"),
    }
    world.equip(vec![reference("session_file_system", json!({ "read_only": true }))]).await.unwrap();
    let told = world.calls(&[("write_file", json!({ "path": "/x", "content": "" }))]).await;
    assert!(told[0]["error"].as_str().unwrap().contains("may only read"), "{told:?}");
    let prompt = world.model.last_request().unwrap().messages()[0].to_string();
    assert!(prompt.contains("neither write nor delete"), "{prompt}");
    assert_eq!(world.engine().file_info(world.user, world.session, path("/x")).await.unwrap(), None);
}

#[tokio::test]
async fn a_fork_has_copies_of_the_files() {
    let world = with_files().await;
    world.put("/a/b", b"before").await;
    let (user, session) = (world.user, world.session);
    let work = |engine: engine::Engine| async move {
        engine.fork_session(user, session, Fork::default(), None).await
    };
    let fork = world.house.on(work).await.unwrap();
    world.put("/a/b", b"after").await;
    let copy = world.engine().file(user, fork.id, path("/a/b")).await.unwrap();
    assert_eq!(copy.content, b"before");
}

#[tokio::test]
async fn a_long_folder_is_listed_in_pieces() {
    let world = with_files().await;
    for number in 0..7 {
        world.put(&format!("/f/{number}"), b"").await;
    }
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let page = Page { limit: 3, cursor };
        let page = world.engine().files(world.user, world.session, path("/f"), page).await.unwrap();
        assert_eq!(page.total, 7);
        seen.extend(page.items.into_iter().map(|info| info.name));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["0", "1", "2", "3", "4", "5", "6"]);
    let bad = Page { limit: 3, cursor: Some("nonsense".to_owned()) };
    let refused = world.engine().files(world.user, world.session, path("/f"), bad).await;
    assert!(matches!(refused, Err(Error::Invalid { code: "bad_cursor", .. })));
}

/// EVERRUNS-25
/// ATTACK: a file holds a key of this server where the line that was found is cut, and a pattern asks for its characters one by one.
/// THREAT[secret-01]
#[tokio::test]
async fn no_half_of_a_secret_is_found_in_a_file() {
    const KEY: &str = "canary-0123456789abcdefghijklmnopqrstuvwxyz";
    let world = World::with(|setup| setup.settings.outside.secrets = vec![KEY.into()]).await;
    world.equip(vec![CapabilityRef::from("session_file_system")]).await.unwrap();
    let (dots, many) = (".".repeat(190), ".".repeat(300));
    // The first line is cut after 200 characters, the second one 80 before what was found.
    world
        .put(
            "/keys.txt",
            format!("{dots}{KEY} first\n{many}{KEY}{}needle\nlast\n", ".".repeat(60)).as_bytes(),
        )
        .await;
    let told = world
        .calls(&[
            ("grep_files", json!({ "pattern": "^\\.{190}" })),
            ("grep_files", json!({ "pattern": "needle" })),
            ("grep_files", json!({ "pattern": "canary-01" })),
            ("grep_files", json!({ "pattern": "last" })),
        ])
        .await;
    let lines: Vec<&str> =
        told[..2].iter().map(|found| found["matches"][0]["line"].as_str().unwrap()).collect();
    assert_eq!(lines[0], format!("{dots}[secret]**"));
    assert_eq!(lines[1], format!("…{}{}needle", "*".repeat(15), ".".repeat(60)));
    assert_eq!(told[2]["matches"], json!([]), "a search does not say where a key stands");
    assert_eq!(
        told[3]["matches"],
        json!([{ "path": "/keys.txt", "line_number": 3, "line": "last" }]),
        "the control"
    );
}

#[tokio::test]
async fn a_search_ends_when_its_time_is_over() {
    let world = World::with(|setup| setup.settings.files.search_time = std::time::Duration::ZERO).await;
    world.put("/x", b"needle").await;
    let grep = capability::Grep { pattern: "needle".to_owned(), path_pattern: None, most: 10 };
    let found = world.engine().grep_files(world.user, world.session, grep).await.unwrap();
    assert_eq!((found.matches.len(), found.truncated), (0, true));
}

/// Two calls of one message write the same file: one of them made it.
///
/// EVERRUNS-24
#[tokio::test]
async fn calls_at_the_same_time_tell_the_truth() {
    let world = with_files().await;
    let write = |content: &str| ("write_file", json!({ "path": "/x/y", "content": content }));
    let told = world.calls(&[write("one"), write("two"), write("three")]).await;
    let made = told.iter().filter(|result| result["created"] == true).count();
    assert_eq!(made, 1, "{told:?}");
}

/// Old lists are shortened in what the model is told, and stay as they are in the transcript.
///
/// EVERRUNS-23
#[tokio::test]
async fn of_several_todo_lists_the_model_is_told_the_newest() {
    let world = World::new().await;
    world.equip(vec![CapabilityRef::from("stateless_todo_list")]).await.unwrap();
    let todos =
        |word: &str| json!({ "todos": [{ "content": word, "activeForm": word, "status": "in_progress" }] });
    world.calls(&[("write_todos", todos("first-list"))]).await;
    world.calls(&[("write_todos", todos("second-list"))]).await;
    let request = json!(world.model.last_request().unwrap().messages()).to_string();
    assert!(!request.contains("first-list"), "{request}");
    assert!(request.contains("second-list"));
    let stored = serde_json::to_string(&world.messages().await).unwrap();
    assert!(stored.contains("first-list"));
    world.model.assert_clean();
}

/// EVERRUNS-06, with the words of the engine around it.
#[tokio::test]
async fn a_wrong_task_is_named_to_the_model() {
    let world = World::new().await;
    world.equip(vec![CapabilityRef::from("stateless_todo_list")]).await.unwrap();
    let task = |status: &str| json!({ "content": "x", "activeForm": "x", "status": status });
    let told = world.calls(&[("write_todos", json!({ "todos": [task("pending"), task("done")] }))]).await;
    assert!(told[0]["error"].as_str().unwrap().starts_with("task 2:"), "{told:?}");
}
