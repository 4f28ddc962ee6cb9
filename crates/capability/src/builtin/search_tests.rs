use super::*;
use crate::{PastSearch, Ports, fixture};
use domain::{MessageId, Role};
use std::sync::Mutex;
use uuid::Uuid;

struct Noted {
    asked: Mutex<Vec<RecallQuery>>,
    answer: Result<Recalled, RecallError>,
}

#[async_trait]
impl PastSearch for Noted {
    async fn look_for(&self, query: RecallQuery) -> Result<Recalled, RecallError> {
        self.asked.lock().unwrap().push(query);
        self.answer.clone()
    }
}

async fn asked(
    answer: Result<Recalled, RecallError>,
    arguments: Value,
) -> (Result<Value, ToolError>, Vec<RecallQuery>) {
    let noted = Arc::new(Noted { asked: Mutex::default(), answer });
    let ports = Ports::default().with_recall(noted.clone());
    let context = ToolContext { ports, ..fixture::context() };
    let said = DbSearch.run(&context, arguments).await;
    let asked = noted.asked.lock().unwrap().clone();
    (said, asked)
}

fn entry(store: KnowledgeStore, title: Option<&str>) -> FoundEntry {
    let title = title.map(str::to_owned);
    let (number, updated_at, line) = (3, fixture::NOW, "Bins go out.".to_owned());
    FoundEntry { store, number, updated_at, title, line, waits: false, is_untrusted: false }
}

fn message(is_untrusted: bool) -> FoundMessage {
    let id = MessageId::from_uuid(Uuid::from_u128(1));
    FoundMessage { id, at: fixture::NOW, role: Role::User, line: "The bins?".to_owned(), is_untrusted }
}

/// STAVROBOT-38
#[tokio::test]
async fn what_was_found_is_said_to_the_letter() {
    let (at, id) = (fixture::NOW, MessageId::from_uuid(Uuid::from_u128(1)));
    let nothing = Recalled { is_complete: true, ..Recalled::default() };
    let entries = vec![
        entry(KnowledgeStore::Memory, None),
        FoundEntry { is_untrusted: true, ..entry(KnowledgeStore::Scratchpad, Some("House")) },
        FoundEntry { is_untrusted: true, waits: true, ..entry(KnowledgeStore::Memory, None) },
    ];
    let messages = vec![message(false), message(true)];
    let knowledge = format!(
        "Knowledge (3 match(es)):\n[Memory 3] [{at}] Bins go out.\n[Scratchpad 3] [{at}] (untrusted) House: Bins go out.\n\
         [Memory 3] [{at}] (untrusted, waits for your person) Bins go out."
    );
    let said = format!(
        "Messages (2 match(es)):\n[id:{id}] [{at}] user: The bins?\n[id:{id}] [{at}] user (untrusted): The bins?"
    );
    let left_out = "2 more were left out: others had a say in them, or they wait for your person. include_untrusted brings them in.";
    let cut_short = "Not everything was looked through. Look for other words to find more.";
    let table = [
        (nothing.clone(), "No results found for \"bins\".".to_owned()),
        (Recalled { entries: entries.clone(), ..nothing.clone() }, knowledge.clone()),
        (Recalled { messages: messages.clone(), ..nothing.clone() }, said.clone()),
        (Recalled { entries, messages, ..nothing.clone() }, format!("{knowledge}\n\n{said}")),
        (Recalled { left_out: 2, ..nothing }, format!("No results found for \"bins\".\n\n{left_out}")),
        (Recalled::default(), format!("No results found for \"bins\".\n\n{cut_short}")),
    ];
    for (found, words) in table {
        let (told, _) = asked(Ok(found.clone()), json!({ "query": "bins" })).await;
        assert_eq!(told, Ok(Value::String(words)), "{found:?}");
    }
    let (told, noted) = asked(Err(RecallError::NoWord), json!({ "query": "?!", "limit": 3 })).await;
    assert_eq!(told, Ok(Value::String("No results found for \"?!\".".to_owned())));
    assert_eq!(noted, [RecallQuery { words: "?!".to_owned(), most: 3, include_untrusted: false }]);
    let (_, noted) =
        asked(Err(RecallError::NoWord), json!({ "query": "x", "include_untrusted": true })).await;
    assert_eq!(noted, [RecallQuery { words: "x".to_owned(), most: 10, include_untrusted: true }]);
}

#[tokio::test]
async fn what_cannot_be_looked_for_is_refused() {
    for wrong in [
        json!({}),
        json!({ "query": 1 }),
        json!({ "query": "x".repeat(201) }),
        json!({ "query": "x", "limit": 0 }),
        json!({ "query": "x", "limit": 21 }),
        json!({ "query": "x", "limit": "ten" }),
        json!({ "query": "x", "include_untrusted": "yes" }),
    ] {
        let (said, noted) = asked(Ok(Recalled::default()), wrong.clone()).await;
        assert!(matches!(said, Err(ToolError::Failed(_))), "{wrong}: {said:?}");
        assert_eq!(noted, [], "{wrong}");
    }
}

/// THREAT[memory-04]
#[test]
fn tools_that_reach_what_was_known_before_say_so() {
    let tools = super::super::all(&crate::Equipment::default()).into_iter().flat_map(|one| one.tools());
    let reaching: Vec<String> =
        tools.filter(|tool| tool.reads_beyond()).map(|tool| tool.spec().name).collect();
    assert_eq!(reaching, ["manage_knowledge", "db_search"]);
}
