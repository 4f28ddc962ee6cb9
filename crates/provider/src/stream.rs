//! A model's answer as it comes.

use crate::{
    ErrorKind, ProviderError, RequestCount, Tokens, anthropic,
    demo::Script,
    http::{cause::describe, endpoint::Endpoint},
    openai,
    scrubbing::scrub::scrub,
};
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::{collections::VecDeque, pin::Pin, sync::Arc, time::Duration};
use tokio::time::{Instant, Sleep, sleep, timeout};

/// After the stop marker the connection is waited for this long, so that it can serve the next request.
const DRAIN: Duration = Duration::from_millis(100);

/// After the model has said why it stopped, only the token counts are missing; they are not worth a long wait.
const AFTER_FINISH: Duration = Duration::from_secs(5);

/// How often an answer that pauses is asked to go on; a vendor's own tools take one or two rounds.
const MOST_PAUSES: usize = 16;

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelEvent {
    Text(String),
    Thinking(String),
    /// The vendor wants to be asked to go on, which is a request of its own and costs as one: see [`ModelStream::go_on`]. Who
    /// only listens on hears the end of what there is.
    Paused,
    /// The last one, exactly once, and only when the stream said that it is complete.
    Done(Completion),
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Completed,
    ToolUse,
    Length,
    /// The vendor stopped it.
    Filtered,
    /// For a reason that is not known here.
    Other,
}

impl Stop {
    /// Has the model said all that it wanted to say?
    pub const fn is_whole(self) -> bool {
        matches!(self, Self::Completed | Self::ToolUse)
    }

    /// May what it called for be done? What a model was about to do when it was stopped is not done.
    pub(crate) const fn permits_calls(self) -> bool {
        matches!(self, Self::Completed | Self::ToolUse | Self::Length)
    }
}

/// How an answer ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    pub stop: Stop,
    /// In the order in which the model made them.
    pub calls: Vec<ProposedCall>,
    /// Absent when the provider did not say.
    pub tokens: Option<Tokens>,
    /// The whole answer in its order, for wires that have one worth keeping; empty = reasoning, text, calls.
    pub parts: Vec<ReplyPart>,
}

/// A piece of a whole answer.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyPart {
    Text(String),
    Thinking(String),
    /// Its place in [`Completion::calls`].
    Call(usize),
    /// A block of the wire that the same model wants back unchanged, in place of the `replaces` parts before it.
    Native {
        json: Value,
        replaces: u32,
    },
}

/// A tool call the model wants. The provider's own call id is not kept: ours goes into the transcript.
#[derive(Clone, Debug, PartialEq)]
pub struct ProposedCall {
    pub name: String,
    /// Always an object; or the raw text, when that is not a JSON object.
    pub arguments: Result<Value, String>,
}

/// An answer being received. Dropping it closes the connection, which is how a request is cancelled.
#[derive(Debug)]
pub struct ModelStream {
    source: Source,
}

#[derive(Debug)]
enum Source {
    Http(Box<HttpStream>),
    Demo(Script),
}

struct HttpStream {
    connection: Connection,
    endpoint: Arc<Endpoint>,
    sent: RequestCount,
    reply: Reply,
    /// How it ended; told after the pieces that came before.
    outcome: Option<Result<Completion, ProviderError>>,
    silence: Silence,
}

/// How long the model has said nothing.
struct Silence {
    /// Since when the next piece is waited for.
    since: Option<Instant>,
    /// Moved only when it goes off: most pieces come long before.
    timer: Pin<Box<Sleep>>,
}

impl Silence {
    /// Waits until there was silence for so long.
    async fn lasts(&mut self, wait: Duration) {
        let end = *self.since.get_or_insert_with(Instant::now) + wait;
        if self.timer.deadline() > end {
            self.timer.as_mut().reset(end);
        }
        loop {
            self.timer.as_mut().await;
            if Instant::now() >= end {
                return;
            }
            self.timer.as_mut().reset(end);
        }
    }
}

/// Where the next bytes come from.
enum Connection {
    Open(reqwest::Response),
    /// The answer paused. It goes on, or ends, as the worker wants it.
    Paused {
        told: bool,
    },
    /// It was asked to go on.
    Opening(BoxFuture<'static, Result<reqwest::Response, ProviderError>>),
    /// Nothing more is read.
    Closed,
}

/// An answer in the form of its wire.
#[derive(Debug)]
enum Reply {
    OpenAi(openai::Reply),
    Anthropic { reply: anthropic::Reply, body: anthropic::AnthropicRequest, pauses: usize },
}

impl std::fmt::Debug for HttpStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpStream").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl ModelStream {
    pub(crate) fn openai(response: reqwest::Response, endpoint: Arc<Endpoint>, sent: RequestCount) -> Self {
        Self::http(response, endpoint, sent, Reply::OpenAi(openai::Reply::default()))
    }

    /// `body` is what was asked, for the case that it has to be asked to go on.
    pub(crate) fn anthropic(
        response: reqwest::Response,
        endpoint: Arc<Endpoint>,
        sent: RequestCount,
        body: anthropic::AnthropicRequest,
    ) -> Self {
        let reply = Reply::Anthropic { reply: anthropic::Reply::default(), body, pauses: 0 };
        Self::http(response, endpoint, sent, reply)
    }

    fn http(response: reqwest::Response, endpoint: Arc<Endpoint>, sent: RequestCount, reply: Reply) -> Self {
        let connection = Connection::Open(response);
        let silence = Silence { since: None, timer: Box::pin(sleep(endpoint.stall())) };
        let stream = HttpStream { connection, endpoint, sent, reply, outcome: None, silence };
        Self { source: Source::Http(Box::new(stream)) }
    }

    pub(crate) const fn demo(script: Script) -> Self {
        Self { source: Source::Demo(script) }
    }

    /// What the provider has counted so far, also of an answer that never became complete.
    pub fn tokens(&self) -> Option<Tokens> {
        match &self.source {
            Source::Http(http) => http.reply.tokens(),
            Source::Demo(_) => None,
        }
    }

    /// After [`ModelEvent::Paused`]: what the next request tells the model besides the first one, for the worker that
    /// counts its tokens.
    pub fn beginning(&self) -> Option<String> {
        match &self.source {
            Source::Http(http) => http.reply.beginning(),
            Source::Demo(_) => None,
        }
    }

    /// After [`ModelEvent::Paused`]: asks the vendor to go on, with at most so many tokens. `false` when that is too little to
    /// go on with; the answer then ends with what there is.
    pub fn go_on(&mut self, most_tokens: u64) -> bool {
        match &mut self.source {
            Source::Http(http) => http.go_on(most_tokens),
            Source::Demo(_) => false,
        }
    }

    /// The next piece; `None` after `Done` or after an error. Cancelling the future loses nothing.
    pub async fn next(&mut self) -> Option<Result<ModelEvent, ProviderError>> {
        match &mut self.source {
            Source::Http(http) => http.next().await,
            Source::Demo(script) => script.next().await.map(Ok),
        }
    }
}

impl HttpStream {
    async fn next(&mut self) -> Option<Result<ModelEvent, ProviderError>> {
        loop {
            if let Some(event) = self.reply.pop() {
                return Some(Ok(event));
            }
            match &mut self.connection {
                Connection::Paused { told: told @ false } => {
                    *told = true;
                    return Some(Ok(ModelEvent::Paused));
                }
                // The worker does not want it to go on.
                Connection::Paused { told: true } => self.end_here(),
                _ => {}
            }
            if matches!(self.connection, Connection::Closed) {
                let outcome = self.outcome.take()?;
                return Some(outcome.map(ModelEvent::Done).map_err(|error| self.scrubbed(error)));
            }
            self.receive().await;
        }
    }

    /// Reads once. Sets the outcome and lets go of the connection when there is nothing more to wait for.
    async fn receive(&mut self) {
        let response = match &mut self.connection {
            Connection::Open(response) => response,
            Connection::Opening(opening) => {
                match opening.await {
                    Ok(response) => self.connection = Connection::Open(response),
                    Err(error) => self.fail(error),
                }
                return;
            }
            Connection::Paused { .. } | Connection::Closed => return,
        };
        if self.reply.is_done() {
            // Reading up to the end of the body lets the connection go back to the pool.
            let _ = timeout(DRAIN, response.chunk()).await;
            return self.end();
        }
        let stall = self.endpoint.stall();
        let wait = if self.reply.has_finish() { stall.min(AFTER_FINISH) } else { stall };
        let chunk = tokio::select! {
            biased;
            chunk = response.chunk() => Ok(chunk),
            () = self.silence.lasts(wait) => Err(()),
        };
        self.silence.since = None;
        match chunk {
            Ok(Ok(Some(bytes))) => {
                if let Err(error) = self.reply.push(&bytes) {
                    self.fail(error);
                }
            }
            Ok(Ok(None)) => self.end(),
            Ok(Err(_)) | Err(_) if self.reply.has_finish() => self.end(),
            Ok(Err(error)) => self.fail(ProviderError::new(
                ErrorKind::Truncated,
                format!("the connection broke in the middle of the reply ({})", describe(&error)),
            )),
            Err(_) => self.fail(ProviderError::new(
                ErrorKind::Stalled,
                format!("the model was silent for {} in the middle of the reply", seconds(stall)),
            )),
        }
    }

    fn end(&mut self) {
        self.connection = Connection::Closed;
        match self.reply.finish() {
            Ok(Ended::Whole(completion)) => self.outcome = Some(Ok(completion)),
            Ok(Ended::Paused) => self.connection = Connection::Paused { told: false },
            Err(error) => self.outcome = Some(Err(error)),
        }
    }

    fn go_on(&mut self, most_tokens: u64) -> bool {
        if !matches!(self.connection, Connection::Paused { .. }) {
            return false;
        }
        match self.reply.go_on(most_tokens) {
            Some(Ok(request)) => {
                let (endpoint, sent) = (Arc::clone(&self.endpoint), self.sent.clone());
                let opening = async move { endpoint.post(request, &sent).await };
                self.connection = Connection::Opening(Box::pin(opening));
            }
            Some(Err(error)) => self.fail(error),
            None => return false,
        }
        true
    }

    fn end_here(&mut self) {
        self.connection = Connection::Closed;
        self.outcome = self.reply.end_here().map(Ok);
    }

    fn fail(&mut self, error: ProviderError) {
        self.connection = Connection::Closed;
        self.outcome = Some(Err(error));
    }

    fn scrubbed(&self, error: ProviderError) -> ProviderError {
        ProviderError { detail: scrub(&error.detail, self.endpoint.key()), ..error }
    }
}

/// How one body ended.
enum Ended {
    Whole(Completion),
    Paused,
}

impl Reply {
    fn is_done(&self) -> bool {
        match self {
            Self::OpenAi(reply) => reply.is_done(),
            Self::Anthropic { reply, .. } => reply.is_done(),
        }
    }

    fn has_finish(&self) -> bool {
        match self {
            Self::OpenAi(reply) => reply.has_finish(),
            Self::Anthropic { reply, .. } => reply.has_finish(),
        }
    }

    fn pop(&mut self) -> Option<ModelEvent> {
        match self {
            Self::OpenAi(reply) => reply.pop(),
            Self::Anthropic { reply, .. } => reply.pop(),
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), ProviderError> {
        match self {
            Self::OpenAi(reply) => reply.push(bytes),
            Self::Anthropic { reply, .. } => reply.push(bytes),
        }
    }

    fn tokens(&self) -> Option<Tokens> {
        match self {
            Self::OpenAi(reply) => reply.tokens(),
            Self::Anthropic { reply, .. } => reply.tokens(),
        }
    }

    fn finish(&mut self) -> Result<Ended, ProviderError> {
        match self {
            Self::OpenAi(reply) => reply.finish().map(Ended::Whole),
            Self::Anthropic { reply, body, pauses } => match reply.finish()? {
                anthropic::Ending::Done(completion) => Ok(Ended::Whole(completion)),
                anthropic::Ending::Paused(_) if *pauses >= MOST_PAUSES => {
                    Ok(Ended::Whole(reply.complete(Stop::Length)))
                }
                anthropic::Ending::Paused(content) => {
                    *pauses += 1;
                    body.begin_with(content);
                    Ok(Ended::Paused)
                }
            },
        }
    }

    fn beginning(&self) -> Option<String> {
        match self {
            Self::OpenAi(_) => None,
            Self::Anthropic { body, .. } => body.beginning(),
        }
    }

    /// The request that makes it go on.
    fn go_on(&mut self, most_tokens: u64) -> Option<Result<Vec<u8>, ProviderError>> {
        let Self::Anthropic { body, .. } = self else { return None };
        body.bound(most_tokens).then(|| body.to_bytes().map_err(|error| unwritable(&error)))
    }

    /// Complete as it is, because the worker does not ask it to go on.
    fn end_here(&mut self) -> Option<Completion> {
        match self {
            Self::OpenAi(_) => None,
            Self::Anthropic { reply, .. } => Some(reply.complete(Stop::Length)),
        }
    }
}

pub(crate) fn unwritable(error: &serde_json::Error) -> ProviderError {
    ProviderError::new(ErrorKind::Refused, format!("the prompt cannot be written as JSON ({error})"))
}

/// What came in one packet goes on as one piece.
pub(crate) fn say(events: &mut VecDeque<ModelEvent>, text: &str, event: fn(String) -> ModelEvent) {
    let next = event(String::new());
    match (events.back_mut(), &next) {
        (Some(ModelEvent::Text(last)), ModelEvent::Text(_))
        | (Some(ModelEvent::Thinking(last)), ModelEvent::Thinking(_)) => last.push_str(text),
        _ => events.push_back(event(text.to_owned())),
    }
}

/// A duration in words.
pub(crate) fn seconds(duration: Duration) -> String {
    if duration < Duration::from_secs(1) {
        return format!("{} milliseconds", duration.as_millis());
    }
    format!("{} seconds", duration.as_secs())
}
