//! The program under test: the real one, assembled with the counting capability of the testkit, and able to end itself
//! at a named crash point. `CRASH_AT=turn_after_commit:3` aborts the process the third time that point is reached.
//! `GUARDS_OFF=guard_gate` takes a guard away, so that a test can show what it is good for. `NAMES_AT=127.0.0.1:5300` has
//! tools ask there where hosts of `attack.example.com` are.

mod names;

use majordomo::Extra;
use names::Names;
use std::{
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use testkit::{counting::Counting, holding::Holding};

fn main() -> ExitCode {
    if let Ok(point) = std::env::var("CRASH_AT")
        && let Err(problem) = arm(&point)
    {
        eprintln!("CRASH_AT: {problem}");
        return ExitCode::from(2);
    }
    if let Ok(guards) = std::env::var("GUARDS_OFF")
        && let Err(problem) = guards.split(',').try_for_each(take_away)
    {
        eprintln!("GUARDS_OFF: {problem}");
        return ExitCode::from(2);
    }
    let mut extra = Extra { capabilities: vec![Arc::new(Counting), Arc::new(Holding)], ..Extra::default() };
    if let Ok(place) = std::env::var("NAMES_AT") {
        let Ok(at) = place.parse() else {
            eprintln!("NAMES_AT: {place} is no address");
            return ExitCode::from(2);
        };
        extra.resolver = Some(Arc::new(Names { at }));
    }
    majordomo::run(extra)
}

fn arm(point: &str) -> Result<(), String> {
    let (name, nth) = point.split_once(':').ok_or("name:count expected")?;
    let nth: usize = nth.parse().map_err(|_| "the count is not a number")?;
    let reached = AtomicUsize::new(0);
    fail::cfg_callback(name, move || {
        if reached.fetch_add(1, Ordering::SeqCst) + 1 == nth {
            std::process::abort();
        }
    })
}

fn take_away(guard: &str) -> Result<(), String> {
    match engine::GUARDS.contains(&guard) {
        true => fail::cfg(guard, "return"),
        false => Err(format!("there is no {guard}; there are: {}", engine::GUARDS.join(", "))),
    }
}
