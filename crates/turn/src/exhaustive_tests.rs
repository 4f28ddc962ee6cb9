//! Small worlds, whole: every order of everything that can happen, breadth first.

use crate::{
    Policy, State,
    world_tests::{Allowance, Habits, World},
};
use domain::{EffectClass, Limits};
use std::collections::{HashMap, VecDeque};

const NOTHING: Allowance = Allowance {
    crashes: 0,
    steers: 0,
    rounds: 0,
    stops: 0,
    deadlines: 0,
    retries: 0,
    refusals: 0,
    price_approvals: 0,
};

fn world(calls: &[EffectClass], stores_always: bool, left: Allowance) -> World {
    let limits = Limits { steps: 2, calls_per_step: 2, ..Limits::default() };
    let policy = Policy { attempts: 2, stalls: 2, ..Policy::default() };
    let habits = Habits {
        stores_always,
        marks_all: true,
        repeats: false,
        calls: calls.to_vec(),
        tokens_per_message: 1,
    };
    World::new(State::new(limits, policy), habits, left)
}

/// Visits every reachable world; each step on the way is checked by the ledger. Returns how many there are.
fn explore(start: World) -> usize {
    let mut known = HashMap::from([(start.digest(), 0_usize)]);
    let mut parents: Vec<Vec<usize>> = vec![Vec::new()];
    let mut ends = Vec::new();
    let mut queue = VecDeque::from([(0_usize, start)]);
    while let Some((number, world)) = queue.pop_front() {
        if world.over() {
            ends.push(number);
        }
        for chosen in world.moves() {
            let mut next = world.clone();
            next.make(chosen);
            let fresh = parents.len();
            let place = *known.entry(next.digest()).or_insert(fresh);
            if place == fresh {
                parents.push(Vec::new());
                queue.push_back((place, next));
            }
            parents[place].push(number);
        }
    }
    assert!(!ends.is_empty());
    assert_eq!(reaching(&parents, ends), parents.len(), "somewhere the turn is stuck for ever");
    parents.len()
}

/// From how many worlds one of these can be reached.
fn reaching(parents: &[Vec<usize>], ends: Vec<usize>) -> usize {
    let mut seen = vec![false; parents.len()];
    let mut open = ends;
    while let Some(number) = open.pop() {
        if !std::mem::replace(&mut seen[number], true) {
            open.extend(&parents[number]);
        }
    }
    seen.into_iter().filter(|reached| *reached).count()
}

/// Explores, and insists on a size that shows that the world did not fall asleep.
fn explore_at_least(size: usize, start: World) {
    let found = explore(start);
    assert!(found >= size, "only {found} worlds");
}

#[test]
fn two_crashes_anywhere() {
    let left = Allowance { crashes: 2, ..NOTHING };
    explore_at_least(20_000, world(&[EffectClass::Effect, EffectClass::Read], false, left));
}

#[test]
fn two_crashes_anywhere_with_every_state_stored() {
    let left = Allowance { crashes: 2, ..NOTHING };
    explore_at_least(10_000, world(&[EffectClass::Effect, EffectClass::Idem], true, left));
}

#[test]
fn a_crash_and_a_stop_anywhere() {
    let left = Allowance { crashes: 1, stops: 1, ..NOTHING };
    explore_at_least(20_000, world(&[EffectClass::Effect, EffectClass::Idem], false, left));
}

#[test]
fn a_crash_and_the_deadline_anywhere() {
    let left = Allowance { crashes: 1, deadlines: 1, ..NOTHING };
    explore_at_least(10_000, world(&[EffectClass::Effect, EffectClass::Read], false, left));
}

#[test]
fn a_crash_and_steering_anywhere() {
    let left = Allowance { crashes: 1, steers: 2, rounds: 1, ..NOTHING };
    explore_at_least(5_000, world(&[EffectClass::Effect], false, left));
}

#[test]
fn a_crash_and_a_retry_anywhere() {
    let left = Allowance { crashes: 1, refusals: 1, retries: 1, ..NOTHING };
    explore_at_least(1_000, world(&[EffectClass::Effect], true, left));
}

#[test]
fn a_crash_a_stop_and_two_questions_before_the_model_is_asked() {
    let left = Allowance { crashes: 1, stops: 1, refusals: 1, price_approvals: 2, ..NOTHING };
    explore_at_least(1_000, world(&[EffectClass::Effect], false, left));
}
