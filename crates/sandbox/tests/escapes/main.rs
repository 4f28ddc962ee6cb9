//! Programs that want out of their cage. Each attempt is also made where nothing holds it, and works there: a wall that
//! stops what is impossible anyway proves nothing.
//!
//! `make cage` makes all attempts and prints a table; the ordinary run makes ten of them.

#![cfg(test)]
#![cfg(target_os = "linux")]

mod attempt;
mod files;
mod kernel;
mod namespaces;
mod network;
mod processes;
mod resources;
mod world;

use attempt::{Attempt, Control, Shown};
use world::World;

/// One of each kind, for every run of the tests.
const EVERY_TIME: [&str; 11] = [
    "read a secret of the house",
    "read the environment of the parent",
    "connect to a server of the house",
    "connect to an abstract socket",
    "make a user namespace",
    "trace itself",
    "start 200 processes",
    "spread memory over processes",
    "let sockets hold memory",
    "bring back a link to a secret",
    "leave a daemon behind",
];

fn attempts() -> Vec<Attempt> {
    let mut all = files::attempts();
    all.extend(processes::attempts());
    all.extend(namespaces::attempts());
    all.extend(network::attempts());
    all.extend(kernel::attempts());
    all.extend(resources::attempts());
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_gets_out() {
    testkit::shorter_without("CAGE", "attempts to break out of the sandbox: some, not all", "make cage");
    let everything = std::env::var("CAGE").is_ok_and(|value| value == "all");
    let mut chosen = attempts();
    assert!(chosen.len() >= 60, "{} attempts", chosen.len());
    let names: std::collections::BTreeSet<&str> = chosen.iter().map(|attempt| attempt.name).collect();
    assert_eq!(names.len(), chosen.len(), "each attempt has a name of its own");
    if !everything {
        chosen.retain(|attempt| EVERY_TIME.contains(&attempt.name));
        assert_eq!(chosen.len(), EVERY_TIME.len());
    }
    let world = World::new().await;
    let (mut out, mut unproved) = (Vec::new(), Vec::new());
    println!("{:<44} {:<10} control", "attempt", "in a cage");
    for attempt in &chosen {
        let escaped = attempt.in_a_cage(&world).await;
        let control = attempt.outside(&world).await;
        println!("{:<44} {:<10} {control}", attempt.name, if escaped.is_some() { "ESCAPED" } else { "held" });
        out.extend(escaped.map(|how| format!("{}: {how}", attempt.name)));
        if let Shown::No(why) = control {
            unproved.push(format!("{}: {why}", attempt.name));
        }
    }
    println!("{} attempts, {} escaped, {} without a control", chosen.len(), out.len(), unproved.len());
    assert!(out.is_empty(), "got out:\n{}", out.join("\n"));
    assert!(unproved.is_empty(), "did not work outside either:\n{}", unproved.join("\n"));
}

#[test]
fn controls_that_need_root_are_few() {
    let all = attempts();
    let root = all.iter().filter(|attempt| matches!(attempt.control, Control::Root)).count();
    assert!(all.len() - root >= 50, "{root} of {} need root", all.len());
}
