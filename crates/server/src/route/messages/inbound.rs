//! What a message is made of, the same for both ways to send one.

use crate::describe::{shape::Shape, takes::Takes};
use crate::{
    app::App,
    caller::Caller,
    connection::pipeline::single,
    problem::Problem,
    request::{body::JsonBody, extract::Id},
};
use axum::extract::{FromRequest, FromRequestParts, Request};
use domain::{Answers, InputMode, SessionId, UploadId};
use engine::{Accepted, NewMessage, Reader};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewMessage")]
struct InboundBody {
    content: String,
    #[serde(default)]
    attachments: Vec<Attachment>,
    #[serde(default)]
    mode: InputMode,
    /// The person typed the words. Without this, a text of more than 2,000 characters counts as pasted: like a file, others
    /// wrote it unless the session says `own_files`.
    #[serde(default)]
    typed: bool,
    /// What it answers, where its author was shown something that waits. Without it a message answers nothing and waits its
    /// turn, whatever its mode.
    #[serde(default)]
    answers: Option<Answers>,
    /// The model that answers this message, instead of the conversation's. For your own agents only.
    #[serde(default)]
    model: Option<String>,
}

/// What goes with the words of a message.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Attachment {
    pub(crate) upload_id: UploadId,
}

/// A message that a client sends, over HTTP or the WebSocket.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outgoing {
    pub(crate) session_id: SessionId,
    pub(crate) content: String,
    pub(crate) attachments: Vec<UploadId>,
    pub(crate) mode: InputMode,
    pub(crate) answers: Option<Answers>,
    pub(crate) idempotency_key: Option<String>,
    pub(crate) typed: bool,
    pub(crate) model: Option<String>,
}

impl Outgoing {
    /// The message of this caller, if they may answer what it names.
    pub(crate) fn by(self, caller: &Caller) -> Result<NewMessage, Problem> {
        let Self { session_id, content, attachments, mode, answers, idempotency_key, typed, model } = self;
        caller.check_answers(answers)?;
        let (user_id, source) = (caller.user_id, caller.source);
        Ok(NewMessage {
            user_id,
            session_id,
            content,
            attachments,
            typed,
            sender: None,
            mode,
            answers,
            source,
            model,
            idempotency_key,
        })
    }
}

/// A message on its way in, with everything that belongs to the request.
pub(crate) struct Inbound {
    pub(super) app: App,
    pub(super) caller: Caller,
    pub(super) session_id: SessionId,
    message: NewMessage,
}

impl FromRequest<App> for Inbound {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let (mut parts, body) = request.into_parts();
        let caller = Caller::from_request_parts(&mut parts, app).await?;
        let Id(session_id) = Id::<SessionId>::from_request_parts(&mut parts, app).await?;
        let idempotency_key = single(&parts.headers, "idempotency-key")?.map(str::to_owned);
        let JsonBody(InboundBody { content, attachments, mode, typed, answers, model }) =
            JsonBody::from_request(Request::from_parts(parts, body), app).await?;
        let attachments = attachments.into_iter().map(|attachment| attachment.upload_id).collect();
        let outgoing =
            Outgoing { session_id, content, attachments, mode, answers, idempotency_key, typed, model };
        let message = outgoing.by(&caller)?;
        Ok(Self { app: app.clone(), caller, session_id, message })
    }
}

impl Takes for Inbound {
    fn describe(shape: &mut Shape<'_>) {
        <Id<SessionId> as Takes>::describe(shape);
        shape.header::<String>("Idempotency-Key", "the same key with the same content is the same message");
        <JsonBody<InboundBody> as Takes>::describe(shape);
    }
}

impl Inbound {
    /// Makes the message durable and opens a reader on the turn it made, or joined, or had made before.
    pub(super) async fn deliver(&mut self) -> Result<(Accepted, Reader), Problem> {
        let place = self.app.overload.enter(self.app.running()).await?;
        let accepted = self.app.engine.accept(self.message.clone()).await?;
        drop(place);
        let (user, turn) = (self.caller.user_id, accepted.turn_id);
        let reader = self.app.engine.follow_turn(user, self.session_id, turn, accepted.after).await?;
        Ok((accepted, reader))
    }
}
