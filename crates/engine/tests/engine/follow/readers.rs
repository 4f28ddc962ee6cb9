//! Readers: from wherever they begin they get exactly the rest, once, in order.

use crate::world::{World, next, rest, shown, texts, until, until_text, until_type};
use domain::{Cursor, Envelope, EnvelopeBody, EventBody, LiveBody};
use engine::{Error, Reader, Start};
use serde_json::json;
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

/// What a client has after these events: the text of every message by the rules of the stream.
fn told(events: &[Envelope]) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = String::new();
    for event in events {
        match &event.body {
            EnvelopeBody::Live(LiveBody::Text { text, .. } | LiveBody::Thinking { text, .. }) => {
                open.push_str(text);
            }
            EnvelopeBody::Durable(EventBody::MessageStart { .. } | EventBody::MessageRestarted { .. }) => {
                open.clear();
            }
            EnvelopeBody::Durable(EventBody::MessageComplete { content, .. }) => {
                open.clear();
                done.push(content.clone());
            }
            _ => {}
        }
    }
    done.push(open);
    done
}

fn bad_cursor(outcome: engine::Result<Reader>) -> bool {
    matches!(outcome, Err(Error::Invalid { code: "bad_cursor", .. }))
}

const STORY: [&str; 4] = ["Gr", "üße aus ", "世界", "! 👋"];

#[tokio::test]
async fn in_an_open_message_every_cursor_gives_exactly_the_rest() {
    let world = World::new().await;
    let (gate, end) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let reply = Reply::pieces(STORY).thinking("Hm. ");
    world.model.script(reply.gate_after_pieces(2, gate.clone()).gate_after_pieces(4, end.clone()));
    let mut first = world.follow_from(0).await;
    let accepted = world.post("Greet").await;
    let mut seen = until_text(&mut first, "Grüße aus ").await;
    let so_far = "Hm. Grüße aus ";
    let seq = seen.last().unwrap().cursor.seq;
    // Readers at every byte of what is written; those inside a character are told that there is no such place.
    let mut readers = Vec::new();
    for offset in 0..=so_far.len() {
        let start = Start::After(Cursor { seq, offset: offset as u64 });
        match so_far.is_char_boundary(offset) {
            true => readers.push((offset, world.follow(start).await.unwrap())),
            false => assert!(bad_cursor(world.follow(start).await), "offset {offset}"),
        }
    }
    gate.notify_one();
    seen.extend(until_text(&mut first, "! 👋").await);
    let whole = format!("Hm. {}", STORY.concat());
    let mut parts = Vec::new();
    for (offset, mut reader) in readers {
        let mut events = Vec::new();
        while told(&events).concat().len() + offset < whole.len() {
            events.push(next(&mut reader).await.unwrap());
        }
        assert_eq!(told(&events).concat(), whole[offset..], "from offset {offset}");
        parts.push((reader, events.last().map(|event| event.cursor)));
    }
    end.notify_one();
    for (mut reader, cursor) in parts {
        let end = until_type(&mut reader, "turn_ended").await;
        assert_eq!(shown(&end)[0], format!("message_complete {} Completed", STORY.concat()));
        assert!(cursor.is_none_or(|cursor| cursor < end[0].cursor));
    }
    world.ended(accepted).await;
}

/// EVERRUNS-14
#[tokio::test]
async fn from_every_cursor_of_a_stream_the_rest_is_the_same() {
    let world = World::new().await;
    let gate = Arc::new(Notify::new());
    world.model.queue([
        Reply::text("Let me see.").then_calls([("look", json!({})), ("look", json!({ "fail": 1 }))]),
        Reply::text("").cut_after(0),
        Reply::pieces(STORY).gate_after_pieces(4, gate.clone()),
        Reply::text("Again."),
    ]);
    let mut recorder = world.follow_from(0).await;
    world.post("First").await;
    let mut all = until_text(&mut recorder, "! 👋").await;
    gate.notify_one();
    all.extend(until_type(&mut recorder, "turn_ended").await);
    world.post("Second").await;
    all.extend(until_type(&mut recorder, "turn_ended").await);
    let last = all.last().unwrap().seq;
    for (at, event) in all.iter().enumerate() {
        let mut reader = world.follow(Start::After(event.cursor)).await.unwrap();
        let expected: Vec<_> =
            all[at + 1..].iter().filter(|event| is_durable(event)).map(|e| e.seq).collect();
        let mut found = Vec::new();
        while found.last().copied().unwrap_or(event.seq) < last {
            let event = next(&mut reader).await.unwrap();
            assert!(is_durable(&event), "the messages are complete: no deltas of them are sent");
            found.push(event.seq);
        }
        assert_eq!(found, expected, "after {}", event.cursor);
    }
}

fn is_durable(event: &Envelope) -> bool {
    matches!(event.body, EnvelopeBody::Durable(_))
}

#[tokio::test]
async fn a_reader_that_begins_now_gets_the_open_message_so_far() {
    let world = World::new().await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::pieces(["Once upon", " a time"]).gate_after_pieces(1, gate.clone()));
    let mut first = world.follow_from(0).await;
    world.post("Tell me a story").await;
    until_text(&mut first, "Once upon").await;
    let mut late = world.follow(Start::Now).await.unwrap();
    let begun = next(&mut late).await.unwrap();
    assert_eq!((begun.type_name(), texts(std::slice::from_ref(&begun))), ("text", "Once upon".to_owned()));
    gate.notify_one();
    let events = until_type(&mut late, "turn_ended").await;
    assert!(shown(&events)[0].starts_with("message_complete Once upon a time"));
    // And in a session at rest it begins with what comes next.
    let mut idle = world.follow(Start::Now).await.unwrap();
    world.model.script(Reply::text("Yes?"));
    world.post("You").await;
    assert_eq!(shown(&until_type(&mut idle, "turn_ended").await)[0], "input_accepted queue");
}

#[tokio::test]
async fn cursors_that_were_never_given_out_are_refused() {
    let world = World::new().await;
    world.model.script(Reply::text("Hello."));
    world.run("Hello").await;
    let last = world.session().await.last_seq;
    assert!(bad_cursor(world.follow(Start::After(Cursor { seq: last + 1, offset: 0 })).await));
    assert!(bad_cursor(world.follow(Start::After(Cursor { seq: u64::MAX, offset: u64::MAX })).await));
    let (user, session) = (world.user, world.session);
    let events =
        world.engine().events(user, session, (last + 1, 10), store::log::EventFilter::default()).await;
    assert!(matches!(events, Err(Error::Invalid { code: "bad_cursor", .. })));
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::pieces(["Grü", "ße"]).gate_after_pieces(1, gate.clone()));
    let mut reader = world.follow(Start::Now).await.unwrap();
    let accepted = world.post("Greet").await;
    let at = until_text(&mut reader, "Grü").await.last().unwrap().cursor;
    assert_eq!(at.offset, 4);
    for (offset, bad) in [(3, true), (4, false), (5, true), (u64::MAX, true)] {
        let outcome = world.follow(Start::After(Cursor { offset, ..at })).await;
        assert_eq!(bad_cursor(outcome), bad, "offset {offset}");
    }
    // An offset with an older seq counts as nothing: that message had not begun.
    let older = Start::After(Cursor { seq: accepted.after, offset: 999 });
    let mut older = world.follow(older).await.unwrap();
    assert_eq!(texts(&until_text(&mut older, "Grü").await), "Grü");
    gate.notify_one();
    world.ended(accepted).await;
}

#[tokio::test]
async fn a_session_of_somebody_else_cannot_be_followed() {
    let world = World::new().await;
    let person = engine::NewPerson {
        name: "Bob".to_owned(),
        role: domain::UserRole::Member,
        password: None,
        time_zone: None,
    };
    let bob = world.engine().people().create_person(person).await.unwrap().id;
    let refused = world.engine().follow(bob, world.session, Start::Now).await;
    assert!(matches!(refused, Err(Error::NotFound("session"))));
}

#[tokio::test]
async fn a_slow_reader_misses_nothing_and_holds_up_nobody() {
    let world = World::new().await;
    world.model.respond(|request| Reply::text(format!("Answer to {}", request.last_user())));
    let mut slow = world.follow_from(0).await;
    let mut quick = world.follow_from(0).await;
    let mut seen = Vec::new();
    // Far more events than are kept in memory.
    for number in 0..30 {
        world.post(&format!("message {number}")).await;
        seen.extend(until_type(&mut quick, "turn_ended").await);
    }
    let last = seen.last().unwrap().seq;
    let read = until(&mut slow, |event| event.seq == last && is_durable(event)).await;
    let durable = |events: &[Envelope]| {
        events
            .iter()
            .filter(|event| is_durable(event))
            .map(|event| (event.seq, event.body.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(durable(&read), durable(&seen));
    assert_eq!(
        durable(&read).iter().map(|(seq, _)| *seq).collect::<Vec<_>>(),
        (1..=last).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn across_a_crash_a_reader_that_comes_back_has_the_same_text_as_one_who_never_left() {
    let mut world = World::new().await;
    world.model.script(Reply::pieces(STORY).stall_after_pieces(2));
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Greet").await;
    let mut seen = until_text(&mut reader, "Grüße aus ").await;
    let cursor = seen.last().unwrap().cursor;
    drop(reader);
    world.house.kill().await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::text("Another greeting.").gate(gate.clone()));
    world.house = world.house(world.house.node).await;
    let mut reader = world.follow(Start::After(cursor)).await.unwrap();
    gate.notify_one();
    let after = until_type(&mut reader, "turn_ended").await;
    assert_eq!(shown(&after)[..2], ["turn_started 2", "message_restarted 2"]);
    seen.extend(after);
    assert_eq!(told(&seen), ["Another greeting.", ""]);
    let whole = world.ended(accepted).await;
    assert_eq!(told(&whole), told(&seen), "as if nothing had happened");
    let seqs: Vec<_> = seen.iter().filter(|event| is_durable(event)).map(|event| event.seq).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
}

#[tokio::test]
async fn waiting_can_be_given_up_at_any_moment_without_losing_an_event() {
    let world = World::new().await;
    world.model.respond(|_| Reply::status(401));
    let accepted = world.post("Hello").await;
    let (user, session, turn) = (world.user, world.session, accepted.turn_id);
    let mut reader = world.engine().follow_turn(user, session, turn, accepted.after).await.unwrap();
    let mut seen = Vec::new();
    // Each wait is given up after a few looks, as a server does that has other things to attend to: first after a single
    // one, and after twice as many each time, so that whatever takes its time has it in the end.
    let patience = tokio::time::Instant::now() + crate::world::PATIENCE;
    let mut looks = 1;
    loop {
        assert!(tokio::time::Instant::now() < patience, "the end never came: {:?}", shown(&seen));
        let others = async {
            for _ in 0..looks {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            biased;
            event = reader.next() => match event.unwrap() {
                Some(event) => {
                    seen.push(event.envelope().unwrap());
                    looks = 1;
                }
                None => break,
            },
            () = others => looks *= 2,
        }
    }
    assert_eq!(shown(&seen).last().unwrap(), "turn_ended failed provider_authentication");
}

#[tokio::test]
async fn one_turn_is_followed_to_its_end_without_the_others() {
    let world = World::new().await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::text("One.").gate(gate.clone()));
    world.model.respond(|_| Reply::text("Two."));
    let first = world.post("first").await;
    world.model.wait_for(1).await;
    let second = world.post("second").await;
    let (user, session) = (world.user, world.session);
    let follower = world.engine().follow_turn(user, session, second.turn_id, second.after).await.unwrap();
    gate.notify_one();
    let events = rest(follower).await;
    assert!(events.iter().all(|event| event.turn_id == Some(second.turn_id)));
    assert_eq!(shown(&events)[..3], ["input_accepted queue", "turn_started 1", "user_message second"]);
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    // After everything is over the same is read from the log.
    assert_eq!(shown(&world.ended(second).await), shown(&events));
    assert_eq!(shown(&world.ended(first).await).last().unwrap(), "turn_ended completed");
}
