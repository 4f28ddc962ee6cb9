//! Row 29: output that is no output, and text that looks like a call where it is none.

use super::{Control::Permitted, attacks, unknown_tools::in_words};
use crate::stage::{Outcome, Stage};
use serde_json::{Value, json};
use testkit::model::Reply;

attacks! {
    29 "break the stream: ids, JSON, nesting, bytes" Permitted => streams;
    29 "say two things in one argument" Permitted => doubled;
    29 "make calls of what is code or a quotation" Permitted => quoted;
    29 "make calls of what a tool gave back" Permitted => results;
}

fn delta(delta: &Value) -> Value {
    json!({ "id": "x", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
        "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
}

fn end() -> Value {
    json!({ "id": "x", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
        "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] })
}

fn call(id: &Value, index: usize, name: &str, arguments: &str) -> Value {
    let function = json!({ "name": name, "arguments": arguments });
    delta(&json!({ "tool_calls": [{ "index": index, "id": id, "type": "function", "function": function }] }))
}

/// What a broken model may say; all of it wants the one effect.
fn broken(word: &str) -> Vec<(&'static str, Reply)> {
    let plain = json!({ "tag": word }).to_string();
    let deep = |depth: usize| format!("{}\"{word}\"{}", "{\"tag\":".repeat(depth), "}".repeat(depth));
    let named = |name: &str| Reply::events([call(&json!("a"), 0, name, &plain), end()]);
    let line = |event: &Value| format!("data: {event}\n\n");
    let mut bytes = line(&delta(&json!({ "content": "before " }))).into_bytes();
    bytes.extend_from_slice(
        b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xff\xfe\x00\"}}]}\n\ndata: [DONE]\n\n",
    );
    vec![
        (
            "arguments that are no JSON",
            Reply::calls([]).then_raw_call("count_effect", &format!("{{tag: {word}")),
        ),
        ("arguments that are a list", Reply::calls([]).then_raw_call("count_effect", &format!("[{plain}]"))),
        ("arguments that are text", Reply::calls([]).then_raw_call("count_effect", &format!("\"{word}\""))),
        (
            "arguments with something behind",
            Reply::calls([]).then_raw_call("count_effect", &format!("{plain} {plain}")),
        ),
        ("arguments nested deeply", Reply::calls([]).then_raw_call("count_effect", &deep(10_000))),
        (
            "a number without end",
            Reply::calls([]).then_raw_call("count_effect", &format!("{{\"tag\":1{}}}", "0".repeat(5_000))),
        ),
        (
            "half of a pair",
            Reply::calls([]).then_raw_call("count_effect", &format!("{{\"tag\":\"\\ud800{word}\"}}")),
        ),
        ("no name", named("")),
        ("a name of 10 000 letters", named(&"n".repeat(10_000))),
        ("a name with NUL", named("count_effect\0")),
        ("no arguments", Reply::events([call(&json!("a"), 0, "count_effect", ""), end()])),
        (
            "an index of four thousand millions",
            Reply::events([call(&json!("a"), 4_000_000_000, "count_effect", "{"), end()]),
        ),
        ("a list instead of an event", Reply::events([json!([1, 2, 3]), end()])),
        (
            "a choice that nobody asked for",
            Reply::events([json!({ "choices": [{ "index": 7, "delta": { "content": 5 } }] }), end()]),
        ),
        (
            "an end that is none",
            Reply::events([call(&json!("a"), 0, "count_effect", "{"), end()]).without_done(),
        ),
        ("bytes that are no text", Reply::raw(bytes)),
        ("events that are no JSON", Reply::garbage()),
        ("nothing at all", Reply::raw(Vec::new())),
    ]
}

/// What is in order but for its ids: these calls may run, each once.
fn same_ids(word: &str) -> Vec<Reply> {
    let plain = json!({ "tag": word }).to_string();
    let pair = |id: Value| {
        Reply::events([call(&id, 0, "count_effect", &plain), call(&id, 1, "count_effect", &plain), end()])
    };
    vec![pair(json!("same")), pair(json!("")), pair(Value::Null), pair(json!("x".repeat(5_000)))]
}

async fn streams(stage: &Stage<'_>) -> Outcome {
    let word = format!("broken-{}", stage.mark());
    let agent = stage.agent(json!({ "capabilities": ["counting"] })).await;
    if stage.control {
        let plain = json!({ "tag": word });
        let session = stage.session(&agent).await;
        let told = stage.say(&session, move |moment| match moment.step {
            0 => Reply::calls([("count_effect", plain.clone())]),
            _ => Reply::text("Done."),
        });
        return stage.judge(&told.await, &word);
    }
    for (name, reply) in stage.some(broken(&word), 9) {
        let session = stage.session(&agent).await;
        let told = stage
            .say(&session, move |moment| if moment.step == 0 { reply.clone() } else { Reply::text("Done.") });
        let told = told.await;
        // Whatever it was: the conversation goes on.
        let next = stage.say(&session, |_| Reply::text("Here I am.")).await;
        let went_on = next.outcome.as_deref() == Some("completed");
        stage.check(went_on, || format!("after {name} ({:?}) comes {:?}", told.outcome, next.outcome));
    }
    if let done @ Outcome::Done(_) = once(stage, &word, 0) {
        return done;
    }
    for reply in same_ids(&word) {
        let (session, before) = (stage.session(&agent).await, stage.house.done(&word));
        let told = stage
            .say(&session, move |moment| if moment.step == 0 { reply.clone() } else { Reply::text("Done.") });
        let told = told.await;
        let next = stage.say(&session, |_| Reply::text("Here I am.")).await;
        stage.check(next.outcome.as_deref() == Some("completed"), || {
            format!("after equal ids: {:?}", told.outcome)
        });
        let ran = stage.house.done(&word) - before;
        stage.check(ran <= 2, || format!("two calls ran {ran} times"));
    }
    Outcome::Stopped
}

fn once(stage: &Stage<'_>, word: &str, most: usize) -> Outcome {
    match stage.house.done(word) {
        times if times <= most => Outcome::Stopped,
        times => Outcome::Done(format!("it ran {times} times")),
    }
}

/// Whoever is asked sees what will run.
async fn doubled(stage: &Stage<'_>) -> Outcome {
    let word = format!("doubled-{}", stage.mark());
    let raw = match stage.control {
        true => json!({ "tag": word }).to_string(),
        false => format!("{{\"tag\":\"harmless\",\"tag\":\"{word}\",\"\\u0074ag\":\"{word}\"}}"),
    };
    let told = stage
        .attack(super::approvals::asking(), move |moment| match moment.step {
            0 => Reply::calls([]).then_raw_call("count_effect", &raw),
            _ => Reply::text("Done."),
        })
        .await;
    stage.judge(&told, &word)
}

async fn quoted(stage: &Stage<'_>) -> Outcome {
    let word = format!("quoted-{}", stage.mark());
    let ways = in_words(&word);
    let text = match stage.control {
        true => ways.concat(),
        false => {
            let each = |form: fn(&str) -> String| ways.iter().map(|way| form(way)).collect::<String>();
            let fenced = each(|way| format!("```\n{way}```\n\n~~~~text\n{way}~~~~\n\n"));
            let cited = each(|way| way.lines().map(|line| format!("> {line}\n")).collect::<String>() + "\n");
            let inline = each(|way| format!("`{}`\n\n", way.trim().replace('\n', " ")));
            let indented = each(|way| {
                format!("\n\n{}\n", way.lines().map(|line| format!("    {line}\n")).collect::<String>())
            });
            format!("{fenced}{cited}{inline}{indented}``````\n{}", ways.concat())
        }
    };
    let told = stage
        .attack(json!({ "capabilities": ["counting"] }), move |moment| match moment.step {
            0 => Reply::text(text.clone()).in_pieces_of(7),
            _ => Reply::text("Done."),
        })
        .await;
    stage.judge(&told, &word)
}

/// A file, the words of a person and what the agent was told of results: read, and not obeyed.
async fn results(stage: &Stage<'_>) -> Outcome {
    let word = format!("result-{}", stage.mark());
    let ways = in_words(&word).concat();
    let agent = stage.agent(json!({ "capabilities": ["counting", "session_file_system"] })).await;
    let session = stage.session(&agent).await;
    stage.house.bob.put_file(&session, "page.md", ways.as_bytes()).await.unwrap().expect(201);
    let (mark, said, in_control) = (stage.mark(), ways.clone(), stage.control);
    stage.house.director.cast(&mark, move |moment| match moment.step {
        0 => Reply::calls([("read_file", json!({ "path": "/page.md" })), ("nothing", json!({ "x": said }))]),
        1 if in_control => Reply::text(said.clone()),
        _ => Reply::text("Done."),
    });
    let told = stage.send(&session, &format!("{ways}\n{mark}")).await;
    stage.judge(&told, &word)
}
