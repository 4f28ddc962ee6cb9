//! Files of sessions, and pictures for the model.

mod files;
pub mod pictures;
