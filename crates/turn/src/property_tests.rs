//! Turns at random: in a simulated engine, and with inputs that no engine would send.

use crate::{
    Decision, Failure, Input, NewCall, Policy, Retry, State,
    ledger_tests::Ledger,
    scene_tests::{CLASSES, id},
    world_tests::{Allowance, Habits, World},
};
use domain::{CallStatus, Limits, ResultStatus, StopReason, Usage};
use proptest::{collection::vec, option, prelude::*, sample::select, test_runner::RngSeed};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    }
}

fn start() -> impl Strategy<Value = State> {
    (1..=8_u32, 1..=3_u32, 1..=60_u64, 1..=3_u32, 1..=3_u32).prop_map(
        |(steps, calls_per_step, output_tokens, attempts, stalls)| {
            let limits = Limits { steps, calls_per_step, output_tokens, ..Limits::default() };
            State::new(limits, Policy { attempts, stalls, ..Policy::default() })
        },
    )
}

fn habits() -> impl Strategy<Value = Habits> {
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (flags, vec(select(CLASSES.to_vec()), 0..=4), 1..=30_u64).prop_map(
        |((stores_always, marks_all, repeats), calls, tokens_per_message)| Habits {
            stores_always,
            marks_all,
            repeats,
            calls,
            tokens_per_message,
        },
    )
}

fn allowance() -> impl Strategy<Value = Allowance> {
    (0..=8_u32, 0..=4_u32, 0..=2_u32, 0..=1_u32, 0..=1_u32, 0..=2_u32, 0..=1_u32, 0..=2_u32).prop_map(
        |(crashes, steers, rounds, stops, deadlines, retries, refusals, price_approvals)| Allowance {
            crashes,
            steers,
            rounds,
            stops,
            deadlines,
            retries,
            refusals,
            price_approvals,
        },
    )
}

/// Moves as the tape says while it lasts; then only such as bring the turn to its end.
fn live_through(world: &mut World, tape: &[u16]) -> bool {
    for choice in tape {
        let moves = world.moves();
        let Some(chosen) = moves.get(usize::from(*choice) % moves.len().max(1)) else { return world.over() };
        world.make(*chosen);
    }
    for _ in 0..200 {
        let moves = world.moves();
        match moves.first() {
            Some(chosen) if !world.over() => world.make(*chosen),
            _ => return world.over(),
        }
    }
    false
}

fn call() -> impl Strategy<Value = NewCall> {
    (0..5_u32, select(CLASSES.to_vec())).prop_map(|(number, class)| NewCall { id: id(number), class })
}

fn status() -> impl Strategy<Value = CallStatus> {
    select(vec![
        CallStatus::Pending,
        CallStatus::Waiting,
        CallStatus::Running,
        CallStatus::Ok,
        CallStatus::Error,
        CallStatus::Denied,
        CallStatus::Unknown,
    ])
}

fn result() -> impl Strategy<Value = ResultStatus> {
    select(vec![ResultStatus::Ok, ResultStatus::Error, ResultStatus::Denied, ResultStatus::Unknown])
}

fn stop() -> impl Strategy<Value = StopReason> {
    select(vec![StopReason::Completed, StopReason::ToolUse, StopReason::Length])
}

fn usage() -> impl Strategy<Value = Usage> {
    let tokens = prop_oneof![0..20_u64, Just(u64::MAX)];
    (any::<u64>(), tokens, any::<u64>(), option::of(any::<u64>())).prop_map(
        |(input_tokens, output_tokens, cached_tokens, cost_microusd)| Usage {
            input_tokens,
            output_tokens,
            cached_tokens,
            cost_microusd,
        },
    )
}

fn input() -> impl Strategy<Value = Input> {
    let number = 0..6_u32;
    let decision = select(vec![Decision::Run, Decision::Deny, Decision::Wait]);
    let wait = option::of(prop_oneof![0..100_000_u64, any::<u64>()]);
    let rows = vec((number.clone().prop_map(id), status()), 0..6);
    prop_oneof![
        3 => Just(Input::Begin),
        6 => Just(Input::PromptReady),
        4 => call().prop_map(Input::CallProposed),
        4 => (stop(), vec(call(), 0..5), usage())
            .prop_map(|(stop, calls, usage)| Input::ModelDone { stop, calls, usage }),
        2 => (select(vec![Retry::Never, Retry::Once, Retry::Few, Retry::Patiently]), wait)
            .prop_map(|(retry, retry_after_ms)| Input::ModelFailed(Failure { retry, retry_after_ms })),
        9 => (number.clone(), decision)
            .prop_map(|(number, decision)| Input::CallDecided { call: id(number), decision }),
        4 => (number.clone(), 0..3_u64)
            .prop_map(|(number, digest)| Input::CallCompared { call: id(number), digest }),
        9 => (number, result()).prop_map(|(number, status)| Input::CallDone { call: id(number), status }),
        2 => prop_oneof![0..3_u32, Just(u32::MAX)].prop_map(Input::Steered),
        1 => Just(Input::RoundWanted),
        2 => (prop_oneof![0..5_u32, Just(u32::MAX)], rows)
            .prop_map(|(stalls, calls)| Input::Recovered { stalls, calls }),
        1 => Just(Input::BudgetRefused),
        2 => Just(Input::PriceApprovalNeeded),
        2 => Just(Input::PriceApprovalAnswered),
        1 => Just(Input::Cancelled),
        1 => Just(Input::Deadline),
    ]
}

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn a_turn_in_an_engine_that_crashes_keeps_every_promise_and_ends(
        state in start(),
        habits in habits(),
        left in allowance(),
        tape in vec(any::<u16>(), 0..120),
    ) {
        let mut world = World::new(state, habits, left);
        prop_assert!(live_through(&mut world, &tape), "it never ends: {world:?}");
    }

    #[test]
    fn any_inputs_in_any_order_keep_every_promise(state in start(), inputs in vec(input(), 0..60)) {
        let mut ledger = Ledger::default();
        inputs.into_iter().fold(state, |state, input| ledger.step(state, input).0);
    }
}
