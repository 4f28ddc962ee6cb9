//! A reader that changes nodes in the middle of replies, whether it has to or not.

use super::anywhere::Addresses;
use crate::follower::Seen;
use rand::{RngExt, rngs::StdRng};
use std::time::Duration;
use testkit::client::Client;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

/// A node that says nothing for so long may stand still.
const SILENCE: Duration = Duration::from_secs(5);

/// Reads until it has the log up to the `seq` that `until` finally names.
pub async fn wander(
    client: Client,
    session: String,
    addresses: Addresses,
    mut random: StdRng,
    until: watch::Receiver<Option<u64>>,
) -> Seen {
    let mut seen = Seen::nothing();
    let complete = |seen: &Seen| until.borrow().is_some_and(|seq| seen.has(seq));
    while !complete(&seen) {
        let somewhere = client.at(&addresses.any(&mut random));
        let Ok(Ok(mut stream)) = timeout(SILENCE, somewhere.follow(&session, seen.cursor.as_deref())).await
        else {
            sleep(Duration::from_millis(20)).await;
            continue;
        };
        if stream.status != 200 {
            let refused = stream.refusal().await;
            let Ok(refused) = refused else { continue };
            assert!(matches!(refused.status, 429 | 503), "{:?}: {refused:?}", seen.cursor);
            sleep(Duration::from_millis(20)).await;
            continue;
        }
        seen.connections += 1;
        seen.resumed_mid_message += usize::from(seen.in_a_message());
        let mut finished = until.clone();
        let mut left = random.random_range(1..80);
        while left > 0 && !complete(&seen) {
            tokio::select! {
                event = timeout(SILENCE, stream.next()) => match event {
                    Ok(Ok(Some(event))) => {
                        seen.take(event);
                        left -= 1;
                    }
                    _ => break,
                },
                _ = finished.changed() => {}
            }
        }
    }
    seen
}
