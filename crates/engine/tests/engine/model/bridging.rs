//! A provider that is away: it is waited for, in the open, and not for ever.

use crate::world::{World, shown};
use domain::Envelope;
use std::{sync::Arc, time::Duration};
use testkit::model::Reply;
use tokio::sync::Notify;

fn restarts(events: &[Envelope]) -> usize {
    events.iter().filter(|event| event.type_name() == "message_restarted").count()
}

/// Seven refusals are a minute and a half of growing pauses; the eighth request is answered.
#[tokio::test]
async fn a_provider_that_comes_back_is_waited_for() {
    type Away = (&'static str, fn() -> Reply);
    let away: [Away; 4] = [
        ("503", || Reply::status(503)),
        ("500", || Reply::status(500)),
        ("429", || Reply::status(429).header("retry-after", "0")),
        ("reset", Reply::hang_up),
    ];
    for (name, reply) in away {
        let world = World::new().await;
        world.model.queue((0..7).map(|_| reply()));
        world.model.respond(|_| Reply::text("Back."));
        let events = world.run("Hello").await;
        assert_eq!(shown(&events).last().unwrap(), "turn_ended completed", "{name}");
        assert_eq!((restarts(&events), world.model.request_count()), (7, 8), "{name}");
        world.check(&["Hello"]).await;
    }
}

/// A model that says nothing for as long as it is waited for is asked once more, and not four times.
#[tokio::test]
async fn a_silent_model_does_not_hold_a_turn_for_ever() {
    let world = World::with(|setup| setup.stall = Duration::from_millis(300)).await;
    let never = Arc::new(Notify::new());
    world.model.respond(move |_| Reply::text("Never.").gate(never.clone()));
    let events = world.run("Hello").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended failed provider_stalled");
    assert_eq!((restarts(&events), world.model.request_count()), (1, 2));
    world.check(&["Hello"]).await;
}
