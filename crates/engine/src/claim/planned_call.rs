//! The calls that a model makes, before and after anything has come of them: what every room that touches a call hands on.

use domain::{Approval, ApprovalId, CallId, EffectClass, Label, Origin, Question, ResultStatus, Timestamp};
use markup::Order;
use serde_json::{Value, json};
use store::calls::{StoredCall, TextCallDetails};

/// A call of the model, before anything has come of it.
#[derive(Clone, Debug)]
pub(crate) struct PlannedCall {
    pub(crate) id: CallId,
    pub(crate) name: String,
    pub(crate) arguments: Value,
    pub(crate) origin: Origin,
    pub(crate) class: EffectClass,
    pub(crate) made: TextCallDetails,
    /// Where it stands in the text that is being written; none for a native call, and after a crash.
    pub(crate) standing: Option<TextPosition>,
    /// Why it cannot be run as it was made; in words for the model.
    pub(crate) problem: Option<&'static str>,
}

/// Where a call stands in the agent's text.
#[derive(Clone, Debug)]
pub(crate) struct TextPosition {
    /// How far the message was, as cursors count.
    pub(crate) offset: u64,
    /// Bytes of the text up to its end.
    pub(crate) end: usize,
    pub(crate) order: Order,
    /// Only the end of the message made it clear; it is stored with the message.
    pub(crate) at_end: bool,
}

impl From<StoredCall> for PlannedCall {
    fn from(call: StoredCall) -> Self {
        let StoredCall { id, name, arguments, origin, class, made, .. } = call;
        let problem = match () {
            () if arguments.get(UNREADABLE).is_some() => Some(NOT_AN_OBJECT),
            () if arguments.get(OVERLONG).is_some() => Some(TOO_LONG),
            () => None,
        };
        Self { id, name, arguments, origin, class, made, standing: None, problem }
    }
}

/// Where the transcript keeps arguments that could not be read: it takes objects only.
const UNREADABLE: &str = "unreadable_arguments";
const NOT_AN_OBJECT: &str = "the arguments are not a JSON object";
/// Where the transcript keeps the beginning of those that were too long.
const OVERLONG: &str = "overlong_arguments";
const TOO_LONG: &str = "the arguments are longer than 1 MB, so nothing was done; do it in smaller steps, for instance \
                        by writing a long file in several calls";
const SHOWN_OF_OVERLONG: usize = 1_000;

impl PlannedCall {
    /// A call as the model made it.
    pub(crate) fn native(id: CallId, class: EffectClass, call: provider::ProposedCall) -> Self {
        let (arguments, problem) = match call.arguments {
            Ok(arguments) => (arguments, None),
            Err(raw) if raw.len() > provider::MOST_ARGUMENT_BYTES => {
                let head: String = raw.chars().take(SHOWN_OF_OVERLONG).collect();
                (json!({ OVERLONG: head }), Some(TOO_LONG))
            }
            Err(raw) => (json!({ UNREADABLE: raw }), Some(NOT_AN_OBJECT)),
        };
        let (origin, made) = (Origin::Native, TextCallDetails::default());
        Self { id, name: call.name, arguments, origin, class, made, standing: None, problem }
    }
}

/// How a call ended, in the words the model will read.
#[derive(Clone, Debug)]
pub(crate) struct CallOutcome {
    pub(crate) status: ResultStatus,
    pub(crate) content: String,
    /// When its tool began; none when it never did.
    pub(crate) started_at: Option<Timestamp>,
    /// In how many further model calls it takes part, if a hook has said so.
    pub(crate) duration: Option<u32>,
    /// Of what it brought in; what the call was made from comes on top when it is stored.
    pub(crate) label: Label,
    /// Of a program: how many characters it said on each stream in turn, beginning with stdout.
    pub(crate) order: Vec<u32>,
}

impl CallOutcome {
    pub(crate) fn new(status: ResultStatus, content: String) -> Self {
        Self {
            status,
            content,
            started_at: None,
            duration: None,
            label: Label::TRUSTED_PUBLIC,
            order: Vec::new(),
        }
    }

    pub(crate) fn error(status: ResultStatus, text: &str) -> Self {
        Self::new(status, json!({ "error": text }).to_string())
    }
}

/// What a person is asked before a call goes on.
#[derive(Clone, Debug)]
pub(crate) enum PersonRequest {
    Question(Box<Question>),
    /// May the call run?
    Approval(Box<Approval>),
    /// The approval that an earlier call asked for, because it would do the very same.
    Shared(ApprovalId),
}

impl PersonRequest {
    /// The request, if it is not one of another call.
    pub(crate) fn new_approval(&self) -> Option<&Approval> {
        match self {
            Self::Approval(approval) => Some(approval),
            Self::Question(_) | Self::Shared(_) => None,
        }
    }
}
