//! What an agent can do beyond talking.
//!
//! A *capability* extends an agent with prompt text, *tools* and *hooks*. This crate owns the traits, the ports
//! through which a tool reaches the world ([`ToolContext`]), the [`Registry`] of everything there is, and the
//! resolution of an agent's ordered list into prompts and tools. The built-in capabilities live in
//! [`builtin`], one file each.
//!
//! It never decides whether a call may run (that is the engine's gate), never talks to the network, a
//! database or a model, and never reads the system clock except in [`SystemClock`]. A tool that needs the
//! world gets a port in its context, so that it can be tested without a server and cannot reach past it.
//!
//! What people write themselves becomes capabilities in [`ability`]; [`condition`] decides when such words count.
//!
//! Start with [`tool`], then [`hook`] and [`registry`]. To add a built-in: one new file under `builtin/`, one line in
//! [`builtin::all`].

pub mod ability;
pub mod arguments;
pub mod builtin;
pub mod capability;
pub mod clock;
pub mod condition;
mod dependencies;
pub mod equipment;
pub mod error;
pub mod hook;
mod hosts;
mod page_place;
pub mod permits;
pub mod ports;
pub mod registry;
pub mod resolve;
pub mod schema;
pub mod system;
mod time;
pub mod tool;
pub mod view;

pub use ability::{AbilityError, Process, Template, TemplateError, Values, WrittenAbility};
pub use capability::{Capability, CapabilityInfo, CapabilitySource, CapabilityStatus, Risk, Settings};
pub use clock::{Clock, SystemClock};
pub use condition::{
    Condition, ConditionContext, ConditionError, ConditionWords, OpenPrompt, ResolvedCondition,
};
pub use documents::html::plain_text;
pub use equipment::{Equipment, Programs};
pub use error::{AssemblyError, ResolveError, ToolError};
pub use hook::{Execution, Hook, HookContext, HookError, HookResult, Moment, ResolvedHook, Response, Wish};
pub use ports::attachments::SentFile;
pub use ports::colleagues::{
    Addressee, Colleague, Colleagues, Errand, Helper, KnownAgent, NewSubagent, SentMessage,
};
pub use ports::commands::Commands;
pub use ports::files::{FileError, Files, FoundFile, Grep, Listing, Match, Matches, WrittenFile};
pub use ports::http::{
    Http, HttpAnswer, HttpBody, HttpEnd, HttpError, HttpHead, HttpMethod, HttpRequest, Reach,
};
pub use ports::knowledge::{EntryDraft, EntryWritten, Knowledge, KnowledgeError, KnowledgeListing};
pub use ports::processes::{NotKept, ProcessError, Processes, Ran, Run, RunEnd};
pub use ports::recall::{FoundEntry, FoundMessage, PastSearch, RecallError, RecallQuery, Recalled};
pub use ports::schedules::{
    ScheduleDraft, ScheduleEdit, ScheduleError, ScheduleListing, ScheduleWritten, Schedules,
};
pub use ports::web_search::{Hit, SearchError, SearchResults, WebSearch};
pub use ports::{Port, Ports};
pub use ports::{attachments, colleagues, files, http, knowledge, processes, recall, schedules, web_search};
pub use registry::Registry;
pub use resolve::{Resolved, ResolvedTool};
pub use tool::{Terms, Tool, ToolContext};
pub use view::{CapabilityView, ToolView};

#[cfg(test)]
mod fixture;
