//! A week of harmless work is not drowned in questions.

use crate::world::{Street, World, outside, until};
use domain::{ApprovalDecision, CapabilityRef, EntryState, KnowledgeStore, RuleScope, UserRole};
use engine::{AgentFields, ApprovalAnswer, Change, Principal, SearchBackend, Searcher};
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
    let mut capabilities =
        ["web_fetch", "sandbox", "session_file_system", "stateless_todo_list", "knowledge"]
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
            // For the whole conversation, where that is offered.
            scope: if approval.scopes.contains(&RuleScope::Session) {
                RuleScope::Session
            } else {
                RuleScope::Once
            },
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

/// The agent writes it down.
fn remember(words: &str) -> (&'static str, Value) {
    ("manage_knowledge", json!({ "action": "upsert", "store": "memory", "content": words }))
}

/// EVERRUNS-32
#[tokio::test]
async fn a_harmless_week_asks_at_most_once_per_task() {
    let street = Street::with(PAGES).await;
    let world = world(&street).await;
    let fetch = |page: &str| ("web_fetch", json!({ "url": street.url(page), "as_markdown": true }));
    let write = |name: &str, words: &str| ("write_file", json!({ "path": name, "content": words }));
    let todo = json!({ "todos": [{ "content": "Pack", "activeForm": "Packing", "status": "in_progress" }] });
    let python = |code: &str| ("run_python", json!({ "code": code }));
    let week: [(&str, Steps, usize); 10] = [
        ("I wear size 42, remember that", vec![remember("Wears size 42.")], 0),
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
        ("Remember what you read", vec![remember("Leather lasts.")], 0),
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
    // What its person said is remembered; what came after a page waits for them, and nothing was asked for either.
    for (state, words) in [(EntryState::Kept, "Wears size 42."), (EntryState::Proposed, "Leather lasts.")] {
        let entries = world.engine().knowledge(world.user, (KnowledgeStore::Memory, state), Page::first(10));
        let entries = entries.await.unwrap().items;
        assert_eq!(entries.iter().map(|entry| entry.text.body.as_str()).collect::<Vec<_>>(), [words]);
    }
}

/// Hits of a search service for these words, as it answers them.
fn hits(street: &Street, words: &str, pages: &[&str]) -> (&'static str, &'static str) {
    let hits: Vec<Value> = pages
        .iter()
        .map(|page| json!({ "title": "A page", "url": street.url(page), "content": "about it" }))
        .collect();
    let body = json!({ "results": hits }).to_string();
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    (format!("/search?q={words}&format=json").leak(), answer.leak())
}

/// A house with a search service, and an agent that can do what people have agents do.
async fn busy_world(street: &Street, service: &Street) -> World {
    let base = format!("http://127.0.0.1:{}", service.port);
    let searcher = Searcher::new(SearchBackend::Searxng, Some(&base), None, None).unwrap();
    let reached = outside(&[street.port]);
    let world =
        World::with(|setup| setup.settings.outside = engine::Outside { searcher: Some(searcher), ..reached })
            .await;
    let mut capabilities = [
        "web_fetch",
        "web_search",
        "sandbox",
        "session_file_system",
        "stateless_todo_list",
        "doors",
        "knowledge",
    ]
    .map(CapabilityRef::from)
    .to_vec();
    capabilities[0].settings.insert("first_byte_seconds".to_owned(), json!(30));
    let fields = AgentFields { capabilities: Change::Set(capabilities), ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    world
}

/// Research, letters of others, drafts, mail, files, sums and searches, in a conversation a day. A careful person is asked
/// at most once for a task, and about nothing but what tells somebody something.
#[tokio::test]
async fn a_week_of_daily_use_asks_a_careful_person_at_most_once_per_task() {
    let street = Street::with(PAGES).await;
    let found = [hits(&street, "boots", &["/boots", "/prices"]), hits(&street, "hats", &["/prices"])];
    let service = Street::with(&found).await;
    let mut world = busy_world(&street, &service).await;
    let fetch = |page: &str| ("web_fetch", json!({ "url": street.url(page) }));
    let search = |words: &str| ("web_search", json!({ "query": words }));
    let read = |name: &str| ("read_file", json!({ "path": name }));
    let write = |name: &str, words: &str| ("write_file", json!({ "path": name, "content": words }));
    let python = |code: &str| ("run_python", json!({ "code": code }));
    let bash = |command: &str| ("bash", json!({ "command": command }));
    let mail = |words: &str| ("knock", json!({ "say": words }));
    let typed = |words: &str, page: &str| format!("{words} {}", street.url(page));
    let week: Vec<(&str, Vec<(String, Steps)>)> = vec![
        (
            "research",
            vec![
                (
                    "Which boots are good?".to_owned(),
                    vec![search("boots"), fetch("/boots"), fetch("/prices")],
                ),
                ("And hats?".to_owned(), vec![search("hats"), fetch("/prices")]),
                (typed("Read this, too:", "/boots"), vec![fetch("/boots")]),
                (
                    "Keep what you found".to_owned(),
                    vec![write("/boots.md", "Leather lasts."), read("/boots.md")],
                ),
            ],
        ),
        (
            "letters",
            vec![
                ("What does the letter say?".to_owned(), vec![read("/letter.txt")]),
                ("Draft an answer".to_owned(), vec![write("/answer.md", "Dear school, yes.")]),
                ("Remember what they want".to_owned(), vec![remember("The school wants an answer.")]),
                ("Shorter, please".to_owned(), vec![read("/answer.md"), write("/answer.md", "Yes.")]),
                ("Send it".to_owned(), vec![read("/answer.md"), mail("Yes.")]),
            ],
        ),
        (
            "sums",
            vec![
                (
                    "Add up the invoices".to_owned(),
                    vec![read("/letter.txt"), python("print(120 + 80)"), write("/sum.md", "200")],
                ),
                ("And the mean".to_owned(), vec![python("print((120 + 80) / 2)")]),
                ("Count the words".to_owned(), vec![bash("wc -w letter.txt"), bash("ls")]),
                ("Tidy up".to_owned(), vec![bash("rm sum.md"), ("list_directory", json!({}))]),
            ],
        ),
        (
            "prices",
            vec![
                (
                    typed("What do they cost at", "/prices"),
                    vec![fetch("/prices"), python("print(min([120, 80, 95]))")],
                ),
                (
                    "Compare with the shop next door".to_owned(),
                    vec![fetch("/boots"), write("/best.md", "80")],
                ),
                (
                    "Plan the shopping".to_owned(),
                    vec![(
                        "write_todos",
                        json!({ "todos": [{ "content": "Buy", "activeForm": "Buying", "status": "pending" }] }),
                    )],
                ),
            ],
        ),
        (
            "mail",
            vec![
                ("Tell Grace that we come".to_owned(), vec![mail("We come.")]),
                ("And Bob".to_owned(), vec![mail("We come, Bob.")]),
                ("Remember that they like cake".to_owned(), vec![remember("Grace and Bob like cake.")]),
                ("When do we leave?".to_owned(), vec![]),
            ],
        ),
    ];
    let (mut tasks, mut asked) = (0, 0);
    for (day, conversation) in week {
        let new = engine::NewSession::with(world.agent);
        world.session = world.engine().create_session(world.user, new).await.unwrap().id;
        let letter = "/letter.txt".parse().unwrap();
        world.engine().write_file(world.user, world.session, letter, b"120 and 80", None).await.unwrap();
        for (task, steps) in conversation {
            let times = does(&world, &task, &steps).await;
            println!("{day}: asked {times} times: {task}");
            assert!(times <= 1, "{task}");
            (tasks, asked) = (tasks + 1, asked + times);
        }
    }
    println!("asked {asked} times in {tasks} tasks");
    assert!(asked * 2 <= tasks, "asked {asked} times in {tasks} tasks");
    assert!(street.asked().len() >= 6 && service.asked().len() == 2, "everything was really done");
}
