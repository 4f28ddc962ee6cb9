use super::*;
use serde_json::json;

const KINDS: &[(&str, ArgumentKind)] = &[
    ("url", ArgumentKind::Url),
    ("path", ArgumentKind::Path),
    ("command", ArgumentKind::Command),
    ("to", ArgumentKind::Recipient),
];

fn template_fits(template: Value, arguments: Value) -> bool {
    fits(Some(&RuleArguments::Template(template)), KINDS, &arguments).is_some()
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
    let wrong = |value: Value| problem(&RuleArguments::Template(value), KINDS).is_some();
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
    assert!(problem(&RuleArguments::Exact(json!({ "x": "a*" })), KINDS).is_none());
}
