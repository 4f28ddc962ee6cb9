use super::*;
use crate::router::routes;
use std::collections::BTreeSet;

fn operations() -> Vec<(String, &'static Value)> {
    let mut found = Vec::new();
    for (path, methods) in document()["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            found.push((format!("{} {path}", method.to_uppercase()), operation));
        }
    }
    found
}

/// One line per operation and per schema, so that a change of the API can be read.
fn lines(document: &Value) -> String {
    let mut text = String::from("{\n");
    for (number, (name, value)) in document.as_object().unwrap().iter().enumerate() {
        let comma = if number == 0 { "" } else { ",\n" };
        text.push_str(&format!("{comma}{}: {}", json!(name), spread(value, 2)));
    }
    text + "\n}\n"
}

/// Objects are written one entry a line, down to this depth.
fn spread(value: &Value, depth: usize) -> String {
    match value.as_object().filter(|_| depth > 0) {
        Some(fields) => {
            let entry =
                |(name, value): (&String, &Value)| format!("{}: {}", json!(name), spread(value, depth - 1));
            format!("{{\n{}\n}}", fields.iter().map(entry).collect::<Vec<_>>().join(",\n"))
        }
        None => value.to_string(),
    }
}

#[test]
fn the_file_that_is_served_is_what_the_code_describes() {
    let (path, made) = (concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json"), lines(&build()));
    if std::env::var_os("DESCRIBE").is_some() {
        std::fs::write(path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap();
    let differs = kept.lines().zip(made.lines()).find(|(kept, made)| kept != made);
    assert!(
        kept == made,
        "the API has changed: run `make describe` and commit openapi.json; first: {differs:.300?}"
    );
}

#[test]
fn routes_and_descriptions_are_the_same_list() {
    let routes: BTreeSet<_> = routes().iter().map(|line| (line.method, line.path)).collect();
    let described: BTreeSet<_> = about::all().map(|about| (about.method, about.path)).collect();
    let missing: Vec<_> = routes.difference(&described).collect();
    let idle: Vec<_> = described.difference(&routes).collect();
    assert!(missing.is_empty(), "describe these routes in describe/about: {missing:?}");
    assert!(idle.is_empty(), "these descriptions have no route: {idle:?}");
    assert_eq!(operations().len(), routes.len());
    assert_eq!(about::all().count(), described.len(), "a route is described twice");
}

#[test]
fn every_operation_says_what_it_takes_and_gives() {
    let mut ids = BTreeSet::new();
    for (name, operation) in operations() {
        assert!(!operation["summary"].as_str().unwrap().is_empty(), "{name} has no summary");
        assert!(ids.insert(operation["operationId"].as_str().unwrap()), "{name}: its id is not its own");
        let answers = operation["responses"].as_object().unwrap();
        let good = answers.keys().filter(|status| !status.starts_with(['4', '5'])).count();
        assert!(good > 0, "{name}: say in describe/about what it answers");
        let path = name.split_once(' ').unwrap().1;
        let named = path.matches('{').count();
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let in_path = parameters.filter(|parameter| parameter["in"] == "path").count();
        assert_eq!(in_path, named, "{name}: every name in braces is a parameter");
    }
}

#[test]
fn codes_of_routes_are_declared() {
    for about in about::all() {
        for code in about.codes {
            assert!(problem_kinds().iter().any(|kind| kind.code == *code), "{} {code}", about.path);
        }
    }
}

#[test]
fn no_reference_points_nowhere() {
    let names = super::super::references::names(document(), "#/");
    assert!(names.len() > 50, "the search finds references");
    for name in names {
        let pointer = format!("/{name}");
        assert!(document().pointer(&pointer).is_some(), "{pointer}");
    }
}

#[test]
fn examples_are_what_the_schemas_ask_for() {
    let mut checked = 0;
    for (name, operation) in operations() {
        let bodies =
            [&operation["requestBody"], &operation["responses"]["200"], &operation["responses"]["201"]];
        for content in bodies.map(|body| &body["content"]["application/json"]) {
            if content.is_null() {
                continue;
            }
            let mut schema = content["schema"].clone();
            schema["components"] = document()["components"].clone();
            let validator = jsonschema::draft202012::new(&schema).unwrap();
            let wrong: Vec<String> =
                validator.iter_errors(&content["example"]).map(|error| error.to_string()).collect();
            assert!(wrong.is_empty(), "{name}: {wrong:?}\n{}", content["example"]);
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn every_problem_of_a_route_has_an_example() {
    let mut checked = 0;
    for (name, operation) in operations() {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let content = &response["content"][PROBLEM_JSON];
            if !status.starts_with(['4', '5']) {
                continue;
            }
            let examples = content["examples"].as_object().unwrap();
            let codes = content["schema"]["properties"]["code"]["enum"].as_array().unwrap();
            assert_eq!(examples.len(), codes.len(), "{name} {status}");
            for example in examples.values().map(|example| &example["value"]) {
                let (code, number) = (&example["code"], example["status"].to_string());
                assert!(codes.contains(code) && number == *status, "{name} {status}: {example}");
                checked += 1;
            }
        }
    }
    assert!(checked > 400, "{checked}");
}

/// One route's clients need it; no other client may count on it.
#[test]
fn the_member_for_chat_clients_is_optional() {
    let problem = &document()["components"]["schemas"]["Problem"];
    assert!(problem["properties"]["error"].is_object());
    let required: Vec<&str> =
        problem["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(required, ["type", "title", "status", "detail", "code"]);
}

#[test]
fn the_day_of_a_budget_is_the_one_that_the_server_keeps() {
    let day = &document()["components"]["schemas"]["Budget"]["properties"]["per_day_microusd"];
    let words = day["description"].as_str().unwrap();
    assert!(words.contains("limits.budget_time_zone") && !words.contains("zone of the person"), "{words}");
}
