//! [`Asking`] is the part of a worker that talks to the model: one request at a time, what it was paid, the draft of its
//! answer, and why it failed. [`Window`] is what the worker knows of the model's context window.

use crate::{
    budget::reserve::{PaidTokens, Refusal},
    claim::{planned_call::PlannedCall, record::WrittenReply, turn_context::TurnContext},
    model::draft::Draft,
    telemetry::ModelCallSpan,
};
use domain::Approval;
use futures_util::future::BoxFuture;
use provider::{Model, ModelEvent, ModelRequest, ModelStream, Models, ProviderError};
use tokio::time::Instant;

/// The requests of a turn to its model. Lives as long as the worker.
pub(crate) struct Asking {
    /// The model of the agent, or why there is none.
    pub(crate) model: Result<Model, ProviderError>,
    /// What was stored of providers when it was looked up.
    models_version: u64,
    /// What the model is sent for the open message; kept for the case that it has to be sent again.
    pub(crate) request: Option<ModelRequest>,
    /// The open message as far as it is written.
    pub(crate) draft: Draft,
    /// The request under way, if there is one.
    pub(crate) stream: Option<RunningRequest>,
    /// The model has failed, and this is when it is asked again.
    pub(crate) retry: Option<RetryWait>,
    /// `true`: the next request has no row yet, and gets one when it goes out.
    pub(crate) unnoted: bool,
    /// The request under way, as an operator sees it.
    pub(crate) span: Option<ModelCallSpan>,
    /// How much the model may write for what was reserved; none where no budget is set.
    pub(crate) paid: Option<PaidTokens>,
    /// Why there is no money for the open message.
    pub(crate) refusal: Option<Refusal>,
    /// The last failure of the model.
    pub(crate) failure: Option<ProviderError>,
    /// The approval of an unknown price that a person is asked for, until it is stored.
    pub(crate) price_approval: Option<Box<Approval>>,
}

/// A model that failed is asked again at this moment.
#[derive(Clone, Copy)]
pub(crate) struct RetryWait {
    pub(crate) until: Instant,
    pub(crate) most_output: u64,
}

/// What the worker knows of the model's context window, in tokens.
#[derive(Default)]
pub(crate) struct Window {
    /// The size of the last request, as we count it.
    pub(crate) prompt_tokens: u64,
    /// How much of the conversation could have been in it.
    pub(crate) room: u64,
    /// `true`: a part of the conversation did not fit.
    pub(crate) crowded: bool,
}

/// A request under way. Dropping it closes the connection.
pub(crate) enum RunningRequest {
    Connecting(BoxFuture<'static, Result<ModelStream, ProviderError>>),
    Streaming(ModelStream),
}

impl RunningRequest {
    /// The next event. Safe to drop while it waits: nothing is lost.
    async fn next(&mut self) -> Option<Result<ModelEvent, ProviderError>> {
        loop {
            match self {
                Self::Streaming(stream) => return stream.next().await,
                Self::Connecting(connecting) => match connecting.await {
                    Ok(stream) => *self = Self::Streaming(stream),
                    Err(error) => return Some(Err(error)),
                },
            }
        }
    }
}

impl Asking {
    pub(crate) fn new(model: Result<Model, ProviderError>, models_version: u64) -> Self {
        Self {
            model,
            models_version,
            request: None,
            draft: Draft::default(),
            stream: None,
            retry: None,
            unnoted: false,
            span: None,
            paid: None,
            refusal: None,
            failure: None,
            price_approval: None,
        }
    }

    /// Looks its model up again, where admins have changed something since. THREAT[key leak]: a turn may take hours, and a key that was
    /// deleted or replaced meanwhile may have been revoked for a reason.
    pub(super) fn keep_up(&mut self, models: &Models) {
        let version = models.version();
        if let (true, Ok(model)) = (version > self.models_version, &self.model) {
            self.model = models.resolve(Some(model.id()));
        }
        self.models_version = version;
    }

    /// Takes up the message that an earlier worker left open: what was written of it, and the calls in its text.
    pub(crate) fn resume(&mut self, written: Option<&WrittenReply>, text_calls: Vec<PlannedCall>) {
        self.draft.text_calls = text_calls;
        if let Some(WrittenReply { text, thinking }) = written.cloned() {
            (self.draft.text, self.draft.thinking) = (text, thinking);
        }
    }

    /// A new message is open, or the same one is begun again. `unnoted`: its request has no row yet.
    pub(crate) fn begin_message(&mut self, unnoted: bool) {
        self.unnoted = unnoted;
        self.draft = Draft::default();
    }

    /// The next event of the request under way, or never when there is none.
    pub(crate) async fn next_event(&mut self) -> Option<Result<ModelEvent, ProviderError>> {
        match &mut self.stream {
            Some(stream) => stream.next().await,
            None => std::future::pending().await,
        }
    }

    /// Bytes that the message may still get.
    pub(super) fn room_left(&self, turn: &TurnContext) -> usize {
        turn.engine.inner.settings.turn.reply_bytes.saturating_sub(self.draft.length())
    }
}
