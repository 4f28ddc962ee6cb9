//! Markup: an agent's reply becomes typed elements and calls while it streams.
//!
//! This crate owns the syntax: elements such as `<todo>`, interactions (`<interaction>`, `@system(…)`), tool patterns
//! (`<tool_use>`), legacy assertions, and what is none of them because it is code or a quotation. It reads and writes text
//! and does nothing else: no I/O, no async, no clock, no randomness. Whether something may run is not its business; it only
//! says what was asked for.
//!
//! Start with [`Parser`] and [`Event`], then `scan.rs`, which is the one pass over the text, `candidate.rs`, which
//! holds what may still become markup, and `line.rs`, which knows the dead zones. The elements are in `element`, one file each.
//!
//! **Invariant:** however a text is cut, also inside of a character, its text, elements and calls are the same.
//! **Invariant:** what may still become markup is not shown; everything else is told at once.
//! **Invariant:** time is linear in the text and memory is bounded by [`Limits`], whatever the text is.
//! **Invariant:** no text makes the parser fail: what is no markup is text, byte for byte.

mod assertion;
mod at_call;
mod authority;
pub mod batch;
mod call;
mod derive;
pub mod element;
pub mod entity;
mod error;
mod event;
pub mod feedback;
mod history;
mod interaction;
mod json;
mod options;
mod parser;
mod pattern;
mod prompt;
mod propose;
mod scan;
mod shown;
mod teach;
mod tree;

pub use call::{Order, ProposedCall, Target};
pub use derive::{Element, Reading, elements, may_have_markup, read};
pub use error::Error;
pub use event::{ElementFault, ElementId, Event, Span};
pub use history::seen_by_next_step;
pub use options::{Limits, Mode, Options};
pub use parser::Parser;
pub use prompt::{Prompt, answered, prompts, record_answer};
pub use scan::attributes::Attributes;
pub use shown::{OperationLabel, ShownAssertion, ShownElement, operation_labels, shown};
pub use teach::{Allowed, teach};
