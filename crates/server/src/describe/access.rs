//! Who may call a route, in the words of OpenAPI.

use crate::access::{Access, Class};
use domain::Scope;
use serde_json::{Value, json};

pub(super) fn schemes() -> Value {
    json!({
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "an API key: majordomo api-key new, or POST /v1/api-keys",
        },
        "basic": {
            "type": "http",
            "scheme": "basic",
            "description": "an API key as the password, with any user name",
        },
        "login": {
            "type": "apiKey",
            "in": "cookie",
            "name": "__Host-sid",
            "description": "the cookie of POST /v1/login; over plain http its name is sid. A request that changes \
                            something needs the header Origin, too.",
        },
    })
}

fn scopes(access: Access) -> Vec<&'static str> {
    access.scopes.iter().map(|scope: &Scope| scope.as_str()).collect()
}

pub(super) fn security(access: Access) -> Value {
    if access.is_open() || access.class == Class::Operator {
        return json!([]);
    }
    let mut ways = vec![json!({ "login": [] })];
    if !access.scopes.is_empty() {
        ways.push(json!({ "bearer": scopes(access) }));
    }
    if access.basic {
        ways.push(json!({ "basic": [] }));
    }
    if access.nearby {
        ways.push(json!({}));
    }
    Value::Array(ways)
}

/// For people.
pub(super) fn words(access: Access) -> String {
    let who = match access.class {
        Class::Public => return "everyone, without signing in".to_owned(),
        Class::Setup => return "a person with the set-up link, while there is no owner account".to_owned(),
        Class::Operator => return "only through the control socket".to_owned(),
        Class::User => "every account",
        Class::Member => "members, admins and the owner",
        Class::Admin => "admins and the owner",
        Class::Owner => "the owner",
    };
    let how = match access.scopes {
        [] => ", signed in".to_owned(),
        _ => format!(", signed in or with a key of scope {}", scopes(access).join(", ")),
    };
    let confirmed = if access.confirmed { "; a sign-in must be confirmed with the password" } else { "" };
    format!("{who}{how}{confirmed}")
}

pub(super) fn codes(access: Access) -> Vec<&'static str> {
    let mut codes = match access.class {
        Class::Public | Class::Setup => return Vec::new(),
        Class::Operator => return vec!["no_owner", "unknown_route", "unknown_user"],
        Class::User => vec![],
        Class::Member | Class::Admin | Class::Owner => vec!["role_insufficient"],
    };
    codes.extend([
        "unauthorized",
        "scope_insufficient",
        "key_in_query",
        "no_owner",
        "unknown_user",
        "origin_required",
    ]);
    if access.confirmed {
        codes.push("confirmation_required");
    }
    codes
}
