//! Tool calls: side by side, each with exactly one result, whatever the tool or the model does.

use crate::world::{World, rest, shown, until_type};
use domain::{CallStatus, EventBody, ResultStatus, SessionStatus};
use serde_json::{Value, json};
use store::Page;
use testkit::model::Reply;

/// The results that the model was sent last, as JSON where they are.
fn results(world: &World) -> Vec<Value> {
    let sent = world.model.last_request().unwrap().results_since_user();
    sent.into_iter().map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text))).collect()
}

/// EVERRUNS-11
#[tokio::test]
async fn calls_of_one_message_run_side_by_side_and_are_answered_in_their_order() {
    let world = World::new().await;
    world.model.queue([
        Reply::text("Let me see.").then_calls([
            ("look", json!({ "say": "one", "gate": "one" })),
            ("touch", json!({ "say": "two", "gate": "two" })),
            ("put", json!({ "fail": true, "gate": "three" })),
        ]),
        Reply::text("Done."),
    ]);
    let accepted = world.post("Do three things").await;
    // All three are inside at the same time.
    world.tools.started(3).await;
    let mut reader = world.follow_from(0).await;
    let mut events = until_type(&mut reader, "tool_use_start").await;
    for (gate, status) in
        [("three", ResultStatus::Error), ("one", ResultStatus::Ok), ("two", ResultStatus::Ok)]
    {
        world.tools.open(gate);
        let step = until_type(&mut reader, "tool_result").await;
        let Some(domain::EnvelopeBody::Durable(EventBody::ToolResult { status: found, .. })) =
            step.last().map(|event| event.body.clone())
        else {
            panic!("no result")
        };
        assert_eq!(found, status, "results are stored as they come");
        events.extend(step);
    }
    world.ended(accepted).await;
    let [request, answer] = &world.model.requests()[..] else { panic!("two requests") };
    assert_eq!(request.messages().len() + 4, answer.messages().len());
    let calls = &answer.messages()[2]["tool_calls"];
    let names: Vec<_> = (0..3).map(|at| calls[at]["function"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["look", "touch", "put"]);
    for (at, result) in answer.messages()[3..].iter().enumerate() {
        assert_eq!(result["tool_call_id"], calls[at]["id"], "results stand in the order of the calls");
    }
    assert_eq!(
        results(&world),
        [json!({ "said": "one" }), json!({ "said": "two" }), json!({ "error": "it did not work" })]
    );
    world.check(&["Do three things"]).await;
}

#[tokio::test]
async fn a_turn_with_a_call_says_what_happens_in_order() {
    let world = World::new().await;
    world.model.queue([Reply::calls([("add", json!({ "a": 2, "b": 3 }))]), Reply::text("Five.")]);
    let events = world.run("2 + 3").await;
    assert_eq!(
        shown(&events),
        [
            "input_accepted queue",
            "turn_started 1",
            "user_message 2 + 3",
            "agent_status working",
            "message_start",
            "message_complete  ToolUse",
            "usage",
            "tool_use_start add",
            "tool_result add Ok",
            "message_start",
            "message_complete Five. Completed",
            "usage",
            "agent_status completed",
            "turn_ended completed",
        ]
    );
    let session = world.session().await;
    assert_eq!((session.usage.input_tokens, session.usage.output_tokens), (200, 20));
    assert_eq!(session.message_count, 4);
    let turn = events[0].turn_id.unwrap();
    let calls = world.engine().calls(world.user, turn).await.unwrap();
    assert_eq!(calls.len(), 1);
    assert_eq!((calls[0].name.as_str(), calls[0].status), ("add", CallStatus::Ok));
    assert!(calls[0].content.as_ref().unwrap().contains('5'));
    world.check(&["2 + 3"]).await;
}

#[tokio::test]
async fn a_tool_that_is_not_granted_is_denied_and_audited() {
    let world = World::new().await;
    world.model.queue([Reply::calls([("rm", json!({})), ("look", json!({}))]), Reply::text("I see.")]);
    let events = world.run("Remove it").await;
    assert!(shown(&events).contains(&"tool_result rm Denied".to_owned()));
    let denied = &results(&world)[0]["error"];
    let text = denied.as_str().unwrap();
    assert!(text.contains("\"rm\"") && text.contains("touch, put, look"), "{text}");
    let (store, user) = (world.store.clone(), world.user);
    let audit =
        world.store.read(move |tx| store::audit::list(tx, store.vault(), Some(user), Page::first(10)));
    let audit = audit.await.unwrap();
    let entry = audit.items.iter().find(|entry| entry.action == "tool.denied").expect("an audit entry");
    assert_eq!(entry.actor, world.agent.to_string());
    assert!(entry.subject.starts_with("call_"));
    world.check(&["Remove it"]).await;
}

#[tokio::test]
async fn arguments_without_end_are_told_no_and_the_turn_goes_on() {
    let world = World::new().await;
    world.model.queue([
        Reply::calls([
            ("touch", json!({ "say": "x".repeat(2 << 20) })),
            ("touch", json!({ "say": "short" })),
        ]),
        Reply::text("At last."),
    ]);
    let events = world.run("Touch it").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    let request = world.model.requests().pop().unwrap();
    assert!(request.results_since_user()[0].contains("longer than 1 MB"), "{request:?}");
    assert!(request.raw.len() < 100_000, "it is not told again");
    assert_eq!(world.tools.runs("touch").len(), 1, "the one beside it ran");
    world.check(&["Touch it"]).await;
}

#[tokio::test]
async fn arguments_that_cannot_be_read_are_an_error_the_model_can_correct() {
    let world = World::new().await;
    world.model.queue([
        Reply::text("").then_raw_call("touch", "{\"say\": ").then_raw_call("touch", "[1]"),
        Reply::calls([("touch", json!({ "say": 1 }))]),
        Reply::calls([("touch", json!({ "say": "right" }))]),
        Reply::text("At last."),
    ]);
    let events = world.run("Touch it").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    let requests = world.model.requests();
    for result in requests[1].results_since_user() {
        assert!(result.contains("not a JSON object"), "{result}");
    }
    let wrong_type = requests[2].results_since_user().pop().unwrap();
    assert!(wrong_type.contains("say"), "the parameter is named: {wrong_type}");
    assert_eq!(world.tools.runs("touch").len(), 1, "only the good call ran");
    world.check(&["Touch it"]).await;
}

#[tokio::test]
async fn a_tool_that_panics_or_breaks_is_an_error_of_that_call_alone() {
    let world = World::new().await;
    world.model.queue([
        Reply::calls([("look", json!({ "panic": 1 })), ("look", json!({ "break": 1 })), ("look", json!({}))]),
        Reply::text("Never mind."),
    ]);
    let events = world.run("Look").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    let results = results(&world);
    let internal = json!({ "error": "an internal error occurred in the tool" });
    assert_eq!(results, [internal.clone(), internal, json!({ "said": null })]);
    world.check(&["Look"]).await;
}

/// Only the tool could have told whether it did what it was to do.
#[tokio::test]
async fn a_tool_with_an_effect_that_panics_or_breaks_has_an_unknown_outcome() {
    let world = World::new().await;
    world.model.queue([
        Reply::calls([("touch", json!({ "panic": 1 })), ("put", json!({ "break": 1 }))]),
        Reply::text("I shall look."),
    ]);
    let told = shown(&world.run("Touch").await);
    assert!(told.contains(&"tool_result touch Unknown".to_owned()), "{told:?}");
    assert!(told.contains(&"tool_result put Unknown".to_owned()), "{told:?}");
    for result in results(&world) {
        assert!(result["error"].as_str().unwrap().starts_with("outcome unknown"), "{result}");
    }
    world.check(&["Touch"]).await;
}

#[tokio::test]
async fn more_calls_than_a_message_may_make_are_refused_with_a_result() {
    let world = World::with(|setup| setup.limits.calls_per_step = 2).await;
    world.model.queue([Reply::calls((0..4).map(|_| ("look", json!({})))), Reply::text("Two will do.")]);
    world.run("Look four times").await;
    assert_eq!(world.tools.runs("look").len(), 2);
    let results = results(&world);
    assert_eq!(results.len(), 4);
    assert!(results[2]["error"].as_str().unwrap().starts_with("not run: this message made more calls"));
    assert_eq!(results[2], results[3]);
    world.check(&["Look four times"]).await;
}

#[tokio::test]
async fn a_result_that_is_too_long_keeps_its_head_and_its_tail() {
    let world = World::with(|setup| setup.settings.turn.result_chars = 100).await;
    world.model.queue([Reply::calls([("look", json!({ "length": 5_000 }))]), Reply::text("Long.")]);
    world.run("Look").await;
    let sent = world.model.last_request().unwrap().results_since_user().pop().unwrap();
    // The quotes of the JSON string are the first and the last character.
    let expected = format!("\"{0}\n[… 4902 characters left out …]\n{0}\"", "x".repeat(49));
    assert_eq!(sent, expected);
    assert_eq!(world.messages().await[2].content, expected, "what is stored is what was sent");
}

#[tokio::test]
async fn each_class_runs_once_with_a_key_of_its_own() {
    let world = World::new().await;
    let calls = ["touch", "put", "look"].map(|name| (name, json!({ "say": name })));
    world.model.queue([Reply::calls(calls), Reply::text("Done.")]);
    world.run("All").await;
    let runs: Vec<_> = ["touch", "put", "look"].into_iter().flat_map(|name| world.tools.runs(name)).collect();
    assert_eq!(runs.len(), 3);
    let keys: std::collections::HashSet<_> = runs.iter().map(|run| run.key.clone()).collect();
    assert_eq!(keys.len(), 3, "a key names one call");
    assert!(runs.iter().all(|run| run.done));
}

#[tokio::test]
async fn while_tools_run_the_session_is_at_work() {
    let world = World::new().await;
    world.model.queue([Reply::calls([("look", json!({ "gate": "wait" }))]), Reply::text("Done.")]);
    let accepted = world.post("Look").await;
    world.tools.started(1).await;
    assert_eq!(world.session().await.status, SessionStatus::Working);
    world.tools.open("wait");
    let reader = world
        .engine()
        .follow_turn(world.user, world.session, accepted.turn_id, accepted.after)
        .await
        .unwrap();
    rest(reader).await;
    assert_eq!(world.session().await.status, SessionStatus::Idle);
}

#[tokio::test]
async fn the_calls_of_somebody_elses_turn_do_not_exist() {
    let world = World::new().await;
    world.model.queue([Reply::calls([("look", json!({}))]), Reply::text("Done.")]);
    let turn = world.run("Look").await[0].turn_id.unwrap();
    let person = engine::NewPerson {
        name: "Bob".to_owned(),
        role: domain::UserRole::Member,
        password: None,
        time_zone: None,
    };
    let bob = world.engine().people().create_person(person).await.unwrap().id;
    let refused = world.engine().calls(bob, turn).await;
    assert!(matches!(refused, Err(engine::Error::NotFound("turn"))), "{refused:?}");
    assert_eq!(world.engine().calls(world.user, turn).await.unwrap().len(), 1);
}

#[tokio::test]
async fn every_call_that_ran_says_how_long_whatever_its_class() {
    let world = World::new().await;
    world.model.script(Reply::calls([
        ("look", json!({})),
        ("put", json!({ "say": "by key" })),
        ("touch", json!({ "say": "once" })),
        ("nothing_like_it", json!({})),
    ]));
    world.model.script(Reply::text("Done."));
    let accepted = world.post("Work").await;
    world.ended(accepted).await;
    let calls = world.engine().calls(world.user, accepted.turn_id).await.unwrap();
    let timed: Vec<_> = calls.iter().map(|call| (call.name.as_str(), call.duration_ms.is_some())).collect();
    assert_eq!(timed, [("look", true), ("put", true), ("touch", true), ("nothing_like_it", false)]);
    world.check(&["Work"]).await;
}
