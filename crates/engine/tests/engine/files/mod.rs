//! Files of sessions, and pictures and texts for the model.

mod documents;
mod files;
mod folders;
pub mod pictures;
