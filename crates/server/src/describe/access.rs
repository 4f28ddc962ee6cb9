//! Who may call a route, in the words of OpenAPI.

use crate::access::Access;
use serde_json::{Value, json};

pub(super) fn schemes() -> Value {
    json!({
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "an API key: majordomo api-key create",
        },
    })
}

pub(super) fn security(access: Access) -> Value {
    match access {
        Access::Public | Access::Operator | Access::Founder => json!([]),
        Access::User(scopes) => {
            let names: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
            json!([{ "bearer": names }])
        }
    }
}

/// For people.
pub(super) fn words(access: Access) -> String {
    match access {
        Access::Public => "anybody".to_owned(),
        Access::User(scopes) => {
            let names: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
            format!("a person, or a key of scope {}", names.join(", "))
        }
        Access::Operator => "only through the control socket".to_owned(),
        Access::Founder => "only through the control socket, also before the house has an owner".to_owned(),
    }
}

pub(super) fn codes(access: Access) -> &'static [&'static str] {
    match access {
        Access::Public => &[],
        Access::User(_) => {
            &["unauthorized", "scope_insufficient", "key_in_query", "no_owner", "unknown_user"]
        }
        Access::Operator => &["no_owner", "unknown_route", "unknown_user"],
        Access::Founder => &["unknown_route"],
    }
}
