//! The sign of life: one statement renews the leases of all turns that run here.

use crate::engine::Engine;
use domain::Timestamp;
use tokio::time::{MissedTickBehavior, interval};

/// Idempotency keys are kept this long.
const KEEP_INPUTS_MS: i64 = 7 * 24 * 3_600 * 1_000;

pub(crate) fn spawn(engine: &Engine) {
    let engine = engine.clone();
    let third = engine.inner.settings.lease / 3;
    // Not tracked: it has nothing to finish, and it ends with the draining.
    tokio::spawn(async move {
        let mut ticks = interval(third.max(std::time::Duration::from_millis(10)));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut tick = 0_u64;
        loop {
            tokio::select! {
                () = engine.inner.halt.cancelled() => return,
                _ = ticks.tick() => {}
            }
            tick += 1;
            renew(&engine).await;
            if tick == 1 || tick.is_multiple_of(720) {
                prune(&engine).await;
            }
        }
    });
}

async fn renew(engine: &Engine) {
    // An idle program writes nothing.
    if !engine.any_running() {
        return;
    }
    let (node, until) = (engine.inner.node, engine.lease_until());
    match engine.store().write(async move |tx| store::turns::renew(tx, node, until).await).await {
        Ok(stopped) => {
            stopped.into_iter().for_each(|turn| engine.signal_stop(turn));
            engine.signal_answers();
        }
        Err(error) => tracing::warn!(%error, "the leases could not be renewed; it is tried again"),
    }
}

async fn prune(engine: &Engine) {
    let before = Timestamp::from_millis(engine.now().as_millis() - KEEP_INPUTS_MS);
    if let Err(error) = engine.store().write(async move |tx| store::inbox::prune(tx, before).await).await {
        tracing::warn!(%error, "old idempotency keys could not be dropped; it is tried again");
    }
    if let Err(error) =
        engine.store().write(async move |tx| store::idempotency::prune(tx, before).await).await
    {
        tracing::warn!(%error, "old idempotency keys could not be dropped; it is tried again");
    }
    if let Err(error) = engine.drop_unfinished_forks().await {
        tracing::warn!(%error, "unfinished forks could not be dropped; it is tried again");
    }
    let now = engine.now();
    if let Err(error) = engine.store().write(async move |tx| store::rules::prune(tx, now).await).await {
        tracing::warn!(%error, "rules whose time is over could not be dropped; it is tried again");
    }
    if let Err(error) = engine.prune_uploads().await {
        tracing::warn!(%error, "unused uploads could not be dropped; it is tried again");
    }
}
