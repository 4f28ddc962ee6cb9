//! The API's description of itself, as it is served; and that answers are really held against it.

use crate::support::{House, Options, described};
use serde_json::{Value, json};
use server::HttpSettings;

#[tokio::test]
async fn the_description_is_served_to_everybody() {
    let house = House::new().await;
    let served = house.anonymous("GET", "/openapi.json").send().await.expect(200);
    assert_eq!(&served, server::openapi());
    assert_eq!(served["openapi"], "3.1.0");
}

#[tokio::test]
async fn the_description_is_sent_packed_to_clients_that_can_read_that() {
    let house = House::new().await;
    let ask =
        |encodings: &str| house.anonymous("GET", "/openapi.json").header("accept-encoding", encodings).send();
    let packed = ask("br, gzip").await;
    assert_eq!((packed.header("content-encoding"), packed.header("vary")), ("gzip", "accept-encoding"));
    assert_eq!(&packed.expect(200), server::openapi());
    assert_eq!(&ask("gzip;q=0").await.expect(200), server::openapi(), "and as it is to the others");
}

#[tokio::test]
async fn the_page_may_load_nothing() {
    let house = House::new().await;
    let page = house.anonymous("GET", "/docs").send().await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    let policy = page.header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("script-src"), "{policy}");
    assert!(String::from_utf8_lossy(&page.bytes).contains("/v1/sessions/{id}/messages"));
}

async fn me() -> Value {
    let house = House::new().await;
    house.call("GET", "/v1/me").send().await.expect(200)
}

#[tokio::test]
async fn what_is_described_passes() {
    described::check_value("Me", &me().await);
}

#[tokio::test]
#[should_panic(expected = "is not as described")]
async fn a_field_that_is_not_described_is_found() {
    let mut me = me().await;
    me["password"] = json!("hunter2");
    described::check_value("Me", &me);
}

#[tokio::test]
#[should_panic(expected = "is not as described")]
async fn a_field_that_is_missing_is_found() {
    let mut me = me().await;
    me.as_object_mut().unwrap().remove("role");
    described::check_value("Me", &me);
}

#[tokio::test]
async fn what_is_open_at_the_machine_itself_asks_for_a_key_elsewhere() {
    let near = House::new().await;
    let http =
        HttpSettings { public_url: Some("https://house.example".to_owned()), ..HttpSettings::default() };
    let far = House::with(Options { http, ..Options::default() }).await;
    for path in ["/docs", "/metrics"] {
        assert_eq!(near.anonymous("GET", path).send().await.status, 200, "{path}");
        far.anonymous("GET", path).send().await.refused(401, "unauthorized");
        assert_eq!(far.call("GET", path).send().await.status, 200, "{path}");
    }
}
