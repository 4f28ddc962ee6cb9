//! A week of harmless work is not drowned in questions.

use crate::world::{Street, World, outside, until};
use domain::{ApprovalDecision, CapabilityRef, RuleScope, UserRole};
use engine::{AgentFields, ApprovalAnswer, Change, Principal};
use serde_json::{Value, json};
use store::Page;
use testkit::model::Reply;

const PAGES: &[(&str, &str)] = &[
    (
        "/boots",
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 22\r\n\r\n<p>Leather lasts.</p>\r\n",
    ),
    ("/prices", "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 9\r\n\r\n120,80,95"),
];

async fn world(street: &Street) -> World {
    let world = World::with(|setup| setup.settings.outside = outside(&[street.port])).await;
    let mut capabilities = ["web_fetch", "sandbox", "session_file_system", "stateless_todo_list"]
        .map(CapabilityRef::from)
        .to_vec();
    // A busy machine is not what is tried here.
    capabilities[0].settings.insert("first_byte_seconds".to_owned(), json!(30));
    let fields = AgentFields { capabilities: Change::Set(capabilities), ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    world
}

/// Says yes for this session to whatever is asked; tells how often that was.
async fn does(world: &World, task: &str, steps: &[(&'static str, Value)]) -> usize {
    for step in steps {
        world.model.script(Reply::calls([step.clone()]));
    }
    world.model.script(Reply::text("Done."));
    let accepted = world.post(task).await;
    let mut reader = world.follow_from(accepted.after).await;
    let mut asked = 0;
    loop {
        let waits = |event: &domain::Envelope| matches!(event.type_name(), "approval_request" | "turn_ended");
        if until(&mut reader, waits).await.last().unwrap().type_name() == "turn_ended" {
            return asked;
        }
        asked += 1;
        until(&mut reader, |event| event.type_name() == "agent_status").await;
        let approval = world.engine().approvals(world.user, Page::first(10)).await.unwrap().items.remove(0);
        let answer = ApprovalAnswer {
            decision: ApprovalDecision::Approve,
            scope: RuleScope::Session,
            digest: approval.digest.clone(),
            reason: None,
        };
        let (who, id) = (Principal::operator(world.user, UserRole::Owner), approval.id);
        world
            .house
            .on(move |engine| async move { engine.answer_approval(&who, id, answer).await })
            .await
            .unwrap();
    }
}

/// Calls, one per message of the agent.
type Steps = Vec<(&'static str, Value)>;

/// EVERRUNS-32
#[tokio::test]
async fn a_harmless_week_asks_at_most_once_per_task() {
    let street = Street::with(PAGES).await;
    let world = world(&street).await;
    let fetch = |page: &str| ("web_fetch", json!({ "url": street.url(page), "as_markdown": true }));
    let write = |name: &str, words: &str| ("write_file", json!({ "path": name, "content": words }));
    let todo = json!({ "todos": [{ "content": "Pack", "activeForm": "Packing", "status": "in_progress" }] });
    let python = |code: &str| ("run_python", json!({ "code": code }));
    let week: [(&str, Steps, usize); 8] = [
        ("Read about boots and sum it up", vec![fetch("/boots"), fetch("/prices")], 1),
        ("Plan the journey", vec![("write_todos", todo.clone()), ("write_todos", todo)], 0),
        ("Write a packing list", vec![write("/list.md", "- boots"), write("/list.md", "- boots\n- map")], 0),
        (
            "What do three pairs cost?",
            vec![python("print(120 + 80 + 95)"), python("print((120 + 80 + 95) / 3)")],
            1,
        ),
        (
            "Compare prices again",
            vec![fetch("/prices"), python("print(min([120, 80, 95]))"), write("/best.md", "80")],
            0,
        ),
        (
            "Count the words of the list",
            vec![("bash", json!({ "command": "wc -w list.md" })), ("bash", json!({ "command": "ls" }))],
            1,
        ),
        ("Tidy up", vec![("bash", json!({ "command": "rm best.md" })), ("list_directory", json!({}))], 0),
        ("Read about boots once more", vec![fetch("/boots"), write("/boots.md", "Leather lasts.")], 0),
    ];
    for (task, steps, asked) in &week {
        assert_eq!(does(&world, task, steps).await, *asked, "{task}");
    }
    assert_eq!(street.asked().len(), 4, "everything was really done");
    let files = world
        .engine()
        .files(world.user, world.session, domain::FilePath::root(), Page::first(10))
        .await
        .unwrap();
    let names: Vec<&str> = files.items.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["boots.md", "list.md"]);
}
