//! The log, read again or followed.

use crate::support::{House, Options};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{model::Reply, sse::SseEvent};
use tokio::sync::Notify;

fn text(events: &[SseEvent]) -> String {
    let texts = events.iter().filter(|event| event.event == "text");
    texts.map(|event| event.data["data"]["text"].as_str().unwrap()).collect()
}

async fn say(house: &House, session: &str, content: &str) -> Value {
    let path = format!("/v1/sessions/{session}/messages");
    house.call("POST", &path).json(&json!({ "content": content })).send().await.expect(200)
}

#[tokio::test]
async fn a_reader_that_was_cut_off_in_a_word_goes_on_in_that_word() {
    let house = House::new().await;
    let session = house.session().await;
    let gate = Arc::new(Notify::new());
    let reply = Reply::pieces(["Grüße aus At", "hen"]).gate_after_pieces(1, gate.clone());
    house.model.script(reply.gate_after_pieces(2, gate.clone()));
    let follow = format!("/v1/sessions/{session}/events/stream");
    let mut first = house.call("GET", &follow).events().await;
    let sending =
        house.call("POST", &format!("/v1/sessions/{session}/messages")).json(&json!({ "content": "Hi" }));
    let sending = tokio::spawn(sending.send());
    let mut seen = first.until("text").await;
    drop(first);

    let cursor = seen.last().unwrap().id.clone();
    assert!(cursor.ends_with(&format!(".{}", "Grüße aus At".len())), "{cursor}");
    // The header is newer than the URL that the reader began with.
    let resumed = house.call("GET", &format!("{follow}?after=0")).header("last-event-id", &cursor);
    let mut second = resumed.events().await;
    gate.notify_one();
    seen.extend(second.until("text").await);
    gate.notify_one();
    seen.extend(second.until("turn_ended").await);
    assert_eq!(text(&seen), "Grüße aus Athen");
    let cursors: Vec<&String> = seen.iter().map(|event| &event.id).collect();
    let mut unique = cursors.clone();
    unique.dedup();
    assert_eq!(cursors, unique, "nothing came twice");
    let complete = seen.iter().find(|event| event.event == "message_complete").unwrap();
    assert_eq!(complete.data["data"]["content"], "Grüße aus Athen");
    sending.await.unwrap().expect(200);
}

#[tokio::test]
async fn a_reader_without_a_cursor_begins_with_the_open_message() {
    let house = House::new().await;
    let session = house.session().await;
    let gate = Arc::new(Notify::new());
    house.model.script(Reply::pieces(["So far", " and further"]).gate_after_pieces(1, gate.clone()));
    let stream = format!("/v1/sessions/{session}/messages/stream");
    let mut sender = house.call("POST", &stream).json(&json!({ "content": "Hi" })).events().await;
    sender.until("text").await;
    let mut late = house.call("GET", &format!("/v1/sessions/{session}/events/stream")).events().await;
    let first = late.next().await.unwrap();
    assert_eq!((first.event.as_str(), &first.data["data"]["text"]), ("text", &json!("So far")));
    gate.notify_one();
    late.until("turn_ended").await;
}

#[tokio::test]
async fn a_stream_opens_with_the_time_to_wait_before_coming_back() {
    let house = House::new().await;
    let session = house.session().await;
    house.model.script(Reply::text("Hello"));
    say(&house, &session, "Hi").await;
    let mut events =
        house.call("GET", &format!("/v1/sessions/{session}/events/stream?after=0")).events().await;
    let all = events.until("turn_ended").await;
    assert!(events.raw.starts_with("retry: 1000\n\n"), "{}", events.raw);
    assert!(events.raw.contains("\n\nevent: turn_started\nid: 2.0\ndata: {"), "{}", events.raw);
    let seqs: Vec<u64> = all.iter().map(|event| event.data["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>(), "no gap");
}

#[tokio::test]
async fn the_log_is_read_again_in_pieces_and_by_kind() {
    let house = House::new().await;
    let session = house.session().await;
    house.model.respond(|_| Reply::text("Hello"));
    say(&house, &session, "one").await;
    let turn = say(&house, &session, "two").await["turn_id"].as_str().unwrap().to_owned();
    let read = async |query: &str| {
        house.call("GET", &format!("/v1/sessions/{session}/events{query}")).send().await.expect(200)
    };
    let types = |list: &Value| {
        let items = list["items"].as_array().unwrap();
        items.iter().map(|item| item["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let whole = read("").await;
    let total = whole["items"].as_array().unwrap().len();
    assert_eq!((&whole["total"], &whole["next_cursor"]), (&json!(total), &json!(null)));
    let first = read("?limit=3").await;
    assert_eq!(types(&first), types(&whole)[..3]);
    assert_eq!(first["next_cursor"], "3");
    let rest = read("?after=3.17&limit=1000").await;
    assert_eq!(types(&rest), types(&whole)[3..]);
    assert_eq!(
        types(&read("?types=turn_ended,user_message").await),
        ["user_message", "turn_ended", "user_message", "turn_ended"]
    );
    let of_turn = read(&format!("?turn_id={turn}&types=user_message")).await;
    assert_eq!(of_turn["items"][0]["data"]["message"]["content"], "two");
    assert_eq!(types(&of_turn).len(), 1);
    assert_eq!(read(&format!("?after={total}")).await["items"], json!([]));
}

#[tokio::test]
async fn cursors_that_were_never_given_out_are_refused() {
    let house = House::new().await;
    let session = house.session().await;
    house.model.script(Reply::text("Hello"));
    say(&house, &session, "Hi").await;
    let path = format!("/v1/sessions/{session}/events");
    for cursor in ["99", "99.5", "x", "-1", "1.2.3", "99999999999999999999", "1e3", "%00"] {
        let code = if cursor.starts_with("99.") || cursor == "99" { "bad_cursor" } else { "bad_query" };
        house.call("GET", &format!("{path}?after={cursor}")).send().await.refused(400, code);
        house.call("GET", &format!("{path}/stream?after={cursor}")).send().await.refused(400, "bad_cursor");
    }
    house
        .call("GET", &format!("{path}/stream"))
        .header("last-event-id", "soon")
        .send()
        .await
        .refused(400, "bad_cursor");
    // The cursor of a longer session is of the future here.
    let other = house.session().await;
    house
        .call("GET", &format!("/v1/sessions/{other}/events/stream?after=5"))
        .send()
        .await
        .refused(400, "bad_cursor");
    for query in ["limit=0", "limit=1001", "limit=x", "limit="] {
        house.call("GET", &format!("{path}?{query}")).send().await.refused(400, "bad_limit");
    }
    for query in ["types=text", "types=nothing", "turn_id=turn_1", "colour=red"] {
        house.call("GET", &format!("{path}?{query}")).send().await.refused(400, "bad_query");
    }
}

#[tokio::test]
async fn a_follower_hears_of_changes_outside_of_turns() {
    let house = House::new().await;
    let path = format!("/v1/sessions/{}", house.session().await);
    let mut follower = house.call("GET", &format!("{path}/events/stream")).events().await;
    house.call("PATCH", &path).json(&json!({ "name": "Dinner" })).send().await.expect(200);
    house.call("POST", &format!("{path}/archive")).send().await.expect(200);
    let renamed = follower.next().await.unwrap();
    assert_eq!((renamed.id.as_str(), &renamed.data["data"]), ("1.0", &json!({ "name": "Dinner" })));
    let archived = follower.next().await.unwrap();
    assert_eq!(
        (archived.event.as_str(), &archived.data["data"]),
        ("session_updated", &json!({ "archived": true }))
    );
}

/// However much is asked for, an answer has about a megabyte and says where the next one begins; and words are sent once.
async fn pages_end_at_bytes(house: House) {
    let session = house.session().await;
    let long = "x".repeat(400 << 10);
    let reply = long.clone();
    house.model.respond(move |request| match request.last_user() == reply {
        true => Reply::text(reply.clone()),
        // So much is summarised now and then.
        false => Reply::text("## Decisions\nNone."),
    });
    for _ in 0..4 {
        house.say(&session, &long).await;
    }
    let (mut after, mut seqs, mut words) = ("0".to_owned(), Vec::new(), 0);
    loop {
        let path = format!("/v1/sessions/{session}/events?limit=1000&after={after}");
        let answer = house.call("GET", &path).send().await;
        assert!(answer.bytes.len() < 2 << 20, "{} bytes at once", answer.bytes.len());
        words += answer.bytes.len();
        let page = answer.expect(200);
        seqs.extend(page["items"].as_array().unwrap().iter().map(|event| event["seq"].as_u64().unwrap()));
        match page["next_cursor"].as_str() {
            Some(next) => after = next.to_owned(),
            None => break,
        }
    }
    assert!(seqs.is_sorted() && seqs.len() as u64 == *seqs.last().unwrap(), "none is missing: {seqs:?}");
    assert!(words < 9 * long.len(), "eight messages, and {words} bytes");
    let (mut before, mut contents) = (u64::MAX >> 1, 0);
    loop {
        let path = format!("/v1/sessions/{session}/messages?limit=100&before_seq={before}");
        let answer = house.call("GET", &path).send().await;
        assert!(answer.bytes.len() < 2 << 20, "{} bytes at once", answer.bytes.len());
        let page = answer.expect(200);
        contents += page["items"].as_array().unwrap().len();
        match page["next_cursor"].as_str() {
            Some(next) => before = next.parse().unwrap(),
            None => break,
        }
    }
    assert_eq!(contents, 8);
    // A stream shows all of it, piece by piece.
    let mut stream =
        house.call("GET", &format!("/v1/sessions/{session}/events/stream?after=0")).events().await;
    for seq in seqs {
        assert_eq!(stream.next().await.unwrap().data["seq"], seq);
    }
}

#[tokio::test]
async fn pages_end_at_bytes_on_sqlite() {
    pages_end_at_bytes(House::new().await).await;
}

#[tokio::test]
async fn pages_end_at_bytes_on_postgres() {
    if let Some(house) = House::on_postgres(Options::default()).await {
        pages_end_at_bytes(house).await;
    }
}

/// Lists of what can be long, apart from conversations: agents, and sessions with the beginning of their last message.
#[tokio::test]
async fn lists_end_at_bytes() {
    let house = House::new().await;
    let long = "x".repeat(600 << 10);
    for number in 0..4 {
        let agent = json!({ "name": format!("agent {number}"), "system_prompt": long });
        house.call("POST", "/v1/agents").json(&agent).send().await.expect(201);
    }
    let main = house.main_agent().await;
    for _ in 0..4 {
        let session = house.session_with(&main).await;
        house.model.script(Reply::text("y".repeat(600 << 10)));
        house.say(&session, "Hi").await;
    }
    for list in ["/v1/agents", "/v1/sessions"] {
        let (mut cursor, mut ids, mut pages) = (String::new(), std::collections::HashSet::new(), 0);
        loop {
            let page = house.call("GET", &format!("{list}?limit=100{cursor}")).send().await;
            assert!(page.bytes.len() < 2 << 20, "{} bytes at once", page.bytes.len());
            let page = page.expect(200);
            pages += 1;
            let new = page["items"].as_array().unwrap().iter().map(|item| item["id"].to_string());
            ids.extend(new);
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break assert_eq!(page["total"].as_u64().unwrap(), ids.len() as u64),
            }
        }
        assert!(pages > 1, "{list} came in one piece");
    }
}
