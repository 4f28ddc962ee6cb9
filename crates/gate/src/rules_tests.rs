use super::*;
use serde_json::json;

const KINDS: &[(&str, ArgumentKind)] = &[
    ("url", ArgumentKind::Url),
    ("path", ArgumentKind::Path),
    ("command", ArgumentKind::Command),
    ("to", ArgumentKind::Recipient),
];

fn template_fits(template: Value, arguments: Value) -> bool {
    fits(Some(&RuleArguments::Template(template)), KINDS, &arguments, None).is_some()
}

#[test]
fn a_template_names_every_argument() {
    assert!(template_fits(json!({ "a": 1 }), json!({ "a": 1 })));
    assert!(template_fits(json!({ "a": "*", "b": 2 }), json!({ "a": [1], "b": 2 })));
    assert!(!template_fits(json!({ "a": 1 }), json!({ "a": 1, "more": true })));
    assert!(!template_fits(json!({ "a": 1, "b": 1 }), json!({ "a": 1 })));
    assert!(!template_fits(json!({ "a": "x*" }), json!({ "a": "xy" })), "a text is no pattern");
}

#[test]
fn attack_10_the_beginning_of_a_command_permits_nothing() {
    assert!(
        template_fits(json!({ "command": "git status" }), json!({ "command": "git status" })),
        "the control"
    );
    for command in [
        "git status; rm -rf /",
        "git status && curl evil",
        "git status | sh",
        "git status\nrm",
        "git  status",
        "GIT status",
        "env git status",
        "$(git status)",
    ] {
        assert!(
            !template_fits(json!({ "command": "git status" }), json!({ "command": command })),
            "{command}"
        );
        assert!(!template_fits(json!({ "command": "git *" }), json!({ "command": command })), "{command}");
        assert!(!template_fits(json!({ "command": "*" }), json!({ "command": command })), "{command}");
    }
    assert!(!template_fits(json!({ "to": "*" }), json!({ "to": "somebody" })));
}

#[test]
fn an_address_may_be_anywhere_below_another() {
    let below = |url: &str| template_fits(json!({ "url": "https://good.org/docs/*" }), json!({ "url": url }));
    assert!(below("https://good.org/docs/a/b?c=d"));
    for url in [
        "https://good.org/docs",
        "https://good.org/docs/../secret",
        "https://good.org/docs/%2e%2E/secret",
        "https://good.org/docs/a%2f..%2f..",
        "https://good.org/docs/..\\x",
        "http://good.org/docs/a",
        "https://good.org.evil.org/docs/a",
        "https://good.org:444/docs/a",
    ] {
        assert!(!below(url), "{url}");
    }
    let anywhere =
        |pattern: &str| template_fits(json!({ "url": pattern }), json!({ "url": "https://good.org/a" }));
    assert!(anywhere("https://good.org/*"));
    for pattern in ["https://*", "https:///*", "https://good.o*", "https://good.org*", "h*"] {
        assert!(!anywhere(pattern), "{pattern}");
    }
    assert!(template_fits(json!({ "path": "/notes/*" }), json!({ "path": "/notes/a.md" })));
    assert!(!template_fits(json!({ "path": "/notes/*" }), json!({ "path": "/notes/../x" })));
}

#[test]
fn what_could_never_be_meant_is_refused_when_it_is_said() {
    let wrong = |value: Value| arguments_problem(&RuleArguments::Template(value), KINDS).is_some();
    assert!(!wrong(json!({ "command": "ls", "url": "https://a/*", "path": "*", "x": "*" })));
    for template in [
        json!({ "command": "ls *" }),
        json!({ "command": "*" }),
        json!({ "to": "*@a.org" }),
        json!({ "url": "https://a*" }),
        json!({ "x": "a*" }),
        json!("ls"),
        json!([]),
    ] {
        assert!(wrong(template.clone()), "{template}");
    }
    assert!(arguments_problem(&RuleArguments::Exact(json!({ "x": "a*" })), KINDS).is_none());
}

fn said(subject: Subject, tool: &str, action: Permission, arguments: Option<RuleArguments>) -> Rule {
    Rule {
        id: RuleId::from_uuid(uuid::Uuid::nil()),
        user_id: None,
        subject,
        tool: tool.to_owned(),
        action,
        scope: RuleScope::Always,
        arguments,
        expires_at: None,
        created_at: domain::Timestamp::from_millis(0),
    }
}

/// What is asked about instead of being forbidden is wider, also where the rule is a closer one.
#[test]
fn a_closer_rule_outdoes_a_stricter_one() {
    use Permission::{Ask, Deny};
    let user = Subject::User(domain::UserId::from_uuid(uuid::Uuid::from_u128(1)));
    let session = |number| Subject::Session(domain::SessionId::from_uuid(uuid::Uuid::from_u128(number)));
    let exact = Some(RuleArguments::Exact(json!({ "command": "ls" })));
    let deny = said(user, "bash", Deny, None);
    for (new, wider) in [
        (said(session(1), "bash", Ask, None), true),
        (said(session(1), "*", Ask, None), true),
        (said(user, "bash", Ask, exact.clone()), true),
        (said(user, "bash.run", Ask, None), true),
        (said(user, "bash", Ask, None), false),
        (said(user, "*", Ask, None), false),
        (said(Subject::Everybody, "bash", Ask, exact.clone()), false),
        (said(session(1), "bash", Deny, None), false),
        (said(session(1), "web_fetch", Ask, None), false),
    ] {
        assert_eq!(outdoes(&new, &deny), wider, "{new:?}");
    }
    let elsewhere = said(session(2), "bash", Deny, None);
    assert!(!outdoes(&said(session(1), "bash", Ask, exact), &elsewhere), "another session");
    let every = said(Subject::Everybody, "*", Permission::AskEveryTime, None);
    assert!(outdoes(&said(user, "bash", Ask, None), &every));
}
