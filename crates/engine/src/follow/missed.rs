//! Finds what other nodes have committed and did not tell: one statement for all sessions that are read here, and one or two for all
//! people whose everything is followed ([`looks`](super::looks)). It also says which live pieces are still wanted.

use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    bus::node_note::NodeNote,
    engine::Engine,
    error::Result,
    faults::guards_off::looks_are_off,
    follow::{
        feed::{Feed, Feeds, lock},
        hints::Hints,
        looks::StoredSession,
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
/// With every so manieth all sessions of people are looked at.
const WHOLE: u32 = 10;
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
        let hints = engine.state::<Hints>();
        let missed = hints.take_missed();
        // The last other node may have gone without a word of what it did.
        if looks_are_off() || (!missed && !engine.bus().has_to_look()) {
            return Ok(());
        }
        let feeds: HashMap<SessionId, Arc<Feed>> = engine.state::<Feeds>().watched().into_iter().collect();
        let number = self.renew(engine, feeds.keys().copied().collect());
        let looks = hints.begin_looks(missed || number.is_multiple_of(WHOLE));
        if feeds.is_empty() && looks.is_empty() {
            return Ok(());
        }
        let people = |whole: bool| -> Vec<UserId> {
            looks.iter().filter(|look| look.whole == whole).map(|look| look.user).collect()
        };
        let (all_of, newest_of) = (people(true), people(false));
        let read: Vec<SessionId> = feeds.keys().copied().collect();
        let look = move |tx: &mut Tx| {
            let mut of_people = sessions::newest_of_people(tx, &newest_of, SESSIONS)?;
            of_people.extend(sessions::newest_of_people(tx, &all_of, u32::MAX)?);
            Ok((sessions::newest_of(tx, &read)?, of_people))
        };
        let looked = engine.store().read(look).await;
        if looked.is_err() && missed {
            hints.note_missed();
        }
        let (of_feeds, of_people): (Vec<(SessionId, UserId, u64)>, _) = looked?;
        for (session, user, last) in of_feeds {
            let heard = feeds.get(&session).map_or(last, |feed| feed.heard());
            if heard < last {
                engine.take_in(user, session, heard, last);
            }
        }
        let mut found: HashMap<UserId, Vec<StoredSession>> = HashMap::new();
        for (session, user, last_seq, apart) in of_people {
            found.entry(user).or_default().push(StoredSession { session, last_seq, listed: apart == 0 });
        }
        for look in looks {
            let user = look.user;
            for (session, heard, last) in hints.end_look(look, &found.remove(&user).unwrap_or_default()) {
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
    /// Says which live pieces are still wanted, now and then, and at once which are not any more. Gives the number of this look.
    fn renew(&self, engine: &Engine, read: HashSet<SessionId>) -> u32 {
        let mut wanted = lock(&self.wanted);
        let gone: Vec<SessionId> = wanted.sessions.difference(&read).copied().collect();
        for sessions in gone.chunks(TOGETHER) {
            engine.tell(NodeNote::Unwant(sessions.to_vec()));
        }
        wanted.looks = wanted.looks.wrapping_add(1);
        let number = wanted.looks;
        if number.is_multiple_of(RENEWED) {
            let still: Vec<SessionId> = read.iter().copied().collect();
            for sessions in still.chunks(TOGETHER) {
                engine.tell(NodeNote::Still(sessions.to_vec()));
            }
        }
        wanted.sessions = read;
        number
    }
}
