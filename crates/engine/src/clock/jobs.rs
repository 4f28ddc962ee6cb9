//! All background jobs, one line each.

use crate::{
    background_job::BackgroundJob,
    engine::Engine,
    recovery::{lease::RenewLeases, sweep::Sweep},
    upkeep::{daily_backup::DailyBackup, prune::Prune, revocation_recheck::RecheckRevocations},
    waiting::{errand_delivery::DeliverErrands, expiry::Expire},
};

pub(crate) fn all(engine: &Engine) -> Vec<Box<dyn BackgroundJob>> {
    vec![
        Box::new(RenewLeases),
        Box::new(Sweep::default()),
        Box::new(DeliverErrands),
        Box::new(Expire),
        Box::new(DailyBackup::new(engine.now())),
        Box::new(RecheckRevocations),
        Box::new(Prune),
    ]
}
