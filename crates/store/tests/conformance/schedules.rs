//! Schedules: each due time is fired by one of those who see it, ends in one outcome, and is its person's own.

use crate::world::{World, at, turn_id, uuid};
use domain::{
    CapabilityRef, MissedRuns, RunOutcome, RunPlace, Schedule, ScheduleId, ScheduleKind, SchedulePlan,
    ScheduleState, Source, Timestamp, TurnId, TurnStatus, UserId, When,
};
use store::{
    Page, Result, Tx, errands,
    schedules::{self, MakerRights, NewRun},
    turns::{self, NewTurn},
};

pub fn schedule(world: &World, number: u64, note: &str) -> Schedule {
    Schedule {
        id: ScheduleId::from_uuid(uuid()),
        user_id: world.user,
        number,
        kind: ScheduleKind::Run,
        agent_id: world.agent.id,
        session_id: Some(world.session),
        plan: SchedulePlan {
            when: When::Every { seconds: 60, anchor: at(0) },
            note: note.to_owned(),
            place: RunPlace::Here,
            missed: MissedRuns::One,
            max_runs: Some(9),
        },
        state: ScheduleState::Active,
        revision: 1,
        next_at: Some(at(1_000)),
        failures: 0,
        runs: 0,
        label: domain::Label::TRUSTED_PRIVATE,
        created_at: at(0),
        updated_at: at(0),
    }
}

fn maker(word: &str) -> MakerRights {
    let capabilities = vec![CapabilityRef::from(word)];
    MakerRights { capabilities, allowed_tools: vec![word.to_owned()], tool_rules: Vec::new() }
}

async fn create(world: &World, schedule: &Schedule, most: u64) -> Result<bool> {
    let (key, schedule) = (world.store.data_key(schedule.user_id).await.unwrap(), schedule.clone());
    let write = move |tx: &mut Tx| {
        let fits = schedules::has_room(tx, schedule.user_id, most)?;
        if fits {
            schedules::create(tx, &key, &schedule, &maker("main"))?;
        }
        Ok(fits)
    };
    world.store.write(write).await
}

async fn get(world: &World, id: ScheduleId) -> Option<Schedule> {
    let (key, user) = (world.key.clone(), world.user);
    world.store.read(move |tx: &mut Tx| schedules::get(tx, &key, user, id)).await.unwrap()
}

fn run(id: ScheduleId, due: Timestamp, turn: Option<TurnId>) -> NewRun {
    NewRun {
        schedule_id: id,
        due_at: due,
        fired_at: due,
        turn_id: turn,
        session_id: None,
        outcome: if turn.is_some() { RunOutcome::Running } else { RunOutcome::SkippedOverlap },
        code: None,
        missed: 2,
    }
}

async fn insert_turn(world: &World, position: u64, status: TurnStatus) -> TurnId {
    let turn = NewTurn {
        id: turn_id(),
        session_id: world.session,
        user_id: world.user,
        position,
        source: Source::Schedule,
        status,
        owner: Some(domain::NodeId::from_uuid(uuid())),
        epoch: 1,
        lease_until: Some(at(1)),
        state: None,
        at: at(0),
    };
    let (id, key) = (turn.id, world.key.clone());
    world.store.write(move |tx: &mut Tx| turns::insert(tx, &key, &turn)).await.unwrap();
    id
}

pub async fn plant(world: &World, word: &str) {
    let (key, schedule) = (world.key.clone(), schedule(world, 1, word));
    let maker = maker(word);
    let write = move |tx: &mut Tx| schedules::create(tx, &key, &schedule, &maker);
    world.store.write(write).await.unwrap();
}

pub async fn a_schedule_comes_back_as_it_was_stored_and_is_its_persons_own(world: World) {
    let user = world.user;
    let (first, second) = (
        schedule(&world, 1, "first"),
        Schedule { kind: ScheduleKind::Reminder, ..schedule(&world, 2, "second") },
    );
    assert!(create(&world, &first, 2).await.unwrap());
    assert!(create(&world, &second, 2).await.unwrap());
    assert!(!create(&world, &schedule(&world, 3, "third"), 2).await.unwrap(), "there is a limit");
    assert_eq!(get(&world, first.id).await, Some(first.clone()));
    let numbered = move |tx: &mut Tx| Ok((schedules::id_of(tx, user, 2)?, schedules::id_of(tx, user, 3)?));
    assert_eq!(world.store.read(numbered).await.unwrap(), (Some(second.id), None));
    let key = world.key.clone();
    let read = move |tx: &mut Tx| schedules::list(tx, &key, user, Page { limit: 1, cursor: None });
    let page = world.store.read(read).await.unwrap();
    assert_eq!((page.items, page.total), (vec![first.clone()], 2));
    let (key, cursor) = (world.key.clone(), page.next_cursor);
    let read = move |tx: &mut Tx| schedules::list(tx, &key, user, Page { limit: 1, cursor });
    assert_eq!(world.store.read(read).await.unwrap().items, vec![second]);

    let changed = Schedule {
        plan: SchedulePlan { note: "other".to_owned(), ..first.plan.clone() },
        revision: 2,
        state: ScheduleState::Paused,
        next_at: None,
        ..first.clone()
    };
    let (stranger, stranger_key, ..) = world.stranger().await;
    let (key, id, stored) = (world.key.clone(), first.id, changed.clone());
    let write = move |tx: &mut Tx| {
        let theirs = Schedule { user_id: stranger, ..stored.clone() };
        assert!(!schedules::update(tx, &stranger_key, &theirs, &maker("x"))?);
        assert_eq!(schedules::hold(tx, &stranger_key, stranger, id)?, None);
        assert_eq!(schedules::id_of(tx, stranger, 1)?, None);
        assert!(!schedules::set_state(tx, stranger, id, (ScheduleState::Active, Some(at(0))), at(5))?);
        assert!(!schedules::delete(tx, stranger, id)?);
        assert_eq!(schedules::list_runs(tx, stranger, id, Page::first(5))?.items, []);
        assert!(schedules::update(tx, &key, &stored, &maker("main"))?);
        assert_eq!(schedules::hold(tx, &key, user, id)?, Some(stored));
        assert_eq!(schedules::count_active(tx, user)?, 1);
        assert!(schedules::set_state(tx, user, id, (ScheduleState::Active, Some(at(7))), at(5))?);
        schedules::delete(tx, user, id)
    };
    assert!(world.store.write(write).await.unwrap());
    assert_eq!(get(&world, first.id).await, None);
}

pub async fn of_many_that_see_a_due_time_one_fires_it(world: World) {
    let schedule = schedule(&world, 1, "look");
    create(&world, &schedule, 9).await.unwrap();
    let (id, user) = (schedule.id, world.user);
    let look = move |now| move |tx: &mut Tx| Ok((schedules::due(tx, now, 9)?, schedules::next_due(tx)?));
    assert_eq!(world.store.read(look(at(999))).await.unwrap(), (vec![], Some(at(1_000))));
    assert_eq!(world.store.read(look(at(1_000))).await.unwrap(), (vec![(id, user)], Some(at(1_000))));
    let fire = || {
        world.store.write(move |tx: &mut Tx| {
            let fired = schedules::advance(tx, id, at(1_000), Some(at(2_000)), true)?;
            if fired {
                schedules::insert_run(tx, &run(id, at(1_000), None))?;
            }
            Ok(fired)
        })
    };
    let (a, b, c, d) = tokio::join!(fire(), fire(), fire(), fire());
    let fired = [a, b, c, d].into_iter().filter(|fired| *fired.as_ref().unwrap()).count();
    assert_eq!(fired, 1);
    assert_eq!(world.count("schedule_runs").await, 1);
    let stored = get(&world, id).await.unwrap();
    assert_eq!((stored.runs, stored.next_at), (1, Some(at(2_000))));
    // One due time has one row, whatever else goes wrong.
    let again = move |tx: &mut Tx| schedules::insert_run(tx, &run(id, at(1_000), None));
    assert!(world.store.write(again).await.is_err());
    let before = move |tx: &mut Tx| {
        Ok((schedules::fired_before(tx, id, at(1_000))?, schedules::fired_before(tx, id, at(2_000))?))
    };
    assert_eq!(world.store.read(before).await.unwrap(), (true, false));
    // The last time: it has ended, and is not due again.
    let last = move |tx: &mut Tx| schedules::advance(tx, id, at(2_000), None, false);
    assert!(world.store.write(last).await.unwrap());
    let stored = get(&world, id).await.unwrap();
    assert_eq!((stored.state, stored.runs, stored.next_at), (ScheduleState::Ended, 1, None));
    assert_eq!(world.store.read(look(at(9_999))).await.unwrap(), (vec![], None));
}

pub async fn a_paused_schedule_is_not_fired(world: World) {
    let schedule = schedule(&world, 1, "look");
    create(&world, &schedule, 9).await.unwrap();
    let (id, user) = (schedule.id, world.user);
    let write = move |tx: &mut Tx| {
        schedules::set_state(tx, user, id, (ScheduleState::Paused, Some(at(1_000))), at(5))?;
        assert_eq!(schedules::due(tx, at(5_000), 9)?, []);
        schedules::advance(tx, id, at(1_000), Some(at(2_000)), true)
    };
    assert!(!world.store.write(write).await.unwrap());
}

pub async fn a_run_ends_once_and_with_its_turn(world: World) {
    let schedule = schedule(&world, 1, "look");
    create(&world, &schedule, 9).await.unwrap();
    let (id, user, key) = (schedule.id, world.user, world.key.clone());
    let parked = insert_turn(&world, 1, TurnStatus::Parked).await;
    let ended = insert_turn(&world, 2, TurnStatus::Ended).await;
    let gone = turn_id();
    let write = move |tx: &mut Tx| {
        for (due, turn) in [(1, parked), (2, ended), (3, gone)] {
            schedules::insert_run(tx, &run(id, at(due), Some(turn)))?;
        }
        assert!(schedules::has_open(tx, id)?);
        assert_eq!(schedules::maker_of(tx, &key, user, parked)?, Some(maker("main")));
        assert_eq!(schedules::maker_of(tx, &key, UserId::from_uuid(uuid()), parked)?, None);
        assert_eq!(schedules::maker_of(tx, &key, user, turn_id())?, None);
        let left = schedules::open_runs_ended(tx)?;
        let mut left: Vec<_> = left.into_iter().map(|run| (run.turn_id, run.outcome)).collect();
        left.sort_by_key(|(turn, _)| *turn);
        assert_eq!(left, [(ended, None), (gone, None)]);
        assert_eq!(schedules::settle_run(tx, ended, RunOutcome::Failed, at(9))?, Some(id));
        assert_eq!(schedules::settle_run(tx, ended, RunOutcome::Completed, at(9))?, None);
        assert_eq!(schedules::settle_run(tx, gone, RunOutcome::Failed, at(9))?, Some(id));
        let page = schedules::list_runs(tx, user, id, Page::first(2))?;
        assert_eq!((page.items.len(), page.total), (2, 3));
        assert_eq!((page.items[0].due_at, page.items[0].outcome), (at(3), RunOutcome::Failed));
        let page = schedules::list_runs(tx, user, id, Page { limit: 2, cursor: page.next_cursor })?;
        assert_eq!((page.items[0].outcome, page.items[0].missed), (RunOutcome::Waiting, 2));
        assert_eq!(schedules::settle_run(tx, parked, RunOutcome::Completed, at(9))?, Some(id));
        schedules::has_open(tx, id)
    };
    assert!(!world.store.write(write).await.unwrap());
}

pub async fn failures_are_counted_until_a_run_goes_well(world: World) {
    let schedule = schedule(&world, 1, "look");
    create(&world, &schedule, 9).await.unwrap();
    let (id, user) = (schedule.id, world.user);
    let write = move |tx: &mut Tx| {
        assert_eq!(schedules::count_failure(tx, id)?, Some((user, 1)));
        assert_eq!(schedules::count_failure(tx, id)?, Some((user, 2)));
        schedules::forget_failures(tx, id)?;
        assert_eq!(schedules::count_failure(tx, id)?, Some((user, 1)));
        assert_eq!(schedules::count_failure(tx, ScheduleId::from_uuid(uuid()))?, None);
        schedules::postpone(tx, id, at(5_000))?;
        assert_eq!(schedules::next_due(tx)?, Some(at(5_000)));
        // Never sooner than the plan says.
        schedules::postpone(tx, id, at(4_000))?;
        assert_eq!(schedules::next_due(tx)?, Some(at(5_000)));
        schedules::stop(tx, id, at(6))?;
        schedules::next_due(tx)
    };
    assert_eq!(world.store.write(write).await.unwrap(), None);
    assert_eq!(get(&world, id).await.unwrap().state, ScheduleState::Stopped);
}

pub async fn runs_of_long_ago_are_forgotten(world: World) {
    let schedule = schedule(&world, 1, "look");
    create(&world, &schedule, 9).await.unwrap();
    let id = schedule.id;
    let write = move |tx: &mut Tx| {
        for due in 0..1_003 {
            schedules::insert_run(tx, &run(id, at(due), None))?;
        }
        schedules::forget_old(tx, id)
    };
    assert_eq!(world.store.write(write).await.unwrap(), 2);
    assert_eq!(world.count("schedule_runs").await, 1_001);
}

pub async fn turns_of_schedules_are_counted_for_their_node(world: World) {
    let node = domain::NodeId::from_uuid(uuid());
    insert_turn(&world, 1, TurnStatus::Running).await;
    world.tamper("UPDATE turns SET owner = $1 WHERE status = 'running'", store::args![node]).await;
    let count = |node| move |tx: &mut Tx| turns::count_scheduled(tx, node);
    assert_eq!(world.store.read(count(node)).await.unwrap(), 1);
    assert_eq!(world.store.read(count(domain::NodeId::from_uuid(uuid()))).await.unwrap(), 0);
    world.tamper("UPDATE turns SET source = 'web'", vec![]).await;
    assert_eq!(world.store.read(count(node)).await.unwrap(), 0);
}

pub async fn what_other_agents_do_for_a_run_is_known_as_its_own(world: World) {
    let scheduled = insert_turn(&world, 1, TurnStatus::Ended).await;
    let errand = crate::turns::errands::errand(&world, scheduled);
    let other = crate::turns::errands::errand(&world, turn_id());
    crate::turns::errands::give(&world, errand).await;
    crate::turns::errands::give(&world, other).await;
    let read = move |tx: &mut Tx| {
        Ok((errands::root_of_schedule(tx, errand.turn_id)?, errands::root_of_schedule(tx, other.turn_id)?))
    };
    assert_eq!(world.store.read(read).await.unwrap(), (Some(scheduled), None));
    world.tamper("UPDATE turns SET source = 'web'", vec![]).await;
    assert_eq!(world.store.read(read).await.unwrap(), (None, None));
}

pub async fn what_is_only_shown_is_due_by_itself(world: World) {
    let run = schedule(&world, 1, "look");
    let reminder = Schedule {
        kind: ScheduleKind::Reminder,
        next_at: Some(at(2_000)),
        ..schedule(&world, 2, "Call your mother.")
    };
    create(&world, &run, 9).await.unwrap();
    create(&world, &reminder, 9).await.unwrap();
    assert_eq!(get(&world, reminder.id).await.unwrap().kind, ScheduleKind::Reminder);
    let look = |now| {
        world.store.read(move |tx: &mut Tx| {
            Ok((schedules::due_reminders(tx, now, 9)?, schedules::next_reminder(tx)?))
        })
    };
    assert_eq!(look(at(1_999)).await.unwrap(), (vec![], Some(at(2_000))));
    assert_eq!(look(at(2_000)).await.unwrap(), (vec![(reminder.id, world.user)], Some(at(2_000))));
    let (user, id) = (world.user, reminder.id);
    let pause = move |tx: &mut Tx| {
        schedules::set_state(tx, user, id, (ScheduleState::Paused, Some(at(2_000))), at(5))
    };
    assert!(world.store.write(pause).await.unwrap());
    assert_eq!(look(at(9_999)).await.unwrap(), (vec![], None));
}
