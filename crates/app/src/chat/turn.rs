//! One turn, sent or followed to its end, across a connection that breaks.

use super::{
    request::Request,
    talk::Talk,
    transcript::{Piece, Transcript, TurnEnd},
};
use crate::{
    control::{self, EventStream, wait_for_return},
    error::{Error, Result},
    lock,
};
use domain::{Answers, Cursor, Envelope, TurnId};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::{
    signal::unix::Signal,
    time::{Instant, MissedTickBehavior},
};
use uuid::Uuid;

/// The person is not left without a sign for longer than this.
const SILENCE: Duration = Duration::from_secs(20);
/// How often it is looked whether an agent that works for the turn asks its person something: no event of the turn says so.
const LOOK: Duration = Duration::from_secs(2);

/// Where pieces and notices go.
pub trait Sink {
    /// Does its person sit here, so that a turn is followed although an agent that works for it asks them something elsewhere?
    const STAYS: bool;
    fn show(&mut self, piece: Piece) -> Result<()>;
    /// Something the program itself has to say.
    fn notice(&mut self, text: &str);
}

/// What a person says, and what goes along with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutgoingMessage {
    pub text: String,
    /// Ids of uploads.
    pub attachments: Vec<String>,
    /// The model that is to answer it alone.
    pub model: Option<String>,
}

impl OutgoingMessage {
    fn body(&self) -> Value {
        let mut body = json!({ "content": self.text });
        if !self.attachments.is_empty() {
            let attachments: Vec<Value> =
                self.attachments.iter().map(|id| json!({ "upload_id": id })).collect();
            body["attachments"] = json!(attachments);
        }
        if let Some(model) = &self.model {
            body["model"] = json!(model);
        }
        body
    }
}

/// What is followed.
pub enum TurnCause {
    Message(OutgoingMessage),
    /// Words that answer what was shown, with what is known of its turn.
    Reply(String, Answers, Box<Transcript>),
    /// One that has begun, from here on.
    Begun {
        turn: Option<TurnId>,
        cursor: Option<Cursor>,
    },
    /// Whatever runs.
    Running,
    /// A turn that waited, from where it was left, with what is known of it.
    Resumed(TurnId, Cursor, Box<Transcript>),
}

pub struct Finished {
    pub turn: Option<TurnId>,
    /// Up to where it was followed.
    pub cursor: Option<Cursor>,
    /// What waits for its person.
    pub requests: Vec<Request>,
    /// None when the turn waits for its person.
    pub ended: Option<TurnEnd>,
}

struct Following {
    cause: TurnCause,
    /// The same for every attempt to send, so that a message whose acknowledgement was lost is not sent twice.
    key: String,
    turn: Option<TurnId>,
    cursor: Option<Cursor>,
    transcript: Transcript,
    /// Its loss was told, and nothing came since.
    is_lost: bool,
    /// What agents that work for it ask, and was told.
    told: Vec<Answers>,
}

/// Follows a turn to its end. `None` when the person has had enough of waiting (Ctrl-C twice).
pub async fn follow(
    talk: &mut Talk,
    cause: TurnCause,
    sink: &mut impl Sink,
    interrupt: &mut Signal,
) -> Result<Option<Finished>> {
    let (cause, turn, cursor, transcript) = match cause {
        TurnCause::Resumed(turn, cursor, known) => (TurnCause::Running, Some(turn), Some(cursor), *known),
        TurnCause::Reply(text, answers, known) => {
            (TurnCause::Reply(text, answers, Box::default()), None, None, *known)
        }
        cause => (cause, None, None, Transcript::default()),
    };
    let key = Uuid::now_v7().to_string();
    let mut following = Following { cause, key, turn, cursor, transcript, is_lost: false, told: Vec::new() };
    loop {
        match following.attempt(talk, sink, interrupt).await {
            Ok(finished) => return Ok(finished),
            // Nothing is lost: the next server goes on from here.
            Err(error) if error.is_untouched() || matches!(error, Error::Disconnected(_)) => {}
            Err(error) => return Err(error),
        }
        // A command that did the work for us and left is replaced at once; there is nothing to tell.
        if lock::was_server(&talk.context.data) && !std::mem::replace(&mut following.is_lost, true) {
            sink.notice("The connection to the server is lost. Waiting for it to come back…");
        }
        tokio::select! {
            () = wait_for_return(&talk.context) => {}
            _ = interrupt.recv() => return Ok(None),
        }
        talk.reconnect().await?;
    }
}

impl Following {
    async fn attempt(
        &mut self,
        talk: &mut Talk,
        sink: &mut impl Sink,
        interrupt: &mut Signal,
    ) -> Result<Option<Finished>> {
        let mut stream = self.open(talk).await?;
        let mut look = tokio::time::interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_stopping = false;
        let mut silent = 0_u32;
        let mut silence = Instant::now() + SILENCE;
        loop {
            let event = tokio::select! {
                event = stream.next() => event?,
                _ = look.tick(), if self.transcript.is_delegated() => {
                    match self.ask_elsewhere(talk, sink).await {
                        Some(finished) => return Ok(Some(finished)),
                        None => continue,
                    }
                }
                () = tokio::time::sleep_until(silence) => {
                    silent = silent.saturating_add(1);
                    silence += SILENCE;
                    let seconds = SILENCE.as_secs().saturating_mul(silent.into());
                    sink.notice(&format!("No answer for {seconds} seconds. Still waiting (Ctrl-C stops the reply)."));
                    continue;
                }
                _ = interrupt.recv() => {
                    if std::mem::replace(&mut is_stopping, true) {
                        return Ok(None);
                    }
                    sink.notice("Stopping…");
                    talk.stop().await?;
                    continue;
                }
            };
            silent = 0;
            silence = Instant::now() + SILENCE;
            let Some(event) = event else { return Err(Error::disconnected("the server ended it")) };
            if let Some(finished) = self.take(event, sink)? {
                return Ok(Some(finished));
            }
        }
    }

    /// Tells what agents that work for the turn ask its person. Where no person sits, that is all that came of it for now.
    async fn ask_elsewhere<S: Sink>(&mut self, talk: &Talk, sink: &mut S) -> Option<Finished> {
        let asked = talk.requests_below().await.unwrap_or_else(|error| {
            tracing::debug!(%error, "what is asked elsewhere is not known");
            Vec::new()
        });
        for request in asked {
            if !S::STAYS {
                let (turn, cursor) = (self.turn, self.cursor);
                return Some(Finished { turn, cursor, requests: vec![request], ended: None });
            }
            if !self.told.contains(&request.name()) {
                self.told.push(request.name());
                sink.notice(&request.elsewhere());
            }
        }
        None
    }

    fn take(&mut self, event: Envelope, sink: &mut impl Sink) -> Result<Option<Finished>> {
        self.cursor = Some(event.cursor);
        self.is_lost = false;
        if let (Some(ours), Some(theirs)) = (self.turn, event.turn_id)
            && ours != theirs
        {
            return Ok(None);
        }
        if event.turn_id.is_none() {
            return Ok(None);
        }
        self.turn = event.turn_id;
        for piece in self.transcript.take(event) {
            sink.show(piece)?;
        }
        let ended = self.transcript.ended().cloned();
        let rests = ended.is_some() || self.transcript.waits();
        let requests = self.transcript.requests().to_vec();
        Ok(rests.then_some(Finished { turn: self.turn, cursor: self.cursor, requests, ended }))
    }

    async fn open(&mut self, talk: &mut Talk) -> Result<EventStream> {
        let path = format!("/v1/sessions/{}", talk.session().await?);
        let client = talk.client()?;
        let said = match &self.cause {
            TurnCause::Message(message) => Some(message.body()),
            TurnCause::Reply(content, answers, _) => Some(json!({ "content": content, "answers": answers })),
            _ => None,
        };
        if let (None, Some(said)) = (self.cursor, said) {
            let send = control::Request::post(format!("{path}/messages/stream"), said);
            return client.follow(send.header("idempotency-key", &self.key)).await;
        }
        if self.cursor.is_none()
            && let TurnCause::Begun { turn, cursor } = self.cause
        {
            (self.turn, self.cursor) = (turn, cursor);
        }
        let mut events = control::Request::get(format!("{path}/events/stream"));
        if let Some(cursor) = self.cursor {
            events = events.header("last-event-id", cursor.to_string());
        }
        client.follow(events).await
    }
}
