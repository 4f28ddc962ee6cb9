//! What a description cannot say of a body: which password fits, and what goes only with something else.

use crate::{
    actor::{Actor, DECOY, PASSWORDS},
    document::Operation,
};
use rand::{RngExt, rngs::StdRng};
use serde_json::{Value, json};

/// Changes a body that its schema allows into one that the route can do something with.
pub fn fit(operation: &Operation, actor: &Actor, body: &mut Value, dice: &mut StdRng) {
    let without = |body: &mut Value, names: &[&str]| {
        let fields = body.as_object_mut();
        fields.into_iter().for_each(|fields| fields.retain(|name, _| !names.contains(&name.as_str())));
    };
    match operation.name.as_str() {
        "POST /v1/login" => *body = json!({ "name": DECOY, "password": actor.password }),
        "POST /v1/me/confirm" => body["password"] = json!(actor.password),
        "POST /v1/me/password" => {
            let other = PASSWORDS.into_iter().find(|password| *password != actor.password);
            *body = json!({ "old": actor.password, "new": other });
        }
        "POST /v1/account-links" => match body["user_id"].is_string() {
            true => without(body, &["role"]),
            false => *body = json!({ "role": if dice.random_bool(0.5) { "member" } else { "guest" } }),
        },
        "POST /v1/api-keys" => {
            without(body, &["user", "source"]);
            if body["scope"] == "bridge" {
                body["source"] = json!("signal");
            }
        }
        "POST /v1/chat" | "POST /chat" => without(body, &["answers", "sender", "source"]),
        "PUT /v1/providers/{name}" | "POST /v1/providers/{name}/test" => {
            *body = json!({ "base_url": "http://127.0.0.1:9/v1", "models": ["small"], "wire": body["wire"] });
        }
        // A tool that may do something is named; `*` is for what it may not.
        "POST /v1/rules" => body["action"] = json!(if dice.random_bool(0.5) { "deny" } else { "ask" }),
        "POST /v1/agents/import" => {
            body["agent"] = json!({ "name": format!("guest{}", dice.random::<u32>()) })
        }
        "POST /v1/agents" if dice.random_bool(0.5) => body["shared_with"] = json!(["*"]),
        // Who follows a turn sees it wait.
        "POST /v1/sessions/{id}/messages/stream" if dice.random_bool(0.5) => {
            *body = json!({ "content": "ask for approval" });
        }
        "POST /v1/backups" => *body = json!({}),
        _ => {}
    }
}
