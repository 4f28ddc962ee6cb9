//! Every field of every request, broken in every way. The routes and fields are those of the API's own description, and
//! its schemas are the judge: what they do not allow is refused, with a detail that names the field.

mod fields;
mod findings;
mod plain;
mod queries;
mod visitor;

use fields::{body_with, fields};
use findings::Findings;
use serde_json::{Value, json};
use visitor::Visitor;

/// An operation of the description that takes JSON.
pub struct Taker {
    method: String,
    path: String,
    schema: Value,
    example: Value,
    takes_key: bool,
}

impl Taker {
    fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// The clients of these routes were promised that what is not understood is passed over.
    fn is_lenient(&self) -> bool {
        self.path.ends_with("/chat")
    }
}

/// All of them that can be reached from the network.
fn takers() -> Vec<Taker> {
    let mut found = Vec::new();
    for (path, methods) in server::openapi()["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let content = &operation["requestBody"]["content"]["application/json"];
            // A question is answered once; its body is read like that of a prompt.
            if content.is_null() || path.starts_with("/v1/questions") {
                continue;
            }
            let ways = operation["security"].as_array().unwrap();
            found.push(Taker {
                method: method.to_uppercase(),
                path: path.clone(),
                schema: content["schema"].clone(),
                example: content["example"].clone(),
                takes_key: ways.iter().any(|way| way.get("bearer").is_some()),
            });
        }
    }
    assert!(found.len() >= 20, "the description has its routes: {}", found.len());
    found
}

/// In the place of any field, as JSON is written. Some of these no JSON library would write.
fn values() -> Vec<(&'static str, String)> {
    let long = json!("x".repeat(10_001)).to_string();
    let deep = format!("{}{}", "[".repeat(150), "]".repeat(150));
    let mut values: Vec<(&str, String)> = [
        ("null", "null"),
        ("boolean", "true"),
        ("zero", "0"),
        ("negative", "-1"),
        ("fraction", "1.5"),
        ("beyond u64", "18446744073709551616"),
        ("beyond i64", "-9223372036854775809"),
        ("beyond doubles", "1e400"),
        ("empty text", r#""""#),
        ("text", r#""no such thing""#),
        ("list", "[]"),
        ("list of lists", "[[[]]]"),
        ("object", "{}"),
        ("object with a member", r#"{"unknown_member":1}"#),
        ("NUL", r#""a\u0000b""#),
        ("escape", r#""\u001b[31m""#),
        ("bidi", r#""\u202egnp.exe""#),
        ("isolate", r#""a\u2066b""#),
        ("lone surrogate", r#""\ud83d""#),
        ("wrong escape", r#""\x41""#),
        ("number with a zero before it", "01"),
        ("not a number", "NaN"),
    ]
    .map(|(name, text)| (name, text.to_owned()))
    .into();
    values.extend([("too long", long), ("too deep", deep)]);
    values
}

/// Words of people are kept as they were said, whatever they are; and what is compared with a secret is not judged.
const FREE: [&str; 15] = [
    "about_me",
    "body",
    "instructions",
    "custom_prompt",
    "answer",
    "content",
    "message",
    "text",
    "system_prompt",
    "password",
    "old",
    "new",
    "token",
    "api_key",
    "pattern",
];
const STRANGE: [&str; 5] = ["NUL", "escape", "bidi", "isolate", "too long"];

#[tokio::test]
async fn every_field_refuses_what_it_is_not() {
    refuses(&Visitor::new().await, values()).await.none_of(1_500);
}

/// PostgreSQL has no text with a NUL in it: what was not refused before would be an error of the server.
#[tokio::test]
async fn every_field_refuses_characters_that_mislead_on_postgres() {
    let Some(visitor) = Visitor::on_postgres().await else { return };
    let strange: Vec<_> = values().into_iter().filter(|(kind, _)| STRANGE.contains(kind)).collect();
    assert_eq!(strange.len(), STRANGE.len());
    refuses(&visitor, strange).await.none_of(400);
}

/// Each of these values in the place of each field.
async fn refuses(visitor: &Visitor, values: Vec<(&'static str, String)>) -> Findings {
    let mut findings = Findings::default();
    for taker in takers() {
        let validator = fields::validator(&taker.schema);
        for field in fields(&taker.schema) {
            for (kind, value) in &values {
                let body = body_with(&visitor.base(&taker), &field, value);
                let described = serde_json::from_str(&body).is_ok_and(|body| validator.is_valid(&body));
                let passed_over = taker.is_lenient() && field.name() != "message";
                let free = FREE.contains(&field.name().as_str()) || passed_over;
                let strange = STRANGE.contains(kind) && !free;
                let refused = (!described && !passed_over) || strange;
                let (status, detail) = visitor.send(&taker, body.into_bytes()).await;
                let named = [&field.name(), &field.outermost(), "not JSON", "unknown_member"];
                let is_named =
                    named.iter().any(|name| detail.contains(*name)) || [413, 429].contains(&status);
                findings.expect(
                    status < 500 && (!refused || status >= 400) && (described || passed_over || is_named),
                    || format!("{}: {} is {kind}: {status} {detail}", taker.name(), field.path()),
                );
            }
        }
    }
    findings
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let visitor = Visitor::new().await;
    let mut findings = Findings::default();
    for taker in takers() {
        for field in fields(&taker.schema).into_iter().filter(|field| field.required && field.is_outermost())
        {
            let mut body = visitor.base(&taker);
            body.as_object_mut().unwrap().remove(&field.name());
            let (status, detail) = visitor.send(&taker, body.to_string().into_bytes()).await;
            findings.expect(status == 400 && detail.contains(&field.name()), || {
                format!("{} without {}: {status} {detail}", taker.name(), field.path())
            });
        }
    }
    findings.none_of(15);
}

#[tokio::test]
async fn what_is_unknown_or_there_twice_is_named() {
    let visitor = Visitor::new().await;
    let mut findings = Findings::default();
    for taker in takers() {
        let base = visitor.base(&taker).to_string();
        let with = |more: &str| format!("{{{more},{}", &base[1..]).replace(",}", "}");
        let doubled = format!("{},{}", &base[..base.len() - 1], &base[1..]);
        let bodies = [
            (with("\"unknown_member\":{\"a\":[1]}"), "unknown_member", !taker.is_lenient()),
            (with("\"other\":1,\"other\":2"), "other", true),
            (with("\"other\":{\"inner\":1,\"inner\":2}"), "", true),
            (doubled, "duplicate field", base != "{}"),
        ];
        for (body, named, is_wrong) in bodies {
            let shown = body.clone();
            let (status, detail) = visitor.send(&taker, body.into_bytes()).await;
            let is_refused = status == 400 && detail.contains(named);
            findings.expect(is_refused || (!is_wrong && status < 500), || {
                format!("{}: {shown}: {status} {detail}", taker.name())
            });
        }
    }
    findings.none_of(80);
}

/// The bodies that the tests above break are whole: unbroken they are taken.
#[tokio::test]
async fn what_is_not_broken_is_taken() {
    let visitor = Visitor::new().await;
    let mut findings = Findings::default();
    // These need a link, a password, a folder, a request or something that waits which is not the example's.
    let special = [
        "/v1/setup",
        "/v1/login",
        "/v1/me/password",
        "/v1/me/confirm",
        "/v1/backups",
        "/v1/approvals/{id}",
        "/v1/knowledge/{id}/review",
        "/v1/join",
        "/v1/join/look",
    ];
    // The provider of the path is made by a PUT of the same path, which is tried as well.
    let needs_provider = |taker: &Taker| taker.path == "/v1/providers/{name}" && taker.method == "PATCH";
    for taker in
        takers().iter().filter(|taker| !special.contains(&taker.path.as_str()) && !needs_provider(taker))
    {
        let body = visitor.base(taker);
        let (status, detail) = visitor.send(taker, body.to_string().into_bytes()).await;
        findings
            .expect((200..300).contains(&status), || format!("{}: {body}: {status} {detail}", taker.name()));
    }
    findings.none_of(15);
}
