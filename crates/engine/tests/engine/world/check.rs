//! What must hold in every session at rest, whatever happened to it.

use super::World;
use domain::{Event, EventBody, Message, Role, TurnId, Usage};
use std::collections::{HashMap, HashSet};

impl World {
    /// Fails the test if the session is not as it should be when nothing runs in it. `said` are the messages that were
    /// accepted: each is there exactly once, in this order.
    pub async fn check(&self, said: &[&str]) {
        let (log, messages, session) = (self.log().await, self.messages().await, self.session().await);
        let seqs: Vec<u64> = log.iter().map(|event| event.seq).collect();
        assert_eq!(seqs, (1..=session.last_seq).collect::<Vec<_>>(), "the log has a gap");
        let users: Vec<&str> =
            messages.iter().filter(|m| m.role == Role::User).map(|m| m.content.as_str()).collect();
        assert_eq!(users, said, "each accepted message exactly once, in order");
        assert_eq!(session.message_count, messages.len() as u64);
        check_calls(&log, &messages);
        check_turns(&log);
        assert_eq!(session.usage, spent(&log), "the session has what its turns have");
        assert_eq!(self.unfinished().await, 0, "turns that did not end");
        self.model.assert_clean();
    }

    async fn unfinished(&self) -> u64 {
        let count = "SELECT COUNT(*) FROM turns WHERE status <> 'ended'";
        self.store.read(move |tx| tx.one(count, Vec::new())).await.unwrap()
    }
}

fn check_calls(log: &[Event], messages: &[Message]) {
    let mut asked = HashSet::new();
    let mut settled = HashSet::new();
    for event in log {
        match &event.body {
            EventBody::ToolUseStart { call_id, .. } => assert!(asked.insert(*call_id), "asked twice"),
            EventBody::ToolResult { call_id, .. } => {
                assert!(asked.contains(call_id), "a result before its call");
                assert!(settled.insert(*call_id), "two results for one call");
            }
            _ => {}
        }
    }
    assert_eq!(asked, settled, "each call has its result");
    let in_messages: HashSet<_> = messages.iter().flat_map(Message::calls).map(|(id, _, _)| *id).collect();
    assert_eq!(in_messages, asked, "the transcript has the calls of the log");
}

/// Every message is opened before it is complete, one at a time, and every turn that starts ends.
fn check_turns(log: &[Event]) {
    let mut open = None;
    let mut running: Option<TurnId> = None;
    for event in log {
        match &event.body {
            EventBody::TurnStarted { .. } => {
                assert!(running.is_none() || running == event.turn_id, "two turns at a time");
                running = event.turn_id;
            }
            EventBody::TurnEnded { .. } => {
                assert_eq!(running.take(), event.turn_id, "a turn ended that did not run");
                assert_eq!(open, None, "a turn ended with an open message");
            }
            EventBody::MessageStart { message_id, .. } => {
                assert_eq!(open.replace(*message_id), None, "two open messages");
            }
            EventBody::MessageRestarted { message_id, .. } => assert_eq!(open, Some(*message_id)),
            EventBody::MessageComplete { message_id, .. } => {
                assert_eq!(open.take(), Some(*message_id), "a message ended that was not open");
            }
            _ => {}
        }
    }
    assert_eq!((open, running), (None, None), "something is left open");
}

/// What the turns say they used; of a turn that was retried, its last word.
fn spent(log: &[Event]) -> Usage {
    let mut last: HashMap<TurnId, Usage> = HashMap::new();
    for event in log {
        if let (EventBody::TurnEnded { usage, .. }, Some(turn)) = (&event.body, event.turn_id) {
            last.insert(turn, *usage);
        }
    }
    last.values().fold(Usage::ZERO, |sum, usage| sum.plus(*usage))
}
