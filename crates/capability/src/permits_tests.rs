use super::*;
use crate::Registry;

fn settings(value: Value) -> Settings {
    value.as_object().cloned().unwrap_or_default()
}

#[test]
fn every_setting_is_known_as_permitting_or_harmless() {
    let registry = Registry::builtin().unwrap();
    let schemas = registry.list().into_iter().filter_map(|view| view.settings_schema);
    let names: Vec<String> = schemas
        .flat_map(|schema| schema["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>())
        .collect();
    assert!(names.len() > 4, "{names:?}");
    for name in names {
        assert!(KNOWN.contains(&name.as_str()) || HARMLESS.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn more_hosts_fewer_denied_more_agents_and_writing_are_wider() {
    for (before, after, wider) in [
        (json!({}), json!({ "hosts": ["a.example"] }), true),
        (json!({ "hosts": ["a.example"] }), json!({}), false),
        (json!({ "hosts": ["a.example", "b.example"] }), json!({ "hosts": ["B.example"] }), false),
        (json!({ "hosts": ["*.example"] }), json!({ "hosts": ["a.example", "*.b.example"] }), false),
        (json!({ "hosts": ["a.example"] }), json!({ "hosts": ["*.a.example"] }), true),
        (json!({ "hosts": ["a.example"] }), json!({ "hosts": ["*.example"] }), true),
        (json!({ "denied_hosts": ["a.example"] }), json!({}), true),
        (json!({ "denied_hosts": ["a.example"] }), json!({ "denied_hosts": ["*.example"] }), false),
        (json!({}), json!({ "denied_hosts": ["a.example"] }), false),
        (json!({}), json!({ "agents": ["cook"] }), false),
        (json!({ "agents": ["cook"] }), json!({}), true),
        (json!({ "agents": ["cook"] }), json!({ "agents": ["cook", "main"] }), true),
        (json!({ "agents": ["cook", "main"] }), json!({ "agents": ["cook"] }), false),
        (json!({ "read_only": true }), json!({}), true),
        (json!({}), json!({ "read_only": true }), false),
        (json!({}), json!({ "timeout_seconds": 600 }), false),
    ] {
        let (before, after) = (settings(before), settings(after));
        assert_eq!(widens(&before, &after), wider, "{before:?} {after:?}");
        assert!(!widens(&before, &before), "{before:?}");
    }
}

#[test]
fn what_two_have_in_common_is_wider_than_neither() {
    let some = [
        json!({}),
        json!({ "hosts": ["a.example"] }),
        json!({ "hosts": ["*.example"], "denied_hosts": ["b.example"] }),
        json!({ "agents": ["cook"] }),
        json!({ "agents": ["cook", "main"], "read_only": true }),
    ];
    for own in &some {
        for asker in &some {
            let (own, asker) = (settings(own.clone()), settings(asker.clone()));
            let both = common(&own, &asker);
            assert!(!widens(&own, &both) && !widens(&asker, &both), "{own:?} {asker:?} {both:?}");
        }
        let own = settings(own.clone());
        assert!(!widens(&common(&own, &own), &own), "nothing is lost among equals: {own:?}");
    }
    let own = settings(json!({ "hosts": ["a.example", "evil.test"], "timeout_seconds": 60 }));
    let both = common(&own, &settings(json!({ "hosts": ["*.example"] })));
    assert_eq!(both, settings(json!({ "hosts": ["a.example"], "timeout_seconds": 60 })));
}

#[test]
fn what_permits_is_taken_out_and_the_rest_stays() {
    let mut some = settings(json!({ "hosts": ["a.example"], "denied_hosts": ["b.example"] }));
    assert_eq!(take_out(&mut some), Some("hosts"));
    assert_eq!(some, settings(json!({ "denied_hosts": ["b.example"] })));
    assert_eq!(take_out(&mut some), None);
}
