use super::inbound::Inbound;
use crate::{
    problem::Problem,
    sse::{self, EventStream},
};
use domain::Envelope;

/// The turn of this message, from `input_accepted` to `turn_ended`.
pub(crate) async fn stream(mut inbound: Inbound) -> Result<EventStream<Envelope>, Problem> {
    let (_, reader) = inbound.deliver().await?;
    let app = inbound.app;
    Ok(sse::answer(reader, app.stop, app.settings.heartbeat))
}
