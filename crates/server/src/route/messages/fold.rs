//! A turn, seen from its end, or from where it waits for its person.

use super::waits::{InputRequired, Waiting, WaitsFor};
use crate::{app::App, problem::Problem};
use domain::{AgentState, EnvelopeBody, EventBody, MessageId, TurnError, TurnId, TurnOutcome, Usage, UserId};
use engine::Reader;

/// The agent's last message: where it is in the log, and its words.
pub(crate) struct LastMessage {
    pub(crate) seq: u64,
    pub(crate) id: MessageId,
    pub(crate) words: String,
}

/// How a turn ended.
pub(crate) struct Ended {
    pub(crate) last_message: Option<LastMessage>,
    pub(crate) outcome: TurnOutcome,
    pub(crate) error: Option<TurnError>,
    pub(crate) usage: Usage,
}

pub(crate) enum Folded {
    Ended(Ended),
    /// With what the agent has said so far.
    Waits(Waiting, Option<LastMessage>),
}

/// Reads a turn to its end, or to where it waits for its person, unless the server is going down.
pub(crate) async fn fold(
    app: &App,
    user: UserId,
    turn_id: TurnId,
    reader: Reader,
) -> Result<Folded, Problem> {
    let read = app.closing.run_until_cancelled(to_the_end(app, user, turn_id, reader)).await;
    let read = read.transpose()?.flatten();
    read.ok_or_else(|| {
        let detail =
            format!("{turn_id} is accepted and goes on after the restart; follow the session's events");
        Problem::unavailable("shutting_down", detail)
    })
}

async fn to_the_end(
    app: &App,
    user: UserId,
    turn_id: TurnId,
    mut reader: Reader,
) -> Result<Option<Folded>, Problem> {
    let mut last_message = None;
    let mut end = None;
    while let Some(envelope) = reader.next().await? {
        match envelope.body {
            EnvelopeBody::Durable(EventBody::MessageComplete { message_id: id, content: words, .. }) => {
                last_message = Some(LastMessage { seq: envelope.seq, id, words });
            }
            EnvelopeBody::Durable(EventBody::AgentStatus { state: AgentState::InputRequired }) => {
                // Whoever repeats a message may read of a waiting that is long over.
                if let Some(waiting) = app.engine.waiting(user, turn_id).await? {
                    let waiting = waiting.into_iter().map(WaitsFor::from).collect();
                    let outcome = InputRequired::InputRequired;
                    let waits = Waiting { turn_id, outcome, waiting, response: None };
                    return Ok(Some(Folded::Waits(waits, last_message)));
                }
            }
            EnvelopeBody::Durable(EventBody::TurnEnded { outcome, error, usage }) => {
                end = Some((outcome, error, usage));
            }
            _ => {}
        }
    }
    let ended = |(outcome, error, usage)| Folded::Ended(Ended { last_message, outcome, error, usage });
    Ok(end.map(ended))
}
