use super::*;
use crate::{Knowledge, Ports, fixture};
use domain::EntryText;
use std::sync::Mutex;

/// What was asked of it, and what it answers.
struct Noted {
    asked: Mutex<Vec<String>>,
    answer: Result<EntryWritten, KnowledgeError>,
}

impl Noted {
    fn note(&self, asked: String) {
        self.asked.lock().unwrap().push(asked);
    }
}

#[async_trait]
impl Knowledge for Noted {
    async fn write(
        &self,
        store: KnowledgeStore,
        number: Option<u64>,
        draft: EntryDraft,
    ) -> Result<EntryWritten, KnowledgeError> {
        self.note(format!("write {store:?} {number:?} {:?} {} {:?}", draft.title, draft.body, draft.until));
        self.answer.clone()
    }

    async fn delete(&self, store: KnowledgeStore, number: u64) -> Result<EntryWritten, KnowledgeError> {
        self.note(format!("delete {store:?} {number}"));
        self.answer.clone()
    }

    async fn read(&self, store: KnowledgeStore, number: u64) -> Result<EntryText, KnowledgeError> {
        self.note(format!("read {store:?} {number}"));
        self.answer.clone()?;
        let title = (store == KnowledgeStore::Scratchpad).then(|| "Recipes".to_owned());
        Ok(EntryText { title, body: "Lentils.".to_owned(), ..EntryText::default() })
    }

    async fn list(&self, store: KnowledgeStore, most: u32) -> Result<KnowledgeListing, KnowledgeError> {
        self.note(format!("list {store:?} {most}"));
        self.answer.clone()?;
        let text = EntryText { body: "Bins\ngo out.".to_owned(), ..EntryText::default() };
        Ok(KnowledgeListing { entries: vec![(3, text)], total: 5, waiting: 1 })
    }
}

/// What the tool answers, and what it asked of its port.
async fn asked(
    answer: Result<EntryWritten, KnowledgeError>,
    arguments: Value,
) -> (Result<Value, ToolError>, Vec<String>) {
    let noted = Arc::new(Noted { asked: Mutex::default(), answer });
    let ports = Ports::default().with_knowledge(noted.clone());
    let context = ToolContext { ports, ..fixture::context() };
    let said = ManageKnowledge.run(&context, arguments).await;
    let asked = noted.asked.lock().unwrap().clone();
    (said, asked)
}

const IN_FORCE: EntryWritten = EntryWritten { number: 1, waits: false, is_untrusted: false };
const WAITS: EntryWritten = EntryWritten { number: 12, waits: true, is_untrusted: true };
const THEIRS: EntryWritten = EntryWritten { number: 3, waits: true, is_untrusted: false };

async fn said(answer: EntryWritten, arguments: Value) -> String {
    match asked(Ok(answer), arguments).await {
        (Ok(Value::String(text)), _) => text,
        (other, _) => panic!("{other:?}"),
    }
}

async fn refused(answer: Result<EntryWritten, KnowledgeError>, arguments: Value) -> String {
    match asked(answer, arguments.clone()).await {
        (Err(ToolError::Failed(words)), _) => words,
        (other, _) => panic!("{arguments}: {other:?}"),
    }
}

/// STAVROBOT-16
#[tokio::test]
async fn what_was_done_is_said_to_the_letter() {
    let memory = json!({ "action": "upsert", "store": "memory", "content": " Bins. " });
    let changed = json!({ "action": "upsert", "store": "memory", "id": 1, "content": "Bins." });
    let page = json!({ "action": "upsert", "store": "scratchpad", "title": "T", "body": "B" });
    let gone = |store: &str| json!({ "action": "delete", "store": store, "id": "1" });
    let table = [
        (memory.clone(), IN_FORCE, "Memory 1 created."),
        (changed.clone(), IN_FORCE, "Memory 1 updated."),
        (page.clone(), IN_FORCE, "Scratchpad entry 1 created."),
        (gone("memory"), IN_FORCE, "Memory 1 deleted."),
        (gone("scratchpad"), IN_FORCE, "Scratchpad entry 1 deleted."),
        (
            memory.clone(),
            WAITS,
            "Memory 12 is noted and waits for your person: others had a say in this conversation.",
        ),
        (
            changed,
            THEIRS,
            "The change of memory 3 waits for your person: they wrote or kept what it says now.",
        ),
        (
            gone("memory"),
            THEIRS,
            "The deletion of memory 3 waits for your person: they wrote or kept what it says now.",
        ),
        (json!({ "action": "read", "store": "scratchpad", "id": 1 }), IN_FORCE, "Title: Recipes\n\nLentils."),
        (json!({ "action": "read", "store": "memory", "id": 1 }), IN_FORCE, "Lentils."),
        (
            json!({ "action": "list", "store": "memory" }),
            IN_FORCE,
            "[3] Bins go out.\n4 more are not shown.\n1 wait for your person and are not in force.",
        ),
        (json!({ "action": "help" }), IN_FORCE, HELP),
    ];
    for (arguments, answer, words) in table {
        assert_eq!(said(answer, arguments.clone()).await, words, "{arguments}");
    }
    let (_, noted) = asked(Ok(IN_FORCE), memory).await;
    assert_eq!(noted, ["write Memory None None Bins. None"]);
    let until =
        json!({ "action": "upsert", "store": "memory", "content": "x", "until": "2026-12-24T18:00:00Z" });
    let (_, noted) = asked(Ok(IN_FORCE), until).await;
    assert_eq!(noted, ["write Memory None None x Some(Timestamp(1798135200000))"]);
}

/// STAVROBOT-16
#[tokio::test]
async fn what_is_wrong_is_said_to_the_letter() {
    let long = "x".repeat(MEMORY_CHARS + 1);
    let table = [
        (json!({ "action": "upsert" }), "Error: store is required for upsert."),
        (
            json!({ "action": "upsert", "store": "memory" }),
            "Error: content is required when upserting a memory entry.",
        ),
        (
            json!({ "action": "upsert", "store": "memory", "content": "  " }),
            "Error: content is required when upserting a memory entry.",
        ),
        (
            json!({ "action": "upsert", "store": "scratchpad", "body": "B" }),
            "Error: title is required when upserting a scratchpad entry.",
        ),
        (
            json!({ "action": "upsert", "store": "scratchpad", "title": "T" }),
            "Error: body is required when upserting a scratchpad entry.",
        ),
        (
            json!({ "action": "upsert", "store": "attic" }),
            "Error: unknown store 'attic'. Valid stores: memory, scratchpad.",
        ),
        (
            json!({ "action": "upsert", "store": "memory", "content": long }),
            "Error: content must have at most 2000 characters.",
        ),
        (
            json!({ "action": "upsert", "store": "memory", "content": "x", "until": "soon" }),
            "Error: until must be a date and time such as 2026-12-24T18:00:00Z.",
        ),
        (json!({ "action": "delete", "id": 1 }), "Error: store is required for delete."),
        (json!({ "action": "delete", "store": "memory" }), "Error: id is required for delete."),
        (json!({ "action": "read", "store": "memory" }), "Error: id is required for read."),
        (
            json!({ "action": "read", "store": "memory", "id": -1 }),
            "Error: id must be the number of an entry.",
        ),
        (
            json!({ "action": "forget" }),
            "Error: unknown action 'forget'. Valid actions: upsert, delete, read, list, help.",
        ),
    ];
    for (arguments, words) in table {
        let (said, noted) = asked(Ok(IN_FORCE), arguments.clone()).await;
        assert_eq!(said, Err(ToolError::Failed(words.to_owned())), "{arguments}");
        assert_eq!(noted, [] as [&str; 0], "{arguments}");
    }
}

/// STAVROBOT-16
#[tokio::test]
async fn what_stands_in_the_way_is_said_to_the_letter() {
    let write = json!({ "action": "upsert", "store": "memory", "id": 4, "content": "x" });
    let same = EntryRefusal::SaidAlready { store: KnowledgeStore::Memory, number: 4 };
    for (refusal, words) in
        [(EntryRefusal::NotFound, "Error: memory 4 not found."), (same, "Error: Memory 4 says so already.")]
    {
        assert_eq!(refused(Err(refusal.into()), write.clone()).await, words);
    }
    for refusal in [EntryRefusal::TooMany, EntryRefusal::TooManyToday, EntryRefusal::TooManyProposals] {
        assert!(refused(Err(refusal.into()), write.clone()).await.starts_with("Error: "));
    }
    let page = json!({ "action": "delete", "store": "scratchpad", "id": 9 });
    let missing = refused(Err(EntryRefusal::NotFound.into()), page).await;
    assert_eq!(missing, "Error: scratchpad entry 9 not found.");
}
