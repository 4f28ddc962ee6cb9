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

mod http;
mod scrubbing;
pub(crate) mod token_estimate;

mod accepts;
mod anthropic;
mod arguments;
mod catalog;
mod collector;
mod default_model;
mod demo;
mod error;
mod model;
mod openai;
mod provider;
mod request;
mod sent;
mod settings;
mod stream;
mod tool_name;
mod vendors;

pub use arguments::MOST_ARGUMENT_BYTES;
pub use catalog::Models;
pub use collector::Collector;
pub use default_model::{DefaultModel, DefaultSource, StoredSettings};
pub use demo::DEMO;
pub use error::{ErrorKind, ProviderError};
pub use model::{Model, ModelInfo};
pub use request::{AssistantPart, ModelRequest, PromptCall, PromptMessage, UserPart};
pub use scrubbing::scrubber::Scrubber;
pub use scrubbing::spelling::spellings;
pub use sent::RequestCount;
pub use settings::{
    ModelsSettings, Origin, ProviderSettings, ProviderStatus, Reachability, Wire, name_problem,
};
pub use stream::{Completion, ModelEvent, ModelStream, ProposedCall, ReplyPart, Stop};
pub use vendors::choice::{VendorChoice, vendor_choices};
pub use vendors::environment::{from_environment, known_price, usual_address, usual_wire};
pub use vendors::price::{Price, Prices, Tokens};
