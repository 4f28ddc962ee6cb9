//! Each due time is fired once, by one node, and ends in one outcome.

use super::*;
use crate::world::node;
use domain::{Role, Source, schedule::STOPS_AFTER};
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

on_both_databases!(
    a_due_time_is_one_turn_in_its_conversation,
    of_two_nodes_one_fires,
    a_run_may_have_a_conversation_of_its_own,
    while_a_run_works_the_next_one_is_left_out,
    what_was_missed_is_made_up_for_once_or_left_out,
    a_schedule_that_fails_waits_and_then_stops,
    a_missing_conversation_is_a_failed_run,
    a_run_whose_turn_was_taken_back_has_an_outcome,
);

async fn a_due_time_is_one_turn_in_its_conversation(postgres: bool) {
    let world = World::on(postgres, |_| {}).await;
    world.model.respond(|_| Reply::text("Done."));
    let made = create(&world, here(&world, "Water the plants.")).await;
    assert_eq!((made.number, made.next_at), (1, Some(at(HOUR))));
    pass(&world, HOUR - 1).await;
    assert_eq!(runs(&world, &made).await, []);
    pass(&world, 1).await;
    let run = ended(&world, &made).await;
    assert_eq!((run.due_at, run.outcome, run.missed), (at(HOUR), RunOutcome::Completed, 0));
    assert_eq!(run.session_id, Some(world.session));
    fire(&world).await;
    assert_eq!(runs(&world, &made).await.len(), 1, "a due time is fired once");
    let messages = world.messages().await;
    let said = messages.iter().find(|message| message.role == Role::User).unwrap();
    assert!(said.content.starts_with("[Cron entry 1 has fired] Water the plants.\n\n"), "{}", said.content);
    assert_eq!(said.label, made.label);
    let sources = world.log().await.into_iter().filter_map(|event| match event.body {
        domain::EventBody::InputAccepted { source, .. } => Some(source),
        _ => None,
    });
    assert_eq!(sources.collect::<Vec<_>>(), [Source::Schedule]);
    let after = schedule(&world, &made).await;
    assert_eq!((after.runs, after.next_at), (1, Some(at(2 * HOUR))));
    world.check(&[&said.content]).await;
}

async fn of_two_nodes_one_fires(postgres: bool) {
    let world = World::on(postgres, |_| {}).await;
    world.model.respond(|_| Reply::text("Done."));
    let made = create(&world, elsewhere(&world, "Look.", RunPlace::Fresh)).await;
    let other = if postgres { Some(world.house(node(2)).await) } else { None };
    for _ in 0..5 {
        world.clock.advance(HOUR);
        let second = async {
            match &other {
                Some(other) => other.on(|engine| async move { engine.fire_due().await }).await.unwrap(),
                None => world.house.on(|engine| async move { engine.fire_due().await }).await.unwrap(),
            }
        };
        tokio::join!(fire(&world), second, fire(&world));
        ended(&world, &made).await;
    }
    let runs = runs(&world, &made).await;
    let due: Vec<Timestamp> = runs.iter().map(|run| run.due_at).collect();
    assert_eq!(due, [1, 2, 3, 4, 5].map(|hour| at(hour * HOUR)));
    let turns: u64 = world.store.read(|tx| tx.one("SELECT COUNT(*) FROM turns", Vec::new())).await.unwrap();
    let sessions: u64 =
        world.store.read(|tx| tx.one("SELECT COUNT(*) FROM sessions", Vec::new())).await.unwrap();
    assert_eq!((turns, sessions), (5, 6), "one turn and one conversation for each due time");
}

async fn a_run_may_have_a_conversation_of_its_own(postgres: bool) {
    let world = World::on(postgres, |_| {}).await;
    world.model.respond(|_| Reply::text("Done."));
    let fresh = create(&world, elsewhere(&world, "Look at the news.", RunPlace::Fresh)).await;
    let own = create(&world, elsewhere(&world, "Tidy up.", RunPlace::Own)).await;
    assert_eq!((fresh.number, own.number), (1, 2));
    assert_eq!(fresh.session_id, None);
    for _ in 0..2 {
        pass(&world, HOUR).await;
        ended(&world, &fresh).await;
        ended(&world, &own).await;
    }
    let of = |runs: Vec<ScheduleRun>| runs.into_iter().map(|run| run.session_id.unwrap()).collect::<Vec<_>>();
    let (fresh, own_runs) = (of(runs(&world, &fresh).await), of(runs(&world, &own).await));
    assert_ne!(fresh[0], fresh[1]);
    assert_eq!(own_runs, [own.session_id.unwrap(); 2]);
    let session = world.engine().session(world.user, fresh[0]).await.unwrap();
    assert_eq!(session.name.as_deref(), Some("Look at the news., 2026-11-15"));
}

async fn while_a_run_works_the_next_one_is_left_out(postgres: bool) {
    let world = World::on(postgres, |_| {}).await;
    let gate = Arc::new(Notify::new());
    world.model.queue([Reply::text("At last.").gate(gate.clone())]);
    let made = create(&world, elsewhere(&world, "Look.", RunPlace::Fresh)).await;
    pass(&world, HOUR).await;
    pass(&world, HOUR).await;
    assert_eq!(outcomes(&runs(&world, &made).await), [RunOutcome::Running, RunOutcome::SkippedOverlap]);
    assert_eq!(schedule(&world, &made).await.runs, 1, "what was left out is no run");
    gate.notify_one();
    let first = runs(&world, &made).await.remove(0);
    let (session, turn) = (first.session_id.unwrap(), first.turn_id.unwrap());
    rest(world.engine().follow_turn(world.user, session, turn, 0).await.unwrap()).await;
    world.model.respond(|_| Reply::text("Done."));
    pass(&world, HOUR).await;
    ended(&world, &made).await;
    let all = [RunOutcome::Completed, RunOutcome::SkippedOverlap, RunOutcome::Completed];
    assert_eq!(outcomes(&runs(&world, &made).await), all);
}

async fn what_was_missed_is_made_up_for_once_or_left_out(postgres: bool) {
    let mut world = World::on(postgres, |_| {}).await;
    world.model.respond(|_| Reply::text("Done."));
    let one = create(&world, elsewhere(&world, "One.", RunPlace::Fresh)).await;
    let skip = NewSchedule { missed: Some(MissedRuns::Skip), ..elsewhere(&world, "Skip.", RunPlace::Fresh) };
    let skip = create(&world, skip).await;
    world.house.kill().await;
    world.clock.advance(4 * HOUR + HOUR / 2);
    world.house = world.house(node(1)).await;
    fire(&world).await;
    let run = ended(&world, &one).await;
    assert_eq!((run.due_at, run.missed, run.outcome), (at(4 * HOUR), 3, RunOutcome::Completed));
    let skipped = runs(&world, &skip).await;
    assert_eq!(outcomes(&skipped), [RunOutcome::SkippedMissed]);
    assert_eq!((skipped[0].due_at, skipped[0].missed, skipped[0].turn_id), (at(4 * HOUR), 3, None));
    for made in [&one, &skip] {
        assert_eq!(schedule(&world, made).await.next_at, Some(at(5 * HOUR)));
    }
}

async fn a_schedule_that_fails_waits_and_then_stops(postgres: bool) {
    let world = World::on(postgres, |setup| setup.settings.turn.policy.attempts = 1).await;
    world.model.respond(|_| Reply::status(400));
    let made = create(&world, elsewhere(&world, "Look.", RunPlace::Fresh)).await;
    for failures in 1..=STOPS_AFTER {
        let due = schedule(&world, &made).await.next_at.unwrap();
        pass(&world, due.as_millis() - world.engine().now().as_millis()).await;
        assert_eq!(ended(&world, &made).await.outcome, RunOutcome::Failed);
        let found = schedule(&world, &made).await;
        assert_eq!(found.failures, failures);
        let waits = found.next_at.map(|next| (next.as_millis() - due.as_millis()) / HOUR);
        match failures {
            1 | 2 => assert_eq!(waits, Some(1)),
            3 => assert_eq!(waits, Some(2)),
            5 => assert_eq!(waits, Some(8)),
            7..STOPS_AFTER => assert_eq!(waits, Some(24), "a day at most"),
            STOPS_AFTER => assert_eq!((waits, found.state), (None, domain::ScheduleState::Stopped)),
            _ => {}
        }
    }
    // A person resumes it, and it goes well.
    world.model.respond(|_| Reply::text("Done."));
    let resumed = world.engine().resume_schedule(world.user, made.id).await.unwrap();
    assert_eq!((resumed.state, resumed.failures), (domain::ScheduleState::Active, 0));
    pass(&world, HOUR).await;
    assert_eq!(ended(&world, &made).await.outcome, RunOutcome::Completed);
}

async fn a_missing_conversation_is_a_failed_run(postgres: bool) {
    let world = World::on(postgres, |_| {}).await;
    let made = create(&world, here(&world, "Look.")).await;
    world.engine().archive_session(world.user, world.session, true).await.unwrap();
    pass(&world, HOUR).await;
    let fresh = create(&world, elsewhere(&world, "Look.", RunPlace::Fresh)).await;
    let session = world.session;
    let user = world.user;
    world.store.write(move |tx| store::sessions::delete(tx, user, session)).await.unwrap();
    world.engine().delete_agent(&world.me(), world.agent).await.unwrap();
    pass(&world, HOUR).await;
    let found = runs(&world, &made).await;
    let codes: Vec<_> = found.iter().map(|run| run.code.as_deref().unwrap()).collect();
    assert_eq!(codes, ["session_archived", "session_gone"]);
    assert_eq!(outcomes(&found), [RunOutcome::Failed; 2]);
    assert_eq!(schedule(&world, &made).await.failures, 2);
    assert_eq!(runs(&world, &fresh).await[0].code.as_deref(), Some("agent_gone"));
}

async fn a_run_whose_turn_was_taken_back_has_an_outcome(postgres: bool) {
    let world = World::on(postgres, |_| {}).await;
    let gate = Arc::new(Notify::new());
    world.model.queue([Reply::text("Slow.").gate(gate.clone())]);
    let first = world.post("Begin").await;
    let made = create(&world, here(&world, "Look.")).await;
    pass(&world, HOUR).await;
    let waiting = runs(&world, &made).await.pop().unwrap();
    let (user, session, turn) = (world.user, world.session, waiting.turn_id.unwrap());
    world.house.on(move |engine| async move { engine.take_back(user, session, turn).await }).await.unwrap();
    // By this, or by the job that looks by itself.
    world.house.on(|engine| async move { engine.settle_left_runs().await }).await.unwrap();
    assert_eq!(outcomes(&runs(&world, &made).await), [RunOutcome::Cancelled]);
    assert_eq!(schedule(&world, &made).await.failures, 0);
    gate.notify_one();
    world.ended(first).await;
}

#[tokio::test]
async fn it_runs_as_often_as_it_may_and_one_moment_comes_once() {
    let world = World::new().await;
    world.model.respond(|_| Reply::text("Done."));
    let twice = create(&world, NewSchedule { max_runs: Some(2), ..here(&world, "Twice.") }).await;
    let past = When::Once { at: at(-HOUR) };
    let once = create(&world, NewSchedule { when: past, ..here(&world, "Once.") }).await;
    for _ in 0..4 {
        pass(&world, HOUR).await;
        ended(&world, &twice).await;
    }
    assert_eq!(outcomes(&runs(&world, &twice).await), [RunOutcome::Completed; 2]);
    assert_eq!(ended(&world, &once).await.outcome, RunOutcome::Completed);
    assert_eq!(runs(&world, &once).await.len(), 1);
    for made in [&twice, &once] {
        let found = schedule(&world, made).await;
        assert_eq!((found.state, found.next_at), (domain::ScheduleState::Ended, None));
    }
}

#[tokio::test]
async fn a_node_runs_only_so_many_at_once() {
    let world = World::with(|setup| setup.settings.schedules.at_once = 2).await;
    let gate = Arc::new(Notify::new());
    let held = gate.clone();
    world.model.respond(move |_| Reply::text("Done.").gate(held.clone()));
    let mut made = Vec::new();
    for number in 0..5 {
        made.push(create(&world, elsewhere(&world, &format!("Look {number}."), RunPlace::Fresh)).await);
    }
    pass(&world, HOUR).await;
    let mut fired = 0;
    for one in &made {
        fired += runs(&world, one).await.len();
    }
    assert_eq!(fired, 2);
    // Each turn that ends lets the next one begin, without anything else.
    for _ in 0..5 {
        gate.notify_one();
    }
    let all = async {
        loop {
            let mut done = 0;
            for one in &made {
                done += runs(&world, one).await.iter().filter(|run| run.ended_at.is_some()).count();
            }
            if done == 5 {
                return;
            }
            gate.notify_one();
            tokio::task::yield_now().await;
        }
    };
    assert!(tokio::time::timeout(crate::world::PATIENCE, all).await.is_ok(), "what waits is never begun");
}

/// Nothing is due: nothing is written, whatever there is.
#[tokio::test]
async fn schedules_that_are_not_due_cost_three_reads() {
    let world = World::new().await;
    for number in 0..20 {
        create(&world, elsewhere(&world, &format!("Look {number}."), RunPlace::Fresh)).await;
    }
    let before = world.store.counts();
    let look = |tx: &mut store::Tx| {
        store::schedules::open_runs_ended(tx)?;
        store::schedules::due(tx, at(0), 1)?;
        store::schedules::next_due(tx)
    };
    assert_eq!(world.store.read(look).await.unwrap(), Some(at(HOUR)));
    let after = world.store.counts();
    assert_eq!(after.commits - before.commits, 0);
    let (engine, before) = (world.engine().clone(), world.house.store.counts());
    assert_eq!(world.house.on(move |_| async move { engine.fire_due().await }).await.unwrap(), 0);
    assert_eq!(world.house.store.counts().commits, before.commits);
}

/// What is stored of it is damaged: it is the first to be due at every look.
#[tokio::test]
async fn a_schedule_that_cannot_be_read_holds_up_no_other() {
    let world = World::with(|setup| setup.settings.schedules.at_once = 1).await;
    world.model.respond(|_| Reply::text("Done."));
    let broken = create(&world, elsewhere(&world, "Broken.", RunPlace::Fresh)).await;
    let later = When::Every { seconds: 3_600, anchor: at(HOUR + MINUTE) };
    let sound =
        create(&world, NewSchedule { when: later, ..elsewhere(&world, "Sound.", RunPlace::Fresh) }).await;
    let (spoil, id) = ("UPDATE schedules SET body = $1 WHERE id = $2", broken.id);
    let spoil = move |tx: &mut store::Tx| tx.run(spoil, store::args![vec![7_u8; 80], id]);
    world.store.write(spoil).await.unwrap();
    pass(&world, HOUR + MINUTE).await;
    fire(&world).await;
    assert_eq!(ended(&world, &sound).await.outcome, RunOutcome::Completed);
    let state = "SELECT state FROM schedules WHERE id = $1";
    let state: String = world.store.read(move |tx| tx.one(state, store::args![id])).await.unwrap();
    assert_eq!(state, "stopped");
}
