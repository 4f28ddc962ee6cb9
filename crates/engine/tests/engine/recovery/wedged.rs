//! A turn that cannot start keeps none before it from ending, and none behind it from starting.

use crate::{
    agents::abilities::process,
    reply::markup::ON,
    world::{House, World, node, shown, until},
};
use domain::{AgentId, CapabilityRef, Envelope, MessageKind, QuestionStatus, Role};
use engine::{Accepted, AgentFields, Change};
use std::sync::Arc;
use store::{Health, MasterKey, Page, Store, Tx, args};
use testkit::model::Reply;
use tokio::sync::Notify;

/// Echoes what it is told, when the gate has been opened for the first.
fn echo(world: &World) -> Arc<Notify> {
    let gate = Arc::new(Notify::new());
    let held = gate.clone();
    world.model.respond(move |request| {
        let reply = Reply::text(format!("Answer to {}", request.last_user()));
        if request.last_user() == "first" { reply.gate(held.clone()) } else { reply }
    });
    gate
}

async fn write(world: &World, sql: &'static str, values: Vec<store::Arg>) {
    let changed = world.store.write(move |tx: &mut Tx| tx.run(sql, values)).await.unwrap();
    assert!(changed > 0, "nothing was changed: {sql}");
}

/// As a program without today's checks may have stored it.
async fn give_model(world: &World, agent: AgentId, model: &str) {
    let (key, vault) = (world.store.data_key(world.user).await.unwrap(), world.store.vault().clone());
    let (user, model) = (world.user, model.to_owned());
    let change = move |tx: &mut Tx| {
        let mut found = store::agents::get(tx, &vault, user, agent)?.unwrap();
        found.model = Some(model);
        store::agents::update(tx, &key, &found)
    };
    world.store.write(change).await.unwrap();
}

#[tokio::test]
async fn a_queued_input_that_cannot_be_read_fails_alone() {
    for world in World::of_both_kinds().await {
        let gate = echo(&world);
        let first = world.post("first").await;
        world.model.wait_for(1).await;
        let second = world.post("second").await;
        let third = world.post("third").await;
        write(&world, "UPDATE inbox SET body = $1 WHERE turn_id = $2", args![vec![7_u8; 80], second.turn_id])
            .await;
        gate.notify_one();
        assert_eq!(shown(&world.ended(first).await).last().unwrap(), "turn_ended completed");
        assert_eq!(shown(&world.ended(second).await).last().unwrap(), "turn_ended failed turn_unreadable");
        assert_eq!(shown(&world.ended(third).await).last().unwrap(), "turn_ended completed");
        world.check(&["first", "third"]).await;
        let messages = world.messages().await;
        let told = messages.iter().find(|message| message.meta.kind == Some(MessageKind::Error)).unwrap();
        assert!(told.content.contains("send it again"), "{}", told.content);
    }
}

#[tokio::test]
async fn a_queued_turn_whose_model_has_an_impossible_name_keeps_nothing_up() {
    for world in World::of_both_kinds().await {
        let gate = echo(&world);
        let first = world.post("first").await;
        world.model.wait_for(1).await;
        let second = world.post("second").await;
        give_model(&world, world.agent, "mock/b\u{0}c").await;
        gate.notify_one();
        assert_eq!(shown(&world.ended(first).await).last().unwrap(), "turn_ended completed");
        let told = shown(&world.ended(second).await);
        assert!(told.last().unwrap().starts_with("turn_ended failed"), "{told:?}");
        // With another model the session goes on, and what failed is run once more.
        give_model(&world, world.agent, "test/scripted").await;
        world.retry().await.unwrap();
        assert_eq!(shown(&world.ended(second).await).last().unwrap(), "turn_ended completed");
        world.check(&["first", "second"]).await;
    }
}

/// Behind the turn that is stopped waits one that cannot start: the stop is heard all the same, and so is what comes after it.
#[tokio::test]
async fn a_session_with_a_turn_that_cannot_start_can_be_stopped_and_deleted() {
    for world in World::of_both_kinds().await {
        let _held = echo(&world);
        let first = world.post("first").await;
        world.model.wait_for(1).await;
        let second = world.post("second").await;
        write(&world, "UPDATE inbox SET body = $1 WHERE turn_id = $2", args![vec![7_u8; 80], second.turn_id])
            .await;
        let (user, session) = (world.user, world.session);
        let stop = || world.house.on(move |engine| async move { engine.abort(user, session, None).await });
        assert_eq!(stop().await.unwrap(), Some(first.turn_id));
        assert_eq!(shown(&world.ended(first).await).last().unwrap(), "turn_ended cancelled");
        assert_eq!(shown(&world.ended(second).await).last().unwrap(), "turn_ended failed turn_unreadable");
        assert_eq!(stop().await.unwrap(), None, "nothing is left that could be stopped");
        // It goes on, and can be deleted.
        let third = world.post("third").await;
        assert_eq!(shown(&world.ended(third).await).last().unwrap(), "turn_ended completed");
        world
            .house
            .on(move |engine| async move { engine.delete_session(user, session).await })
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_model_with_a_control_character_in_its_name_is_refused() {
    let world = World::new().await;
    for name in ["test/b\u{0}c", "test/b\nc", "test/\u{7f}c"] {
        let fields = AgentFields { model: Change::Set(name.to_owned()), ..AgentFields::default() };
        let refused = world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap_err();
        assert!(matches!(refused, engine::Error::Invalid { .. }), "{refused:?}");
    }
}

#[tokio::test]
async fn a_turn_whose_agent_is_gone_ends_in_words() {
    for mut world in World::of_both_kinds().await {
        world.model.script(Reply::text("Never.").gate(Arc::new(Notify::new())));
        let first = world.post("first").await;
        let second = world.post("second").await;
        world.model.wait_for(1).await;
        world.house.kill().await;
        // As it is after the person who had the agent has been deleted.
        write(&world, "DELETE FROM agents WHERE id = $1", args![world.agent]).await;
        world.house = world.house(world.house.node).await;
        for accepted in [first, second] {
            assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended failed agent_gone");
        }
        let said = world.messages().await;
        let people: Vec<&str> =
            said.iter().filter(|said| said.role == Role::User).map(|said| said.content.as_str()).collect();
        assert_eq!(people, ["first", "second"], "what people said is kept");
        world.engine().delete_session(world.user, world.session).await.unwrap();
    }
}

#[tokio::test]
async fn a_turn_whose_agent_cannot_be_read_ends_in_words() {
    let mut world = World::new().await;
    world.model.script(Reply::text("Never.").gate(Arc::new(Notify::new())));
    let first = world.post("first").await;
    world.model.wait_for(1).await;
    world.house.kill().await;
    write(&world, "UPDATE agents SET body = $1 WHERE id = $2", args![vec![7_u8; 80], world.agent]).await;
    world.house = world.house(world.house.node).await;
    assert_eq!(shown(&world.ended(first).await).last().unwrap(), "turn_ended failed turn_unreadable");
}

/// Another process changed the master key. What waits cannot be read here, and is not damaged: it waits for a process that has
/// the key.
#[tokio::test]
async fn a_key_that_was_changed_elsewhere_ends_nothing() {
    let mut world = World::new().await;
    let gate = echo(&world);
    let first = world.post("first").await;
    world.model.wait_for(1).await;
    let second = world.post("second").await;
    let (other, key) = (world.site.open().await, MasterKey::random().unwrap());
    other.begin_rotation(&key).await.unwrap();
    while other.rewrap_some().await.unwrap() {}
    assert!(other.finish_rotation().await.unwrap());
    gate.notify_one();
    assert_eq!(shown(&world.ended(first).await).last().unwrap(), "turn_ended completed");
    while world.engine().store().health().await != Health::LacksKey {
        tokio::task::yield_now().await;
    }
    world.house.kill().await;
    let store = Store::open(&world.site.url, key).await.unwrap();
    world.store = store.clone();
    world.house = House::over(node(1), &world.site, store).await.unwrap();
    assert_eq!(shown(&world.ended(second).await).last().unwrap(), "turn_ended completed");
}

async fn attempts(world: &World, accepted: Accepted) -> u32 {
    let read = move |tx: &mut Tx| store::turns::attempt(tx, accepted.turn_id);
    world.store.read(read).await.unwrap().unwrap()
}

/// It counts as missing. The other one that its person wrote is there as before.
#[tokio::test]
async fn an_ability_that_cannot_be_read_holds_up_no_agent() {
    for mut world in World::of_both_kinds().await {
        world.model.respond(|_| Reply::text("Yes."));
        let (engine, user) = (world.engine(), world.user);
        let damaged = engine.create_ability(user, process("letter", "Be polite.")).await.unwrap();
        engine.create_ability(user, process("report", "Be brief.")).await.unwrap();
        let capabilities = Change::Set(["report", "letter"].map(CapabilityRef::from).to_vec());
        let fields = AgentFields { capabilities, ..AgentFields::default() };
        engine.change_agent(&world.me(), world.agent, fields).await.unwrap();
        world.run("Now !!LETTER!!").await;
        assert_eq!(world.model.last_request().unwrap().last_user(), "Now Be polite.", "the control");
        write(&world, "UPDATE abilities SET body = $1 WHERE id = $2", args![vec![7_u8; 80], damaged.id])
            .await;
        // Another process has nothing of it in memory.
        world.crash().await;
        let accepted = world.post("Now !!REPORT!! and !!LETTER!!").await;
        assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
        assert_eq!(world.model.last_request().unwrap().last_user(), "Now Be brief. and !!LETTER!!");
        assert_eq!(attempts(&world, accepted).await, 1, "nobody had to take it up");
        world.engine().delete_ability(user, damaged.id).await.unwrap();
    }
}

/// What is set for all agents cannot be read when the second turn begins: it is taken up once, and ends in words.
#[tokio::test]
async fn a_turn_that_no_worker_can_run_ends_in_words() {
    for world in World::of_both_kinds().await {
        let gate = echo(&world);
        let first = world.post("first").await;
        world.model.wait_for(1).await;
        let second = world.post("second").await;
        let vault = world.store.vault().clone();
        let now = world.engine().now();
        let set = move |tx: &mut Tx| {
            store::providers::set_default_model(tx, &vault, Some("test/scripted"), now)?;
            tx.run(
                "UPDATE house SET body = $1 WHERE name = $2",
                args![vec![7_u8; 80], store::house::DEFAULT_MODEL],
            )
        };
        assert_eq!(world.store.write(set).await.unwrap(), 1);
        gate.notify_one();
        assert_eq!(shown(&world.ended(first).await).last().unwrap(), "turn_ended completed");
        assert_eq!(shown(&world.ended(second).await).last().unwrap(), "turn_ended failed turn_unreadable");
        assert_eq!(attempts(&world, second).await, 2, "it was taken up once");
        assert_eq!(world.abort().await, None, "nothing is left that could be stopped");
        let (user, session) = (world.user, world.session);
        world
            .house
            .on(move |engine| async move { engine.delete_session(user, session).await })
            .await
            .unwrap();
    }
}

/// A turn that waits for its person.
async fn asks(world: &World, ask: &str) -> (Accepted, domain::Question) {
    let fields = AgentFields { markup: Change::Set(ON), ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    world.model.queue([Reply::text(ask), Reply::text("Blue it is.")]);
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Paint it").await;
    let waits = |event: &Envelope| shown(std::slice::from_ref(event)) == ["agent_status inputrequired"];
    until(&mut reader, waits).await;
    while world.engine().running_turns() > 0 {
        tokio::task::yield_now().await;
    }
    let question = world.engine().questions(world.user, Page::first(1)).await.unwrap().items.remove(0);
    (accepted, question)
}

/// The answer counts, and the turn that cannot go on with it ends.
#[tokio::test]
async fn a_parked_turn_that_cannot_be_read_can_be_answered_and_ends() {
    let spoiled = [
        ("", "turn_ended completed"),
        ("UPDATE turns SET state = $1 WHERE session_id = $2", "turn_ended failed turn_unreadable"),
        ("UPDATE calls SET body = $1 WHERE session_id = $2", "turn_ended failed turn_unreadable"),
        (
            "UPDATE agents SET body = $1 WHERE id = (SELECT agent_id FROM sessions WHERE id = $2)",
            "turn_ended failed turn_unreadable",
        ),
    ];
    for (spoil, end) in spoiled {
        for world in World::of_both_kinds().await {
            let (accepted, question) = asks(&world, "<ask options=\"red, blue\">Which?</ask>").await;
            if !spoil.is_empty() {
                write(&world, spoil, args![vec![7_u8; 80], world.session]).await;
            }
            let (user, id) = (world.user, question.id);
            let answer = move |engine: engine::Engine| async move {
                engine.answer_question(user, id, "2".to_owned()).await
            };
            let answered = world.house.on(answer).await.unwrap();
            assert_eq!(
                (answered.status, answered.answer.as_deref()),
                (QuestionStatus::Answered, Some("blue"))
            );
            assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), end, "{spoil}");
            assert_eq!(world.abort().await, None);
            let session = world.session;
            world
                .house
                .on(move |engine| async move { engine.delete_session(user, session).await })
                .await
                .unwrap();
        }
    }
}

/// The same where its time is over: it is not tried for ever.
#[tokio::test]
async fn a_parked_turn_that_cannot_be_read_expires_and_ends() {
    for world in World::of_both_kinds().await {
        let ask = "<ask options=\"yes, no\" timeout=\"30s\" default=\"no\">Go?</ask>";
        let (accepted, question) = asks(&world, ask).await;
        write(
            &world,
            "UPDATE turns SET state = $1 WHERE session_id = $2",
            args![vec![7_u8; 80], world.session],
        )
        .await;
        world.clock.advance(30_000);
        let expired = world.house.on(|engine| async move { engine.expire_questions().await }).await;
        assert!(expired.is_ok(), "{expired:?}");
        assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended failed turn_unreadable");
        let question = world.engine().question(world.user, question.id).await.unwrap();
        assert_eq!(question.status, QuestionStatus::Expired);
    }
}
