use crate::support::{House, Options, PASSWORD};
use domain::{Scope, UserRole};
use serde_json::json;
use server::HttpSettings;

#[tokio::test]
async fn a_cookie_that_changes_something_needs_our_origin() {
    let house = House::new().await;
    let grace = house.resident("Grace", UserRole::Member).await;
    let change = json!({ "language": "el" });
    let with = |origin: &str| grace.bare("PATCH", "/v1/me").header("origin", origin).json(&change);
    grace.bare("PATCH", "/v1/me").json(&change).send().await.refused(403, "origin_required");
    for foreign in ["https://evil.example", "null", "http://localhost:1"] {
        with(foreign).send().await.refused(403, "foreign_origin");
    }
    // The control: with our own origin it works, looking needs none, and neither does a key.
    with(&format!("http://{}", house.address)).send().await.expect(200);
    assert_eq!(grace.bare("GET", "/v1/me").send().await.expect(200)["language"], "el");
    let key = house.issue(grace.id, Scope::Full).await;
    house.anonymous("PATCH", "/v1/me").key(&key).json(&change).send().await.expect(200);
}

#[tokio::test]
async fn a_websocket_with_a_cookie_needs_our_origin() {
    let house = House::new().await;
    let grace = house.resident("Grace", UserRole::Member).await;
    assert_eq!(grace.handshake().without("origin").refused().await, (403, "origin_required".to_owned()));
    let foreign = grace.handshake().without("origin").header("origin", "https://evil.example");
    assert_eq!(foreign.refused().await, (403, "foreign_origin".to_owned()));
    assert_eq!(grace.handshake().open().await.hello["user"]["name"], "Grace");
}

#[tokio::test]
async fn over_plain_http_the_cookie_is_for_us_alone() {
    let house = House::new().await;
    house.resident("Grace", UserRole::Member).await;
    let answer = house.try_sign_in("Grace", PASSWORD).await;
    let cookie = answer.header("set-cookie");
    let (pair, attributes) = cookie.split_once("; ").unwrap();
    assert_eq!(attributes, "Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict");
    let secret = pair.strip_prefix("sid=").unwrap();
    assert_eq!((secret.len(), answer.header("cache-control")), (43, "no-store"));
    assert!(!String::from_utf8_lossy(&answer.bytes).contains(secret));
    // Two of them, or one that is too long, are none.
    for wrong in [format!("{pair}; {pair}"), format!("{pair}{}", "x".repeat(100)), "sid=".to_owned()] {
        house.anonymous("GET", "/v1/me").header("cookie", &wrong).send().await.refused(401, "unauthorized");
    }
    let beside = format!("theme=dark; {pair}; other=1");
    house.anonymous("GET", "/v1/me").header("cookie", &beside).send().await.expect(200);
}

#[tokio::test]
async fn no_other_page_signs_anybody_in() {
    let house = House::new().await;
    house.resident("Grace", UserRole::Member).await;
    let body = json!({ "name": "Grace", "password": PASSWORD });
    let from = |origin: &str| house.anonymous("POST", "/v1/login").header("origin", origin).json(&body);
    let refused = from("https://evil.example").send().await;
    assert_eq!(refused.header("set-cookie"), "");
    refused.refused(403, "foreign_origin");
    from(&format!("http://{}", house.address)).send().await.expect(200);
    // A form needs no permission of ours to be sent, and cannot say that it is JSON.
    let form = house.anonymous("POST", "/v1/login").body("text/plain", body.to_string());
    assert_eq!(form.send().await.status, 415);
}

#[tokio::test]
async fn over_https_the_cookie_is_bound_to_its_host() {
    let http = HttpSettings {
        public_url: Some("https://home.example/majordomo".to_owned()),
        ..HttpSettings::default()
    };
    let house = House::with(Options { http, ..Options::default() }).await;
    house.resident("Grace", UserRole::Member).await;
    let credentials = json!({ "name": "Grace", "password": PASSWORD });
    let outside = |method: &str, path: &str| {
        house.anonymous(method, path).without("host").header("host", "home.example")
    };
    let answer = outside("POST", "/v1/login").json(&credentials).send().await;
    let cookie = answer.header("set-cookie");
    assert!(cookie.starts_with("__Host-sid=") && cookie.ends_with("; SameSite=Strict; Secure"), "{cookie}");
    let pair = cookie.split(';').next().unwrap();
    outside("GET", "/v1/me").header("cookie", pair).send().await.expect(200);
    // Under the plain name, which others can plant, it is nothing there.
    let planted = pair.replace("__Host-sid=", "sid=");
    outside("GET", "/v1/me").header("cookie", &planted).send().await.refused(401, "unauthorized");
    house.anonymous("GET", "/v1/me").header("cookie", &planted).send().await.expect(200);
    house.anonymous("GET", "/docs").send().await.refused(401, "unauthorized");
}
