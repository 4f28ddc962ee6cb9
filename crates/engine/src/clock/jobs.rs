//! All background jobs, one line each.

use crate::{background_job::BackgroundJob, engine::Engine};

pub(crate) fn all(engine: &Engine) -> Vec<Box<dyn BackgroundJob>> {
    let mut jobs: Vec<Box<dyn BackgroundJob>> = vec![
        Box::new(crate::recovery::heartbeat::BeatOfNode::default()),
        Box::new(crate::recovery::lease::RenewLeases),
        Box::new(crate::recovery::lost_turns::LookForLostTurns::default()),
        Box::new(crate::recovery::takeover::TakeOverTurns::default()),
        Box::new(crate::waiting::errand_delivery::DeliverErrands),
        Box::new(crate::waiting::expiry::Expire),
        Box::new(crate::inbox::due::fire_due::FireDue),
        Box::new(crate::sessions::undo_deletion::EmptyBin),
        Box::new(crate::upkeep::daily_backup::DailyBackup::new(engine.now())),
        Box::new(crate::upkeep::revocation_recheck::RecheckRevocations),
        Box::new(crate::upkeep::prune::Prune),
    ];
    // On SQLite there are no other nodes.
    if engine.bus().own_name().is_some() {
        jobs.push(Box::new(crate::bus::speak::Speak));
        jobs.push(Box::new(crate::bus::hear::Hear));
        jobs.push(Box::new(crate::follow::missed::FindMissed::default()));
        jobs.push(Box::new(crate::upkeep::people_elsewhere::KeepUpWithOthers));
        jobs.push(Box::new(crate::upkeep::handed_key::TakeHandedKeys));
    }
    jobs
}
