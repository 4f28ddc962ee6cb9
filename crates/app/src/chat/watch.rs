//! What happens in the session while this terminal does not wait for it: a turn that was begun elsewhere, one that waited
//! and goes on, a request that is made, or settled, or runs out of time. As lines, to be shown beside what is being typed.

use super::{
    once::verdict,
    request::Request,
    screen::Screen,
    transcript::Transcript,
    turn::{Finished, Sink as _},
};
use crate::{
    context::Context,
    control::{self, Client, EventStream, wait_for_return},
    error::Result,
    terminal::{Look, one_line, sentence},
};
use domain::{Cursor, Envelope, EnvelopeBody, EventBody, Message, Role, SessionId, TurnId, TurnOutcome};
use std::time::Duration;

const ANYBODY: Duration = Duration::from_secs(1);
/// Of what was said elsewhere.
const SAID: usize = 500;

/// Where a session was left.
#[derive(Clone, Debug, Default)]
pub struct SessionPlace {
    pub turn: Option<TurnId>,
    pub cursor: Option<Cursor>,
    /// What waits for its person, the oldest first.
    pub requests: Vec<Request>,
}

pub struct Watch {
    context: Context,
    client: Client,
    session: SessionId,
    place: SessionPlace,
    look: Look,
    stream: Option<EventStream>,
    shown: ShownTurn,
}

impl Watch {
    pub fn new(
        context: Context,
        client: Client,
        session: SessionId,
        place: SessionPlace,
        look: Look,
    ) -> Self {
        let shown = ShownTurn::new(place.requests.clone(), look);
        Self { context, client, session, place, look, stream: None, shown }
    }

    /// Up to where it was seen.
    pub fn place(&self) -> &SessionPlace {
        &self.place
    }

    /// The next lines. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<String> {
        loop {
            let Some(stream) = &mut self.stream else {
                self.stream = Some(self.open().await);
                continue;
            };
            match stream.next().await {
                Ok(Some(event)) => {
                    let lines = self.take(event)?;
                    if !lines.is_empty() {
                        return Ok(lines);
                    }
                }
                // The next server goes on from here.
                Ok(None) | Err(_) => self.stream = None,
            }
        }
    }

    /// Waits until a server is there; what is typed next looks for one, too.
    async fn open(&self) -> EventStream {
        loop {
            let mut events = control::Request::get(format!("/v1/sessions/{}/events/stream", self.session));
            if let Some(cursor) = self.place.cursor {
                events = events.header("last-event-id", cursor.to_string());
            }
            match self.client.follow(events).await {
                Ok(stream) => return stream,
                Err(error) => tracing::debug!(%error, "the conversation cannot be followed"),
            }
            tokio::time::sleep(ANYBODY).await;
            wait_for_return(&self.context).await;
        }
    }

    fn take(&mut self, event: Envelope) -> Result<String> {
        self.place.cursor = Some(event.cursor);
        let mut lines = String::new();
        if let Some(turn) = event.turn_id
            && self.place.turn.replace(turn).is_some_and(|before| before != turn)
        {
            let next = ShownTurn::new(self.place.requests.clone(), self.look);
            lines = std::mem::replace(&mut self.shown, next).rest()?;
        }
        lines.push_str(&self.shown.take(event)?);
        self.place.requests = self.shown.transcript.requests().to_vec();
        Ok(lines)
    }
}

/// One turn as it is shown. No I/O.
struct ShownTurn {
    transcript: Transcript,
    screen: Screen<Vec<u8>>,
    look: Look,
}

impl ShownTurn {
    fn new(requests: Vec<Request>, look: Look) -> Self {
        Self { transcript: Transcript::waiting_for(requests), screen: Screen::new(Vec::new(), look), look }
    }

    fn take(&mut self, event: Envelope) -> Result<String> {
        if event.turn_id.is_none() {
            return Ok(String::new());
        }
        if let EnvelopeBody::Durable(EventBody::UserMessage { message }) = &event.body
            && message.role == Role::User
        {
            let line = self.look.dim(&format!("{}> {}", speaker(message), one_line(&message.content, SAID)));
            self.screen.line(&line)?;
        }
        let ends = matches!(event.body, EnvelopeBody::Durable(EventBody::TurnEnded { .. }));
        for piece in self.transcript.take(event) {
            self.screen.show(piece)?;
        }
        if ends || self.transcript.waits() {
            self.screen.end_line()?;
        }
        if ends {
            self.judge()?;
        }
        Ok(self.screen.take_lines())
    }

    /// What did not go well is said.
    fn judge(&mut self) -> Result<()> {
        let ended = self.transcript.ended().filter(|ended| ended.outcome != TurnOutcome::Cancelled).cloned();
        if ended.is_none() {
            return Ok(());
        }
        let finished = Finished { turn: None, cursor: None, requests: Vec::new(), ended };
        match verdict(&finished, None) {
            Ok(()) => Ok(()),
            Err(error) => self.screen.line(&self.look.red(&one_line(&sentence(&error.to_string()), SAID))),
        }
    }

    /// What was begun and not ended, when nothing more comes of it.
    fn rest(mut self) -> Result<String> {
        self.screen.end_line()?;
        Ok(self.screen.take_lines())
    }
}

fn speaker(message: &Message) -> String {
    let name = match (&message.sender, &message.asker) {
        (Some(sender), _) => sender.name.as_ref().unwrap_or(&sender.source),
        (None, Some(asker)) => &asker.name,
        (None, None) => return "you (in another window)".to_owned(),
    };
    one_line(name, 40)
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
