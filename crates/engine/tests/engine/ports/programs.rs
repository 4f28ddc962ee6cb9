//! Programs in the real cage: what they say is told while they run, what they write is kept, a stop ends them.

use crate::world::{PATIENCE, World, outside, postgres, shown, until, until_type};
use domain::{
    ApprovalDecision, CapabilityRef, Envelope, EnvelopeBody, EventBody, FilePath, Label, LiveBody,
    Permission, ResultStatus, RuleScope, Subject, UserRole,
};
use engine::{AgentFields, ApprovalAnswer, Change, FileLimits, NewRule, Principal};
use serde_json::{Value, json};
use store::Page;
use testkit::model::Reply;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

async fn world() -> World {
    with(|_| {}).await
}

/// An agent that may run programs without asking.
async fn with(change: impl FnOnce(&mut engine::Settings)) -> World {
    at(None, change).await
}

/// With its memory in a certain database.
async fn at(url: Option<String>, change: impl FnOnce(&mut engine::Settings)) -> World {
    let world = World::with(|setup| {
        setup.url = url;
        setup.settings.outside = outside(&[]);
        change(&mut setup.settings);
    })
    .await;
    let capabilities = Change::Set(vec![CapabilityRef::from("sandbox")]);
    let fields = AgentFields { capabilities, ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    for tool in ["bash", "run_python", "execute_code"] {
        permit(&world, tool).await;
    }
    world
}

async fn permit(world: &World, tool: &str) {
    let rule = NewRule {
        subject: Subject::User(world.user),
        tool: tool.to_owned(),
        action: Permission::Allow,
        scope: RuleScope::Always,
        arguments: None,
        expires_at: None,
        house: false,
    };
    world.engine().create_rule(&Principal::operator(world.user, UserRole::Owner), rule).await.unwrap();
}

fn path(text: &str) -> FilePath {
    text.parse().unwrap()
}

fn results(events: &[Envelope]) -> Vec<(ResultStatus, Value)> {
    let result = |event: &Envelope| match &event.body {
        EnvelopeBody::Durable(EventBody::ToolResult { status, content, .. }) => {
            Some((*status, serde_json::from_str(content).unwrap()))
        }
        _ => None,
    };
    events.iter().filter_map(result).collect()
}

/// One message of the agent with these calls, and what came of each.
async fn calls(world: &World, calls: &[(&'static str, Value)]) -> Vec<(ResultStatus, Value)> {
    world.model.script(Reply::calls(calls.to_vec()));
    world.model.script(Reply::text("Done."));
    results(&world.run("work").await)
}

async fn bash(world: &World, command: &str) -> Value {
    calls(world, &[("bash", json!({ "command": command }))]).await.remove(0).1
}

async fn file(world: &World, name: &str) -> Option<String> {
    let found = world.engine().file(world.user, world.session, path(name)).await.ok()?;
    Some(String::from_utf8(found.content).unwrap())
}

async fn put(world: &World, name: &str, content: &str, read_only: Option<bool>) {
    let (user, session) = (world.user, world.session);
    world.engine().write_file(user, session, path(name), content.as_bytes(), read_only).await.unwrap();
}

#[tokio::test]
async fn a_command_has_the_sessions_files_and_leaves_its_own() {
    let world = world().await;
    put(&world, "/notes/a.txt", "hello", None).await;
    put(&world, "/old.txt", "old", None).await;
    let told = bash(&world, "cat notes/a.txt; echo oops >&2; tr a-z A-Z < notes/a.txt > notes/b.txt; rm old.txt; mkdir -p x/y; echo 1 > x/y/z; exit 3").await;
    assert_eq!((&told["stdout"], &told["stderr"]), (&json!("hello"), &json!("oops\n")));
    assert_eq!((&told["exit_code"], &told["success"]), (&json!(3), &json!(false)));
    assert_eq!(
        (&told["files_written"], &told["files_deleted"]),
        (&json!(["/notes/b.txt", "/x/y/z"]), &json!(["/old.txt"]))
    );
    assert!(told["duration_ms"].is_u64());
    assert_eq!(file(&world, "/notes/b.txt").await.as_deref(), Some("HELLO"));
    assert_eq!(
        (file(&world, "/x/y/z").await.as_deref(), file(&world, "/old.txt").await),
        (Some("1\n"), None)
    );
    let told = bash(&world, "cat notes/b.txt; rm -r x; echo file > x").await;
    assert_eq!(told["stdout"], "HELLO", "the next call has what the last one wrote");
    assert_eq!(file(&world, "/x").await.as_deref(), Some("file\n"), "a file in the place of a folder");
    world.check(&["work", "work"]).await;
}

/// A program that was never started came to nothing that anybody would have to look for.
#[tokio::test]
async fn a_program_whose_files_cannot_be_read_is_not_started() {
    let world = world().await;
    put(&world, "/a.txt", "hello", None).await;
    let spoil =
        |tx: &mut store::Tx| tx.run("UPDATE session_files SET content = $1", store::args![vec![7_u8; 80]]);
    assert_eq!(bash(&world, "cat a.txt").await["stdout"], "hello", "the control");
    assert!(world.store.write(spoil).await.unwrap() > 0);
    let told = calls(&world, &[("bash", json!({ "command": "echo hello" }))]).await.remove(0);
    assert_eq!(told.0, ResultStatus::Error, "{told:?}");
    assert!(told.1.to_string().contains("nothing was run"), "{told:?}");
}

/// Live and later the page shows both streams in the order in which they came; the model is told two texts.
#[tokio::test]
async fn the_order_of_what_a_program_says_is_kept_for_people() {
    let world = world().await;
    let command = "echo one; sleep 0.2; echo oh >&2; sleep 0.2; echo two; sleep 0.2; echo no >&2; exit 1";
    world.model.script(Reply::calls(vec![("bash", json!({ "command": command }))]));
    world.model.script(Reply::text("Done."));
    let events = world.run("work").await;
    let told = events.iter().find_map(|event| match &event.body {
        EnvelopeBody::Durable(EventBody::ToolResult { order, .. }) => Some(order.clone()),
        _ => None,
    });
    assert_eq!(told, Some(vec![4, 3, 4, 3]));
    let (status, told) = results(&events).remove(0);
    assert_eq!(
        (status, &told["stdout"], &told["stderr"]),
        (ResultStatus::Error, &json!("one\ntwo\n"), &json!("oh\nno\n"))
    );
    let orders = world.messages().await.into_iter().map(|message| message.meta.order);
    let orders: Vec<_> = orders.filter(|order| !order.is_empty()).collect();
    assert_eq!(orders, [[4, 3, 4, 3]], "after a reload it is the same");
    let asked = world.model.last_request().unwrap().messages().last().unwrap().to_string();
    assert!(asked.contains("oh") && !asked.contains("order"), "{asked}");
    world.check(&["work"]).await;
}

/// It has run, and what it did outside is done, whether or not its files can be kept.
async fn runs_and_cannot_store_its_files(world: World, refuse: &[&'static str]) {
    for sql in refuse.iter().copied() {
        world.store.write(move |tx: &mut store::Tx| tx.run(sql, vec![])).await.unwrap();
    }
    let ran = calls(&world, &[("bash", json!({ "command": "echo paid; echo 1 > receipt.txt" }))]).await;
    let (status, told) = &ran[0];
    assert_eq!(*status, ResultStatus::Unknown, "{told}");
    let words = told["error"].as_str().unwrap();
    assert!(words.starts_with("outcome unknown") && words.contains("paid"), "{words}");
    assert_eq!(file(&world, "/receipt.txt").await, None);
    world.check(&["work"]).await;
}

#[tokio::test]
async fn a_program_whose_files_cannot_be_stored_has_an_unknown_outcome_and_is_heard() {
    let refuse =
        "CREATE TRIGGER refuse BEFORE UPDATE OF receipt ON calls BEGIN SELECT RAISE(ABORT, 'no'); END";
    runs_and_cannot_store_its_files(world().await, &[refuse]).await;
}

#[tokio::test]
async fn a_program_whose_files_postgres_cannot_store_has_an_unknown_outcome_and_is_heard() {
    let Some(url) = postgres().await else { return };
    let refuse = [
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'",
        "CREATE TRIGGER refuse BEFORE UPDATE OF receipt ON calls FOR EACH ROW EXECUTE FUNCTION refuse()",
    ];
    runs_and_cannot_store_its_files(at(Some(url), |_| {}).await, &refuse).await;
}

/// HERO-25, HERO-68: what came of an element goes back to the agent.
#[tokio::test]
async fn a_command_in_the_text_is_run_and_told_back() {
    let world = World::with(|setup| {
        setup.settings.outside = outside(&[]);
        setup.markup = domain::MarkupSettings::default();
    })
    .await;
    let capabilities = Change::Set(vec![CapabilityRef::from("sandbox")]);
    let fields = AgentFields { capabilities, ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    permit(&world, "bash").await;
    put(&world, "/sub/x", "", None).await;
    world.model.script(Reply::text("Look: <bash cwd=\"sub\" timeout=\"20\">pwd; ls</bash>"));
    world.model.script(Reply::text("Done."));
    world.run("work").await;
    let told = world.model.last_request().unwrap().messages().last().unwrap().to_string();
    assert!(
        told.contains("[@system:bash]") && told.contains("/workspace/sub") && told.contains('x'),
        "{told}"
    );
}

/// A failure is one everywhere: in the events, for the agent, in the text of the whole reply.
#[tokio::test]
async fn a_command_that_fails_is_told_as_a_failure() {
    let world = World::with(|setup| {
        setup.settings.outside = outside(&[]);
        setup.markup = domain::MarkupSettings::default();
    })
    .await;
    let capabilities = Change::Set(vec![CapabilityRef::from("sandbox")]);
    let fields = AgentFields { capabilities, ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    permit(&world, "bash").await;
    for (command, ends_well) in [("exit 3", false), ("sleep 9", false), ("true", true)] {
        world.model.script(Reply::text(format!("<bash timeout=\"1\">{command}</bash>")));
        world.model.script(Reply::text("Done."));
        let accepted = world.post("work").await;
        let lines = shown(&world.ended(accepted).await);
        let told = |start: &str| lines.iter().any(|line| line.starts_with(start));
        assert_eq!(told("tool_result bash Ok"), ends_well, "{lines:?}");
        assert_eq!(told("tool_result bash Error"), !ends_well, "{lines:?}");
        assert_eq!((told("element_result"), told("element_error")), (ends_well, !ends_well), "{lines:?}");
        let request = world.model.last_request().unwrap().messages().last().unwrap().to_string();
        assert_eq!(request.contains(" failed:"), !ends_well, "{request}");
        let reply = world.engine().reply(world.user, accepted.turn_id).await.unwrap();
        let status = if ends_well { "status=\"success\"" } else { "status=\"error\"" };
        assert!(reply.contains(status), "{reply}");
    }
    let native =
        [("bash", json!({ "command": "exit 3" })), ("bash", json!({ "command": "sleep 9", "timeout": 1 }))];
    let came = calls(&world, &native).await;
    assert!(came.iter().all(|(status, _)| *status == ResultStatus::Error), "{came:?}");
    // Whichever of the two ends first.
    assert!(came.iter().any(|(_, told)| told["exit_code"] == 3), "with all that is known of it: {came:?}");
}

#[tokio::test]
async fn python_and_other_languages_run() {
    let world = world().await;
    let one =
        async |name: &'static str, arguments: Value| calls(&world, &[(name, arguments)]).await.remove(0).1;
    let code = "import sys\nprint(sum(range(101)))\nprint('careful', file=sys.stderr)\nsys.exit(2)";
    assert_eq!(
        one("run_python", json!({ "code": code })).await["output"],
        "5050\nstderr:\ncareful\nExit code: 2."
    );
    let bash = json!({ "language": "bash", "code": "echo $((6 * 7))" });
    assert_eq!(one("execute_code", bash).await["stdout"], "42\n");
    let python = json!({ "language": "python", "code": "open('made.txt', 'w').write('by python')" });
    assert_eq!(one("execute_code", python).await["files_written"], json!(["/made.txt"]));
    assert_eq!(file(&world, "/made.txt").await.as_deref(), Some("by python"));
}

#[tokio::test]
async fn two_runs_of_one_message_do_not_lose_each_others_files() {
    let world = world().await;
    put(&world, "/list", "0\n", None).await;
    let append = |number: u32| {
        (
            "bash",
            json!({ "command": format!("cat list > /tmp/l; sleep 0.2; (cat /tmp/l; echo {number}) > list") }),
        )
    };
    calls(&world, &[append(1), append(2), append(3)]).await;
    let mut lines: Vec<String> = file(&world, "/list").await.unwrap().lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["0", "1", "2", "3"]);
}

/// Is anybody running who has this word among its arguments?
fn is_running(word: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
        .any(|line| String::from_utf8_lossy(&line).split('\0').any(|argument| argument == word))
}

async fn reached(what: &str, holds: impl Fn() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, waiting).await.is_ok(), "{what}");
}

/// EVERRUNS-30
#[tokio::test]
async fn output_is_told_while_it_comes_and_a_stop_ends_everybody() {
    let world = world().await;
    put(&world, "/letter", "theirs", None).await;
    world.model.script(Reply::calls([(
        "bash",
        json!({ "command": "echo begun; (sleep 86401.25 &) ; sleep 86401.25" }),
    )]));
    let accepted = world.post("work").await;
    let mut reader = world.follow_from(accepted.after).await;
    let events = until_type(&mut reader, "tool_output").await;
    let EnvelopeBody::Live(LiveBody::ToolOutput { delta, offset, .. }) = &events.last().unwrap().body else {
        panic!()
    };
    assert_eq!((delta.as_str(), *offset), ("begun\n", 0));
    assert_eq!(events.last().unwrap().cursor, reader.cursor(), "no cursor counts it");
    let mut late = world.follow_from(accepted.after).await;
    let again = until_type(&mut late, "tool_output").await;
    assert_eq!(
        again.last().unwrap().body,
        events.last().unwrap().body,
        "whoever comes late is told everything"
    );
    reached("nobody runs", || is_running("86401.25")).await;
    world.abort().await;
    let events = world.ended(accepted).await;
    let lines = shown(&events);
    assert!(lines.contains(&"turn_ended cancelled".to_owned()), "{lines:?}");
    let came = results(&events);
    let [(ResultStatus::Unknown, told)] = &came[..] else { panic!("{lines:?}") };
    assert_eq!(
        (&told["stdout"], &told["exit_code"]),
        (&json!("begun\n"), &Value::Null),
        "what was seen is kept"
    );
    assert!(told["error"].as_str().unwrap().contains("outcome unknown"), "{told}");
    let messages = world.messages().await;
    let result = messages.iter().find(|message| message.role == domain::Role::Tool).unwrap();
    assert_eq!(result.label, Label::WORST, "the letter may be in what it said");
    reached("somebody is left", || !is_running("86401.25")).await;
    world.check(&["work"]).await;
}

#[tokio::test]
async fn what_takes_too_long_is_ended_and_told() {
    let world = world().await;
    let endless = json!({ "code": "while True: pass", "timeout": 1 });
    let told = calls(&world, &[("run_python", endless)]).await;
    assert_eq!(told[0].0, ResultStatus::Error);
    assert_eq!(told[0].1["output"], "Process timed out after 1 seconds.");
    assert_eq!(told[0].1["exit_code"], Value::Null);
}

#[tokio::test]
async fn long_output_keeps_its_head_and_its_tail() {
    let world = world().await;
    let told = bash(&world, "echo first; head -c 300000 /dev/zero | tr '\\0' x; echo; echo last").await;
    let said = told["stdout"].as_str().unwrap();
    assert!(
        said.starts_with("first\n") && said.ends_with("last\n") && said.contains("left out"),
        "{said:.80}"
    );
    assert!(said.len() < 10_000);
}

/// EVERRUNS-31
#[tokio::test]
async fn what_has_no_room_is_an_error_that_names_the_files_and_changes_nothing() {
    let small = FileLimits { file_bytes: 10_000, session_bytes: 20_000, entries: 10 };
    let world = with(|settings| settings.files.session = small).await;
    put(&world, "/kept", "as it was", None).await;
    for (command, words) in [
        ("echo new > kept; head -c 15000 /dev/zero > big.bin", "/big.bin"),
        ("echo new > kept; for n in 1 2 3; do head -c 9000 /dev/zero > part$n; done", "/part3"),
        ("echo new > kept; for n in $(seq 20); do echo x > many$n; done", "/many1"),
    ] {
        let (status, told) = calls(&world, &[("bash", json!({ "command": command }))]).await.remove(0);
        let error = told["error"].as_str().unwrap();
        assert!(
            status == ResultStatus::Error && error.contains(words) && error.contains("none of the files"),
            "{error}"
        );
        assert_eq!(file(&world, "/kept").await.as_deref(), Some("as it was"));
    }
}

#[tokio::test]
async fn what_is_read_only_stays_and_what_is_no_file_is_told() {
    let world = world().await;
    put(&world, "/law", "as it is", Some(true)).await;
    let told = bash(&world, "echo changed > law; ln -s /etc/passwd link; mkfifo pipe; echo ok > fine").await;
    assert_eq!(file(&world, "/law").await.as_deref(), Some("as it is"));
    assert_eq!(told["files_written"], json!(["/fine"]));
    let not_kept = told["files_not_kept"].to_string();
    for name in ["/law", "/link", "/pipe"] {
        assert!(not_kept.contains(name), "{not_kept}");
    }
    bash(&world, "rm law").await;
    assert_eq!(file(&world, "/law").await.as_deref(), Some("as it is"));
}

#[tokio::test]
async fn known_secrets_are_in_no_result() {
    let world = with(|settings| settings.outside.secrets = vec!["canary-0123456789".into()]).await;
    put(&world, "/pasted", "key = canary-0123456789", None).await;
    let told = bash(&world, "cat pasted; tr 0-9 a-j < pasted").await;
    assert_eq!(told["stdout"], "key = [secret]key = canary-abcdefghij");
}

#[tokio::test]
async fn what_a_run_saw_is_in_what_it_says_and_writes() {
    let world = world().await;
    let label = async |name: &str| {
        world.engine().file_info(world.user, world.session, path(name)).await.unwrap().unwrap().label
    };
    bash(&world, "echo 1 > before").await;
    assert_eq!(label("/before").await, Label::TRUSTED_PRIVATE);
    put(&world, "/letter", "theirs", None).await;
    bash(&world, "echo 2 > after").await;
    assert_eq!(label("/after").await, Label::WORST, "the letter was in the cage");
    let messages = world.messages().await;
    let result = messages.iter().rfind(|message| message.role == domain::Role::Tool).unwrap();
    assert_eq!(result.label, Label::WORST, "and perhaps in what it said");
}

#[tokio::test]
async fn without_leave_a_person_is_asked_with_the_whole_command() {
    let world = World::with(|setup| setup.settings.outside = outside(&[])).await;
    let capabilities = Change::Set(vec![CapabilityRef::from("sandbox")]);
    let fields = AgentFields { capabilities, ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    world.model.script(Reply::calls([("bash", json!({ "command": "echo one && echo two" }))]));
    world.model.script(Reply::text("Done."));
    let accepted = world.post("work").await;
    let mut reader = world.follow_from(accepted.after).await;
    until(&mut reader, |event| event.type_name() == "approval_request").await;
    until_type(&mut reader, "agent_status").await;
    let asked = world.engine().approvals(world.user, Page::first(10)).await.unwrap().items.remove(0);
    assert_eq!(asked.shown[0].value, "echo one && echo two");
    let answer = ApprovalAnswer {
        decision: ApprovalDecision::Approve,
        scope: RuleScope::Once,
        digest: asked.digest.clone(),
        reason: None,
    };
    let (who, id) = (Principal::operator(world.user, UserRole::Owner), asked.id);
    world
        .house
        .on(move |engine| async move { engine.answer_approval(&who, id, answer).await })
        .await
        .unwrap();
    let told = results(&world.ended(accepted).await);
    assert_eq!(told[0].1["stdout"], "one\ntwo\n");
}

/// The run waits for a page, and whoever gives it out writes files first: so they are written while the program runs.
#[tokio::test]
async fn what_a_person_writes_while_a_program_runs_is_not_overwritten() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let world = with(|settings| settings.outside = outside(&[port])).await;
    world.adds_own().await;
    let both = async |words: &str| {
        put(&world, "/plan.md", words, None).await;
        put(&world, "/old.md", words, None).await;
    };
    both("old").await;
    // The control: nobody writes meanwhile.
    bash(&world, "printf its > plan.md; rm old.md").await;
    assert_eq!(file(&world, "/plan.md").await.as_deref(), Some("its"));
    assert_eq!(file(&world, "/old.md").await, None);
    both("old").await;
    let settings = json!({ "hosts": ["127.0.0.1"], "timeout_seconds": 120 }).as_object().unwrap().clone();
    let capabilities = Change::Set(vec![CapabilityRef { id: "sandbox".to_owned(), settings }]);
    let fields = AgentFields { capabilities, ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    let command = format!(
        "printf its > plan.md; printf its > own.md; rm old.md; \
         python3 -c \"import urllib.request as u; u.urlopen('http://127.0.0.1:{port}/', timeout=100).read()\""
    );
    let call = ("bash", json!({ "command": command, "timeout": 120 }));
    let made = [call];
    let (told, ()) = tokio::join!(calls(&world, &made), async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _request = stream.read(&mut [0; 4096]).await.unwrap();
        both("hers").await;
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await.unwrap();
    });
    let told = &told[0].1;
    assert_eq!(told["exit_code"], 0, "{told}");
    assert_eq!(file(&world, "/plan.md").await.as_deref(), Some("hers"), "{told}");
    assert_eq!(file(&world, "/old.md").await.as_deref(), Some("hers"));
    assert_eq!(file(&world, "/plan (from run).md").await.as_deref(), Some("its"));
    assert_eq!(told["files_written"], json!(["/own.md", "/plan (from run).md"]));
    let not_kept = told["files_not_kept"].to_string();
    for words in ["/plan.md", "/plan (from run).md", "/old.md", "it was changed while this program ran"] {
        assert!(not_kept.contains(words), "{not_kept}");
    }
}
