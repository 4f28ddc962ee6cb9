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
    guest.call("PUT", &format!("/v1/agents/{agent}/acceptance")).json(&json!({})).send().await.expect(200);
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

/// A guest may not list the capabilities, and their page has to know where an attached file goes.
#[tokio::test]
async fn an_agent_says_whether_it_works_with_files() {
    let house = House::new().await;
    let guest = house.resident("Gus", UserRole::Guest).await;
    for (capability, works) in [("session_file_system", true), ("current_time", false)] {
        let body = json!({ "name": capability, "capabilities": [capability], "shared_with": ["*"] });
        let made = house.call("POST", "/v1/agents").json(&body).send().await.expect(201);
        let path = format!("/v1/agents/{}", made["id"].as_str().unwrap());
        for seen in [house.call("GET", &path), guest.call("GET", &path)] {
            assert_eq!(seen.send().await.expect(200)["works_with_files"], works, "{capability}");
        }
    }
    guest.call("GET", "/v1/capabilities").send().await.refused(403, "role_insufficient");
}

/// HOUSE-06, THREAT[agent-06] Another person's agent is nobody's colleague before they have accepted it.
#[tokio::test]
async fn an_agent_that_another_member_shares_is_offered_until_it_is_accepted() {
    let house = House::new().await;
    let grace = house.resident("Grace", UserRole::Member).await;
    let mallory = house.resident("Mallory", UserRole::Member).await;
    for shares in [json!([grace.id]), json!(["*"])] {
        let body = json!({ "name": format!("helper {}", shares.to_string().len()), "shared_with": shares });
        let made = mallory.call("POST", "/v1/agents").json(&body).send().await.expect(201);
        let id = made["id"].as_str().unwrap();
        let path = format!("/v1/agents/{id}");
        let seen = grace.call("GET", &path).send().await.expect(200);
        assert_eq!((&seen["offered"], &seen["shared_by_name"]), (&json!(true), &json!("Mallory")), "{seen}");
        let list = grace.call("GET", "/v1/agents").send().await.expect(200);
        let listed = list["items"].as_array().unwrap().iter().find(|agent| agent["id"] == id).unwrap();
        assert_eq!(listed["offered"], true);
        let commanded = async || {
            let body = json!({ "line": "/agent list" });
            grace.call("POST", "/v1/commands").json(&body).send().await.expect(200)["text"].to_string()
        };
        assert!(commanded().await.contains("offered to you by `Mallory`"), "by the owner's name");
        let open = || grace.call("POST", "/v1/sessions").json(&json!({ "agent_id": id })).send();
        open().await.refused(409, "agent_not_accepted");

        let acceptance = format!("{path}/acceptance");
        let accepted = grace.call("PUT", &acceptance).json(&json!({})).send().await.expect(200);
        assert_eq!(accepted["offered"], false);
        assert!(commanded().await.contains("shared with you by `Mallory`"));
        grace.call("PUT", &acceptance).json(&json!({})).send().await.expect(200);
        let session = open().await.expect(201)["id"].as_str().unwrap().to_owned();
        let say = || {
            let path = format!("/v1/sessions/{session}/messages");
            grace.call("POST", &path).json(&json!({ "content": "Hi" })).send()
        };
        house.model.script(Reply::text("Hello."));
        say().await.expect(200);
        grace.call("DELETE", &acceptance).send().await.expect(204);
        say().await.refused(409, "agent_not_shared");
        assert_eq!(grace.call("GET", &path).send().await.expect(200)["offered"], true);

        // Taken back and shared again, it is a new offer.
        grace.call("PUT", &acceptance).json(&json!({})).send().await.expect(200);
        for shares in [json!([]), shares.clone()] {
            mallory.call("PATCH", &path).json(&json!({ "shared_with": shares })).send().await.expect(200);
        }
        assert_eq!(grace.call("GET", &path).send().await.expect(200)["offered"], true);
        say().await.refused(409, "agent_not_shared");
    }
    // Who is offered nothing can accept nothing.
    let eve = house.resident("Eve", UserRole::Admin).await;
    let private = mallory.call("POST", "/v1/agents").json(&json!({ "name": "own" })).send().await.expect(201);
    let path = format!("/v1/agents/{}/acceptance", private["id"].as_str().unwrap());
    grace.call("PUT", &path).json(&json!({})).send().await.refused(404, "not_found");
    let body = json!({ "name": "for Grace", "shared_with": [grace.id] });
    let made = mallory.call("POST", "/v1/agents").json(&body).send().await.expect(201);
    let path = format!("/v1/agents/{}/acceptance", made["id"].as_str().unwrap());
    eve.call("PUT", &path).json(&json!({})).send().await.refused(409, "agent_not_shared");
}

/// What those who run the server share with everybody is the server's; that changes with their role.
#[tokio::test]
async fn an_admins_agent_for_everybody_needs_no_acceptance() {
    let house = House::new().await;
    let grace = house.resident("Grace", UserRole::Member).await;
    let eve = house.resident("Eve", UserRole::Admin).await;
    let body = json!({ "name": "helper", "shared_with": ["*"] });
    let made = eve.call("POST", "/v1/agents").json(&body).send().await.expect(201);
    let id = made["id"].as_str().unwrap();
    let path = format!("/v1/agents/{id}");
    assert_eq!(grace.call("GET", &path).send().await.expect(200)["offered"], false);
    let open = || grace.call("POST", "/v1/sessions").json(&json!({ "agent_id": id })).send();
    open().await.expect(201);
    let demoted = json!({ "role": "member" });
    house.call("PATCH", &format!("/v1/users/{}", eve.id)).json(&demoted).send().await.expect(200);
    open().await.refused(409, "agent_not_accepted");
    assert_eq!(grace.call("GET", &path).send().await.expect(200)["offered"], true);
}
