use super::*;
use domain::Scope;
use std::collections::HashSet;

#[test]
fn no_route_is_written_twice() {
    let mut seen = HashSet::new();
    for route in routes() {
        assert!(seen.insert((route.method, route.path)), "{} {}", route.method, route.path);
        let outside = ["/ws", "/chat"].contains(&route.path) || route.access == Access::Public;
        assert!(route.path.starts_with("/v1/") || outside, "{}", route.path);
    }
}

#[test]
fn only_health_and_the_description_are_open_to_everybody() {
    let open: Vec<&str> =
        routes().into_iter().filter(|route| route.access == Access::Public).map(|route| route.path).collect();
    assert_eq!(open, ["/healthz", "/readyz", "/openapi.json", "/docs"]);
}

#[test]
fn scopes_mean_what_they_say() {
    for RouteLine { method, path, access } in routes() {
        let Access::User(scopes) = access else { continue };
        let name = format!("{method} {path}");
        assert!(scopes.contains(&Scope::Full), "{name}: a full key may do everything a person may");
        assert!(!scopes.contains(&Scope::Bridge), "{name}: a bridge only delivers");
        assert_eq!(
            scopes.contains(&Scope::Read),
            method == "GET",
            "{name}: read is every GET and nothing else"
        );
        if scopes.contains(&Scope::Chat) {
            let further = ["/v1/me", "/v1/events/stream", "/ws", "/v1/chat", "/chat"];
            let talks = ["/v1/sessions", "/v1/uploads"].iter().any(|start| path.starts_with(start));
            assert!(talks || further.contains(&path), "{name}: chat is conversations");
            assert!(matches!(method, "GET" | "POST"), "{name}: chat deletes nothing");
        }
    }
}

#[test]
fn people_and_keys_are_managed_through_the_control_socket_only() {
    for route in table() {
        let managed = ["/v1/users", "/v1/api-keys", "/v1/backups", "/v1/logs", "/v1/master-key"];
        let managing = managed.iter().any(|start| route.path.starts_with(start));
        assert_eq!(route.exists_at(Door::Tcp), !managing, "{}", route.path);
        assert!(route.exists_at(Door::Control));
    }
}

#[test]
fn bodies_are_as_large_as_their_routes_need() {
    for route in table() {
        let limit = match (route.method, route.path) {
            ("POST", path) if path.contains("/messages") => 8 << 20,
            ("POST", "/v1/uploads") => (1 << 30) + (1 << 20),
            ("POST" | "PATCH", path) if path.starts_with("/v1/agents") => 4 << 20,
            _ => 64 << 10,
        };
        assert_eq!(route.body_limit, limit, "{} {}", route.method, route.path);
    }
}
