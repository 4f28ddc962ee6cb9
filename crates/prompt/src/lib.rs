//! What a model is told. [`Composer::compose`] is the whole way: tree, modifiers, hooks, messages, within the window.
//!
//! Rules that hold for every prompt: a call and its result are never split, the current turn is always told, and what was
//! left out is said.
//!
//! What it must never do: read or store anything. The conversation, the pictures and the settings are given to it; hooks and
//! conditions of capabilities are the only code of others that it runs.
//!
//! Start reading at `compose.rs`. Where the words of a prompt come from is in [`label`].

mod attached;
pub mod call_feedback;
mod compose;
mod conditions;
mod duration;
mod fit_window;
mod flatten;
mod history;
pub mod label;
mod markup_lesson;
mod modifiers;
mod processes;
pub mod remembered;
mod response_parts;
pub mod run_hook;
mod section_order;
mod sender_header;
mod superseded_calls;
pub mod token_count;
mod tool_list;
mod transcript;

pub use attached::Pictures;
pub use compose::{Composed, Composer};
pub use conditions::Injection;
pub use duration::unexpired;
pub use history::{History, Summary, weight};
pub use label::{input_label, known_addresses, provenance_label};
pub use processes::{Trouble, refresh};
pub use response_parts::{response_parts, shown_reply};
pub use section_order::{Background, FolderFiles, Names};
pub use transcript::ToldMessage;

use capability::Values;
use domain::{SessionId, UserId};
use provider::Model;

/// Rows looked at for one prompt; a conversation beyond it is cut like one that does not fit.
pub const ROWS: u32 = 4_000;

/// How much of a conversation is read for a model.
pub fn bytes(model: &Model) -> u64 {
    model.window().saturating_mul(5).clamp(64 << 10, 32 << 20)
}

/// A session without a name has an empty one; where there is no session, its placeholders stay.
pub fn placeholder_values(
    user: UserId,
    person: Option<&str>,
    session: Option<(SessionId, Option<&str>)>,
) -> Values {
    let mut values = Values::default().with("user_id", &user.to_string());
    if let Some(name) = person {
        values = values.with("user_name", name);
    }
    if let Some((id, name)) = session {
        values = values.with("session_id", &id.to_string()).with("session_name", name.unwrap_or_default());
    }
    values
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
