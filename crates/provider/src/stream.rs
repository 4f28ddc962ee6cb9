//! A model's answer as it comes.

use crate::{ErrorKind, ProviderError, Tokens, cause::describe, demo::Script, openai::Reply, scrub::scrub};
use secrecy::SecretString;
use serde_json::Value;
use std::time::Duration;
use tokio::time::timeout;

/// After the stop marker the connection is waited for this long, so that it can serve the next request.
const DRAIN: Duration = Duration::from_millis(100);

/// After the model has said why it stopped, only the token counts are missing; they are not worth a long wait.
const AFTER_FINISH: Duration = Duration::from_secs(5);

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelEvent {
    Text(String),
    Thinking(String),
    /// The last one, exactly once, and only when the stream said that it is complete.
    Done(Completion),
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Completed,
    ToolUse,
    Length,
    Filtered,
}

/// How an answer ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    pub stop: Stop,
    /// In the order in which the model made them.
    pub calls: Vec<ProposedCall>,
    /// Absent when the provider did not say.
    pub tokens: Option<Tokens>,
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

#[derive(Debug)]
struct HttpStream {
    /// `None` once nothing more is read.
    response: Option<reqwest::Response>,
    reply: Reply,
    /// How it ended; told after the pieces that came before.
    outcome: Option<Result<Completion, ProviderError>>,
    stall: Duration,
    key: Option<SecretString>,
}

impl ModelStream {
    pub(crate) fn http(response: reqwest::Response, stall: Duration, key: Option<SecretString>) -> Self {
        let http =
            HttpStream { response: Some(response), reply: Reply::default(), outcome: None, stall, key };
        Self { source: Source::Http(Box::new(http)) }
    }

    pub(crate) const fn demo(script: Script) -> Self {
        Self { source: Source::Demo(script) }
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
            if self.response.is_none() {
                let outcome = self.outcome.take()?;
                return Some(outcome.map(ModelEvent::Done).map_err(|error| self.scrubbed(error)));
            }
            self.receive().await;
        }
    }

    /// Reads once. Sets the outcome and lets go of the connection when there is nothing more to wait for.
    async fn receive(&mut self) {
        let Some(response) = &mut self.response else { return };
        if self.reply.is_done() {
            // Reading up to the end of the body lets the connection go back to the pool.
            let _ = timeout(DRAIN, response.chunk()).await;
            return self.end();
        }
        let wait = if self.reply.has_finish() { self.stall.min(AFTER_FINISH) } else { self.stall };
        match timeout(wait, response.chunk()).await {
            Ok(Ok(Some(bytes))) => {
                if let Err(error) = self.reply.push(&bytes) {
                    self.fail(error);
                }
            }
            Ok(Ok(None)) => self.end(),
            Ok(Err(_)) | Err(_) if self.reply.has_finish() => self.end(),
            Ok(Err(error)) => self.fail(ProviderError::new(
                ErrorKind::Truncated,
                format!("the connection broke in the middle of the answer ({})", describe(&error)),
            )),
            Err(_) => self.fail(ProviderError::new(
                ErrorKind::Stalled,
                format!("nothing came for {} in the middle of the answer", seconds(self.stall)),
            )),
        }
    }

    fn end(&mut self) {
        self.response = None;
        self.outcome = Some(self.reply.finish());
    }

    fn fail(&mut self, error: ProviderError) {
        self.response = None;
        self.outcome = Some(Err(error));
    }

    fn scrubbed(&self, error: ProviderError) -> ProviderError {
        ProviderError { detail: scrub(&error.detail, self.key.as_ref()), ..error }
    }
}

/// A duration in words.
pub(crate) fn seconds(duration: Duration) -> String {
    if duration < Duration::from_secs(1) {
        return format!("{} milliseconds", duration.as_millis());
    }
    format!("{} seconds", duration.as_secs())
}
