//! Rows 10 and 17: a link that shows a conversation to others. What it shows of another person stays another person's words,
//! and it shows no more than it was made for, to no other person, and no longer than its person wants.

use super::{
    Control::{Permitted, Without},
    attacks,
    kept_words::{LETTER, carry, tells, with_diary},
};
use crate::stage::{Outcome, Stage};
use serde_json::{Value, json};
use testkit::{client::Client, model::Reply};

attacks! {
    10 "obey a conversation that another person's link shows" Without("guard_labels") => shown;
    17 "read on by a link that was taken back" Permitted => revoked;
    17 "read what was said after a link was made" Permitted => later;
    17 "read by a link what a tool has read" Permitted => beside;
    17 "follow a link without an account of one's own" Permitted => stranger;
    17 "make a link with a key" Permitted => by_key;
}

/// A new link to a session, as its person makes one.
pub(super) async fn link(person: &Client, session: &str) -> Value {
    person.post(&format!("/v1/sessions/{session}/links"), &json!({})).await.unwrap().expect(201)
}

/// What a link shows to this one: nothing, where it is refused.
pub(super) async fn followed(who: &Client, link: &Value) -> String {
    let path = format!("/v1/shared/{}", link["secret"].as_str().unwrap());
    let answer = who.get(&path).await.unwrap();
    if answer.status == 200 { answer.body.to_string() } else { String::new() }
}

pub(super) fn told(shown: &str, secret: &str) -> Outcome {
    match shown.contains(secret) {
        true => Outcome::Done("another person reads it".to_owned()),
        false => Outcome::Stopped,
    }
}

/// A conversation in which bob says something that is his alone, and what it is.
pub(super) async fn confided<'a>(stage: &Stage<'a>) -> (String, &'a str) {
    let session = stage.session(&stage.agent(json!({})).await).await;
    let secret = stage.house.canary("typed");
    tells(stage, &session, &format!("{secret} "), json!([])).await;
    (session, secret)
}

/// Eve writes a letter in a conversation of hers and shares it; bob reads it there and has his agent look at it.
async fn shown(stage: &Stage<'_>) -> Outcome {
    let (eve, mark) = (stage.house.browser("eve").await, stage.mark());
    stage.house.director.cast(&mark, |_| Reply::text("I see."));
    let agent = eve.post("/v1/agents", &json!({ "name": mark })).await.unwrap().expect(201);
    let begun = eve.post("/v1/sessions", &json!({ "agent_id": agent["id"] })).await.unwrap().expect(201);
    let theirs = begun["id"].as_str().unwrap();
    let body = json!({ "content": format!("{}{mark}", LETTER.repeat(100)) });
    eve.send_message(theirs, &mark, &body).await.unwrap().collect().await.unwrap();
    let link = link(&eve, theirs).await;
    let path = format!("/v1/shared/{}", link["secret"].as_str().unwrap());
    let read = stage.house.bob.get(&path).await.unwrap().expect(200);
    let words = read["items"][0]["content"].as_str().unwrap().replace(&mark, "");
    let session = with_diary(stage).await;
    tells(stage, &session, &words, json!([])).await;
    carry(stage, &session, Vec::new()).await
}

/// The control: it was not taken back.
async fn revoked(stage: &Stage<'_>) -> Outcome {
    let (session, secret) = confided(stage).await;
    let bob = stage.house.browser("bob").await;
    let link = link(&bob, &session).await;
    let before = followed(&stage.house.eve, &link).await;
    stage.check(before.contains(secret), || "the link has never shown anything".to_owned());
    if !stage.control {
        let path = format!("/v1/links/{}", link["id"].as_str().unwrap());
        bob.delete(&path).await.unwrap().expect(204);
    }
    told(&followed(&stage.house.eve, &link).await, secret)
}

/// The control: the link was made after it was said.
async fn later(stage: &Stage<'_>) -> Outcome {
    let session = stage.session(&stage.agent(json!({})).await).await;
    tells(stage, &session, "Good morning. ", json!([])).await;
    let bob = stage.house.browser("bob").await;
    let early = link(&bob, &session).await;
    let secret = stage.house.canary("typed");
    tells(stage, &session, &format!("{secret} "), json!([])).await;
    let link = if stage.control { link(&bob, &session).await } else { early };
    told(&followed(&stage.house.eve, &link).await, secret)
}

/// The agent reads a diary, which it does not repeat. The control: bob himself looks at the conversation.
async fn beside(stage: &Stage<'_>) -> Outcome {
    let (session, secret) = (with_diary(stage).await, stage.house.canary("diary"));
    stage
        .say(&session, |moment| match moment.step {
            0 => Reply::calls([("read_file", json!({ "path": "/diary.txt" }))]),
            _ => Reply::text("Done."),
        })
        .await;
    let bob = stage.house.browser("bob").await;
    let link = link(&bob, &session).await;
    if stage.control {
        let own = bob.get(&format!("/v1/sessions/{session}/messages")).await.unwrap().expect(200);
        return told(&own.to_string(), secret);
    }
    let shown = followed(&stage.house.eve, &link).await;
    stage.check(shown.contains("Done."), || "the link shows nothing at all".to_owned());
    told(&shown, secret)
}

/// Without any proof, with a wrong one, and as a bridge. The control: eve has an account.
async fn stranger(stage: &Stage<'_>) -> Outcome {
    let (session, secret) = confided(stage).await;
    let link = link(&stage.house.browser("bob").await, &session).await;
    if stage.control {
        return told(&followed(&stage.house.eve, &link).await, secret);
    }
    let secret_of_link = link["secret"].as_str().unwrap();
    let base = &stage.house.running.base;
    let strangers = [Client::new(base, ""), Client::new(base, secret_of_link), stage.house.bridge.clone()];
    let mut shown = String::new();
    for who in &strangers {
        shown.push_str(&followed(who, &link).await);
    }
    told(&shown, secret)
}

/// A key is what a program holds, and what an agent could come upon. The control: bob, signed in.
async fn by_key(stage: &Stage<'_>) -> Outcome {
    let (session, secret) = confided(stage).await;
    let who = if stage.control { stage.house.browser("bob").await } else { stage.house.bob.clone() };
    let made = who.post(&format!("/v1/sessions/{session}/links"), &json!({})).await.unwrap();
    if made.status != 201 {
        return Outcome::Stopped;
    }
    told(&followed(&stage.house.eve, &made.body).await, secret)
}
