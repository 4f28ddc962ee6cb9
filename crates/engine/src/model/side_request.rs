//! Asking a model beside a turn: for a title, for a summary. One question, its answer up to a size, and what that took.

use domain::Usage;
use prompt::token_count;
use provider::{Model, ModelEvent, ModelRequest, ProviderError, Sent, Stop, Tokens};
use store::model_calls::Ended;

/// What a model said, as far as it was listened to.
pub(crate) struct Heard {
    pub(crate) text: String,
    /// Why it stopped; none when it was not listened to any longer.
    pub(crate) stop: Option<Stop>,
    usage: Usage,
    estimated: bool,
}

/// What came of a question.
pub(crate) enum Asking {
    Heard(Heard),
    /// No answer came, or it broke off.
    Failed {
        error: Option<ProviderError>,
        usage: Usage,
        estimated: bool,
    },
}

impl Asking {
    /// For the row that accounts for it.
    pub(crate) fn ended(&self, sent: &Sent) -> Ended {
        let (ok, usage, estimated) = match self {
            Self::Heard(heard) => (true, heard.usage, heard.estimated),
            Self::Failed { usage, estimated, .. } => (false, *usage, *estimated),
        };
        Ended { ok, usage, requests: Some(sent.count()), estimated }
    }

    /// Nobody waits for the answer any more. What it costs is not known, unless nothing went out.
    pub(crate) fn given_up(sent: &Sent) -> Self {
        let cost_microusd = (sent.count() == 0).then_some(0);
        Self::Failed { error: None, usage: Usage { cost_microusd, ..Usage::ZERO }, estimated: false }
    }
}

/// Listens to the answer up to so many bytes; the rest of it is not waited for. An answer that pauses ends there: what going on
/// costs was not held back.
pub(crate) async fn ask(model: &Model, request: ModelRequest, sent: &Sent, most_bytes: usize) -> Asking {
    let input = token_count::of_request(model, &request);
    let usage = |tokens: Tokens| Usage {
        input_tokens: tokens.input,
        output_tokens: tokens.output,
        cached_tokens: tokens.cached,
        cost_microusd: model.cost(tokens),
    };
    let mut stream = match model.stream(request, sent).await {
        Ok(stream) => stream,
        Err(error) => {
            tracing::info!(code = error.code(), "the model was asked beside a turn and did not answer");
            // A refusal costs nothing; what may have been read counts.
            let estimated = error.unanswered;
            let usage = if estimated { usage(Tokens { input, ..Tokens::default() }) } else { Usage::ZERO };
            return Asking::Failed { error: Some(error), usage, estimated };
        }
    };
    let mut text = String::new();
    loop {
        let estimate = Tokens { input, output: model.estimate(&text), ..Tokens::default() };
        match stream.next().await {
            Some(Ok(ModelEvent::Text(mut piece))) => {
                // THREAT[engine-01]: a model that never stops writing must not fill the memory.
                let whole = cut_to(&mut piece, most_bytes.saturating_sub(text.len()));
                text.push_str(&piece);
                if !whole {
                    return Asking::Heard(Heard {
                        text,
                        stop: None,
                        usage: usage(estimate),
                        estimated: true,
                    });
                }
            }
            Some(Ok(ModelEvent::Done(completion))) => {
                let (stop, estimated) = (Some(completion.stop), completion.tokens.is_none());
                let usage = usage(completion.tokens.unwrap_or(estimate));
                return Asking::Heard(Heard { text, stop, usage, estimated });
            }
            Some(Ok(ModelEvent::Thinking(_) | ModelEvent::Paused)) => {}
            failed => {
                let error = failed.and_then(Result::err);
                let usage = usage(stream.tokens().unwrap_or(estimate));
                return Asking::Failed { error, usage, estimated: true };
            }
        }
    }
}

/// Leaves no more than so many bytes, cut between two characters. `false` when something had to go.
pub(crate) fn cut_to(text: &mut String, most: usize) -> bool {
    if text.len() <= most {
        return true;
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.truncate(end);
    false
}
