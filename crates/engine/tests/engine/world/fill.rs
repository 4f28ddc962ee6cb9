//! A long conversation without having had it.

use super::World;
use domain::{Message, MessageId, Part, Role, SessionStatus, StopReason, TurnId, Usage};
use store::{
    log::{self, Entry},
    sessions::{self, Active, Advance},
};
use uuid::Uuid;

impl World {
    /// Adds turns of one question and one answer until the session has this many messages.
    pub async fn fill(&self, count: u64) {
        let session = self.session().await;
        let missing = count.saturating_sub(session.message_count);
        let entries: Vec<Entry> = (0..missing).map(|number| Entry::Message(self.past(number))).collect();
        let (user, id, now) = (self.user, self.session, capability::Clock::now(self.clock.as_ref()));
        let key = self.store.data_key(user).await.unwrap();
        let write = move |tx: &mut store::Tx| {
            let advance = Advance {
                events: missing,
                messages: missing,
                usage: Usage::ZERO,
                steered: 0,
                status: SessionStatus::Idle,
                active: Active::Keep,
                now,
            };
            let numbers = sessions::advance(tx, user, id, advance)?.numbers;
            log::append(tx, &key, numbers, now, entries)
        };
        self.store.write(write).await.unwrap();
    }

    fn past(&self, number: u64) -> Message {
        let role = if number.is_multiple_of(2) { Role::User } else { Role::Assistant };
        let content = format!("past message {number}");
        Message {
            parts: vec![Part::Text { text: content.clone() }],
            content,
            stop_reason: (role == Role::Assistant).then_some(StopReason::Completed),
            ..Message::new(
                MessageId::from_uuid(Uuid::now_v7()),
                TurnId::from_uuid(Uuid::from_u128(u128::from(number / 2) << 64 | 7)),
                role,
                capability::Clock::now(self.clock.as_ref()),
            )
        }
    }
}
