//! Keeps what is said of people the same at every node: how much they have open, whose proof has ended, who is gone.

use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    bus::{node_note::NodeNote, tell::NoteTaker},
    engine::Engine,
    error::Result,
    wake_ups::WakeUp,
};
use async_trait::async_trait;
use people::ReturnedSlots;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

/// What was taken ahead for a person and is not needed goes back after this long.
const SLOWLY: Duration = Duration::from_secs(10);
/// After a failure.
const PAUSE: Duration = Duration::from_secs(1);

/// Tells other nodes what has to end there, and the database how much people have open here.
pub(crate) struct KeepUpWithOthers;

#[async_trait]
impl BackgroundJob for KeepUpWithOthers {
    fn name(&self) -> &'static str {
        "people at other nodes"
    }

    fn terms(&self) -> JobTerms {
        JobTerms { everywhere: true, until_halt: true, after_failure: PAUSE, ..JobTerms::default() }
    }

    async fn run(&self, engine: &Engine) -> Result<()> {
        let (people, halt) = (engine.people(), &engine.inner.halt);
        let mut slow = Instant::now() + SLOWLY;
        // What the run before could not do.
        people.return_slots(ReturnedSlots::Single).await?;
        loop {
            let returned = tokio::select! {
                biased;
                () = halt.cancelled() => return Ok(()),
                () = people.stirred() => ReturnedSlots::Single,
                () = sleep_until(slow) => ReturnedSlots::Unneeded,
            };
            let news = people.take_news();
            if news.ended {
                engine.tell(NodeNote::Ended);
            }
            if news.settled {
                engine.tell(NodeNote::Settled);
            }
            if news.short {
                engine.tell(NodeNote::Short);
            }
            if returned == ReturnedSlots::Unneeded {
                slow = Instant::now() + SLOWLY;
            }
            people.return_slots(returned).await?;
        }
    }

    async fn next_run(&self, _: &Engine) -> NextRun {
        NextRun::In(PAUSE)
    }
}

/// Hears of it.
pub(crate) struct PeopleElsewhere;

impl NoteTaker for PeopleElsewhere {
    fn take(&self, engine: &Engine, _: Uuid, note: &NodeNote) {
        match note {
            NodeNote::Ended => engine.wake(WakeUp::Ended),
            NodeNote::Settled => engine.people().hear_settled(),
            NodeNote::Short => engine.return_all_slots(),
            NodeNote::Removed { user } => engine.store().forget_key(*user),
            _ => {}
        }
    }

    fn gap(&self, engine: &Engine) {
        engine.wake(WakeUp::Ended);
        engine.store().forget_keys();
    }
}

impl Engine {
    /// Another node lacks what this one may have taken ahead.
    fn return_all_slots(&self) {
        let engine = self.clone();
        self.spawn("slots", async move {
            if let Err(error) = engine.people().return_slots(ReturnedSlots::All).await {
                tracing::debug!(%error, "upkeep: what was taken ahead could not be given back; it goes back later");
            }
        });
    }
}
