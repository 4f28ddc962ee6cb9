//! What an operator asks for: health, metrics, the log, the description of the API.

pub(crate) mod description;
pub(crate) mod health;
pub(crate) mod logs;
pub(crate) mod master_key;
pub(crate) mod metrics;
pub(crate) mod nodes;
