//! Row 28: without end, without measure.

use super::{Control::Permitted, attacks};
use crate::stage::{Outcome, Stage};
use serde_json::json;
use testkit::model::Reply;

attacks! {
    28 "go on for ever" Permitted => endless;
    28 "do the same for ever" Permitted => circles;
    28 "make hundreds of calls in one message" Permitted => crowd;
    28 "make so many that nobody could count them" Permitted => horde;
    28 "make a call of many megabytes" Permitted => heavy;
    28 "write to itself for ever" Permitted => echo;
}

/// How often the model was asked about this.
fn asked(stage: &Stage<'_>, mark: &str) -> usize {
    let told = stage.house.model.look_at_requests(0, |request| request.raw.contains(mark));
    told.into_iter().filter(|told| *told).count()
}

async fn endless(stage: &Stage<'_>) -> Outcome {
    let mark = stage.mark();
    let name = mark.clone();
    let steps = if stage.control { 40 } else { 10 };
    let agent = json!({ "capabilities": ["current_time", "counting"], "limits": { "steps": steps } });
    let told = stage
        .attack(agent, move |moment| match moment.step {
            30.. => Reply::text("That was enough."),
            step => Reply::text(format!("{name}!"))
                .then_calls([("count_read", json!({ "tag": format!("{step}") }))]),
        })
        .await;
    stage.check(stage.control || told.outcome.as_deref() == Some("limit"), || format!("{:?}", told.outcome));
    match asked(stage, &mark) {
        times if times <= 11 => Outcome::Stopped,
        times => Outcome::Done(format!("the model was asked {times} times")),
    }
}

/// The control is what changes a little each time, which is ordinary work.
async fn circles(stage: &Stage<'_>) -> Outcome {
    let mark = stage.mark();
    let (name, varied) = (mark.clone(), stage.control);
    let told = stage
        .attack(json!({ "capabilities": ["counting"] }), move |moment| match moment.step {
            20.. => Reply::text("That was enough."),
            step => {
                let tag = if varied { format!("{step}") } else { "again".to_owned() };
                Reply::text(format!("{name}!")).then_calls([("count_read", json!({ "tag": tag }))])
            }
        })
        .await;
    stage.check(stage.control || told.outcome.as_deref() == Some("limit"), || format!("{:?}", told.outcome));
    match asked(stage, &mark) {
        times if times <= 6 => Outcome::Stopped,
        times => Outcome::Done(format!("the model was asked {times} times")),
    }
}

async fn crowd(stage: &Stage<'_>) -> Outcome {
    many(stage, if stage.control { 100 } else { 200 }, 32).await
}

/// The control is what is still taken, and cut off at the agent's limit.
async fn horde(stage: &Stage<'_>) -> Outcome {
    let calls = match (stage.control, stage.whole) {
        (true, _) => 100,
        // Far more than are read of any message; the model of these tests needs a second for a thousand.
        (false, true) => 10_000,
        (false, false) => 2_000,
    };
    many(stage, calls, 0).await
}

/// So many calls at once, of which at most this many may run.
async fn many(stage: &Stage<'_>, calls: usize, most: usize) -> Outcome {
    let word = format!("crowd-{}", stage.mark());
    let limit = if stage.control { 128 } else { 32 };
    let agent = json!({ "capabilities": ["counting"], "limits": { "calls_per_step": limit } });
    let call = json!({ "tag": word });
    let told = stage
        .attack(agent, move |moment| match moment.step {
            0 => Reply::calls((0..calls).map(|_| ("count_effect", call.clone()))),
            _ => Reply::text("Done."),
        })
        .await;
    match stage.house.done(&word) {
        times if times <= most => stage.held(&told),
        times => Outcome::Done(format!("{times} of them ran")),
    }
}

async fn heavy(stage: &Stage<'_>) -> Outcome {
    let word = format!("heavy-{}", stage.mark());
    // The control is one that is as long as a tag may well be.
    let megabytes = if stage.control { 0 } else { 17 };
    let tag = format!("{word}{}", "x".repeat(megabytes << 20));
    let told = stage
        .attack(json!({ "capabilities": ["counting"] }), move |moment| match moment.step {
            0 => Reply::calls([("count_effect", json!({ "tag": tag }))]),
            _ => Reply::text("Done."),
        })
        .await;
    match stage.house.begun(&word) > 0 {
        true => Outcome::Done("it ran".to_owned()),
        false => stage.held(&told),
    }
}

/// Every message sets the next one going.
async fn echo(stage: &Stage<'_>) -> Outcome {
    let mark = stage.mark();
    let (name, most) = (mark.clone(), if stage.control { 3 } else { 200 });
    stage.house.director.cast(&mark, move |moment| {
        let said = moment.request.raw.matches(&format!("go on {name}")).count();
        match moment.step {
            0 if said < most => {
                Reply::calls([("send_agent_message", json!({ "message": format!("go on {name}") }))])
            }
            _ => Reply::text("Done."),
        }
    });
    let agent = stage.agent(json!({ "capabilities": ["colleagues"] })).await;
    let session = stage.session(&agent).await;
    stage.send(&session, &format!("Please {mark}")).await;
    stage.finish(&session, false).await;
    let path = format!("/v1/sessions/{session}/events?after=0&limit=1000");
    let events = stage.house.bob.get(&path).await.unwrap().expect(200);
    let turns =
        events["items"].as_array().unwrap().iter().filter(|event| event["type"] == "turn_started").count();
    match turns {
        _ if stage.control && turns >= 2 => Outcome::Done(format!("{turns} turns followed each other")),
        1..=64 => Outcome::Stopped,
        _ => Outcome::Done(format!("{turns} turns followed each other")),
    }
}
