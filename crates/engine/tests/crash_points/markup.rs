//! Calls in a text, questions and prompts, cut off at every point on their road.

use crate::{
    Trap,
    world::{World, shown, until_type},
};
use domain::{MarkupSettings, SessionStatus};
use fail::FailScenario;
use store::Page;
use testkit::model::Reply;

async fn world() -> World {
    World::with(|setup| setup.markup = MarkupSettings::default()).await
}

/// A reply with an effect, a question, and more text behind; then the end.
fn script(world: &World) {
    world.model.respond(|request| match request.last_user().as_str() {
        "work" => Reply::pieces([
            "First.\n",
            "@system(touch, {say: \"once\"})\n",
            "<ask>Which colour?</ask>",
            " And more.",
        ]),
        _ => Reply::text("Done."),
    });
}

async fn answered(world: &World) {
    let open = world.engine().questions(world.user, Page::first(10)).await.unwrap().items;
    for question in open {
        let user = world.user;
        let work = move |engine: engine::Engine| async move {
            engine.answer_question(user, question.id, "blue".to_owned()).await
        };
        world.try_on(work).await.ok();
    }
}

/// Waits until the turn waits for its person, or has ended.
async fn at_rest(world: &World) -> SessionStatus {
    let mut reader = world.follow_from(0).await;
    loop {
        let status = world.session().await.status;
        if status != SessionStatus::Working {
            return status;
        }
        until_type(&mut reader, "agent_status").await;
    }
}

#[tokio::test]
async fn a_reply_with_calls_and_a_question_survives_every_point() {
    let scenario = FailScenario::setup();
    let points = [
        "intent_before_commit",
        "intent_after_commit",
        "begin_after_commit",
        "tool_after_run",
        "park_before_commit",
        "park_after_commit",
    ];
    for point in points {
        let mut world = world().await;
        script(&world);
        let trap = Trap::set(point, 1);
        let accepted = world.post("work").await;
        trap.sprung().await;
        trap.disarm();
        world.crash().await;
        at_rest(&world).await;
        answered(&world).await;
        let told = shown(&world.ended(accepted).await);
        assert_eq!(told.last().unwrap(), "turn_ended completed", "{point}: {told:?}");
        assert!(world.tools.runs("touch").len() <= 1, "{point}: the effect happened twice");
        world.check(&["work"]).await;
    }
    scenario.teardown();
}

#[tokio::test]
async fn an_answer_is_kept_or_was_never_acknowledged() {
    let scenario = FailScenario::setup();
    for point in ["answer_before_commit", "answer_after_commit"] {
        let mut world = world().await;
        script(&world);
        let accepted = world.post("work").await;
        assert_eq!(at_rest(&world).await, SessionStatus::InputRequired);
        let trap = Trap::set(point, 1);
        answered(&world).await;
        trap.sprung().await;
        trap.disarm();
        world.crash().await;
        let open = world.engine().questions(world.user, Page::first(10)).await.unwrap().total;
        assert_eq!(open, u64::from(point == "answer_before_commit"));
        answered(&world).await;
        let told = shown(&world.ended(accepted).await);
        assert_eq!(told.last().unwrap(), "turn_ended completed", "{point}: {told:?}");
        assert!(world.model.last_request().unwrap().last_user().contains("blue"));
        world.check(&["work"]).await;
    }
    scenario.teardown();
}

#[tokio::test]
async fn an_answered_prompt_is_kept_or_was_never_acknowledged() {
    let scenario = FailScenario::setup();
    for (point, kept) in [("prompt_before_commit", false), ("prompt_after_commit", true)] {
        let mut world = world().await;
        world.model.script(Reply::text("<hml-prompt id=\"c\">Colour?</hml-prompt>"));
        world.run("ask").await;
        let message = world.messages().await.pop().unwrap().id;
        let trap = Trap::set(point, 1);
        let (user, session) = (world.user, world.session);
        let work = move |engine: engine::Engine| async move {
            engine.answer_prompt(user, session, message, "c".to_owned(), "red".to_owned()).await
        };
        assert!(world.try_on(work).await.is_err(), "it was acknowledged although it was cut off");
        trap.disarm();
        world.crash().await;
        let shown = world.messages().await.pop().unwrap().content;
        assert_eq!(shown.contains("<response>red</response>"), kept, "{point}: {shown}");
        world.check(&["ask"]).await;
    }
    scenario.teardown();
}
