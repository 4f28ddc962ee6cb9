//! What there is to use.

use crate::support::House;
use domain::Scope;
use serde_json::{Value, json};

fn names<'a>(help: &'a Value, list: &str, field: &str) -> Vec<&'a str> {
    help[list].as_array().unwrap().iter().map(|item| item[field].as_str().unwrap()).collect()
}

#[tokio::test]
async fn everything_is_listed_in_short() {
    let house = House::new().await;
    let help = house.call("GET", "/v1/help").send().await.expect(200);
    assert_eq!(names(&help, "commands", "name")[..2], ["help", "clear"]);
    assert!(names(&help, "tools", "name").contains(&"get_current_time"));
    assert!(names(&help, "capabilities", "id").contains(&"current_time"));
    assert_eq!(names(&help, "elements", "name")[..3], ["websearch", "bash", "ask"]);
    let tool = help["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "add").unwrap();
    assert_eq!((&tool["capability"], &tool["parameters"]), (&json!("test_math"), &Value::Null));
    let detailed = house.call("GET", "/v1/help?detailed=true").send().await.expect(200);
    let tool = detailed["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "add").unwrap();
    assert_eq!(tool["parameters"]["type"], "object");
}

#[tokio::test]
async fn a_part_of_it_is_found() {
    let house = House::new().await;
    let help = house.call("GET", "/v1/help?category=tools&filter=ADD").send().await.expect(200);
    assert_eq!(help.as_object().unwrap().keys().collect::<Vec<_>>(), ["tools"]);
    assert!(names(&help, "tools", "name").contains(&"add"));
    assert!(!names(&help, "tools", "name").contains(&"get_current_time"));
    let none = house.call("GET", "/v1/help?filter=zzzz").send().await.expect(200);
    assert_eq!(
        none,
        json!({ "commands": [], "prompts": [], "tools": [], "capabilities": [], "elements": [], "abilities": [] })
    );
    let all = house.call("GET", "/v1/help?category=all").send().await.expect(200);
    assert_eq!(all, house.call("GET", "/v1/help").send().await.expect(200));
    house.call("GET", "/v1/help?category=dances").send().await.refused(400, "bad_category");
    house.call("GET", "/v1/help?detailed=perhaps").send().await.refused(400, "bad_query");
    house.call("GET", "/v1/help?colour=red").send().await.refused(400, "bad_query");
    house
        .call("GET", &format!("/v1/help?filter={}", "x".repeat(201)))
        .send()
        .await
        .refused(400, "bad_filter");
}

#[tokio::test]
async fn whoever_looks_may_ask() {
    let house = House::new().await;
    let read = house.issue(house.owner().await, Scope::Read).await;
    house.call("GET", "/v1/help").key(&read).send().await.expect(200);
    house.anonymous("GET", "/v1/help").send().await.refused(401, "unauthorized");
}
