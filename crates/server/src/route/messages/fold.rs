//! A turn, seen from its end, or from where it waits for its person.

use super::waits::{InputRequired, Waiting, WaitsFor};
use crate::{app::App, problem::Problem};
use domain::{AgentState, EnvelopeBody, EventBody, TurnError, TurnId, TurnOutcome, Usage, UserId};
use engine::Reader;

/// How a turn ended.
pub(crate) struct Ended {
    /// Where the agent's last message is in the log, and its words.
    pub(crate) last_message: Option<(u64, String)>,
    pub(crate) outcome: TurnOutcome,
    pub(crate) error: Option<TurnError>,
    pub(crate) usage: Usage,
}

pub(crate) enum Folded {
    Ended(Ended),
    Waits(Waiting),
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
            EnvelopeBody::Durable(EventBody::MessageComplete { content, .. }) => {
                last_message = Some((envelope.seq, content));
            }
            EnvelopeBody::Durable(EventBody::AgentStatus { state: AgentState::InputRequired }) => {
                // Whoever repeats a message may read of a waiting that is long over.
                if let Some(waiting) = app.engine.waiting(user, turn_id).await? {
                    let waiting = waiting.into_iter().map(WaitsFor::from).collect();
                    let response = last_message.map(|(_, words)| words);
                    let outcome = InputRequired::InputRequired;
                    return Ok(Some(Folded::Waits(Waiting { turn_id, outcome, waiting, response })));
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
