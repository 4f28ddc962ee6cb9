use super::*;
use domain::{AgentId, Timestamp, UserId};
use serde_json::{Value, json};
use uuid::Uuid;

fn agent(fields: &Value) -> Agent {
    let id = Uuid::from_u128(1);
    let mut agent = json!({
        "id": AgentId::from_uuid(id), "user_id": UserId::from_uuid(id), "name": "one", "status": "active",
        "model": null, "system_prompt": "", "capabilities": [], "allowed_tools": ["*"], "handler": "basic",
        "parameters": {}, "limits": domain::Limits::default(), "created_at": Timestamp::from_millis(0),
        "updated_at": Timestamp::from_millis(0),
    });
    for (name, value) in fields.as_object().unwrap() {
        agent[name] = value.clone();
    }
    serde_json::from_value(agent).unwrap()
}

fn between(before: &Value, after: &Value) -> Option<String> {
    widened(&agent(before), &agent(after), &Registry::builtin().unwrap())
}

fn web(settings: &Value) -> Value {
    json!({ "capabilities": ["current_time", { "id": "web_fetch", "settings": settings }] })
}

#[test]
fn tools_that_ask_and_tools_that_were_kept_back_are_more() {
    let some = json!({ "capabilities": ["current_time"] });
    let fetching = json!({ "capabilities": ["current_time", "web_fetch"] });
    let files = json!({ "capabilities": ["current_time", "session_file_system", "colleagues"] });
    assert_eq!(between(&some, &fetching).unwrap(), "the tool web_fetch");
    assert_eq!(between(&some, &files), None, "they ask nobody by themselves");
    assert_eq!(between(&fetching, &some), None);
    assert_eq!(between(&fetching, &fetching), None);
    let kept_back = json!({ "capabilities": ["session_file_system"], "allowed_tools": ["read_file"] });
    let whole = json!({ "capabilities": ["session_file_system"] });
    assert!(between(&kept_back, &whole).is_some());
    assert_eq!(between(&whole, &kept_back), None);
    let partly = json!({ "capabilities": ["web_fetch"], "allowed_tools": ["web_fetch.look"] });
    let all = json!({ "capabilities": ["web_fetch"] });
    assert_eq!(between(&partly, &all).unwrap(), "the tool web_fetch");
    assert_eq!(between(&all, &partly), None);
}

#[test]
fn settings_that_permit_more_are_more() {
    let listed = web(&json!({ "hosts": ["a.example"] }));
    assert_eq!(between(&web(&json!({})), &listed).unwrap(), "the settings of web_fetch");
    assert_eq!(between(&listed, &web(&json!({}))), None);
    let denied = web(&json!({ "denied_hosts": ["a.example"] }));
    assert!(between(&denied, &web(&json!({}))).is_some());
    let reads =
        json!({ "capabilities": [{ "id": "session_file_system", "settings": { "read_only": true } }] });
    assert!(between(&reads, &json!({ "capabilities": ["session_file_system"] })).is_some());
}

#[test]
fn looser_words_are_more() {
    let words = |words: Value| json!({ "capabilities": ["web_fetch"], "tool_rules": words });
    let deny = words(json!([{ "tool": "web_fetch", "action": "deny" }]));
    let ask = words(json!([{ "tool": "web_fetch", "action": "ask" }]));
    let none = words(json!([]));
    assert_eq!(between(&deny, &none).unwrap(), "the permission of web_fetch, which was deny");
    assert!(between(&deny, &ask).is_some());
    for (before, after) in [(&none, &deny), (&ask, &deny), (&deny, &deny)] {
        assert_eq!(between(before, after), None, "{after}");
    }
    let exact = json!({ "exact": { "url": "https://a.example/" } });
    let except = words(json!([
        { "tool": "web_fetch", "action": "deny" },
        { "tool": "web_fetch", "action": "ask", "arguments": exact }
    ]));
    assert_eq!(between(&deny, &except).unwrap(), "the permission of web_fetch, which is now ask");
    assert_eq!(between(&none, &except), None, "nothing was said before");
}

#[test]
fn a_budget_that_grows_or_goes_is_more() {
    let day = |most: u64| json!({ "budget": { "per_day_microusd": most } });
    assert_eq!(between(&day(5), &day(6)).unwrap(), "its budget");
    assert!(between(&day(5), &json!({})).is_some());
    assert!(between(&day(5), &json!({ "budget": { "per_turn_microusd": 5 } })).is_some());
    for (before, after) in [(day(5), day(5)), (day(5), day(4)), (json!({}), day(1))] {
        assert_eq!(between(&before, &after), None, "{before} {after}");
    }
}
