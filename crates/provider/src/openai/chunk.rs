//! The shapes of an answer, read leniently: only what is understood is looked at, and a field of an unexpected type is
//! taken as absent instead of making the whole event unreadable.

use crate::{Stop, Tokens};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Value, value::RawValue};
use std::borrow::Cow;

type Raw<'a> = Option<&'a RawValue>;

/// One event of a stream, or the whole body of an answer that was not streamed.
#[derive(Deserialize)]
pub(crate) struct Chunk<'a> {
    #[serde(borrow, default)]
    choices: Raw<'a>,
    #[serde(borrow, default)]
    usage: Raw<'a>,
    #[serde(borrow, default)]
    pub(crate) error: Raw<'a>,
}

/// An event that has words and nothing else, as nearly all of a stream have: read in one go. Whatever differs in any way is not
/// one of these, and is read as a [`Chunk`].
#[derive(Deserialize)]
struct PlainChunk<'a> {
    #[serde(borrow)]
    choices: (PlainChoice<'a>,),
    #[serde(default)]
    usage: Option<IgnoredAny>,
    #[serde(default)]
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct PlainChoice<'a> {
    #[serde(default)]
    index: u64,
    #[serde(borrow)]
    delta: PlainDelta<'a>,
    #[serde(default)]
    finish_reason: Option<IgnoredAny>,
    #[serde(default)]
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct PlainDelta<'a> {
    #[serde(borrow)]
    content: Cow<'a, str>,
    #[serde(default)]
    reasoning_content: Option<IgnoredAny>,
    #[serde(default)]
    reasoning: Option<IgnoredAny>,
    #[serde(default)]
    tool_calls: Option<IgnoredAny>,
    #[serde(default)]
    function_call: Option<IgnoredAny>,
}

/// The words of an event that has nothing else.
pub(crate) fn plain_words(data: &str) -> Option<Cow<'_, str>> {
    let PlainChunk { choices: (choice,), usage: None, error: None } = serde_json::from_str(data).ok()? else {
        return None;
    };
    let PlainChoice { index: 0, delta, finish_reason: None, error: None } = choice else { return None };
    match delta {
        PlainDelta {
            content,
            reasoning_content: None,
            reasoning: None,
            tool_calls: None,
            function_call: None,
        } if !content.is_empty() => Some(content),
        _ => None,
    }
}

#[derive(Deserialize)]
pub(crate) struct Choice<'a> {
    #[serde(borrow, default)]
    index: Raw<'a>,
    #[serde(borrow, default)]
    delta: Raw<'a>,
    #[serde(borrow, default)]
    message: Raw<'a>,
    #[serde(borrow, default)]
    finish_reason: Raw<'a>,
    #[serde(borrow, default)]
    pub(crate) error: Raw<'a>,
}

#[derive(Default, Deserialize)]
pub(crate) struct Delta<'a> {
    #[serde(borrow, default)]
    content: Raw<'a>,
    #[serde(borrow, default)]
    refusal: Raw<'a>,
    #[serde(borrow, default)]
    reasoning_content: Raw<'a>,
    #[serde(borrow, default)]
    reasoning: Raw<'a>,
    #[serde(borrow, default)]
    tool_calls: Raw<'a>,
    #[serde(borrow, default)]
    function_call: Raw<'a>,
}

#[derive(Deserialize)]
struct WireCall<'a> {
    #[serde(borrow, default)]
    index: Raw<'a>,
    #[serde(borrow, default)]
    id: Raw<'a>,
    #[serde(borrow, default)]
    function: Raw<'a>,
}

#[derive(Default, Deserialize)]
struct WireFunction<'a> {
    #[serde(borrow, default)]
    name: Raw<'a>,
    #[serde(borrow, default)]
    arguments: Raw<'a>,
}

/// A piece of a call.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CallDelta<'a> {
    pub(crate) index: Option<u64>,
    pub(crate) id: Cow<'a, str>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) arguments: Cow<'a, str>,
}

impl<'a> Chunk<'a> {
    /// The first answer: we never ask for more than one.
    pub(crate) fn choice(&self) -> Option<Choice<'a>> {
        let choices: Vec<&'a RawValue> = read(self.choices)?;
        choices
            .into_iter()
            .filter_map(|raw| read::<Choice<'a>>(Some(raw)))
            .find(|choice| number(choice.index).is_none_or(|index| index == 0))
    }

    pub(crate) fn tokens(&self) -> Option<Tokens> {
        let usage: Value = read(self.usage)?;
        let count = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
        let input = count("/prompt_tokens").or_else(|| count("/input_tokens"));
        let output = count("/completion_tokens").or_else(|| count("/output_tokens"));
        if input.is_none() && output.is_none() {
            return None;
        }
        let input = input.unwrap_or(0);
        let cached = count("/prompt_tokens_details/cached_tokens")
            .or_else(|| count("/prompt_cache_hit_tokens"))
            .unwrap_or(0);
        Some(Tokens { input, output: output.unwrap_or(0), cached: cached.min(input), stored: 0 })
    }
}

impl<'a> Choice<'a> {
    /// The news: `delta` in a stream, `message` in an answer that was not streamed.
    pub(crate) fn delta(&self) -> Delta<'a> {
        read(self.delta.or(self.message)).unwrap_or_default()
    }

    /// Some servers send an empty reason with each event until the last.
    pub(crate) fn finish_reason(&self) -> Option<Cow<'a, str>> {
        text(self.finish_reason).filter(|reason| !reason.is_empty())
    }
}

impl<'a> Delta<'a> {
    pub(crate) fn text(&self) -> Option<Cow<'a, str>> {
        spoken(self.content, "text").or_else(|| text(self.refusal)).filter(|text| !text.is_empty())
    }

    pub(crate) fn thinking(&self) -> Option<Cow<'a, str>> {
        let thinking = text(self.reasoning_content).or_else(|| text(self.reasoning));
        thinking.filter(|text| !text.is_empty())
    }

    pub(crate) fn calls(&self) -> Vec<CallDelta<'a>> {
        let listed: Vec<&'a RawValue> = read(self.tool_calls).unwrap_or_default();
        let listed = listed.into_iter().filter_map(|raw| read::<WireCall<'a>>(Some(raw))).map(|call| {
            let function: WireFunction<'a> = read(call.function).unwrap_or_default();
            CallDelta { index: number(call.index), id: text(call.id).unwrap_or_default(), ..function.into() }
        });
        // The form that came before `tool_calls`: one call, without an id.
        let single = read::<WireFunction<'a>>(self.function_call).map(CallDelta::from);
        listed.chain(single).collect()
    }
}

impl<'a> From<WireFunction<'a>> for CallDelta<'a> {
    fn from(function: WireFunction<'a>) -> Self {
        Self {
            name: text(function.name).unwrap_or_default(),
            arguments: arguments(function.arguments),
            ..Self::default()
        }
    }
}

pub(crate) fn stop(reason: &str) -> Stop {
    match reason.to_ascii_lowercase().as_str() {
        "stop" | "end_turn" | "stop_sequence" | "eos" | "eos_token" | "end" | "complete" | "completed"
        | "finished" | "done" => Stop::Completed,
        "tool_calls" | "tool_call" | "function_call" | "tool_use" => Stop::ToolUse,
        "length" | "max_tokens" | "max_output_tokens" | "model_length" => Stop::Length,
        "content_filter" | "content_filtered" | "safety" | "refusal" | "sensitive" => Stop::Filtered,
        // THREAT[gate-18]: whatever it means, it does not say that the model was allowed to finish.
        _ => Stop::Other,
    }
}

fn read<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> Option<T> {
    serde_json::from_str(raw?.get()).ok()
}

fn number(raw: Raw<'_>) -> Option<u64> {
    read(raw)
}

fn text<'a>(raw: Raw<'a>) -> Option<Cow<'a, str>> {
    /// serde borrows into a `Cow` only where it is told to.
    #[derive(Deserialize)]
    struct Borrowed<'b>(#[serde(borrow)] Cow<'b, str>);
    read::<Borrowed<'a>>(raw).map(|borrowed| borrowed.0)
}

/// Content is a string; some servers send a list of typed parts instead.
fn spoken<'a>(raw: Raw<'a>, kind: &str) -> Option<Cow<'a, str>> {
    if let Some(text) = text(raw) {
        return Some(text);
    }
    let parts: Vec<Value> = read(raw)?;
    let texts = parts.iter().filter(|part| part.get("type").and_then(Value::as_str) == Some(kind));
    Some(Cow::Owned(texts.filter_map(|part| part.get(kind).and_then(Value::as_str)).collect()))
}

/// A string that holds JSON; some servers send the object itself.
fn arguments<'a>(raw: Raw<'a>) -> Cow<'a, str> {
    text(raw).or_else(|| raw.map(|raw| Cow::Borrowed(raw.get()))).unwrap_or_default()
}
