//! A call of an agent that is cut off and taken up again.

use crate::{Trap, world::World};
use serde_json::Value;
use testkit::model::Reply;

/// Lets the agent make this call, cut off at the point. What the model was told of it in the end.
pub async fn told(world: &mut World, point: &'static str, call: (&'static str, Value)) -> String {
    world.model.respond(move |request| match request.results_since_user().len() {
        0 => Reply::text("").then_calls([call.clone()]),
        _ => Reply::text("Done."),
    });
    let trap = Trap::set(point, 1);
    let accepted = world.post("Go on").await;
    trap.sprung().await;
    trap.disarm();
    world.crash().await;
    world.ended(accepted).await;
    world.model.last_request().unwrap().results_since_user().remove(0)
}
