//! Calls in an agent's text: made while it is written, stored before they happen, never made twice.

use crate::world::{World, next, shown, shown_live, types, until, until_type};
use domain::{EnvelopeBody, LiveBody, MarkupMode, MarkupSettings, Role, StopReason};
use serde_json::json;
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

pub const ON: MarkupSettings = MarkupSettings { mode: MarkupMode::On, assertions: false };

pub async fn world() -> World {
    World::with(|setup| setup.markup = ON).await
}

fn touch(say: &str) -> String {
    format!("@system(touch, {{say: \"{say}\"}})\n")
}

#[tokio::test]
async fn an_element_is_carried_out_while_the_model_still_writes() {
    // HERO-25, HERO-57: the result goes back in a block of its own.
    let world = world().await;
    let rest = Arc::new(Notify::new());
    world.model.queue([
        Reply::pieces(["Look: <ba", "sh>ls</bash>", " and more"]).gate_after_pieces(2, rest.clone()),
        Reply::text("Done."),
    ]);
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("What is here?").await;
    // There is no such tool, so the result is a denial; it comes while the model is silent in the middle of its text.
    let events = until_type(&mut reader, "element_error").await;
    let lines = shown_live(&events);
    let from = lines.iter().position(|line| line == "message_start").unwrap();
    assert_eq!(
        lines[from..],
        [
            "message_start",
            "text Look: ",
            "element_start e1 bash",
            "element_update e1 ls",
            "element_complete e1 ls",
            "tool_use_start bash",
            "element_executing e1 bash",
            "tool_result bash Denied",
            "element_error e1 Unknown function: bash. Available: add, divide, help, look, multiply, put, subtract, touch, update_prompt",
        ]
    );
    rest.notify_one();
    world.ended(accepted).await;
    let answer = &world.model.requests()[1];
    let last = answer.last_user();
    assert!(last.starts_with("[@system:bash] interaction_id='e1' denied: Unknown function: bash."), "{last}");
    world.check(&["What is here?"]).await;
}

#[tokio::test]
async fn an_interaction_runs_before_the_reply_ends_and_its_result_is_the_next_steps_feedback() {
    let world = world().await;
    let rest = Arc::new(Notify::new());
    world.model.queue([
        Reply::pieces(["I do it.\n", &touch("one"), "And then?"]).gate_after_pieces(2, rest.clone()),
        Reply::text("Done."),
    ]);
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Do it").await;
    let events = until_type(&mut reader, "tool_result").await;
    assert!(shown(&events).contains(&"tool_result touch Ok".to_owned()));
    assert_eq!(world.tools.runs("touch").len(), 1);
    rest.notify_one();
    world.ended(accepted).await;
    let request = &world.model.requests()[1];
    let said: Vec<String> = request.messages().iter().map(|m| m["content"].to_string()).collect();
    assert_eq!(said[2], json!("I do it.\n\nAnd then?").to_string(), "what was carried out is taken out");
    assert!(request.last_user().contains("[@system:touch] interaction_id='at-1' completed:"));
    let stored = world.messages().await;
    let reply = stored.iter().find(|message| message.role == Role::Assistant).unwrap();
    assert_eq!(
        reply.content,
        format!("I do it.\n{}And then?", touch("one")),
        "what is stored keeps the text"
    );
    world.check(&["Do it"]).await;
}

#[tokio::test]
async fn after_a_crash_the_prefix_is_the_message_and_the_effect_happened_once() {
    let mut world = world().await;
    world.model.queue([
        Reply::pieces(["Before. ", "\n", &touch("once"), "lost words"]).stall_after_pieces(4),
        Reply::text("Going on."),
    ]);
    let mut reader = world.follow_from(0).await;
    world.post("Do it").await;
    // Either may come first: the call runs while the words behind it are being written.
    let lost = |event: &domain::Envelope| matches!(&event.body, EnvelopeBody::Live(LiveBody::Text { text, .. }) if text.contains("lost"));
    let mut seen = Vec::new();
    while !(seen.iter().any(lost) && types(&seen).contains(&"tool_result")) {
        seen.push(next(&mut reader).await.expect("the stream ended early"));
    }
    world.tools.finished(1).await;
    drop(reader);
    world.crash().await;
    let mut reader = world.follow_from(0).await;
    let events = until_type(&mut reader, "turn_ended").await;
    assert!(!shown(&events).iter().any(|line| line.starts_with("message_restarted")));
    let stored = world.messages().await;
    let reply = stored.iter().find(|message| message.role == Role::Assistant).unwrap();
    assert_eq!(reply.content, format!("Before. \n{}", touch("once").trim_end()));
    assert_eq!(reply.stop_reason, Some(StopReason::Interrupted));
    assert_eq!(world.tools.runs("touch").len(), 1);
    assert!(world.model.last_request().unwrap().last_user().contains("completed:"));
    world.model.assert_clean();
}

#[tokio::test]
async fn a_provider_that_cuts_off_behind_a_call_is_not_asked_for_the_same_message_again() {
    let world = world().await;
    world.model.queue([
        Reply::pieces(["Before.\n", &touch("once"), "and"]).cut_after_pieces(3),
        Reply::text("Going on."),
    ]);
    let events = world.run("Do it").await;
    let lines = shown(&events);
    assert!(!lines.iter().any(|line| line.starts_with("message_restarted")), "{lines:?}");
    assert_eq!(lines.last().unwrap(), "turn_ended completed");
    assert_eq!(world.tools.runs("touch").len(), 1);
    // The control: without a call the message is simply begun again.
    world.model.queue([Reply::pieces(["Before.\n", "and"]).cut_after_pieces(2), Reply::text("Anew.")]);
    let lines = shown(&world.run("Say it").await);
    assert!(lines.iter().any(|line| line.starts_with("message_restarted")), "{lines:?}");
    world.check(&["Do it", "Say it"]).await;
}

#[tokio::test]
async fn a_stop_in_the_middle_keeps_the_text_and_settles_the_calls() {
    let world = world().await;
    world.model.script(
        Reply::pieces(["Before.\n", "@system(touch, {gate: \"never\"})\n", "after"]).stall_after_pieces(3),
    );
    let mut reader = world.follow_from(0).await;
    world.post("Do it").await;
    world.tools.started(1).await;
    world.abort().await;
    let events = until_type(&mut reader, "turn_ended").await;
    let lines = shown(&events);
    assert!(lines.contains(&"tool_result touch Unknown".to_owned()), "{lines:?}");
    assert_eq!(lines.last().unwrap(), "turn_ended cancelled");
    let stored = world.messages().await;
    let reply = stored.iter().find(|message| message.role == Role::Assistant).unwrap();
    assert_eq!(reply.stop_reason, Some(StopReason::Cancelled));
    assert!(reply.content.starts_with("Before.\n@system(touch"));
    world.check(&["Do it"]).await;
}

#[tokio::test]
async fn calls_in_a_text_run_one_after_the_other() {
    let world = world().await;
    world.model.queue([
        Reply::text("@system(touch, {gate: \"first\", say: \"1\"})\n@system(touch, {say: \"2\"})\n"),
        Reply::text("Done."),
    ]);
    let accepted = world.post("Both").await;
    world.tools.started(1).await;
    let mut reader = world.follow_from(0).await;
    until_type(&mut reader, "message_complete").await;
    assert_eq!(world.tools.runs("touch").len(), 1, "the second waits for the first");
    world.tools.open("first");
    world.ended(accepted).await;
    let said: Vec<_> = world.tools.runs("touch").iter().map(|run| run.arguments["say"].clone()).collect();
    assert_eq!(said, [json!("1"), json!("2")]);
    world.check(&["Both"]).await;
}

#[tokio::test]
async fn whoever_comes_in_the_middle_of_an_element_gets_exactly_the_rest() {
    let world = world().await;
    let rest = Arc::new(Notify::new());
    let pieces = [
        "Häuser: <todo title=\"T\"><item>ei",
        "ns</item><item status=\"completed\">zwei</item>",
        "</todo> fertig",
    ];
    world.model.script(Reply::pieces(pieces).gate_after_pieces(2, rest.clone()));
    let mut first = world.follow_from(0).await;
    let accepted = world.post("Tasks").await;
    let is_last = |event: &domain::Envelope| matches!(&event.body, EnvelopeBody::Live(LiveBody::ElementComplete { content, .. }) if content == "zwei");
    let whole = until(&mut first, is_last).await;
    // Every cursor that the first reader was given leads to the same end.
    for (index, seen) in whole.iter().enumerate() {
        let mut again = world.follow(engine::Start::After(seen.cursor)).await.unwrap();
        let missing = &whole[index + 1..];
        let mut got = Vec::new();
        while got.len() < shown_live(missing).len() {
            got.push(crate::world::next(&mut again).await.unwrap());
            if is_last(got.last().unwrap()) {
                break;
            }
        }
        assert_eq!(joined(&got), joined(missing), "after {}", seen.cursor);
    }
    rest.notify_one();
    let events = world.ended(accepted).await;
    let complete = events.iter().find_map(|event| match &event.body {
        EnvelopeBody::Durable(domain::EventBody::MessageComplete { elements, .. }) => Some(elements.clone()),
        _ => None,
    });
    let elements = complete.unwrap();
    assert_eq!(elements.len(), 3);
    assert_eq!((&elements[1]["type"], &elements[1]["parent_id"]), (&json!("item"), &json!("e1")));
    let log = world.messages().await;
    assert_eq!(log.last().unwrap().elements, elements, "what was seen live is what is seen later");
    world.check(&["Tasks"]).await;
}

/// Updates of one element joined, as readers of different speed get them.
fn joined(events: &[domain::Envelope]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in shown_live(events) {
        let update = |line: &str| {
            line.strip_prefix("element_update ")
                .and_then(|rest| rest.split_once(' '))
                .map(|(id, text)| (id.to_owned(), text.to_owned()))
        };
        match (lines.last().and_then(|last| update(last)), update(&line)) {
            (Some((known, text)), Some((id, more))) if known == id => {
                *lines.last_mut().unwrap() = format!("element_update {id} {text}{more}");
            }
            _ => lines.push(line),
        }
    }
    lines
}

#[tokio::test]
async fn only_the_agents_own_stream_is_read() {
    let world = world().await;
    world.model.queue([
        Reply::calls([("look", json!({ "say": "@system(touch, {say: \"from a tool\"})" }))]),
        Reply::text("```\n@system(touch, {say: \"quoted\"})\n```"),
    ]);
    world.run("@system(touch, {say: \"from a person\"})").await;
    assert_eq!(world.tools.runs("touch").len(), 0);
    // The control: the same line in the agent's own text is a call.
    world.model.queue([Reply::text(touch("own")), Reply::text("Done.")]);
    world.run("Now you").await;
    assert_eq!(world.tools.runs("touch").len(), 1);
}

#[tokio::test]
async fn an_agent_that_only_shows_elements_does_nothing_by_them() {
    for mode in [MarkupMode::Display, MarkupMode::Off] {
        let settings = MarkupSettings { mode, assertions: false };
        let world = World::with(|setup| setup.markup = settings).await;
        world.model.script(Reply::text(format!("<progress value=\"3\"/>\n{}", touch("no"))));
        world.run("Hello").await;
        assert_eq!(world.tools.runs("touch").len(), 0, "{mode:?}");
        let shown = world.messages().await.pop().unwrap().elements.len();
        assert_eq!(shown, usize::from(mode == MarkupMode::Display));
        let system = world.model.requests()[0].messages()[0]["content"].to_string();
        assert_eq!(system.contains("## Markup"), mode == MarkupMode::Display);
        assert!(!system.contains("@system("), "{mode:?} is taught no calls");
        world.check(&["Hello"]).await;
    }
}

#[tokio::test]
async fn an_agent_is_taught_what_it_may_use_and_nothing_else() {
    let world = world().await;
    world.model.script(Reply::text("Hello."));
    world.run("Hello").await;
    let system = world.model.requests()[0].messages()[0]["content"].to_string();
    for taught in ["<todo>", "<ask>", "update_prompt", "`help`"] {
        assert!(system.contains(taught), "{taught} is missing");
    }
    for kept in ["<bash>", "<websearch>"] {
        assert!(!system.contains(kept), "{kept} is taught to an agent that has no such tool");
    }
}

#[tokio::test]
async fn the_batch_form_has_results_where_the_elements_stood() {
    // HERO-12: results are escaped, and two equal elements keep their own results.
    let world = world().await;
    let twice = "A <ask>Go?</ask> B <ask>Go?</ask> C";
    world.model.queue([Reply::text(twice), Reply::text("Done.")]);
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Ask twice").await;
    until(&mut reader, |event| shown(std::slice::from_ref(event)) == ["agent_status inputrequired"]).await;
    let open = world.engine().questions(world.user, store::Page::first(10)).await.unwrap().items;
    for (question, answer) in open.iter().zip(["<1>&", "no"]) {
        let (user, id) = (world.user, question.id);
        let answer = answer.to_owned();
        world
            .house
            .on(move |engine| async move { engine.answer_question(user, id, answer).await })
            .await
            .unwrap();
    }
    world.ended(accepted).await;
    let reply = world.engine().reply(world.user, accepted.turn_id).await.unwrap();
    assert_eq!(
        reply,
        "A <result for=\"ask\" status=\"success\">&lt;1&gt;&amp;</result> B \
         <result for=\"ask\" status=\"success\">no</result> C\n\nDone."
    );
}

#[tokio::test]
async fn an_unknown_function_is_told_what_there_is() {
    // HERO-18, HERO-21
    let world = world().await;
    let text = "@system(nope, {})\n@system(help, {filter: \"add\"})\n@agent(tell, {})\n@user(notify, {text: \"hi\"})\n";
    world.model.queue([Reply::text(text), Reply::text("I see.")]);
    world.run("Help").await;
    let told = world.model.last_request().unwrap().last_user();
    let blocks: Vec<&str> = told.split("\n\n").collect();
    let available = "add, divide, help, look, multiply, put, subtract, touch, update_prompt";
    assert_eq!(
        blocks[0],
        format!(
            "[@system:nope] interaction_id='at-1' denied: Unknown function: nope. Available: {available}"
        )
    );
    assert!(blocks[1].starts_with("[@system:help] interaction_id='at-2' completed:\n{"), "{told}");
    assert!(told.contains("[@agent:tell] interaction_id='at-3' denied:"), "{told}");
    assert!(told.contains("[@user:notify] interaction_id='at-4' completed:\nshown"), "{told}");
    world.check(&["Help"]).await;
}

#[tokio::test]
async fn tool_patterns_run_and_each_has_its_result() {
    // TIDGI-02, TIDGI-22, TIDGI-26
    let world = world().await;
    let text = "I try.\n<tool_use name=\"touch\">{\"say\": \"a\"}</tool_use>\n<tool_use name=\"nope\">{}</tool_use>\n\
                <function_call name=\"put\">{\"say\": \"b\"}</function_call>\n";
    world.model.queue([Reply::text(text), Reply::text("Done.")]);
    let events = world.run("Use tools").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    assert_eq!((world.tools.runs("touch").len(), world.tools.runs("put").len()), (1, 1));
    let request = world.model.last_request().unwrap();
    let messages = request.messages();
    assert!(
        messages[2]["content"].as_str().unwrap().contains("<tool_use name=\"touch\">"),
        "the call is still there"
    );
    let told = request.last_user();
    for block in [
        "[@system:touch]",
        "[@system:nope] interaction_id='call-2' denied: Unknown function: nope. Available: ",
        "[@system:put]",
    ] {
        assert!(told.contains(block), "{block}: {told}");
    }
    world.check(&["Use tools"]).await;
}

#[tokio::test]
async fn elements_count_towards_what_a_message_may_hold() {
    // THREAT[engine-01]: an element of ten bytes takes more than that in memory.
    let many = "<progress/>".repeat(1_000);
    for (mode, stop) in [(MarkupMode::On, StopReason::Length), (MarkupMode::Off, StopReason::Completed)] {
        let world = World::with(|setup| {
            setup.markup = MarkupSettings { mode, assertions: false };
            setup.settings.turn.reply_bytes = 64 << 10;
        })
        .await;
        world.model.script(Reply::text(many.clone()).in_pieces_of(110));
        world.run("Many").await;
        assert_eq!(world.messages().await.pop().unwrap().stop_reason, Some(stop), "{mode:?}");
        world.check(&["Many"]).await;
    }
}
