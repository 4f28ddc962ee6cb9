//! One of each that waits for something, or that something is still to be done about.

use crate::world::{World, at, turn_id, uuid};
use domain::ModelCallId;
use store::{
    Store, Tx, approvals, args, errands,
    model_calls::{self, NewModelCall},
    questions,
};

/// What waits for something, and what becomes of it.
pub const OVER: [(&str, &str); 6] = [
    ("approvals WHERE status = 'pending'", "approvals WHERE status = 'denied'"),
    ("questions WHERE status = 'pending'", "questions WHERE status = 'withdrawn'"),
    ("errands WHERE status = 'pending'", "errands WHERE status = 'withdrawn' AND answer IS NULL"),
    ("errands WHERE status = 'ended'", "errands WHERE status = 'withdrawn' AND answer IS NOT NULL"),
    ("errands WHERE status = 'expired' AND due = 'stop'", "errands WHERE status = 'expired'"),
    ("model_calls WHERE status = 'started'", "model_calls WHERE status = 'failed'"),
];

pub async fn count(store: &Store, what: &str) -> u64 {
    let sql = format!("SELECT COUNT(*) FROM {what}");
    store.read(move |tx: &mut Tx| tx.one(&sql, args![])).await.unwrap()
}

/// An approval, a question, a request to a model, and errands: one at work, one whose answer is still to be delivered, one
/// whose turn is still to be stopped.
pub async fn wait_for_something(world: &World) {
    let approval = super::approvals::approval(world, turn_id(), "May it?");
    let question = super::questions::question(world, turn_id(), "Which one?", None);
    let errands = [(); 3].map(|()| super::errands::errand(world, turn_id()));
    let request = NewModelCall {
        id: ModelCallId::from_uuid(uuid()),
        session_id: world.session,
        turn_id: turn_id(),
        user_id: world.user,
        agent_id: world.agent.id,
        step: 1,
        attempt: 1,
        model: "a/x".to_owned(),
        at: at(0),
    };
    let (key, user) = (world.key.clone(), world.user);
    let write = move |tx: &mut Tx| {
        approvals::insert(tx, &key, user, &approval)?;
        questions::insert(tx, &key, user, &question, None)?;
        for errand in &errands {
            errands::insert(tx, errand, at(0))?;
        }
        let answer = super::errands::answer;
        assert!(errands::finish(tx, &key, errands[1].turn_id, &answer("done"), at(1))?);
        assert!(errands::expire(tx, &key, errands[2].turn_id, &answer("too late"), at(1))?);
        model_calls::start(tx, &request)
    };
    world.store.write(write).await.unwrap();
    for (what, _) in OVER {
        assert_eq!(count(&world.store, what).await, 1, "{what}");
    }
}
