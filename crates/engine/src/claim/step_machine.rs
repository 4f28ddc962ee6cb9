//! The one entry to the machine that decides how a turn goes on: nothing else calls [`turn::step`].

use turn::{Effect, Input, State};

/// What the machine makes of one input.
pub(crate) fn step(state: State, input: Input) -> (State, Vec<Effect>) {
    turn::step(state, input)
}

/// Several inputs as one step: what each wants is wanted, except to wait for what a later one brings.
pub(crate) fn step_all(mut state: State, inputs: impl Iterator<Item = Input>) -> (State, Vec<Effect>) {
    let mut all = Vec::new();
    for input in inputs {
        let (next, effects) = step(state, input);
        state = next;
        all.retain(|effect| *effect != Effect::Park);
        all.extend(effects);
    }
    (state, all)
}
