use crate::world::{World, at, turn_id, uuid};
use domain::{ModelCallId, Timestamp, Usage, UserId};
use store::{
    Tx,
    model_calls::{self, EndedModelCall, NewModelCall},
    usage::{UsageBy, UsageRange, UsageSum, sums},
};

/// Three of ours: one without a known cost, one that still runs; one of somebody else.
async fn spend(world: &World) -> UserId {
    let (stranger, _, agent, session) = world.stranger().await;
    let ours = (world.user, world.agent.id, world.session);
    let new = |whose: (UserId, _, _), model: &str, millis| NewModelCall {
        id: ModelCallId::from_uuid(uuid()),
        session_id: whose.2,
        turn_id: turn_id(),
        user_id: whose.0,
        agent_id: whose.1,
        step: 1,
        attempt: 1,
        model: model.to_owned(),
        at: Timestamp::from_millis(millis),
    };
    let theirs = (stranger, agent.id, session);
    let calls = [
        (new(ours, "a/x", 0), Some((10, Some(5)))),
        (new(ours, "a/x", 899_999), Some((20, None))),
        (new(ours, "b/y", 900_000), None),
        (new(theirs, "a/x", 900_001), Some((u64::MAX, Some(u64::MAX)))),
        (new(theirs, "a/x", 900_002), Some((u64::MAX, Some(u64::MAX)))),
    ];
    let write = move |tx: &mut Tx| {
        for (call, end) in calls {
            model_calls::start(tx, &call)?;
            let Some((output_tokens, cost_microusd)) = end else { continue };
            let usage = Usage { input_tokens: 1, output_tokens, cached_tokens: 1, cost_microusd };
            let ended = EndedModelCall { ok: true, usage, requests: Some(1), estimated: false };
            model_calls::finish(tx, call.id, ended, at(1))?;
        }
        Ok(())
    };
    world.store.write(write).await.unwrap();
    stranger
}

async fn sum(world: &World, by: UsageBy, user: Option<UserId>, from: i64, to: i64) -> Vec<UsageSum> {
    let range = UsageRange { user, from: Timestamp::from_millis(from), to: Timestamp::from_millis(to) };
    world.store.read(move |tx: &mut Tx| sums(tx, by, range, 100)).await.unwrap()
}

pub async fn what_was_spent_is_added_up(world: World) {
    let stranger = spend(&world).await;
    let own = sum(&world, UsageBy::Model, Some(world.user), 0, 1_000_000).await;
    let expected = |key: &str, calls, output_tokens, cost_microusd, unknown_calls| UsageSum {
        key: key.to_owned(),
        calls,
        input_tokens: if output_tokens > 0 { calls } else { 0 },
        output_tokens,
        cached_tokens: if output_tokens > 0 { calls } else { 0 },
        cost_microusd,
        unknown_calls,
        estimated_calls: 0,
    };
    assert_eq!(
        own,
        [expected("a/x", 2, 30, 5, 1), expected("b/y", 1, 0, 0, 0)],
        "what still runs is not unknown"
    );

    let quarters = sum(&world, UsageBy::Quarter, Some(world.user), 0, 1_000_000).await;
    assert_eq!(quarters.iter().map(|quarter| quarter.key.as_str()).collect::<Vec<_>>(), ["0", "900000"]);

    let everybody = sum(&world, UsageBy::User, None, 0, 1_000_000).await;
    let users: Vec<_> = everybody.iter().map(|sum| sum.key.clone()).collect();
    assert_eq!(users, [stranger.to_string(), world.user.to_string()], "the largest first");
    assert_eq!(everybody[0].output_tokens, 2_000_000_000_000, "absurd claims do not overflow");

    for (by, count) in [(UsageBy::Agent, 2), (UsageBy::Session, 2), (UsageBy::Turn, 5)] {
        assert_eq!(sum(&world, by, None, 0, 1_000_000).await.len(), count, "{by:?}");
    }
}

pub async fn only_the_asked_time_counts(world: World) {
    spend(&world).await;
    assert!(sum(&world, UsageBy::Model, Some(world.user), 900_001, 1_000_000).await.is_empty());
    let [first] = sum(&world, UsageBy::Model, Some(world.user), 0, 1).await.try_into().unwrap();
    assert_eq!((first.calls, first.cost_microusd, first.unknown_calls), (1, 5, 0));
}

/// What counts is what went out: an answer that paused took several requests, one that was refused a budget none, one that a
/// crash swallowed is taken for one.
pub async fn what_went_out_is_counted(world: World) {
    let new = || NewModelCall {
        id: ModelCallId::from_uuid(uuid()),
        session_id: world.session,
        turn_id: turn_id(),
        user_id: world.user,
        agent_id: world.agent.id,
        step: 1,
        attempt: 1,
        model: "a/x".to_owned(),
        at: Timestamp::from_millis(1),
    };
    let ended = |requests, estimated| {
        let usage = Usage { cost_microusd: Some(1), ..Usage::ZERO };
        EndedModelCall { ok: true, usage, requests: Some(requests), estimated }
    };
    let ends = [Some(ended(3, false)), Some(ended(1, true)), Some(EndedModelCall::UNSENT), None];
    let calls: Vec<_> = ends.map(|end| (new(), end)).into();
    let held = new();
    let write = move |tx: &mut Tx| {
        for (call, end) in calls {
            model_calls::start(tx, &call)?;
            match end {
                Some(end) => assert!(model_calls::finish(tx, call.id, end, at(2))?),
                None => assert_eq!(model_calls::fail_open(tx, call.turn_id, at(2))?, 1),
            }
        }
        model_calls::start(tx, &held)?;
        model_calls::hold(tx, held.id)
    };
    world.store.write(write).await.unwrap();
    let [line] = sum(&world, UsageBy::User, Some(world.user), 0, 10).await.try_into().unwrap();
    assert_eq!((line.calls, line.estimated_calls, line.unknown_calls, line.cost_microusd), (5, 1, 1, 2));
}
