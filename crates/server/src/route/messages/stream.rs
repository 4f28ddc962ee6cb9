use super::inbound::Inbound;
use crate::{
    problem::Problem,
    sse::{self, EventStream, Stays},
};
use domain::Envelope;

/// The turn of this message, from `input_accepted` to `turn_ended`.
pub(crate) async fn stream(mut inbound: Inbound) -> Result<EventStream<Envelope>, Problem> {
    let (_, reader) = inbound.deliver().await?;
    Ok(sse::answer(reader, &inbound.app, Stays::WithItsTurn))
}
