use super::*;
use crate::access::Class;
use domain::Scope;
use std::collections::HashSet;

#[test]
fn no_route_is_written_twice() {
    let mut seen = HashSet::new();
    for route in routes() {
        assert!(seen.insert((route.method, route.path)), "{} {}", route.method, route.path);
        let outside = ["/ws", "/chat"].contains(&route.path) || route.access == OPEN || route.access.nearby;
        assert!(route.path.starts_with("/v1/") || outside, "{}", route.path);
    }
}

#[test]
fn little_is_open_to_everybody() {
    let open = routes().into_iter().filter(|route| route.access.is_open());
    let open: Vec<String> = open.map(|route| format!("{} {}", route.method, route.path)).collect();
    let expected = "GET /healthz, GET /readyz, GET /openapi.json, GET /, GET /assets/{name}, GET /setup, \
                    GET /v1/setup, POST /v1/setup, POST /v1/login, POST /v1/join/look, POST /v1/join";
    assert_eq!(open.join(", "), expected);
}

#[test]
fn scopes_mean_what_they_say() {
    for RouteLine { method, path, access } in routes() {
        let (scopes, name) = (access.scopes, format!("{method} {path}"));
        if access.is_open() || scopes.is_empty() {
            continue;
        }
        assert!(scopes.contains(&Scope::Full), "{name}: a full key may do everything a person may");
        let delivers = ["/v1/chat", "/chat"].contains(&path);
        assert_eq!(scopes.contains(&Scope::Bridge), delivers, "{name}: a bridge only delivers");
        assert_eq!(access.basic, delivers, "{name}: a password is for those who can send nothing else");
        assert_eq!(
            scopes.contains(&Scope::Read),
            method == "GET",
            "{name}: read is every GET and nothing else"
        );
        if scopes.contains(&Scope::Chat) {
            let further =
                ["/v1/me", "/v1/events/stream", "/ws", "/v1/chat", "/chat", "/v1/help", "/v1/commands"];
            let talks = ["/v1/sessions", "/v1/questions", "/v1/approvals", "/v1/uploads"]
                .iter()
                .any(|start| path.starts_with(start));
            assert!(talks || further.contains(&path), "{name}: chat is conversations");
            assert!(matches!(method, "GET" | "POST"), "{name}: chat deletes nothing");
        }
    }
}

#[test]
fn people_and_providers_are_managed_by_admins_who_have_just_proved_themselves() {
    let managed = ["/v1/users", "/v1/providers"];
    let is_managed = |route: &RouteLine| managed.iter().any(|start| route.path.starts_with(start));
    for RouteLine { method, path, access } in routes().into_iter().filter(is_managed) {
        assert_eq!(access.class, Class::Admin, "{method} {path}");
        assert_eq!(access.confirmed, method != "GET", "{method} {path}");
    }
}

#[test]
fn the_master_key_is_a_matter_of_the_control_socket() {
    for route in table() {
        assert_eq!(route.exists_at(Door::Tcp), !route.path.starts_with("/v1/master-key"), "{}", route.path);
        assert!(route.exists_at(Door::Control));
    }
}

#[test]
fn bodies_are_as_large_as_their_routes_need() {
    for route in table() {
        let limit = match (route.method, route.path) {
            ("POST", "/chat" | "/v1/chat") => 8 << 20,
            ("POST", path) if path.contains("/messages") || path.ends_with("/versions") => 8 << 20,
            ("POST", "/v1/uploads") => (1 << 30) + (1 << 20),
            ("PUT", path) if path.contains("/files/") => 1 << 30,
            ("POST" | "PATCH", path) if path.starts_with("/v1/agents") => 4 << 20,
            ("PUT", "/v1/house") => 4 << 20,
            ("POST" | "PUT", path) if path.starts_with("/v1/abilities") => 512 << 10,
            ("POST" | "PUT", path) if path.starts_with("/v1/saved-prompts") => 512 << 10,
            ("POST" | "PATCH", "/v1/folders" | "/v1/folders/{id}") => 512 << 10,
            ("POST" | "PATCH", "/v1/knowledge" | "/v1/knowledge/{id}" | "/v1/knowledge/{id}/review") => {
                512 << 10
            }
            _ => 64 << 10,
        };
        assert_eq!(route.body_limit, limit, "{} {}", route.method, route.path);
    }
}
