//! Finds what other nodes have committed and did not tell: one statement for all sessions that are read here, and one for all
//! people whose everything is followed. It also says which live pieces are still wanted.

use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    bus::node_note::NodeNote,
    engine::Engine,
    error::Result,
    follow::{
        feed::{Feed, Feeds, lock},
        hints::Hints,
    },
    wake_ups::WakeUp,
};
use async_trait::async_trait;
use domain::{SessionId, UserId};
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex},
    time::Duration,
};
use store::{Tx, sessions};

const EVERY: Duration = Duration::from_secs(2);
/// With every so manieth look it is said what is still wanted.
const RENEWED: u32 = 5;
/// Of each person, the sessions that changed last.
const SESSIONS: u32 = 50;
/// That fit into one note.
const TOGETHER: usize = 150;

#[derive(Default)]
pub(crate) struct FindMissed {
    wanted: Mutex<Renewal>,
}

#[derive(Default)]
struct Renewal {
    looks: u32,
    sessions: HashSet<SessionId>,
}

#[async_trait]
impl BackgroundJob for FindMissed {
    fn name(&self) -> &'static str {
        "missed notes"
    }

    fn terms(&self) -> JobTerms {
        let woken_by = Some(WakeUp::MissedNotes);
        JobTerms { everywhere: true, until_halt: true, woken_by, ..JobTerms::default() }
    }

    async fn run(&self, engine: &Engine) -> Result<()> {
        if !engine.bus().has_to_look() {
            return Ok(());
        }
        let feeds: HashMap<SessionId, Arc<Feed>> = engine.state::<Feeds>().watched().into_iter().collect();
        let people = engine.state::<Hints>().people();
        self.renew(engine, feeds.keys().copied().collect());
        let read: Vec<SessionId> = feeds.keys().copied().collect();
        let look = move |tx: &mut Tx| {
            Ok((sessions::newest_of(tx, &read)?, sessions::newest_of_people(tx, &people, SESSIONS)?))
        };
        let (of_feeds, of_people): (Vec<(SessionId, UserId, u64)>, _) = engine.store().read(look).await?;
        for (session, user, last) in of_feeds {
            let heard = feeds.get(&session).map_or(last, |feed| feed.heard());
            if heard < last {
                engine.take_in(user, session, heard, last);
            }
        }
        for (session, user, last) in of_people {
            if let Some(heard) = engine.state::<Hints>().behind(user, session, last) {
                engine.take_in(user, session, heard, last);
            }
        }
        Ok(())
    }

    async fn next_run(&self, _: &Engine) -> NextRun {
        NextRun::Every(EVERY)
    }
}

impl FindMissed {
    /// Says which live pieces are still wanted, now and then, and at once which are not any more.
    fn renew(&self, engine: &Engine, read: HashSet<SessionId>) {
        let mut wanted = lock(&self.wanted);
        let gone: Vec<SessionId> = wanted.sessions.difference(&read).copied().collect();
        for sessions in gone.chunks(TOGETHER) {
            engine.tell(NodeNote::Unwant(sessions.to_vec()));
        }
        wanted.looks = (wanted.looks + 1) % RENEWED;
        if wanted.looks == 0 {
            let still: Vec<SessionId> = read.iter().copied().collect();
            for sessions in still.chunks(TOGETHER) {
                engine.tell(NodeNote::Still(sessions.to_vec()));
            }
        }
        wanted.sessions = read;
    }
}
