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
