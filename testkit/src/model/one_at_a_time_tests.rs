use super::{super::ModelServer, *};
use serde_json::json;

fn asked_by(key: &str) -> Recorded {
    Recorded {
        path: "/v1/chat/completions".to_owned(),
        headers: vec![("authorization".to_owned(), format!("Bearer {key}"))],
        body: json!({}),
        raw: String::new(),
    }
}

/// Summaries of several programs, which are of no conversation, are no second request of anything.
#[tokio::test]
async fn what_has_no_name_is_not_counted() {
    let model = ModelServer::start().await;
    model.one_at_a_time_by(|_| String::new());
    for key in ["a", "b"] {
        drop(OpenRequest::begin(&model.state, &asked_by(key)).await);
    }
    model.wakes_up("a", Duration::from_millis(1)).await;
    model.assert_clean();
}

#[tokio::test]
async fn two_programs_that_ask_about_the_same_are_noticed() {
    let model = ModelServer::start().await;
    model.one_at_a_time_by(|_| "t1".to_owned());
    model.falls_asleep("a");
    let first = OpenRequest::begin(&model.state, &asked_by("a")).await;
    let second = OpenRequest::begin(&model.state, &asked_by("b")).await;
    model.wakes_up("a", Duration::from_millis(1)).await;
    assert_eq!(model.violations(), ["a goes on with a request that another one makes"]);
    model.allow_violations();
    drop((first, second));
}
