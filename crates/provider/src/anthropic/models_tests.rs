use super::*;
use serde_json::json;

fn list(entries: Value) -> Option<Vec<ListedModel>> {
    model_list(json!({"data": entries, "has_more": false}).to_string().as_bytes())
}

#[test]
fn a_list_is_read_with_what_it_says_of_each_model() {
    let supported = |yes: bool| json!({"supported": yes});
    let capable = |enabled: bool, adaptive: bool| json!({"thinking": {"supported": true, "types": {"enabled": supported(enabled), "adaptive": supported(adaptive)}}});
    let listed = list(json!([
        {"id": "plain"},
        {"id": "old", "max_input_tokens": 200_000, "max_tokens": 64_000, "capabilities": capable(true, false)},
        {"id": "new", "max_input_tokens": "many", "capabilities": capable(false, true)},
        {"id": "simple", "capabilities": {"thinking": {"supported": false}, "image_input": {"supported": true}}},
    ]))
    .unwrap();
    let thinking: Vec<_> = listed.iter().map(|model| model.thinking.clone()).collect();
    let adaptive = Thinking::Adaptive { always: true };
    assert_eq!(thinking, [None, Some(Thinking::Budget), Some(adaptive), Some(Thinking::Fixed)]);
    assert_eq!((listed[1].window, listed[1].max_output), (Some(200_000), Some(64_000)));
    assert_eq!((listed[2].window, listed[3].images), (None, Some(true)));
}

#[test]
fn what_is_no_list_is_none() {
    for body in ["", "{}", "[]", "{\"data\": 7}", "{\"data\": [{\"name\": \"x\"}]}", "<html>"] {
        assert_eq!(model_list(body.as_bytes()), None, "{body}");
    }
    assert_eq!(list(json!([])), Some(Vec::new()));
}
