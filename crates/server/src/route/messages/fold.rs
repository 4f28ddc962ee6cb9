//! A turn, seen from its end, or from where it waits for a person.

use super::waits::{InputRequired, Waiting, WaitsFor};
use crate::{app::App, problem::Problem};
use domain::{
    AgentState, EnvelopeBody, EventBody, MessageId, SessionId, TurnError, TurnId, TurnOutcome, Usage, UserId,
};
use engine::{Accepted, Parkings, Reader};

/// The agent's last message: where it is in the log, and its words.
pub(crate) struct LastMessage {
    pub(crate) seq: u64,
    pub(crate) id: MessageId,
    pub(crate) words: String,
}

/// How a turn ended.
pub(crate) struct EndedTurn {
    pub(crate) last_message: Option<LastMessage>,
    pub(crate) outcome: TurnOutcome,
    pub(crate) error: Option<TurnError>,
    pub(crate) usage: Usage,
}

pub(crate) enum Folded {
    Ended(EndedTurn),
    /// With what the agent has said so far.
    Waits(Waiting, Option<LastMessage>),
}

/// A turn that a client waits for.
pub(crate) struct Followed {
    pub(crate) user: UserId,
    pub(crate) session_id: SessionId,
    pub(crate) accepted: Accepted,
    pub(crate) reader: Reader,
    /// From before the message was accepted: what waits may wait elsewhere, in the session of a colleague.
    pub(crate) parkings: Parkings,
}

/// Reads a turn to its end, or to where it waits for a person, unless the server is going down.
pub(crate) async fn fold(app: &App, turn: Followed) -> Result<Folded, Problem> {
    let turn_id = turn.accepted.turn_id;
    let _awaits = app.engine.awaits_turn();
    let read = app.closing.run_until_cancelled(Folding::new(app, turn).read_on()).await;
    match read.transpose() {
        Ok(read) => read.flatten().ok_or_else(|| unfinished(app, turn_id)),
        // Another server answers by now, to the same message with the same key.
        Err(problem) if problem.code == "shutting_down" => Err(unfinished(app, turn_id)),
        Err(problem) => Err(problem),
    }
}

fn unfinished(app: &App, turn_id: TurnId) -> Problem {
    let how = match app.engine.leaving().is_cancelled() {
        true => "by another server. Send it again with the same Idempotency-Key",
        false => "after the restart. Follow the events of the conversation",
    };
    Problem::unavailable(
        "shutting_down",
        format!("The message was accepted ({turn_id}) and is answered {how}."),
    )
}

struct Folding<'a> {
    app: &'a App,
    turn: Followed,
    last_message: Option<LastMessage>,
    end: Option<(TurnOutcome, Option<TurnError>, Usage)>,
    /// The reader tells what the turn itself waits for, and what its agent said before.
    has_begun: bool,
}

impl<'a> Folding<'a> {
    fn new(app: &'a App, turn: Followed) -> Self {
        let has_begun = turn.accepted.goes_on;
        Self { app, turn, last_message: None, end: None, has_begun }
    }

    async fn read_on(mut self) -> Result<Option<Folded>, Problem> {
        // It may have waited, or stood behind one that waits, before this request came.
        if !self.turn.accepted.goes_on
            && let Some(waiting) = self.waiting().await?
        {
            return Ok(Some(Folded::Waits(waiting, None)));
        }
        loop {
            let event = tokio::select! {
                biased;
                event = self.turn.reader.next() => event?,
                session = self.turn.parkings.next() => {
                    let is_told = self.has_begun && session == Some(self.turn.session_id);
                    if !is_told && let Some(waiting) = self.waiting().await? {
                        return Ok(Some(Folded::Waits(waiting, self.last_message)));
                    }
                    continue;
                }
            };
            let Some(frame) = event else { break };
            // A live piece has nothing that is waited for, and is not read.
            let told = ["turn_started", "message_complete", "agent_status", "turn_ended"];
            if !told.contains(&frame.kind()) {
                continue;
            }
            let EnvelopeBody::Durable(body) = frame.envelope()?.body else { continue };
            match body {
                EventBody::TurnStarted { .. } => self.has_begun = true,
                EventBody::MessageComplete { message_id: id, content: words, .. } => {
                    self.last_message = Some(LastMessage { seq: frame.seq(), id, words });
                }
                EventBody::AgentStatus { state: AgentState::InputRequired } => {
                    // A client that repeats a message may read of a waiting that is long over.
                    if let Some(waiting) = self.waiting().await? {
                        return Ok(Some(Folded::Waits(waiting, self.last_message)));
                    }
                }
                EventBody::TurnEnded { outcome, error, usage } => self.end = Some((outcome, error, usage)),
                _ => {}
            }
        }
        let Self { last_message, end, .. } = self;
        let ended =
            |(outcome, error, usage)| Folded::Ended(EndedTurn { last_message, outcome, error, usage });
        Ok(end.map(ended))
    }

    fn waiting(&self) -> impl Future<Output = Result<Option<Waiting>, Problem>> + Send + use<'a> {
        let (app, user, turn_id) = (self.app, self.turn.user, self.turn.accepted.turn_id);
        async move {
            let Some(waiting) = app.engine.waiting(user, turn_id).await? else { return Ok(None) };
            let waiting = waiting.into_iter().map(WaitsFor::from).collect();
            let outcome = InputRequired::InputRequired;
            Ok(Some(Waiting { turn_id, outcome, waiting, response: None, repeat_with: None }))
        }
    }
}
