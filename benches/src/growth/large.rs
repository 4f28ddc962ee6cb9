//! Makes a house large: people, sessions, a long history, written straight into the store.

use crate::{
    load::{fill, house::House},
    world,
};
use anyhow::{Context, Result};
use domain::{Session, SessionId, UserId, UserRole};
use engine::{AgentFields, Change, NewPerson, NewSession, Principal};
use std::{net::SocketAddr, time::Duration};
use store::{Store, Tx, sessions};
use uuid::Uuid;

/// How large.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub people: usize,
    /// Of each of these people.
    pub sessions_each: usize,
    /// Of the owner, with one turn each.
    pub sessions: usize,
    /// Some of the owner's are longer: how many, and of how many turns.
    pub longer: (usize, u64),
    /// Turns of the longest.
    pub longest: u64,
}

pub const SMALL: Size = Size { people: 1, sessions_each: 5, sessions: 30, longer: (2, 30), longest: 30 };
/// 10,000 sessions, 100 people, some million events, 100,000 messages in one session.
pub const LARGE: Size =
    Size { people: 100, sessions_each: 10, sessions: 8_948, longer: (50, 1_000), longest: 50_000 };

const AT_ONCE: usize = 100;

/// Fills a house whose program does not run; the owner's longest session is its first one.
pub async fn fill(house: &House, user: UserId, model: SocketAddr, size: Size) -> Result<()> {
    let store = house.store().await?;
    let longest: SessionId = house.sessions.first().context("there is no session")?.parse()?;
    fill::turns(&store, user, longest, size.longest).await?;
    let template = template(&store, user, longest).await?;
    let longer = copies(&store, &template, size.longer.0).await?;
    for session in longer {
        fill::turns(&store, user, session, size.longer.1).await?;
    }
    for from in (0..size.sessions).step_by(AT_ONCE) {
        let made = copies(&store, &template, AT_ONCE.min(size.sessions - from)).await?;
        fill::first_turns(&store, user, made).await?;
    }
    people(&store, model, size).await?;
    store.close().await;
    Ok(())
}

async fn template(store: &Store, user: UserId, id: SessionId) -> Result<Session> {
    let key = store.data_key(user).await?;
    let found = store.read(move |tx: &mut Tx| sessions::get(tx, &key, user, id)).await?;
    found.context("the first session is gone")
}

/// New sessions with the same agent.
async fn copies(store: &Store, template: &Session, count: usize) -> Result<Vec<SessionId>> {
    let key = store.data_key(template.user_id).await?;
    let new = |number: usize| Session {
        id: SessionId::from_uuid(Uuid::now_v7()),
        name: Some(format!("Conversation {number}")),
        message_count: 0,
        last_seq: 0,
        read_seq: 0,
        ..template.clone()
    };
    let made: Vec<Session> = (0..count).map(new).collect();
    let ids = made.iter().map(|session| session.id).collect();
    let write = move |tx: &mut Tx| made.iter().try_for_each(|session| sessions::create(tx, &key, session));
    store.write(write).await?;
    Ok(ids)
}

/// People with an agent and some sessions of their own, each with a turn.
async fn people(store: &Store, model: SocketAddr, size: Size) -> Result<()> {
    let engine = world::engine(store.clone(), model).await?;
    for number in 0..size.people {
        let name = format!("person{number}");
        let person = NewPerson { name, role: UserRole::Member, password: None, time_zone: None };
        let user = engine.people().create_person(person).await?.id;
        let fields = AgentFields { name: Change::Set("helper".to_owned()), ..AgentFields::default() };
        let principal = Principal::operator(user, UserRole::Member);
        let agent = engine.create_agent(&principal, fields).await?;
        let new = NewSession::with(agent.id);
        let first = engine.create_session(user, new).await?.id;
        let template = template(store, user, first).await?;
        let mut made = copies(store, &template, size.sessions_each.saturating_sub(1)).await?;
        made.push(first);
        fill::first_turns(store, user, made).await?;
    }
    engine.shutdown(Duration::from_secs(5)).await;
    Ok(())
}
