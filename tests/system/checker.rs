//! The one checker, run after every fault: what must hold whatever died, whenever.

use crate::{ground, world::World};
use serde_json::Value;
use std::collections::HashMap;
use testkit::{client::Client, counting};

/// What the people were told had been accepted.
#[derive(Clone, Debug)]
pub struct Acknowledged {
    pub session: String,
    pub text: String,
    pub turn: String,
}

/// What the checker saw, for the test's last line.
#[derive(Debug, Default)]
pub struct Report {
    pub turns: usize,
    pub calls: usize,
    pub unknown: usize,
    pub effects: usize,
    pub outcomes: HashMap<String, usize>,
    pub restarted: usize,
}

/// Every event of a session, from the log.
pub async fn log(client: &Client, session: &str) -> Vec<Value> {
    let mut events = Vec::new();
    loop {
        let path = format!("/v1/sessions/{session}/events?after={}&limit=1000", events.len());
        let page = client.get(&path).await.unwrap().expect(200);
        let items = page["items"].as_array().unwrap();
        if items.is_empty() {
            return events;
        }
        events.extend(items.iter().cloned());
    }
}

pub async fn check(
    world: &World,
    client: &Client,
    sessions: &[String],
    acknowledged: &[Acknowledged],
) -> Report {
    let mut report = Report::default();
    for session in sessions {
        let events = log(client, session).await;
        gapless(&events);
        let texts = acknowledged.iter().filter(|ack| ack.session == *session).collect::<Vec<_>>();
        every_message_once(&events, &texts);
        every_turn_ended(&events, &texts, &mut report);
        every_call_one_result(&events, &mut report);
        one_turn_at_a_time(&events);
        messages_match_the_log(client, session, &events).await;
        let state = client.get(&format!("/v1/sessions/{session}")).await.unwrap().expect(200);
        assert!(matches!(state["status"].as_str(), Some("idle" | "failed")), "stuck: {state}");
    }
    no_effect_twice(world, &mut report);
    ground::check(world).await;
    world.model.assert_clean();
    report
}

/// A turn that begins while another one runs is that one, taken up again.
fn one_turn_at_a_time(events: &[Value]) {
    let mut running: Option<&str> = None;
    for event in events {
        let turn = event["turn_id"].as_str();
        match event["type"].as_str() {
            Some("turn_started") => {
                assert!(running.is_none() || running == turn, "two turns at a time: {event}");
                running = turn;
            }
            Some("turn_ended") if running == turn => running = None,
            // One that waited and was never begun.
            Some("turn_ended") => assert_ne!(running, turn, "{event}"),
            Some("message_start" | "message_complete" | "tool_use_start" | "tool_result") => {
                assert_eq!(running, turn, "it belongs to no turn that runs: {event}");
            }
            _ => {}
        }
    }
    assert_eq!(running, None, "a turn is left");
}

fn of_type<'a>(events: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    events.iter().filter(move |event| event["type"] == kind)
}

/// EVERRUNS-13: checked after every trial of the whole program.
fn gapless(events: &[Value]) {
    for (index, event) in events.iter().enumerate() {
        assert_eq!(event["seq"].as_u64(), Some(index as u64 + 1), "{event}");
    }
}

fn every_message_once(events: &[Value], acknowledged: &[&Acknowledged]) {
    let mut said: HashMap<&str, usize> = HashMap::new();
    for event in of_type(events, "user_message") {
        *said.entry(event["data"]["message"]["content"].as_str().unwrap()).or_default() += 1;
    }
    for ack in acknowledged {
        assert_eq!(said.get(ack.text.as_str()), Some(&1), "{ack:?}");
    }
    for (text, times) in said {
        assert_eq!(times, 1, "{text} was said {times} times");
    }
}

fn every_turn_ended(events: &[Value], acknowledged: &[&Acknowledged], report: &mut Report) {
    for ack in acknowledged {
        let turn: Vec<&Value> = events.iter().filter(|event| event["turn_id"] == ack.turn.as_str()).collect();
        let mut running = false;
        for event in &turn {
            match event["type"].as_str() {
                Some("turn_started") => running = true,
                Some("turn_ended") => {
                    assert!(running, "{ack:?} ended twice");
                    running = false;
                }
                _ => {}
            }
        }
        let last = turn.last().unwrap();
        assert_eq!(last["type"], "turn_ended", "{ack:?} has not come to an end");
        let outcome = last["data"]["outcome"].as_str().unwrap();
        let code = last.pointer("/data/error/code").and_then(Value::as_str).unwrap_or_default();
        *report.outcomes.entry(format!("{outcome} {code}").trim().to_owned()).or_default() += 1;
        report.turns += 1;
    }
    report.restarted += of_type(events, "message_restarted").count();
}

fn every_call_one_result(events: &[Value], report: &mut Report) {
    let mut calls: HashMap<&str, usize> = HashMap::new();
    for event in of_type(events, "tool_use_start") {
        let again = calls.insert(event["data"]["call_id"].as_str().unwrap(), 0);
        assert!(again.is_none(), "announced twice: {event}");
    }
    for event in of_type(events, "tool_result") {
        let call = event["data"]["call_id"].as_str().unwrap();
        *calls.get_mut(call).unwrap_or_else(|| panic!("a result without a call: {event}")) += 1;
        report.unknown += usize::from(event["data"]["status"] == "unknown");
    }
    for (call, results) in &calls {
        assert_eq!(*results, 1, "{call} has {results} results");
    }
    report.calls += calls.len();
}

async fn messages_match_the_log(client: &Client, session: &str, events: &[Value]) {
    let mut stored = Vec::new();
    let mut after = "0".to_owned();
    loop {
        let path = format!("/v1/sessions/{session}/messages?after_seq={after}&limit=100");
        let page = client.get(&path).await.unwrap().expect(200);
        stored.extend(page["items"].as_array().unwrap().iter().cloned());
        let Some(next) = page["next_cursor"].as_str() else { break };
        after = next.to_owned();
    }
    every_result_behind_its_call(&stored);
    // The log has them as they were stored.
    stored.sort_by_key(|message| message["seq"].as_u64().unwrap());
    let kinds = ["user_message", "message_complete", "tool_result"];
    let logged: Vec<&Value> =
        events.iter().filter(|event| kinds.contains(&event["type"].as_str().unwrap())).collect();
    assert_eq!(stored.len(), logged.len(), "messages and their events differ");
    for (message, event) in stored.iter().zip(logged) {
        assert_eq!(message["seq"], event["seq"]);
        let content = event["data"].pointer("/message/content").unwrap_or(&event["data"]["content"]);
        assert_eq!(&message["content"], content);
    }
}

/// What is listed is in the order in which it is read, whatever was stored first.
fn every_result_behind_its_call(listed: &[Value]) {
    let parts = |kind: &'static str| {
        (0_usize..).zip(listed).flat_map(move |(at, message)| {
            let parts = message["parts"].as_array().into_iter().flatten();
            let these = parts.filter(move |part| part["type"] == kind);
            these.map(move |part| (part["call_id"].as_str().unwrap(), at))
        })
    };
    let made: HashMap<&str, usize> = parts("call").collect();
    for (call, at) in parts("result") {
        // Nobody has the message of a call in a text whose program died before its last word.
        assert!(made.get(call).is_none_or(|made| *made < at), "the result of {call} stands before it");
    }
}

fn no_effect_twice(world: &World, report: &mut Report) {
    for ((tool, tag), runs) in counting::counts(&world.counter) {
        if tool == "count_effect" {
            assert_eq!(runs, 1, "the effect {tag} happened {runs} times");
            report.effects += 1;
        }
    }
}
