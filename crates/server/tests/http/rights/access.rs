//! Who gets in: keys, scopes, names, and other people's things.

use crate::support::House;
use domain::{Scope, UserRole};
use engine::NewKey;
use serde_json::json;
use server::{Class, RouteLine, routes};
use testkit::model::Reply;

/// A path with ids that name nothing.
fn filled(path: &str) -> String {
    let noun = if path.starts_with("/v1/agents") { "agent" } else { "session" };
    path.replace("{id}", &format!("{noun}_01980000000070008000000000000001"))
}

/// The routes of the network that ask who is there.
fn asking() -> impl Iterator<Item = RouteLine> {
    routes().into_iter().filter(|RouteLine { access, .. }| {
        !access.is_open() && !access.nearby && access.class != Class::Operator
    })
}

#[tokio::test]
async fn nobody_gets_in_where_somebody_is_asked_for() {
    let house = House::new().await;
    for route in asking() {
        let ask = || house.anonymous(route.method, &filled(route.path));
        for call in [
            ask(),
            ask().key("mjd_wrong"),
            ask().header("authorization", "Digest YTpi"),
            ask().key(&house.key).header("authorization", &format!("Bearer {}", house.key)),
        ] {
            let answer = call.send().await;
            assert_eq!(answer.header("www-authenticate"), "Bearer", "{} {}", route.method, route.path);
            answer.refused(401, "unauthorized");
        }
    }
}

#[tokio::test]
async fn each_scope_opens_its_own_routes() {
    let house = House::new().await;
    let owner = house.owner().await;
    for scope in [Scope::Full, Scope::Read, Scope::Chat, Scope::Bridge] {
        let key = house.issue(owner, scope).await;
        for route in asking() {
            let answer = house.anonymous(route.method, &filled(route.path)).key(&key).send().await;
            if route.access.scopes.contains(&scope) {
                assert!(!matches!(answer.status, 401 | 403), "{scope:?} {} {}", route.method, route.path);
            } else {
                answer.refused(403, "scope_insufficient");
            }
        }
    }
}

#[tokio::test]
async fn a_key_in_the_url_is_no_key() {
    let house = House::new().await;
    let path = format!("/v1/me?token={}", house.key);
    house.anonymous("GET", &path).send().await.refused(400, "key_in_query");
    house.call("GET", &path).send().await.refused(400, "key_in_query");
}

#[tokio::test]
async fn a_key_that_has_expired_or_was_revoked_is_none() {
    let house = House::new().await;
    let user_id = house.owner().await;
    let soon = house.engine.now().plus_millis(60_000);
    let new = NewKey {
        user_id,
        name: "short".to_owned(),
        scope: Scope::Full,
        source: None,
        expires_at: Some(soon),
    };
    let expiring = house.engine.people().issue_key(new).await.unwrap().secret;
    house.anonymous("GET", "/v1/me").key(&expiring).send().await.expect(200);
    house.clock.advance(60_000);
    house.anonymous("GET", "/v1/me").key(&expiring).send().await.refused(401, "unauthorized");

    let issued = house.control("POST", "/v1/api-keys").json(&json!({})).send().await.expect(201);
    let secret = issued["secret"].as_str().unwrap();
    house.anonymous("GET", "/v1/me").key(secret).send().await.expect(200);
    let path = format!("/v1/api-keys/{}", issued["id"].as_str().unwrap());
    assert_eq!(house.control("DELETE", &path).send().await.status, 204);
    house.anonymous("GET", "/v1/me").key(secret).send().await.refused(401, "unauthorized");
    house.control("DELETE", &path).send().await.refused(404, "not_found");
}

#[tokio::test]
async fn other_peoples_things_do_not_exist() {
    let house = House::new().await;
    let (_, grace) = house.person("Grace", UserRole::Member).await;
    let session = house.session().await;
    let agent = house.main_agent().await;
    house.model.script(Reply::text("Private."));
    let message = json!({ "content": "Between us" });
    let sent = house.call("POST", &format!("/v1/sessions/{session}/messages")).json(&message).send().await;
    let turn = sent.expect(200)["turn_id"].as_str().unwrap().to_owned();

    for route in routes().into_iter().filter(|route| route.path.contains("{id}")) {
        let own = ["/v1/agents", "/v1/sessions"];
        // What no key opens is tried for everybody by the matrix.
        if !own.iter().any(|prefix| route.path.starts_with(prefix)) || route.access.scopes.is_empty() {
            continue;
        }
        let id = if route.path.starts_with("/v1/agents") { &agent } else { &session };
        let ask = |path: String| {
            let body = match route.path {
                path if path.contains("/messages") => json!({ "content": "x" }),
                path if path.ends_with("/fork") || path.ends_with("/prompt-preview") => json!({}),
                path if path.ends_with("/versions") => json!({ "seq": 3, "content": "x" }),
                path if path.ends_with("files:grep") => json!({ "pattern": "x" }),
                _ => json!({ "name": "x" }),
            };
            let path = path.replace("{*path}", "x");
            house.anonymous(route.method, &path).key(&grace).json(&body).send()
        };
        let foreign = ask(route.path.replace("{id}", id)).await;
        let unknown = ask(filled(route.path)).await;
        let malformed = ask(route.path.replace("{id}", "../x%00'--")).await;
        assert_eq!(foreign.bytes, unknown.bytes, "{} {}", route.method, route.path);
        foreign.refused(404, "not_found");
        unknown.refused(404, "not_found");
        assert_eq!(malformed.status, 404, "{} {}", route.method, route.path);
    }

    let created = house.anonymous("POST", "/v1/sessions").key(&grace).json(&json!({ "agent_id": agent }));
    let detail = created.send().await.refused(400, "unknown_agent");
    assert!(detail.contains("agent_id"), "{detail}");
    let list = house.anonymous("GET", "/v1/sessions").key(&grace).send().await.expect(200);
    assert_eq!(list["total"], 0);
    let agents = house.anonymous("GET", "/v1/agents").key(&grace).send().await.expect(200);
    assert_eq!(agents["total"], 1);
    assert_ne!(agents["items"][0]["id"], agent.as_str());

    // Nor do they through an id of one's own beside a foreign one.
    let own = house
        .anonymous("POST", "/v1/sessions")
        .key(&grace)
        .json(&json!({ "agent_id": agents["items"][0]["id"] }));
    let own = own.send().await.expect(201)["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/sessions/{own}/events?turn_id={turn}");
    assert_eq!(house.anonymous("GET", &path).key(&grace).send().await.expect(200)["items"], json!([]));
}

#[tokio::test]
async fn names_and_origins_that_are_not_ours_are_refused() {
    let house = House::new().await;
    let port = house.address.port();
    let ask = || house.call("GET", "/v1/me").without("host");
    let wrong_port = format!("localhost:{}", port.wrapping_add(1));
    for host in ["evil.example", "evil.example:80", wrong_port.as_str(), "127.0.0.1.nip.io", ""] {
        ask().header("host", host).send().await.refused(421, "misdirected");
    }
    ask().header("host", "localhost").header("host", "localhost").send().await.refused(421, "misdirected");
    house
        .anonymous("GET", "/healthz")
        .without("host")
        .header("host", "evil")
        .send()
        .await
        .refused(421, "misdirected");
    let with_port = format!("localhost:{port}");
    for host in ["localhost", "LOCALHOST.", "127.0.0.1", "[::1]", with_port.as_str()] {
        ask().header("host", host).send().await.expect(200);
    }
    let from = |origin: &str| house.call("GET", "/v1/me").header("origin", origin);
    from(&format!("http://localhost:{port}")).send().await.expect(200);
    for origin in ["null", "https://evil.example", "http://localhost:1"] {
        from(origin).send().await.refused(403, "foreign_origin");
    }
}

#[tokio::test]
async fn the_acting_user_is_a_matter_of_the_control_socket() {
    let house = House::new().await;
    house.person("Grace", UserRole::Member).await;
    let over_tcp = house.call("GET", "/v1/me").header("x-majordomo-user", "Grace").send().await.expect(200);
    assert_eq!(over_tcp["name"], "Ada");
    house
        .anonymous("GET", "/v1/me")
        .header("x-majordomo-user", "Ada")
        .send()
        .await
        .refused(401, "unauthorized");
}
