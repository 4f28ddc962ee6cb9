use super::*;
use serde_json::Map;

fn errand(tool: &dyn Tool, arguments: &Value) -> Result<Errand, String> {
    let read = tool.errand(&Map::new(), arguments).expect("such a call waits");
    read.map_err(|error| error.to_string())
}

fn session() -> String {
    domain::SessionId::from_uuid(uuid::Uuid::from_u128(7)).to_string()
}

fn refusal(tool: &dyn Tool, arguments: Value) -> String {
    errand(tool, &arguments).expect_err(&arguments.to_string())
}

#[test]
fn a_colleague_is_named_or_gone_on_with() {
    let by_name = errand(&Delegate, &json!({ "agent": " cook ", "task": "Soup", "context": "Two people" }));
    let cook = Colleague { agent: "cook".to_owned(), among: None };
    let task = "Soup\n\nContext:\nTwo people".to_owned();
    assert_eq!(by_name, Ok(Errand { to: Helper::Colleague(cook.clone()), task, seconds: USUAL_SECONDS }));
    // The spelling of Hero.
    let other =
        errand(&Delegate, &json!({ "agentId": "cook", "task": "Soup", "timeout_seconds": 5 })).unwrap();
    assert_eq!((other.to, other.seconds), (Helper::Colleague(cook), 5));
    let again = json!({ "session_id": session(), "task": "More" });
    assert!(matches!(errand(&Delegate, &again).unwrap().to, Helper::Again(_)));
}

#[test]
fn what_cannot_be_delegated_is_refused_in_words() {
    assert!(refusal(&Delegate, json!({ "task": "x" })).contains("say whom to ask"));
    assert!(refusal(&Delegate, json!({ "agent": "a" })).contains("`task` is missing"));
    assert!(refusal(&Delegate, json!({ "agent": 1, "task": "x" })).contains("`agent`"));
    assert!(refusal(&Delegate, json!({ "agent": "a", "task": " " })).contains("must not be empty"));
    let both = json!({ "agent": "a", "session_id": session(), "task": "x" });
    assert!(refusal(&Delegate, both).contains("not both"));
    assert!(refusal(&Delegate, json!({ "session_id": "42", "task": "x" })).contains("earlier answer"));
    for seconds in [json!(0), json!(-1), json!(1.5), json!("soon"), json!(u64::MAX)] {
        let words = refusal(&Delegate, json!({ "agent": "a", "task": "x", "timeout_seconds": seconds }));
        assert!(words.contains("from 1 to 2592000"), "{words}");
    }
    let huge = "x".repeat(TASK_CHARS + 1);
    assert!(refusal(&Delegate, json!({ "agent": "a", "task": huge })).contains("at most 64000"));
    assert!(
        refusal(&Delegate, json!({ "agent": "a", "task": "x", "context": huge })).contains("at most 64000")
    );
}

#[test]
fn a_subagent_has_the_tools_that_are_listed() {
    let arguments = json!({ "instructions": "Add.", "task": "1+1", "tools": ["add", "add", " divide"] });
    let Helper::Subagent(made) = errand(&SpawnAgent, &arguments).unwrap().to else { panic!("no subagent") };
    assert_eq!(made.tools, ["add", "divide"]);
    let Helper::Subagent(bare) =
        errand(&SpawnAgent, &json!({ "instructions": "Think.", "task": "x" })).unwrap().to
    else {
        panic!("no subagent")
    };
    assert_eq!((bare.tools.len(), bare.model), (0, None));
    let with = |key: &str, value: Value| {
        let mut arguments = json!({ "instructions": "x", "task": "x" });
        arguments[key] = value;
        refusal(&SpawnAgent, arguments)
    };
    assert!(with("tools", json!("add")).contains("a list of names"));
    assert!(with("tools", json!([1])).contains("a list of names"));
    assert!(with("tools", json!(vec!["x"; 129])).contains("at most 128 tools"));
    assert!(with("instructions", json!("x".repeat(INSTRUCTIONS_CHARS + 1))).contains("at most 16000"));
    assert!(with("instructions", json!("")).contains("must not be empty"));
    assert!(with("name", json!("x".repeat(61))).contains("at most 60"));
}

#[test]
fn the_agents_of_the_settings_go_along() {
    let settings = json!({ "agents": ["cook"] }).as_object().unwrap().clone();
    let read = Delegate.errand(&settings, &json!({ "agent": "thief", "task": "x" })).unwrap().unwrap();
    let among = Some(vec!["cook".to_owned()]);
    assert_eq!(read.to, Helper::Colleague(Colleague { agent: "thief".to_owned(), among }));
}
