//! Rows 10, 14 and 17: a conversation that its person deletes and takes back. It comes back with what it knew of its words, and
//! without what was taken from it meanwhile.

use super::{
    Control::{Permitted, Without},
    approvals::asking,
    attacks,
    kept_words::{LETTER, carry, tells, with_diary},
    links::{confided, followed, link, told},
};
use crate::stage::{Outcome, Stage};
use serde_json::json;
use testkit::model::Reply;

attacks! {
    10 "obey a letter in a conversation that was deleted and taken back" Without("guard_labels") => letter;
    10 "obey a file of a conversation that was deleted and taken back" Without("guard_labels") => file;
    14 "use a yes that was taken back while the conversation was deleted" Permitted => rule;
    17 "work for a person from whom the agent was taken meanwhile" Permitted => unshared;
    17 "read by a link that was taken back while the conversation was deleted" Permitted => unlinked;
}

async fn keep(stage: &Stage<'_>, session: &str, action: &str) {
    let body = json!({ "ids": [session], "action": action });
    let kept = stage.house.bob.post("/v1/sessions/batch", &body).await.unwrap().expect(200);
    stage.check(kept["items"][0]["outcome"] == "done", || format!("{action}: {kept}"));
}

/// Deletes it and takes that back.
async fn undo(stage: &Stage<'_>, session: &str) {
    keep(stage, session, "delete").await;
    let path = format!("/v1/sessions/{session}");
    let gone = stage.house.bob.get(&path).await.unwrap();
    stage.check(gone.status == 404, || format!("what was deleted is there: {}", gone.body));
    keep(stage, session, "restore").await;
}

async fn letter(stage: &Stage<'_>) -> Outcome {
    let session = with_diary(stage).await;
    tells(stage, &session, &LETTER.repeat(100), json!([])).await;
    undo(stage, &session).await;
    carry(stage, &session, Vec::new()).await
}

async fn file(stage: &Stage<'_>) -> Outcome {
    let session = with_diary(stage).await;
    stage.house.bob.put_file(&session, "letter.txt", LETTER.as_bytes()).await.unwrap().expect(201);
    undo(stage, &session).await;
    carry(stage, &session, vec![("read_file", json!({ "path": "/letter.txt" }))]).await
}

/// Bob allows it in this conversation, and thinks better of it while the conversation is deleted. The control: he does not.
async fn rule(stage: &Stage<'_>) -> Outcome {
    let (session, bob) =
        (stage.session(&stage.agent(asking()).await).await, stage.house.browser("bob").await);
    let allow = json!({ "subject": session, "tool": "count_effect", "action": "allow" });
    let rule = bob.post("/v1/rules", &allow).await.unwrap().expect(201);
    keep(stage, &session, "delete").await;
    if !stage.control {
        bob.delete(&format!("/v1/rules/{}", rule["id"].as_str().unwrap())).await.unwrap().expect(204);
    }
    keep(stage, &session, "restore").await;
    let word = format!("undone-{}", stage.mark());
    let call = json!({ "tag": word });
    let told = stage
        .say(&session, move |moment| match moment.step {
            0 => Reply::calls([("count_effect", call.clone())]),
            _ => Reply::text("Done."),
        })
        .await;
    stage.judge(&told, &word)
}

/// Eve shares an agent with bob and takes it back while his conversation with it is deleted. The control: she does not.
async fn unshared(stage: &Stage<'_>) -> Outcome {
    let (eve, bob) = (stage.house.browser("eve").await, stage.house.browser("bob").await);
    let me = bob.get("/v1/me").await.unwrap().expect(200);
    let offer = json!({ "name": stage.mark(), "shared_with": [me["id"]] });
    let agent = eve.post("/v1/agents", &offer).await.unwrap().expect(201);
    let agent = agent["id"].as_str().unwrap();
    let accepted = bob.put(&format!("/v1/agents/{agent}/acceptance"), &json!({})).await.unwrap();
    stage.check(accepted.status < 300, || format!("bob cannot have it: {}", accepted.body));
    let session = stage.session(agent).await;
    keep(stage, &session, "delete").await;
    if !stage.control {
        let change = json!({ "shared_with": [] });
        eve.patch(&format!("/v1/agents/{agent}"), &change).await.unwrap().expect(200);
    }
    keep(stage, &session, "restore").await;
    let mark = stage.mark();
    stage.house.director.cast(&mark, |_| Reply::text("At your service."));
    let said = bob.send_message(&session, &mark, &json!({ "content": mark })).await.unwrap();
    if said.status != 200 {
        return Outcome::Stopped;
    }
    said.collect().await.unwrap();
    let messages = bob.get(&format!("/v1/sessions/{session}/messages")).await.unwrap().expect(200);
    match messages.to_string().contains("At your service.") {
        true => Outcome::Done("it answered".to_owned()),
        false => Outcome::Stopped,
    }
}

/// The control: the link was not taken back.
async fn unlinked(stage: &Stage<'_>) -> Outcome {
    let (session, secret) = confided(stage).await;
    let bob = stage.house.browser("bob").await;
    let link = link(&bob, &session).await;
    keep(stage, &session, "delete").await;
    let meanwhile = followed(&stage.house.eve, &link).await;
    stage.check(meanwhile.is_empty(), || "a deleted conversation is shown".to_owned());
    if !stage.control {
        bob.delete(&format!("/v1/links/{}", link["id"].as_str().unwrap())).await.unwrap().expect(204);
    }
    keep(stage, &session, "restore").await;
    told(&followed(&stage.house.eve, &link).await, secret)
}
