//! Puts a long conversation into a session of a program that does not run, for tests of what reads it:
//! `fill_session DATA_DIRECTORY USER_ID SESSION_ID MESSAGES`. They are numbered, and said in turns of two.

use domain::{
    Message, MessageId, Part, Role, SessionId, SessionStatus, StopReason, Timestamp, TurnId, Usage, UserId,
};
use std::{env, error::Error, path::Path};
use store::{
    MasterKey, Store, Tx,
    log::{self, Entry},
    sessions::{self, Active, Advance},
};
use uuid::Uuid;

/// So many are written at once.
const BATCH: u64 = 500;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let [data, user, session, count] =
        env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "there are four arguments")?;
    let (user, session): (UserId, SessionId) = (user.parse()?, session.parse()?);
    let count: u64 = count.parse()?;
    let data = Path::new(&data);
    let master = MasterKey::load(&data.join("master.key"))?.ok_or("there is no master key")?;
    let store = Store::open(&format!("sqlite:{}", data.join("majordomo.db").display()), master).await?;
    let key = store.data_key(user).await?;
    let now = Timestamp::from_millis(1_800_000_000_000);
    let mut turn = TurnId::from_uuid(Uuid::now_v7());
    for from in (0..count).step_by(usize::try_from(BATCH)?) {
        let mut entries = Vec::new();
        for number in from..count.min(from.saturating_add(BATCH)) {
            if number.is_multiple_of(2) {
                turn = TurnId::from_uuid(Uuid::now_v7());
            }
            entries.push(Entry::Message(message(turn, number, now)));
        }
        let (key, many) = (key.clone(), u64::try_from(entries.len())?);
        let write = move |tx: &mut Tx| {
            let advance = Advance {
                events: many,
                messages: many,
                usage: Usage::ZERO,
                steered: 0,
                status: SessionStatus::Idle,
                active: Active::Keep,
                now,
            };
            let numbers = sessions::advance(tx, user, session, advance)?.numbers;
            log::append(tx, &key, numbers, now, entries).map(drop)
        };
        store.write(write).await?;
    }
    Ok(())
}

fn message(turn: TurnId, number: u64, now: Timestamp) -> Message {
    let role = if number.is_multiple_of(2) { Role::User } else { Role::Assistant };
    let content = format!("Number {number}");
    Message {
        parts: vec![Part::Text { text: content.clone() }],
        content,
        stop_reason: (role == Role::Assistant).then_some(StopReason::Completed),
        ..Message::new(MessageId::from_uuid(Uuid::now_v7()), turn, role, now)
    }
}
