//! What an operator can count.

use crate::support::House;
use serde_json::json;
use testkit::model::Reply;

fn value(text: &str, line: &str) -> f64 {
    let found = text.lines().find_map(|known| known.strip_prefix(line)?.trim().parse().ok());
    found.unwrap_or_else(|| panic!("{line} is not in\n{text}"))
}

#[tokio::test]
async fn a_conversation_is_counted_and_its_words_are_not_there() {
    let house = House::new().await;
    let session = house.session().await;
    house.model.script(Reply::text("canary-reply"));
    let path = format!("/v1/sessions/{session}/messages");
    house.call("POST", &path).json(&json!({ "content": "canary-words" })).send().await.expect(200);
    house.call("GET", "/v1/canary-address").send().await.refused(404, "unknown_route");
    let answer = house.call("GET", "/metrics").send().await;
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, "text/plain; version=0.0.4; charset=utf-8")
    );
    let text = String::from_utf8(answer.bytes.to_vec()).unwrap();
    // Other tests count into the same recorder, so the numbers are lower bounds.
    for line in [
        "majordomo_http_requests_total{method=\"POST\",route=\"/v1/sessions/{id}/messages\",status=\"200\"}",
        "majordomo_http_requests_total{method=\"GET\",route=\"unknown\",status=\"404\"}",
        "majordomo_http_request_seconds_count{route=\"/v1/sessions/{id}/messages\"}",
        "majordomo_turns_total{outcome=\"completed\"}",
        "majordomo_model_calls_total{provider=\"test\",outcome=\"ok\"}",
        "majordomo_model_tokens_total{provider=\"test\",kind=\"output\"}",
        "majordomo_store_commits_total",
        "majordomo_store_statements_total",
        "process_resident_memory_bytes",
    ] {
        assert!(value(&text, line) >= 1.0, "{line}");
    }
    for line in ["majordomo_turns_running", "majordomo_turns_queued", "majordomo_store_writes_waiting"] {
        assert!(value(&text, line) >= 0.0, "{line}");
    }
    assert!(!text.contains("canary") && !text.contains(&session), "{text}");
}
