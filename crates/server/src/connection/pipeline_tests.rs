use super::*;
use axum::{http::StatusCode, routing::get};
use http_body_util::BodyExt;
use serde_json::Value;
use std::{
    io,
    sync::{Arc, Mutex},
};

async fn broken() -> &'static str {
    panic!("on purpose")
}

async fn plain() -> (StatusCode, &'static str) {
    (StatusCode::BAD_REQUEST, "Failed to deserialize something secret")
}

async fn ask(uri: &str) -> (Response<()>, Value) {
    let router = Router::new().route("/broken", get(broken)).route("/plain", get(plain));
    let pipeline = Pipeline { router, hosts: None, prefix: Prefix::default() };
    let request = Request::builder().uri(uri).body(Body::empty()).unwrap();
    let (parts, body) = pipeline.answer(request).await.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    (Response::from_parts(parts, ()), serde_json::from_slice(&bytes).unwrap())
}

#[tokio::test]
async fn a_panic_is_a_problem_like_any_other() {
    let (head, body) = ask("/broken").await;
    assert_eq!(head.status(), StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(body["code"], "internal");
    assert!(!body.to_string().contains("on purpose"));
    assert!(head.headers().contains_key("x-request-id"));
}

#[tokio::test]
async fn words_that_are_not_ours_are_replaced() {
    for (uri, status, code) in [("/plain", 400, "bad_request"), ("/nowhere", 404, "not_found")] {
        let (head, body) = ask(uri).await;
        assert_eq!(head.status().as_u16(), status);
        assert_eq!(body["code"], code);
        assert_eq!(head.headers()[header::CONTENT_TYPE], PROBLEM_JSON);
        assert!(!body.to_string().contains("secret"));
    }
}

/// Where a log goes that is to be looked at.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_log_has_ids_and_a_status_and_nothing_of_what_was_said() {
    let kept = Kept::default();
    let writer = kept.clone();
    let subscriber = tracing_subscriber::fmt().json().with_writer(move || writer.clone()).finish();
    // The thread that meets a line of the log first decides for everybody whether it is looked at, and where there is one
    // subscriber only that is a thread without any. With two it is not left to them.
    let _another = tracing::Dispatch::new(tracing_subscriber::registry());
    let _logging = tracing::subscriber::set_default(subscriber);
    let id = "session_01980000000070008000000000000001";
    let pipeline = Pipeline { router: Router::new(), hosts: None, prefix: Prefix::default() };
    let uri = format!("/v1/sessions/{id}/secret-path?search=secret-query");
    let request = Request::builder().uri(uri).header("authorization", "Bearer secret-key");
    let answer = pipeline.answer(request.body("secret-body".into()).unwrap()).await;
    let log = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
    let line: Value = serde_json::from_str(&log).unwrap();
    assert_eq!(line["fields"]["object"], id);
    assert_eq!(line["fields"]["status"], 404);
    assert_eq!(line["fields"]["method"], "GET");
    assert_eq!(line["span"]["id"], answer.headers()["x-request-id"].to_str().unwrap());
    assert!(!log.contains("secret"), "{log}");
}

#[test]
fn only_ids_of_a_path_are_logged() {
    let id = "session_01980000000070008000000000000001";
    assert_eq!(id_in(&format!("/v1/sessions/{id}/messages")), Some(id));
    for path in ["/v1/sessions/what-i-think_of-you", "/v1/capabilities/test_math", "/", "/v1/x_0198"] {
        assert_eq!(id_in(path), None, "{path}");
    }
}
