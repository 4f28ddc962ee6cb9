//! A turn, seen from its end.

use crate::{app::App, problem::Problem};
use domain::{EnvelopeBody, EventBody, TurnError, TurnId, TurnOutcome, Usage};
use engine::Reader;

/// How a turn ended.
pub(crate) struct Ended {
    /// Where the agent's last message is in the log, and its words.
    pub(crate) last_message: Option<(u64, String)>,
    pub(crate) outcome: TurnOutcome,
    pub(crate) error: Option<TurnError>,
    pub(crate) usage: Usage,
}

/// Reads a turn to its end, unless the server is going down.
pub(crate) async fn fold(app: &App, turn_id: TurnId, reader: Reader) -> Result<Ended, Problem> {
    let read = app.closing.run_until_cancelled(to_the_end(reader)).await;
    let read = read.transpose()?.flatten();
    read.ok_or_else(|| {
        let detail =
            format!("{turn_id} is accepted and goes on after the restart; follow the session's events");
        Problem::unavailable("shutting_down", detail)
    })
}

async fn to_the_end(mut reader: Reader) -> Result<Option<Ended>, Problem> {
    let mut last_message = None;
    let mut end = None;
    while let Some(envelope) = reader.next().await? {
        match envelope.body {
            EnvelopeBody::Durable(EventBody::MessageComplete { content, .. }) => {
                last_message = Some((envelope.seq, content));
            }
            EnvelopeBody::Durable(EventBody::TurnEnded { outcome, error, usage }) => {
                end = Some((outcome, error, usage));
            }
            _ => {}
        }
    }
    Ok(end.map(|(outcome, error, usage)| Ended { last_message, outcome, error, usage }))
}
