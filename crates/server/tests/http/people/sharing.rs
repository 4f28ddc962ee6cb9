use crate::support::House;
use domain::UserRole;
use serde_json::json;
use testkit::model::Reply;

#[tokio::test]
async fn a_shared_agent_is_used_in_sessions_of_ones_own_until_it_is_not_shared() {
    let house = House::new().await;
    let guest = house.resident("Grace", UserRole::Guest).await;
    let body =
        json!({ "name": "cook", "system_prompt": "The key is under the mat.", "shared_with": [guest.id] });
    let agent = house.call("POST", "/v1/agents").json(&body).send().await.expect(201);
    let agent = agent["id"].as_str().unwrap();
    let seen = guest.call("GET", &format!("/v1/agents/{agent}")).send().await.expect(200);
    assert!(seen["shared_by"].is_string() && seen.get("system_prompt").is_none(), "{seen}");
    let open = || guest.call("POST", "/v1/sessions").json(&json!({ "agent_id": agent })).send();
    let talk = open().await.expect(201)["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/sessions/{talk}/messages");
    let say = || guest.call("POST", &path).json(&json!({ "content": "Dinner?" })).send();
    house.model.script(Reply::text("Soup."));
    assert_eq!(say().await.expect(200)["message"]["content"], "Soup.");
    // What the owner told it reaches the model; the conversation is not the owner's.
    assert!(house.model.last_request().unwrap().messages()[0].to_string().contains("under the mat"));
    house.call("GET", &format!("/v1/sessions/{talk}")).send().await.refused(404, "not_found");

    let unshare = json!({ "shared_with": null });
    house.call("PATCH", &format!("/v1/agents/{agent}")).json(&unshare).send().await.expect(200);
    say().await.refused(409, "agent_not_shared");
    open().await.refused(400, "unknown_agent");
    assert_eq!(guest.call("GET", &path).send().await.expect(200)["items"][1]["content"], "Soup.");
}

#[tokio::test]
async fn its_settings_are_its_owners_and_the_admins() {
    let house = House::new().await;
    let grace = house.resident("Grace", UserRole::Member).await;
    let admin = house.resident("Eve", UserRole::Admin).await;
    let made = house.call("POST", "/v1/agents").json(&json!({ "name": "cook" })).send().await.expect(201);
    let path = format!("/v1/agents/{}", made["id"].as_str().unwrap());
    let change = json!({ "system_prompt": "x" });
    admin.call("PATCH", &path).json(&change).send().await.refused(404, "not_found");
    let share = json!({ "shared_with": ["*"] });
    house.call("PATCH", &path).json(&share).send().await.expect(200);
    grace.call("PATCH", &path).json(&change).send().await.refused(403, "not_yours");
    grace.call("GET", &format!("{path}/export")).send().await.refused(403, "not_yours");
    admin.call("PATCH", &path).json(&change).send().await.expect(200);
    admin.call("DELETE", &path).send().await.refused(403, "not_yours");
}
