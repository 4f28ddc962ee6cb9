//! Talking to models.
//!
//! This crate owns the wire: how a prompt becomes a request, how a provider's answer becomes [`ModelEvent`]s, which
//! models there are and what they cost. One module per wire format ([`Wire`]); vendors, windows and prices are data
//! (`vendors.toml`). It opens connections only to the providers it was given, and to the usual local ports when asked to.
//!
//! What it must never do: put an API key into an error, a log line or a `Debug` text; follow a redirect with a key; call
//! an answer complete that did not say so; send a request again that may have been read, or go on with an answer that paused,
//! on its own (the engine decides that: it knows whether a call has begun and holds the money).
//!
//! Start reading at [`Models`] (which models there are), then [`Model::stream`], then [`ModelStream`].
//! The pure part of each wire format is in a folder of its own (`openai/`, `anthropic/`): bytes in, events out, no I/O.

mod accepts;
mod address;
mod anthropic;
mod arguments;
mod catalog;
mod cause;
mod collector;
mod demo;
mod discover;
mod endpoint;
mod environment;
mod error;
mod frames;
mod gauge;
mod http_error;
mod listed;
mod model;
mod openai;
mod price;
mod provider;
mod request;
mod retry_after;
mod scrub;
mod scrubber;
mod sent;
mod settings;
mod spelling;
mod sse;
mod stream;
mod tool_name;
mod vendors;

pub use arguments::MOST_ARGUMENT_BYTES;
pub use catalog::Models;
pub use collector::Collector;
pub use demo::DEMO;
pub use environment::{from_environment, known_price, usual_address, usual_wire};
pub use error::{ErrorKind, ProviderError};
pub use model::{Model, ModelInfo};
pub use price::{Price, Prices, Tokens};
pub use request::{AssistantPart, ModelRequest, PromptCall, PromptMessage, UserPart};
pub use scrubber::Scrubber;
pub use sent::Sent;
pub use settings::{
    ModelsSettings, Origin, ProviderSettings, ProviderStatus, Reachability, Wire, name_problem,
};
pub use spelling::spellings;
pub use stream::{Completion, ModelEvent, ModelStream, ProposedCall, ReplyPart, Stop};
