//! The way to a provider over HTTP: addresses, streams, errors, waits.

pub(crate) mod address;
pub(crate) mod cause;
pub(crate) mod endpoint;
pub(crate) mod frames;
pub(crate) mod http_error;
pub(crate) mod retry_after;
pub(crate) mod sse;
