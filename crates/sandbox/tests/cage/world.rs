//! A cage for the tests, opened once.

use sandbox::process::{Cage, ProcessOutcome, Program, Spec};
use std::sync::OnceLock;

pub fn cage() -> &'static Cage {
    static CAGE: OnceLock<Cage> = OnceLock::new();
    CAGE.get_or_init(|| {
        let program = Program::At(env!("CARGO_BIN_EXE_cage-inside").into());
        Cage::open(program).unwrap_or_else(|report| panic!("{report}"))
    })
}

pub async fn run(spec: Spec) -> ProcessOutcome {
    cage().start(spec, None).unwrap().wait().await.unwrap()
}

pub async fn shell(line: &str) -> ProcessOutcome {
    run(Spec::shell(line)).await
}

/// What it said, with its complaints.
pub async fn said(line: &str) -> String {
    let outcome = shell(line).await;
    outcome.output.text() + &outcome.errors.text()
}
