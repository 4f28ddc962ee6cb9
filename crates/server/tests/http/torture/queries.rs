//! Every parameter of every query, and every place of every path.

use super::{findings::Findings, visitor::Visitor};
use serde_json::Value;

const VALUES: [&str; 12] = [
    "",
    "x",
    "-1",
    "+1",
    "1.5",
    "1e3",
    "99999999999999999999",
    "%00",
    "%ff%fe",
    "%E2%80%AE",
    "true",
    "a%20b",
];

const NAMES: [&str; 3] = ["a%00b", "%1b%5b31m", "%E2%80%AEgnp.exe"];

/// What a parameter of this type can be.
fn fits(schema: &Value, value: &str) -> bool {
    match schema["type"].as_str() {
        Some("integer") => value.parse::<u64>().is_ok() && !value.starts_with('+'),
        Some("boolean") => ["true", "false"].contains(&value),
        _ => !schema["enum"].is_array() && schema["$ref"].is_null(),
    }
}

#[tokio::test]
async fn every_parameter_refuses_what_it_is_not() {
    refuses(Visitor::new().await).await;
}

#[tokio::test]
async fn every_parameter_refuses_what_it_is_not_on_postgres() {
    if let Some(visitor) = Visitor::on_postgres().await {
        refuses(visitor).await;
    }
}

async fn refuses(visitor: Visitor) {
    let mut findings = Findings::default();
    for (path, methods) in server::openapi()["paths"].as_object().unwrap() {
        let parameters = methods["get"]["parameters"].as_array().into_iter().flatten();
        let parameters: Vec<&Value> = parameters.filter(|parameter| parameter["in"] == "query").collect();
        if parameters.is_empty() {
            continue;
        }
        let mut queries = vec![("unknown_parameter=1".to_owned(), "unknown_parameter", true)];
        for parameter in parameters {
            let name = parameter["name"].as_str().unwrap();
            queries.push((format!("{name}=1&{name}=1"), name, true));
            let value = |value: &&str| (format!("{name}={value}"), name, !fits(&parameter["schema"], value));
            queries.extend(VALUES.iter().map(value));
        }
        for (query, named, is_wrong) in queries {
            let address = format!("{}?{query}", visitor.path(path));
            let answer = visitor.call("GET", &address, true).send().await;
            let detail = answer.json()["detail"].as_str().unwrap_or_default().to_owned();
            let refused = answer.status == 400 && detail.contains(named);
            findings.expect(refused || (!is_wrong && answer.status < 500), || {
                format!("GET {path}?{query}: {} {detail}", answer.status)
            });
        }
    }
    findings.none_of(200);
}

/// Names and ids that are none, in each place of each path, for each of its methods.
#[tokio::test]
async fn every_place_of_a_path_refuses_what_it_is_not() {
    let visitors = [Some(Visitor::new().await), Visitor::on_postgres().await];
    for visitor in visitors.into_iter().flatten() {
        let mut findings = Findings::default();
        for (path, methods) in server::openapi()["paths"].as_object().unwrap() {
            let places = path.split('/').filter(|step| step.starts_with('{'));
            for (place, value) in places.flat_map(|place| NAMES.map(|value| (place, value))) {
                let address = visitor.path(&path.replace(place, value));
                for (method, operation) in methods.as_object().unwrap() {
                    let ways = operation["security"].as_array().into_iter().flatten();
                    let takes_key = ways.into_iter().any(|way| way.get("bearer").is_some());
                    let call = visitor.call(&method.to_uppercase(), &address, takes_key);
                    let example = &operation["requestBody"]["content"]["application/json"]["example"];
                    let call = if example.is_null() { call } else { call.json(example) };
                    let answer = call.send().await;
                    findings.expect((400..500).contains(&answer.status), || {
                        format!("{method} {path} with {value}: {}", answer.status)
                    });
                }
            }
        }
        findings.none_of(100);
    }
}
