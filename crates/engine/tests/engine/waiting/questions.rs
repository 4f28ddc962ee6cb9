//! Questions to people: they wait without a worker, survive restarts, and are answered once.

use crate::{
    reply::markup::world,
    world::{World, shown, until_type},
};
use domain::{Answers, EventBody, InputMode, MessageKind, QuestionStatus, SessionStatus, Source};
use engine::{Error, NewMessage};
use store::Page;
use testkit::model::Reply;

const ASK: &str = "Before I go on: <ask options=\"red, blue\">Which colour?</ask>";

async fn parked(world: &World, text: &str) -> engine::Accepted {
    let mut reader = world.follow_from(world.session().await.last_seq).await;
    let accepted = world.post(text).await;
    let events = until_type(&mut reader, "agent_status").await;
    assert!(shown(&events).last().unwrap().ends_with("working"));
    let events = until_type(&mut reader, "agent_status").await;
    assert_eq!(shown(&events).last().unwrap(), "agent_status inputrequired");
    accepted
}

async fn open(world: &World) -> domain::Question {
    let questions = world.engine().questions(world.user, Page::first(10)).await.unwrap();
    assert_eq!(questions.total, 1);
    questions.items.into_iter().next().unwrap()
}

async fn answer(world: &World, id: domain::QuestionId, text: &str) -> engine::Result<domain::Question> {
    let (user, text) = (world.user, text.to_owned());
    world.house.on(move |engine| async move { engine.answer_question(user, id, text).await }).await
}

#[tokio::test]
async fn a_demand_waits_without_a_worker_and_an_answer_sets_the_turn_going() {
    // HERO-11, TIDGI-07
    let world = world().await;
    world.model.queue([Reply::text(ASK), Reply::text("Blue it is.")]);
    let accepted = parked(&world, "Paint it").await;
    assert_eq!(world.session().await.status, SessionStatus::InputRequired);
    let idle = async {
        while world.engine().running_turns() > 0 {
            tokio::task::yield_now().await;
        }
    };
    let idle = tokio::time::timeout(crate::world::PATIENCE, idle).await;
    assert!(idle.is_ok(), "somebody works while a person thinks");
    let waiting = world.engine().waiting(world.user, accepted.turn_id).await.unwrap();
    let question = open(&world).await;
    assert_eq!(waiting, Some(vec![engine::WaitsFor::Question(question.id)]));
    assert_eq!((question.question.as_str(), question.timeout_ms), ("Which colour?", None));
    assert_eq!(question.options, ["red", "blue"]);
    let answered = answer(&world, question.id, "2").await.unwrap();
    assert_eq!((answered.status, answered.answer.as_deref()), (QuestionStatus::Answered, Some("blue")));
    let lines = shown(&world.ended(accepted).await);
    let from = lines.iter().position(|line| line.starts_with("question_prompt")).unwrap();
    assert_eq!(
        lines[from..],
        [
            "question_prompt Which colour?",
            "message_complete Before I go on: <ask options=\"red, blue\">Which colour?</ask> Completed",
            "usage",
            "agent_status inputrequired",
            "question_answered blue User",
            "agent_status working",
            "tool_result ask Ok",
            "element_result e1 blue",
            "message_start",
            "message_complete Blue it is. Completed",
            "usage",
            "agent_status completed",
            "turn_ended completed",
        ]
    );
    let told = world.model.last_request().unwrap().last_user();
    assert_eq!(told, "[@user:ask] interaction_id='e1' completed:\nblue");
    world.check(&["Paint it"]).await;
}

#[tokio::test]
async fn a_question_is_answered_once_and_by_its_person() {
    let world = world().await;
    world.model.queue([Reply::text(ASK), Reply::text("Thank you.")]);
    let accepted = parked(&world, "Paint it").await;
    let question = open(&world).await;
    let stranger = world.engine().people().create_person(engine::NewPerson {
        name: "Eve".to_owned(),
        role: domain::UserRole::Member,
        password: None,
        time_zone: None,
    });
    let stranger = stranger.await.unwrap().id;
    let foreign = world.engine().answer_question(stranger, question.id, "red".to_owned()).await;
    assert!(matches!(foreign, Err(Error::NotFound("question"))));
    assert!(matches!(
        answer(&world, question.id, "  ").await,
        Err(Error::Invalid { code: "empty_answer", .. })
    ));
    answer(&world, question.id, "green").await.unwrap();
    let again = answer(&world, question.id, "red").await;
    assert!(matches!(again, Err(Error::Conflict { code: "question_settled", .. })), "{again:?}");
    world.ended(accepted).await;
    assert!(
        world.model.last_request().unwrap().last_user().ends_with("green"),
        "other words are an answer, too"
    );
    world.check(&["Paint it"]).await;
}

#[tokio::test]
async fn a_message_that_names_the_question_answers_it_and_the_others_wait() {
    let mut world = world().await;
    world.model.queue([
        Reply::text(ASK),
        Reply::text("Thank you."),
        Reply::text("Hello, stranger."),
        Reply::text("2?"),
    ]);
    let accepted = parked(&world, "Paint it").await;
    let question = open(&world).await;
    let bridged = NewMessage { source: Source::Bridge, ..world.message("Let me in") };
    let bridged = world.send(bridged).await.unwrap();
    // Neither the words of others nor those of its own person are an answer because something waits.
    let own = world.post("2").await;
    assert_eq!((bridged.mode, own.mode), (InputMode::Queue, InputMode::Queue));
    for _ in 0..3 {
        world.crash().await;
        assert_eq!(world.session().await.status, SessionStatus::InputRequired);
    }
    let named = Answers::QuestionId(question.id);
    let foreign = NewMessage { source: Source::Bridge, answers: Some(named), ..world.message("Blue") };
    let foreign = world.send(foreign).await;
    assert!(matches!(foreign, Err(Error::Forbidden { code: "scope_insufficient", .. })), "{foreign:?}");
    let answered = world.reply(named, "Blue").await.unwrap();
    assert_eq!((answered.mode, answered.turn_id), (InputMode::Answer, accepted.turn_id));
    let lines = shown(&world.ended(answered).await);
    assert_eq!(
        lines[..4],
        ["input_accepted answer", "user_message Blue", "question_answered blue User", "agent_status working"]
    );
    world.ended(bridged).await;
    world.ended(own).await;
    let request = &world.model.requests()[1];
    assert_eq!(request.last_user(), "[@user:ask] interaction_id='e1' completed:\nblue");
    let messages = world.messages().await;
    let said = messages.iter().find(|message| message.content == "Blue").unwrap();
    assert_eq!(said.meta.kind, Some(MessageKind::Answer), "the agent has it as the result of its call");
    world.model.assert_clean();
}

#[tokio::test]
async fn a_message_that_answers_while_the_model_writes_is_heard() {
    let world = world().await;
    let rest = std::sync::Arc::new(tokio::sync::Notify::new());
    let pieces = ["<ask>Which?</ask>", " I wait."];
    world.model.queue([Reply::pieces(pieces).gate_after_pieces(1, rest.clone()), Reply::text("Good.")]);
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Ask me").await;
    until_type(&mut reader, "question_prompt").await;
    let question = open(&world).await;
    let answered = world.reply(Answers::QuestionId(question.id), "this").await.unwrap();
    assert_eq!((answered.mode, answered.turn_id), (InputMode::Answer, accepted.turn_id));
    let events = until_type(&mut reader, "element_result").await;
    assert!(!shown(&events).iter().any(|line| line.contains("inputrequired")), "it never waited");
    rest.notify_one();
    let lines = shown(&world.ended(accepted).await);
    assert_eq!(lines.last().unwrap(), "turn_ended completed");
    assert!(world.model.last_request().unwrap().last_user().ends_with("completed:\nthis"));
    let again = world.reply(Answers::QuestionId(question.id), "that").await;
    assert!(matches!(again, Err(Error::Conflict { code: "question_settled", .. })), "{again:?}");
}

#[tokio::test]
async fn a_limited_time_ends_with_the_default_also_across_a_restart() {
    // HERO-10, HERO-57
    let mut world = world().await;
    let ask = "<ask options=\"yes, no\" timeout=\"30s\" default=\"no\">Go?</ask>";
    world.model.queue([Reply::text(ask), Reply::text("Then not.")]);
    let accepted = parked(&world, "Shall we?").await;
    let question = open(&world).await;
    assert_eq!((question.timeout_ms, question.default.as_deref()), (Some(30_000), Some("no")));
    world.clock.advance(29_000);
    assert_eq!(world.engine().expire_questions().await.unwrap(), 0, "not yet");
    world.house.kill().await;
    world.clock.advance(2_000);
    world.house = world.house(world.house.node).await;
    let lines = shown(&world.ended(accepted).await);
    assert!(lines.contains(&"question_answered no Timeout".to_owned()), "{lines:?}");
    assert!(world.model.last_request().unwrap().last_user().ends_with("completed:\nno"));
    let late = answer(&world, question.id, "yes").await;
    assert!(matches!(late, Err(Error::Conflict { code: "question_settled", .. })));
    world.check(&["Shall we?"]).await;
}

#[tokio::test]
async fn a_question_in_the_form_of_an_interaction_waits_too() {
    // HERO-60
    let world = world().await;
    let ask = "@user(ask, {question: \"Which?\", options: [\"a\", \"b\"], timeout: \"5s\", default: \"a\"})\n@user(ask, {})\n";
    world.model.queue([Reply::text(ask), Reply::text("Thank you.")]);
    let accepted = parked(&world, "Ask me").await;
    let question = open(&world).await;
    assert_eq!((question.timeout_ms, question.default.as_deref()), (Some(5_000), Some("a")));
    answer(&world, question.id, "b").await.unwrap();
    world.ended(accepted).await;
    let told = world.model.last_request().unwrap().last_user();
    assert!(told.starts_with("[@user:ask] interaction_id='at-1' completed:\nb\n\n"), "{told}");
    assert!(told.contains("interaction_id='at-2' failed: the question is empty"), "{told}");
    world.check(&["Ask me"]).await;
}

#[tokio::test]
async fn a_stop_takes_the_question_back() {
    let world = world().await;
    world.model.script(Reply::text(ASK));
    let accepted = parked(&world, "Paint it").await;
    let question = open(&world).await;
    assert_eq!(world.abort().await, Some(accepted.turn_id));
    let lines = shown(&world.ended(accepted).await);
    assert_eq!(lines.last().unwrap(), "turn_ended cancelled");
    let late = answer(&world, question.id, "red").await;
    assert!(matches!(late, Err(Error::Conflict { code: "question_settled", .. })));
    assert_eq!(world.engine().questions(world.user, Page::first(10)).await.unwrap().total, 0);
    world.check(&["Paint it"]).await;
}

#[tokio::test]
async fn an_answer_that_comes_while_the_model_writes_is_heard() {
    let world = world().await;
    let rest = std::sync::Arc::new(tokio::sync::Notify::new());
    let pieces = ["<ask>Which?</ask>", " I wait."];
    world.model.queue([Reply::pieces(pieces).gate_after_pieces(1, rest.clone()), Reply::text("Good.")]);
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Ask me").await;
    until_type(&mut reader, "question_prompt").await;
    let question = open(&world).await;
    answer(&world, question.id, "this").await.unwrap();
    let events = until_type(&mut reader, "element_result").await;
    assert!(!shown(&events).iter().any(|line| line.contains("inputrequired")), "it never waited");
    rest.notify_one();
    world.ended(accepted).await;
    world.check(&["Ask me"]).await;
}

#[tokio::test]
async fn an_answer_kept_before_a_crash_is_heard_after_it() {
    let mut world = world().await;
    let two = "<ask>One?</ask> <ask>Two?</ask>";
    world.model.queue([Reply::text(two), Reply::text("Both.")]);
    let accepted = parked(&world, "Ask").await;
    let questions = world.engine().questions(world.user, Page::first(10)).await.unwrap().items;
    let [one, two] = &questions[..] else { panic!("two questions") };
    answer(&world, one.id, "1").await.unwrap();
    let mut reader = world.follow_from(0).await;
    until_type(&mut reader, "question_answered").await;
    world.crash().await;
    answer(&world, two.id, "2").await.unwrap();
    let lines = shown(&world.ended(accepted).await);
    assert_eq!(lines.last().unwrap(), "turn_ended completed");
    let told = world.model.last_request().unwrap().last_user();
    assert!(told.contains("completed:\n1") && told.contains("completed:\n2"), "{told}");
    world.check(&["Ask"]).await;
}

#[tokio::test]
async fn a_prompt_is_answered_inline_or_by_the_agent_and_never_in_a_foreign_message() {
    // HERO-20, HERO-56
    let world = world().await;
    let prompt = "<hml-prompt id=\"c\" type=\"select\" options='[\"red\",\"blue\"]'>Colour?</hml-prompt>";
    world.model.queue([Reply::text(prompt)]);
    world.run("Ask me").await;
    let message = world.messages().await.pop().unwrap();
    let engine = world.engine();
    let put = |id: &str, answer: &str| {
        engine.answer_prompt(world.user, world.session, message.id, id.to_owned(), answer.to_owned())
    };
    assert!(matches!(put("d", "red").await, Err(Error::NotFound("prompt"))));
    assert!(matches!(put("c", "green").await, Err(Error::Invalid { code: "bad_answer", .. })));
    let shown_now = put("c", "red").await.unwrap();
    assert!(shown_now.content.contains("answered=\"true\""), "{}", shown_now.content);
    assert!(shown_now.content.contains("<response>red</response>"));
    put("c", "blue").await.unwrap();
    let again = world.messages().await.pop().unwrap();
    assert!(again.content.contains("<response>blue</response>") && !again.content.contains("red</response>"));
    assert!(
        again.elements.iter().any(|element| element["type"] == "response" && element["content"] == "blue")
    );
    let other = engine.create_session(world.user, engine::NewSession::with(world.agent));
    let other = other.await.unwrap();
    let foreign =
        engine.answer_prompt(world.user, other.id, message.id, "c".to_owned(), "red".to_owned()).await;
    assert!(matches!(foreign, Err(Error::NotFound("message"))));

    // By the agent, when the person answers in words: it is told which prompts are open.
    world.model.queue([Reply::text(prompt)]);
    world.run("Ask once more").await;
    // It has read what was answered to the first one: the same may be sent again, another answer may not.
    put("c", "blue").await.unwrap();
    assert!(matches!(put("c", "red").await, Err(Error::Conflict { code: "answer_read", .. })));
    let second = world.messages().await.pop().unwrap();
    let record = format!(
        "@system(update_prompt, {{message_id: \"{}\", prompt_id: \"c\", answer: \"red\"}})\n",
        second.id
    );
    let foreign = format!(
        "@system(update_prompt, {{message_id: \"{}\", prompt_id: \"c\", answer: \"red\"}})\n",
        "message_01980000000070008000000000000001"
    );
    world.model.queue([Reply::text(format!("{record}{foreign}")), Reply::text("Noted.")]);
    world.run("red, please").await;
    let answered = world.log().await.into_iter().filter(|event| {
        matches!(&event.body, EventBody::PromptUpdated { message_id, answer, .. } if *message_id == second.id && answer == "red")
    });
    assert_eq!(answered.count(), 1);
    let system = world.model.requests()[2].messages()[0]["content"].to_string();
    assert!(system.contains(&second.id.to_string()) && !system.contains(&message.id.to_string()), "{system}");
    let told = world.model.last_request().unwrap().last_user();
    assert!(told.contains("completed:") && told.contains("failed: There is no such message."), "{told}");
}

#[tokio::test]
async fn a_turn_that_should_stop_does_not_begin_to_wait() {
    let world = world().await;
    let rest = std::sync::Arc::new(tokio::sync::Notify::new());
    world.model.script(Reply::pieces(["<ask>Which?</ask>", " I wait."]).gate_after_pieces(1, rest.clone()));
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Ask me").await;
    until_type(&mut reader, "question_prompt").await;
    // The request is in the store, and its worker has not heard of it.
    let (user, session) = (world.user, world.session);
    let now = capability::Clock::now(world.clock.as_ref());
    let asked = world.store.write(move |tx| store::turns::request_cancel(tx, session, user, now));
    assert_eq!(asked.await.unwrap(), Some(accepted.turn_id));
    rest.notify_one();
    let lines = shown(&world.ended(accepted).await);
    assert_eq!(lines.last().unwrap(), "turn_ended cancelled", "{lines:?}");
    assert_eq!(world.engine().questions(world.user, Page::first(10)).await.unwrap().total, 0);
    world.check(&["Ask me"]).await;
}
