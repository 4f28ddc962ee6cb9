use super::*;
use serde_json::json;

fn commands() -> Vec<KnownCommand> {
    known(&json!({ "commands": [
        { "name": "session", "forms": [
            { "usage": "/session", "description": "which session this is" },
            { "usage": "/session rename [id=ID] NAME", "description": "names a session" },
        ] },
        { "name": "stop", "forms": [{ "usage": "/stop", "description": "stops" }] },
    ] }))
}

fn completed(line: &str) -> Vec<String> {
    let result = CommandCompleter(commands()).complete(line, line.len());
    result.suggestions().iter().map(|suggestion| suggestion.value.clone()).collect()
}

#[test]
fn what_begins_like_a_command_is_completed() {
    assert_eq!(completed("/s"), ["/session", "/session rename", "/stop", "/stream"]);
    assert_eq!(completed("/session r"), ["/session rename"]);
    assert_eq!(completed("/q"), ["/quit"]);
    for line in ["", "s", "//s", "/x", "hello /s", "/session rename x"] {
        assert!(completed(line).is_empty(), "{line}");
    }
}

#[test]
fn how_it_goes_on_is_shown() {
    let usage = UsageHinter::new(commands());
    assert_eq!(usage.of("/session rename"), " [id=ID] NAME — names a session");
    assert_eq!(usage.of("/session rename "), "[id=ID] NAME — names a session");
    assert_eq!(usage.of("/stop"), " — stops");
    for line in ["", " ", "/session rename x", "/st", "stop"] {
        assert_eq!(usage.of(line), "", "{line}");
    }
}

#[test]
fn an_answer_of_another_form_offers_nothing_of_its_own() {
    for help in [json!(null), json!({}), json!({ "commands": 5 }), json!({ "commands": [{ "forms": null }] })]
    {
        let offered: Vec<String> = known(&help).into_iter().map(|known| known.usage).collect();
        assert_eq!(offered, ["/quit", "/stream on|off", "/attach PATH", "/model once NAME"], "{help}");
    }
}
